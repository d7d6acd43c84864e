#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"

/// Names of table rows: lookup, and the error message for an unknown name.
namespace tessera {

/// "START 'name'; did you mean 'x'?", or where no known name is close "START 'name'; expected one of a, b" with
/// `besides` behind it (" or a file").
std::string unknownNameText(std::string_view start, std::string_view name, const std::vector<std::string>& known,
                            std::string_view besides = {});

/// Name of a row of a table: its `id`, or its `name` where it has no id.
template <typename Row>
std::string_view idOf(const Row& row) {
    if constexpr (requires { row.id; })
        return row.id;
    else
        return row.name;
}

/// The ids of a table's rows, in its order: texts, or views of what the rows hold.
template <typename Text = std::string, typename Rows>
std::vector<Text> idsOf(const Rows& rows) {
    std::vector<Text> ids;
    for (const auto& row : rows) ids.emplace_back(idOf(row));
    return ids;
}

/// The row of a table that has the id; nullptr where none has.
template <typename Rows>
auto findRow(const Rows& rows, std::string_view id) -> decltype(&*std::begin(rows)) {
    const auto found = std::find_if(std::begin(rows), std::end(rows), [&](const auto& row) { return idOf(row) == id; });
    return found == std::end(rows) ? nullptr : &*found;
}

/// The row of a table that has the id. Throws UsageError with `unknownNameText` where none has it.
template <typename Rows>
const auto& rowNamed(const Rows& rows, std::string_view id, std::string_view start) {
    if (const auto* const row = findRow(rows, id)) return *row;
    throw UsageError(unknownNameText(start, id, idsOf(rows)));
}

}  // namespace tessera
