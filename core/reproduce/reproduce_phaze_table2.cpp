#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/codesign/search/search.h"
#include "core/reproduce/reproduce_phaze.h"

/// Table 2 of PHAZE: the accelerator that is best for each model, and how the model is placed on 1024 of it.
namespace tessera::study {

namespace {

constexpr double kKiB = 1 << 10, kMiB = 1 << 20, kGiB = 1 << 30;

void addDesign(CodesignExperiment& experiment, const std::string& item, const hardware::Architecture& ours,
               const PrintedDesign& paper, double hbm, double printedHbm) {
    const auto real = [](std::int64_t value) { return static_cast<double>(value); };
    experiment.row(item, "num_tc", real(ours.tensorCores), real(paper.tensorCores));
    experiment.row(item, "num_vc", real(ours.vectorCores), real(paper.vectorCores));
    experiment.row(item, "pe_x", real(ours.width), real(paper.width));
    experiment.row(item, "pe_y", real(ours.height), real(paper.height));
    experiment.row(item, "glb_mb", ours.globalBuffer.value / kMiB, real(paper.globalMegabytes));
    experiment.row(item, "glb_bw", ours.globalWords, kPrintedGlobalWords);
    experiment.row(item, "l2_tc_kb", ours.tensorL2.value / kKiB, kPrintedTensorL2Kilobytes);
    experiment.row(item, "l2_vc_kb", ours.vectorL2.value / kKiB, kPrintedVectorL2Kilobytes);
    experiment.row(item, "hbm_gb", hbm / kGiB, printedHbm);
    experiment.row(item, "area_share", experiment.areaShareOf(ours));
}

void addPlacement(CodesignExperiment& experiment, const std::string& item, const codesign::ModelResult& ours,
                  const PrintedWorkload& paper) {
    const auto real = [](std::int64_t value) { return static_cast<double>(value); };
    experiment.row(item, "pipeline", real(ours.pipeline), real(paper.pipeline));
    experiment.row(item, "data", real(ours.data), real(paper.data));
    experiment.row(item, "tensor", real(ours.tensorParallel), real(paper.tensorParallel));
    experiment.row(item, "micro_batch", real(ours.choice.microBatch), real(paper.microBatch));
    experiment.row(item, "recompute", ours.choice.recompute ? 1 : 0, paper.recompute ? 1 : 0);
    experiment.row(item, "samples_per_s", ours.throughput);
}

/// "4 to 32".
struct Span {
    double min = 1e300, max = -1e300;
    void include(double value) {
        min = std::min(min, value);
        max = std::max(max, value);
    }
    std::string text() const {
        return min == max ? fmt::format("{:.4g}", min) : fmt::format("{:.4g} to {:.4g}", min, max);
    }
};

/// What the choices by one estimator have in common with the paper's.
struct Agreement {
    Span vectorCores, buffers, ofBest;  ///< the paper's choices' share of the best throughput
    std::size_t wide = 0, placements = 0, stashing = 0;
};

Agreement agreementOf(const CodesignSolved& solved) {
    Agreement found;
    for (const std::size_t model : allModels()) {
        const hardware::Architecture& ours = solved.own[model].best->architecture;
        const codesign::ModelResult& placed = solved.own[model].perModel.front();
        const PrintedWorkload& paper = printedWorkloads()[model];
        found.vectorCores.include(static_cast<double>(ours.vectorCores));
        found.buffers.include(ours.globalBuffer.value / kMiB);
        found.ofBest.include(solved.printedOwn[model].perModel.front().throughput / placed.throughput);
        if (ours.width == paper.design.width && ours.height == paper.design.height) ++found.wide;
        if (placed.pipeline == paper.pipeline && placed.data == paper.data &&
            placed.tensorParallel == paper.tensorParallel)
            ++found.placements;
        if (placed.choice.recompute == paper.recompute) ++found.stashing;
    }
    return found;
}

void addNotes(CodesignExperiment& experiment, const CodesignSolutions& solved) {
    Span printedVector, printedBuffers, printedArea;
    for (const PrintedWorkload& paper : printedWorkloads()) {
        printedVector.include(static_cast<double>(paper.design.vectorCores));
        printedBuffers.include(static_cast<double>(paper.design.globalMegabytes));
        printedArea.include(100 * experiment.areaShareOf(experiment.architectureOf(paper.design)));
    }
    const Agreement byPaper = agreementOf(solved[0]), physical = agreementOf(solved[1]);
    const std::size_t count = printedWorkloads().size();
    std::size_t sameArray = 0, samePipeline = 0;
    for (const std::size_t model : allModels()) {
        const codesign::Result &one = solved[0].own[model], &other = solved[1].own[model];
        const hardware::Architecture &left = one.best->architecture, &right = other.best->architecture;
        if (left.width == right.width && left.height == right.height) ++sameArray;
        if (one.perModel.front().pipeline == other.perModel.front().pipeline) ++samePipeline;
    }
    experiment.note(
        fmt::format("What agrees: arrays of the paper's shape for {} of {} models ({} by the physical estimator), "
                    "placements {{p, d, t}} for {} ({}), and stashing or recomputation for {} ({}). The two estimators "
                    "choose the same array for {} of {} models and pipelines of the same length for {}: so far these "
                    "conclusions do not rest on the estimator.",
                    byPaper.wide, count, physical.wide, byPaper.placements, physical.placements, byPaper.stashing,
                    physical.stashing, sameArray, count, samePipeline));
    const bool fewer = physical.vectorCores.max < byPaper.vectorCores.min;
    experiment.note(fmt::format(
        "What does not agree, and the assumption behind it: the paper chooses {} vector cores, the searches {} by its "
        "assumptions and {} by the physical estimator. {} The GLB takes {} MB by the physical estimator, {} MB by the "
        "paper's assumptions, {} MB in the paper.",
        printedVector.text(), byPaper.vectorCores.text(), physical.vectorCores.text(),
        fewer ? "Many vector cores follow from vector cores that need no bandwidth: then every lane works all the time "
                "and more of them are always faster. Where words come from the HBM a few cores use up its bandwidth."
              : "The two ranges overlap here, so that the number of vector cores cannot be laid to the assumption that "
                "they need no bandwidth.",
        physical.buffers.text(), byPaper.buffers.text(), printedBuffers.text()));
    experiment.note(fmt::format(
        "Metric 'papers_choice' is the throughput of the model on the accelerator that the paper prints over that on "
        "ours: {} by the paper's assumptions, {} by the physical estimator. The searches look at every accelerator, "
        "the "
        "paper's stops after six areas without a rise.",
        byPaper.ofBest.text(), physical.ofBest.text()));
    const double common = 100 * experiment.areaShareOf(experiment.architectureOf(kPrintedCommon));
    experiment.note(fmt::format(
        "Areas, by the published model: the paper's choices take {} % of TPUv4's, its common one {:.4g} %, so that "
        "'within 91 %' holds. 'Within 3 % of the largest areas' (appendix D) does not: BertLarge's choice lies {:.1f} "
        "% "
        "below.",
        printedArea.text(), common, 100 - printedArea.min));
    double sum = 0;
    std::vector<std::pair<double, std::size_t>> shares;
    for (const std::size_t model : allModels()) {
        shares.emplace_back(solved[0].common.perModel[model].throughput, model);
        sum += shares.back().first;
    }
    std::sort(shares.rbegin(), shares.rend());
    std::string alsoFor;
    for (const PrintedWorkload& paper : printedWorkloads())
        if (paper.design == kPrintedCommon)
            alsoFor += fmt::format("{}{}", alsoFor.empty() ? ", which is also that for " : " and ", paper.name);
    experiment.note(fmt::format(
        "The common accelerator has the greatest mean throughput in samples per second, as in algorithm 1. Of the sum, "
        "{} and {} have {:.0f} % on ours. 'papers_choice' of 'common' is the ratio of these means on the paper's "
        "common "
        "choice{} and on ours.",
        printedWorkloads()[shares[0].second].name, printedWorkloads()[shares[1].second].name,
        100 * (shares[0].first + shares[1].first) / sum, alsoFor));
    experiment.note(
        "Llama2-7B's choice is printed with 1 MB of L2 for arrays of 256x64; the rule of appendix C.1, which is used "
        "here, gives 256 KB. 'hbm_gb' of ours is the smallest HBM with the same throughput.");
}

}  // namespace

Reproduction phazeTable2(const Figure& figure, const ReproductionOptions& options, const RunControl& control) {
    CodesignExperiment experiment(figure, options, control, kSearchesOfAll);
    experiment.read(allModels());
    const auto solved = solveAll(experiment);
    for (const std::size_t model : allModels())
        for (std::size_t e = 0; e < kEstimating.size(); ++e) {
            const PrintedWorkload& paper = printedWorkloads()[model];
            const codesign::Result& own = solved.at(e).own[model];
            const std::string item = itemOf(paper.name, kEstimating.at(e));
            addDesign(experiment, item, own.best->architecture, paper.design, own.best->hbm.value,
                      static_cast<double>(paper.hbmGigabytes));
            addPlacement(experiment, item, own.perModel.front(), paper);
            experiment.row(
                item, "papers_choice",
                solved.at(e).printedOwn[model].perModel.front().throughput / own.perModel.front().throughput);
        }
    for (std::size_t e = 0; e < kEstimating.size(); ++e) {
        const codesign::Result& common = solved.at(e).common;
        const std::string item = itemOf("common", kEstimating.at(e));
        addDesign(experiment, item, common.best->architecture, kPrintedCommon, common.best->hbm.value,
                  kPrintedCommonHbm);
        double ours = 0, papers = 0;
        for (const std::size_t model : allModels()) {
            ours += common.perModel[model].throughput;
            papers += solved.at(e).printedCommon.perModel[model].throughput;
        }
        experiment.row(item, "papers_choice", papers / ours);
    }
    addNotes(experiment, solved);
    return std::move(experiment).finish();
}

}  // namespace tessera::study
