#include <gtest/gtest.h>
#include <sqlite3.h>

#include <QFile>
#include <QSettings>
#include <QTemporaryDir>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/study/study.h"
#include "tests/support/pictures.h"
#include "ui/jobs/jobs.h"
#include "ui/views/document.h"
#include "ui/views/runs/compare_document.h"
#include "ui/views/runs/run_document.h"
#include "ui/workspace/history/history.h"
#include "ui/workspace/history/history_document.h"
#include "ui/workspace/messages_panel.h"
#include "ui/workspace/questions.h"
#include "ui/workspace/window/main_window.h"

/// What goes wrong with a history gets a sentence and a way on, and nothing that was found is lost.
namespace tessera::ui {
namespace {

namespace fs = std::filesystem;
using test::waitUntil;

constexpr int kLongTrouble = 60'000;  ///< milliseconds

class HistoryTrouble : public testing::Test {
protected:
    void SetUp() override { QSettings().clear(); }
    void TearDown() override {
        asker() = dialogAsker();
        QSettings().clear();
    }

    fs::path place(const char* name) const { return folder_.filePath(QLatin1String(name)).toStdString(); }
    fs::path history() const { return place("history.db"); }

    std::unique_ptr<MainWindow> window(bool session = false) const {
        auto made = std::make_unique<MainWindow>(
            MainWindow::Options{.history = history(), .restoreSession = session, .recordHistory = true});
        made->resize(1280, 800);
        made->show();
        return made;
    }
    static bool isOpen(const MainWindow& window) {
        return waitUntil([&] { return const_cast<MainWindow&>(window).history().isOpen(); }, kLongTrouble);
    }

    static study::Study lenet(const std::string& model = "zoo:lenet5") {
        study::Study study = study::newStudy("partition");
        study.models = {model};
        study.hardware = {"accpar-homogeneous"};
        return study;
    }
    /// Runs a study to its end; returns the state of its job.
    static RunState run(MainWindow& window, const study::Study& study) {
        const int job = window.jobs().enqueue(study);
        EXPECT_TRUE(waitUntil([&] { return window.jobs().working() == 0; }, kLongTrouble));
        return window.jobs().state(job);
    }

    static bool says(MainWindow& window, const QString& words) {
        const auto* messages = window.findChild<MessagesPanel*>();
        return waitUntil(
            [&] {
                for (int row = 0; row < messages->count(); ++row)
                    if (messages->text(row).contains(words)) return true;
                return false;
            },
            kLongTrouble);
    }
    /// The number of a choice in the only notice, or -1.
    static int choice(MainWindow& window, const QString& title) {
        const QStringList parts = window.notices().value(0).split(QStringLiteral(" · "));
        return static_cast<int>(parts.indexOf(title)) - 1;
    }
    static bool hasNotice(MainWindow& window) {
        return waitUntil([&] { return !window.notices().isEmpty(); }, kLongTrouble);
    }

    /// An SQLite file that is no history.
    fs::path foreignFile() const {
        const fs::path path = place("foreign.db");
        sqlite3* database = nullptr;
        EXPECT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
        EXPECT_EQ(sqlite3_exec(database, "CREATE TABLE other (x)", nullptr, nullptr, nullptr), SQLITE_OK);
        sqlite3_close(database);
        return path;
    }

    QTemporaryDir folder_;
};

TEST_F(HistoryTrouble, aFileThatCannotBeImportedIsNoTroubleOfTheHistory) {
    const auto shown = window();
    ASSERT_TRUE(isOpen(*shown));
    shown->importFile(QString::fromStdString(foreignFile().string()));
    ASSERT_TRUE(says(*shown, QStringLiteral("foreign.db")));
    writeFile(place("broken.tessera"), "SQLite format 3" + std::string(3000, '\0'));
    shown->importFile(QString::fromStdString(place("broken.tessera").string()));
    ASSERT_TRUE(says(*shown, QStringLiteral("broken.tessera")));
    EXPECT_TRUE(shown->notices().isEmpty()) << shown->notices().join('\n').toStdString();
    EXPECT_GT(run(*shown, lenet()).run, 0) << "runs are still kept";
}

TEST_F(HistoryTrouble, aPlaceThatCannotBeExportedToIsNoTroubleOfTheHistory) {
    const auto shown = window();
    ASSERT_TRUE(isOpen(*shown));
    ASSERT_GT(run(*shown, lenet()).run, 0);
    asker().saveFile = [this](QWidget& /*owner*/, const QString& /*title*/, const QString& /*suggestion*/,
                              const QString& /*filter*/, const Asker::Chosen& chosen) {
        chosen(folder_.filePath(QStringLiteral("no/such/folder/runs.tessera")));
    };
    auto* runs = qobject_cast<HistoryDocument*>(shown->open(QStringLiteral("history"), {}));
    ASSERT_NE(runs, nullptr);
    ASSERT_TRUE(waitUntil([&] { return runs->model().rowCount() == 1; }, kLongTrouble));
    runs->table()->selectRow(0);
    runs->actionNamed(QStringLiteral("export"))->trigger();
    ASSERT_TRUE(says(*shown, QStringLiteral("runs.tessera")));
    EXPECT_TRUE(shown->notices().isEmpty());
    EXPECT_GT(run(*shown, lenet()).run, 0);
}

TEST_F(HistoryTrouble, aHistoryThatWasMovedAwayIsMissedNotReplaced) {
    {
        const auto first = window(true);
        ASSERT_TRUE(isOpen(*first));
        const RunState state = run(*first, lenet());
        ASSERT_GT(state.run, 0);
        first->open(QStringLiteral("run"), QStringLiteral("run/%1").arg(state.run));
        EXPECT_TRUE(first->close());
    }
    fs::rename(history(), place("moved.db"));
    for (const char* suffix : {"-wal", "-shm"}) fs::remove(history().string() + suffix);

    const auto shown = window(true);
    ASSERT_TRUE(hasNotice(*shown));
    EXPECT_TRUE(shown->notices().front().contains(QStringLiteral("is not there any more")));
    EXPECT_FALSE(fs::exists(history())) << "no empty one takes its place unasked";
    auto* document = shown->findChild<RunDocument*>();
    ASSERT_NE(document, nullptr) << "the tab of the session";
    EXPECT_EQ(document->state().result, nullptr);

    fs::rename(place("moved.db"), history());
    ASSERT_GE(choice(*shown, QStringLiteral("Try again")), 0) << shown->notices().front().toStdString();
    shown->chooseInNotice(0, choice(*shown, QStringLiteral("Try again")));
    EXPECT_TRUE(waitUntil([&] { return document->state().result != nullptr; }, kLongTrouble))
        << "its result arrives late";
}

TEST_F(HistoryTrouble, aMissedHistoryCanBeBegunAnew) {
    {
        const auto first = window();
        ASSERT_TRUE(isOpen(*first));
    }
    for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(history().string() + suffix);
    const auto shown = window();
    ASSERT_TRUE(hasNotice(*shown));
    ASSERT_GE(choice(*shown, QStringLiteral("Start an empty one")), 0) << shown->notices().front().toStdString();
    shown->chooseInNotice(0, choice(*shown, QStringLiteral("Start an empty one")));
    ASSERT_TRUE(isOpen(*shown));
    EXPECT_GT(run(*shown, lenet()).run, 0);
}

TEST_F(HistoryTrouble, runsInTheWindowAreComparedWithoutAHistory) {
    writeFile(history(), std::string(5000, 'x'));
    const auto shown = window();
    ASSERT_TRUE(hasNotice(*shown));
    const int first = run(*shown, lenet()).job;
    const int second = run(*shown, lenet("zoo:alexnet")).job;
    ASSERT_NE(shown->jobs().state(first).result, nullptr);
    EXPECT_EQ(shown->jobs().state(first).run, 0);
    Document* comparison =
        shown->open(QStringLiteral("compare"), QStringLiteral("job/%1,job/%2").arg(first).arg(second));
    ASSERT_NE(comparison, nullptr);
    EXPECT_TRUE(waitUntil([&] { return !comparison->exportables().isEmpty(); }, kLongTrouble));
}

TEST_F(HistoryTrouble, closingAsksAboutResultsThatAreOnlyInTheWindow) {
    writeFile(history(), std::string(5000, 'x'));
    const auto shown = window();
    ASSERT_TRUE(hasNotice(*shown));
    ASSERT_NE(run(*shown, lenet()).result, nullptr);
    int asked = 0;
    int answer = 0;
    asker().ask = [&](QWidget& /*owner*/, const Question& question, const Asker::Answered& answered) {
        EXPECT_TRUE(question.sentence.contains(QStringLiteral("lenet5"))) << question.sentence.toStdString();
        ++asked;
        answered(answer);
    };
    EXPECT_FALSE(shown->close());
    EXPECT_EQ(asked, 1);
    EXPECT_TRUE(shown->isVisible());
    answer = 1;
    shown->close();
    EXPECT_TRUE(waitUntil([&] { return !shown->isVisible(); }, kLongTrouble));
}

TEST_F(HistoryTrouble, anotherHistoryCanBeChosen) {
    writeFile(history(), std::string(5000, 'x'));
    const auto shown = window();
    ASSERT_TRUE(hasNotice(*shown));
    asker().saveFile = [this](QWidget& /*owner*/, const QString& /*title*/, const QString& /*suggestion*/,
                              const QString& /*filter*/, const Asker::Chosen& chosen) {
        chosen(QString::fromStdString(place("other.db").string()));
    };
    shown->chooseInNotice(0, choice(*shown, QStringLiteral("Choose another")));
    ASSERT_TRUE(isOpen(*shown));
    EXPECT_GT(run(*shown, lenet()).run, 0);
    EXPECT_EQ(store::Store::open(place("other.db")).count({}), 1);
}

TEST_F(HistoryTrouble, aLockedHistoryIsReadWithoutWritingOrTriedAgain) {
    {
        const auto first = window();
        ASSERT_TRUE(isOpen(*first));
        ASSERT_GT(run(*first, lenet()).run, 0);
    }
    sqlite3* other = nullptr;
    ASSERT_EQ(sqlite3_open(history().c_str(), &other), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(other, "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE",
                           nullptr, nullptr, nullptr),
              SQLITE_OK);
    const auto shown = window();
    ASSERT_TRUE(hasNotice(*shown));
    EXPECT_GE(choice(*shown, QStringLiteral("Open read-only")), 0) << shown->notices().front().toStdString();
    sqlite3_close(other);
    shown->chooseInNotice(0, choice(*shown, QStringLiteral("Try again")));
    EXPECT_TRUE(isOpen(*shown));
}

TEST_F(HistoryTrouble, aRunIsRepeatedWithTheInputsThatItHad) {
    const fs::path model = place("small.csv");
    writeFile(model, "K,C,Y,X,R,S,T\n64,64,56,56,3,3,1\n128,64,56,56,3,3,1\n");
    const auto shown = window();
    ASSERT_TRUE(isOpen(*shown));
    const RunState first = run(*shown, lenet(model.string()));
    ASSERT_GT(first.run, 0) << first.problem.toStdString();
    writeFile(model, "K,C,Y,X,R,S,T\n8,8,8,8,1,1,1\n");
    auto* document =
        qobject_cast<RunDocument*>(shown->open(QStringLiteral("run"), QStringLiteral("run/%1").arg(first.run)));
    ASSERT_NE(document, nullptr);
    ASSERT_TRUE(waitUntil([&] { return document->state().result != nullptr; }, kLongTrouble));
    const auto repeatBy = [&](const std::function<void()>& gesture) {
        gesture();
        const int job = shown->jobs().jobs().front();
        EXPECT_TRUE(waitUntil([&] { return !isWorking(shown->jobs().state(job).status); }, kLongTrouble));
        return shown->jobs().state(job).run;
    };
    const store::RunId byKey = repeatBy([&] { shown->actionNamed(QStringLiteral("run"))->trigger(); });
    shown->open(QStringLiteral("run"), QStringLiteral("run/%1").arg(first.run));
    const store::RunId byPage = repeatBy([&] { document->documentActions().front()->trigger(); });
    shown->open(QStringLiteral("run"), QStringLiteral("run/%1").arg(first.run));
    const store::RunId byPins =
        repeatBy([&] { emit document->runRequested(QString::fromStdString(toText(study::toJson(first.study)))); });
    const store::Store kept = store::Store::open(history(), store::OpenMode::readOnly);
    EXPECT_NE(byKey, byPage);
    EXPECT_EQ(kept.resultText(byPins), kept.resultText(first.run));
    EXPECT_EQ(kept.resultText(byKey), kept.resultText(first.run));
    EXPECT_EQ(kept.resultText(byPage), kept.resultText(first.run));
}

}  // namespace
}  // namespace tessera::ui
