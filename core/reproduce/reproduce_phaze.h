#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/codesign/search/memos.h"
#include "core/codesign/search/search.h"
#include "core/codesign/search/workload.h"
#include "core/hardware/template.h"
#include "core/reproduce/reproduce_figures.h"
#include "core/reproduce/search_cache.h"

/// Common parts of the experiments of Wang, Tarnawski, Phanishayee, Mahajan: "Integrated Hardware Architecture and
/// Device Placement Search" (PHAZE), ICML 2024: printed numbers, searches by both estimators, and their results.
namespace tessera::study {

/// An accelerator as table 2 prints it. All of them have 4096 words per cycle, 1 MB and 4 KB of L2.
struct PrintedDesign {
    std::int64_t tensorCores = 1, vectorCores = 1, width = 1, height = 1;
    std::int64_t globalMegabytes = 1;
    bool operator==(const PrintedDesign&) const = default;
};
inline constexpr double kPrintedGlobalWords = 4096, kPrintedTensorL2Kilobytes = 1024, kPrintedVectorL2Kilobytes = 4;

/// Size of a model as table 4 prints it.
struct PrintedComplexity {
    double layers = 0, operators = 0, parameterMegabytes = 0, activationMegabytes = 0;
    double tensorFlops = 0, vectorFlops = 0;
};

/// Model FLOPs utilisation in percent, as table 5 prints it.
struct PrintedUtilisation {
    double expert = 0, solver = 0, common = 0;
};

/// A row of table 2, and what tables 4 and 5 print of the model.
struct PrintedWorkload {
    std::string_view name;  ///< in our zoo
    PrintedDesign design;
    std::int64_t pipeline = 1, data = 1, tensorParallel = 1;
    std::int64_t microBatch = 1;
    bool recompute = false;
    std::int64_t hbmGigabytes = 32;
    std::optional<PrintedComplexity> complexity{};
    std::optional<PrintedUtilisation> utilisation{};
};
const std::vector<PrintedWorkload>& printedWorkloads();
/// Section 6.1; the same as BertLarge's, but with another HBM.
inline constexpr PrintedDesign kPrintedCommon{2, 512, 256, 256, 32};
/// TPUv4, whose area is the bound: appendix C.1.
inline constexpr PrintedDesign kPrintedLargest{8, 2, 128, 128, 128};
inline constexpr double kPrintedCommonHbm = 64;

/// Estimator of operators: `phaze` by the paper's assumptions, `physical` by what cores and memories allow.
struct Estimating {
    std::string_view id;
    std::string_view suffix;  ///< of an item
};
inline constexpr std::array<Estimating, 2> kEstimating{Estimating{"phaze", ""}, Estimating{"physical", " (physical)"}};

/// Positions in `printedWorkloads`.
using Models = std::vector<std::size_t>;
/// All of them.
Models allModels();

/// One figure on its way: reads models and runs searches.
class CodesignExperiment : public Recomputation {
public:
    /// `searches` is how many calls of `best`, `on` and `search` there will be.
    CodesignExperiment(const Figure& figure, const ReproductionOptions& options, const RunControl& control,
                       std::size_t searches);

    /// Reads models; before any search of them.
    void read(const Models& models, const std::vector<std::int64_t>& microBatches = {1, 2, 4, 8});
    const codesign::Workload& workload(std::size_t model) const { return workloads_.at(model); }
    const hardware::Template& space() const { return space_; }
    /// Searches go through a part of the template instead of all of it: of HBMs.
    void keepMemory(std::int64_t bytes) { space_.hbm.values = {bytes}; }

    hardware::Architecture architectureOf(const PrintedDesign& design) const;
    double areaShareOf(const hardware::Architecture& architecture) const;

    /// The accelerator of the template that is best for models, by the estimator's bounds: all are looked at, or (with
    /// a smaller budget) some. `near` are accelerators that it may be alike; they shorten the search.
    codesign::Result best(const Models& models, const Estimating& estimating, codesign::Objective objective,
                          const std::vector<hardware::Architecture>& near = {});
    /// The models on one accelerator of the template, with so much between any two of it.
    codesign::Result on(const hardware::Architecture& architecture, const Models& models, const Estimating& estimating,
                        BytesPerSecond bandwidth = codesign::Options{}.bandwidth);
    /// Appendix C.1, which the paper searches by.
    codesign::Result byHysteresis(const Models& models, const Estimating& estimating, std::int64_t levels);

private:
    codesign::Options optionsFor(const Estimating& estimating) const;
    /// Reports as part of the whole figure, under the task's name; nothing where it has none.
    codesign::SearchControl controlFor(const std::string& task) const;
    /// Counts a finished search, and what its result rests on.
    codesign::Result finished(codesign::Result result);
    /// Returns the state from which a search begins that has none of its own yet.
    using Start = std::function<codesign::Progress()>;
    /// Searches, where the result is not kept from before. `walked` receives what was done when all was looked at.
    codesign::Result search(const std::string& task, const Models& models, const hardware::Template& space,
                            codesign::Options options, const Start& start = {}, codesign::Progress* walked = nullptr);

    const ReproductionOptions& options_;
    const RunControl& control_;
    std::size_t searches_, done_ = 0;
    hardware::Template space_;
    std::vector<codesign::Workload> workloads_;
    SearchCache cache_;
    std::shared_ptr<codesign::Memos> memos_ = codesign::sharedMemos();  ///< kept between searches
    /// State at the end of the search through falling areas, by model and estimator: a search that goes further begins
    /// there.
    std::map<std::pair<std::size_t, std::string_view>, codesign::Progress> walks_;
};

/// Results of one estimator for the figures of throughput.
struct CodesignSolved {
    std::vector<codesign::Result> own;         ///< by model: the best accelerator for it alone
    std::vector<codesign::Result> printedOwn;  ///< by model: on the one of table 2
    codesign::Result common;                   ///< the best accelerator for all
    codesign::Result printedCommon;            ///< on the paper's
};
inline constexpr std::size_t kSearchesOfAll = kEstimating.size() * 18;
/// Results by estimator, with all models read. The common accelerator has the greatest mean throughput, as in algorithm
/// 1.
using CodesignSolutions = std::array<CodesignSolved, kEstimating.size()>;
CodesignSolutions solveAll(CodesignExperiment& experiment);
/// Bandwidth between any two accelerators in the published program, in bytes per second.
inline constexpr BytesPerSecond kPublishedBandwidth{4294967296};
/// Places the models again on the same accelerators with the published bandwidth.
CodesignSolutions solveAtPublishedBandwidth(CodesignExperiment& experiment, const CodesignSolutions& solved);

/// Accelerator and placement of a bar of figure 4.
struct CodesignBar {
    std::string_view id;
    const codesign::ModelResult& (*resultOf)(const CodesignSolved& solved, std::size_t model);
};
/// The baselines, then the accelerators for all and for each model.
const std::vector<CodesignBar>& codesignBars();
/// The geometric means that section 6.1 prints, over the models that both sides run, by both bandwidths, and what those
/// over Spotlight consist of.
void addCodesignMeans(CodesignExperiment& experiment, const CodesignSolutions& solved);

/// A baseline of a result, such as "tpuv4-expert"; "spotlight-expert" is the one for the model itself.
const codesign::ModelResult& baselineOf(const codesign::Result& result, std::string_view id, std::size_t model = 0);

/// Item of a row: "bert-large", or "bert-large (physical)".
std::string itemOf(std::string_view name, const Estimating& estimating);

Recompute phazeTable2, phazeTable4, phazeTable5, phazeFigure4, phazeFigure8, phazeFigure9, phazeClaims;

}  // namespace tessera::study
