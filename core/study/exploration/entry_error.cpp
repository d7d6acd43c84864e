#include "core/study/exploration/entry_error.h"

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "core/study/exploration/study.h"
#include "core/study/stored_form.h"

namespace tessera::study {

namespace {

bool isLike(const Json& entry, const Json& like) {
    return std::ranges::all_of(like.get_ref<const Json::object_t&>(), [&](const auto& member) {
        return entry.contains(member.first) && entry.at(member.first) == member.second;
    });
}

/// The last entry that is like it: of two of one name the second is too many.
std::optional<std::size_t> entryLike(const Json& list, const Json& like) {
    for (std::size_t i = list.is_array() ? list.size() : 0; i-- > 0;)
        if (isLike(list[i], like)) return i;
    return std::nullopt;
}

/// Where the file says what the exploration does; nothing where an option or an editor has changed it since.
std::optional<JsonNode> nodeInFile(const Study& exploration, const EntryPlace& at) {
    if (!exploration.file.document) return std::nullopt;
    const JsonNode root = exploration.file.document->root();
    const JsonNode holder = root.has("parameters") ? root.at("parameters") : root;
    const Parameter* const row = findParameter(explorationParameters(), at.parameter);
    const Json own = exploration.parameters->value(at.parameter, Json());
    if (row == nullptr) return std::nullopt;
    if (!holder.has(at.parameter)) return own == defaultOf(*row) ? std::optional(holder) : std::nullopt;
    const JsonNode node = holder.at(at.parameter);
    const Json read = storedForm(*row, readParameter(*row, node));
    if (at.like->is_null()) return read == own ? std::optional(node) : std::nullopt;
    const std::optional<std::size_t> wrong = entryLike(own, *at.like);
    if (!wrong) return std::nullopt;
    for (std::size_t i = read.size(); i-- > 0;) {
        if (read[i] != own[*wrong]) continue;
        const JsonNode entry = node.elements()[i];
        return !at.member.empty() && entry.has(at.member) ? entry.at(at.member) : entry;
    }
    return std::nullopt;
}

std::optional<Place> placeInFile(const Study& exploration, const EntryPlace& at) {
    const std::optional<JsonNode> node = nodeInFile(exploration, at);
    if (!node) return std::nullopt;
    const JsonDocument& file = node->document();
    return Place{
        .file = file.file(), .line = std::max<std::int64_t>(1, file.lineOf(node->path())), .field = node->path()};
}

}  // namespace

EntryPlace variablePlace(const std::string& name, const std::string& member) {
    return {.parameter = "variables", .like = Json{{"name", name}}, .member = member};
}

void rethrowWithLine(const Study& exploration) {
    try {
        throw;
    } catch (const EntryError<UsageError>& error) {
        if (auto place = placeInFile(exploration, error.at)) throw DataError(std::move(*place), error.what());
        throw;
    } catch (const EntryError<DataError>& error) {
        auto place = placeInFile(exploration, error.at);
        if (!place) throw;
        place->where = error.place.where;
        // What an expression says of itself is no field.
        if (!place->where.empty()) place->field.clear();
        throw DataError(std::move(*place), error.found, error.expected);
    }
}

}  // namespace tessera::study
