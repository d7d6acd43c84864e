#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/error.h"
#include "core/predict/predict.h"
#include "core/reproduce/reproduce_figures.h"
#include "core/study/prediction/study.h"

/// The tables and figures of Xie et al.: "Centimani", USENIX ATC 2024. What only the hardware could tell is said to
/// need measurements.
namespace tessera::study {

namespace {

using predict::Prediction;

/// A platform of the paper, and what it prints of it.
struct Platform {
    std::string_view id, title;
    double speedup;                     ///< over the measured A100, mean of three models (section 6.2.1)
    std::optional<double> resnetRatio;  ///< of ResNet-50's throughput, over A100's (figure 1a)
    std::string_view policy{};          ///< of placement, where batch sizes of the paper follow from another one
};
constexpr std::string_view kGpu = "a100-40gb";
constexpr std::array<Platform, 4> kPaperPlatforms{
    {{"sn30", "SambaNova SN30", 1.22, std::nullopt, "cache-intermediates"},
     {"bow", "Graphcore Bow-IPU", 1.54, 1.46},
     {"cs2", "Cerebras CS-2", 1.41, std::nullopt},
     {"gaudi2", "Habana Gaudi2", 1.73, 2.17}}};

/// A model of table 5 with the batch sizes that were selected by hand and predicted, by platform.
struct Batches {
    std::string_view model, title;
    model::Optimizer optimizer;
    std::array<double, kPaperPlatforms.size()> selected, predicted;
};
constexpr std::array<Batches, 6> kTable5{{
    {"resnet50", "ResNet-50 v1.5", model::Optimizer::momentum, {16, 1024, 64, 64}, {16, 512, 64, 64}},
    {"unet", "U-Net", model::Optimizer::adam, {2, 4, 2, 2}, {2, 4, 2, 2}},
    {"candle-uno", "CANDLE UNO", model::Optimizer::adam, {8, 512, 256, 230}, {8, 512, 256, 230}},
    {"bert-large", "BERT-large", model::Optimizer::adam, {256, 16, 16, 16}, {256, 16, 16, 16}},
    {"braggnn", "BraggNN", model::Optimizer::adam, {1024, 2048, 1640, 1440}, {512, 1024, 1560, 1240}},
    {"gpt2-xl", "OpenAI GPT-2 1.5B", model::Optimizer::adam, {16, 32, 16, 2}, {16, 32, 16, 2}},
}};

std::string needs(std::string_view hardware) {
    return fmt::format("needs measurements on {}", hardware);
}

/// Collects the rows of one figure.
class Collector {
public:
    Collector(const Figure& figure, const RunControl& control) : control_(control) {
        made_.name = figure.name;
        made_.title = figure.title;
    }

    void row(std::string item, std::string metric, std::optional<double> paper,
             std::variant<double, std::string> ours) {
        made_.rows.push_back({std::move(item), std::move(metric), std::nullopt, paper, std::move(ours)});
    }
    void note(std::string text) { made_.notes.push_back(std::move(text)); }

    predict::Machine machine(std::string_view id) {
        const std::string name(id);
        std::vector<Input> read;
        predict::Machine machine = readMachine(name, name, "bf16", read);
        keep(read);
        addOnce(made_.assumptions, machine.assumptions);
        return machine;
    }

    predict::Workload workload(std::string_view id, model::Optimizer optimizer) {
        control_.throwIfCancelled("the reproduction");
        control_.reportProgress(fmt::format("predictions of {}", id));
        const model::Model model = model::loadModel(fmt::format("zoo:{}", id));
        keep({{model.source, model.sha256}});
        predict::Workload workload = predict::workloadOf(model, predict::precisionOf("bf16"), optimizer);
        addOnce(made_.assumptions, workload.assumptions);
        return workload;
    }

    Reproduction finish() && { return std::move(made_); }

private:
    void keep(const std::vector<Input>& read) {
        for (const Input& input : read)
            if (std::find(made_.inputs.begin(), made_.inputs.end(), input) == made_.inputs.end())
                made_.inputs.push_back(input);
    }

    const RunControl& control_;
    Reproduction made_;
};

/// The same accelerator with the other value that the paper gives for a level's capacity.
std::optional<predict::Machine> withOtherCapacity(const predict::Machine& machine) {
    for (std::size_t level = 0; level < machine.accelerator.memory.size(); ++level) {
        const auto found = machine.accelerator.provenance.find(fmt::format("memory[{}].capacity_bytes", level));
        if (!machine.accelerator.memory[level].onChip || found == machine.accelerator.provenance.end() ||
            found->second.alternatives.empty())
            continue;
        predict::Machine other = machine;
        other.accelerator.memory[level].capacity = Bytes{found->second.alternatives.front().value};
        return other;
    }
    return std::nullopt;
}

/// A way in which the paper leaves open how table 5's batch sizes come about.
struct PaperNumber {
    std::string_view name;
    std::string_view memoryModel;
    bool otherCapacity;
    std::string_view policy;  ///< empty = the platform's own
};
constexpr std::array<PaperNumber, 5> kPaperNumbers{{{"live-ranges", "live-ranges", false, ""},
                                                    {"live-ranges, other capacity", "live-ranges", true, ""},
                                                    {"closed-form", "closed-form", false, ""},
                                                    {"closed-form, other capacity", "closed-form", true, ""},
                                                    {"closed-form, all off-chip", "closed-form", false, "off-chip"}}};

std::optional<std::int64_t> batchOf(const predict::Workload& workload, const predict::Machine& machine,
                                    const Platform& platform, const PaperNumber& reading) {
    predict::Machine as = machine;
    if (reading.otherCapacity)
        if (std::optional<predict::Machine> other = withOtherCapacity(machine)) as = std::move(*other);
    for (const predict::PlacementPolicy& policy : predict::placementPolicies())
        if (policy.id == (reading.policy.empty() ? platform.policy : reading.policy)) as.policy = &policy;
    predict::Options options = predict::paperOptions();
    options.batchRule = predict::BatchRule::memory;
    options.memoryModel = reading.memoryModel;
    const Prediction one = predict::Predictor(workload, std::move(options)).predict(as, 1);
    return one.infeasible ? std::nullopt : std::optional(one.batch);
}

std::variant<double, std::string> batchValue(const std::optional<std::int64_t>& batch) {
    if (!batch) return std::string("does not fit at batch 1");
    return static_cast<double>(*batch);
}

Reproduction table2(const Figure& figure, const ReproductionOptions& /*asked*/, const RunControl& control) {
    struct Cell {
        std::string_view model, title;
        model::Optimizer optimizer;
        std::array<double, kPaperPlatforms.size()> batch;
        std::array<std::optional<double>, kPaperPlatforms.size()> speedup;  ///< empty = out of memory
    };
    const std::array<Cell, 2> kCells{
        {{"resnet50", "ResNet-50", model::Optimizer::momentum, {32, 1024, 480, 512}, {std::nullopt, 4.17, 2.75, 1.94}},
         {"bert-base", "Bert-Base", model::Optimizer::adam, {1, 16, 2, 12}, {std::nullopt, 9.31, std::nullopt, 5.24}}}};
    Collector collector(figure, control);
    double sum = 0, count = 0;
    for (const Cell& cell : kCells) {
        const predict::Workload workload = collector.workload(cell.model, cell.optimizer);
        for (std::size_t p = 0; p < kPaperPlatforms.size(); ++p) {
            const Platform& platform = kPaperPlatforms.at(p);
            const std::string item = fmt::format("{} on {}", cell.title, platform.title);
            collector.row(
                item, "batch", cell.batch.at(p),
                batchValue(batchOf(workload, collector.machine(platform.id), platform, kPaperNumbers.front())));
            collector.row(item, "speedup over the default batch", cell.speedup.at(p), needs(platform.title));
            if (!cell.speedup.at(p)) continue;
            sum += *cell.speedup.at(p);
            ++count;
        }
    }
    collector.row("mean of the printed speed-ups", "speedup over the default batch", 4.68, sum / count);
    collector.note("The mean is that of the five speed-ups that the table prints; three cells are out of memory.");
    collector.note("Batches are the engine's, of powers of two, by live ranges and each platform's own placement.");
    return std::move(collector).finish();
}

Reproduction table5(const Figure& figure, const ReproductionOptions& /*asked*/, const RunControl& control) {
    Collector collector(figure, control);
    std::vector<predict::Machine> machines;
    for (const Platform& platform : kPaperPlatforms) machines.push_back(collector.machine(platform.id));
    std::array<int, kPaperNumbers.size()> matches{};
    int printed = 0, cells = 0;
    for (const Batches& row : kTable5) {
        const predict::Workload workload = collector.workload(row.model, row.optimizer);
        for (std::size_t p = 0; p < kPaperPlatforms.size(); ++p) {
            ++cells;
            printed += row.selected.at(p) == row.predicted.at(p) ? 1 : 0;
            for (std::size_t r = 0; r < kPaperNumbers.size(); ++r) {
                const std::optional<std::int64_t> batch =
                    batchOf(workload, machines[p], kPaperPlatforms.at(p), kPaperNumbers.at(r));
                matches.at(r) += batch && static_cast<double>(*batch) == row.predicted.at(p) ? 1 : 0;
                collector.row(fmt::format("{} on {}", row.title, kPaperPlatforms.at(p).title),
                              fmt::format("batch, {}", kPaperNumbers.at(r).name), row.predicted.at(p),
                              batchValue(batch));
            }
        }
    }
    collector.row("selected and predicted batches that agree in the paper", "count", 19, static_cast<double>(printed));
    for (std::size_t r = 0; r < kPaperNumbers.size(); ++r)
        collector.row("batches that agree with the paper's predicted ones",
                      fmt::format("count, {}", kPaperNumbers.at(r).name), std::nullopt,
                      static_cast<double>(matches.at(r)));
    collector.note(fmt::format(
        "The paper leaves open the candidate set, sequence lengths, optimizers and the placement; of {} batches the "
        "engine's agree where the rows say so. Candidates are powers of two, which 230, 1560 and 1240 are not.",
        cells));
    collector.note(
        "'other capacity' takes SN30's 640 MB of section 3.2 instead of table 1's 320 MB; 'all off-chip' puts "
        "everything off the chip on every platform. SN30's chip holds all intermediate results here, as section 3.2 "
        "has it, and the batch is chosen by equation 5. ResNet-50 trains with momentum, the others with Adam, in bf16 "
        "with float32 copies.");
    return std::move(collector).finish();
}

/// How a prediction is made: as the paper publishes it, and as this engine does.
struct PredictionRule {
    std::string_view name;
    predict::BatchRule batch = predict::BatchRule::fastest;
    predict::LevelRule levels = predict::LevelRule::placed;
    bool asPrinted = false;  ///< accelerators as the paper prints them
};
constexpr std::array<PredictionRule, 2> kRules{
    {{"published rule", predict::BatchRule::memory, predict::LevelRule::operands, true}, {"predicted"}}};

/// An accelerator with what the paper prints of it alone: its placement, and no bandwidth that we assumed. A memory
/// whose bandwidth it does not print bounds nothing, which is to say that it is as fast as the one before it.
predict::Machine printed(predict::Machine machine, std::string_view policy) {
    for (const predict::PlacementPolicy& row : predict::placementPolicies())
        if (row.id == policy) machine.policy = &row;
    for (std::size_t level = 1; level < machine.accelerator.memory.size(); ++level) {
        const auto provenance =
            machine.accelerator.provenance.find(fmt::format("memory[{}].bandwidth_bytes_per_s", level));
        if (provenance != machine.accelerator.provenance.end() && provenance->second.reliability == "assumed")
            machine.accelerator.memory[level].bandwidth = machine.accelerator.memory[level - 1].bandwidth;
    }
    return machine;
}

/// Throughputs at the batches that the rule chooses; the GPU's first.
std::vector<std::optional<double>> throughputs(Collector& collector, const predict::Workload& workload,
                                               std::int64_t devices = 1, const PredictionRule& rule = kRules.back()) {
    predict::Options options = predict::paperOptions();
    options.batchRule = rule.batch;
    options.levelRule = rule.levels;
    const predict::Predictor predictor(workload, std::move(options));
    std::vector<std::optional<double>> found;
    const auto add = [&](std::string_view id, std::string_view policy) {
        predict::Machine machine = collector.machine(id);
        if (rule.asPrinted) machine = printed(std::move(machine), policy);
        const Prediction one = predictor.predict(machine, devices);
        found.push_back(one.infeasible ? std::nullopt : std::optional(one.throughput));
    };
    add(kGpu, "");
    for (const Platform& platform : kPaperPlatforms) add(platform.id, platform.policy);
    return found;
}

Reproduction figure1(const Figure& figure, const ReproductionOptions& /*asked*/, const RunControl& control) {
    Collector collector(figure, control);
    const predict::Workload workload = collector.workload("resnet50", model::Optimizer::momentum);
    const std::vector<std::optional<double>> found = throughputs(collector, workload);
    for (std::size_t p = 0; p < kPaperPlatforms.size(); ++p) {
        const Platform& platform = kPaperPlatforms.at(p);
        const std::string item = fmt::format("{} over NVIDIA A100", platform.title);
        if (found[0] && found[p + 1])
            collector.row(item, "throughput, predicted", platform.resnetRatio, *found[p + 1] / *found[0]);
        else
            collector.row(item, "throughput, predicted", platform.resnetRatio, std::string("does not fit at batch 1"));
    }
    const auto achieved = [&](std::string_view id) {
        const predict::Machine machine = collector.machine(id);
        return machine.accelerator.benchmarks.at(0).utilization * machine.peak.value;
    };
    collector.row("Graphcore Bow-IPU over NVIDIA A100", "throughput, from the printed utilisations", 1.46,
                  achieved("bow") / achieved(kGpu));
    collector.row("NVIDIA A100", "utilization", 0.1721, needs("NVIDIA A100"));
    for (const Platform& platform : kPaperPlatforms)
        collector.row(std::string(platform.title), "utilization",
                      platform.id == "bow" ? std::optional(0.2236) : std::nullopt, needs(platform.title));
    collector.row("Graphcore Bow-IPU over SambaNova SN30", "batch, from table 5's selected ones", 64,
                  kTable5[0].selected[1] / kTable5[0].selected[0]);
    collector.note(
        "Predictions rest on datasheets: no kernels of these platforms are measured but two of table 3. Table 2 gives "
        "1024 and 32 for the ratio of the batches, which is 32.");
    return std::move(collector).finish();
}

Reproduction centimaniFigure6(const Figure& figure, const ReproductionOptions& /*asked*/, const RunControl& control) {
    Collector collector(figure, control);
    for (const Platform& platform : kPaperPlatforms)
        for (const Batches& row : kTable5)
            collector.row(fmt::format("{} on {}", row.title, platform.title), "accuracy", std::nullopt,
                          needs(platform.title));
    const std::string all = needs("SambaNova SN30, Graphcore Bow-IPU, Cerebras CS-2 and Habana Gaudi2");
    for (const auto& [method, paper] : {std::pair("centimani", 0.931), std::pair("roofline", 0.284),
                                        std::pair("utilization", 0.378), std::pair("similarity", 0.572)})
        collector.row("mean", fmt::format("accuracy, {}", method), paper, all);
    collector.note(
        "Accuracy compares predictions with measured training, which this computer cannot do for these platforms.");
    return std::move(collector).finish();
}

Reproduction centimaniFigure7(const Figure& figure, const ReproductionOptions& /*asked*/, const RunControl& control) {
    struct Sum {
        double speedup = 0;
        int fitting = 0;
    };
    Collector collector(figure, control);
    std::array<std::array<Sum, kPaperPlatforms.size()>, kRules.size()> sums{};
    int models = 0;
    for (const Batches& row : kTable5) {
        if (row.model != "resnet50" && row.model != "bert-large" && row.model != "gpt2-xl") continue;
        const predict::Workload workload = collector.workload(row.model, row.optimizer);
        ++models;
        for (std::size_t r = 0; r < kRules.size(); ++r) {
            const std::vector<std::optional<double>> found = throughputs(collector, workload, 1, kRules.at(r));
            const std::string metric = fmt::format("speedup over A100, {}", kRules.at(r).name);
            for (std::size_t p = 0; p < kPaperPlatforms.size(); ++p) {
                const std::string item = fmt::format("{} on {}", row.title, kPaperPlatforms.at(p).title);
                if (!found[0] || !found[p + 1]) {
                    collector.row(
                        item, metric, std::nullopt,
                        std::string(found[0] ? "does not fit at batch 1" : "does not fit on A100 at batch 1"));
                    continue;
                }
                Sum& sum = sums.at(r).at(p);
                sum.speedup += *found[p + 1] / *found[0];
                ++sum.fitting;
                collector.row(item, metric, std::nullopt, *found[p + 1] / *found[0]);
            }
        }
    }
    const double gpuPrice = *collector.machine(kGpu).accelerator.pricePerHourUsd;
    for (std::size_t p = 0; p < kPaperPlatforms.size(); ++p) {
        const Platform& platform = kPaperPlatforms.at(p);
        for (std::size_t r = 0; r < kRules.size(); ++r) {
            const Sum& sum = sums.at(r).at(p);
            const std::string metric = fmt::format("mean speedup over A100, {}", kRules.at(r).name);
            if (sum.fitting == models)
                collector.row(std::string(platform.title), metric, platform.speedup, sum.speedup / models);
            else
                collector.row(std::string(platform.title), metric, platform.speedup,
                              fmt::format("fits {} of {} models", sum.fitting, models));
        }
    }
    for (const Platform& platform : kPaperPlatforms) {
        const double price = *collector.machine(platform.id).accelerator.pricePerHourUsd;
        collector.row(std::string(platform.title), "price-performance over A100", std::nullopt,
                      platform.speedup * gpuPrice / price);
    }
    collector.note(
        "'price-performance over A100' is the printed mean speed-up times the ratio of the printed prices; the paper "
        "draws it as bars without numbers.");
    collector.note(
        "'published rule' is the paper's: the batch by equation 5, each operator by a cache-aware roofline (section "
        "5.2) at the rate of the fastest memory that its operands fit into, and no rate of a memory that the paper "
        "does not print. 'predicted' is this engine's: the batch that trains fastest, and all data at the rate of the "
        "memory that holds them, so that weights, gradients and the optimizer's state in a slower memory, which every "
        "step reads and writes, count.");
    collector.note(
        "Both are from datasheets but for the kernels of table 3, while the paper measured its kernels and the A100: "
        "the published rule is above its means where kernels do not reach their rooflines, the engine's below them "
        "where large models leave the chip over a slow link. Where both agree, everything lies in one fast memory.");
    return std::move(collector).finish();
}

Reproduction centimaniFigure8(const Figure& figure, const ReproductionOptions& /*asked*/, const RunControl& control) {
    Collector collector(figure, control);
    const predict::Workload workload = collector.workload("unet", model::Optimizer::adam);
    const predict::Predictor predictor(workload, predict::paperOptions());
    for (const Platform& platform : kPaperPlatforms) {
        const predict::Machine machine = collector.machine(platform.id);
        const Prediction one = predictor.predict(machine, 1);
        for (const std::int64_t devices : {2, 4, 8}) {
            const std::string item = fmt::format("U-Net on {} {}", devices, platform.title);
            const Prediction many = predictor.predict(machine, devices);
            if (one.infeasible || many.infeasible)
                collector.row(item, "speedup over one device, predicted", std::nullopt,
                              std::string("does not fit at batch 1"));
            else
                collector.row(item, "speedup over one device, predicted", std::nullopt,
                              many.throughput / one.throughput);
        }
    }
    collector.row("mean", "accuracy, centimani", 0.904,
                  needs("several SambaNova SN30, Graphcore Bow-IPU, Cerebras CS-2 and Habana Gaudi2"));
    collector.note(
        "Communication is by the measured all-reduces (table 3, section 6.3.3), between their sizes, and as a ring's "
        "for "
        "other device counts. The "
        "paper shows the speed-ups as a picture without numbers.");
    return std::move(collector).finish();
}

}  // namespace

std::vector<Figure> centimaniFigures() {
    constexpr std::string_view kPaper = "Xie et al., Centimani, USENIX ATC 2024";
    return {
        {"centimani-table2", "Best batch sizes, and speed-ups over the GPU's default", kPaper, table2, false},
        {"centimani-table5", "Batch sizes predicted and selected by hand", kPaper, table5, false},
        {"centimani-fig1", "Throughput, utilisation and batch of ResNet-50", kPaper, figure1, false},
        {"centimani-fig6", "Accuracy of predictions on one device", kPaper, centimaniFigure6, false},
        {"centimani-fig7", "Speed-up and price-performance over A100", kPaper, centimaniFigure7, false},
        {"centimani-fig8", "Speed-up of U-Net on several devices", kPaper, centimaniFigure8, false},
    };
}

}  // namespace tessera::study
