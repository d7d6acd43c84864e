#include "core/model/readers/readers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <utility>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/model/readers/accpar_text.h"
#include "core/model/readers/calculon.h"
#include "core/model/readers/dimensions.h"
#include "core/model/readers/hf_config.h"
#include "core/model/readers/layer_csv.h"
#include "core/model/readers/layers_json.h"
#include "core/model/readers/native_json.h"
#include "core/model/readers/onnx.h"

namespace tessera::model {

namespace {

template <LayerGraph (*read)(const std::string&, const std::string&)>
// NOLINTNEXTLINE(performance-unnecessary-value-param): one signature for all rows
Form readTable(std::string bytes, const std::string& file, const LoadOptions& options) {
    checkDimensions(options, file, {});
    return read(bytes, file);
}

/// ONNX has no magic number; every exporter writes field 1 (the IR version) first.
bool looksLikeOnnx(std::string_view bytes) {
    return bytes.size() > 2 && bytes[0] == '\x08' && bytes[1] > 0 && bytes[1] < ' ';
}

bool isSchema(std::string_view bytes, std::string_view kind) {
    const std::string_view schema = schemaIn(bytes);
    return schema.starts_with(kind) && schema.substr(kind.size()).starts_with('/');
}

bool isNativeJson(std::string_view bytes) {
    return isSchema(bytes, kModelSchema.substr(0, kModelSchema.find('/')));
}

bool isLayersJson(std::string_view bytes) {
    return isSchema(bytes, kLayersKind);
}

std::vector<Reader>& all() {
    static std::vector<Reader> rows{
        {"onnx",
         "ONNX model",
         {".onnx"},
         looksLikeOnnx,
         // NOLINTNEXTLINE(performance-unnecessary-value-param): all readers share one signature
         [](std::string bytes, const std::string& file, const LoadOptions& options) -> Form {
             return readOnnx(bytes, file, options);
         }},
        {"native-json",
         "Tessera model (tessera.model/1)",
         {".json"},
         isNativeJson,
         [](std::string bytes, const std::string& file, const LoadOptions& options) -> Form {
             return readNativeJson(std::move(bytes), file, options);
         }},
        {"layers-json",
         "Tessera layer table (tessera.layers/1)",
         {".json"},
         isLayersJson,
         [](std::string bytes, const std::string& file, const LoadOptions& options) -> Form {
             checkDimensions(options, file, {});
             return readLayersJson(std::move(bytes), file);
         }},
        {"calculon",
         "Calculon model (hidden, feedforward, seq_size, ...)",
         {".json"},
         looksLikeCalculon,
         // NOLINTNEXTLINE(performance-unnecessary-value-param): all readers share one signature
         [](std::string bytes, const std::string& file, const LoadOptions& options) -> Form {
             return readCalculon(bytes, file, options);
         }},
        {"hf-config",
         "Hugging Face config.json (model_type, architectures, ...)",
         {".json"},
         looksLikeHfConfig,
         // NOLINTNEXTLINE(performance-unnecessary-value-param): all readers share one signature
         [](std::string bytes, const std::string& file, const LoadOptions& options) -> Form {
             return readHfConfig(bytes, file, options);
         }},
        {"m3e", "M3E job table (thread,layer,d0,...,d5,T)", {".csv"}, looksLikeM3e, readTable<readM3e>},
        {"maestro", "MAESTRO layer table (header K,C,Y,X,R,S,T)", {".csv"}, looksLikeMaestro, readTable<readMaestro>},
        {"scale-sim",
         "SCALE-Sim topology (header Layer name, IFMAP Height, ... or Layer, M, N, K)",
         {".csv"},
         looksLikeScaleSim,
         readTable<readScaleSim>},
        {"accpar", "AccPar network text (num_layers ...)", {".txt"}, looksLikeAccpar, readTable<readAccpar>},
    };
    return rows;
}

std::string titles(const std::vector<const Reader*>& rows) {
    std::vector<std::string> names;
    names.reserve(rows.size());
    for (const Reader* row : rows) names.emplace_back(row->title);
    return joined(names, ", ");
}

/// The value's first line, for messages.
std::string firstLine(std::string_view bytes) {
    const std::string_view line = trimmed(bytes.substr(0, std::min(bytes.find_first_of("\r\n"), std::size_t{200})));
    return line.empty() ? "nothing" : inQuotes(line, 60);
}

[[noreturn]] void refuse(std::string_view bytes, const std::string& file, const std::vector<const Reader*>& known) {
    if (bytes.empty()) throw DataError({.file = file}, "an empty file", titles(known));
    if (known.front()->suffixes.front() == ".json") {
        // Says where the text is no JSON, and else that its schema is not known.
        const JsonNode root = JsonDocument::parse(std::string(bytes), file).root();
        root.at("schema").fail(titles(known));
    }
    throw DataError({.file = file, .line = 1}, firstLine(bytes), titles(known));
}

}  // namespace

const std::vector<Reader>& readers() {
    return all();
}

void addReader(Reader reader) {
    all().push_back(std::move(reader));
}

std::vector<std::string_view> modelSuffixes() {
    std::vector<std::string_view> suffixes;
    for (const Reader& row : readers())
        for (const std::string_view suffix : row.suffixes)
            if (std::find(suffixes.begin(), suffixes.end(), suffix) == suffixes.end()) suffixes.push_back(suffix);
    return suffixes;
}

const Reader& readerFor(std::string_view bytes, const std::string& file) {
    const std::string suffix = lowered(std::filesystem::path(file).extension().string());
    std::vector<const Reader*> known;
    std::vector<const Reader*> every;
    for (const Reader& row : readers()) {
        every.push_back(&row);
        if (std::find(row.suffixes.begin(), row.suffixes.end(), suffix) != row.suffixes.end()) known.push_back(&row);
    }
    if (known.size() == 1 && known.front()->sniff == looksLikeOnnx) return *known.front();
    for (const std::vector<const Reader*>& rows : {known, every})
        for (const Reader* row : rows)
            if (row->sniff(bytes)) return *row;
    if (known.size() == 1) return *known.front();
    refuse(bytes, file, known.empty() ? every : known);
}

std::string_view schemaIn(std::string_view json) {
    std::size_t depth = 0;
    std::string_view key;   // the last text at the top level
    std::string_view word;  // the key that a colon follows
    for (std::size_t at = 0; at < json.size(); ++at) {
        const char c = json[at];
        if (c == '{' || c == '[') {
            ++depth;
            word = {};
        } else if (c == '}' || c == ']') {
            if (depth-- <= 1) return {};
        } else if (c == '"') {
            const std::size_t from = at + 1;
            for (++at; at < json.size() && json[at] != '"'; ++at)
                if (json[at] == '\\') ++at;
            if (at >= json.size()) return {};
            if (depth != 1) continue;
            key = json.substr(from, at - from);
            if (word == "schema") return key;
        } else if (depth == 1 && c == ':') {
            word = key;
        } else if (depth == 1 && c == ',') {
            word = {};
        } else if (depth == 0 && at > 64) {
            return {};  // no object within the first bytes
        }
    }
    return {};
}

}  // namespace tessera::model
