#include "core/model/readers/layer_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/escape.h"
#include "core/base/text.h"
#include "core/model/readers/layer_rules.h"
#include "core/model/readers/text_table.h"

namespace tessera::model {

namespace {

constexpr std::string_view kStrideOne =
    "Convolutions are read with stride 1 and without padding: the output map is Y-R+1 by X-S+1.";
constexpr std::string_view kDepthwise = "Depthwise rows make as many channels as they read; their K is not used.";

/// A number of a row with its place, for messages.
struct Size {
    double value = 1;
    Place place;
};

using Dimensions = std::array<Size, 6>;  // K,C,Y,X,R,S in convolutions

struct TypeWord {
    std::string_view word;
    JobKind type;
};

constexpr std::array kTypeWords{
    TypeWord{"0", JobKind::ffn},     TypeWord{"1", JobKind::conv},        TypeWord{"2", JobKind::dsconv},
    TypeWord{"3", JobKind::gemm},    TypeWord{"ffn", JobKind::ffn},       TypeWord{"fc", JobKind::ffn},
    TypeWord{"conv", JobKind::conv}, TypeWord{"dsconv", JobKind::dsconv}, TypeWord{"gemm", JobKind::gemm},
};

JobKind typeIn(const Cell& cell, const Place& place) {
    const std::string word = lowered(cell.text);
    for (const TypeWord& known : kTypeWords)
        if (known.word == word) return known.type;
    if (isNumber(word)) {
        const std::string whole = fmt::format("{:.0f}", std::strtod(word.c_str(), nullptr));
        for (const TypeWord& known : kTypeWords)
            if (known.word == whole && word.starts_with(whole + ".")) return known.type;
    }
    throw DataError(place, cell.text.empty() ? "nothing" : inQuotes(cell.text),
                    "a layer type T: 0 (FFN), 1 (CONV), 2 (DSCONV) or 3 (GEMM)");
}

/// The map that a window makes with stride 1 and no padding.
double windows(const Size& map, const Size& window, std::string_view mapName) {
    if (window.value > map.value)
        throw DataError(window.place, fmt::format("'{:.0f}'", window.value),
                        fmt::format("a window of at most {} = {:.0f}", mapName, map.value));
    return map.value - window.value + 1;
}

void expectOnes(const Dimensions& sizes, std::size_t from) {
    for (std::size_t i = from; i < sizes.size(); ++i)
        if (sizes[i].value != 1)
            throw DataError(sizes[i].place, fmt::format("'{:.0f}'", sizes[i].value), "1 in this type of row");
}

Layer denseLayer(double rows, double inputs, double outputs) {
    Layer layer;
    layer.inChannels = inputs;
    layer.outChannels = outputs;
    layer.in = layer.conv = layer.out = {rows, 1};
    return layer;
}

Layer convolution(const Dimensions& sizes, bool depthwise) {
    Layer layer;
    layer.kind = LayerKind::conv;
    layer.inChannels = sizes[1].value;
    layer.outChannels = depthwise ? sizes[1].value : sizes[0].value;
    layer.groups = depthwise ? sizes[1].value : 1;
    layer.in = {sizes[2].value, sizes[3].value};
    layer.kernel = {sizes[4].value, sizes[5].value};
    layer.conv = {windows(sizes[2], sizes[4], "Y"), windows(sizes[3], sizes[5], "X")};
    layer.out = layer.conv;
    return layer;
}

Layer csvLayer(JobKind type, const Dimensions& sizes, ChainBuilder& chain) {
    switch (type) {
        case JobKind::ffn:
            expectOnes(sizes, 2);
            return denseLayer(1, sizes[1].value, sizes[0].value);
        case JobKind::gemm:
            expectOnes(sizes, 3);
            return denseLayer(sizes[0].value, sizes[2].value, sizes[1].value);
        case JobKind::conv:
        case JobKind::dsconv:
            break;
    }
    chain.assume(std::string(kStrideOne));
    if (type == JobKind::dsconv) chain.assume(std::string(kDepthwise));
    return convolution(sizes, type == JobKind::dsconv);
}

std::optional<Row> firstRow(std::string_view bytes) {
    // A sniffing function must not throw: what is wrong is said by the reader that takes the file.
    try {
        TextTable table(bytes.substr(0, 1U << 16), "");
        Row row;
        if (table.next(row)) return row;
    } catch (const DataError&) {
        return std::nullopt;
    }
    return std::nullopt;
}

void dropBlankCells(Row& row) {
    std::erase_if(row.cells, [](const Cell& cell) { return cell.text.empty(); });
}

constexpr std::size_t kM3eCells = 9;
constexpr std::size_t kM3eFirstSize = 2;

bool isM3eHeader(const Row& row) {
    return row.cells.size() == kM3eCells && lowered(row.cells[2].text) == "d0" && lowered(row.cells[8].text) == "t";
}

/// A header row of named columns, compared by letters and digits in lower case ("IFMAP Height" = "ifmapheight").
class Columns {
public:
    explicit Columns(const Row& header) {
        for (std::size_t i = 0; i < header.cells.size(); ++i)
            if (const std::string key = keyOf(header.cells[i].text); !key.empty()) columns_.emplace(key, i);
    }

    bool has(std::string_view key) const { return columns_.contains(std::string(key)); }
    bool hasAll(const std::vector<std::string_view>& keys) const {
        return std::all_of(keys.begin(), keys.end(), [&](std::string_view key) { return has(key); });
    }

    /// The row's cell under a heading; an empty one, placed behind the row's end, where the row is too short.
    Cell cell(const Row& row, std::string_view key) const {
        const std::size_t index = columns_.at(std::string(key));
        if (index < row.cells.size()) return row.cells[index];
        const Cell& last = row.cells.back();
        return {"", last.column + static_cast<std::int64_t>(last.text.size())};
    }

private:
    static std::string keyOf(std::string_view heading) {
        std::string key;
        for (const char c : lowered(heading))
            if (std::isalnum(static_cast<unsigned char>(c)) != 0) key += c;
        return key;
    }

    std::map<std::string, std::size_t> columns_;
};

constexpr std::array<std::string_view, 6> kMaestroKeys{"k", "c", "y", "x", "r", "s"};
const std::vector<std::string_view> kScaleConvKeys{"ifmapheight", "ifmapwidth", "filterheight", "filterwidth",
                                                   "channels"};
const std::vector<std::string_view> kScaleProductKeys{"m", "n", "k"};

bool isMaestro(const Columns& columns) {
    return columns.hasAll({kMaestroKeys.begin(), kMaestroKeys.end()});
}

std::string_view firstOf(const Columns& columns, const std::vector<std::string_view>& keys) {
    for (const std::string_view key : keys)
        if (columns.has(key)) return key;
    return {};
}

std::string_view filterKey(const Columns& columns) {
    return firstOf(columns, {"numfilter", "numfilters", "numoffilters", "filters"});
}

bool isScaleConv(const Columns& columns) {
    return columns.hasAll(kScaleConvKeys) && !filterKey(columns).empty();
}

bool isScaleProduct(const Columns& columns) {
    return columns.hasAll(kScaleProductKeys) && !columns.has("c");
}

/// Takes the header off a table; throws where it is not one that `known` accepts.
Columns headerOf(TextTable& table, bool (*known)(const Columns&), const std::string& expected) {
    Row header;
    if (!table.next(header)) throw DataError({.file = table.file()}, "no rows", expected);
    Columns columns(header);
    if (!known(columns)) throw DataError(table.place(header), "another header", expected);
    return columns;
}

/// Reads cells under headings as sizes.
struct SizeReader {
    const TextTable& table;
    const Columns& columns;

    Size operator()(const Row& row, std::string_view key, std::string_view title) const {
        const Cell cell = columns.cell(row, key);
        const Place place = table.place(row, cell);
        return {wholeAboveZero(cell.text, place, title), place};
    }
};

std::string scaleName(const Columns& columns, const Row& row, std::size_t number) {
    const std::string_view key = firstOf(columns, {"layername", "layer", "name"});
    const std::string cell = key.empty() ? "" : columns.cell(row, key).text;
    return cell.empty() ? fmt::format("layer{}", number) : std::string(fromSheet(cell));
}

double stridedWindows(const Size& map, const Size& window, double stride, std::string_view mapName) {
    return std::floor((windows(map, window, mapName) - 1) / stride) + 1;
}

Layer scaleConvolution(const SizeReader& size, const Row& row) {
    const Size height = size(row, "ifmapheight", "IFMAP Height");
    const Size width = size(row, "ifmapwidth", "IFMAP Width");
    const Size filterHeight = size(row, "filterheight", "Filter Height");
    const Size filterWidth = size(row, "filterwidth", "Filter Width");
    const std::string_view strideKey = firstOf(size.columns, {"strides", "stride", "strideheight"});
    const double stride = strideKey.empty() ? 1 : size(row, strideKey, "Strides").value;
    const double strideAcross =
        size.columns.has("stridewidth") ? size(row, "stridewidth", "Stride Width").value : stride;
    Layer layer;
    layer.kind = LayerKind::conv;
    layer.inChannels = size(row, "channels", "Channels").value;
    layer.outChannels = size(row, filterKey(size.columns), "Num Filter").value;
    layer.in = {height.value, width.value};
    layer.kernel = {filterHeight.value, filterWidth.value};
    layer.conv = {stridedWindows(height, filterHeight, stride, "IFMAP Height"),
                  stridedWindows(width, filterWidth, strideAcross, "IFMAP Width")};
    layer.out = layer.conv;
    return layer;
}

Layer scaleProduct(const SizeReader& size, const Row& row) {
    const double rows = size(row, "m", "M").value;
    const double outputs = size(row, "n", "N").value;
    return denseLayer(rows, size(row, "k", "K").value, outputs);
}

}  // namespace

bool looksLikeM3e(std::string_view bytes) {
    std::optional<Row> row = firstRow(bytes);
    if (!row) return false;
    dropBlankCells(*row);
    if (isM3eHeader(*row)) return true;
    return row->cells.size() == kM3eCells && std::all_of(row->cells.begin() + kM3eFirstSize, row->cells.end(),
                                                         [](const Cell& cell) { return isNumber(cell.text); });
}

namespace {

constexpr double kLargestM3eSize = 2'147'483'647;  // of 32 bits, as everywhere in MAESTRO

/// A row of M3E's table as it stands there.
struct M3eRow {
    std::string name;
    JobKind kind = JobKind::ffn;
    Dimensions sizes;
    Place place;
};

bool nextM3e(TextTable& table, M3eRow& result) {
    Row row;
    while (table.next(row)) {
        dropBlankCells(row);
        if (result.place.line == 0 && isM3eHeader(row)) continue;
        if (row.cells.size() != kM3eCells)
            throw DataError(table.place(row), fmt::format("{} values", row.cells.size()),
                            "9 values: thread, layer, d0 to d5, T");
        for (std::size_t i = 0; i < result.sizes.size(); ++i) {
            const Cell& cell = row.cells[i + kM3eFirstSize];
            const Place place = table.place(row, cell);
            result.sizes[i] = {wholeAboveZero(cell.text, place, fmt::format("d{}", i)), place};
            if (result.sizes[i].value > kLargestM3eSize)
                throw DataError(place, inQuotes(cell.text),
                                fmt::format("a number of at most {:.0f} (d{})", kLargestM3eSize, i));
        }
        result.kind = typeIn(row.cells[8], table.place(row, row.cells[8]));
        result.name = fmt::format("thread{}.layer{}", row.cells[0].text, row.cells[1].text);
        result.place = table.place(row);
        return true;
    }
    return false;
}

}  // namespace

LayerGraph readM3e(const std::string& bytes, const std::string& file) {
    TextTable table(bytes, file);
    ChainBuilder chain(file);
    for (M3eRow row; nextM3e(table, row);) {
        Layer layer = csvLayer(row.kind, row.sizes, chain);
        layer.name = row.name;
        chain.add(std::move(layer), row.place);
    }
    return std::move(chain).finish();
}

std::vector<LayerJob> readM3eJobs(const std::string& bytes, const std::string& file) {
    TextTable table(bytes, file);
    std::vector<LayerJob> jobs;
    for (M3eRow row; nextM3e(table, row);) {
        if (jobs.size() == kMaxLayers)
            throw DataError(row.place, fmt::format("more than {} layers", kMaxLayers),
                            fmt::format("at most {}", kMaxLayers));
        LayerJob& job = jobs.emplace_back();
        job.name = row.name;
        job.kind = row.kind;
        for (std::size_t i = 0; i < job.d.size(); ++i) job.d[i] = static_cast<std::int64_t>(row.sizes[i].value);
    }
    if (jobs.empty()) throw DataError({.file = file}, "no layers", "at least one layer");
    return jobs;
}

bool looksLikeMaestro(std::string_view bytes) {
    const std::optional<Row> row = firstRow(bytes);
    return row && isMaestro(Columns(*row));
}

LayerGraph readMaestro(const std::string& bytes, const std::string& file) {
    TextTable table(bytes, file);
    const Columns columns = headerOf(table, isMaestro, "the header K,C,Y,X,R,S,T");
    const SizeReader size{table, columns};
    ChainBuilder chain(file);
    std::size_t number = 0;
    for (Row row; table.next(row);) {
        Dimensions sizes;
        for (std::size_t i = 0; i < sizes.size(); ++i)
            sizes[i] = size(row, kMaestroKeys[i], std::string(1, "KCYXRS"[i]));
        JobKind type = JobKind::conv;
        if (columns.has("t")) {
            const Cell cell = columns.cell(row, "t");
            type = typeIn(cell, table.place(row, cell));
        }
        Layer layer = csvLayer(type, sizes, chain);
        layer.name = fmt::format("layer{}", ++number);
        chain.add(std::move(layer), table.place(row));
    }
    return std::move(chain).finish();
}

bool looksLikeScaleSim(std::string_view bytes) {
    const std::optional<Row> row = firstRow(bytes);
    if (!row) return false;
    const Columns columns(*row);
    return isScaleConv(columns) || isScaleProduct(columns);
}

LayerGraph readScaleSim(const std::string& bytes, const std::string& file) {
    TextTable table(bytes, file);
    const Columns columns = headerOf(
        table, [](const Columns& found) { return isScaleConv(found) || isScaleProduct(found); },
        "the header 'Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, "
        "Strides' or 'Layer, M, N, K'");
    const SizeReader size{table, columns};
    ChainBuilder chain(file);
    const bool convolutions = isScaleConv(columns);
    if (convolutions) chain.assume("Input maps of a SCALE-Sim table include their padding.");
    std::size_t number = 0;
    for (Row row; table.next(row);) {
        Layer layer = convolutions ? scaleConvolution(size, row) : scaleProduct(size, row);
        layer.name = scaleName(columns, row, ++number);
        chain.add(std::move(layer), table.place(row));
    }
    return std::move(chain).finish();
}

}  // namespace tessera::model
