#include "core/study/measured_throughput.h"

#include <exception>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "core/base/file.h"
#include "core/base/names.h"
#include "core/hardware/library.h"
#include "core/model/zoo/zoo.h"
#include "core/physical/training_run.h"

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

/// Samples per second that a row means; nothing where it measures something else, or inference.
std::optional<double> samplesPerSecondOf(const physical::TrainingRun& run, double value) {
    if (!run.training) return std::nullopt;
    if (run.metric == physical::RunMetric::samples) return value;
    if (run.metric == physical::RunMetric::step && run.globalBatch > 0) return run.globalBatch / value;
    return std::nullopt;
}

physical::MeasuredTable readBundledTraining() {
    for (const std::filesystem::path& data : hardware::dataFolders()) {
        const std::filesystem::path path = data / "measured" / "training.csv";
        if (!isFile(path)) continue;
        try {
            auto table = physical::readMeasuredTable(readFile(path, physical::kLargestMeasuredTable), path.string());
            for (const physical::MeasuredRow& row : table.rows) physical::trainingRunOf(table, row);
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
    std::vector<MeasuredThroughput> found;
    if (study.models.size() != 1 || !study.models.front().starts_with(kZooPrefix)) return found;
    const std::string& model = study.models.front();
    const model::ZooEntry* entry = findRow(model::zooEntries(), std::string_view(model).substr(kZooPrefix.size()));
    if (entry == nullptr) return found;
    Sizes asked;
    for (const auto& [name, size] : study.dimensions) asked.emplace(name, std::to_string(size));
    asked = allSizes(*entry, std::move(asked));
    for (const physical::MeasuredRow& row : table.rows) {
        if (table.text(row, "model") != model || table.text(row, "accelerator") != accelerator ||
            table.text(row, "dtype") != dtype)
            continue;
        const physical::TrainingRun run = physical::trainingRunOf(table, row);
        if (run.accelerators != devices || allSizes(*entry, {run.dims.begin(), run.dims.end()}) != asked) continue;
        const std::optional<double> rate = samplesPerSecondOf(run, table.positive(row, "value"));
        if (!rate) continue;
        found.push_back({.samplesPerSecond = *rate,
                         .accelerator = run.accelerator,
                         .devices = run.accelerators,
                         .dtype = run.dtype,
                         .globalBatch = run.globalBatch,
                         .software = run.software,
                         .source = std::string(table.text(row, "source")),
                         .id = run.id});
    }
    return found;
}

const physical::MeasuredTable& bundledTraining() {
    static const physical::MeasuredTable kTable = readBundledTraining();
    return kTable;
}

}  // namespace tessera::study
