#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::report {

/// A table of texts. Cells may hold names from strangers; every writer escapes them for its format.
struct Table {
    struct Column {
        std::string title;
        bool number = false;  ///< right-aligned
    };
    std::vector<Column> columns;
    std::vector<std::vector<std::string>> rows;
};

/// Aligned columns for a terminal, two spaces apart, a header line first; every line ends with a newline.
std::string toText(const Table& table);
/// The same for a table without rows, whose `count` rows are made when they are needed, twice each, and handed to
/// `write` piece by piece: a million of them take more memory than what they tell of.
void writeText(const Table& head, std::size_t count, const std::function<std::vector<std::string>(std::size_t)>& row,
               const std::function<void(std::string_view)>& write);
/// RFC 4180, header first; spreadsheets compute nothing of it (`csvCell`).
std::string toCsv(const Table& table);
/// A `<table>` element.
std::string toHtml(const Table& table);

}  // namespace tessera::report
