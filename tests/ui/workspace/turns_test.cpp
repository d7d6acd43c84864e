#include "tests/support/turns.h"

#include <gtest/gtest.h>

#include <QElapsedTimer>
#include <QLineEdit>
#include <QScrollBar>
#include <QSettings>
#include <QTableView>
#include <QTemporaryDir>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/base/file.h"
#include "core/model/builder.h"
#include "core/model/writers/writers.h"
#include "core/study/study.h"
#include "tests/support/pictures.h"
#include "tests/ui/workspace/grown_history.h"
#include "ui/jobs/jobs.h"
#include "ui/views/runs/model_document.h"
#include "ui/views/runs/run_document.h"
#include "ui/workspace/history/history_document.h"
#include "ui/workspace/history/run_loader.h"
#include "ui/workspace/window/main_window.h"

/// The window always answers: no turn of its event loop takes longer than 50 ms. What is counted is mostly the work of
/// the UI thread alone, so that a busy machine makes no difference; while the heaviest study runs, a timer ticks as
/// well.
namespace tessera::ui {
namespace {

using test::waitUntil;

constexpr int kLongTurn = 300'000;  ///< milliseconds on the wall

class Turns : public testing::Test {
protected:
    void SetUp() override {
        QSettings().clear();
        openWindow();
    }
    void openWindow() {
        window_ = std::make_unique<MainWindow>(
            MainWindow::Options{.history = history(), .restoreSession = false, .recordHistory = true});
        window_->resize(1280, 800);
        window_->show();
        ASSERT_TRUE(waitUntil([&] { return window_->history().isOpen(); }, kLongTurn));
        settle();
    }
    void TearDown() override {
        window_.reset();
        QSettings().clear();
    }

    std::filesystem::path history() const { return folder_.filePath("history.db").toStdString(); }
    static void settle(int milliseconds = 300) {
        waitUntil([] { return false; }, milliseconds);
    }

    /// What a person does, then everything that follows from it.
    template <typename Work, typename Done>
    void expectShortTurns(const char* what, Work work, Done done) {
        QElapsedTimer clock;
        clock.start();
        test::TurnMeter meter;
        meter.run(work);
        EXPECT_TRUE(waitUntil(done, kLongTurn)) << what;
        settle();
        const double longest = meter.take();
        RecordProperty(std::string(what) + "_turn_us", static_cast<int>(1000 * longest));
        RecordProperty(std::string(what) + "_wall_ms", static_cast<int>(clock.elapsed()));
        EXPECT_LT(longest, test::kLongestTurn) << what << ", " << clock.elapsed() << " ms on the wall";
    }

    /// The bundled study that takes longest, by the engine's own estimate.
    static study::Study heaviest() {
        study::Study heaviest;
        double max = -1;
        for (const auto& [name, title] : study::bundledStudies()) {
            const study::Study study = study::loadStudy(name);
            const double seconds = study::estimate(study).seconds;
            if (seconds <= max) continue;
            max = seconds;
            heaviest = study;
        }
        return heaviest;
    }

    QTemporaryDir folder_;
    std::unique_ptr<MainWindow> window_;
};

TEST_F(Turns, aHeavyStudyRunsAndItsResultIsOpened) {
    const QString study = QString::fromStdString(toText(study::toJson(heaviest())));
    const auto shown = [&] {
        const auto* run = qobject_cast<RunDocument*>(window_->currentDocument());
        return run != nullptr && run->state().result != nullptr;
    };
    expectShortTurns(
        "run", [&] { emit window_->currentDocument()->runRequested(study); }, shown);
    const RunState state = window_->jobs().state(window_->jobs().jobs().front());
    ASSERT_GT(state.run, 0);
    // Once more as it is opened a month later.
    ASSERT_NO_FATAL_FAILURE(openWindow());
    expectShortTurns(
        "open", [&] { window_->open("run", QStringLiteral("run/%1").arg(state.run)); }, shown);
}

TEST_F(Turns, aTimerTicksWhileTheHeaviestStudyRuns) {
    constexpr int kTries = 15;  // what else the machine does is not ours
    const QString study = QString::fromStdString(toText(study::toJson(heaviest())));
    double best = 1e9;
    for (int attempt = 0; attempt < kTries && best >= test::kLongestTurn; ++attempt) {
        settle();
        test::Ticker ticker;
        emit window_->currentDocument()->runRequested(study);
        ASSERT_TRUE(waitUntil([&] { return window_->jobs().working() == 0; }, kLongTurn));
        settle();
        best = std::min(best, ticker.take());
    }
    RecordProperty("longest_ms", static_cast<int>(best));
    EXPECT_LT(best, test::kLongestTurn);
}

TEST_F(Turns, aModelOfTenThousandOperatorsIsOpened) {
    constexpr int kOperators = 10'000;
    model::GraphBuilder builder("large", "test");
    builder.addInput("x", model::DataType::float32, std::vector<std::int64_t>{1, 64, 8, 8});
    std::string from = "x";
    for (int i = 0; i < kOperators; ++i) {
        const std::string block = "stage" + std::to_string(i / 1000) + ".block" + std::to_string(i / 20);
        const std::string to = "t" + std::to_string(i);
        builder.add({.type = i % 3 == 0 ? "Sigmoid" : "Relu",
                     .inputs = {from},
                     .outputs = {to},
                     .attributes = {},
                     .name = block + ".op" + std::to_string(i),
                     .domain = {},
                     .layer = block + ".op" + std::to_string(i),
                     .block = block});
        from = to;
    }
    builder.addOutput(from);
    model::Model model;
    model.name = "large";
    model.form = std::move(builder).build();
    const QString path = folder_.filePath("large.json");
    writeFile(path.toStdString(), model::writeJson(model).text);
    expectShortTurns(
        "model", [&] { window_->open("model", path); },
        [&] {
            const auto* document = qobject_cast<ModelDocument*>(window_->currentDocument());
            return document != nullptr && (document->isLoaded() || !document->problem().isEmpty());
        });
    const auto* document = qobject_cast<ModelDocument*>(window_->currentDocument());
    ASSERT_NE(document, nullptr);
    EXPECT_EQ(document->problem(), "");
}

TEST_F(Turns, eightRunsAreCompared) {
    {
        study::Study study = study::newStudy("partition");
        study.models = {"zoo:resnet50"};
        study.hardware = {"accpar-heterogeneous"};
        for (int i = 0; i < 8; ++i) {
            study.parameters["batch"] = 128 << (i % 4);
            study.parameters["dtype"] = i < 4 ? "bf16" : "fp32";
            window_->jobs().enqueue(study);
        }
    }
    ASSERT_TRUE(waitUntil([&] { return window_->jobs().working() == 0; }, kLongTurn));
    std::vector<store::RunId> runs;
    for (const int job : window_->jobs().jobs()) runs.push_back(window_->jobs().state(job).run);
    expectShortTurns(
        "compare", [&] { window_->open("compare", runKey(runs)); },
        [&] { return !window_->currentDocument()->exportables().isEmpty(); });
}

class LongHistory : public Turns {
protected:
    static constexpr int kRuns = 100'000;
    void SetUp() override {
        test::growHistory(history(), kRuns);
        Turns::SetUp();
    }
};

TEST_F(LongHistory, isOpenedScrolledSearchedAndSorted) {
    HistoryDocument* runs = nullptr;
    expectShortTurns(
        "history", [&] { runs = qobject_cast<HistoryDocument*>(window_->open("history", {})); },
        [&] { return runs->model().rowCount() == kRuns; });
    QTableView* table = runs->table();
    for (const double share : {0.1, 0.35, 0.9, 1.0})
        expectShortTurns(
            "scroll",
            [&] {
                QScrollBar* bar = table->verticalScrollBar();
                bar->setValue(static_cast<int>(share * bar->maximum()));
            },
            [&] {
                const QModelIndex top = table->indexAt(QPoint(10, 10));
                return runs->model().row(top.row()) != nullptr;
            });
    expectShortTurns(
        "search", [&] { runs->filters().search()->setText("Run 4242 of many"); },
        [&] { return runs->model().rowCount() < kRuns; });
    expectShortTurns(
        "clear", [&] { runs->filters().clear(); }, [&] { return runs->model().rowCount() == kRuns; });
    expectShortTurns(
        "sort", [&] { runs->model().sort(HistoryModel::Name, Qt::AscendingOrder); },
        [&] {
            const store::RunRow* first = runs->model().row(0);
            return first != nullptr && first->name == "Run 0 of many";
        });
    expectShortTurns(
        "select all", [&] { table->selectAll(); }, [] { return true; });
}

}  // namespace
}  // namespace tessera::ui
