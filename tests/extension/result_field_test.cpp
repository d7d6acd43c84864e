#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/report/catalogue.h"
#include "core/report/field_table.h"
#include "core/report/mapping_report.h"
#include "core/report/partition_report.h"
#include "core/report/prediction_report.h"
#include "core/study/calibrate/study.h"
#include "core/study/codesign/fields.h"
#include "core/study/comparison.h"
#include "core/study/cost/study.h"
#include "core/study/explanation.h"
#include "core/study/mapping/fields.h"
#include "core/study/partition/fields.h"
#include "core/study/placement/study.h"
#include "core/study/plan/fields.h"
#include "core/study/plan/study.h"
#include "core/study/prediction/fields.h"
#include "core/study/schedule/study.h"
#include "core/study/study.h"
#include "tests/support/calibration_result.h"
#include "tests/support/codesign_result.h"
#include "tests/support/partition_result.h"
#include "tests/support/plan_result.h"
#include "tests/support/portfolio_result.h"
#include "tests/support/prediction_result.h"
#include "tests/support/schema.h"
#include "ui/models/codesign_facts.h"
#include "ui/models/codesign_tables.h"
#include "ui/models/field_columns.h"
#include "ui/models/mapping_facts.h"
#include "ui/models/mapping_tables.h"
#include "ui/models/partition_facts.h"
#include "ui/models/partition_tables.h"
#include "ui/models/prediction_tables.h"

/// A number of a result is one field: what every field promises is held to, in every output that it names.
namespace tessera::test {
namespace {

using study::Field;
using testing::Contains;

struct Mapped {
    std::shared_ptr<const study::Result> result = std::make_shared<const study::Result>(handMadePortfolio());
    const study::MappingOutcome& outcome = result->outcome.get<study::MappingOutcome>();
    const mapping::Run& run = outcome.result.runs.front();
};

std::vector<std::string> headsOf(const report::Table& table) {
    std::vector<std::string> heads;
    for (const report::Table::Column& column : table.columns) heads.push_back(column.title);
    return heads;
}

std::string lowered(std::string_view title) {
    std::string text(title);
    text.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(text.front())));
    return text;
}

/// Every cell of the tables for people, of the sheets and of the window is what the field says of the row.
template <typename Row>
void check(const std::vector<Field<Row>>& fields, const std::vector<Row>& rows, const report::Table& people,
           const report::Table& exact, const ui::TableModel& window) {
    std::size_t inText = 0, inExact = 0;
    int inWindow = 0;
    std::vector<std::string> ids;
    for (const Field<Row>& field : fields) {
        SCOPED_TRACE(field.id);
        EXPECT_EQ(std::count(ids.begin(), ids.end(), field.id), 0);
        ids.emplace_back(field.id);
        EXPECT_NE(field.uses & ~(study::kWords | study::kSummed | study::kOptional), 0U);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if ((field.uses & study::kExactTable) != 0) {
                EXPECT_EQ(exact.columns.at(inExact).title, field.id);
                EXPECT_EQ(exact.rows.at(i).at(inExact), exactOf(field, rows[i]));
            }
            if ((field.uses & study::kTable) != 0) {
                const ui::TableModel::Column& column = window.columns().at(inWindow);
                EXPECT_EQ(column.title.toStdString(), headOf(field));
                EXPECT_EQ(column.text(static_cast<int>(i)), ui::shownText(textOf(field, rows[i])));
                EXPECT_EQ(column.number, (field.uses & study::kWords) == 0);
            }
        }
        if ((field.uses & study::kText) != 0) {
            EXPECT_EQ(headsOf(people).at(inText), lowered(headOf(field)));
        }
        inText += (field.uses & study::kText) != 0 ? 1 : 0;
        inExact += (field.uses & study::kExactTable) != 0 ? 1 : 0;
        inWindow += (field.uses & study::kTable) != 0 ? 1 : 0;
    }
    EXPECT_EQ(people.columns.size(), inText);
    EXPECT_EQ(exact.columns.size(), inExact);
    EXPECT_EQ(window.columns().size(), inWindow);
    EXPECT_EQ(people.rows.size(), rows.size());
}

TEST(MappingFields, areSaidAlikeByReportsSheetsAndTheWindow) {
    const Mapped mapped;
    auto choice = std::make_shared<ui::MappingChoice>();
    choice->run = ui::MappingRun(mapped.result);
    choice->uses = study::coreUse(mapped.outcome, mapped.run);
    QObject owner;
    check(study::runFields(), study::mappedRuns(mapped.outcome), report::algorithmTable(mapped.outcome),
          report::algorithmTable(mapped.outcome, study::kExactTable), *ui::algorithmTableModel(choice, &owner));
    check(study::coreFields(), study::mappedCores(mapped.outcome, mapped.run),
          report::coreTable(mapped.outcome, mapped.run),
          report::coreTable(mapped.outcome, mapped.run, study::kExactTable), *ui::coreTableModel(choice, &owner));
    check(study::jobFields(), study::mappedJobs(mapped.outcome, mapped.run),
          report::jobTable(mapped.outcome, mapped.run), report::exactJobTable(mapped.outcome, {&mapped.run}),
          *ui::jobTableModel(choice, &owner));
}

TEST(PredictionFields, areSaidAlikeByReportsSheetsAndTheWindow) {
    auto choice = std::make_shared<ui::PredictionChoice>();
    choice->run = ui::PredictionRun(std::make_shared<const study::Result>(wholePrediction()));
    const study::PredictionOutcome& outcome = choice->run.outcome();
    choice->operators = {0, 1, 2, 3, 4, 5};
    QObject owner;
    check(study::predictionFields(), outcome.predictions, report::predictionTable(outcome),
          report::predictionTable(outcome, study::kExactTable), *ui::predictionTableModel(choice, {}, &owner));
    const std::vector<study::TimedOperator> operators = study::timedOperators(outcome, choice->chosen());
    ASSERT_EQ(operators.size(), 6U);
    check(study::operatorFields(), operators, {.columns = {}, .rows = std::vector<std::vector<std::string>>(6)},
          report::exactOperatorTable(outcome, choice->chosen()), *ui::operatorTableModel(choice, &owner));
}

TEST(PredictionFields, areMetricsWithExplanations) {
    const study::Result result = wholePrediction();
    std::vector<std::string> metrics;
    for (const study::Metric& metric : study::metricsOf(result)) metrics.push_back(metric.name);
    for (const Field<predict::Prediction>& field : study::predictionFields()) {
        const std::string name = "cheap@8/" + std::string(field.id);
        const bool given = std::count(metrics.begin(), metrics.end(), name) == 1;
        EXPECT_TRUE(!given || (field.uses & study::kMetric) != 0) << name;
        EXPECT_EQ(field.terms != nullptr, (field.uses & study::kMetric) != 0) << name;
        if (!given) continue;
        const auto explanation = study::explain(result, name);
        ASSERT_TRUE(explanation) << name;
        EXPECT_EQ(explanation->formula, field.formula);
        EXPECT_FALSE(explanation->terms.empty()) << name;
    }
    EXPECT_GE(metrics.size(), 13U);
}

TEST(MappingFields, areMetricsAndExplainedWhereTheySayIt) {
    const Mapped mapped;
    std::vector<std::string> metrics;
    for (const study::Metric& metric : study::metricsOf(*mapped.result)) metrics.push_back(metric.name);
    for (const Field<study::MappedRun>& field : study::runFields()) {
        const bool has = !exactOf(field, study::MappedRun{&mapped.outcome, &mapped.run}).empty();
        const std::string name = mapped.run.algorithm + "/" + std::string(field.id);
        EXPECT_EQ(std::count(metrics.begin(), metrics.end(), name), has && (field.uses & study::kMetric) != 0 ? 1 : 0)
            << name;
        if (pathOf(field).empty() || !has) continue;
        EXPECT_TRUE(study::explain(*mapped.result, mapped.run.algorithm + "/" + std::string(pathOf(field))))
            << field.id;
    }
    for (const Field<study::MappedJob>& field : study::jobFields()) {
        if (pathOf(field).empty()) continue;
        EXPECT_TRUE(study::explain(*mapped.result, mapped.run.algorithm + "/jobs[2]/" + std::string(pathOf(field))))
            << field.id;
    }
}

std::vector<std::string> labels(const ui::Facts& facts) {
    std::vector<std::string> all;
    for (const ui::Facts::Section& section : facts.sections)
        for (const ui::Facts::Row& row : section.rows) all.push_back(row.label.toStdString());
    return all;
}

/// The fields that are facts are said of the row.
template <typename Row>
void expectAll(const std::vector<Field<Row>>& fields, const Row& row, const std::vector<std::string>& said) {
    for (const Field<Row>& field : fields) {
        if ((field.uses & (study::kFacts | study::kWhat)) == 0 || exactOf(field, row).empty()) continue;
        EXPECT_THAT(said, Contains(std::string(field.title)));
    }
}

/// What a row says it is explained by, is.
template <typename Row>
void expectExplained(const study::Result& result, const std::vector<Field<Row>>& fields, const Row& row,
                     const std::string& owner) {
    for (const Field<Row>& field : fields) {
        if (pathOf(field).empty() || exactOf(field, row).empty()) continue;
        const auto made = study::explain(result, owner + "/" + std::string(pathOf(field)));
        ASSERT_TRUE(made) << field.id;
        EXPECT_FALSE(made->formula.empty()) << field.id;
        if (pathOf(field) == field.id && (field.uses & study::kMetric) == 0) {
            EXPECT_EQ(made->value, textOf(field, row)) << field.id;
        }
    }
}

TEST(PartitionFields, areSaidAlikeEverywhere) {
    auto choice = std::make_shared<ui::PartitionChoice>();
    choice->run = ui::PartitionRun(std::make_shared<const study::Result>(handMadeResult()));
    const study::PartitionOutcome& outcome = choice->run.outcome();
    const partition::Plan& plan = choice->chosen();
    for (const std::vector<std::string>& row : report::levelTable(plan).rows) choice->types.push_back(row.back());
    QObject owner;
    const auto exact = [](const auto& fields, const auto& rows) {
        return report::tableOf(fields, rows, study::kExactTable);
    };
    check(study::planFields(), outcome.result.plans, report::strategyTable(outcome),
          exact(study::planFields(), outcome.result.plans), *ui::strategyTableModel(choice, &owner));
    check(study::subsetFields(), plan.subsets, report::subsetTable(plan), exact(study::subsetFields(), plan.subsets),
          *ui::subsetTableModel(choice, &owner));
    check(study::levelFields(), plan.levels, report::levelTable(plan), exact(study::levelFields(), plan.levels),
          *ui::levelTableModel(choice, &owner));
    check(study::shareFields(), plan.shares, report::acceleratorTable(plan), exact(study::shareFields(), plan.shares),
          *ui::acceleratorTableModel(choice, &owner));
    expectAll(study::planFields(), plan, labels(ui::planFacts(*choice)));
    expectAll(study::levelFields(), choice->level(), labels(ui::splitFacts(*choice)));
    expectAll(study::shareFields(), plan.shares.front(), labels(ui::acceleratorFacts(*choice, 0)));
    const study::SplitRow layer = study::splitRow(outcome.result, plan, choice->level(), 0);
    expectAll(study::splitRowFields(), layer, labels(ui::layerFacts(*choice, 0)));
    const study::Result& result = choice->run.result();
    expectExplained(result, study::planFields(), plan, plan.strategy);
    expectExplained(result, study::levelFields(), choice->level(), plan.strategy + "/levels[0]");
    expectExplained(result, study::splitRowFields(), layer, plan.strategy + "/levels[0]/layers[0]");
    expectExplained(result, study::shareFields(), plan.shares.front(), plan.strategy + "/per_accelerator[0]");
}

TEST(CodesignFields, areSaidAlikeEverywhere) {
    auto choice = std::make_shared<ui::CodesignChoice>();
    choice->run = ui::CodesignRun(std::make_shared<const study::Result>(wholeCodesign()));
    choice->model = 1;
    const codesign::Result& found = choice->run.result();
    const std::vector<study::ModelStage> stages = study::stagesOf(choice->run.model(1));
    ASSERT_EQ(stages.size(), 4U);
    QObject owner;
    check(study::stageFields(), stages, {.columns = {}, .rows = std::vector<std::vector<std::string>>(4)},
          report::tableOf(study::stageFields(), stages, study::kExactTable), *ui::stageTableModel(choice, &owner));
    const study::TrainedModel model = study::trainedModels(found).at(1);
    expectAll(study::modelFields(), model, labels(ui::placedModelFacts(*choice, 1)));
    expectExplained(choice->run.whole(), study::modelFields(), model, model.model->model);
    const study::DesignPoint best{&found, &*found.best};
    expectAll(study::pointFields(), best, labels(ui::architectureFacts(*choice, choice->run.bestRow())));
}

TEST(MappingFields, areFactsOfTheChosenRow) {
    const Mapped mapped;
    auto choice = std::make_shared<ui::MappingChoice>();
    choice->run = ui::MappingRun(mapped.result);
    choice->uses = study::coreUse(mapped.outcome, mapped.run);
    expectAll(study::runFields(), study::MappedRun{&mapped.outcome, &mapped.run}, labels(ui::algorithmFacts(*choice)));
    expectAll(study::coreFields(), study::mappedCores(mapped.outcome, mapped.run).at(1),
              labels(ui::coreFacts(*choice, 1)));
    expectAll(study::jobFields(), study::mappedJobs(mapped.outcome, mapped.run).at(3),
              labels(ui::jobFacts(*choice, 3)));
}

/// Results of the engines whose numbers are of the whole result.
const study::Result& ranOnce(std::string_view engine, const std::vector<std::string>& models,
                             const std::vector<std::string>& workloads,
                             const std::vector<std::pair<std::string, Json>>& parameters) {
    static std::map<std::string_view, study::Result> results;
    const auto found = results.find(engine);
    if (found != results.end()) return found->second;
    study::Study study = study::newStudy(engine);
    study.models = models;
    study.workloads = workloads;
    for (const auto& [name, value] : parameters) study.parameters[name] = value;
    return results.emplace(engine, study::run(study)).first->second;
}
const study::Result& placedResult() {
    return ranOnce("place", {}, {"bert-large"}, {});
}
const study::Result& scheduledResult() {
    return ranOnce("schedule", {}, {"mixture-of-experts"}, {{"tensor_cores", 4}, {"vector_cores", 4}});
}
const study::Result& costedResult() {
    return ranOnce("cost", {}, {"zoo:lenet5"}, {});
}
const study::Result& exploredResult() {
    return ranOnce("explore", {}, {},
                   {{"study", study::toJson(costedResult().study)},
                    {"variables", Json::parse(R"([{"name": "pes", "parameter": "pes", "values": [256, 1024]}])")},
                    {"objectives", Json::parse(R"([{"metric": "cycles"}, {"metric": "energy_j"}])")},
                    {"method", "grid"}});
}
const study::Result& plannedResult() {
    return planned("zoo:gpt2", "dgx-a100x16", 64);
}

struct WholeResult {
    const char* engine;
    study::Result (*make)();
};
class EveryNumberOfAResult : public testing::TestWithParam<WholeResult> {};

TEST_P(EveryNumberOfAResult, isExplainedInTheSheetComparedAndInTheDocument) {
    const study::Result result = GetParam().make();
    const std::vector<study::Metric> metrics = study::metricsOf(result);
    ASSERT_FALSE(metrics.empty());
    const report::Selection at;
    const report::Table sheet = report::tableNamed(result.study.engine, "metrics").make({result, at, {}});
    ASSERT_EQ(sheet.rows.size(), metrics.size());
    const study::Comparison compared = study::compare({&result, &result}, {"one", "other"});
    for (std::size_t i = 0; i < metrics.size(); ++i) {
        const study::Metric& metric = metrics[i];
        SCOPED_TRACE(metric.name);
        const std::optional<study::Explanation> explanation = study::explain(result, metric.name);
        ASSERT_TRUE(explanation);
        EXPECT_EQ(explanation->value, study::textOf(metric));
        EXPECT_FALSE(explanation->formula.empty());
        EXPECT_FALSE(explanation->source.empty());
        EXPECT_EQ(sheet.rows[i].front(), metric.name);
        EXPECT_EQ(sheet.rows[i].back(), exactNumber(metric.value));
        EXPECT_THAT(compared.metrics,
                    Contains(testing::Truly([&](const auto& row) { return row.metric.name == metric.name; })));
    }
    const Json document = study::toJson(result);
    const study::Result again =
        study::readResult(JsonDocument::parse(toText(document), "result.json").root(), result.study);
    EXPECT_EQ(study::metricsOf(again), metrics) << "what is not in the document is lost";
    EXPECT_EQ(errorsBySchema(nlohmann::json::parse(document.dump()),
                             nlohmann::json::parse(study::engineOf(result).jsonSchema().dump())),
              "");
}

INSTANTIATE_TEST_SUITE_P(Engines, EveryNumberOfAResult,
                         testing::Values(WholeResult{"plan", [] { return plannedResult(); }},
                                         WholeResult{"place", [] { return placedResult(); }},
                                         WholeResult{"schedule", [] { return scheduledResult(); }},
                                         WholeResult{"cost", [] { return costedResult(); }},
                                         WholeResult{"calibrate", [] { return handMadeCalibration(); }},
                                         WholeResult{"explore", [] { return exploredResult(); }}),
                         [](const auto& tested) { return std::string(tested.param.engine); });

/// Fields of what a result has once are its metrics.
template <typename Row>
void expectMetrics(const study::Result& result, const std::vector<Field<Row>>& fields, const Row& row) {
    const std::vector<study::Metric> metrics = study::metricsOf(result);
    std::size_t given = 0;
    for (const Field<Row>& field : fields) {
        SCOPED_TRACE(field.id);
        EXPECT_NE(field.uses & study::kMetric, 0U);
        const std::string exact = exactOf(field, row);
        const auto found = std::find_if(metrics.begin(), metrics.end(),
                                        [&](const study::Metric& metric) { return metric.name == field.id; });
        ASSERT_EQ(found != metrics.end(), !exact.empty());
        if (exact.empty()) continue;
        ++given;
        EXPECT_EQ(exactNumber(found->value), exact);
        EXPECT_EQ(found->title, field.title);
        EXPECT_EQ(found->better, field.better);
    }
    EXPECT_GE(given, 3U);
}

TEST(FieldsOfAWholeResult, areItsMetrics) {
    expectMetrics(plannedResult(), study::trainingPlanFields(), plannedResult().outcome.get<study::PlanOutcome>());
    expectMetrics(placedResult(), study::placementFields(), placedResult().outcome.get<study::PlacementOutcome>());
    expectMetrics(scheduledResult(), study::scheduleFields(), scheduledResult().outcome.get<study::ScheduleOutcome>());
    expectMetrics(costedResult(), study::totalFields(), totalsOf(costedResult().outcome.get<study::CostOutcome>()));
    const study::Result calibrated = handMadeCalibration();
    expectMetrics(calibrated, study::calibrationFields(), calibrated.outcome.get<study::CalibrationOutcome>());
}

}  // namespace
}  // namespace tessera::test
