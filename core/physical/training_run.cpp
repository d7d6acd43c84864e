#include "core/physical/training_run.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text.h"

namespace tessera::physical {
namespace {

constexpr double kBitsOfByte = 8;

std::optional<int> countSaid(const MeasuredTable& table, const MeasuredRow& row, std::string_view column) {
    if (table.text(row, column).empty()) return std::nullopt;
    return table.count(row, column);
}

double positiveSaid(const MeasuredTable& table, const MeasuredRow& row, std::string_view column) {
    return table.text(row, column).empty() ? 0 : table.positive(row, column);
}

std::optional<int> smallSaid(const MeasuredTable& table, const MeasuredRow& row, std::string_view column, int max) {
    const std::string_view text = table.text(row, column);
    if (text.empty()) return std::nullopt;
    const std::optional<double> number = measuredNumber(text);
    for (int value = 0; value <= max; ++value)
        if (number == value) return value;
    table.fail(row, column, fmt::format("a whole number from 0 to {}", max));
}

std::optional<bool> flagSaid(const MeasuredTable& table, const MeasuredRow& row, std::string_view column) {
    const std::optional<int> value = smallSaid(table, row, column, 1);
    if (!value) return std::nullopt;
    return *value == 1;
}

/// The value that a word names, whatever its case; nothing for an empty cell. A word that is none is a feature that is
/// not known rather than a wrong cell.
template <typename Names>
auto namedSaid(const MeasuredTable& table, const MeasuredRow& row, std::string_view column, const Names& names) {
    const std::string text = lowered(table.text(row, column));
    auto value = names.named(text);
    if (!text.empty() && !value)
        throw UsageError(fmt::format("the {} {} is not known; expected one of {}", column, inQuotes(text),
                                     fmt::join(names.all(), ", ")));
    return value;
}

std::map<std::string, std::string, std::less<>> dimsSaid(const MeasuredTable& table, const MeasuredRow& row) {
    std::map<std::string, std::string, std::less<>> dims;
    const std::string_view text = table.text(row, "dims");
    if (text.empty()) return dims;
    for (const std::string_view part : split(text, ';')) {
        const std::size_t equals = part.find('=');
        if (equals == std::string_view::npos || equals == 0 || equals + 1 == part.size())
            table.fail(row, "dims", "names and values such as 'layers=24;hidden=2048'");
        if (!dims.emplace(part.substr(0, equals), part.substr(equals + 1)).second)
            table.fail(row, "dims", "each name once");
    }
    return dims;
}

}  // namespace

std::optional<double> TrainingRun::dim(std::string_view name) const {
    const auto found = dims.find(name);
    if (found == dims.end()) return std::nullopt;
    const std::optional<double> number = measuredNumber(found->second);
    if (!number || *number <= 0)
        throw UsageError(fmt::format("the dimension {} of {} is {}; expected a number above 0",
                                     inQuotes(std::string(name)), model, inQuotes(found->second)));
    return number;
}

double TrainingRun::dimOr(std::string_view name, double otherwise) const {
    return dim(name).value_or(otherwise);
}

TrainingRun trainingRunOf(const MeasuredTable& table, const MeasuredRow& row) {
    TrainingRun run{.set = table.name(row, "set"),
                    .id = table.name(row, "id"),
                    .model = table.name(row, "model"),
                    .dims = dimsSaid(table, row),
                    .accelerator = table.name(row, "accelerator"),
                    .accelerators = countSaid(table, row, "accelerators").value_or(1),
                    .perNode = 1,
                    .networkBytesPerSecond = positiveSaid(table, row, "network_bits_per_s") / kBitsOfByte,
                    .dtype = std::string(table.text(row, "dtype")),
                    .globalBatch = positiveSaid(table, row, "global_batch"),
                    .microBatch = positiveSaid(table, row, "micro_batch"),
                    .tensorParallel = countSaid(table, row, "tensor_parallel"),
                    .pipelineParallel = countSaid(table, row, "pipeline_parallel"),
                    .dataParallel = countSaid(table, row, "data_parallel"),
                    .contextParallel = countSaid(table, row, "context_parallel"),
                    .expertParallel = countSaid(table, row, "expert_parallel"),
                    .virtualStages = countSaid(table, row, "virtual_stages"),
                    .schedule = namedSaid(table, row, "schedule", kPipelineScheduleNames),
                    .recompute = namedSaid(table, row, "recompute", kRecomputeNames),
                    .sequenceParallel = flagSaid(table, row, "sequence_parallel"),
                    .zero = smallSaid(table, row, "zero", 3),
                    .optimizer = std::string(table.text(row, "optimizer")),
                    .training = flagSaid(table, row, "training").value_or(true),
                    .software = std::string(table.text(row, "software")),
                    .metric = RunMetric::step};
    run.perNode = countSaid(table, row, "per_node").value_or(run.accelerators);
    table.name(row, "metric");  // not empty
    run.metric = *namedSaid(table, row, "metric", kRunMetricNames);
    return run;
}

namespace {

/// FNV-1a.
class RunHash {
public:
    void add(std::string_view text) {
        for (const char c : text) {
            value_ ^= static_cast<unsigned char>(c);
            value_ *= 1099511628211ULL;
        }
        value_ ^= 0x1f;
        value_ *= 1099511628211ULL;
    }
    void add(double number) { add(fmt::format("{}", number)); }
    template <typename T>
    void add(const std::optional<T>& value) {
        if (value)
            add(static_cast<double>(*value));
        else
            add("");
    }
    /// The low bits of FNV follow the last characters: the high ones are mixed in.
    std::uint64_t value() const { return (value_ ^ (value_ >> 29)) * 0xbf58476d1ce4e5b9ULL >> 32; }

private:
    std::uint64_t value_ = 14695981039346656037ULL;
};

}  // namespace

int runFold(const TrainingRun& run) {
    RunHash hash;
    hash.add(run.model);
    for (const auto& [name, value] : run.dims) {
        hash.add(name);
        hash.add(value);
    }
    hash.add(run.accelerator);
    for (const double number :
         {static_cast<double>(run.accelerators), static_cast<double>(run.perNode), run.globalBatch, run.microBatch})
        hash.add(number);
    hash.add(run.dtype);
    for (const auto& count : {run.tensorParallel, run.pipelineParallel, run.dataParallel, run.contextParallel,
                              run.expertParallel, run.virtualStages, run.zero})
        hash.add(count);
    if (run.recompute) hash.add(kRecomputeNames.of(*run.recompute));
    hash.add(run.sequenceParallel);
    return static_cast<int>(hash.value() % kRunFolds);
}

}  // namespace tessera::physical
