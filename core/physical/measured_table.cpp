#include "core/physical/measured_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/poll.h"
#include "core/base/text.h"

namespace tessera::physical {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxMeasuredRows = 1'000'000;
constexpr std::size_t kMaxMeasuredCells = 8'000'000;
constexpr std::size_t kMaxMeasuredColumns = 256;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kSourceMark = "# source:";

/// Cuts a text of CSV into lines and their cells.
class MeasuredScanner {
public:
    MeasuredScanner(std::string_view bytes, const std::string& file) : rest_(bytes), file_(file) {
        if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
    }

    bool atEnd() const { return rest_.empty(); }
    std::int64_t line() const { return line_; }
    bool atComment() const { return rest_.front() == '#'; }
    bool atEmptyLine() const { return trimmed(rest_.substr(0, rest_.find('\n'))).empty(); }

    std::string_view takeLine() {
        const std::string_view line = rest_.substr(0, rest_.find('\n'));
        advance(std::min(line.size() + 1, rest_.size()));
        return line;
    }

    /// The cells up to the end of the line, which quoted ones may reach over.
    std::vector<std::string> takeRow() {
        std::vector<std::string> cells;
        do {
            cells.push_back(takeCell());
            if (cells.size() > kMaxMeasuredColumns)
                fail("a row of more", fmt::format("at most {} cells", kMaxMeasuredColumns));
        } while (take(','));
        if (!rest_.empty()) takeLineEnd();
        return cells;
    }

private:
    [[noreturn]] void fail(const std::string& found, const std::string& expected) const {
        throw DataError({.file = file_, .line = line_, .column = column_}, found, expected);
    }

    void advance(std::size_t count) {
        for (const char character : rest_.substr(0, count)) {
            ++column_;
            if (character != '\n') continue;
            ++line_;
            column_ = 1;
        }
        rest_.remove_prefix(count);
    }

    bool take(char character) {
        if (!rest_.starts_with(character)) return false;
        advance(1);
        return true;
    }

    void takeLineEnd() {
        take('\r');
        if (!take('\n') && !rest_.empty()) fail(inQuotes(rest_.substr(0, 1)), "',' or the end of the line");
    }

    std::string takeCell() {
        if (take('"')) return takeQuoted();
        const std::string_view cell = rest_.substr(0, rest_.find_first_of(",\n"));
        advance(cell.size());
        return std::string(trimmed(cell));
    }

    std::string takeQuoted() {
        std::string cell;
        const std::int64_t line = line_, column = column_ - 1;
        while (true) {
            const std::size_t quote = rest_.find('"');
            if (quote == std::string_view::npos)
                throw DataError({.file = file_, .line = line, .column = column}, "a quote that nothing closes", "'\"'");
            cell += rest_.substr(0, quote);
            advance(quote + 1);
            if (!take('"')) return cell;
            cell += '"';
        }
    }

    std::string_view rest_;
    const std::string& file_;
    std::int64_t line_ = 1, column_ = 1;
};

void checkMeasuredColumns(const MeasuredTable& table, std::int64_t line) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        const std::string& column = table.columns[i];
        const Place place{.file = table.file, .line = line, .where = fmt::format("column {}", i + 1)};
        if (column.empty()) throw DataError(place, "no name", "the name of the column");
        if (std::count(table.columns.begin(), table.columns.end(), column) > 1)
            throw DataError(place, inQuotes(column), "names that differ");
    }
}

void addMeasuredRow(MeasuredTable& table, std::vector<std::string> cells, const std::string& source,
                    std::int64_t line) {
    if (cells.size() != table.columns.size())
        throw DataError({.file = table.file, .line = line}, fmt::format("{} cells", cells.size()),
                        fmt::format("{}, as the header has", table.columns.size()));
    if (table.rows.size() == kMaxMeasuredRows || table.rows.size() * table.columns.size() >= kMaxMeasuredCells)
        throw DataError({.file = table.file, .line = line}, "one more row",
                        "at most 1,000,000 rows and 8,000,000 cells");
    table.rows.push_back({std::move(cells), source, line});
}

void checkMeasuredText(std::string_view bytes, const std::string& file) {
    if (bytes.size() > kLargestMeasuredTable) throw DataError({.file = file}, "more", "at most 64 MiB");
    if (!isUtf8(bytes)) throw DataError({.file = file}, "bytes that are no text", "UTF-8");
}

void addMeasuredFiles(std::vector<fs::path>& files, const fs::path& folder) {
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        const fs::path& path = entry->path();
        const std::string name = path.filename().string();
        if (path.extension() != ".csv" || name == "baselines.csv" || name == "recommended.csv") continue;
        if (isFile(path)) files.push_back(path);
    }
}

}  // namespace

bool MeasuredTable::has(std::string_view column) const {
    return std::find(columns.begin(), columns.end(), column) != columns.end();
}

std::string_view MeasuredTable::text(const MeasuredRow& row, std::string_view column) const {
    const auto found = std::find(columns.begin(), columns.end(), column);
    if (found == columns.end()) return {};
    return row.cells[static_cast<std::size_t>(found - columns.begin())];
}

std::string MeasuredTable::name(const MeasuredRow& row, std::string_view column) const {
    const std::string_view cell = text(row, column);
    if (cell.empty() || cell.size() > 256) fail(row, column, "a name of at most 256 bytes");
    return std::string(cell);
}

double MeasuredTable::positive(const MeasuredRow& row, std::string_view column) const {
    const std::optional<double> value = measuredNumber(text(row, column));
    if (!value || !(*value > 0)) fail(row, column, "a number above 0");
    return *value;
}

double MeasuredTable::notNegative(const MeasuredRow& row, std::string_view column) const {
    const std::optional<double> value = measuredNumber(text(row, column));
    if (!value || *value < 0) fail(row, column, "a number of 0 or above");
    return *value;
}

int MeasuredTable::count(const MeasuredRow& row, std::string_view column) const {
    const std::optional<double> value = measuredNumber(text(row, column));
    if (!value || *value < 1 || *value > 1e6 || *value != std::floor(*value))
        fail(row, column, "a whole number from 1 to 1,000,000");
    return static_cast<int>(*value);
}

std::string_view MeasuredTable::sourceOf(const MeasuredRow& row) const {
    return has("source") ? text(row, "source") : std::string_view(row.source);
}

void MeasuredTable::fail(const MeasuredRow& row, std::string_view column, const std::string& expected) const {
    throw DataError({.file = file, .line = row.line, .field = std::string(column)}, inQuotes(text(row, column)),
                    expected);
}

MeasuredTable readMeasuredTable(std::string_view bytes, const std::string& file) {
    checkMeasuredText(bytes, file);
    MeasuredTable table{.file = file, .columns = {}, .rows = {}};
    MeasuredScanner scanner(bytes, file);
    std::string source;
    while (!scanner.atEnd()) {
        poll();
        const std::int64_t line = scanner.line();
        if (scanner.atComment() || scanner.atEmptyLine()) {
            const std::string_view comment = scanner.takeLine();
            if (comment.starts_with(kSourceMark)) source = std::string(trimmed(comment.substr(kSourceMark.size())));
        } else if (table.columns.empty()) {
            table.columns = scanner.takeRow();
            checkMeasuredColumns(table, line);
        } else {
            addMeasuredRow(table, scanner.takeRow(), source, line);
        }
    }
    if (table.columns.empty()) throw DataError({.file = file}, "no header", "a line that names the columns");
    return table;
}

std::optional<double> measuredNumber(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
    return value;
}

std::vector<fs::path> measuredTablesIn(const fs::path& folder) {
    std::vector<fs::path> files;
    addMeasuredFiles(files, folder);
    addMeasuredFiles(files, folder / "kernels");
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace tessera::physical
