#include "core/mapping/job_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/escape.h"
#include "core/base/file.h"
#include "core/base/poll.h"
#include "core/base/text.h"
#include "core/model/readers/text_table.h"

namespace tessera::mapping {

namespace {

using model::Row;
using model::TextTable;

/// Outside of these no sum or product of a few numbers of a table is sure to be finite.
constexpr double kSmallest = 1e-30;
constexpr double kLargest = 1e30;

enum TableColumn : std::uint8_t {
    kJob,
    kAccel,
    kLatency,
    kRequiredBandwidth,
    kMacs,
    kEnergy,
    kJobName,
    kAccelName,
    kColumns
};

constexpr std::array<std::string_view, kColumns> kTitles{
    "job", "accel", "nostall_latency_cycles", "req_bw_bytes_per_cycle", "macs", "energy_j", "job_name", "accel_name"};
constexpr std::size_t kNeeded = 4;  // the first columns of the table above

/// Where each column stands in a row; empty where the file has none.
using Layout = std::array<std::optional<std::size_t>, kColumns>;

/// A row of the file that was understood. Names stand apart: most tables have none.
struct Pair {
    std::int32_t job = 0;
    std::int32_t core = 0;
    std::int64_t line = 0;
    double latency = 0;
    double requiredBandwidth = 0;
    double macs = 0;
    double energy = 0;
};

struct Name {
    std::int32_t of = 0;
    std::string text;
};

std::size_t columnTitled(std::string_view title) {
    const auto* const found = std::find(kTitles.begin(), kTitles.end(), title);
    return static_cast<std::size_t>(std::distance(kTitles.begin(), found));
}

Layout layoutOf(const TextTable& table, const Row& header) {
    Layout layout;
    for (std::size_t i = 0; i < header.cells.size(); ++i) {
        const std::size_t column = columnTitled(header.cells[i].text);
        if (column == kColumns) continue;
        if (layout.at(column))
            throw DataError(table.place(header, header.cells[i]),
                            fmt::format("a second column {}", inQuotes(kTitles.at(column))), "each column once");
        layout.at(column) = i;
    }
    for (std::size_t column = 0; column < kNeeded; ++column)
        if (!layout.at(column))
            throw DataError(table.place(header), fmt::format("no column {}", inQuotes(kTitles.at(column))),
                            "a header with the columns 'job', 'accel', 'nostall_latency_cycles' and "
                            "'req_bw_bytes_per_cycle'");
    return layout;
}

/// The cells of one row by column.
class RowReader {
public:
    RowReader(const TextTable& table, const Layout& layout, const Row& row)
        : table_(table), layout_(layout), row_(row) {}

    std::string_view text(TableColumn column) const {
        const std::optional<std::size_t> at = layout_.at(column);
        return at && *at < row_.cells.size() ? std::string_view(row_.cells[*at].text) : std::string_view();
    }

    double number(TableColumn column, double min, const char* expected) const {
        const std::string_view given = text(column);
        double value = 0;
        const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), value);
        const bool whole = error == std::errc{} && end == given.data() + given.size();
        if (!whole || !std::isfinite(value) || value < min) fail(column, expected);
        if (value > kLargest) fail(column, "a number of at most 1e30");
        return value == 0 ? 0 : value;  // -0.0 becomes 0
    }

    std::int32_t index(TableColumn column) const {
        const double value = number(column, 0, "a whole number from 0");
        if (value != std::floor(value)) fail(column, "a whole number from 0");
        if (value >= static_cast<double>(kMaxPairs)) fail(column, fmt::format("a number below {}", kMaxPairs));
        return static_cast<std::int32_t>(value);
    }

    [[noreturn]] void fail(TableColumn column, const std::string& expected) const {
        Place place = table_.place(row_);
        place.field = kTitles.at(column);
        throw DataError(place, text(column).empty() ? "empty" : inQuotes(text(column)), expected);
    }

private:
    const TextTable& table_;
    const Layout& layout_;
    const Row& row_;
};

Pair pairIn(const RowReader& row, const Layout& layout, std::int64_t line) {
    Pair pair;
    pair.job = row.index(kJob);
    pair.core = row.index(kAccel);
    pair.line = line;
    pair.latency = row.number(kLatency, kSmallest, "a number above 0");
    pair.requiredBandwidth = row.number(kRequiredBandwidth, 0, "a number of 0 or more");
    if (layout[kMacs]) pair.macs = row.number(kMacs, 0, "a number of 0 or more");
    if (layout[kEnergy]) pair.energy = row.number(kEnergy, 0, "a number of 0 or more");
    return pair;
}

/// The numbers of the file, as read.
struct Contents {
    std::vector<Pair> pairs;
    std::vector<Name> jobNames;
    std::vector<Name> coreNames;
};

Contents contentsOf(TextTable& table, const Layout& layout) {
    Contents contents;
    Row row;
    while (table.next(row)) {
        if (contents.pairs.size() >= kMaxPairs)
            throw DataError(table.place(row), fmt::format("more than {} rows", kMaxPairs),
                            fmt::format("at most {} pairs of a job and a core", kMaxPairs));
        const RowReader reader(table, layout, row);
        const Pair pair = contents.pairs.emplace_back(pairIn(reader, layout, row.line));
        if (pair.core == 0 && !reader.text(kJobName).empty())
            contents.jobNames.push_back({pair.job, std::string(fromSheet(reader.text(kJobName)))});
        if (pair.job == 0 && !reader.text(kAccelName).empty())
            contents.coreNames.push_back({pair.core, std::string(fromSheet(reader.text(kAccelName)))});
    }
    if (contents.pairs.empty())
        throw DataError(Place{.file = table.file()}, "no row below the header",
                        "a row for each pair of a job and a core");
    return contents;
}

struct Size {
    std::int64_t jobs = 0;
    std::int64_t cores = 0;
};

Size sizeOf(const std::vector<Pair>& pairs) {
    Size size;
    for (const Pair& pair : pairs) {
        size.jobs = std::max<std::int64_t>(size.jobs, pair.job + std::int64_t{1});
        size.cores = std::max<std::int64_t>(size.cores, pair.core + std::int64_t{1});
    }
    return size;
}

/// Says which pair is not there, or which number is left out altogether.
[[noreturn]] void failForMissing(const std::vector<Pair>& pairs, Size size, std::int64_t job, std::int64_t core,
                                 const std::string& file) {
    const auto any = [&](const auto& matches) { return std::any_of(pairs.begin(), pairs.end(), matches); };
    const Place place{.file = file};
    if (!any([&](const Pair& pair) { return pair.job == job; }))
        throw DataError(place, fmt::format("no row for job {}, but one for job {}", job, size.jobs - 1),
                        "numbers of jobs from 0 without gaps");
    if (!any([&](const Pair& pair) { return pair.core == core; }))
        throw DataError(place, fmt::format("no row for accel {}, but one for accel {}", core, size.cores - 1),
                        "numbers of cores from 0 without gaps");
    throw DataError(place, fmt::format("no row for job {} on accel {}", job, core),
                    fmt::format("a row for each pair of {} jobs and {} cores", size.jobs, size.cores));
}

/// Puts pairs in order of jobs, then cores. Throws where one is missing or there twice.
void order(std::vector<Pair>& pairs, Size size, const std::string& file) {
    std::stable_sort(pairs.begin(), pairs.end(),
                     [](const Pair& a, const Pair& b) { return std::pair(a.job, a.core) < std::pair(b.job, b.core); });
    for (std::size_t i = 1; i < pairs.size(); ++i)
        if (pairs[i].job == pairs[i - 1].job && pairs[i].core == pairs[i - 1].core)
            throw DataError(Place{.file = file, .line = pairs[i].line},
                            fmt::format("job {} on accel {} again", pairs[i].job, pairs[i].core),
                            fmt::format("each pair once (the first is in line {})", pairs[i - 1].line));
    const std::int64_t all = size.jobs * size.cores;
    for (std::int64_t i = 0; i < all; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const bool there = at < pairs.size() && pairs[at].job == i / size.cores && pairs[at].core == i % size.cores;
        if (!there) failForMissing(pairs, size, i / size.cores, i % size.cores, file);
    }
}

std::vector<std::string> namesOf(std::int64_t count, std::string_view what, std::vector<Name> given) {
    std::vector<std::string> names;
    names.reserve(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) names.push_back(fmt::format("{} {}", what, i));
    for (Name& name : given) names[static_cast<std::size_t>(name.of)] = std::move(name.text);
    return names;
}

std::string nameOfFile(const std::string& file) {
    const std::size_t slash = file.find_last_of('/');
    const std::string name = file.substr(slash == std::string::npos ? 0 : slash + 1);
    return name.substr(0, name.find_last_of('.'));
}

}  // namespace

Problem readJobTable(std::string_view bytes, const std::string& file) {
    if (bytes.size() > kLargestJobTable)
        throw DataError(Place{.file = file}, fmt::format("{} bytes", bytes.size()),
                        fmt::format("at most {} bytes", kLargestJobTable));
    TextTable table(bytes, file);
    Row header;
    if (!table.next(header)) throw DataError(Place{.file = file}, "an empty file", "a job table with a header");
    const Layout layout = layoutOf(table, header);
    Contents contents = contentsOf(table, layout);
    const Size size = sizeOf(contents.pairs);
    order(contents.pairs, size, file);

    Problem problem;
    problem.name = nameOfFile(file);
    problem.jobs = namesOf(size.jobs, "job", std::move(contents.jobNames));
    problem.cores = namesOf(size.cores, "core", std::move(contents.coreNames));
    for (const Pair& pair : contents.pairs) {
        problem.latency.push_back(pair.latency);
        problem.requiredBandwidth.push_back(pair.requiredBandwidth);
        if (layout[kEnergy]) problem.energy.push_back(pair.energy);
        if (layout[kMacs] && pair.core == 0) problem.macs.push_back(pair.macs);
    }
    return problem;
}

}  // namespace tessera::mapping
