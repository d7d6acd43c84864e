#include "core/hardware/dataset.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/hardware/library.h"

namespace tessera::hardware {

const SchemaHistory& datasetSchema() {
    static const SchemaHistory history{.kind = "tessera.dataset", .migrations = {}};
    return history;
}

Dataset readDataset(const JsonNode& node) {
    const JsonNode given = atCurrentSchema(node, datasetSchema());
    given.allowOnly({"schema", "name", "samples", "sample_bytes", "load_s", "prepare_s", "reference"});
    Dataset dataset;
    dataset.file = given.document().file();
    dataset.id = std::filesystem::path(dataset.file).stem().string();
    const NumberReader numbers(given, dataset.provenance);
    dataset.name = nameIn(given.at("name"));
    if (given.has("samples")) dataset.samples = numbers.positive(given.at("samples"));
    dataset.sampleBytes = Bytes{numbers.positive(given.at("sample_bytes"))};
    if (given.has("load_s")) dataset.load = Seconds{numbers.notNegative(given.at("load_s"))};
    if (given.has("prepare_s")) dataset.prepare = Seconds{numbers.notNegative(given.at("prepare_s"))};
    if (!given.has("reference")) return dataset;
    const JsonNode reference = given.at("reference");
    reference.allowOnly({"name", "host_bandwidth_bytes_per_s", "host_peak_flops"});
    dataset.reference = nameIn(reference.at("name"));
    if (reference.has("host_bandwidth_bytes_per_s"))
        dataset.hostBandwidth = BytesPerSecond{numbers.positive(reference.at("host_bandwidth_bytes_per_s"))};
    if (reference.has("host_peak_flops"))
        dataset.hostPeak = FlopsPerSecond{numbers.positive(reference.at("host_peak_flops"))};
    return dataset;
}

Json toJson(const Dataset& dataset) {
    const ProvenanceMap& provenance = dataset.provenance;
    Json json = Json::object();
    const auto number = [&](const char* key, double value) { json[key] = numberJson(value, key, provenance); };
    json["schema"] = currentSchema(datasetSchema());
    json["name"] = dataset.name;
    if (dataset.samples) number("samples", *dataset.samples);
    number("sample_bytes", dataset.sampleBytes.value);
    if (dataset.load) number("load_s", dataset.load->value);
    if (dataset.prepare) number("prepare_s", dataset.prepare->value);
    if (dataset.reference.empty()) return json;
    Json& reference = json["reference"] = Json::object();
    reference["name"] = dataset.reference;
    if (dataset.hostBandwidth)
        reference["host_bandwidth_bytes_per_s"] =
            numberJson(dataset.hostBandwidth->value, "reference.host_bandwidth_bytes_per_s", provenance);
    if (dataset.hostPeak)
        reference["host_peak_flops"] = numberJson(dataset.hostPeak->value, "reference.host_peak_flops", provenance);
    return json;
}

Dataset loadDataset(const std::string& nameOrPath) {
    constexpr std::string_view kFolder = "datasets", kSchema = "\"tessera.dataset/";
    std::string path = nameOrPath;
    if (!namesFile(nameOrPath)) {
        const auto found = libraryFile(kFolder, kSchema, nameOrPath);
        if (!found) {
            std::vector<std::string> known;
            for (const auto& [id, file] : libraryFiles(kFolder, kSchema)) known.push_back(id);
            const std::string_view hint = closest(nameOrPath, known);
            throw UsageError(fmt::format("there is no dataset {}; {}", inQuotes(nameOrPath),
                                         hint.empty() ? "give a file or one of " + joined(known, ", ")
                                                      : fmt::format("did you mean '{}'?", hint)));
        }
        path = found->string();
    }
    return readDataset(JsonDocument::load(path).root());
}

}  // namespace tessera::hardware
