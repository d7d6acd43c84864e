#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::physical {

inline constexpr std::uintmax_t kLargestMeasuredTable = std::uintmax_t{64} << 20;

/// One line of a table of measurements.
struct MeasuredRow {
    std::vector<std::string> cells;  ///< one for each column
    std::string source = {};         ///< of the last comment `# source: NAME` above it; empty where there is none
    std::int64_t line = 0;           ///< 1-based
};

/// Measurements as their file gives them: texts under named columns, in any order, of which some may mean nothing here.
struct MeasuredTable {
    std::string file;
    std::vector<std::string> columns;
    std::vector<MeasuredRow> rows;

    bool has(std::string_view column) const;
    /// Returns a row's cell; empty where the table has no such column.
    std::string_view text(const MeasuredRow& row, std::string_view column) const;
    /// Returns a cell that may not be empty. Throws DataError at it.
    std::string name(const MeasuredRow& row, std::string_view column) const;
    /// Returns a cell that is a number above 0. Throws DataError at it.
    double positive(const MeasuredRow& row, std::string_view column) const;
    /// Returns a cell that is a number of 0 or above. Throws DataError at it.
    double notNegative(const MeasuredRow& row, std::string_view column) const;
    /// Returns a cell that is a whole number from 1 to a million. Throws DataError at it.
    int count(const MeasuredRow& row, std::string_view column) const;
    /// Returns who measured a row: its cell of the column `source` where there is one, else the comment above it.
    std::string_view sourceOf(const MeasuredRow& row) const;
    /// Throws the DataError that says what a row's cell should have been.
    [[noreturn]] void fail(const MeasuredRow& row, std::string_view column, const std::string& expected) const;
};

/// Reads CSV (RFC 4180): the first line that is no comment names the columns, lines that begin with `#` are comments.
/// Throws DataError with the place: unclosed quotes, rows of another width than the header, columns without a name or
/// named twice, bytes that are no UTF-8, over 1,000,000 rows or 8,000,000 cells.
MeasuredTable readMeasuredTable(std::string_view bytes, const std::string& file);

/// Returns the number that a text is from its first character to its last; nothing where it is none or not finite.
std::optional<double> measuredNumber(std::string_view text);

/// Returns the tables of measurements in a folder (`*.csv`, and those of its folder `kernels`), sorted by path, without
/// those that hold no measurements (`baselines.csv`, `recommended.csv`). Empty where there is no such folder.
std::vector<std::filesystem::path> measuredTablesIn(const std::filesystem::path& folder);

}  // namespace tessera::physical
