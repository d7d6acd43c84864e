#include <gtest/gtest.h>

#include <QCoreApplication>
#include <QFile>
#include <QProcess>
#include <QSettings>
#include <QTemporaryDir>

#include "core/store/store.h"
#include "core/study/study.h"
#include "tests/support/pictures.h"
#include "ui/views/document.h"
#include "ui/workspace/history.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/main_window.h"

/// A window that is killed while it works loses nothing that was recorded: the next start says which run was
/// interrupted and goes on with it.
namespace tessera::ui {
namespace {

using test::waitUntil;

constexpr int kLong = 60'000;  ///< milliseconds
constexpr const char* kHistoryOfChild = "TESSERA_TEST_HISTORY";

study::Study heavy() {
    study::Study study = study::newStudy("partition");
    study.models = {"zoo:densenet121"};
    study.hardware = {"accpar-heterogeneous"};
    study.name = "The killed one";
    return study;
}

/// What the killed process does; nothing where the test is run by itself.
TEST(Killed, worksUntilItIsKilled) {
    if (!qEnvironmentVariableIsSet(kHistoryOfChild)) GTEST_SKIP() << "this is the part of a process that is killed";
    MainWindow window({.history = qEnvironmentVariable(kHistoryOfChild).toStdString(), .restoreSession = false});
    window.show();
    ASSERT_TRUE(waitUntil([&] { return window.history().isOpen(); }, kLong));
    const int job = window.jobs().enqueue(heavy());
    ASSERT_TRUE(waitUntil([&] { return window.jobs().state(job).run != 0; }, kLong));
    // A run that stands still is still at work when the process is killed, however quick the machine is.
    window.jobs().pause(job);
    QFile(qEnvironmentVariable(kHistoryOfChild) + QStringLiteral(".working")).open(QIODevice::WriteOnly);
    waitUntil([] { return false; }, 10 * kLong);
}

TEST(Killed, runsAreAnnouncedAndGoOn) {
    if (qEnvironmentVariableIsSet(kHistoryOfChild)) GTEST_SKIP();
    QSettings().clear();
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("history.db"));
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QString::fromLatin1(kHistoryOfChild), path);
    process.setProcessEnvironment(environment);
    process.start(QCoreApplication::applicationFilePath(),
                  {QStringLiteral("--gtest_filter=Killed.worksUntilItIsKilled")});
    ASSERT_TRUE(waitUntil([&] { return QFile::exists(path + QStringLiteral(".working")); }, kLong));
    process.kill();
    ASSERT_TRUE(process.waitForFinished(kLong));
    EXPECT_EQ(process.exitStatus(), QProcess::CrashExit);

    MainWindow window({.history = path.toStdString(), .restoreSession = false});
    window.show();
    ASSERT_TRUE(waitUntil([&] { return !window.notices().isEmpty(); }, kLong));
    EXPECT_TRUE(window.notices().front().startsWith("The killed one was interrupted"))
        << window.notices().front().toStdString();
    window.chooseInNotice(0, 0);
    ASSERT_TRUE(waitUntil([&] { return window.jobs().working() == 0; }, kLong));
    const RunState state = window.jobs().state(window.jobs().jobs().front());
    ASSERT_EQ(state.status, store::RunStatus::done) << state.problem.toStdString();
    EXPECT_EQ(study::toJson(*state.result), study::toJson(study::run(heavy())));
    EXPECT_TRUE(store::Store::open(path.toStdString()).verify().problems.empty());
}

}  // namespace
}  // namespace tessera::ui
