#include <gtest/gtest.h>

#include <QAction>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QUndoStack>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/hardware/library.h"
#include "core/study/study.h"
#include "tests/support/dialogs.h"
#include "tests/ui/editors/documents.h"
#include "ui/editors/edited_file.h"
#include "ui/editors/hardware_document.h"
#include "ui/editors/name_dialog.h"
#include "ui/editors/study_document.h"

namespace tessera::ui {
namespace {

using test::settle;
using test::waitUntil;

constexpr const char* kBoard = R"({"schema": "tessera.accelerator/1", "name": "Board", "peak_flops": {"bf16": 1e12},
                                   "network_bits_per_s": 1e9})";
constexpr const char* kSavedFleet = R"({"schema": "tessera.fleet/1", "name": "Pair",
                                   "groups": [{"name": "a", "accelerator": "board.json", "count": 2}]})";
constexpr const char* kStudy = R"({"schema": "tessera.study/1", "engine": "partition", "models": ["zoo:lenet5"],
                                   "hardware": ["pair.json"], "parameters": {}})";

class SavingTest : public testing::Test {
protected:
    void SetUp() override {
        std::filesystem::create_directories(place("work"));
        writeFile(place("work/board.json"), kBoard);
        writeFile(place("work/pair.json"), kSavedFleet);
        writeFile(place("work/study.json"), kStudy);
    }
    std::filesystem::path place(const std::string& name) const { return outside_.path().toStdString() + "/" + name; }
    QString text(const std::string& name) const { return QString::fromStdString(place(name).string()); }
    template <typename Opened>
    static std::unique_ptr<Opened> opened(const QString& key) {
        return test::opened<Opened>(key, {1000, 700});
    }
    static QAction* action(Document& document, const QString& title) {
        for (QAction* each : document.documentActions())
            if (each->text() == title) return each;
        return nullptr;
    }
    static bool says(QWidget& root, const QString& text) {
        const QList<QLabel*> labels = root.findChildren<QLabel*>();
        return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
            return label->isVisibleTo(&root) && label->text().contains(text);
        });
    }
    /// Asks for another place in the dialog for names, and chooses a file there.
    static void saveElsewhere(QWidget& dialog, const QString& path) {
        if (auto* files = qobject_cast<QFileDialog*>(&dialog)) return test::chooseFile(*files, path);
        for (QPushButton* each : dialog.findChildren<QPushButton*>())
            if (each->text() == QStringLiteral("Save as…")) each->click();
    }

    test::OwnFolder library_;
    QTemporaryDir outside_;
};

TEST_F(SavingTest, AStudyIsSavedIntoAnyFileAndGoesOnThere) {
    const auto document = opened<StudyDocument>(QStringLiteral("new/partition?model=zoo:lenet5"));
    document->setHardware(QStringLiteral("accpar-homogeneous"));
    {
        const test::DialogAnswerer answers([&](QWidget& dialog) { saveElsewhere(dialog, text("plain")); });
        EXPECT_TRUE(document->save());
    }
    EXPECT_EQ(document->key(), text("plain.json")) << "the ending is added";
    EXPECT_FALSE(document->isModified());
    EXPECT_EQ(study::loadStudy(place("plain.json").string()), document->study());
    document->setModel(QStringLiteral("zoo:vgg19"));
    EXPECT_TRUE(document->save()) << "without asking again";
    EXPECT_EQ(study::loadStudy(place("plain.json").string()).models.at(0), "zoo:vgg19");
}

TEST_F(SavingTest, AStudyOpenedFromAnywhereIsSavedThere) {
    const auto document = opened<StudyDocument>(text("work/study.json"));
    document->setModel(QStringLiteral("zoo:resnet18"));
    ASSERT_TRUE(document->save());
    const Json written = Json::parse(readFile(place("work/study.json")));
    EXPECT_EQ(written.at("models"), Json({"zoo:resnet18"}));
    EXPECT_EQ(written.at("hardware"), Json({"pair.json"})) << "what lies beside it stays relative";
}

TEST_F(SavingTest, AStudyThatMovesKeepsWhatLayBesideIt) {
    const auto document = opened<StudyDocument>(text("work/study.json"));
    ASSERT_TRUE(document->saveTo(text("elsewhere/study.json")));
    const study::Study moved = study::loadStudy(place("elsewhere/study.json").string());
    EXPECT_EQ(moved.hardware.at(0), place("work/pair.json").string());
    ASSERT_TRUE(document->saveAs(QStringLiteral("in-library")));
    EXPECT_EQ(document->key(), QStringLiteral("in-library"));
    EXPECT_EQ(study::loadStudy("in-library").hardware.at(0), place("work/pair.json").string());
}

TEST_F(SavingTest, HardwareLikewise) {
    const auto document = opened<HardwareDocument>(text("work/pair.json"));
    QSignalSpy titles(document.get(), &Document::titleChanged);
    ASSERT_TRUE(document->saveTo(text("elsewhere/pair.json")));
    EXPECT_EQ(document->key(), text("elsewhere/pair.json"));
    EXPECT_GE(titles.count(), 1);
    EXPECT_EQ(hardware::loadFleet(place("elsewhere/pair.json").string()).groups.at(0).accelerator.name, "Board");
    {
        const test::DialogAnswerer answers([&](QWidget& dialog) { saveElsewhere(dialog, text("third.json")); });
        action(*document, QStringLiteral("Save a copy…"))->trigger();
    }
    EXPECT_EQ(document->key(), text("third.json"));
    ASSERT_TRUE(document->saveTo(QString::fromStdString((ownFolder("fleets") / "pair.json").string())));
    EXPECT_EQ(document->key(), QStringLiteral("fleet/pair")) << "a file of the library has a key of the library";
}

TEST_F(SavingTest, AFolderThatCannotBeWrittenIsSaid) {
    const auto document = opened<StudyDocument>(text("work/study.json"));
    QSignalSpy messages(document.get(), &Document::messaged);
    document->setModel(QStringLiteral("zoo:resnet18"));
    EXPECT_FALSE(document->saveTo(text("work/study.json/inside.json")));
    EXPECT_EQ(messages.count(), 1);
    EXPECT_TRUE(says(*document, QStringLiteral("cannot write")));
    EXPECT_TRUE(document->isModified());
    EXPECT_EQ(document->key(), text("work/study.json")) << "the document is still the one it was";
}

TEST_F(SavingTest, TheNameIsJudgedWhileItIsTyped) {
    std::filesystem::create_directories(ownFolder("studies"));
    writeFile(ownFolder("studies") / "there.json", kStudy);
    NameDialog dialog(QStringLiteral("Save study"), QStringLiteral("new"), ownFolder("studies"));
    dialog.show();
    auto* line = dialog.findChild<QLineEdit*>();
    const QPushButton* save = dialog.findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Save);
    EXPECT_TRUE(save->isEnabled());
    line->setText(QStringLiteral("a/b"));
    EXPECT_FALSE(save->isEnabled());
    EXPECT_TRUE(says(dialog, QStringLiteral("slashes")));
    line->setText(QStringLiteral("there"));
    EXPECT_TRUE(save->isEnabled());
    EXPECT_EQ(save->text(), QStringLiteral("Replace"));
    test::savePicture(dialog, QStringLiteral("dialog-save-as"));
}

TEST_F(SavingTest, JsonIsExportedAndImportedThroughDialogs) {
    const auto document = opened<HardwareDocument>(text("work/board.json"));
    {
        const test::DialogAnswerer answers([&](QWidget& dialog) {
            if (auto* files = qobject_cast<QFileDialog*>(&dialog)) test::chooseFile(*files, text("exported.json"));
        });
        action(*document, QStringLiteral("Export JSON…"))->trigger();
    }
    ASSERT_TRUE(waitUntil([&] { return std::filesystem::exists(place("exported.json")); }));
    Json exported = Json::parse(readFile(place("exported.json")));
    EXPECT_EQ(exported.at("name"), Json("Board"));
    exported["name"] = "Imported";
    writeFile(place("exported.json"), toText(exported));
    const auto import = [&](const std::string& file) {
        const test::DialogAnswerer answers([&](QWidget& dialog) {
            if (auto* files = qobject_cast<QFileDialog*>(&dialog)) test::chooseFile(*files, text(file));
        });
        action(*document, QStringLiteral("Import JSON…"))->trigger();
    };
    import("exported.json");
    EXPECT_TRUE(waitUntil([&] { return document->title() == QStringLiteral("Imported"); }));
    EXPECT_TRUE(document->isModified());
    document->undoStack()->undo();
    EXPECT_EQ(document->title(), QStringLiteral("Board")) << "an import can be undone";
    import("work/pair.json");
    EXPECT_TRUE(waitUntil([&] { return says(*document, QStringLiteral("That file is no accelerator.")); }));
    writeFile(place("broken.json"), "{");
    import("broken.json");
    EXPECT_TRUE(waitUntil([&] { return says(*document, QStringLiteral("broken.json")); }));
    EXPECT_EQ(document->title(), QStringLiteral("Board"));
}

TEST_F(SavingTest, whatWasTypedAMomentAgoCountsWhenTheStudyRuns) {
    const auto document = opened<StudyDocument>(text("work/study.json"));
    document->activateWindow();
    QSignalSpy runs(document.get(), &Document::runRequested);
    QLineEdit* batch = nullptr;
    for (QLineEdit* each : document->findChildren<QLineEdit*>())
        if (each->accessibleName() == QStringLiteral("Batch")) batch = each;
    ASSERT_NE(batch, nullptr);
    ASSERT_TRUE(waitUntil([&] { return document->isActiveWindow(); }));
    batch->setFocus();
    QTest::keyClicks(batch, QStringLiteral("64"));
    document->requestRun();
    ASSERT_EQ(runs.count(), 1);
    const study::Study run =
        study::readStudy(JsonDocument::parse(runs.at(0).at(0).toString().toStdString(), "run").root());
    EXPECT_EQ(run.parameters->at("batch"), Json(64)) << "what was typed a moment ago counts";
    EXPECT_EQ(run.hardware.at(0), place("work/pair.json").string());
}

}  // namespace
}  // namespace tessera::ui
