#include <gtest/gtest.h>

#include <QAction>
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QRadioButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/hardware/library.h"
#include "tests/support/controls.h"
#include "tests/support/pictures.h"
#include "tests/support/shown.h"
#include "tests/support/turns.h"
#include "ui/editors/reference_picker.h"
#include "ui/editors/study_document.h"
#include "ui/jobs/jobs.h"
#include "ui/theme/theme.h"
#include "ui/views/document.h"
#include "ui/views/message_bar.h"
#include "ui/workspace/calibration/calibration_dialog.h"
#include "ui/workspace/calibration/calibration_result.h"
#include "ui/workspace/calibration/calibration_setup.h"
#include "ui/workspace/history/history.h"
#include "ui/workspace/library_panel.h"
#include "ui/workspace/questions.h"
#include "ui/workspace/window/main_window.h"

namespace tessera::ui {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using test::visibleText;
using test::waitUntil;

/// A calibration as a quiet machine gives it.
calibrate::Calibration quietOne() {
    calibrate::Calibration made;
    hardware::Accelerator& accelerator = made.accelerator;
    accelerator.name = "this machine";
    accelerator.vendor = "Abacus 9";
    accelerator.placementPolicy = "off-chip";
    accelerator.peakFlops = {{"fp32", FlopsPerSecond{1.2e11}}, {"fp64", FlopsPerSecond{6.1e10}}};
    accelerator.memory = {
        {.name = "L1", .capacity = Bytes{32768}, .bandwidth = BytesPerSecond{2.2e11}, .onChip = true},
        {.name = "L2", .capacity = Bytes{524288}, .bandwidth = BytesPerSecond{1.1e11}, .onChip = true},
        {.name = "DRAM", .capacity = Bytes{8e9}, .bandwidth = BytesPerSecond{1.4e10}}};
    accelerator.allReduce = {{.bytes = Bytes{1048576}, .devices = 2, .bandwidth = BytesPerSecond{1.9e9}}};
    for (int i = 0; i < 12; ++i) {
        const double seconds = 1e-4 * (i + 1);
        made.kernels.measured.push_back(
            {.request = {.kernel = i % 2 == 0 ? "gemm" : "conv", .sizes = {64.0 * (i + 1), 256, 256}},
             .passes = {{.seconds = seconds, .spread = 0.01, .kept = 20, .dropped = 1},
                        {.seconds = 1.01 * seconds, .spread = 0.02, .kept = 20}}});
    }
    made.kernels.repetitions = 492;
    made.kernels.dropped = 12;
    made.agreement = calibrate::agreementOf(made.kernels.measured);
    made.measuredBy = "measured by tessera calibrate on 2026-11-22, Abacus 9, oneDNN 2.6.3, 4 threads";
    made.seconds = 29.4;
    return made;
}

calibrate::Calibration noisyOne() {
    calibrate::Calibration made = quietOne();
    for (calibrate::Measured& one : made.kernels.measured) one.passes[1].seconds *= 1.4;
    made.agreement = calibrate::agreementOf(made.kernels.measured);
    made.kernels.outOfTime.resize(31);
    made.warnings = {made.agreement.sentence, "31 of 43 kernels were not reached in 30 s."};
    return made;
}

/// Measures nothing: reports what it is told to, and ends when it may.
struct Fake {
    std::atomic<bool> may = false;
    std::atomic<bool> throws = false;
    std::atomic<bool> noisy = false;
    std::atomic<bool> stopped = false;
    std::atomic<std::size_t> reported = 0;
    calibrate::Options asked;  ///< read where it has ended

    CalibrationRun::Calibrator calibrator() {
        return [this](const calibrate::Options& options, const RunControl& control) {
            asked = options;
            ProgressEvent event;
            for (const auto& [task, done, total] :
                 {std::tuple{"peak rate", 2.0, 6.0}, std::tuple{"bandwidth", 6.0, 6.0},
                  std::tuple{"all-reduce between processes", 8.0, 8.0}, std::tuple{"kernels", 37.0, 148.0}}) {
                event.task = task;
                event.done = done;
                event.total = total;
                control.report(event);
                ++reported;
            }
            while (!may) {
                if (control.cancelled()) {
                    stopped = true;
                    throw InterruptedError("the calibration was stopped");
                }
                std::this_thread::sleep_for(2ms);
            }
            if (throws) throw std::runtime_error("the clock stood still");
            return noisy ? noisyOne() : quietOne();
        };
    }
};

template <typename Control>
Control* named(const QWidget& root, const QString& name) {
    for (Control* each : root.findChildren<Control*>())
        if (each->isVisibleTo(&root) && each->accessibleName() == name) return each;
    return nullptr;
}

QPushButton* button(const QWidget& root, const QString& text) {
    for (QPushButton* each : root.findChildren<QPushButton*>())
        if (each->isVisibleTo(&root) && each->text() == text) return each;
    return nullptr;
}

class Calibrating : public testing::Test {
protected:
    void SetUp() override {
        QSettings().clear();
        ASSERT_TRUE(folder_.isValid());
        data_ = qgetenv("XDG_DATA_HOME");
        qputenv("XDG_DATA_HOME", folder_.filePath(QStringLiteral("share")).toUtf8());
        asker().ask = [this](QWidget& /*owner*/, const Question& question, const Asker::Answered& answered) {
            asked_.append(question.sentence);
            answered(answer_);
        };
        asker().saveFile = [this](QWidget&, const QString&, const QString&, const QString&,
                                  const Asker::Chosen& chosen) { chosen(chosenFile_); };
    }
    void TearDown() override {
        asker() = dialogAsker();
        theme().apply(ThemeMode::light);
        if (data_.isEmpty())
            qunsetenv("XDG_DATA_HOME");
        else
            qputenv("XDG_DATA_HOME", data_);
        QSettings().clear();
    }
    fs::path ownFile(const char* name = "this-machine") const {
        return folder_.filePath(QStringLiteral("share/tessera/accelerators/%1.json").arg(QLatin1String(name)))
            .toStdString();
    }
    static void activate(QDialog& dialog) {
        dialog.show();
        dialog.activateWindow();
        ASSERT_TRUE(waitUntil([&] { return dialog.isActiveWindow() && QApplication::focusWidget() != nullptr; }));
    }
    static void press(const QWidget& root, const char* text) {
        QPushButton* found = button(root, QString::fromUtf8(text));
        ASSERT_NE(found, nullptr) << text;
        ASSERT_TRUE(found->isEnabled()) << text;
        found->click();
    }
    static bool isAt(const CalibrationDialog& dialog, const char* page) {
        return button(dialog, QString::fromUtf8(page)) != nullptr;
    }
    static void picture(QWidget& widget, const QString& step) {
        for (const auto& [mode, name] : {std::pair{ThemeMode::light, "light"}, std::pair{ThemeMode::dark, "dark"}}) {
            theme().apply(mode);
            waitUntil([] { return false; }, 250);
            const QImage image =
                test::savePicture(widget, QStringLiteral("calibration-%1-%2").arg(step, QLatin1String(name)));
            EXPECT_GT(test::coloursIn(image), 30) << step.toStdString();
        }
        theme().apply(ThemeMode::light);
    }

    QTemporaryDir folder_;
    QByteArray data_;
    QStringList asked_;
    int answer_ = 0;
    QString chosenFile_;
    Fake fake_;
};

TEST_F(Calibrating, goesFromTheSetUpToAnAcceleratorThatCanBeOpened) {
    CalibrationDialog dialog(fake_.calibrator());
    QSignalSpy written(&dialog, &CalibrationDialog::written);
    QSignalSpy opened(&dialog, &CalibrationDialog::openRequested);
    dialog.show();
    EXPECT_TRUE(visibleText(dialog).contains(QString::fromStdString(ownFile().string()))) << "says where it goes";
    picture(dialog, QStringLiteral("setup"));
    press(dialog, "Measure");
    ASSERT_TRUE(dialog.isMeasuring());
    ASSERT_TRUE(waitUntil([&] { return visibleText(dialog).contains(QStringLiteral("37 of 148")); }));
    EXPECT_EQ(fake_.reported, calibrate::stages().size());
    EXPECT_EQ(button(dialog, QStringLiteral("Measure")), nullptr);
    waitUntil([] { return false; }, 300);
    EXPECT_TRUE(visibleText(dialog).contains(QStringLiteral("left")));
    picture(dialog, QStringLiteral("measuring"));
    fake_.may = true;
    ASSERT_TRUE(waitUntil([&] { return isAt(dialog, "Open accelerator"); }));
    picture(dialog, QStringLiteral("result"));
    EXPECT_TRUE(fake_.asked.quick);
    EXPECT_EQ(fake_.asked.threads, 0U) << "all cores";
    EXPECT_TRUE(fake_.asked.kernels.empty());
    const QString seen = visibleText(dialog);
    for (const char* part : {"This machine was quiet", "120 GFLOP/s", "14 GB/s",
                             "492 repetitions · 12 outliers left out", "this-machine.json", "this-machine.csv"})
        EXPECT_TRUE(seen.contains(QString::fromUtf8(part))) << part << "\n" << seen.toStdString();
    ASSERT_EQ(written.count(), 1);
    EXPECT_EQ(written[0][0].toString(), QStringLiteral("accelerator/this-machine"));
    EXPECT_EQ(hardware::loadAccelerator("this-machine").vendor, "Abacus 9");

    press(dialog, "Open accelerator");
    press(dialog, "Predict with it…");
    ASSERT_EQ(opened.count(), 2);
    EXPECT_EQ(opened[0][1].toString(), QStringLiteral("accelerator/this-machine"));
    EXPECT_EQ(opened[1][1].toString(), QStringLiteral("new/predict?hardware=this-machine&dtype=fp32"));

    press(dialog, "Measure again…");
    ASSERT_TRUE(isAt(dialog, "Measure"));
    EXPECT_TRUE(visibleText(dialog).contains(QStringLiteral("it is replaced when the new one is done")));
    dialog.reject();
    EXPECT_FALSE(dialog.isVisible());
    EXPECT_TRUE(asked_.isEmpty());
}

TEST_F(Calibrating, warnsOfANoisyMachineAndOfWhatWasNotReached) {
    fake_.may = true;
    fake_.noisy = true;
    CalibrationDialog dialog(fake_.calibrator());
    dialog.show();
    press(dialog, "Measure");
    ASSERT_TRUE(waitUntil([&] { return isAt(dialog, "Open accelerator"); }));
    const QString seen = visibleText(dialog);
    for (const char* part : {"This machine was noisy", "31 of 43 kernels were not reached", "31 not reached", "noisy"})
        EXPECT_TRUE(seen.contains(QString::fromUtf8(part))) << part << "\n" << seen.toStdString();
    EXPECT_EQ(seen.count(QStringLiteral("This machine was noisy")), 1) << "said once";
    auto* tabs = dialog.findChild<QTabWidget*>();
    tabs->setCurrentIndex(1);
    EXPECT_EQ(tabs->tabText(1), QStringLiteral("Kernels (12)"));
    picture(dialog, QStringLiteral("noisy"));
}

TEST_F(Calibrating, cancelAnswersAtOnceAndKeepsNothing) {
    CalibrationDialog dialog(fake_.calibrator());
    dialog.show();
    press(dialog, "Measure");
    ASSERT_TRUE(waitUntil([&] { return fake_.reported == 4; }));
    press(dialog, "Cancel");
    ASSERT_TRUE(waitUntil([&] { return isAt(dialog, "Measure"); }));
    EXPECT_TRUE(fake_.stopped);
    EXPECT_FALSE(fs::exists(ownFile()));
    press(dialog, "Measure");
    EXPECT_TRUE(dialog.isMeasuring()) << "and it can begin anew";
}

TEST_F(Calibrating, closingWhileItMeasuresAsks) {
    auto dialog = std::make_unique<CalibrationDialog>(fake_.calibrator());
    dialog->show();
    press(*dialog, "Measure");
    answer_ = 1;
    dialog->close();
    EXPECT_TRUE(dialog->isVisible());
    EXPECT_TRUE(dialog->isMeasuring());
    answer_ = 0;
    QTest::keyClick(dialog.get(), Qt::Key_Escape);
    EXPECT_EQ(asked_.size(), 2);
    EXPECT_TRUE(waitUntil([&] { return !dialog->isVisible(); }));
    EXPECT_TRUE(fake_.stopped);
}

TEST_F(Calibrating, aDialogThatIsGoneStopsItsMeasurement) {
    {
        CalibrationDialog dialog(fake_.calibrator());
        dialog.show();
        press(dialog, "Measure");
    }
    EXPECT_TRUE(fake_.stopped);
}

TEST_F(Calibrating, aFailureIsSaidAndNothingIsLost) {
    fake_.may = true;
    fake_.throws = true;
    CalibrationDialog dialog(fake_.calibrator());
    dialog.show();
    press(dialog, "Measure");
    ASSERT_TRUE(waitUntil([&] { return isAt(dialog, "Measure"); }));
    EXPECT_TRUE(visibleText(dialog).contains(QStringLiteral("The clock stood still.")));
    fake_.throws = false;
    press(dialog, "Measure");
    ASSERT_TRUE(waitUntil([&] { return isAt(dialog, "Open accelerator"); }));
}

TEST_F(Calibrating, whatCannotBeWrittenIsKeptElsewhere) {
    // Where the folder should be is a file.
    QDir().mkpath(folder_.filePath(QStringLiteral("share/tessera")));
    writeFile(folder_.filePath(QStringLiteral("share/tessera/accelerators")).toStdString(), "in the way");
    fake_.may = true;
    CalibrationDialog dialog(fake_.calibrator());
    QSignalSpy written(&dialog, &CalibrationDialog::written);
    dialog.show();
    press(dialog, "Measure");
    ASSERT_TRUE(waitUntil([&] { return isAt(dialog, "Open accelerator"); }));
    EXPECT_FALSE(button(dialog, QStringLiteral("Open accelerator"))->isEnabled());
    EXPECT_TRUE(dialog.isUnkept());
    EXPECT_TRUE(visibleText(dialog).contains(QStringLiteral("It is not kept yet.")))
        << visibleText(dialog).toStdString();
    picture(dialog, QStringLiteral("unkept"));
    answer_ = 2;
    dialog.reject();
    EXPECT_TRUE(dialog.isVisible()) << "asks before it is lost";
    EXPECT_EQ(asked_.size(), 1);
    QDir().mkpath(folder_.filePath(QStringLiteral("elsewhere")));
    chosenFile_ = folder_.filePath(QStringLiteral("elsewhere/mine"));
    press(dialog, "Keep it elsewhere…");
    ASSERT_TRUE(waitUntil([&] { return written.count() == 1; }));
    EXPECT_EQ(written[0][0].toString(), chosenFile_ + QStringLiteral(".json"));
    EXPECT_TRUE(QFile::exists(folder_.filePath(QStringLiteral("elsewhere/mine.csv"))));
    EXPECT_FALSE(dialog.isUnkept());
    EXPECT_TRUE(button(dialog, QStringLiteral("Open accelerator"))->isEnabled());
    EXPECT_EQ(hardware::loadAccelerator(written[0][0].toString().toStdString()).kernels, "mine.csv");
}

TEST_F(Calibrating, measuresTheOperatorsOfAModelFirst) {
    fake_.may = true;
    CalibrationDialog dialog(fake_.calibrator());
    activate(dialog);
    EXPECT_EQ(named<QLineEdit>(dialog, QStringLiteral("Batch sizes")), nullptr) << "only where there is a model";
    dialog.chooseModel(QStringLiteral("zoo:bert-base"));
    auto* batches = named<QLineEdit>(dialog, QStringLiteral("Batch sizes"));
    ASSERT_NE(batches, nullptr);
    ASSERT_TRUE(waitUntil([&] { return visibleText(dialog).contains(QStringLiteral("weighted layers")); }, 20'000))
        << visibleText(dialog).toStdString();
    QTest::keyClicks(batches, QStringLiteral("1,0"));
    EXPECT_TRUE(visibleText(dialog).contains(QStringLiteral("Type whole numbers from 1")));
    press(dialog, "Measure");
    EXPECT_FALSE(dialog.isMeasuring());
    EXPECT_TRUE(batches->hasFocus());
    batches->clear();
    QTest::keyClicks(batches, QStringLiteral("2, 4"));
    picture(dialog, QStringLiteral("model"));
    press(dialog, "Measure");
    ASSERT_TRUE(waitUntil([&] { return isAt(dialog, "Open accelerator"); }, 20'000))
        << visibleText(dialog).toStdString();
    EXPECT_GT(fake_.asked.kernels.size(), 10U);
    EXPECT_EQ(fake_.asked.kernels.front().dtype, "fp32");
}

TEST_F(Calibrating, aModelThatCannotBeReadIsSaidBesideIt) {
    fake_.may = true;
    CalibrationDialog dialog(fake_.calibrator());
    activate(dialog);
    dialog.chooseModel(QStringLiteral("/nowhere/model.onnx"));
    press(dialog, "Measure");  // before it was looked at
    ASSERT_TRUE(waitUntil([&] { return isAt(dialog, "Measure"); }));
    EXPECT_TRUE(visibleText(dialog).contains(QStringLiteral("/nowhere/model.onnx")))
        << visibleText(dialog).toStdString();
    EXPECT_EQ(fake_.reported, 0U);
    waitUntil([] { return false; }, 400);
    press(dialog, "Measure");
    EXPECT_FALSE(dialog.isMeasuring()) << "known by now";
    EXPECT_TRUE(dialog.findChild<ReferencePicker*>()->box()->hasFocus());
}

TEST_F(Calibrating, refusesWrongTimesThreadsAndNames) {
    fake_.may = true;
    CalibrationDialog dialog(fake_.calibrator());
    activate(dialog);
    const auto refuses = [&](const char* reason) {
        press(dialog, "Measure");
        EXPECT_FALSE(dialog.isMeasuring());
        EXPECT_TRUE(visibleText(dialog).contains(QString::fromUtf8(reason))) << reason << "\n"
                                                                             << visibleText(dialog).toStdString();
    };
    for (QRadioButton* each : dialog.findChildren<QRadioButton*>())
        if (each->text() == QStringLiteral("Another time")) each->click();
    auto* time = named<QLineEdit>(dialog, QStringLiteral("Another time"));
    ASSERT_NE(time, nullptr);
    time->clear();
    refuses("Type a time from 1 s to 1 h");
    QTest::keyClicks(time, QStringLiteral("2 h"));
    refuses("Type a time from 1 s to 1 h");
    EXPECT_TRUE(time->hasFocus());
    time->clear();
    QTest::keyClicks(time, QStringLiteral("12 s"));

    auto* threads = named<QLineEdit>(dialog, QStringLiteral("Threads"));
    QTest::keyClicks(threads, QStringLiteral("0"));
    refuses("Type a whole number from 1 to");
    EXPECT_TRUE(threads->hasFocus());
    threads->clear();
    QTest::keyClicks(threads, QStringLiteral("1"));

    auto* name = named<QLineEdit>(dialog, QStringLiteral("Name"));
    name->clear();
    refuses("Give it a name.");
    EXPECT_TRUE(name->hasFocus());
    name->setText(QStringLiteral("some/where"));
    refuses("Give the whole path of the file");
    name->setText(folder_.path());
    refuses("This is a folder");
    picture(dialog, QStringLiteral("wrong"));
    name->setText(QStringLiteral("one-core"));
    press(dialog, "Measure");
    ASSERT_TRUE(waitUntil([&] { return isAt(dialog, "Open accelerator"); }));
    EXPECT_EQ(fake_.asked.seconds, 12.0);
    EXPECT_TRUE(fake_.asked.quick) << "a short time is for fewer shapes";
    EXPECT_EQ(fake_.asked.threads, 1U);
    EXPECT_EQ(fake_.asked.name, "one-core");
    EXPECT_TRUE(fs::exists(ownFile("one-core")));
}

TEST_F(Calibrating, saysThatRunsAtWorkAreMeasuredToo) {
    CalibrationDialog dialog(fake_.calibrator());
    dialog.show();
    dialog.setRunsAtWork(2);
    EXPECT_TRUE(visibleText(dialog).contains(QStringLiteral("2 runs are at work")));
    picture(dialog, QStringLiteral("busy"));
    press(dialog, "Measure");
    EXPECT_TRUE(visibleText(dialog).contains(QStringLiteral("2 runs are at work")));
    dialog.setRunsAtWork(0);
    EXPECT_FALSE(visibleText(dialog).contains(QStringLiteral("at work")));
}

TEST_F(Calibrating, everyControlHasANameAHintAndAKey) {
    CalibrationDialog dialog(fake_.calibrator());
    activate(dialog);
    const auto look = [&](const char* page) {
        EXPECT_EQ(test::namelessControls(dialog).join(QLatin1Char('\n')).toStdString(), "") << page;
        EXPECT_EQ(test::hintlessButtons(dialog).join(QLatin1Char('\n')).toStdString(), "") << page;
        ASSERT_NE(QApplication::focusWidget(), nullptr) << page;
        EXPECT_EQ(test::unreachableControls(dialog).join(QLatin1Char('\n')).toStdString(), "") << page;
    };
    dialog.chooseModel(QStringLiteral("zoo:lenet5"));
    look("set up");
    press(dialog, "Measure");
    EXPECT_TRUE(button(dialog, QStringLiteral("Cancel"))->hasFocus()) << "the only control there";
    EXPECT_EQ(test::namelessControls(dialog).join(QLatin1Char('\n')).toStdString(), "");
    fake_.may = true;
    ASSERT_TRUE(waitUntil([&] { return isAt(dialog, "Open accelerator"); }));
    look("result");
}

// In the window -------------------------------------------------------------------------------------------------------

class CalibratingWindow : public Calibrating {
protected:
    MainWindow::Options options() {
        return {.history = folder_.filePath(QStringLiteral("history.db")).toStdString(),
                .restoreSession = false,
                .recordHistory = true,
                .calibrator = fake_.calibrator()};
    }
    static CalibrationDialog* dialogOf(MainWindow& window) {
        window.actionNamed(QStringLiteral("calibrate"))->trigger();
        return window.findChild<CalibrationDialog*>();
    }
    static QModelIndex listed(MainWindow& window, const QString& key) {
        const QAbstractItemModel& model = *window.findChild<LibraryPanel*>()->tree()->model();
        return model.match(model.index(0, 0), LibraryPanel::KeyRole, key, 1, Qt::MatchExactly | Qt::MatchRecursive)
            .value(0);
    }
};

TEST_F(CalibratingWindow, isReachedFromMenuLibraryAndPredictionAndItsAcceleratorIsThere) {
    fake_.may = true;
    MainWindow window(options());
    window.show();
    CalibrationDialog* dialog = dialogOf(window);
    ASSERT_NE(dialog, nullptr);
    EXPECT_FALSE(dialog->isModal());
    EXPECT_EQ(dialogOf(window), dialog) << "there is one";
    press(*dialog, "Measure");
    ASSERT_TRUE(waitUntil([&] { return isAt(*dialog, "Open accelerator"); }));
    ASSERT_TRUE(waitUntil([&] { return listed(window, QStringLiteral("accelerator/this-machine")).isValid(); }));
    press(*dialog, "Open accelerator");
    EXPECT_EQ(window.currentDocument()->key(), "accelerator/this-machine");
    press(*dialog, "Predict with it…");
    auto* study = qobject_cast<StudyDocument*>(window.currentDocument());
    ASSERT_NE(study, nullptr);
    ASSERT_TRUE(waitUntil([&] { return button(*study, QStringLiteral("Calibrate this machine…")) != nullptr; }));
    study->setModel(QStringLiteral("zoo:lenet5"));
    EXPECT_EQ(study->study().hardware, std::vector<std::string>{"this-machine"});
    EXPECT_EQ(study->study().parameters->at("dtype"), "fp32");
    picture(window, QStringLiteral("prediction"));
    dialog->close();
    ASSERT_TRUE(waitUntil([&] { return window.findChild<CalibrationDialog*>() == nullptr; }));

    press(*study, "Calibrate this machine…");
    ASSERT_NE(window.findChild<CalibrationDialog*>(), nullptr);
    window.findChild<CalibrationDialog*>()->close();
    ASSERT_TRUE(waitUntil([&] { return window.findChild<CalibrationDialog*>() == nullptr; }));
    auto* library = window.findChild<LibraryPanel*>();
    for (const QModelIndex& index : {listed(window, QStringLiteral("accelerator/this-machine")),
                                     listed(window, QStringLiteral("accelerator/this-machine")).parent()}) {
        QMenu* menu = library->contextMenu(index);
        ASSERT_NE(menu, nullptr);
        QAction* calibrate = nullptr;
        for (QAction* each : menu->actions())
            if (each->text() == QStringLiteral("Calibrate this machine…")) calibrate = each;
        ASSERT_NE(calibrate, nullptr);
        calibrate->trigger();
        EXPECT_NE(window.findChild<CalibrationDialog*>(), nullptr);
        delete menu;
    }
}

TEST_F(CalibratingWindow, doesNotCloseWhileItMeasuresWithoutAsking) {
    MainWindow window(options());
    window.show();
    ASSERT_TRUE(waitUntil([&] { return window.history().isOpen(); }));
    CalibrationDialog* dialog = dialogOf(window);
    press(*dialog, "Measure");
    answer_ = 1;
    EXPECT_FALSE(window.close());
    EXPECT_EQ(asked_.size(), 1);
    EXPECT_TRUE(dialog->isMeasuring());
    answer_ = 0;
    window.close();
    EXPECT_TRUE(waitUntil([&] { return !window.isVisible(); }));
    EXPECT_EQ(window.findChild<CalibrationDialog*>(), nullptr);
    EXPECT_TRUE(fake_.stopped);
}

TEST_F(CalibratingWindow, aWindowThatIsGoneStopsItsMeasurement) {
    {
        MainWindow window(options());
        press(*dialogOf(window), "Measure");
    }
    EXPECT_TRUE(fake_.stopped);
}

TEST_F(CalibratingWindow, warnsOfRunsInTheQueueWhileTheyWork) {
    MainWindow window(options());
    window.show();
    ASSERT_TRUE(waitUntil([&] { return window.history().isOpen(); }));
    CalibrationDialog* dialog = dialogOf(window);
    EXPECT_FALSE(visibleText(*dialog).contains(QStringLiteral("at work")));
    study::Study study = study::newStudy("partition");
    study.models = {"zoo:densenet121"};
    study.hardware = {"accpar-heterogeneous"};
    const int job = window.jobs().enqueue(study);
    EXPECT_TRUE(visibleText(*dialog).contains(QStringLiteral("A run is at work")));
    window.jobs().pause(job);
    EXPECT_TRUE(waitUntil([&] { return !visibleText(*dialog).contains(QStringLiteral("at work")); }));
    window.jobs().cancel(job);
    ASSERT_TRUE(waitUntil([&] { return window.jobs().working() == 0; }, 20'000));
}

TEST_F(CalibratingWindow, measuresThisMachineForRealWhileTheWindowAnswers) {
    MainWindow::Options options = this->options();
    options.calibrator = {};
    MainWindow window(options);
    window.show();
    ASSERT_TRUE(waitUntil([&] { return window.history().isOpen(); }));
    CalibrationDialog* dialog = dialogOf(window);
    for (QRadioButton* each : dialog->findChildren<QRadioButton*>())
        if (each->text() == QStringLiteral("Another time")) each->click();
    auto* time = named<QLineEdit>(*dialog, QStringLiteral("Another time"));
    waitUntil([] { return false; }, 500);  // what the window reads at its start
    test::TurnMeter turns;
    press(*dialog, "Measure");  // for a minute
    waitUntil([] { return false; }, 1000);
    press(*dialog, "Cancel");
    ASSERT_TRUE(waitUntil([&] { return isAt(*dialog, "Measure"); }, 30'000)) << "half of what it would measure for";
    EXPECT_FALSE(fs::exists(ownFile()));
    time->clear();
    QTest::keyClicks(time, QStringLiteral("2 s"));
    press(*dialog, "Measure");
    ASSERT_TRUE(waitUntil([&] { return isAt(*dialog, "Open accelerator"); }, 60'000));
    EXPECT_LT(turns.longest(), test::kLongestTurn);
    ASSERT_TRUE(waitUntil([&] { return listed(window, QStringLiteral("accelerator/this-machine")).isValid(); }));
    const hardware::Accelerator made = hardware::loadAccelerator("this-machine");
    EXPECT_GT(made.peakFlops.at("fp32").value, 1e8);
    EXPECT_EQ(made.kernels, "../kernels/this-machine.csv");
    EXPECT_EQ(made.provenance.at("peak_flops.fp32").reliability, "measured");
    picture(*dialog, QStringLiteral("real"));
}

}  // namespace
}  // namespace tessera::ui
