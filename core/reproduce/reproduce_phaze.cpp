#include "core/reproduce/reproduce_phaze.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/parallel.h"
#include "core/base/sha256.h"
#include "core/cost/core_cost.h"
#include "core/hardware/library.h"
#include "core/model/zoo/zoo_name.h"

namespace tessera::study {

namespace {

constexpr std::int64_t kMebi = std::int64_t{1} << 20;
/// Architectures of a search with a smaller budget, and states of a schedule: this many times it.
constexpr double kPhazeSamples = 1000;
constexpr double kMin = 5;
constexpr double kStates = 400'000;
std::int64_t partOf(double samples, double budget) {
    return std::lround(std::max(kMin, samples * budget));
}

/// Where the best accelerators lie as a rule. It shortens searches and decides nothing.
hardware::Template coarse(hardware::Template space) {
    const auto keep = [](hardware::Range& range, std::int64_t min, std::int64_t max) {
        std::erase_if(range.values, [&](std::int64_t value) { return value < min || value > max; });
    };
    keep(space.tensorCores, 1, 8);
    keep(space.vectorCores, 8, 1024);
    keep(space.width, 128, 256);
    keep(space.height, 128, 256);
    keep(space.globalBuffer, 4 * kMebi, 64 * kMebi);
    return space;
}

/// The part of a template that the given architectures span.
hardware::Template spannedBy(hardware::Template space, const std::vector<hardware::Architecture>& corners) {
    const auto keep = [&](hardware::Range& range, const auto& valueOf) {
        std::erase_if(range.values, [&](std::int64_t value) {
            return std::none_of(corners.begin(), corners.end(),
                                [&](const hardware::Architecture& corner) { return valueOf(corner) == value; });
        });
    };
    keep(space.tensorCores, [](const hardware::Architecture& of) { return of.tensorCores; });
    keep(space.vectorCores, [](const hardware::Architecture& of) { return of.vectorCores; });
    keep(space.width, [](const hardware::Architecture& of) { return of.width; });
    keep(space.height, [](const hardware::Architecture& of) { return of.height; });
    keep(space.globalBuffer, [](const hardware::Architecture& of) { return std::llround(of.globalBuffer.value); });
    return space;
}

/// What a search begins with that knows a good architecture: nothing worse is of interest.
codesign::Progress knowing(const hardware::Template& space, const codesign::Point& point) {
    // A little less, so that an equally good architecture of less area is found.
    constexpr double kBelow = 1 - 1e-9;
    const std::vector<hardware::Architecture> all = hardware::architectures(space);
    const auto found = std::find(all.begin(), all.end(), point.architecture);
    codesign::Progress progress;
    if (found == all.end()) return progress;
    progress.evaluated.push_back({.architecture = static_cast<std::size_t>(found - all.begin()), .point = point});
    codesign::Point& evaluated = progress.evaluated.back().point;
    evaluated.hbm = Bytes{static_cast<double>(*std::max_element(space.hbm.values.begin(), space.hbm.values.end()))};
    evaluated.objective *= kBelow;
    return progress;
}

}  // namespace

const std::vector<PrintedWorkload>& printedWorkloads() {
    static const std::vector<PrintedWorkload> kWorkloads{
        {"opt-350m",
         {4, 256, 256, 256, 4},
         1,
         1024,
         1,
         2,
         false,
         64,
         PrintedComplexity{12, 63, 12, 4700, 2.5e12, 3.6e9},
         PrintedUtilisation{5.4, 12.3, 17.1}},
        {"bert-large",
         {2, 512, 256, 256, 32},
         1,
         1024,
         1,
         4,
         false,
         32,
         PrintedComplexity{24, 34, 23, 609, 21e9, 310e6},
         PrintedUtilisation{15.9, 47.4, 88.1}},
        {"gpt2-xl",
         {1, 1024, 256, 256, 8},
         1,
         1024,
         1,
         1,
         false,
         64,
         PrintedComplexity{48, 101, 152, 5000, 557e9, 2.8e9},
         PrintedUtilisation{7.4, 19.6, 26.5}},
        {"llama2-7b", {4, 1024, 256, 64, 8}, 6, 164, 1, 1, true, 64},
        {"megatron-bert",
         {1, 1024, 256, 256, 8},
         1,
         256,
         4,
         8,
         false,
         32,
         PrintedComplexity{24, 89, 23, 914, 137e9, 301e6},
         PrintedUtilisation{13.7, 22.1, 57.4}},
        {"megatron-gpt-2.5b",
         {1, 1024, 256, 256, 8},
         2,
         256,
         2,
         2,
         false,
         80,
         PrintedComplexity{54, 131, 88, 10'000, 2.6e12, 2.6e9},
         PrintedUtilisation{4.6, 4.9, 12.4}},
        {"megatron-gpt-8.3b",
         {1, 1024, 256, 256, 8},
         2,
         128,
         4,
         2,
         true,
         64,
         PrintedComplexity{72, 131, 211, 12'000, 4.8e12, 4.8e9},
         PrintedUtilisation{6.4, 8.3, 17.2}},
        {"gpt3-175b",
         {1, 1024, 256, 256, 8},
         16,
         16,
         4,
         1,
         true,
         64,
         PrintedComplexity{96, 131, 900, 25'000, 23e12, 9.6e9},
         PrintedUtilisation{17.4, 17.5, 31.0}},
    };
    return kWorkloads;
}

Models allModels() {
    Models models(printedWorkloads().size());
    std::iota(models.begin(), models.end(), std::size_t{0});
    return models;
}

std::string itemOf(std::string_view name, const Estimating& estimating) {
    return fmt::format("{}{}", name, estimating.suffix);
}

CodesignExperiment::CodesignExperiment(const Figure& figure, const ReproductionOptions& options,
                                       const RunControl& control, std::size_t searches)
    : Recomputation(figure),
      options_(options),
      control_(control),
      searches_(searches),
      space_(hardware::loadTemplate("phaze")),
      workloads_(printedWorkloads().size()),
      cache_(options.cache) {
    restOn({{"phaze", sha256(readFile(space_.file))}}, {});
    note(
        "An item as it stands is estimated by the paper's assumptions (estimator 'phaze'): vector operators wait for "
        "no memory, those fused behind a product are free, and tensor cores fetch 128 words per cycle from DRAM.");
    note(
        "'(physical)' is the same by what cores and memories allow (estimator 'physical'): every word of every "
        "operator passes the GLB and the HBM, whose bandwidth is 1.2 TB/s.");
    note(
        "The paper's times are Sunstone's and Tandem's, which are not rebuilt here, and its networks' bandwidth is not "
        "printed: absolute numbers cannot agree; orders and ratios could. Here any two accelerators have 300 GB/s, a "
        "TPU "
        "v4's six links; the published program sets 4 GiB/s.");
    if (options.budget < 1)
        note(
            fmt::format("Searches evaluated {} architectures drawn at random instead of all of the template within the "
                        "area, and at "
                        "{} states of an operator schedule.",
                        partOf(kPhazeSamples, options.budget), partOf(kStates, options.budget)));
}

void CodesignExperiment::read(const Models& models, const std::vector<std::int64_t>& microBatches) {
    codesign::WorkloadOptions options;
    options.microBatches = microBatches;
    PartCounter counter(control_, "models", models.size());
    parallelFor(models.size(), control_.threads, [&](std::size_t i) {
        workloads_[models[i]] = codesign::loadWorkload(
            fmt::format("{}{}", model::kZooPrefix, printedWorkloads()[models[i]].name), options, {}, control_);
        counter.finishOne();
    });
    for (const std::size_t model : models) restOn({{workloads_[model].name, workloads_[model].sha256}}, {});
}

hardware::Architecture CodesignExperiment::architectureOf(const PrintedDesign& design) const {
    return hardware::architectureOf(space_, design.tensorCores, design.vectorCores, design.width, design.height,
                                    design.globalMegabytes * kMebi);
}

double CodesignExperiment::areaShareOf(const hardware::Architecture& architecture) const {
    return (hardware::areaOf(architecture, space_).total() / hardware::areaBound(space_)).value;
}

codesign::Options CodesignExperiment::optionsFor(const Estimating& estimating) const {
    codesign::Options options;
    options.estimator = estimating.id;
    options.maxTraced = 1;
    options.scheduleStates = partOf(kStates, std::min(1.0, options_.budget));
    return options;
}

codesign::SearchControl CodesignExperiment::controlFor(const std::string& task) const {
    codesign::SearchControl control{control_};
    control.progress = {};
    if (control_.isWatched() && !task.empty())
        control.progress = [this, task](const ProgressEvent& event) {
            if (event.kind != ProgressEvent::Kind::progress || !(event.total > 0)) return;
            control_.reportProgress(task, static_cast<double>(done_) + event.done / event.total,
                                    static_cast<double>(std::max(searches_, done_ + 1)));
        };
    return control;
}

namespace {

constexpr const char* kSilent = "";  ///< the task of a search that reports nothing

/// Takes over what a search came to on its way through the areas. It only adds to what it knows, so that a copy of all
/// after each area would take a time that grows with the square of the way.
void walkOn(codesign::Progress& walked, const codesign::Progress& now) {
    const auto addTo = [](auto& old, const auto& all) {
        old.insert(old.end(), all.begin() + static_cast<std::ptrdiff_t>(old.size()), all.end());
    };
    addTo(walked.evaluated, now.evaluated);
    addTo(walked.unresolved, now.unresolved);
    walked.next = now.next;
    walked.explored = now.explored;
}

}  // namespace

codesign::Result CodesignExperiment::search(const std::string& task, const Models& models,
                                            const hardware::Template& space, codesign::Options options,
                                            const Start& start, codesign::Progress* walked) {
    std::vector<const codesign::Workload*> workloads;
    for (const std::size_t model : models) workloads.push_back(&workloads_.at(model));
    // Spotlight's accelerators are for one model each.
    options.spotlight = models.size() == 1;
    codesign::Result result =
        cache_.resultOf(workloads, space, options, [&](const auto& begun, const auto& checkpoint) {
            codesign::SearchControl control = controlFor(task);
            control.resume = begun ? *begun : start ? start() : codesign::Progress{};
            control.checkpoint = [&](const codesign::Progress& progress) {
                // Behind the walk only what was found is looked at again.
                if (walked != nullptr && progress.next > walked->next) walkOn(*walked, progress);
                checkpoint(progress);
            };
            std::vector<codesign::Workload> copies;
            for (const codesign::Workload* workload : workloads) copies.push_back(*workload);
            return codesign::search(copies, space, options, control);
        });
    if (!result.best)
        throw UsageError(fmt::format("no accelerator of the template '{}' within its area runs {}", space.name,
                                     models.size() == 1 ? workloads.front()->name : "all models"));
    const auto& own = cost::estimatorNamed(options.estimator)->assumptions;
    for (std::string& sentence : result.assumptions)
        if (std::find(own.begin(), own.end(), sentence) != own.end())
            sentence = fmt::format("By '{}': {}", options.estimator, sentence);
    return result;
}

codesign::Result CodesignExperiment::finished(codesign::Result result) {
    restOn({}, result.assumptions);
    ++done_;
    return result;
}

codesign::Result CodesignExperiment::best(const Models& models, const Estimating& estimating,
                                          codesign::Objective objective,
                                          const std::vector<hardware::Architecture>& near) {
    const std::string_view name = models.size() == 1 ? printedWorkloads()[models.front()].name : "all models";
    const std::string task = "accelerators for " + itemOf(name, estimating);
    codesign::Options options = optionsFor(estimating);
    options.objective = objective;
    codesign::Result result;
    if (options_.budget < 1) {
        options.search = codesign::SearchKind::random;
        options.samples = partOf(kPhazeSamples, options_.budget);
        result = search(task, models, space_, options);
    } else {
        result = search(task, models, space_, options, [&] {
            const codesign::Result start =
                search(kSilent, models, near.empty() ? coarse(space_) : spannedBy(space_, near), options);
            return knowing(space_, *start.best);
        });
    }
    return finished(std::move(result));
}

codesign::Result CodesignExperiment::on(const hardware::Architecture& architecture, const Models& models,
                                        const Estimating& estimating, BytesPerSecond bandwidth) {
    codesign::Options options = optionsFor(estimating);
    options.bandwidth = bandwidth;
    return finished(search("the paper's accelerators" + std::string(estimating.suffix), models,
                           spannedBy(space_, {architecture}), options));
}

codesign::Result CodesignExperiment::byHysteresis(const Models& models, const Estimating& estimating,
                                                  std::int64_t levels) {
    codesign::Options options = optionsFor(estimating);
    options.search = codesign::SearchKind::hysteresis;
    options.hysteresis = levels;
    options.maxTraced = codesign::Options{}.maxTraced;
    codesign::Progress& walk = walks_[{models.front(), estimating.id}];
    return finished(search(
        itemOf(printedWorkloads()[models.front()].name, estimating) + " by falling area", models, space_, options,
        [&] { return walk; }, &walk));
}

CodesignSolutions solveAll(CodesignExperiment& experiment) {
    const Models all = allModels();
    CodesignSolutions solved;
    for (std::size_t e = 0; e < kEstimating.size(); ++e) {
        const Estimating& estimating = kEstimating.at(e);
        CodesignSolved& of = solved.at(e);
        std::vector<hardware::Architecture> near;
        for (const std::size_t model : all) {
            of.own.push_back(experiment.best({model}, estimating, codesign::Objective::geomean));
            near.push_back(of.own.back().best->architecture);
            of.printedOwn.push_back(
                experiment.on(experiment.architectureOf(printedWorkloads()[model].design), {model}, estimating));
        }
        of.common = experiment.best(all, estimating, codesign::Objective::mean, near);
        of.printedCommon = experiment.on(experiment.architectureOf(kPrintedCommon), all, estimating);
    }
    return solved;
}

CodesignSolutions solveAtPublishedBandwidth(CodesignExperiment& experiment, const CodesignSolutions& solved) {
    const Models all = allModels();
    CodesignSolutions again;
    for (std::size_t e = 0; e < kEstimating.size(); ++e) {
        const auto on = [&](const codesign::Result& found, const Models& models) {
            return experiment.on(found.best->architecture, models, kEstimating.at(e), kPublishedBandwidth);
        };
        for (const std::size_t model : all) {
            again.at(e).own.push_back(on(solved.at(e).own[model], {model}));
            again.at(e).printedOwn.push_back(on(solved.at(e).printedOwn[model], {model}));
        }
        again.at(e).common = on(solved.at(e).common, all);
        again.at(e).printedCommon = on(solved.at(e).printedCommon, all);
    }
    return again;
}

const codesign::ModelResult& baselineOf(const codesign::Result& result, std::string_view id, std::size_t model) {
    constexpr std::string_view kOwn = "spotlight-";
    std::string whole(id);
    if (id.starts_with(kOwn))
        whole = fmt::format("{}{}-{}", kOwn, result.models.at(model).substr(model::kZooPrefix.size()),
                            id.substr(kOwn.size()));
    for (const codesign::Baseline& baseline : result.baselines)
        if (baseline.id == whole) return baseline.models.at(model);
    throw UsageError(fmt::format("the search returned no baseline '{}'", whole));
}

std::vector<Figure> phazeFigures() {
    constexpr std::string_view kPaper = "Wang et al., PHAZE, ICML 2024";
    return {
        {"phaze-table2", "The best accelerator for each model and for all, and the model's placement", kPaper,
         phazeTable2},
        {"phaze-table4", "What the models consist of, and the experts' placements beside ours on TPUv4", kPaper,
         phazeTable4},
        {"phaze-table5", "Model FLOPs utilisation on TPUv4 and on the common accelerator", kPaper, phazeTable5},
        {"phaze-fig4", "Throughput on the searched accelerators over TPUv4's", kPaper, phazeFigure4},
        {"phaze-fig8", "The search through falling areas by its hysteresis: length and result", kPaper, phazeFigure8},
        {"phaze-fig9", "The accelerators that the search through falling areas finds for BERT-large", kPaper,
         phazeFigure9},
        {"phaze-claims", "What the paper says of all models, in numbers", kPaper, phazeClaims},
    };
}

}  // namespace tessera::study
