#pragma once

#include <string_view>
#include <vector>

/// Words that parameters offer: a column of an engine's table.
namespace tessera::study {

template <typename Rows>
std::vector<std::string_view> namesOf(const Rows& rows) {
    std::vector<std::string_view> names;
    for (const auto& row : rows) names.push_back(row.name);
    return names;
}

template <typename Rows>
std::vector<std::string_view> idsOf(const Rows& rows) {
    std::vector<std::string_view> ids;
    for (const auto& row : rows) ids.push_back(row.id);
    return ids;
}

}  // namespace tessera::study
