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
    std::vector<std::vector<std::string>> lines{titles(table)};
    for (const auto& row : table.rows) {
        lines.emplace_back();
        for (const std::string& cell : row) lines.back().push_back(escaped(cell, kLongestCell));
    }
    std::vector<std::size_t> widths(table.columns.size(), 0);
    for (const auto& line : lines)
        for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], displayWidth(line[i]));
    std::string text;
    for (const auto& cells : lines) {
        std::string line;
        for (std::size_t i = 0; i < cells.size(); ++i) {
            if (i > 0) line += "  ";
            appendPadded(line, cells[i], widths[i], table.columns[i].number);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
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
