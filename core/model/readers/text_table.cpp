#include "core/model/readers/text_table.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "core/base/poll.h"
#include "core/base/text.h"

namespace tessera::model {

namespace {

constexpr std::size_t kMaxCells = 256;
constexpr std::size_t kLongestCell = 4096;
constexpr double kLargestExact = 0x1p53;

bool isBlank(char c) {
    return c == ' ' || c == '\t';
}

bool startsComment(std::string_view line, std::size_t at) {
    const bool free = at == 0 || isBlank(line[at - 1]) || line[at - 1] == ',';
    return free && (line[at] == '#' || line.substr(at).starts_with("//"));
}

std::optional<double> numberIn(std::string_view text) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(number)) return std::nullopt;
    return number;
}

/// Takes one cell from `at` on, which is left on the comma that ends it, on a comment, or behind the line.
struct CellScanner {
    std::string_view line;
    const TextTable& table;
    const Row& row;
    std::size_t at = 0;

    [[nodiscard]] bool ended() const { return at >= line.size() || startsComment(line, at); }

    Cell take() {
        while (at < line.size() && isBlank(line[at])) ++at;
        Cell cell;
        cell.column = static_cast<std::int64_t>(at) + 1;
        if (at < line.size() && line[at] == '"')
            takeQuoted(cell);
        else
            takePlain(cell);
        if (cell.text.size() > kLongestCell)
            throw DataError(table.place(row, cell), fmt::format("a cell of {} bytes", cell.text.size()),
                            fmt::format("at most {} bytes in a cell", kLongestCell));
        return cell;
    }

private:
    void takePlain(Cell& cell) {
        const std::size_t from = at;
        while (!ended() && line[at] != ',') ++at;
        cell.text = trimmed(line.substr(from, at - from));
    }

    void takeQuoted(Cell& cell) {
        for (++at; at < line.size(); ++at) {
            if (line[at] == '"') {
                if (!line.substr(at + 1).starts_with('"')) break;
                ++at;
            }
            cell.text += line[at];
        }
        if (at >= line.size()) throw DataError(table.place(row, cell), "a quote that is not closed", "'\"' at its end");
        ++at;
        const std::size_t from = at;
        while (!ended() && line[at] != ',') ++at;
        if (const std::string_view more = trimmed(line.substr(from, at - from)); !more.empty())
            throw DataError(table.place(row, cell), inQuotes(more) + " after a closing quote", "a comma");
    }
};

}  // namespace

TextTable::TextTable(std::string_view bytes, std::string file) : rest_(bytes), file_(std::move(file)) {
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
}

Place TextTable::place(const Row& row) const {
    return {.file = file_, .line = row.line};
}

Place TextTable::place(const Row& row, const Cell& cell) const {
    return {.file = file_, .line = row.line, .column = cell.column};
}

std::string_view TextTable::takeLine() {
    const std::size_t end = rest_.find_first_of("\r\n");
    const std::string_view line = rest_.substr(0, end);
    if (end == std::string_view::npos)
        rest_ = {};
    else
        rest_.remove_prefix(end + (rest_.substr(end).starts_with("\r\n") ? 2 : 1));
    ++line_;
    return line;
}

void TextTable::splitInto(Row& row, std::string_view line) const {
    poll();
    row.cells.clear();
    CellScanner scanner{line, *this, row};
    for (std::size_t cells = 0; !scanner.ended(); ++scanner.at) {
        Cell cell = scanner.take();
        const bool more = !scanner.ended();
        if (!cell.text.empty()) {
            if (cells >= kMaxCells)
                throw DataError(place(row, cell), fmt::format("more than {} cells in a row", kMaxCells),
                                fmt::format("at most {}", kMaxCells));
            // Blank cells are stored only once a value follows them: a row of commas costs no memory.
            while (row.cells.size() < cells) row.cells.push_back({"", cell.column});
            row.cells.push_back(std::move(cell));
        }
        ++cells;
        if (!more) break;
    }
}

bool TextTable::next(Row& row) {
    while (!rest_.empty()) {
        const std::string_view line = takeLine();
        row.line = line_;
        splitInto(row, line);
        if (!row.cells.empty()) return true;
    }
    return false;
}

bool isNumber(std::string_view text) {
    return numberIn(text).has_value();
}

double wholeAboveZero(std::string_view text, const Place& place, std::string_view what) {
    const std::optional<double> number = numberIn(text);
    if (!number || *number <= 0 || *number != std::floor(*number))
        throw DataError(place, text.empty() ? "nothing" : inQuotes(text),
                        fmt::format("a whole number above 0 ({})", what));
    if (*number > kLargestExact)
        throw DataError(place, inQuotes(text), fmt::format("a number of at most 2^53 ({})", what));
    return *number;
}

}  // namespace tessera::model
