#include <gtest/gtest.h>

#include <QAction>
#include <QCheckBox>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/hardware/library.h"
#include "core/store/store.h"
#include "tests/support/calibration_result.h"
#include "tests/support/controls.h"
#include "tests/support/dialogs.h"
#include "tests/support/pictures.h"
#include "tests/support/shown.h"
#include "tests/support/turns.h"
#include "ui/editors/editor_core.h"
#include "ui/editors/name_dialog.h"
#include "ui/editors/reference_picker.h"
#include "ui/editors/study_document.h"
#include "ui/jobs/jobs.h"
#include "ui/jobs/run_status.h"
#include "ui/theme/theme.h"
#include "ui/views/message_bar.h"
#include "ui/views/runs/run_document.h"
#include "ui/workspace/history/history.h"
#include "ui/workspace/library_panel.h"
#include "ui/workspace/questions.h"
#include "ui/workspace/window/main_window.h"

/// The studio's way from a calibration that is set up to an accelerator of this machine.
namespace tessera::ui {
namespace {

namespace fs = std::filesystem;
using test::visibleText;
using test::waitUntil;

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
    }
    void TearDown() override {
        window_.reset();
        asker() = dialogAsker();
        theme().apply(ThemeMode::light);
        if (data_.isEmpty())
            qunsetenv("XDG_DATA_HOME");
        else
            qputenv("XDG_DATA_HOME", data_);
        QSettings().clear();
    }

    fs::path history() const { return folder_.filePath(QStringLiteral("history.db")).toStdString(); }
    fs::path ownFile(const char* name = "this-machine") const {
        return folder_.filePath(QStringLiteral("share/tessera/accelerators/%1.json").arg(QLatin1String(name)))
            .toStdString();
    }

    MainWindow& window() {
        if (window_ == nullptr) {
            window_ = std::make_unique<MainWindow>(
                MainWindow::Options{.history = history(), .restoreSession = false, .recordHistory = true});
            window_->resize(1280, 800);
            window_->show();
            EXPECT_TRUE(waitUntil([&] { return window_->history().isOpen(); }));
        }
        return *window_;
    }
    /// The form of the study that the menu opens, read and checked.
    StudyDocument& form() {
        window().actionNamed(QStringLiteral("calibrate"))->trigger();
        auto* study = qobject_cast<StudyDocument*>(window().currentDocument());
        EXPECT_TRUE(waitUntil([&] { return study != nullptr && study->findChild<ReferencePicker*>() != nullptr; }));
        settle(*study);
        return *study;
    }
    static void settle(const StudyDocument& study) {
        const auto* core = study.findChild<EditorCore*>();
        EXPECT_TRUE(waitUntil([&] { return core->isStarted() && !core->isChecking(); }));
    }
    /// Types into a field of the form, in place of what is there.
    static void retype(const StudyDocument& study, const char* name, const char* text) {
        auto* field = named<QLineEdit>(study, QLatin1String(name));
        ASSERT_NE(field, nullptr) << name;
        field->setFocus();
        field->clear();
        QTest::keyClicks(field, QString::fromUtf8(text));
        settle(study);
    }
    static void press(const QWidget& root, const char* text) {
        QPushButton* found = button(root, QString::fromUtf8(text));
        ASSERT_NE(found, nullptr) << text << "\n" << visibleText(root).toStdString();
        ASSERT_TRUE(found->isEnabled()) << text;
        found->click();
    }
    /// Runs the form's study; the newest job.
    int run(const StudyDocument& study) {
        press(study, "Run");
        const QVector<int> jobs = window().jobs().jobs();
        EXPECT_FALSE(jobs.isEmpty()) << visibleText(study).toStdString();
        return jobs.value(0);
    }
    store::RunStatus statusOf(int job) { return window().jobs().state(job).status; }
    bool isMeasuring(int job) {
        return waitUntil([&] {
            const RunState state = window().jobs().state(job);
            return state.status == store::RunStatus::running && state.total > 0;
        });
    }
    /// The page of a run of the history with this result.
    RunDocument& pageOf(const study::Result& result) {
        store::RunId run = 0;
        {
            store::Store store = store::Store::open(history());
            run = store.addRun(result.study);
            store.finishRun(run, result, study::headline(result));
        }
        auto* page =
            qobject_cast<RunDocument*>(window().open(QStringLiteral("run"), QStringLiteral("run/%1").arg(run)));
        EXPECT_TRUE(waitUntil([&] { return page != nullptr && page->state().result != nullptr; }));
        return *page;
    }
    /// Saves what the page's run measured under the name.
    void saveAs(const RunDocument& page, const QString& name) {
        press(page, "Save as an accelerator…");
        auto* dialog = window().findChild<NameDialog*>();
        ASSERT_NE(dialog, nullptr);
        if (!name.isEmpty()) dialog->findChild<QLineEdit*>()->setText(name);
        dialog->accept();
        ASSERT_TRUE(waitUntil([&] { return window().findChild<NameDialog*>() == nullptr; }));
    }
    bool isNoticed(const QString& words) {
        return waitUntil([&] { return window().notices().join(QLatin1Char('\n')).contains(words); });
    }
    /// Chooses in the newest notice.
    void choose(const QString& title) {
        const QStringList all = window().notices();
        for (int notice = 0; notice < all.size(); ++notice)
            if (const qsizetype at = all[notice].split(QStringLiteral(" · ")).indexOf(title); at > 0)
                return window().chooseInNotice(notice, static_cast<int>(at) - 1);
        ADD_FAILURE() << title.toStdString() << " is in none of " << all.join(QLatin1Char('\n')).toStdString();
    }
    QModelIndex listed(const QString& key) {
        const QAbstractItemModel& model = *window().findChild<LibraryPanel*>()->tree()->model();
        return model.match(model.index(0, 0), LibraryPanel::keyRole, key, 1, Qt::MatchExactly | Qt::MatchRecursive)
            .value(0);
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
    std::unique_ptr<MainWindow> window_;
};

TEST_F(Calibrating, goesFromARunToAnAcceleratorThatCanBeOpened) {
    RunDocument& page = pageOf(test::handMadeCalibration());
    const QString seen = visibleText(page);
    for (const char* part : {"This machine was quiet.", "102 GFLOP/s", "12.3 GB/s"})
        EXPECT_TRUE(seen.contains(QString::fromUtf8(part))) << part << "\n" << seen.toStdString();
    picture(page, QStringLiteral("result"));
    press(page, "Save as an accelerator…");
    auto* dialog = window().findChild<NameDialog*>();
    ASSERT_NE(dialog, nullptr);
    EXPECT_TRUE(visibleText(*dialog).contains(QString::fromStdString(ownFile().string()))) << "says where it goes";
    dialog->accept();
    ASSERT_TRUE(isNoticed(QStringLiteral("This machine is an accelerator now")));
    EXPECT_TRUE(isNoticed(QString::fromStdString(ownFile().string())));
    const hardware::Accelerator made = hardware::loadAccelerator("this-machine");
    EXPECT_EQ(made.vendor, "a small processor");
    EXPECT_EQ(made.name, "this machine");
    EXPECT_EQ(made.kernels, "../kernels/this-machine.csv");
    ASSERT_TRUE(waitUntil([&] { return listed(QStringLiteral("accelerator/this-machine")).isValid(); }));

    choose(QStringLiteral("Open accelerator"));
    EXPECT_EQ(window().currentDocument()->key(), "accelerator/this-machine");
    window().open(page.kind(), page.key());
    press(page, "Save as an accelerator…");
    dialog = window().findChild<NameDialog*>();
    ASSERT_NE(dialog, nullptr);
    EXPECT_TRUE(visibleText(*dialog).contains(QStringLiteral("it will be replaced")));
    dialog->accept();
    ASSERT_TRUE(isNoticed(QStringLiteral("Predict with it…")));
    choose(QStringLiteral("Predict with it…"));
    EXPECT_EQ(window().currentDocument()->key(), "new/predict?hardware=this-machine&dtype=fp32");
    auto* study = qobject_cast<StudyDocument*>(window().currentDocument());
    ASSERT_NE(study, nullptr);
    ASSERT_TRUE(waitUntil([&] { return button(*study, QStringLiteral("Calibrate this machine…")) != nullptr; }));
    study->setModel(QStringLiteral("zoo:lenet5"));
    EXPECT_EQ(study->study().hardware, std::vector<std::string>{"this-machine"});
    EXPECT_EQ(study->study().parameters->at("dtype"), "fp32");
    picture(window(), QStringLiteral("prediction"));
}

TEST_F(Calibrating, warnsOfANoisyMachineAndOfWhatWasNotReached) {
    study::Result noisy = test::handMadeCalibration(true);
    noisy.warnings.emplace_back("31 of 43 kernels were not reached in 30 s.");
    RunDocument& page = pageOf(noisy);
    const QString said = page.findChild<MessageBar*>()->message();
    EXPECT_TRUE(said.contains(QStringLiteral("31 of 43 kernels were not reached"))) << said.toStdString();
    EXPECT_EQ(said.count(QStringLiteral("This machine was noisy")), 1) << "said once";
    auto* pages = page.findChild<RunPages*>();
    pages->openTab(QStringLiteral("summary"));
    EXPECT_TRUE(waitUntil([&] {
        return visibleText(page).contains(QStringLiteral("321 repetitions, 4 outliers left out"));
    })) << visibleText(page).toStdString();
    picture(page, QStringLiteral("noisy"));
}

TEST_F(Calibrating, isSavedUnderAnyName) {
    const RunDocument& page = pageOf(test::handMadeCalibration());
    saveAs(page, QStringLiteral("one-core"));
    ASSERT_TRUE(isNoticed(QStringLiteral("one-core.json")));
    EXPECT_EQ(hardware::loadAccelerator("one-core").name, "one-core");
    choose(QStringLiteral("Open accelerator"));
    EXPECT_EQ(window().currentDocument()->key(), "accelerator/one-core");
}

TEST_F(Calibrating, whatCannotBeWrittenIsSavedElsewhere) {
    // Where the folder should be is a file.
    QDir().mkpath(folder_.filePath(QStringLiteral("share/tessera")));
    writeFile(folder_.filePath(QStringLiteral("share/tessera/accelerators")).toStdString(), "in the way");
    const RunDocument& page = pageOf(test::handMadeCalibration());
    saveAs(page, {});
    ASSERT_TRUE(isNoticed(QStringLiteral("The accelerator is not saved.")));
    picture(window(), QStringLiteral("unsaved"));
    QDir().mkpath(folder_.filePath(QStringLiteral("elsewhere")));
    const QString place = folder_.filePath(QStringLiteral("elsewhere/mine"));
    {
        const test::DialogAnswerer answers([&](QWidget& dialog) {
            if (auto* files = qobject_cast<QFileDialog*>(&dialog)) return test::chooseFile(*files, place);
            if (QPushButton* elsewhere = button(dialog, QStringLiteral("Save as…"))) elsewhere->click();
        });
        choose(QStringLiteral("Save it elsewhere…"));
        ASSERT_TRUE(isNoticed(QStringLiteral("mine.json")));
    }
    EXPECT_TRUE(QFile::exists(place + QStringLiteral(".csv")));
    EXPECT_EQ(hardware::loadAccelerator(place.toStdString() + ".json").kernels, "mine.csv");
    choose(QStringLiteral("Open accelerator"));
    EXPECT_EQ(window().currentDocument()->key(), place + QStringLiteral(".json"));
}

TEST_F(Calibrating, isSetUpForAFirstLook) {
    StudyDocument& study = form();
    EXPECT_EQ(study.key(), "new/calibrate?quick=true");
    EXPECT_EQ(study.study().engine, "calibrate");
    EXPECT_EQ(study.study().parameters->at("quick"), true);
    EXPECT_FALSE(study.isModified());
    EXPECT_TRUE(named<QCheckBox>(study, QStringLiteral("Fewer shapes"))->isChecked());
    EXPECT_TRUE(visibleText(study).contains(QStringLiteral("a coarse grid of shapes")))
        << visibleText(study).toStdString();
    picture(study, QStringLiteral("setup"));
    EXPECT_EQ(&form(), &study) << "there is one";
}

TEST_F(Calibrating, cancelAnswersAtOnceAndKeepsNothing) {
    StudyDocument& study = form();
    const int job = run(study);
    ASSERT_TRUE(isMeasuring(job));
    auto* page = qobject_cast<RunDocument*>(window().currentDocument());
    ASSERT_NE(page, nullptr);
    EXPECT_TRUE(visibleText(*page).contains(QStringLiteral("elapsed"))) << visibleText(*page).toStdString();
    picture(*page, QStringLiteral("measuring"));
    window().actionNamed(QStringLiteral("cancel"))->trigger();
    ASSERT_TRUE(waitUntil([&] { return window().jobs().working() == 0; }, 30'000)) << "it would measure for 30 s";
    EXPECT_EQ(statusOf(job), store::RunStatus::cancelled);
    EXPECT_EQ(window().jobs().state(job).result, nullptr);
    EXPECT_FALSE(fs::exists(ownFile()));
    press(*page, "Run again");
    const int again = window().jobs().jobs().value(0);
    EXPECT_NE(again, job) << "and it can begin anew";
    window().jobs().cancel(again);
    ASSERT_TRUE(waitUntil([&] { return window().jobs().working() == 0; }));
}

TEST_F(Calibrating, closingTheWindowWhileItMeasuresAsks) {
    const int job = run(form());
    ASSERT_TRUE(isMeasuring(job));
    answer_ = 1;
    EXPECT_FALSE(window().close());
    ASSERT_EQ(asked_.size(), 1);
    EXPECT_TRUE(asked_[0].contains(QStringLiteral("Nothing is kept of a measurement"))) << asked_[0].toStdString();
    EXPECT_TRUE(isWorking(statusOf(job)));
    answer_ = 0;
    window().close();
    EXPECT_TRUE(waitUntil([&] { return !window().isVisible(); }));
}

TEST_F(Calibrating, aWindowThatIsGoneStopsItsMeasurement) {
    ASSERT_TRUE(isMeasuring(run(form())));
    window_.reset();
    EXPECT_EQ(store::Store::open(history()).run(1)->status, store::RunStatus::interrupted);
}

TEST_F(Calibrating, waitsUntilNoOtherRunWouldBeMeasuredToo) {
    StudyDocument& calibration = form();
    study::Study study = study::newStudy("partition");
    study.models = {"zoo:densenet121"};
    study.hardware = {"accpar-heterogeneous"};
    const int other = window().jobs().enqueue(study);
    window().jobs().pause(other);
    const int job = run(calibration);
    waitUntil([] { return false; }, 300);
    EXPECT_EQ(statusOf(job), store::RunStatus::queued);
    EXPECT_TRUE(visibleText(*window().currentDocument()).contains(QStringLiteral("Waiting for its turn")));
    window().jobs().cancel(other);
    EXPECT_TRUE(isMeasuring(job));
    window().jobs().cancel(job);
    ASSERT_TRUE(waitUntil([&] { return window().jobs().working() == 0; }));
}

TEST_F(Calibrating, measuresTheOperatorsOfAModelFirst) {
    window().open(QStringLiteral("model"), QStringLiteral("zoo:bert-base"));
    StudyDocument& study = form();
    EXPECT_EQ(study.study().models, std::vector<std::string>{"zoo:bert-base"}) << "the one that is looked at";
    EXPECT_TRUE(visibleText(study).contains(QStringLiteral("weighted layers"))) << visibleText(study).toStdString();
    EXPECT_TRUE(visibleText(study).contains(QStringLiteral("kernels and shapes of the model")));
    retype(study, "Batch", "1,0");
    EXPECT_TRUE(visibleText(study).contains(QStringLiteral("whole numbers from 1 to")))
        << visibleText(study).toStdString();
    EXPECT_TRUE(named<QLineEdit>(study, QStringLiteral("Batch"))->property("wrong").toBool()) << "beside its field";
    press(study, "Run");
    EXPECT_TRUE(window().jobs().jobs().isEmpty());
    retype(study, "Batch", "2, 4");
    EXPECT_FALSE(visibleText(study).contains(QStringLiteral("whole numbers from 1 to")));
    EXPECT_EQ(study.study().parameters->at("batch"), "2, 4");
    picture(study, QStringLiteral("model"));
}

TEST_F(Calibrating, aModelThatCannotBeReadIsSaidBesideIt) {
    StudyDocument& study = form();
    study.setModel(QStringLiteral("/nowhere/model.onnx"));
    settle(study);
    press(study, "Run");
    EXPECT_TRUE(window().jobs().jobs().isEmpty());
    EXPECT_TRUE(visibleText(study).contains(QStringLiteral("/nowhere/model.onnx"))) << visibleText(study).toStdString();
}

TEST_F(Calibrating, refusesWrongTimesAndThreads) {
    StudyDocument& study = form();
    const auto refuses = [&](const char* field, const char* text) {
        retype(study, field, text);
        press(study, "Run");
        EXPECT_TRUE(window().jobs().jobs().isEmpty()) << field << ": " << text;
        EXPECT_TRUE(named<QLineEdit>(study, QLatin1String(field))->property("wrong").toBool()) << field << ": " << text;
    };
    refuses("Time limit", "2 h");
    refuses("Time limit", "0.5 s");
    retype(study, "Time limit", "12 s");
    EXPECT_EQ(study.study().parameters->at("time_limit"), 12);
    refuses("Threads", "-1");
    picture(study, QStringLiteral("wrong"));
    retype(study, "Threads", "1");
    EXPECT_EQ(study.study().parameters->at("threads"), 1);
}

TEST_F(Calibrating, everyControlHasANameAndAHint) {
    const auto look = [](const QWidget& page) {
        EXPECT_EQ(test::namelessControls(page).join(QLatin1Char('\n')).toStdString(), "");
        EXPECT_EQ(test::hintlessButtons(page).join(QLatin1Char('\n')).toStdString(), "");
    };
    look(form());
    const RunDocument& page = pageOf(test::handMadeCalibration());
    look(page);
    press(page, "Save as an accelerator…");
    look(*window().findChild<NameDialog*>());
    window().findChild<NameDialog*>()->reject();
}

TEST_F(Calibrating, isReachedFromMenuLibraryAndPrediction) {
    const QString key = form().key();
    const auto leads = [&](const std::function<void()>& act, const char* from) {
        window().open(QStringLiteral("welcome"), {});
        act();
        EXPECT_EQ(window().currentDocument()->key(), key) << from;
    };
    leads([&] { window().actionNamed(QStringLiteral("calibrate"))->trigger(); }, "the menu");
    auto* study = qobject_cast<StudyDocument*>(window().open(QStringLiteral("study"), QStringLiteral("new/predict")));
    ASSERT_TRUE(waitUntil([&] { return button(*study, QStringLiteral("Calibrate this machine…")) != nullptr; }));
    leads(
        [&] {
            window().open(QStringLiteral("study"), QStringLiteral("new/predict"));
            press(*study, "Calibrate this machine…");
        },
        "a prediction");
    saveAs(pageOf(test::handMadeCalibration()), {});
    ASSERT_TRUE(waitUntil([&] { return listed(QStringLiteral("accelerator/this-machine")).isValid(); }));
    auto* library = window().findChild<LibraryPanel*>();
    const QModelIndex own = listed(QStringLiteral("accelerator/this-machine"));
    for (const QModelIndex& index : {own, own.parent()}) {
        const std::unique_ptr<QMenu> menu(library->contextMenu(index));
        ASSERT_NE(menu, nullptr);
        QAction* calibrate = nullptr;
        for (QAction* each : menu->actions())
            if (each->text() == QStringLiteral("Calibrate this machine…")) calibrate = each;
        ASSERT_NE(calibrate, nullptr);
        leads([&] { calibrate->trigger(); }, "the library");
    }
}

TEST_F(Calibrating, measuresThisMachineForRealWhileTheWindowAnswers) {
    StudyDocument& study = form();
    retype(study, "Time limit", "4 s");
    const int job = run(study);
    ASSERT_TRUE(waitUntil([&] { return statusOf(job) == store::RunStatus::running; }));
    waitUntil([] { return false; }, 1500);  // the page of the run is made
    double longest = 0;                     // while it measures: making the page of a result is longer, and once
    {
        test::TurnMeter turns;
        ASSERT_TRUE(waitUntil([&] {
            if (statusOf(job) == store::RunStatus::running) longest = turns.longest();
            return window().jobs().working() == 0;
        }));
    }
    // What is measured takes all cores, their caches and the bandwidth of the memory: painting once was seen to take
    // 115 ms.
    EXPECT_LT(longest, 4 * test::kLongestTurn);
    ASSERT_EQ(statusOf(job), store::RunStatus::done) << window().jobs().state(job).problem.toStdString();
    auto* page = qobject_cast<RunDocument*>(window().currentDocument());
    ASSERT_NE(page, nullptr);
    ASSERT_TRUE(waitUntil([&] { return button(*page, QStringLiteral("Save as an accelerator…")) != nullptr; }));
    saveAs(*page, {});
    ASSERT_TRUE(waitUntil([&] { return listed(QStringLiteral("accelerator/this-machine")).isValid(); }));
    const hardware::Accelerator made = hardware::loadAccelerator("this-machine");
    EXPECT_GT(made.peakFlops.at("fp32").value, 1e8);
    EXPECT_EQ(made.kernels, "../kernels/this-machine.csv");
    EXPECT_EQ(made.provenance.at("peak_flops.fp32").reliability, "measured");
    picture(*page, QStringLiteral("real"));
}

}  // namespace
}  // namespace tessera::ui
