#include "core/study/engine.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <QUndoStack>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/cli/study_options.h"
#include "core/base/enum_names.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/report/catalogue.h"
#include "core/store/recorder.h"
#include "core/store/store.h"
#include "core/study/comparison.h"
#include "core/study/members.h"
#include "core/study/option_table.h"
#include "core/study/study.h"
#include "core/study/study_schema.h"
#include "tests/extension/command.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/shown.h"
#include "ui/editors/study_form.h"
#include "ui/models/engine_words.h"
#include "ui/views/runs/run_pages.h"
#include "ui/views/runs/run_view.h"

/// An engine is a row of its own folder's making, and its catalogue: here one is added that nothing else knows of, and
/// what every engine has is asked of it.
namespace tessera::test {
namespace {

namespace fs = std::filesystem;
using study::Result;
using study::Study;
using testing::AllOf;
using testing::HasSubstr;

/// What the toy engine finds: numbers of a file to a power, and their sum.
struct Powers {
    std::string name;
    std::vector<double> terms;
    double sum = 0;
};

enum class Terms : std::uint8_t { all, largest };
constexpr EnumNames<Terms> kTermsNames{"all", "largest"};

struct Options {
    int power = 2;
    Terms terms = Terms::all;
};

const study::OptionTable<Options>& toyTable() {
    using study::Values;
    static const study::OptionTable<Options> kTable{
        {"power", "--power N", &Options::power, Values::whole(1, 9), "to which the numbers are raised"},
        {"terms", "--terms WHICH", &Options::terms, Values::word(kTermsNames.all()).labelled("Terms that count"),
         "which terms are added"},
    };
    return kTable;
}

const std::vector<study::Parameter>& parameters() {
    return toyTable().parameters();
}

Result runToy(const Study& study, const study::RunContext& /*context*/) {
    const JsonDocument file = JsonDocument::load(placeOfInput(study.workloads.at(0)));
    Result result;
    result.study = study;
    result.inputs = {{study.workloads[0], sha256(file.text())}};
    result.assumptions = {"Numbers are exact."};
    Powers found{.name = file.root().at("name").text(), .terms = {}, .sum = 0};
    const Options options = toyTable().of(study);
    for (const JsonNode& number : file.root().at("numbers").elements(100)) {
        double term = 1;
        for (int i = 0; i < options.power; ++i) term *= number.number();
        found.terms.push_back(term);
        found.sum += term;
    }
    if (options.terms == Terms::largest) {
        found.sum = *std::max_element(found.terms.begin(), found.terms.end());
        found.terms = {found.sum};
    }
    result.outcome = std::move(found);
    return result;
}

/// How they stand in a document: a row for each number, from which it is written and read.
constexpr study::DocumentKind kToyKind{"tessera.toy-result/1", "toy", "study_name"};
constexpr auto kToyDocument = [](auto& doc, auto& found, auto& result) {
    doc.derived("parameters", *result.study.parameters);
    doc("name", found.name);
    doc("terms", found.terms);
    doc("sum", found.sum);
};

void writeToy(const Result& result, const study::TextSink& write) {
    study::writeDocument<Powers>(result, write, kToyKind, kToyDocument);
}

Result readToy(const JsonNode& document, const Study& study) {
    return study::readDocument<Powers>(document, study, kToyKind, kToyDocument);
}

study::Engine toyEngine() {
    return {.id = "toy",
            .title = "Toy",
            .description = "Adds powers of numbers.",
            .hardwareKind = "",
            .workloadKind = "numbers",
            .models = study::InputArity::none,
            .workloads = study::InputArity::one,
            .hardware = study::InputArity::none,
            .parameters = parameters,
            .files =
                [](const Study& study) {
                    return std::vector<study::InputFile>{
                        {.hardware = false, .name = study.workloads[0], .path = placeOfInput(study.workloads[0])}};
                },
            .run = runToy,
            .estimate = [](const Study&) { return study::Estimate{.text = "at once", .seconds = 0, .problems = {}}; },
            .resultSchema = "tessera.toy-result/1",
            .write = writeToy,
            .read = readToy,
            .headline = [](const Result& result) { return fmt::format("sum {}", result.outcome.get<Powers>().sum); },
            .metrics =
                [](const Result& result) {
                    return std::vector<study::Metric>{{.name = "toy_sum",
                                                       .title = "Sum of powers",
                                                       .owner = "",
                                                       .value = result.outcome.get<Powers>().sum,
                                                       .better = study::Metric::Better::higher}};
                },
            .keyMetrics = {{"toy_sum"}},
            .deciding = {{"toy_sum", false, "All runs add to {0}", "No run adds to more than {1}, at {0}",
                          "{1} adds to {2} as much as {3}: {0} against {4}"}},
            .addToComparison =
                [](study::Comparison& comparison, const std::vector<const Result*>& results) {
                    if (results.front()->outcome.as<Powers>() != nullptr)
                        comparison.notes.emplace_back("Powers are compared by their sum alone.");
                }};
}

report::Catalogue toyCatalogue() {
    report::TableRow terms{
        {"terms", "Terms", "The powers, one by one", report::Scope::result, report::kWindow | report::kReport},
        [](const report::View& view) {
            report::Table table;
            table.columns = {{"term", true}};
            for (const double term : view.result.outcome.get<Powers>().terms)
                table.rows.push_back({fmt::format("{}", term)});
            return table;
        }};
    report::PictureRow bars{
        {"powers", "Powers", "The powers as bars", report::Scope::result, report::kWindow | report::kReport},
        [](const report::View& view) {
            report::Chart chart{.id = "powers", .title = "Powers of the numbers"};
            const std::vector<double>& powers = view.result.outcome.get<Powers>().terms;
            report::Series series{.name = "powers", .mark = report::Mark::bars};
            for (std::size_t i = 0; i < powers.size(); ++i) {
                series.x.push_back(double(i));
                series.y.push_back(powers[i]);
                chart.x.categories.push_back(fmt::format("term {}", i + 1));
            }
            chart.series = {series};
            return chart;
        }};
    return {.engine = "toy",
            .pictures = {bars},
            .tables = {terms},
            .firstTable = "terms",
            .preposition = "of",
            .subject = [](const Result& result) { return result.outcome.get<Powers>().name; },
            .choices = [](const Result&) { return std::vector<std::string>(); },
            .sentences = [](const Result&) { return std::vector<std::string>(); }};
}

class ToyEngine : public testing::Test {
protected:
    static void SetUpTestSuite() {
        study::addEngine(toyEngine());
        report::addCatalogue(toyCatalogue());
    }
    void SetUp() override {
        writeFile(folder_ / "three.json", R"({"name": "three", "numbers": [1, 2, 3]})");
        writeStudy("squares", "{}");
        writeStudy("cubes", R"({"power": 3})");
    }

    void writeStudy(const std::string& name, const std::string& values) const {
        writeFile(folder_ / (name + ".study.json"),
                  fmt::format(R"({{"schema": "tessera.study/1", "engine": "toy", "name": "{}", )"
                              R"("workloads": ["three.json"], "parameters": {}}})",
                              name, values));
    }
    std::string command(std::vector<std::string> arguments) const {
        arguments.insert(arguments.end(), {"--store", (folder_ / "history.db").string(), "--no-progress"});
        return printed(std::move(arguments));
    }
    std::string ran(const std::string& name) const {
        return command({"run", (folder_ / (name + ".study.json")).string()});
    }

    test::ScratchFolder folder_;
};

TEST_F(ToyEngine, runsAndIsPrintedWithItsTables) {
    const std::string text = ran("squares");
    EXPECT_THAT(text, AllOf(HasSubstr("sum 14"), HasSubstr("Terms"), HasSubstr("Numbers are exact.")));
    EXPECT_THAT(ran("cubes"), HasSubstr("sum 36"));
}

TEST_F(ToyEngine, isKeptListedComparedReportedAndExported) {
    ran("squares");
    ran("cubes");
    EXPECT_THAT(command({"history", "list"}), AllOf(HasSubstr("squares"), HasSubstr("three.json"), HasSubstr("14\n")));
    EXPECT_THAT(command({"history", "show", "1"}), HasSubstr("sum 14"));
    EXPECT_THAT(command({"history", "compare", "1", "2"}),
                AllOf(HasSubstr("B (run 2, cubes) adds to 2.57× as much as A (run 1, squares): 36 against 14."),
                      HasSubstr("Powers are compared by their sum alone.")));
    EXPECT_EQ(command({"export", "1", "--out", "-", "--format", "csv"}), "term\r\n1\r\n4\r\n9\r\n");
    EXPECT_THAT(command({"export", "2", "--what", "chart", "--out", "-", "--format", "svg"}),
                HasSubstr("Powers of the numbers"));
    const fs::path page = folder_ / "page.html";
    command({"report", "1", "2", "--out", page.string()});
    EXPECT_THAT(readFile(page), AllOf(HasSubstr("Powers of the numbers"), HasSubstr("sum 36"), HasSubstr("Terms")));
}

TEST_F(ToyEngine, isRepeatedFromTheHistoryWhenItsFileIsGone) {
    ran("squares");
    fs::remove(folder_ / "three.json");
    const store::Store store = store::Store::open(folder_ / "history.db", store::OpenMode::readOnly);
    study::RunContext context;
    context.files = store::storedInputs(store, 1);
    const Result again = study::run(store.study(1), context);
    EXPECT_EQ(study::headline(again), "sum 14");
    EXPECT_EQ(study::toJson(again), study::toJson(*store.result(1)));
}

TEST_F(ToyEngine, isSweptOverItsParameter) {
    const std::string text = command({"sweep", (folder_ / "squares.study.json").string(), "--over", "power=1,2,3"});
    EXPECT_THAT(text, AllOf(HasSubstr("sum 6"), HasSubstr("sum 14"), HasSubstr("sum 36")));
}

TEST_F(ToyEngine, aParameterIsAMemberAndARow) {
    Study study = study::loadStudy((folder_ / "squares.study.json").string());
    EXPECT_EQ(study.parameters->at("terms"), "all") << "the member's own value";
    study::setParameter(study, "terms", {"largest"});
    EXPECT_EQ(toyTable().of(study).terms, Terms::largest);
    EXPECT_EQ(study::headline(study::run(study)), "sum 9");
    EXPECT_THROW(study::setParameter(study, "terms", {"smallest"}), UsageError);

    CLI::App app;
    cli::ParameterTexts given;
    cli::addParameters(app, parameters(), given);
    EXPECT_THAT(app.help(), AllOf(HasSubstr("--power N"), HasSubstr("to which the numbers are raised (default 2)"),
                                  HasSubstr("--terms WHICH"), HasSubstr("all, largest (default all)")));
    const auto field = ui::fieldOf(*study::findParameter(parameters(), "terms"));
    EXPECT_EQ(field->label, QStringLiteral("Terms that count"));
    EXPECT_EQ(field->words, (QStringList{QStringLiteral("all"), QStringLiteral("largest")}));
    const Json forms = study::studyFileSchema().at("oneOf");
    const auto form = std::find_if(forms.begin(), forms.end(), [](const Json& each) {
        return each.at("/properties/engine/const"_json_pointer) == "toy";
    });
    ASSERT_NE(form, forms.end());
    const Json schema = form->at("/properties/parameters/properties"_json_pointer);
    EXPECT_EQ(schema.at("power").at("description"), "to which the numbers are raised");
    EXPECT_EQ(schema.at("power").at("maximum"), 9);
    EXPECT_EQ(schema.at("terms").at("enum"), Json({"all", "largest"}));
    EXPECT_EQ(schema.at("terms").at("default"), "all");
}

TEST_F(ToyEngine, itsParametersAreChecked) {
    writeStudy("wrong", R"({"power": 10})");
    const Study study = study::newStudy("toy");
    EXPECT_EQ(study.parameters->at("power"), 2);
    EXPECT_THROW(study::loadStudy((folder_ / "wrong.study.json").string()), DataError);
    EXPECT_EQ(study::estimate(study).text, "at once");
}

TEST_F(ToyEngine, itsDocumentComesBackExactly) {
    Study study = study::loadStudy((folder_ / "cubes.study.json").string());
    const Result result = study::run(study);
    const Json json = study::toJson(result);
    const Result again = study::readResult(JsonDocument::parse(toText(json), "toy.json").root(), study);
    EXPECT_EQ(study::toJson(again), json);
    EXPECT_EQ(again.outcome.get<Powers>().sum, 36);
    EXPECT_THROW(study::readResult(JsonDocument::parse(R"({"schema": "other/1"})", "toy.json").root(), study),
                 DataError);
}

TEST_F(ToyEngine, hasAFormAndAPageInTheWindow) {
    const study::Engine& toy = study::engineNamed("toy");
    EXPECT_EQ(ui::newStudyText(toy).toStdString(), "New toy study");
    EXPECT_EQ(ui::iconOf(toy).toStdString(), "study") << "it has none of its own";
    ASSERT_EQ(ui::inputSlots("toy").size(), 1U);
    const auto result =
        std::make_shared<const Result>(study::run(study::loadStudy((folder_ / "squares.study.json").string())));
    const ui::RunViewRow* row = ui::runViewOf(*result);
    ASSERT_NE(row, nullptr);
    QUndoStack undo;
    const std::unique_ptr<ui::RunView> page(row->make(&undo, nullptr));
    page->resize(1280, 760);
    page->showRun({.result = result, .curves = nullptr, .history = {}, .kept = 0});
    const auto* pages = page->findChild<ui::RunPages*>();
    ASSERT_NE(pages, nullptr);
    ASSERT_EQ(pages->pictures()->count(), 1);
    EXPECT_EQ(pages->pictures()->tabText(0).toStdString(), "Powers");
    EXPECT_EQ(pages->details()->tabText(0).toStdString(), "Terms");
    EXPECT_THAT(visibleText(*page).toStdString(), HasSubstr("sum 14"));
    const QVector<ui::Exportable> exports = page->exportables();
    ASSERT_EQ(exports.size(), 3) << "picture, table, document";
    EXPECT_THAT(exports[0].svg(report::Theme(report::ThemeKind::light)), HasSubstr("Powers of the numbers"));
}

}  // namespace
}  // namespace tessera::test
