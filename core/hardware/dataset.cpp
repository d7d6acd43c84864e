#include "core/hardware/dataset.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/names.h"
#include "core/base/text.h"
#include "core/hardware/field.h"
#include "core/hardware/library.h"

namespace tessera::hardware {

const Kind& datasetKind() {
    using F = FieldsOf<Dataset>;
    static const Kind kind{
        .id = "dataset",
        .title = "Dataset",
        .history = {.kind = "tessera.dataset"},
        .about =
            "What a model is trained on: how large a sample is, and what loading and preparing one took on a "
            "reference machine.",
        .standsInline = false,
        .fields = {F::name(&Dataset::name, "name", "Name", "For people."),
                   F::number(&Dataset::samples, "samples", "Samples", Measure::count, kPositive, "How many there are.")
                       .otherwise("not said"),
                   F::number(&Dataset::sampleBytes, "sample_bytes", "Sample", Measure::bytes, kPositive,
                             "Bytes of one sample as it is loaded."),
                   F::number(&Dataset::load, "load_s", "Loading", Measure::seconds, kNotNegative,
                             "Seconds to load one sample on the reference.")
                       .otherwise("its bytes over the host's bandwidth"),
                   F::number(&Dataset::prepare, "prepare_s", "Preparing", Measure::seconds, kNotNegative,
                             "Seconds to prepare one sample on the reference.")
                       .otherwise("not counted"),
                   F::group("reference", "Reference",
                            {F::name(&Dataset::reference, "name", "Name", "For people."),
                             F::number(&Dataset::hostBandwidth, "host_bandwidth_bytes_per_s", "Host link",
                                       Measure::bytesPerSecond, kPositive, "Between its host and its accelerator.")
                                 .otherwise("not said"),
                             F::number(&Dataset::hostPeak, "host_peak_flops", "Host peak", Measure::flopsPerSecond,
                                       kPositive, "Of the share of its host that prepared the samples.")
                                 .otherwise("not said")},
                            "The machine on which the times were measured.")
                       .otherwise("not said")}};
    return kind;
}

Dataset readDataset(const JsonNode& node) {
    return readDocument<Dataset>(node, datasetKind());
}

Json toJson(const Dataset& dataset) {
    return documentJson(dataset, datasetKind());
}

std::string datasetPath(const std::string& nameOrPath) {
    return libraryPath("datasets", "\"tessera.dataset/", "there is no dataset", nameOrPath);
}

Dataset loadDataset(const std::string& nameOrPath) {
    return readDataset(JsonDocument::load(datasetPath(nameOrPath)).root());
}

}  // namespace tessera::hardware
