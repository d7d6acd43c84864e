#include <gtest/gtest.h>

#include <QFile>
#include <QProcess>
#include <QSettings>
#include <QTemporaryDir>
#include <csignal>
#include <nlohmann/json.hpp>

#include "core/store/store.h"
#include "core/study/study.h"
#include "tests/support/pictures.h"
#include "ui/jobs/jobs.h"
#include "ui/views/document.h"
#include "ui/workspace/window/main_window.h"

/// A studio that is killed while it works loses nothing that was recorded: the next start says which run was
/// interrupted and goes on with it.
namespace tessera::ui {
namespace {

using test::waitUntil;

constexpr int kLongCrash = 60'000;  ///< milliseconds

class Killed : public testing::Test {
protected:
    void SetUp() override {
        QSettings().clear();
        ASSERT_TRUE(folder_.isValid());
        QFile table(folder_.filePath(QStringLiteral("long.csv")));
        ASSERT_TRUE(table.open(QIODevice::WriteOnly));
        table.write("K,C,Y,X,R,S,T\n" + QByteArray("64,64,56,56,3,3,1\n").repeated(6'000));
    }

    study::Study studyOf(const QString& model, const char* name) const {
        study::Study study = study::newStudy("partition");
        study.models = {model.toStdString()};
        study.hardware = {"accpar-heterogeneous"};
        study.name = name;
        return study;
    }
    study::Study longStudy() const { return studyOf(folder_.filePath(QStringLiteral("long.csv")), "The killed one"); }

    QString file(const study::Study& study) const {
        const QString path = folder_.filePath(QString::fromStdString(study.name + ".json"));
        QFile written(path);
        EXPECT_TRUE(written.open(QIODevice::WriteOnly));
        written.write(QByteArray::fromStdString(toText(study::toJson(study))));
        return path;
    }

    /// The program itself, with settings of its own.
    void start(QProcess& studio, const QStringList& arguments) const {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        for (const char* place : {"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"})
            environment.insert(QLatin1String(place), folder_.filePath(QLatin1String(place)));
        studio.setProcessEnvironment(environment);
        studio.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        studio.start(QStringLiteral(TESSERA_STUDIO_PROGRAM),
                     QStringList{QStringLiteral("--store"), path()} + arguments);
        ASSERT_TRUE(studio.waitForStarted(kLongCrash));
    }

    QString path() const { return folder_.filePath(QStringLiteral("history.db")); }
    std::vector<store::RunRow> runs(store::RunStatus status) const {
        try {
            return store::Store::open(path().toStdString(), store::OpenMode::readOnly).query({.status = status}, 10);
        } catch (const store::StoreError&) {
            return {};  // not made yet
        }
    }
    bool has(store::RunStatus status) const { return !runs(status).empty(); }

    QTemporaryDir folder_;
};

TEST_F(Killed, runsAreAnnouncedAndGoOn) {
    QProcess studio;
    ASSERT_NO_FATAL_FAILURE(start(studio, {"--run", file(studyOf("zoo:alexnet", "The finished one"))}));
    ASSERT_TRUE(waitUntil([&] { return has(store::RunStatus::done); }, kLongCrash));
    const store::RunId finished = runs(store::RunStatus::done).front().id;
    const auto finishedText = [&] {
        return store::Store::open(path().toStdString(), store::OpenMode::readOnly).resultText(finished);
    };
    const auto before = finishedText();
    ASSERT_TRUE(before.has_value());
    studio.kill();
    ASSERT_TRUE(studio.waitForFinished(kLongCrash));

    ASSERT_NO_FATAL_FAILURE(start(studio, {"--run", file(longStudy())}));
    const auto isKnown = [&] {
        return has(store::RunStatus::queued) || has(store::RunStatus::running) ||
               runs(store::RunStatus::done).size() > 1;
    };
    ASSERT_TRUE(waitUntil(isKnown, kLongCrash));
    // Held still while it is looked at: what runs then still runs when it is killed, however quick the machine is.
    const auto pid = static_cast<pid_t>(studio.processId());
    ASSERT_TRUE(waitUntil(
        [&] {
            kill(pid, SIGSTOP);
            const bool running = has(store::RunStatus::running);
            if (!running) kill(pid, SIGCONT);
            return running;
        },
        kLongCrash));
    studio.kill();
    ASSERT_TRUE(studio.waitForFinished(kLongCrash));
    EXPECT_EQ(studio.exitStatus(), QProcess::CrashExit);
    ASSERT_TRUE(has(store::RunStatus::running));

    // The next start finds that nobody works on it any more.
    ASSERT_NO_FATAL_FAILURE(start(studio, {}));
    ASSERT_TRUE(waitUntil([&] { return has(store::RunStatus::interrupted); }, kLongCrash));
    EXPECT_FALSE(has(store::RunStatus::running));
    EXPECT_EQ(finishedText(), before);
    studio.kill();
    ASSERT_TRUE(studio.waitForFinished(kLongCrash));

    // What a person sees then.
    MainWindow window({.history = path().toStdString(), .restoreSession = false});
    window.show();
    ASSERT_TRUE(waitUntil([&] { return !window.notices().isEmpty(); }, kLongCrash));
    EXPECT_TRUE(window.notices().front().startsWith("The killed one was interrupted"))
        << window.notices().front().toStdString();
    window.chooseInNotice(0, 0);
    ASSERT_TRUE(waitUntil([&] { return window.jobs().working() == 0; }, kLongCrash));
    const RunState state = window.jobs().state(window.jobs().jobs().front());
    ASSERT_EQ(state.status, store::RunStatus::done) << state.problem.toStdString();
    // Not printed: the documents are long.
    EXPECT_TRUE(study::toJson(*state.result) == study::toJson(study::run(state.study)));
    EXPECT_TRUE(store::Store::open(path().toStdString()).verify().problems.empty());
}

}  // namespace
}  // namespace tessera::ui
