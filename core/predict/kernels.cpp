#include "core/predict/kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/base/elementary.h"
#include "core/base/error.h"
#include "core/base/statistics.h"
#include "core/base/text.h"

namespace tessera::predict {

namespace {

constexpr std::string_view kHeader = "kernel,shape,dtype,seconds";
constexpr std::size_t kMaxRows = 1'000'000;
constexpr std::size_t kMaxAxes = 12;
constexpr double kLargestSize = 1e15;
constexpr double kLongestTime = 1e9;

[[noreturn]] void fail(const std::string& file, std::size_t line, const std::string& where, std::string_view found,
                       const std::string& expected) {
    throw DataError({.file = file, .line = static_cast<std::int64_t>(line), .where = where}, inQuotes(found), expected);
}

std::optional<double> numberIn(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
    return value;
}

KernelTable::Sizes sizesIn(std::string_view text, const std::string& file, std::size_t line) {
    KernelTable::Sizes sizes;
    for (const std::string_view part : split(text, 'x')) {
        const std::optional<double> size = numberIn(trimmed(part));
        if (!size || *size < 1 || *size > kLargestSize || *size != std::floor(*size) || sizes.size() == kMaxAxes)
            fail(file, line, "column shape", text, "1 to 12 whole numbers from 1 to 1e15 joined by 'x'");
        sizes.push_back(*size);
    }
    return sizes;
}

/// Keeps the sizes rising, each once.
void addSize(std::vector<double>& rising, double size) {
    const auto place = std::lower_bound(rising.begin(), rising.end(), size);
    if (place == rising.end() || *place != size) rising.insert(place, size);
}

/// How far a size lies from `low` to `high` in logarithms: 0 to 1.
double shareOf(double size, double low, double high) {
    return elementary::log(size / low) / elementary::log(high / low);
}

}  // namespace

void KernelTable::add(const std::string& kernel, const std::string& dtype, const Sizes& sizes, Seconds time) {
    Kernel& into = kernels_[{kernel, dtype}][sizes.size()];
    into.axes.resize(sizes.size());
    into.lines.resize(sizes.size());
    Sizes others = sizes;
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
        addSize(into.axes[axis], sizes[axis]);
        others[axis] = 0;
        addSize(into.lines[axis][others], sizes[axis]);
        others[axis] = sizes[axis];
    }
    std::vector<double>& times = into.measured[sizes];
    times.insert(std::upper_bound(times.begin(), times.end(), time.value), time.value);
    ++rows_;
}

KernelTable::Found KernelTable::find(const std::string& kernel, const std::string& dtype, const Sizes& sizes) const {
    const auto found = kernels_.find({kernel, dtype});
    if (found == kernels_.end()) return {};
    Found result{.known = true, .time = {}};
    const auto shaped = found->second.find(sizes.size());
    if (shaped == found->second.end()) return result;
    if (const std::optional<double> time = interpolate(shaped->second, sizes)) result.time = Seconds{*time};
    return result;
}

std::optional<double> KernelTable::interpolate(const Kernel& kernel, const Sizes& sizes) {
    if (const auto exact = kernel.measured.find(sizes); exact != kernel.measured.end()) return medianOf(exact->second);
    const std::optional<double> line = alongLine(kernel, sizes);
    return line ? line : insideCell(kernel, sizes);
}

std::optional<double> KernelTable::alongLine(const Kernel& kernel, const Sizes& sizes) {
    std::optional<double> time;
    double closest = std::numeric_limits<double>::infinity();
    Sizes around = sizes;
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
        around[axis] = 0;
        const auto line = kernel.lines[axis].find(around);
        if (line != kernel.lines[axis].end()) {
            const std::vector<double>& known = line->second;
            const auto above = std::lower_bound(known.begin(), known.end(), sizes[axis]);
            if (above != known.begin() && above != known.end() && *above / *(above - 1) < closest) {
                closest = *above / *(above - 1);
                const double share = shareOf(sizes[axis], *(above - 1), *above);
                around[axis] = *(above - 1);
                const double low = elementary::log(medianOf(kernel.measured.at(around)));
                around[axis] = *above;
                const double high = elementary::log(medianOf(kernel.measured.at(around)));
                time = elementary::exp((1 - share) * low + share * high);
            }
        }
        around[axis] = sizes[axis];
    }
    return time;
}

std::optional<double> KernelTable::insideCell(const Kernel& kernel, const Sizes& sizes) {
    Sizes low, high;
    std::vector<double> share;
    std::vector<std::size_t> open;  // axes along which the shape lies between two measured sizes
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
        const std::vector<double>& known = kernel.axes[axis];
        const auto above = std::lower_bound(known.begin(), known.end(), sizes[axis]);
        if (above == known.end() || (above == known.begin() && *above != sizes[axis])) return std::nullopt;
        const bool exact = *above == sizes[axis];
        low.push_back(exact ? *above : *(above - 1));
        high.push_back(*above);
        share.push_back(exact ? 0 : shareOf(sizes[axis], low.back(), *above));
        if (!exact) open.push_back(axis);
    }
    double logarithm = 0;
    for (std::size_t corner = 0; corner < (std::size_t{1} << open.size()); ++corner) {
        Sizes at = low;
        double weight = 1;
        for (std::size_t i = 0; i < open.size(); ++i) {
            const bool upper = (corner >> i & 1U) != 0;
            if (upper) at[open[i]] = high[open[i]];
            weight *= upper ? share[open[i]] : 1 - share[open[i]];
        }
        const auto measured = kernel.measured.find(at);
        if (measured == kernel.measured.end()) return std::nullopt;
        logarithm += weight * elementary::log(medianOf(measured->second));
    }
    return elementary::exp(logarithm);
}

KernelTable readKernels(std::string_view bytes, const std::string& file) {
    KernelTable table;
    std::size_t line = 0;
    bool begun = false;
    for (std::string_view text : split(bytes, '\n')) {
        ++line;
        text = trimmed(text);
        if (text.starts_with(kNoiseMark))
            if (const std::optional<double> share = numberIn(text.substr(kNoiseMark.size())); share && *share >= 0)
                table.setNoise(*share);
        if (text.empty() || text.front() == '#') continue;
        if (!begun) {
            if (text != kHeader) fail(file, line, "header", text, fmt::format("'{}'", kHeader));
            begun = true;
            continue;
        }
        const std::vector<std::string_view> cells = split(text, ',');
        if (cells.size() != 4) fail(file, line, "row", text, "four cells: kernel, shape, dtype and seconds");
        const std::string kernel(trimmed(cells[0])), dtype(trimmed(cells[2]));
        if (kernel.empty() || kernel.size() > 256) fail(file, line, "column kernel", kernel, "a name");
        if (dtype.empty() || dtype.size() > 256) fail(file, line, "column dtype", dtype, "a data type, such as fp16");
        const std::optional<double> seconds = numberIn(trimmed(cells[3]));
        if (!seconds || !(*seconds > 0) || *seconds > kLongestTime)
            fail(file, line, "column seconds", cells[3], "a time above 0 and at most 1e9");
        if (table.rows() == kMaxRows) fail(file, line, "row", text, "at most 1,000,000 rows");
        table.add(kernel, dtype, sizesIn(cells[1], file, line), Seconds{*seconds});
    }
    if (!begun) throw DataError({.file = file}, "no header", fmt::format("'{}'", kHeader));
    return table;
}

}  // namespace tessera::predict
