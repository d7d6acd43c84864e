#pragma once

#include <string>
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
/// RFC 4180, header first; spreadsheets compute nothing of it (`csvCell`).
std::string toCsv(const Table& table);
/// A `<table>` element.
std::string toHtml(const Table& table);

}  // namespace tessera::report
