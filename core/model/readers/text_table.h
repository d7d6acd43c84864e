#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace tessera::model {

/// A cell of a text table: without surrounding blanks and quotes, and the column (1-based, in bytes) where it starts.
struct Cell {
    std::string text;
    std::int64_t column = 0;
};

struct Row {
    std::int64_t line = 0;
    std::vector<Cell> cells;  ///< blank cells at the end are left out
};

/// Reads comma-separated rows one by one. Skips a byte-order mark, lines without any value, and comments: from `#` or
/// `//` at a line's start or after a blank or comma to the line's end. Takes LF, CRLF and CR line ends and cells in
/// double quotes ("" inside stands for one quote).
/// Throws DataError{file, line, column} for a quote that is not closed, more than 256 cells, cells above 4096 bytes.
class TextTable {
public:
    TextTable(std::string_view bytes, std::string file);

    /// The next row that holds a value; false at the end.
    bool next(Row& row);

    Place place(const Row& row) const;
    Place place(const Row& row, const Cell& cell) const;
    const std::string& file() const { return file_; }

private:
    std::string_view takeLine();
    void splitInto(Row& row, std::string_view line) const;

    std::string_view rest_;
    std::string file_;
    std::int64_t line_ = 0;
};

/// The number in a text, empty where it is none ("1e3" and "64.0" are numbers, "8x" and "nan" are not).
bool isNumber(std::string_view text);

/// A whole number above 0 and at most 2^53; `what` names it in the DataError ("K", "Filter Height").
double wholeAboveZero(std::string_view text, const Place& place, std::string_view what);

}  // namespace tessera::model
