#include "ui/editors/recovery.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QProcess>
#include <QProcessEnvironment>
#include <QPushButton>
#include <QStandardPaths>
#include <QSysInfo>
#include <QTest>
#include <QThreadPool>
#include <QUndoStack>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "tests/support/paths.h"
#include "tests/ui/editors/documents.h"
#include "ui/editors/hardware_document.h"
#include "ui/editors/hardware_picture.h"
#include "ui/editors/reference_picker.h"
#include "ui/editors/study_document.h"

namespace tessera::ui {
namespace {

using test::settle;
using test::waitUntil;

std::filesystem::path recoveryFolder() {
    return std::filesystem::path(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation).toStdString()) /
           "recovery";
}

template <typename Opened>
std::unique_ptr<Opened> opened(const QString& key) {
    return test::opened<Opened>(key, {1100, 760});
}

template <typename Control>
Control* controlNamed(QWidget& root, const QString& name) {
    for (Control* each : root.findChildren<Control*>())
        if (each->accessibleName() == name) return each;
    return nullptr;
}

QPushButton* choice(QWidget& root, const QString& title) {
    for (QPushButton* each : root.findChildren<QPushButton*>())
        if (each->text() == title && each->isVisibleTo(&root)) return each;
    return nullptr;
}

bool saysBelow(QWidget& root, const QString& text) {
    const QList<QLabel*> labels = root.findChildren<QLabel*>();
    return std::any_of(labels.begin(), labels.end(),
                       [&](const QLabel* label) { return label->isVisibleTo(&root) && label->text().contains(text); });
}

void type(QWidget& root, const QString& field, const QString& text) {
    auto* line = controlNamed<QLineEdit>(root, field);
    ASSERT_NE(line, nullptr) << field.toStdString();
    line->setFocus();
    line->selectAll();
    QTest::keyClicks(line, text);
}

/// As a program leaves it that was killed: the process of its file does not exist any more.
void leaveBehind(const QString& kind, const QString& key, const Json& json, const std::string& base = "") {
    const Json file = {{"kind", kind.toStdString()},
                       {"key", key.toStdString()},
                       {"title", "left behind"},
                       {"base", base},
                       {"saved_at", 1'700'000'000},
                       {"host", QSysInfo::machineHostName().toStdString()},
                       {"pid", 1},
                       {"process", "another boot/1"},
                       {"document", json}};
    std::filesystem::create_directories(recoveryFolder());
    writeFile(recoveryFolder() / (recoveryId(kind, key).toStdString() + ".json"), toText(file));
}

class RecoveryTest : public testing::Test {
protected:
    void SetUp() override { clear(); }
    void TearDown() override { clear(); }
    /// Files are dropped on other threads, which come to their end first.
    static void clear() {
        QThreadPool::globalInstance()->waitForDone(5000);
        std::error_code ignored;
        std::filesystem::remove_all(recoveryFolder(), ignored);
    }
    static std::vector<std::filesystem::path> paths() {
        std::vector<std::filesystem::path> found;
        std::error_code ignored;
        for (const auto& entry : std::filesystem::directory_iterator(recoveryFolder(), ignored))
            if (entry.path().extension() != ".part") found.push_back(entry.path());
        return found;
    }
    static int files() { return static_cast<int>(paths().size()); }

    test::OwnFolder folder_;
};

TEST_F(RecoveryTest, BringsEditsOfHardwareBackAsAStep) {
    Json edited = Json::parse(readFile(test::sourcePath("data/accelerators/tpu-v2.json")));
    const std::string base = fingerprint(edited);
    edited["vendor"] = "Recovered";
    leaveBehind(QStringLiteral("hardware"), QStringLiteral("accelerator/tpu-v2"), edited, base);
    const auto document = opened<HardwareDocument>(QStringLiteral("accelerator/tpu-v2"));
    EXPECT_TRUE(saysBelow(*document, QStringLiteral("which were not saved, are back.")));
    EXPECT_FALSE(saysBelow(*document, QStringLiteral("The file has changed")));
    EXPECT_EQ(controlNamed<QLineEdit>(*document, QStringLiteral("Vendor"))->text(), QStringLiteral("Recovered"));
    EXPECT_TRUE(document->isModified());
    test::savePicture(*document, QStringLiteral("editor-recovered"));
    choice(*document, QStringLiteral("Discard them"))->click();
    EXPECT_FALSE(document->isModified());
    EXPECT_NE(controlNamed<QLineEdit>(*document, QStringLiteral("Vendor"))->text(), QStringLiteral("Recovered"));
    EXPECT_TRUE(waitUntil([] { return files() == 0; })) << "what was discarded is not offered again";
}

TEST_F(RecoveryTest, SaysWhenTheFileHasChangedMeanwhile) {
    leaveBehind(QStringLiteral("hardware"), QStringLiteral("accelerator/tpu-v2"),
                {{"schema", "tessera.accelerator/1"}, {"name", "Other"}, {"peak_flops", {{"bf16", 1e12}}}}, "older");
    const auto document = opened<HardwareDocument>(QStringLiteral("accelerator/tpu-v2"));
    EXPECT_TRUE(saysBelow(*document, QStringLiteral("The file has changed since then.")));
    choice(*document, QStringLiteral("Keep them"))->click();
    EXPECT_TRUE(document->isModified());
}

TEST_F(RecoveryTest, BringsEditsOfAStudyBack) {
    Json edited = Json::parse(readFile(test::sourcePath("data/studies/resnet50-mixed-tpus.json")));
    edited["parameters"]["batch"] = 96;
    leaveBehind(QStringLiteral("study"), QStringLiteral("resnet50-mixed-tpus"), edited);
    ASSERT_EQ(lostEdits().size(), 1);
    EXPECT_EQ(keyOf(lostEdits().front()), QStringLiteral("resnet50-mixed-tpus"));
    const auto document = opened<StudyDocument>(QStringLiteral("resnet50-mixed-tpus"));
    EXPECT_EQ(document->study().parameters->at("batch"), Json(96));
    document->undoStack()->undo();
    EXPECT_NE(document->study().parameters->at("batch"), Json(96));
}

TEST_F(RecoveryTest, KeepsNeverSavedDocumentsApart) {
    QStringList keys;
    {
        const auto first = opened<HardwareDocument>(QStringLiteral("new/fleet"));
        const auto second = opened<HardwareDocument>(QStringLiteral("new/fleet"));
        const auto study = opened<StudyDocument>(QStringLiteral("new/partition?model=zoo:lenet5"));
        EXPECT_FALSE(second->isModified());
        type(*first, QStringLiteral("Name"), QStringLiteral("First"));
        type(*second, QStringLiteral("Name"), QStringLiteral("Second"));
        study->setHardware(QStringLiteral("accpar-homogeneous"));
        EXPECT_TRUE(waitUntil([] { return files() == 3; }));
        EXPECT_TRUE(lostEdits().isEmpty()) << "this program is alive";
        // What a killed program would leave.
        for (const std::filesystem::path& path : paths()) {
            Json file = Json::parse(readFile(path));
            file["process"] = "another boot/1";
            writeFile(path.string() + ".kept", toText(file));
        }
    }
    EXPECT_TRUE(waitUntil([] { return files() == 3; })) << "giving the edits up drops them";
    for (const std::filesystem::path& path : paths()) std::filesystem::rename(path, path.parent_path() / path.stem());
    QStringList names;
    for (const Recovery& each : lostEdits()) {
        if (each.kind == QLatin1String("study")) {
            const auto again = opened<StudyDocument>(keyOf(each));
            EXPECT_EQ(again->study().hardware, std::vector<std::string>{"accpar-homogeneous"});
            EXPECT_EQ(again->study().models, std::vector<std::string>{"zoo:lenet5"});
            ASSERT_TRUE(again->saveAs(QStringLiteral("recovered")));
        } else {
            const auto again = opened<HardwareDocument>(keyOf(each));
            EXPECT_TRUE(again->isModified());
            names << again->title();
            ASSERT_TRUE(again->saveAs(again->title().toLower()));
        }
    }
    names.sort();
    EXPECT_EQ(names, (QStringList{QStringLiteral("First"), QStringLiteral("Second")}));
    EXPECT_TRUE(waitUntil([] { return files() == 0; })) << "saving drops them";
}

TEST_F(RecoveryTest, KeepsEditsUntilTheyAreSavedOrGivenUp) {
    const QString id = recoveryId(QStringLiteral("hardware"), QStringLiteral("accelerator/v100"));
    {
        const auto document = opened<HardwareDocument>(QStringLiteral("accelerator/v100"));
        QElapsedTimer clock;
        clock.start();
        // Somebody who does not stop typing loses no more than somebody who does.
        while (files() == 0 && clock.elapsed() < 60'000) {
            type(*document, QStringLiteral("Vendor"), QStringLiteral("Somebody %1").arg(clock.elapsed()));
            QTest::qWait(50);
        }
        EXPECT_EQ(files(), 1);
        ASSERT_TRUE(findRecovery(id).has_value());
        EXPECT_TRUE(findRecovery(id)->json.at("vendor").get<std::string>().starts_with("Somebody"));
        document->undoStack()->setIndex(0);
        EXPECT_TRUE(waitUntil([] { return files() == 0; })) << "undone edits are none";
        type(*document, QStringLiteral("Vendor"), QStringLiteral("Me"));
        EXPECT_TRUE(waitUntil([] { return files() == 1; }));
    }
    EXPECT_FALSE(findRecovery(id).has_value()) << "also at once, while the file still goes away";
    EXPECT_TRUE(waitUntil([] { return files() == 0; }));
}

TEST_F(RecoveryTest, SurvivesTheFileThatWasEdited) {
    const QString gone = QString::fromStdString((folder_.path() / "gone.json").string());
    leaveBehind(QStringLiteral("hardware"), gone,
                {{"schema", "tessera.accelerator/1"}, {"name", "Kept"}, {"peak_flops", {{"bf16", 1e12}}}});
    const auto document = opened<HardwareDocument>(gone);
    EXPECT_EQ(document->title(), QStringLiteral("Kept"));
    ASSERT_TRUE(document->save());
    EXPECT_TRUE(std::filesystem::exists(gone.toStdString()));
}

TEST_F(RecoveryTest, IgnoresDamagedFilesAndStrangeIds) {
    std::filesystem::create_directories(recoveryFolder());
    writeFile(recoveryFolder() / "damaged.json", "{\"kind\": ");
    writeFile(recoveryFolder() / "list.json", "[]");
    EXPECT_TRUE(lostEdits().isEmpty());
    EXPECT_FALSE(findRecovery(QStringLiteral("damaged")).has_value());
    EXPECT_FALSE(findRecovery(QStringLiteral("../settings")).has_value());
    EXPECT_EQ(recoveryId(QStringLiteral("hardware"), QStringLiteral("new/fleet?recovered=../x")).size(), 32);
    EXPECT_EQ(recoveryId(QStringLiteral("hardware"), QStringLiteral("new/fleet?recovered=abc")), QStringLiteral("abc"));
}

/// Not a test of its own: what the next one kills.
TEST(RecoveryVictim, DISABLED_EditsUntilItIsKilled) {
    const auto document = opened<HardwareDocument>(QStringLiteral("new/accelerator"));
    const auto study = opened<StudyDocument>(QStringLiteral("resnet50-mixed-tpus"));
    type(*document, QStringLiteral("Name"), QStringLiteral("Survivor"));
    type(*study, QStringLiteral("Batch"), QStringLiteral("77"));
    waitUntil([] { return false; }, 60'000);
}

TEST_F(RecoveryTest, EditsSurviveAKill) {
    QProcess victim;
    victim.setProgram(QCoreApplication::applicationFilePath());
    victim.setArguments(
        {QStringLiteral("--gtest_also_run_disabled_tests"), QStringLiteral("--gtest_filter=RecoveryVictim.*")});
    // This may be one of several parts of the program; it has one test, whichever part that would be in.
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* name : {"GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX"}) environment.remove(QLatin1String(name));
    victim.setProcessEnvironment(environment);
    victim.start();
    ASSERT_TRUE(victim.waitForStarted());
    EXPECT_TRUE(waitUntil([] { return files() >= 2; }, 20'000));
    EXPECT_TRUE(lostEdits().isEmpty()) << "the program at work on them is alive";
    ASSERT_EQ(victim.state(), QProcess::Running);
    ::kill(static_cast<pid_t>(victim.processId()), SIGKILL);
    ASSERT_TRUE(victim.waitForFinished());
    const QVector<Recovery> lost = lostEdits();
    ASSERT_EQ(lost.size(), 2);
    for (const Recovery& each : lost) {
        if (each.kind == QLatin1String("hardware")) {
            EXPECT_EQ(each.title, QStringLiteral("Survivor"));
            EXPECT_EQ(opened<HardwareDocument>(keyOf(each))->title(), QStringLiteral("Survivor"));
        } else {
            EXPECT_EQ(opened<StudyDocument>(keyOf(each))->study().parameters->at("batch"), Json(77));
        }
    }
}

}  // namespace
}  // namespace tessera::ui
