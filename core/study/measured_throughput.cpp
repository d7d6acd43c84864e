#include "core/study/measured_throughput.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "core/base/file.h"
#include "core/base/names.h"
#include "core/hardware/library.h"
#include "core/model/zoo/zoo.h"
#include "core/study/known_transformer.h"

namespace tessera::study {

namespace {

constexpr std::string_view kZooPrefix = "zoo:";

using Sizes = std::map<std::string, std::string, std::less<>>;

/// All sizes of a network: those that are said, and the defaults of the others.
Sizes allSizes(const model::ZooEntry& entry, Sizes said) {
    for (const model::ZooDimension& dimension : entry.dimensions)
        said.try_emplace(dimension.name, std::to_string(dimension.value));
    return said;
}

/// The transformer of a run; nothing where it is of another kind or lacks a dimension.
std::optional<physical::Transformer> shapeOf(const physical::TrainingRun& run) {
    std::string refusal;
    return physical::transformerOf(run, refusal);
}

/// Samples per second that a row means; nothing where it measures something else, or inference.
std::optional<double> samplesPerSecondOf(const physical::TrainingRun& run, double value) {
    using physical::RunMetric;
    if (!run.training) return std::nullopt;
    if (run.metric == RunMetric::samples) return value;
    if (run.metric == RunMetric::step && run.globalBatch > 0) return run.globalBatch / value;
    if (run.metric != RunMetric::tokensPerAccelerator) return std::nullopt;
    const std::optional<physical::Transformer> shape = shapeOf(run);
    return shape ? std::optional(value * run.accelerators / shape->sequence) : std::nullopt;
}

/// Software pads the vocabulary so that it divides well (Megatron-LM to a multiple of 128 for each part of a tensor).
bool isSameVocabulary(double one, double other) {
    constexpr double kPadding = 0.02;
    return std::abs(one - other) <= kPadding * std::min(one, other);
}

bool isSameLatent(const physical::Transformer& one, const physical::Transformer& other) {
    if (!one.latent || !other.latent) return !one.latent && !other.latent;
    const auto sizes = [](const physical::LatentAttention& its) {
        return std::tuple(its.queryRank, its.keyRank, its.rotarySize, its.plainSize, its.valueSize);
    };
    return sizes(*one.latent) == sizes(*other.latent);
}

bool isSameModel(const physical::Transformer& one, const physical::Transformer& other) {
    const auto sizes = [](const physical::Transformer& its) {
        return std::tuple(its.layers, its.hidden, its.heads, its.keyHeads, its.headSize, its.ffn, its.sequence,
                          its.gated, its.causal, its.experts, its.expertsPerToken, its.expertFfn, its.sharedExperts,
                          its.denseLayers);
    };
    return sizes(one) == sizes(other) && isSameLatent(one, other) && isSameVocabulary(one.vocabulary, other.vocabulary);
}

/// The rows of an accelerator whose run is one that `isAsked` for.
template <typename IsAsked>
std::vector<MeasuredThroughput> rowsOf(const physical::MeasuredTable& table, std::string_view accelerator,
                                       const IsAsked& isAsked) {
    std::vector<MeasuredThroughput> found;
    for (const physical::MeasuredRow& row : table.rows) {
        if (table.text(row, "accelerator") != accelerator) continue;
        const physical::TrainingRun run = physical::trainingRunOf(table, row);
        if (!isAsked(run)) continue;
        const double value = table.positive(row, "value");
        if (const std::optional<double> rate = samplesPerSecondOf(run, value))
            found.push_back({.run = run,
                             .value = value,
                             .samplesPerSecond = *rate,
                             .source = std::string(table.text(row, "source"))});
    }
    return found;
}

physical::MeasuredTable readBundledTraining() {
    for (const std::filesystem::path& data : hardware::dataFolders()) {
        const std::filesystem::path path = data / "measured" / "training.csv";
        if (!isFile(path)) continue;
        try {
            auto table = physical::readMeasuredTable(readFile(path, physical::kLargestMeasuredTable), path.string());
            for (const physical::MeasuredRow& row : table.rows) shapeOf(physical::trainingRunOf(table, row));
            return table;
        } catch (const std::exception&) {  // who asks for a picture is not told of a table of others
            return {};
        }
    }
    return {};
}

}  // namespace

std::vector<MeasuredThroughput> measuredThroughputs(const physical::MeasuredTable& table, const Study& study,
                                                    std::string_view accelerator, std::int64_t devices,
                                                    std::string_view dtype) {
    if (study.models.size() != 1 || !study.models.front().starts_with(kZooPrefix)) return {};
    const std::string& model = study.models.front();
    const model::ZooEntry* entry = findRow(model::zooEntries(), std::string_view(model).substr(kZooPrefix.size()));
    if (entry == nullptr) return {};
    const std::optional<physical::TrainingRun> known = knownTransformer(model, study.dimensions);
    const std::optional<physical::Transformer> shape = known ? shapeOf(*known) : std::nullopt;
    Sizes asked;
    for (const auto& [name, size] : study.dimensions) asked.emplace(name, std::to_string(size));
    asked = allSizes(*entry, std::move(asked));
    return rowsOf(table, accelerator, [&](const physical::TrainingRun& run) {
        if (run.accelerators != devices || run.dtype != dtype) return false;
        if (!shape) return run.model == model && allSizes(*entry, {run.dims.begin(), run.dims.end()}) == asked;
        const std::optional<physical::Transformer> its = shapeOf(run);
        return its && isSameModel(*its, *shape);
    });
}

std::vector<MeasuredThroughput> measuredTransformers(const physical::MeasuredTable& table,
                                                     const physical::Transformer& model, std::string_view accelerator) {
    return rowsOf(table, accelerator, [&](const physical::TrainingRun& run) {
        const std::optional<physical::Transformer> its = shapeOf(run);
        return its && isSameModel(*its, model);
    });
}

const physical::MeasuredTable& bundledTraining() {
    static const physical::MeasuredTable kTable = readBundledTraining();
    return kTable;
}

}  // namespace tessera::study
