#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/input_files.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/draw/parallel_layout.h"
#include "core/report/answers.h"
#include "core/report/catalogues.h"
#include "core/report/field_table.h"
#include "core/report/plan_beside.h"
#include "core/report/plan_pictures.h"
#include "core/report/plan_points.h"
#include "core/study/metric.h"
#include "core/study/plan/stage.h"
#include "core/study/plan/study.h"

namespace tessera::report {

namespace {

using study::PlanOutcome;

const PlanOutcome& planOutcomeOf(const study::Result& result) {
    return result.outcome.get<PlanOutcome>();
}

bool isPlanned(const View& view) {
    return planOutcomeOf(view.result).best() != nullptr;
}

/// A configuration of the list, from 0.
struct ConfigurationRow {
    const PlanOutcome* outcome;
    const plan::Evaluated* its;
    std::size_t number;
};

template <int plan::Configuration::*member>
study::FieldValue degreeOf(const ConfigurationRow& row) {
    return study::given(row.its->configuration.*member);
}
template <plan::Objective objective>
study::FieldValue scoreOf(const ConfigurationRow& row) {
    return study::given(row.its->scores.of(objective));
}

/// Degrees of 1 are of no interest where no configuration has more.
template <int plan::Configuration::*member>
study::FieldValue aboveOneOf(const ConfigurationRow& row) {
    const int value = row.its->configuration.*member;
    return value > 1 ? study::given(value) : study::FieldValue();
}

/// Megatron-LM's own is of no interest where all have it.
study::FieldValue orderOf(const ConfigurationRow& row) {
    const physical::RankOrder order = row.its->configuration.order;
    return order == physical::RankOrder::pipelineLast ? study::FieldValue()
                                                      : study::given(physical::kRankOrderNames.of(order));
}

std::string layersText(const plan::Evaluated& evaluated) {
    std::vector<std::string> runs;
    for (std::size_t i = 0; i < evaluated.stages.size();) {
        const std::size_t first = i;
        while (i < evaluated.stages.size() && evaluated.stages[i].layers == evaluated.stages[first].layers) ++i;
        runs.push_back(i - first == 1 ? fmt::format("{}", evaluated.stages[first].layers)
                                      : fmt::format("{} × {}", i - first, evaluated.stages[first].layers));
    }
    return joined(runs, ", ");
}

std::string groupsText(const ConfigurationRow& row) {
    const plan::Configuration& configuration = row.its->configuration;
    std::vector<std::string> names;
    for (const plan::Part& part : configuration.parts) {
        std::string text = row.outcome->groups[part.group].name;
        if (configuration.parts.size() > 1)
            text += fmt::format(": {}, {}", formatCounted(part.stages, "stage", "stages"),
                                formatCounted(part.replicas, "replica", "replicas"));
        if (configuration.isSideBySide())
            text += fmt::format(" of {}", formatCounted(part.microBatches, "micro-batch", "micro-batches"));
        names.push_back(std::move(text));
    }
    return joined(names, "; ");
}

/// Which groups of several it is on: stages of a pipeline, or replicas times the micro-batches of each.
study::FieldValue placedOf(const ConfigurationRow& row) {
    if (row.outcome->groups.size() < 2) return {};
    const plan::Configuration& configuration = row.its->configuration;
    std::vector<std::string> names;
    int stage = 1;
    for (const plan::Part& part : configuration.parts) {
        std::string text = row.outcome->groups[part.group].name;
        if (configuration.isSideBySide())
            text += fmt::format(" {} × {}", part.replicas, part.microBatches);
        else if (configuration.isStacked())
            text += part.stages == 1 ? fmt::format(" stage {}", stage)
                                     : fmt::format(" stages {}–{}", stage, stage + part.stages - 1);
        stage += part.stages;
        names.push_back(std::move(text));
    }
    return study::given(joined(names, ", "));
}

/// What ZeRO shards.
std::string_view shardedText(const plan::Configuration& configuration) {
    constexpr std::array<std::string_view, 4> kTexts{"–", "optimizer", "+ gradients", "+ weights"};
    return kTexts.at(static_cast<std::size_t>(configuration.zero));
}

/// By how many per cent the first configuration is better.
double percentAbove(const ConfigurationRow& row) {
    const plan::Objective goal = row.outcome->goal();
    const double least = row.outcome->best()->scores.of(goal);
    return least > 0 ? 100 * (row.its->scores.of(goal) / least - 1) : 0;
}
constexpr double kAlikePercent = 0.005, kWholePercent = 99.5;

std::string aboveText(const ConfigurationRow& row) {
    if (row.number == 0) return "the best";
    const double percent = percentAbove(row);
    if (percent < kAlikePercent) return "alike";
    return percent < kWholePercent ? fmt::format("+{:.2g} %", percent) : fmt::format("+{:.0f} %", percent);
}

/// What takes most of the difference.
std::string differenceText(const ConfigurationRow& row) {
    if (row.number == 0 || percentAbove(row) < kAlikePercent) return {};
    const plan::Objective goal = row.outcome->goal();
    if (goal != plan::Objective::time) return std::string(plan::kObjectiveNames.of(goal));
    std::vector<std::pair<std::string, double>> shares = planTimeShares(row.its->time);
    const std::vector<std::pair<std::string, double>> best = planTimeShares(row.outcome->best()->time);
    for (std::size_t i = 0; i < shares.size(); ++i) shares[i].second -= best[i].second;
    const std::string most = std::max_element(shares.begin(), shares.end(), [](const auto& a, const auto& b) {
                                 return a.second < b.second;
                             })->first;
    return most.substr(0, most.find(" parallelism"));
}

const std::vector<study::Field<ConfigurationRow>>& configurationFields() {
    constexpr unsigned kText = study::kText, kBoth = kText | study::kExactTable, kWords = kBoth | study::kWords;
    using plan::Configuration;
    using Row = ConfigurationRow;
    static const std::vector<study::Field<Row>> kFields{
        {"rank", "Rank", kBoth, [](const Row& row) { return study::given(row.number + 1); }},
        {.id = "step_time_s",
         .title = "Step",
         .uses = kBoth,
         .get = scoreOf<plan::Objective::time>,
         .measure = Measure::seconds},
        {"above_best", "Against best", kWords, [](const Row& row) { return study::given(aboveText(row)); }},
        {"mostly", "Mostly for", kWords, [](const Row& row) { return study::given(differenceText(row)); }},
        {"tp", "TP", kBoth, degreeOf<&Configuration::tensor>},
        {"pp", "PP", kBoth, degreeOf<&Configuration::pipeline>},
        {"dp", "DP", kBoth, degreeOf<&Configuration::data>},
        {"cp", "CP", kBoth, aboveOneOf<&Configuration::context>},
        {"ep", "EP", kBoth, aboveOneOf<&Configuration::expert>},
        {"etp", "ETP", kBoth | study::kOptional,
         [](const Row& row) { return row.its->configuration.wholeExperts ? study::given(1) : study::FieldValue(); }},
        {"virtual_stages", "VP", kBoth, aboveOneOf<&Configuration::chunks>},
        {"micro_batch", "Micro-batch", kBoth, degreeOf<&Configuration::micro>},
        {"zero", "Sharded", kWords, [](const Row& row) { return study::given(shardedText(row.its->configuration)); }},
        {"recompute", "Recomputed", kWords,
         [](const Row& row) { return study::given(plan::kRecomputationNames.of(row.its->configuration.recompute)); }},
        {"schedule", "Schedule", kWords,
         [](const Row& row) {
             return study::given(row.its->configuration.pipeline > 1 ? physical::nameOf(row.its->configuration.schedule)
                                                                     : std::string_view("–"));
         }},
        {"order", "Order of ranks", kWords | study::kOptional, orderOf},
        {"dtype", "Data type", kWords,
         [](const Row& row) { return study::given(row.outcome->dtypes[row.its->configuration.dtype]); }},
        {"accelerators", "Accelerators", kBoth, scoreOf<plan::Objective::accelerators>},
        {"placed", "On", kText | study::kWords | study::kOptional, placedOf},
        {.id = "memory_bytes",
         .title = "Memory",
         .uses = kBoth,
         .get = scoreOf<plan::Objective::memory>,
         .measure = Measure::bytes},
        {.id = "model_flops_utilisation",
         .title = "MFU",
         .uses = kBoth,
         .get = [](const Row& row) { return study::given(row.its->utilisation); },
         .format = study::percentText},
        {"layers_per_stage", "Layers per stage", study::kExactTable | study::kWords,
         [](const Row& row) { return study::given(layersText(*row.its)); }},
        {"groups", "Groups", study::kExactTable | study::kWords,
         [](const Row& row) { return study::given(groupsText(row)); }},
        {.id = "low_s",
         .title = "Low",
         .uses = study::kExactTable,
         .get = [](const Row& row) { return study::given(row.its->low); },
         .measure = Measure::seconds},
        {.id = "high_s",
         .title = "High",
         .uses = study::kExactTable,
         .get = [](const Row& row) { return study::given(row.its->high); },
         .measure = Measure::seconds},
        {.id = "price_usd", .title = "Price", .uses = study::kExactTable, .get = scoreOf<plan::Objective::price>},
        {.id = "energy_j",
         .title = "Energy",
         .uses = study::kExactTable,
         .get = scoreOf<plan::Objective::energy>,
         .measure = Measure::joules},
    };
    return kFields;
}

std::vector<ConfigurationRow> rowsOf(const PlanOutcome& outcome) {
    std::vector<ConfigurationRow> rows;
    for (std::size_t i = 0; i < outcome.configurations.size(); ++i)
        rows.push_back({&outcome, &outcome.configurations[i], i});
    return rows;
}

Table configurationTable(const PlanOutcome& outcome) {
    return tableOf(configurationFields(), rowsOf(outcome), study::kText);
}
Table exactConfigurationTable(const PlanOutcome& outcome) {
    return tableOf(configurationFields(), rowsOf(outcome), study::kExactTable);
}

/// A stage of a configuration, from 0.
struct StageOfPlan {
    const PlanOutcome* outcome;
    const plan::Evaluated* of;
    std::size_t number;
    const plan::EvaluatedStage& its() const { return of->stages[number]; }
};

/// Where it is the same on all stages, the configuration says it.
study::FieldValue recomputedOf(const StageOfPlan& row) {
    if (row.of->configuration.recompute != plan::Recomputation::perStage) return {};
    const std::string text = study::recomputedText(row.its());
    return study::given(text.empty() ? std::string("none") : text);
}

const std::vector<study::Field<StageOfPlan>>& stageFields() {
    constexpr unsigned kBoth = study::kText | study::kExactTable;
    using Row = StageOfPlan;
    static const std::vector<study::Field<Row>> kFields{
        {"stage", "Stage", kBoth, [](const Row& row) { return study::given(row.number + 1); }},
        {"group", "Group", kBoth | study::kWords,
         [](const Row& row) { return study::given(row.outcome->groups[row.its().group].name); }},
        {"layers", "Layers", kBoth, [](const Row& row) { return study::given(row.its().layers); }},
        {"recomputed", "Recomputed", kBoth | study::kWords | study::kOptional, recomputedOf},
        {.id = "forward_s",
         .title = "Forward",
         .uses = kBoth,
         .get = [](const Row& row) { return study::given(row.its().forward); },
         .measure = Measure::seconds},
        {.id = "backward_s",
         .title = "Backward",
         .uses = kBoth,
         .get = [](const Row& row) { return study::given(row.its().backward); },
         .measure = Measure::seconds},
        {.id = "parameters_bytes",
         .title = "Weights, gradients, optimizer",
         .uses = kBoth,
         .get = [](const Row& row) { return study::given(row.its().memory.parameters); },
         .measure = Measure::bytes},
        {.id = "activations_bytes",
         .title = "Activations",
         .uses = kBoth,
         .get = [](const Row& row) { return study::given(row.its().memory.activations); },
         .measure = Measure::bytes},
        {.id = "working_bytes",
         .title = "At work",
         .uses = kBoth,
         .get = [](const Row& row) { return study::given(row.its().memory.working); },
         .measure = Measure::bytes},
        {.id = "software_bytes",
         .title = "Software",
         .uses = kBoth,
         .get = [](const Row& row) { return study::given(row.its().allowance); },
         .measure = Measure::bytes},
        {.id = "capacity_bytes",
         .title = "Capacity",
         .uses = kBoth,
         .get = [](const Row& row) { return study::given(row.its().capacity); },
         .measure = Measure::bytes},
    };
    return kFields;
}

std::vector<StageOfPlan> stagesOf(const PlanOutcome& outcome, const std::string& rank) {
    std::vector<StageOfPlan> rows;
    const plan::Evaluated* its = outcome.ranked(rank);
    for (std::size_t i = 0; its != nullptr && i < its->stages.size(); ++i) rows.push_back({&outcome, its, i});
    return rows;
}

Table stageTable(const PlanOutcome& outcome, const std::string& rank) {
    return tableOf(stageFields(), stagesOf(outcome, rank), study::kText);
}
Table exactStageTable(const PlanOutcome& outcome, const std::string& rank) {
    return tableOf(stageFields(), stagesOf(outcome, rank), study::kExactTable);
}

Table frontTable(const PlanOutcome& outcome) {
    Table table;
    table.columns = {{"configuration"},
                     {std::string(plan::kObjectiveNames.of(outcome.frontOf.first)), true},
                     {std::string(plan::kObjectiveNames.of(outcome.frontOf.second)), true}};
    for (const study::FrontPoint& point : outcome.front)
        table.rows.push_back({point.text, exactNumber(point.first), exactNumber(point.second)});
    return table;
}

bool comparesFleets(const View& view) {
    return !planOutcomeOf(view.result).fleets.empty();
}

bool isScaled(const View& view) {
    return !planOutcomeOf(view.result).scaling.empty();
}

bool isMeasured(const View& view) {
    return !planOutcomeOf(view.result).measured.empty();
}

/// The best of each fleet that the study compares.
Table fleetTable(const PlanOutcome& outcome) {
    Table table;
    table.columns = {{"fleet"}, {"accelerators", true}, {"step", true}, {"price of a step", true}, {"configuration"}};
    for (const study::ComparedFleet& fleet : outcome.fleets) {
        if (!fleet.best) {
            table.rows.push_back(
                {fleet.name, formatCount(static_cast<double>(fleet.accelerators)), "nothing fits", "", ""});
            continue;
        }
        const double price = fleet.best->of(plan::Objective::price);
        table.rows.push_back({fleet.name, formatCount(static_cast<double>(fleet.accelerators)),
                              formatQuantity(fleet.best->of(plan::Objective::time), Measure::seconds),
                              price > 0 ? objectiveText(plan::Objective::price, price) : std::string("–"),
                              fleet.configuration});
    }
    return table;
}

template <ClusterColour colour>
Picture clusterOf(const View& view) {
    constexpr double kWidth = 960;
    return planClusterDrawing(planOutcomeOf(view.result), view.at.choice, colour, kWidth, estimatedWidth);
}

bool wasAsked(const View& view) {
    return planOutcomeOf(view.result).asked && planOutcomeOf(view.result).asked->evaluated;
}

/// The configuration that the study asks about, beside the best.
Picture answerOf(const View& view) {
    const PlanOutcome& outcome = planOutcomeOf(view.result);
    if (!wasAsked(view))
        return Chart{.id = "answer-step-time",
                     .title = "The configuration that is asked about",
                     .empty = "No configuration was asked about. Name one with --evaluate, or in the study."};
    return planAnswerCharts(outcome, {.asked = *outcome.asked}).front();
}

/// The kept configurations in all values.
Picture parallelOf(const View& view) {
    constexpr Size kParallelAxes{960, 420};
    const PlanOutcome& outcome = planOutcomeOf(view.result);
    const ParallelPicture all = planParallel(outcome);
    Drawing drawing = layOut(all, {}, kParallelAxes, estimatedWidth).drawing;
    drawing.title = all.title;
    return drawing;
}

std::vector<PictureRow> planPictures() {
    return {
        {{"cluster", "Cluster", "Which stage each accelerator holds, coloured by its memory", Scope::choice,
          kEverywhere | kWithoutNumbers, isPlanned},
         clusterOf<ClusterColour::memory>},
        {{"step-time", "Step time", "What takes the step of the best configurations", Scope::result, kEverywhere},
         from(planTimeChart)},
        {{"overhead", "Beside compute", "What a step takes beside compute", Scope::result, kEverywhere},
         from(planOverheadChart)},
        {{"scaling", "Scaling", "What each accelerator does on other numbers of them, beside published runs",
          Scope::result, kEverywhere},
         from(planScalingChart)},
        {{"pipeline", "Pipeline", "Forward and backward passes of the micro-batches by stage", Scope::choice,
          kEverywhere | kTimeline, isPlanned},
         from(study::planTimeline)},
        {{"memory", "Memory", "What fills an accelerator of each stage", Scope::choice, kEverywhere, isPlanned},
         from(planMemoryChart)},
        {{"front", "Front", "Configurations that no other beats in two values", Scope::result, kEverywhere},
         from(planFrontChart)},
        {{"parallel", "Parallel axes", "The kept configurations in all values", Scope::result,
          kWindow | kWithoutNumbers, isPlanned},
         parallelOf},
        {{"answer", "Asked about", "The configuration that the study asks about, beside the best", Scope::result,
          kEverywhere, wasAsked},
         answerOf},
        {{"sensitivity", "Sensitivity", "What a tenth more of a resource would gain", Scope::result, kEverywhere},
         from(planSensitivityChart)},
        {{"cluster-time", "Cluster by time", "Which stage each accelerator holds, coloured by its time", Scope::choice,
          kWindow | kWithoutNumbers, isPlanned},
         clusterOf<ClusterColour::time>},
        {{"configurations", "Space", "What became of the configurations of the space", Scope::result, kEverywhere},
         from(planCountChart)},
    };
}

std::vector<TableRow> planTables() {
    return {{{"configurations", "Configurations", "The best configurations, and why others lose", Scope::result,
              kEverywhere},
             from(configurationTable),
             from(exactConfigurationTable)},
            {{"stages", "Stages", "Layers, times and memory of the stages", Scope::choice, kEverywhere, isPlanned},
             from(stageTable),
             from(exactStageTable)},
            {{"fleets", "Fleets", "The best configuration of each fleet", Scope::result, kEverywhere, comparesFleets},
             from(fleetTable)},
            {{"scaling", "Scaling", "The best by number of accelerators", Scope::result, kEverywhere, isScaled},
             from(planScalingTable),
             from(exactPlanScalingTable)},
            {{"measured", "Measured", "Published runs of the model beside the plan, and what differs", Scope::result,
              kEverywhere, isMeasured},
             from(planMeasuredTable),
             from(exactPlanMeasuredTable)},
            {{"front", "Front", "Configurations that no other beats in two values", Scope::result, kWindow},
             from(frontTable)},
            metricsRow()};
}

/// A framework that a configuration is written for. The window lists those that can run it.
FileRow fileOf(const plan::Framework& framework) {
    const auto runs = [framework](const View& view) {
        const PlanOutcome& outcome = planOutcomeOf(view.result);
        return outcome.best() != nullptr && outcome.shape &&
               framework.misfit(frameworkPlanOf(outcome, view.at.choice)).empty();
    };
    const auto make = [framework](const View& view, const std::filesystem::path& out) {
        const study::Result& result = view.result;
        const std::string text = plan::exported(frameworkPlanOf(planOutcomeOf(result), view.at.choice), framework);
        return std::vector<std::pair<std::filesystem::path, std::string>>{{out, text}};
    };
    return {{framework.id, framework.title, framework.about, Scope::choice, kWindow, runs}, framework.suffix, make};
}

std::vector<FileRow> planFiles() {
    std::vector<FileRow> rows;
    for (const plan::Framework& framework : plan::frameworks()) rows.push_back(fileOf(framework));
    rows.push_back({{"stage", "Partition of a stage",
                     "The study that partitions a stage (rank/stage, such as 1/3) over its accelerators, with its "
                     "layers and its fleet beside it",
                     Scope::choice, 0, [](const View& view) { return planOutcomeOf(view.result).best() != nullptr; }},
                    ".json",
                    [](const View& view, const std::filesystem::path& out) {
                        const InputScope inputs(view.context.files);
                        return study::planStageFiles(view.result, view.at.choice, out);
                    },
                    "study",
                    "stage",
                    study::planStageNames});
    return rows;
}

/// What alone fits; of a network's layers there is no sequence and no other depth.
std::string limitsSentence(const plan::Limits& limits) {
    std::string model;
    if (limits.sequence > 0)
        model = fmt::format("{} tokens a sample, {} layers, ", formatCount(static_cast<double>(limits.sequence)),
                            formatCount(static_cast<double>(limits.layers)));
    return fmt::format("Each alone fits: {}micro-batches of {}; the fewest accelerators are {}.", model, limits.micro,
                       formatCount(static_cast<double>(limits.accelerators)));
}

std::vector<std::string> planSentences(const study::Result& result) {
    const PlanOutcome& outcome = planOutcomeOf(result);
    std::vector<std::string> all;
    if (outcome.asked) all = planAnswerSentences(outcome, *outcome.asked);
    if (outcome.limits) all.push_back(limitsSentence(*outcome.limits));
    if (std::string measured = planMeasuredSentence(outcome); !measured.empty()) all.push_back(std::move(measured));
    return all;
}

std::vector<std::string> planRanks(const study::Result& result) {
    std::vector<std::string> ranks;
    for (std::size_t i = 0; i < planOutcomeOf(result).configurations.size(); ++i)
        ranks.push_back(fmt::format("{}", i + 1));
    return ranks;
}

/// A long table for a terminal: how it begins and ends.
Table shortened(Table table) {
    constexpr std::size_t kMostRows = 12, kFirst = 6, kLast = 3;
    if (table.rows.size() <= kMostRows) return table;
    std::vector<std::vector<std::string>> rows(table.rows.begin(), table.rows.begin() + kFirst);
    rows.emplace_back(table.columns.size(), "…");
    rows.insert(rows.end(), table.rows.end() - kLast, table.rows.end());
    table.rows = std::move(rows);
    return table;
}

std::string planText(const study::Result& result) {
    const PlanOutcome& outcome = planOutcomeOf(result);
    std::string all = study::planHeadline(outcome) + "\n";
    for (const std::string& sentence : planSentences(result)) all += sentence + "\n";
    if (!outcome.fleets.empty()) all += "\nFleets\n" + toText(fleetTable(outcome));
    if (outcome.best() != nullptr) {
        all += "\nConfigurations\n" + toText(configurationTable(outcome));
        all += "\nStages of the best\n" + toText(shortened(stageTable(outcome, {})));
    }
    if (!outcome.scaling.empty()) all += "\nThe best by number of accelerators\n" + toText(planScalingTable(outcome));
    if (!outcome.measured.empty())
        all += "\nPublished runs beside the plan\n" + toText(shortened(planMeasuredTable(outcome)));
    all += "\nAssumptions\n";
    for (const std::string& sentence : result.assumptions) all += "- " + sentence + "\n";
    return all;
}

}  // namespace

Catalogue planCatalogue() {
    return {.engine = "plan",
            .pictures = planPictures(),
            .tables = planTables(),
            .firstTable = "configurations",
            .preposition = "of configuration",
            .subject = [](const study::Result& result) { return planOutcomeOf(result).model; },
            .choices = planRanks,
            .sentences = planSentences,
            .answer = planAnswer,
            .text = planText,
            .files = planFiles()};
}

}  // namespace tessera::report
