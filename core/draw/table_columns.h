#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "core/draw/table.h"

/// Tables that are wider than the room there is.
namespace tessera::report {

/// Begins the title of a column that stays with the one before it: the difference of its value.
inline constexpr std::string_view kDifference = "Δ";

/// The columns of a table in parts that fit into `room` by these widths, each beginning with the first `keys` columns.
/// A column that is wider than the room is a part of its own.
std::vector<std::vector<std::size_t>> columnParts(const Table& table, const std::vector<double>& widths,
                                                  std::size_t keys, double room);
/// The table of these columns alone.
Table onlyColumns(const Table& table, const std::vector<std::size_t>& columns);
/// Rows as columns: the first column's cells head the others. All columns are of words.
Table transposed(const Table& table, const std::string& head);
/// As `toText`, in parts below each other where a line would have more than `width` characters.
std::string toText(const Table& table, std::size_t keys, std::size_t width);

}  // namespace tessera::report
