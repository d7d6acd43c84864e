#include "core/draw/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/base/character.h"
#include "core/base/escape.h"
#include "core/base/text.h"

namespace tessera::report {

namespace {

constexpr std::size_t kLongestCell = 120;

void appendPadded(std::string& line, const std::string& text, std::size_t width, bool right) {
    const std::string blank(width - std::min(width, displayWidth(text)), ' ');
    line += right ? blank + text : text + blank;
}

std::vector<std::string> titles(const Table& table) {
    std::vector<std::string> result;
    for (const Table::Column& column : table.columns) result.push_back(column.title);
    return result;
}

}  // namespace

std::string toText(const Table& table) {
    std::string text;
    writeText(
        table, table.rows.size(), [&](std::size_t i) { return table.rows[i]; },
        [&](std::string_view piece) { text += piece; });
    return text;
}

void writeText(const Table& head, std::size_t count, const std::function<std::vector<std::string>(std::size_t)>& row,
               const std::function<void(std::string_view)>& write) {
    std::vector<std::size_t> widths(head.columns.size(), 0);
    const auto lineOf = [&](std::size_t i) {
        std::vector<std::string> cells = i == 0 ? titles(head) : row(i - 1);
        if (i > 0)
            for (std::string& cell : cells) cell = escaped(cell, kLongestCell);
        return cells;
    };
    for (std::size_t i = 0; i <= count; ++i) {
        const std::vector<std::string> cells = lineOf(i);
        for (std::size_t c = 0; c < cells.size(); ++c) widths[c] = std::max(widths[c], displayWidth(cells[c]));
    }
    constexpr std::size_t kPiece = std::size_t{1} << 16;
    std::string piece;
    for (std::size_t i = 0; i <= count; ++i) {
        const std::vector<std::string> cells = lineOf(i);
        std::string line;
        for (std::size_t c = 0; c < cells.size(); ++c) {
            if (c > 0) line += "  ";
            appendPadded(line, cells[c], widths[c], head.columns[c].number);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        piece += line + "\n";
        if (piece.size() < kPiece) continue;
        write(piece);
        piece.clear();
    }
    write(piece);
}

std::string toCsv(const Table& table) {
    std::string text;
    const auto append = [&](const std::vector<std::string>& cells) {
        for (std::size_t i = 0; i < cells.size(); ++i) text += (i > 0 ? "," : "") + csvCell(cells[i]);
        text += "\r\n";
    };
    append(titles(table));
    for (const auto& row : table.rows) append(row);
    return text;
}

std::string toHtml(const Table& table) {
    std::string html = "<table>\n<thead><tr>";
    for (const Table::Column& column : table.columns)
        html += fmt::format("<th{}>{}</th>", column.number ? " class=\"number\"" : "", htmlEscaped(column.title));
    html += "</tr></thead>\n<tbody>\n";
    for (const auto& row : table.rows) {
        html += "<tr>";
        for (std::size_t i = 0; i < row.size(); ++i)
            html +=
                fmt::format("<td{}>{}</td>", table.columns[i].number ? " class=\"number\"" : "", htmlEscaped(row[i]));
        html += "</tr>\n";
    }
    return html + "</tbody>\n</table>\n";
}

}  // namespace tessera::report
