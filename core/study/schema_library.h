#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"

/// The JSON Schemas of the documents that programs read and write: those of the files in `schemas/` beside the bundled
/// hardware, which are held to the rows that read and write them.
namespace tessera::study {

/// A kind of document.
struct SchemaKind {
    std::string id;      ///< "fleet": its schema is fleet.schema.json
    std::string schema;  ///< "tessera.fleet/2": the member of that name; empty = documents do not say their kind
    std::string about;   ///< one sentence
};

/// Every kind, by id.
std::vector<SchemaKind> schemaKinds();

/// The schema (draft 7) of a kind by its id, or by what documents say: "tessera.fleet/2" or "tessera.fleet". What it
/// takes from schemas of other kinds is part of it. Throws UsageError, with a hint, where there is no such kind.
Json schemaOf(const std::string& kind);

}  // namespace tessera::study
