#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tessera::test {

/// A schema of data/schemas by the name of its file.
nlohmann::json schemaDocument(const std::string& schemaFile);

/// What is wrong with the document by a JSON Schema: one line per error with the path of the value; empty where the
/// document is valid. Schemas may refer to those of data/schemas by file name.
std::string errorsBySchema(const nlohmann::json& document, const nlohmann::json& text);

/// The same by a schema of data/schemas, such as "fleet.schema.json".
std::string schemaErrors(const nlohmann::json& document, const std::string& schemaFile);

}  // namespace tessera::test
