#include "core/draw/table_columns.h"

#include <algorithm>

#include "core/base/character.h"
#include "core/base/text.h"

namespace tessera::report {

std::vector<std::vector<std::size_t>> columnParts(const Table& table, const std::vector<double>& widths,
                                                  std::size_t keys, double room) {
    const std::size_t count = table.columns.size();
    std::vector<std::size_t> key;
    double keyWidth = 0;
    for (std::size_t column = 0; column < std::min(keys, count); ++column) {
        key.push_back(column);
        keyWidth += widths[column];
    }
    std::vector<std::vector<std::size_t>> parts{key};
    double width = keyWidth;
    for (std::size_t column = key.size(); column < count;) {
        std::size_t end = column + 1;
        double itsWidth = widths[column];
        for (; end < count && table.columns[end].title.starts_with(kDifference); ++end) itsWidth += widths[end];
        if (width + itsWidth > room && parts.back().size() > key.size()) {
            parts.push_back(key);
            width = keyWidth;
        }
        for (; column < end; ++column) parts.back().push_back(column);
        width += itsWidth;
    }
    return parts;
}

Table onlyColumns(const Table& table, const std::vector<std::size_t>& columns) {
    Table part;
    for (const std::size_t column : columns) part.columns.push_back(table.columns[column]);
    for (const std::vector<std::string>& row : table.rows) {
        std::vector<std::string>& cells = part.rows.emplace_back();
        for (const std::size_t column : columns) cells.push_back(row[column]);
    }
    return part;
}

Table transposed(const Table& table, const std::string& head) {
    Table turned;
    turned.columns.push_back({head});
    for (const std::vector<std::string>& row : table.rows) turned.columns.push_back({row.front()});
    for (std::size_t column = 1; column < table.columns.size(); ++column) {
        std::vector<std::string>& cells = turned.rows.emplace_back();
        cells.push_back(table.columns[column].title);
        for (const std::vector<std::string>& row : table.rows) cells.push_back(row[column]);
    }
    return turned;
}

std::string toText(const Table& table, std::size_t keys, std::size_t width) {
    constexpr std::size_t kBetweenColumns = 2;
    std::vector<double> widths;
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
        std::size_t widest = displayWidth(table.columns[column].title);
        for (const std::vector<std::string>& row : table.rows) widest = std::max(widest, displayWidth(row[column]));
        widths.push_back(static_cast<double>(widest + kBetweenColumns));
    }
    std::vector<std::string> texts;
    for (const std::vector<std::size_t>& part :
         columnParts(table, widths, keys, static_cast<double>(width + kBetweenColumns)))
        texts.push_back(toText(onlyColumns(table, part)));
    return joined(texts, "\n");
}

}  // namespace tessera::report
