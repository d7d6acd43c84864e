#include "tests/support/schema.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "tests/support/paths.h"

namespace tessera::test {

nlohmann::json schemaDocument(const std::string& schemaFile) {
    std::ifstream stream(sourcePath("data/schemas/" + schemaFile));
    if (!stream) throw std::runtime_error("there is no schema data/schemas/" + schemaFile);
    return nlohmann::json::parse(stream);
}

std::string errorsBySchema(const nlohmann::json& document, const nlohmann::json& text) {
    using Adapter = valijson::adapters::NlohmannJsonAdapter;
    valijson::Schema schema;
    valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
    const auto fetch = [](const std::string& uri) {
        return new nlohmann::json(schemaDocument(uri.substr(uri.find_last_of('/') + 1)));
    };
    const auto release = [](const nlohmann::json* fetched) { delete fetched; };
    parser.populateSchema(Adapter(text), schema, fetch, release);
    valijson::Validator validator(valijson::Validator::kStrongTypes);
    valijson::ValidationResults results;
    std::string errors;
    if (validator.validate(schema, Adapter(document), &results)) return errors;
    valijson::ValidationResults::Error error;
    while (results.popError(error)) {
        for (const std::string& step : error.context) errors += step;
        errors += ": " + error.description + "\n";
    }
    return errors.empty() ? "not valid\n" : errors;
}

std::string schemaErrors(const nlohmann::json& document, const std::string& schemaFile) {
    return errorsBySchema(document, schemaDocument(schemaFile));
}

}  // namespace tessera::test
