#include "ui/editors/study_document.h"

#include <gtest/gtest.h>

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QUndoStack>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/file.h"
#include "tests/ui/editors/documents.h"
#include "ui/editors/form.h"
#include "ui/editors/list_editor.h"
#include "ui/editors/reference_picker.h"
#include "ui/editors/section.h"
#include "ui/editors/study_form.h"
#include "ui/theme/theme.h"

namespace tessera::ui {
namespace {

using test::settle;
using test::waitUntil;

class StudyDocumentTest : public testing::Test {
protected:
    std::unique_ptr<StudyDocument> opened(const QString& key) {
        auto document = std::make_unique<StudyDocument>(key);
        document->resize(1000, 760);
        document->show();
        EXPECT_TRUE(waitUntil([&] { return document->findChild<ReferencePicker*>() != nullptr; }));
        settle(*document);
        return document;
    }
    template <typename Control>
    static Control* named(QWidget& document, const QString& name) {
        for (Control* each : document.findChildren<Control*>())
            if (each->accessibleName() == name) return each;
        return nullptr;
    }
    static QString textOf(QWidget& document, const QString& accessibleName) {
        const auto* label = named<QLabel>(document, accessibleName);
        return label == nullptr ? QString() : label->text();
    }
    static void retype(QLineEdit* field, const QString& text) {
        field->setFocus();
        field->selectAll();
        QTest::keyClicks(field, text);
    }

    test::OwnFolder folder_;
};

TEST_F(StudyDocumentTest, HasAFieldForEveryParameterOfTheEngine) {
    for (const study::Engine& engine : study::engines())
        for (const study::Parameter& parameter : engine.parameters()) {
            const bool field = fieldOf(parameter).has_value();
            const bool list = ui::listOf(parameter, std::make_shared<QStringList>()).has_value();
            EXPECT_EQ(field + list, 1) << parameter.name;
            EXPECT_FALSE(labelOf(parameter).isEmpty());
        }
}

TEST_F(StudyDocumentTest, ANewStudyAsksForItsInputs) {
    const auto document = opened(QStringLiteral("new/partition"));
    EXPECT_FALSE(document->isModified());
    EXPECT_EQ(textOf(*document, QStringLiteral("Estimate of the work")),
              QStringLiteral("Choose a model. Choose the hardware."));
    QSignalSpy runs(document.get(), &Document::runRequested);
    QSignalSpy messages(document.get(), &Document::messaged);
    document->requestRun();
    EXPECT_EQ(runs.count(), 0);
    ASSERT_EQ(messages.count(), 1);
    EXPECT_TRUE(messages.at(0).at(0).toString().contains(QStringLiteral("Choose")));
    test::savePicture(*document, QStringLiteral("editor-study-new"));
}

TEST_F(StudyDocumentTest, RunsWithCtrlReturn) {
    const auto document = opened(QStringLiteral("new/partition?model=zoo:lenet5&hardware=accpar-heterogeneous"));
    QSignalSpy runs(document.get(), &Document::runRequested);
    EXPECT_TRUE(waitUntil([&] { return !textOf(*document, QStringLiteral("Estimate of the work")).isEmpty(); }));
    document->activateWindow();
    named<QPushButton>(*document, QStringLiteral("Run the study"))->click();
    ASSERT_EQ(runs.count(), 1);
    const std::string text = runs.at(0).at(0).toString().toStdString();
    const study::Study study = study::readStudy(JsonDocument::parse(text, "run").root());
    EXPECT_EQ(study.models.at(0), "zoo:lenet5");
    EXPECT_EQ(study.parameters->at("batch"), Json(512));
}

TEST_F(StudyDocumentTest, EditsParametersWithDefaultsAndUndo) {
    const auto document = opened(QStringLiteral("resnet50-mixed-tpus"));
    auto* batch = named<QLineEdit>(*document, QStringLiteral("Batch"));
    ASSERT_NE(batch, nullptr);
    EXPECT_TRUE(batch->placeholderText().contains(QStringLiteral("512")));
    retype(batch, QStringLiteral("1024"));
    EXPECT_EQ(document->study().parameters->at("batch"), Json(1024));
    EXPECT_TRUE(document->isModified());
    QTest::keyClick(batch, Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(document->study().parameters->at("batch"), Json(512));
    EXPECT_FALSE(document->isModified());
    auto* dp = named<QCheckBox>(*document, QStringLiteral("Strategies: dp"));
    ASSERT_NE(dp, nullptr);
    dp->click();
    EXPECT_EQ(document->study().parameters->at("strategies"), Json({"accpar", "hypar", "owt"}));
    auto* compute = named<QCheckBox>(*document, QStringLiteral("Compute"));
    ASSERT_NE(compute, nullptr);
    EXPECT_FALSE(compute->isChecked());
    compute->click();
    EXPECT_EQ(document->study().parameters->at("computation"), Json(false));
}

TEST_F(StudyDocumentTest, SaysWhatIsWrongBesideTheField) {
    const auto document = opened(QStringLiteral("resnet50-mixed-tpus"));
    retype(named<QLineEdit>(*document, QStringLiteral("Batch")), QStringLiteral("0"));
    settle(*document);
    bool said = false;
    for (QLabel* label : document->findChildren<QLabel*>())
        said = said || (label->isVisible() && label->text() == QStringLiteral("This must be at least 1."));
    EXPECT_TRUE(said);
    QSignalSpy runs(document.get(), &Document::runRequested);
    document->requestRun();
    EXPECT_EQ(runs.count(), 0);
    document->undoStack()->undo();
    document->setHardware(QStringLiteral("no-such-fleet"));
    settle(*document);
    document->requestRun();
    EXPECT_EQ(runs.count(), 0);
    test::savePicture(*document, QStringLiteral("editor-study-problems"));
}

TEST_F(StudyDocumentTest, PinsOfferTheModelsLayers) {
    const auto document = opened(QStringLiteral("new/partition?model=zoo:lenet5&hardware=accpar-heterogeneous"));
    ListEditor* pins = nullptr;
    for (ListEditor* each : document->findChildren<ListEditor*>())
        if (each->model()->spec().path == "parameters.pin") pins = each;
    ASSERT_NE(pins, nullptr);
    pins->model()->addRow();
    const Json pinned = document->study().parameters->at("pin");
    ASSERT_EQ(pinned.size(), 1U);
    EXPECT_NE(pinned.begin().key(), "layer 1");
    ASSERT_TRUE(pins->model()->setCell(pins->model()->index(0, 1), Json("III")));
    EXPECT_EQ(document->study().parameters->at("pin").begin().value(), Json("III"));
    document->findChild<Section*>()->setOpen(true);
    settle(*document);
    QTest::qWait(20);
    test::savePicture(*document, QStringLiteral("editor-study-pins"));
    pins->model()->dropRows({0});
    EXPECT_TRUE(document->study().parameters->at("pin").empty());
}

// What a file says as objects is a line here, as on the command line, and what is typed is what is run.
TEST_F(StudyDocumentTest, AnExplorationIsTypedLineByLine) {
    StudyDocument document(QStringLiteral("s2-buffers-and-bandwidth"));
    document.resize(1000, 760);
    document.show();
    std::map<std::string, ListEditor*> lists;
    ASSERT_TRUE(waitUntil([&] {
        for (ListEditor* each : document.findChildren<ListEditor*>()) lists[each->model()->spec().path] = each;
        return lists.size() == 3;
    }));
    settle(document);
    ListModel* const variables = lists.at("parameters.variables")->model();
    ASSERT_GE(variables->rowCount(), 3);
    for (int row = 0; row < variables->rowCount(); ++row)
        EXPECT_TRUE(variables->cell(variables->index(row, 0)).get<std::string>().find('=') != std::string::npos);
    test::savePicture(document, QStringLiteral("editor-exploration"));
    EXPECT_FALSE(document.isModified());
    const int added = variables->addRow();
    ASSERT_TRUE(variables->setCell(variables->index(added, 0), Json("samples=100..10000:log")));
    ListModel* const constraints = lists.at("parameters.constraints")->model();
    ASSERT_TRUE(constraints->setCell(constraints->index(constraints->addRow(), 0), Json("makespan_cycles <= 1e9")));
    const Json read = *document.study().parameters;
    EXPECT_EQ(read.at("variables").back(),
              Json::parse(R"({"name": "samples", "parameter": "samples", "low": 100, "high": 10000, "scale": "log"})"));
    EXPECT_EQ(read.at("constraints").back(), Json::parse(R"({"metric": "makespan_cycles", "max": 1e9})"));
    // A line that is none is marked, and said.
    ASSERT_TRUE(variables->setCell(variables->index(added, 0), Json("samples")));
    ASSERT_TRUE(waitUntil([&] { return !variables->problem(variables->index(added, 0)).isEmpty(); }));
    EXPECT_TRUE(variables->problem(variables->index(added, 0)).contains(QStringLiteral("LOW..HIGH")));
    QSignalSpy runs(&document, &Document::runRequested);
    document.requestRun();
    EXPECT_EQ(runs.count(), 0);
    variables->dropRows({added});
    settle(document);
    document.requestRun();
    EXPECT_EQ(runs.count(), 1);
}

// Any study is the base of an exploration, whose form offers what of it can vary.
TEST_F(StudyDocumentTest, AnyStudyIsExplored) {
    const auto document = opened(QStringLiteral("resnet50-layers-nvdla"));
    QSignalSpy asked(document.get(), &Document::openRequested);
    QAction* explore = nullptr;
    for (QAction* each : document->documentActions())
        if (each->text().startsWith(QStringLiteral("Explore"))) explore = each;
    ASSERT_NE(explore, nullptr);
    explore->trigger();
    ASSERT_EQ(asked.count(), 1);
    EXPECT_EQ(asked.at(0).at(0).toString(), QStringLiteral("study"));
    StudyDocument exploration(asked.at(0).at(1).toString());
    exploration.resize(1000, 760);
    exploration.show();
    ListEditor* variables = nullptr;
    ASSERT_TRUE(waitUntil([&] {
        for (ListEditor* each : exploration.findChildren<ListEditor*>())
            if (each->model()->spec().path == "parameters.variables") variables = each;
        return variables != nullptr;
    }));
    settle(exploration);
    EXPECT_EQ(exploration.study().engine, "explore");
    EXPECT_EQ(exploration.study().parameters->at("study").at("engine"), "cost");
    EXPECT_TRUE(variables->suggestions(std::string()).contains(QStringLiteral("pes=")));
    EXPECT_FALSE(exploration.isModified());
}

TEST_F(StudyDocumentTest, SavesAsAStudyFile) {
    const auto document = opened(QStringLiteral("new/partition?model=zoo:lenet5&hardware=accpar-heterogeneous"));
    EXPECT_EQ(document->title(), QStringLiteral("lenet5 on accpar-heterogeneous"));
    ASSERT_TRUE(document->saveAs(QStringLiteral("mine")));
    EXPECT_EQ(document->key(), QStringLiteral("mine"));
    EXPECT_EQ(study::loadStudy("mine"), document->study());
    document->setModel(QStringLiteral("zoo:vgg19"));
    EXPECT_TRUE(document->isModified());
    EXPECT_TRUE(document->save());
    EXPECT_EQ(study::loadStudy("mine").models.at(0), "zoo:vgg19");
}

TEST_F(StudyDocumentTest, OpensTheStudyOfARun) {
    study::Study study = study::newStudy("partition");
    study.models = {"zoo:lenet5"};
    study.hardware = {"accpar-homogeneous"};
    study.parameters["batch"] = 64;
    const StudyDocument document(study, QStringLiteral("run/1"));
    EXPECT_EQ(document.study(), study);
    EXPECT_FALSE(document.isModified());
}

TEST_F(StudyDocumentTest, RefusesOtherFilesWithASentence) {
    writeFile(folder_.path() / "other.json", R"({"schema": "tessera.fleet/1"})");
    StudyDocument document(QString::fromStdString((folder_.path() / "other.json").string()));
    QSignalSpy messages(&document, &Document::messaged);
    EXPECT_TRUE(waitUntil([&] { return messages.count() == 1; }));
    document.requestRun();
    EXPECT_TRUE(document.study().models.empty());
}

TEST_F(StudyDocumentTest, QuantitiesOfAFileAreShownAsAllOthers) {
    const auto document = opened(QStringLiteral("mixed-jobs-race"));
    auto* bandwidth = named<QLineEdit>(*document, QStringLiteral("Bandwidth"));
    ASSERT_NE(bandwidth, nullptr);
    EXPECT_EQ(bandwidth->text(), QStringLiteral("32 GB/s")) << "the file says 32GB/s";
    EXPECT_FALSE(document->isModified());
}

TEST_F(StudyDocumentTest, UnknownFieldsAreTakenOutWhereTheyAreNamed) {
    writeFile(folder_.path() / "odd.json", R"({"schema": "tessera.study/1", "engine": "partition", "comment": "mine",
        "models": ["zoo:lenet5"], "hardware": ["accpar-homogeneous"], "parameters": {"batchsize": 12, "batch": 64}})");
    const auto document = opened(QString::fromStdString((folder_.path() / "odd.json").string()));
    settle(*document);
    QSignalSpy runs(document.get(), &Document::runRequested);
    document->requestRun();
    EXPECT_EQ(runs.count(), 0);
    EXPECT_EQ(document->study().parameters->at("batch"), 64) << "what is right of it counts";
    test::savePicture(*document, QStringLiteral("editor-study-unknown"));
    for (const char* name : {"Remove comment", "Remove parameters.batchsize"}) {
        auto* remove = named<QPushButton>(*document, QLatin1String(name));
        ASSERT_NE(remove, nullptr) << name;
        remove->click();
        settle(*document);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    }
    document->requestRun();
    EXPECT_EQ(runs.count(), 1);
    document->undoStack()->undo();
    EXPECT_TRUE(document->isModified());
}

TEST_F(StudyDocumentTest, EveryControlHasAName) {
    const auto document = opened(QStringLiteral("resnet50-mixed-tpus"));
    document->findChild<Section*>()->setOpen(true);
    EXPECT_EQ(test::namelessControls(*document).join(QStringLiteral("; ")), QString());
    const QVector<QWidget*> order = test::tabOrder(*document);
    EXPECT_TRUE(order.contains(named<QPushButton>(*document, QStringLiteral("Run the study"))));
}

TEST_F(StudyDocumentTest, LooksRight) {
    for (const auto& [mode, name] : {std::pair(ThemeMode::light, "light"), std::pair(ThemeMode::dark, "dark")}) {
        theme().apply(mode);
        const auto document = opened(QStringLiteral("resnet50-mixed-tpus"));
        settle(*document);
        EXPECT_GT(
            test::coloursIn(test::savePicture(*document, QStringLiteral("editor-study-%1").arg(QLatin1String(name)))),
            10);
    }
    theme().apply(ThemeMode::light);
}

}  // namespace
}  // namespace tessera::ui
