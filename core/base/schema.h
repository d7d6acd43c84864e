#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"

namespace tessera {

/// One step of a kind of file from version `from` to the next, applied to the whole document. A published step is never
/// edited.
struct SchemaMigration {
    std::int64_t from = 1;  ///< position in the history + 1
    void (*apply)(Json& document) = nullptr;
};

/// A kind of input file and its history. Its newest version is 1 + the number of migrations.
struct SchemaHistory {
    std::string_view kind;  ///< such as "tessera.accelerator"
    std::vector<SchemaMigration> migrations = {};
};

/// "tessera.accelerator/1": what a file written today says.
std::string currentSchema(const SchemaHistory& history);

/// Checks the field `schema` and brings a document of an older version to the newest one. Throws DataError where the
/// field is missing, names another kind, or a version newer than this program. Where migrations change anything, lines
/// in errors count in the migrated text.
JsonNode atCurrentSchema(const JsonNode& root, const SchemaHistory& history);

}  // namespace tessera
