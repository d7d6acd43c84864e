#include "core/model/readers/accpar_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/names.h"
#include "core/base/text.h"
#include "core/model/readers/layer_rules.h"
#include "core/model/readers/text_table.h"

namespace tessera::model {

namespace {

constexpr std::string_view kCount = "num_layers";

/// The two words of a line.
struct Pair {
    Cell key;
    Cell value;
    Place place;  ///< of the line
    Place valuePlace;
};

/// Where a field goes, and which kinds of layers have it.
struct Field {
    std::string_view name;
    bool convolutionOnly;
    bool required;
};

constexpr std::array kFields{
    Field{"in_ch", false, true},    Field{"out_ch", false, true},    Field{"in_fmap_h", true, true},
    Field{"in_fmap_w", true, true}, Field{"out_fmap_h", true, true}, Field{"out_fmap_w", true, true},
    Field{"kernel", true, false},   Field{"kernel_h", true, false},  Field{"kernel_w", true, false},
    Field{"pool", true, false},
};

bool separates(char c) {
    return c == ' ' || c == '\t' || c == ',' || c == ':' || c == '=';
}

/// Splits a line's cells further into words; commas were taken by the table.
std::vector<Cell> wordsOf(const Row& row) {
    std::vector<Cell> words;
    for (const Cell& cell : row.cells) {
        for (std::size_t at = 0; at < cell.text.size();) {
            const std::size_t from = at;
            while (at < cell.text.size() && !separates(cell.text[at])) ++at;
            if (at > from)
                words.push_back({cell.text.substr(from, at - from), cell.column + static_cast<std::int64_t>(from)});
            while (at < cell.text.size() && separates(cell.text[at])) ++at;
        }
    }
    return words;
}

class PairReader {
public:
    PairReader(std::string_view bytes, const std::string& file) : table_(bytes, file) {}

    bool next(Pair& pair) {
        Row row;
        std::vector<Cell> words;
        while (words.empty())
            if (!table_.next(row))
                return false;
            else
                words = wordsOf(row);
        if (words.size() != 2)
            throw DataError(table_.place(row, words.size() > 2 ? words[2] : words[0]),
                            words.size() > 2 ? inQuotes(words[2].text) : inQuotes(words[0].text) + " alone",
                            "two words a line: a field and its number, or a name and CONV or FC");
        pair = {words[0], words[1], table_.place(row, words[0]), table_.place(row, words[1])};
        return true;
    }

private:
    TextTable table_;
};

/// A layer while its lines are read.
struct Block {
    std::string name;
    bool convolution = false;
    Place place;
    std::map<std::string, double> numbers;

    double number(const std::string& field) const {
        const auto found = numbers.find(field);
        return found == numbers.end() ? 1 : found->second;
    }
};

void addField(Block& block, const Pair& pair) {
    const std::string key = lowered(pair.key.text);
    const Field* const field = findRow(kFields, key);
    const std::string kind = block.convolution ? "CONV" : "FC";
    if (field == nullptr || (field->convolutionOnly && !block.convolution)) {
        std::vector<std::string> known;
        for (const Field& row : kFields)
            if (block.convolution || !row.convolutionOnly) known.emplace_back(row.name);
        throw DataError(pair.place, inQuotes(pair.key.text),
                        fmt::format("a field of a {} layer ({}) or NAME CONV or NAME FC", kind, joined(known, ", ")));
    }
    if (!block.numbers.emplace(key, wholeAboveZero(pair.value.text, pair.valuePlace, key)).second)
        throw DataError(pair.place, inQuotes(pair.key.text) + " twice in one layer", "every field once");
}

Layer layerOf(const Block& block) {
    for (const Field& field : kFields)
        if (field.required && (block.convolution || !field.convolutionOnly) &&
            !block.numbers.contains(std::string(field.name)))
            throw DataError(block.place, fmt::format("layer {} without '{}'", inQuotes(block.name), field.name),
                            "the field to be given");
    Layer layer;
    layer.name = block.name;
    layer.kind = block.convolution ? LayerKind::conv : LayerKind::fc;
    layer.inChannels = block.number("in_ch");
    layer.outChannels = block.number("out_ch");
    if (!block.convolution) return layer;
    const double side = block.number("kernel");
    const auto kernel = [&](const std::string& field) {
        return block.numbers.contains(field) ? block.number(field) : side;
    };
    layer.in = {block.number("in_fmap_h"), block.number("in_fmap_w")};
    layer.out = {block.number("out_fmap_h"), block.number("out_fmap_w")};
    layer.kernel = {kernel("kernel_h"), kernel("kernel_w")};
    const double pool = block.number("pool");
    layer.conv = {layer.out.height * pool, layer.out.width * pool};
    return layer;
}

bool startsLayer(const Pair& pair) {
    const std::string kind = lowered(pair.value.text);
    return kind == "conv" || kind == "fc";
}

}  // namespace

bool looksLikeAccpar(std::string_view bytes) {
    try {
        PairReader reader(bytes.substr(0, 1U << 16), "");
        Pair pair;
        return reader.next(pair) && lowered(pair.key.text) == kCount;
    } catch (const DataError&) {
        return false;
    }
}

LayerGraph readAccpar(const std::string& bytes, const std::string& file) {
    PairReader reader(bytes, file);
    Pair pair;
    if (!reader.next(pair)) throw DataError({.file = file}, "nothing", "num_layers and a number first");
    if (lowered(pair.key.text) != kCount)
        throw DataError(pair.place, inQuotes(pair.key.text), "num_layers and a number first");
    const double count = wholeAboveZero(pair.value.text, pair.valuePlace, kCount);
    const Pair counted = pair;
    ChainBuilder chain(file);
    std::set<std::string> names;
    std::vector<Block> open;
    const auto close = [&] {
        if (!open.empty()) chain.add(layerOf(open.back()), open.back().place);
        open.clear();
    };
    while (reader.next(pair)) {
        if (startsLayer(pair)) {
            close();
            if (!names.insert(pair.key.text).second)
                throw DataError(pair.place, inQuotes(pair.key.text) + " twice", "every layer's name once");
            open.push_back({pair.key.text, lowered(pair.value.text) == "conv", pair.place, {}});
        } else if (open.empty()) {
            throw DataError(pair.valuePlace, inQuotes(pair.value.text), "CONV or FC after a layer's name");
        } else {
            addField(open.back(), pair);
        }
    }
    close();
    if (static_cast<double>(names.size()) != count)
        throw DataError(counted.valuePlace, fmt::format("{} and {} layers", inQuotes(counted.value.text), names.size()),
                        "as many layers as num_layers says");
    return std::move(chain).finish();
}

}  // namespace tessera::model
