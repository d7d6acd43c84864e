#include "core/base/schema.h"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "core/base/text.h"

namespace tessera {

namespace {

std::int64_t newestVersion(const SchemaHistory& history) {
    return 1 + static_cast<std::int64_t>(history.migrations.size());
}

/// The version in "KIND/VERSION", empty where the text is not of this kind.
std::optional<std::int64_t> versionIn(std::string_view text, std::string_view kind) {
    if (text.size() < kind.size() + 2 || !text.starts_with(kind) || text[kind.size()] != '/') return std::nullopt;
    text.remove_prefix(kind.size() + 1);
    if (text.size() > 9 || text.front() < '1' || text.front() > '9') return std::nullopt;
    std::int64_t version = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return version;
}

}  // namespace

std::string currentSchema(const SchemaHistory& history) {
    return fmt::format("{}/{}", history.kind, newestVersion(history));
}

JsonNode atCurrentSchema(const JsonNode& root, const SchemaHistory& history) {
    const std::string current = currentSchema(history);
    if (!root.isObject()) root.fail(fmt::format("an object with the field 'schema': '{}'", current));
    if (!root.has("schema"))
        throw DataError({.file = root.document().file(),
                         .line = root.document().lineOf(root.path()),
                         .field = root.path().empty() ? "schema" : root.path() + ".schema"},
                        "missing", fmt::format("'{}'", current));
    const JsonNode field = root.at("schema");
    const std::string text = field.text();
    const std::optional<std::int64_t> version = versionIn(text, history.kind);
    if (!version) field.fail(fmt::format("'{}'", current));
    if (*version > newestVersion(history))
        field.fail(fmt::format("an older version: {} is newer than this program, which reads up to {}", text, current));
    if (*version == newestVersion(history)) return root;
    Json migrated = root.json();
    for (std::int64_t from = *version; from < newestVersion(history); ++from)
        history.migrations[static_cast<std::size_t>(from - 1)].apply(migrated);
    if (migrated == root.json()) return root;  // its lines are then those of the file
    migrated["schema"] = current;
    return JsonDocument::parse(toText(migrated), root.document().file()).root();
}

}  // namespace tessera
