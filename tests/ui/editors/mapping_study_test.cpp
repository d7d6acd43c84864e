#include <gtest/gtest.h>

#include <QFileDialog>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QUndoStack>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/study/mapping/study.h"
#include "core/study/result.h"
#include "tests/support/dialogs.h"
#include "tests/support/portfolio_result.h"
#include "tests/ui/editors/documents.h"
#include "ui/editors/reference_picker.h"
#include "ui/editors/study_document.h"
#include "ui/editors/study_form.h"

namespace tessera::ui {
namespace {

using test::settle;

bool says(const QWidget& widget, const QString& text) {
    const QList<QLabel*> labels = widget.findChildren<QLabel*>();
    return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
        return label->isVisibleTo(&widget) && label->text().contains(text);
    });
}

/// The set-up of a study follows its engine's row.
class MappingStudy : public testing::Test {
protected:
    void SetUp() override { document_ = test::opened<StudyDocument>(QStringLiteral("new/mapping"), {1000, 900}); }
    test::OwnFolder folder_;
    std::unique_ptr<StudyDocument> document_;
};

TEST_F(MappingStudy, AsksForAWorkloadAndAPlatform) {
    EXPECT_EQ(document_->findChildren<ReferencePicker*>().size(), 2);
    settle(*document_);
    EXPECT_TRUE(says(*document_, QStringLiteral("Choose a workload.")));
    EXPECT_TRUE(says(*document_, QStringLiteral("Workload")));
    EXPECT_FALSE(says(*document_, QStringLiteral("Model")));
    QSignalSpy runs(document_.get(), &Document::runRequested);
    document_->requestRun();
    EXPECT_EQ(runs.count(), 0);
    const std::vector<InputSlot> inputs = inputSlots("mapping");
    ASSERT_EQ(inputs.size(), 2U);
    EXPECT_TRUE(inputs[0].needed);
    EXPECT_FALSE(inputs[1].needed);
    EXPECT_THROW(inputSlots("nothing"), std::exception);
}

TEST_F(MappingStudy, RunsATableOfJobsWithoutHardware) {
    const study::Study wanted = test::tableStudy({"magma"});
    document_->setWorkload(QString::fromStdString(wanted.workloads.front()));
    settle(*document_);
    QSignalSpy runs(document_.get(), &Document::runRequested);
    document_->requestRun();
    EXPECT_EQ(runs.count(), 0) << "the bandwidth of a table is not known";

    StudyDocument complete(wanted, QStringLiteral("job/1"));
    complete.resize(1000, 900);
    complete.show();
    settle(complete);
    QSignalSpy asked(&complete, &Document::runRequested);
    QSignalSpy messages(&complete, &Document::messaged);
    complete.requestRun();
    ASSERT_EQ(asked.count(), 1) << (messages.empty() ? "" : messages.at(0).at(0).toString().toStdString());
    const QJsonObject json = QJsonDocument::fromJson(asked.at(0).at(0).toString().toUtf8()).object();
    EXPECT_EQ(json.value(QLatin1String("engine")).toString(), QStringLiteral("mapping"));
    EXPECT_TRUE(says(complete, QStringLiteral("100 jobs"))) << "the estimate";
    test::savePicture(complete, QStringLiteral("study-mapping"));
}

TEST_F(MappingStudy, NamesAPlatformsCores) {
    document_->setHardware(QStringLiteral("s2"));
    settle(*document_);
    EXPECT_TRUE(says(*document_, QStringLiteral("4 cores")));
    document_->setModel(QStringLiteral("zoo:alexnet"));
    settle(*document_);
    EXPECT_EQ(document_->study().workloads, (std::vector<std::string>{"zoo:alexnet"})) << "a model is a workload, too";
    EXPECT_EQ(document_->study().engine, "mapping");
}

/// Answers the button of a document's field with a file.
void giveFile(QWidget& root, const QString& button, const QString& path) {
    const test::DialogAnswerer answerer([&](QWidget& dialog) {
        if (auto* files = qobject_cast<QFileDialog*>(&dialog)) test::chooseFile(*files, path);
    });
    const auto buttons = root.findChildren<QPushButton*>();
    const auto found = std::find_if(buttons.begin(), buttons.end(),
                                    [&](const QPushButton* each) { return each->accessibleName() == button; });
    ASSERT_NE(found, buttons.end()) << button.toStdString();
    (*found)->click();
    ASSERT_TRUE(test::waitUntil([&] { return QApplication::activeModalWidget() == nullptr; }));
}

TEST_F(MappingStudy, StartsFromTheMappingsOfAFileAndGoesBack) {
    const std::string file = (folder_.path() / "result.json").string();
    writeFile(file, toText(study::toJson(test::mappedTable())));
    StudyDocument document(test::tableStudy({"magma"}), QStringLiteral("job/1"));
    document.resize(1000, 900);
    document.show();
    settle(document);
    giveFile(document, QStringLiteral("Warm start: choose a file"), QString::fromStdString(file));
    const auto given = [&] { return document.study().parameters->contains("warm_start"); };
    ASSERT_TRUE(test::waitUntil(given));
    EXPECT_EQ(document.study().parameters["warm_start"], study::warmStartOf(test::mappedTable()));
    settle(document);
    EXPECT_TRUE(says(document, QStringLiteral("mappings")));
    test::savePicture(document, QStringLiteral("study-warm-start"));
    document.undoStack()->undo();
    EXPECT_FALSE(given());
}

TEST_F(MappingStudy, SaysWhyAFileGivesNoMapping) {
    StudyDocument document(test::tableStudy({"magma"}), QStringLiteral("job/1"));
    document.resize(1000, 900);
    document.show();
    settle(document);
    const std::string file = (folder_.path() / "odd.json").string();
    writeFile(file, "[1, 2]");
    giveFile(document, QStringLiteral("Evaluate: choose a file"), QString::fromStdString(file));
    EXPECT_TRUE(test::waitUntil([&] { return says(document, QStringLiteral("odd.json")); }));
    EXPECT_FALSE(document.study().parameters->contains("evaluate"));
    // A mapping of other jobs is read, and refused by the problem that it does not fit.
    writeFile(file, R"({"sub_accelerator": [0], "priority": [0.5]})");
    giveFile(document, QStringLiteral("Evaluate: choose a file"), QString::fromStdString(file));
    ASSERT_TRUE(test::waitUntil([&] { return document.study().parameters->contains("evaluate"); }));
    settle(document);
    EXPECT_TRUE(says(document, QStringLiteral("1 thing to put right")));
}

}  // namespace
}  // namespace tessera::ui
