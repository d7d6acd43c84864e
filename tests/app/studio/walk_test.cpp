#include <gtest/gtest.h>

#include <QAction>
#include <QDir>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFile>
#include <QJsonArray>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QUndoStack>
#include <QUrl>
#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/store/store.h"
#include "core/study/study.h"
#include "tests/support/paths.h"
#include "tests/support/pictures.h"
#include "tests/support/point_table.h"
#include "ui/editors/study_document.h"
#include "ui/jobs/jobs.h"
#include "ui/theme/theme.h"
#include "ui/views/document.h"
#include "ui/views/exportable.h"
#include "ui/views/plot/heat_map_view.h"
#include "ui/views/runs/compare_document.h"
#include "ui/views/runs/report_document.h"
#include "ui/views/runs/run_document.h"
#include "ui/views/runs/run_pages.h"
#include "ui/views/runs/validation_document.h"
#include "ui/views/workbench/workbench.h"
#include "ui/workspace/guide_document.h"
#include "ui/workspace/history/history.h"
#include "ui/workspace/history/history_document.h"
#include "ui/workspace/window/main_window.h"

/// The journey of a user through the window, from the first start to the history a month later. Every step leaves a
/// picture as the screen shows it (QT_SCALE_FACTOR=2) in the build's folder `pictures/1440x900` (`@2x`), for a person
/// to look at, the last one of each walk also in dark. With the environment variable TESSERA_WALK_SIZES, "1280x800
/// 1920x1080", every step is pictured in light and dark, in windows of these sizes: that takes several times as long.
namespace tessera::ui {
namespace {

using test::waitUntil;

constexpr int kLongWalk = 180'000;  ///< milliseconds: generous, for sanitizers and busy machines

constexpr QSize kUsualWindow{1440, 900};

/// Of the windows that are asked for; empty = none is.
QVector<QSize> askedSizes() {
    QVector<QSize> sizes;
    for (const QString& each : qEnvironmentVariable("TESSERA_WALK_SIZES").split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
        const QStringList sides = each.split(QLatin1Char('x'));
        const QSize size(sides.value(0).toInt(), sides.value(1).toInt());
        EXPECT_TRUE(!size.isEmpty() && sides.size() == 2)
            << "TESSERA_WALK_SIZES has '" << each.toStdString() << "'; expected a width and a height, as in 1280x800";
        if (!size.isEmpty()) sizes.append(size);
    }
    return sizes;
}

class Walk : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_TRUE(folder_.isValid());
        qputenv("XDG_DATA_HOME", folder_.filePath(QStringLiteral("share")).toUtf8());
        openWindow();
    }

    void openWindow() {
        window_.reset();
        window_ = std::make_unique<MainWindow>(MainWindow::Options{
            .history = folder_.filePath(QStringLiteral("history.db")).toStdString(), .restoreSession = false});
        window_->resize(kUsualWindow);
        window_->show();
        ASSERT_TRUE(waitUntil([&] { return window_->history().isOpen(); }, kLongWalk));
    }

    void TearDown() override {
        if (window_ && !step_.isEmpty() && askedSizes().isEmpty()) pictureIn(ThemeMode::dark, step_);
        theme().apply(ThemeMode::light);
    }

    /// Lets layouts settle, then saves the step's pictures; a picture with few colours shows nothing.
    void picture(const QString& step) {
        step_ = step;
        const QVector<QSize> sizes = askedSizes();
        if (sizes.isEmpty()) return pictureIn(ThemeMode::light, step);
        for (const QSize& size : sizes) {
            window_->resize(size);
            for (const ThemeMode mode : {ThemeMode::light, ThemeMode::dark}) pictureIn(mode, step);
        }
        theme().apply(ThemeMode::light);
        window_->resize(kUsualWindow);
    }

    void pictureIn(ThemeMode mode, const QString& step) {
        if (theme().mode() != mode) theme().apply(mode);
        settle();
        const QString file =
            QStringLiteral("walk-%1-%2").arg(step, QLatin1String(mode == ThemeMode::dark ? "dark" : "light"));
        EXPECT_GT(test::coloursIn(test::saveAsOnScreen(*window_, file)), 30) << file.toStdString();
    }

    static void settle() { QTest::qWait(350); }

    template <typename Kind>
    Kind* current() const {
        return qobject_cast<Kind*>(window_->currentDocument());
    }

    void trigger(const char* action) {
        QAction* found = window_->actionNamed(QLatin1String(action));
        ASSERT_NE(found, nullptr) << action;
        ASSERT_TRUE(found->isEnabled()) << action;
        found->trigger();
    }

    void drop(const QString& path) {
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(path)});
        QDragEnterEvent enter(QPoint(600, 400), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(window_.get(), &enter);
        EXPECT_TRUE(enter.isAccepted());
        QDropEvent event(QPointF(600, 400), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(window_.get(), &event);
    }

    /// Runs the study in front and waits until its result is shown.
    store::RunId runStudy() {
        trigger("run");
        EXPECT_TRUE(waitUntil([&] { return current<RunDocument>() != nullptr; }, kLongWalk));
        auto* run = current<RunDocument>();
        if (run == nullptr) return 0;
        EXPECT_TRUE(waitUntil([&] { return run->state().result != nullptr; }, kLongWalk));
        settle();
        return run->state().run;
    }

    std::string storedResult(store::RunId run) const {
        return store::Store::open(folder_.filePath(QStringLiteral("history.db")).toStdString()).resultText(run).value();
    }

    /// A field by the name that a screen reader says.
    template <typename Control>
    Control* named(const QString& name) const {
        for (Control* each : window_->currentDocument()->findChildren<Control*>())
            if (each->isVisible() &&
                (each->accessibleName() == name || each->accessibleName().startsWith(name + QLatin1Char(','))))
                return each;
        return nullptr;
    }

    bool says(const QString& text) const {
        const QList<QLabel*> labels = window_->currentDocument()->findChildren<QLabel*>();
        return std::any_of(labels.begin(), labels.end(),
                           [&](const QLabel* label) { return label->isVisible() && label->text().contains(text); });
    }

    /// Waits until the page has something to export, and all of it is there: a graph may still be laid out.
    static bool canExport(Document* document) {
        return waitUntil(
            [document] {
                const QVector<Exportable> all = document->exportables();
                return !all.isEmpty() && std::all_of(all.begin(), all.end(), [](const Exportable& each) {
                    return each.svg || each.csv || each.json || each.dot || each.file;
                });
            },
            kLongWalk);
    }

    /// Writes every format of everything that the page can export; returns the contents of the files by their names.
    std::map<std::string, std::string> exportAll() {
        const QString folder = folder_.filePath(QStringLiteral("exports"));
        QDir().mkpath(folder);
        std::map<std::string, std::string> files;
        for (const Exportable& each : window_->currentDocument()->exportables()) {
            QStringList formats;
            if (each.svg) formats << QStringLiteral("svg") << QStringLiteral("png") << QStringLiteral("pdf");
            if (each.csv) formats << QStringLiteral("csv");
            if (each.json) formats << QStringLiteral("json");
            if (each.dot) formats << QStringLiteral("dot");
            if (each.file) formats << each.fileSuffix;
            EXPECT_FALSE(formats.isEmpty()) << each.name.toStdString();
            for (const QString& format : formats) {
                const QString name = each.name + QLatin1Char('.') + format;
                exportTo(each, format, folder + QLatin1Char('/') + name);
                files[name.toStdString()] = readFile((folder + QLatin1Char('/') + name).toStdString());
            }
        }
        return files;
    }

    /// Every file is what its ending says.
    static void expectFormats(const std::map<std::string, std::string>& files) {
        const std::map<std::string, std::string> kBeginnings{{"png", "\x89PNG"}, {"pdf", "%PDF-"}, {"dot", "digraph"}};
        for (const auto& [name, content] : files) {
            const std::string format = name.substr(name.rfind('.') + 1);
            const auto beginning = kBeginnings.find(format);
            if (beginning != kBeginnings.end()) {
                EXPECT_EQ(content.rfind(beginning->second, 0), 0U) << name;
            } else if (format == "svg") {
                EXPECT_NE(content.find("</svg>"), std::string::npos) << name;
            } else if (format == "json") {
                EXPECT_FALSE(Json::parse(content).empty()) << name;
            } else {
                EXPECT_GT(std::count(content.begin(), content.end(), '\n'), 1) << name;
            }
        }
    }

    /// A picture of every tab in sight.
    void lookAtTabs(QTabWidget& tabs, const QString& step) {
        for (int tab = 0; tab < tabs.count(); ++tab) {
            if (!tabs.isTabVisible(tab)) continue;
            tabs.setCurrentIndex(tab);
            settle();
            picture(QStringLiteral("%1-%2-%3")
                        .arg(step)
                        .arg(tab)
                        .arg(tabs.tabText(tab).toLower().remove(QLatin1Char('&'))));
        }
    }

    /// The same of all rows of tabs on a page; the drawer of a run is folded again.
    void lookAtPages(const Document& document, const QString& step) {
        for (auto* tabs : document.findChildren<QTabWidget*>())
            if (tabs->isVisible()) lookAtTabs(*tabs, step);
        if (auto* pages = document.findChild<RunPages*>()) pages->setOpen(false);
    }

    void dropAModel();
    void editHardware();
    void watchALongSearch();
    store::RunId runOf(const QString& model);
    void readTheResult();
    store::RunId compareWithAnotherBatch(store::RunId first);
    void writeAReport(store::RunId first, store::RunId second);
    void findTheRunAgain(store::RunId run);
    void lookAtAPlatformAndAWorkload();
    int watchAPortfolio();
    void readTheMapping();
    void lookForAnAccelerator();
    void compareAccelerators();
    void exploreHardware();
    void lookAtMeasurements();
    void planACluster();
    void compareEngines();
    void readTheGuide();
    void lookAtPoints(std::size_t points, std::size_t values);

    QTemporaryDir folder_;
    std::unique_ptr<MainWindow> window_;
    QString model_;  ///< the file that was dropped
    QString step_;   ///< the last one that was pictured
};

/// Points of all curves so far.
std::size_t pointsOf(const RunState& state) {
    std::size_t points = 0;
    if (state.curves != nullptr)
        for (const Curve& curve : *state.curves) points += curve.points.size();
    return points;
}

void Walk::dropAModel() {
    const std::string bundled = test::sourcePath("tests/data/models/resnet18.onnx").string();
    model_ = folder_.filePath(QStringLiteral("resnet18.onnx"));
    ASSERT_TRUE(QFile::copy(QString::fromStdString(bundled), model_));
    drop(model_);
    ASSERT_TRUE(waitUntil([&] { return window_->currentDocument()->kind() == QStringLiteral("model"); }, kLongWalk));
    ASSERT_TRUE(canExport(window_->currentDocument()));
    settle();
    picture(QStringLiteral("02-model"));
    expectFormats(exportAll());
}

void Walk::editHardware() {
    Document* fleet = window_->open(QStringLiteral("hardware"), QStringLiteral("fleet/accpar-heterogeneous"));
    ASSERT_NE(fleet, nullptr);
    ASSERT_TRUE(canExport(fleet));
    settle();
    picture(QStringLiteral("03-fleet"));
    Document* accelerator = window_->open(QStringLiteral("hardware"), QStringLiteral("accelerator/a100"));
    ASSERT_NE(accelerator, nullptr);
    ASSERT_TRUE(waitUntil([&] { return named<QLineEdit>(QStringLiteral("Power")) != nullptr; }, kLongWalk));
    settle();
    picture(QStringLiteral("04-accelerator"));
    auto* power = named<QLineEdit>(QStringLiteral("Power"));
    const QString before = power->text();
    power->setFocus();
    power->selectAll();
    QTest::keyClicks(power, QStringLiteral("plenty"));
    EXPECT_TRUE(waitUntil([&] { return says(QStringLiteral("This is not a power")); }, kLongWalk));
    settle();
    picture(QStringLiteral("04-accelerator-refused"));
    while (accelerator->undoStack()->canUndo()) trigger("undo");
    EXPECT_EQ(power->text(), before);
    EXPECT_TRUE(waitUntil([&] { return !says(QStringLiteral("This is not a power")); }, kLongWalk));
    EXPECT_FALSE(accelerator->isModified());
}

void Walk::watchALongSearch() {
    const QString table = folder_.filePath(QStringLiteral("many-layers.csv"));
    {
        QFile file(table);
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write("K,C,Y,X,R,S,T\n" + QByteArray("64,64,56,56,3,3,1\n").repeated(20'000));
    }
    study::Study study = study::newStudy("partition");
    study.models = {table.toStdString()};
    study.hardware = {"accpar-heterogeneous"};
    JobQueue& jobs = window_->jobs();
    const int job = jobs.enqueue(study);
    window_->open(QStringLiteral("run"), QStringLiteral("job/%1").arg(job));
    ASSERT_NE(current<RunDocument>(), nullptr);
    ASSERT_TRUE(waitUntil([&] { return pointsOf(jobs.state(job)) > 0; }, kLongWalk));
    jobs.pause(job);
    settle();
    ASSERT_EQ(jobs.state(job).status, store::RunStatus::paused) << "the search ended before it could be paused";
    picture(QStringLiteral("05-live"));
    const std::size_t points = pointsOf(jobs.state(job));
    settle();
    EXPECT_EQ(pointsOf(jobs.state(job)), points);
    jobs.unpause(job);
    ASSERT_TRUE(
        waitUntil([&] { return pointsOf(jobs.state(job)) > points || jobs.state(job).result != nullptr; }, kLongWalk));
    jobs.cancel(job);
    ASSERT_TRUE(waitUntil([&] { return !isWorking(jobs.state(job).status); }, kLongWalk));
    EXPECT_EQ(jobs.state(job).status, store::RunStatus::cancelled);
}

store::RunId Walk::runOf(const QString& model) {
    window_->open(QStringLiteral("study"),
                  QStringLiteral("new/partition?model=%1&hardware=accpar-heterogeneous").arg(model));
    EXPECT_NE(current<StudyDocument>(), nullptr);
    settle();
    picture(QStringLiteral("05-study"));
    return runStudy();
}

void Walk::readTheResult() {
    picture(QStringLiteral("06-result"));
    auto* result = current<RunDocument>();
    ASSERT_NE(result, nullptr);
    auto* map = result->findChild<HeatMapView*>();
    ASSERT_NE(map, nullptr);
    EXPECT_EQ(map->heatMap().columns.size(), 54U);  // ResNet-50: 53 convolutions and a fully-connected layer
    lookAtPages(*result, QStringLiteral("07-result"));
    const std::map<std::string, std::string> files = exportAll();
    expectFormats(files);
    EXPECT_TRUE(std::any_of(files.begin(), files.end(), [](const auto& file) {
        return file.first.find("timeline.json") != std::string::npos &&
               file.second.find("traceEvents") != std::string::npos;
    }));
}

store::RunId Walk::compareWithAnotherBatch(store::RunId first) {
    study::Study smaller = current<RunDocument>()->state().study;
    smaller.parameters["batch"] = 256;
    smaller.name = "ResNet-50, batch 256";
    const int job = window_->jobs().enqueue(smaller);
    EXPECT_TRUE(waitUntil([&] { return window_->jobs().state(job).result != nullptr; }, kLongWalk));
    const store::RunId second = window_->jobs().state(job).run;
    Document* comparison = window_->open(QStringLiteral("compare"), QStringLiteral("%1,%2").arg(first).arg(second));
    EXPECT_TRUE(canExport(comparison));
    settle();
    picture(QStringLiteral("08-compare"));
    expectFormats(exportAll());
    return second;
}

void Walk::writeAReport(store::RunId first, store::RunId second) {
    window_->open(QStringLiteral("report"), QStringLiteral("%1,%2").arg(first).arg(second));
    auto* report = current<ReportDocument>();
    ASSERT_NE(report, nullptr);
    ASSERT_TRUE(waitUntil([&] { return report->pageCount() > 0; }, kLongWalk));
    settle();
    picture(QStringLiteral("09-report"));
}

void Walk::findTheRunAgain(store::RunId run) {
    ASSERT_NE(window_->open(QStringLiteral("history"), {}), nullptr);
    auto* history = current<HistoryDocument>();
    ASSERT_NE(history, nullptr);
    HistoryModel& runs = history->model();
    const auto shows = [&](int count) {
        return waitUntil([&] { return runs.rowCount() == count && runs.row(0) != nullptr; }, kLongWalk);
    };
    ASSERT_TRUE(shows(4));
    QTest::keyClicks(history->filters().search(), QStringLiteral("256"));
    ASSERT_TRUE(shows(1));
    EXPECT_EQ(runs.row(0)->name, "ResNet-50, batch 256");
    runs.setData(runs.index(0, HistoryModel::Tags), "for the paper", Qt::EditRole);
    history->filters().clear();
    ASSERT_TRUE(shows(4));
    QTest::keyClicks(history->filters().search(), QStringLiteral("paper"));
    ASSERT_TRUE(shows(1));
    history->filters().clear();
    ASSERT_TRUE(shows(4));
    settle();
    picture(QStringLiteral("10-history"));
    trigger("palette");
    settle();
    picture(QStringLiteral("11-palette"));

    // A month later the model's file is gone; the run is opened and repeated to the same bytes none the less.
    ASSERT_TRUE(QFile::remove(model_));
    openWindow();
    window_->open(QStringLiteral("run"), QStringLiteral("run/%1").arg(run));
    ASSERT_TRUE(waitUntil(
        [&] { return current<RunDocument>() != nullptr && current<RunDocument>()->state().result != nullptr; },
        kLongWalk));
    trigger("run");
    JobQueue& jobs = window_->jobs();
    ASSERT_TRUE(waitUntil([&] { return !jobs.jobs().isEmpty(); }, kLongWalk));
    const int again = jobs.jobs().front();
    ASSERT_TRUE(waitUntil([&] { return !isWorking(jobs.state(again).status); }, kLongWalk));
    ASSERT_NE(jobs.state(again).result, nullptr) << jobs.state(again).problem.toStdString();
    EXPECT_EQ(storedResult(jobs.state(again).run), storedResult(run));
}

void Walk::lookAtAPlatformAndAWorkload() {
    for (const auto& [key, step] :
         {std::pair{"platform/s5", "20-platform"}, std::pair{"workload/mix", "21-workload"}}) {
        Document* document = window_->open(QStringLiteral("hardware"), QLatin1String(key));
        ASSERT_NE(document, nullptr);
        ASSERT_TRUE(canExport(document)) << key;
        settle();
        picture(QLatin1String(step));
        expectFormats(exportAll());
    }
}

/// A race that is looked at while it is paused, then stopped with the best so far.
int Walk::watchAPortfolio() {
    study::Study race = study::loadStudy("mixed-jobs-race");
    // The last one is slow enough to be caught at work.
    race.parameters["algorithms"] = {"tessera", "magma", "stdga", "herald-like", "random", "cmaes"};
    race.parameters["samples"] = 100'000;
    window_->open(QStringLiteral("study"), QStringLiteral("mixed-jobs-race"));
    settle();
    picture(QStringLiteral("22-study-mapping"));
    JobQueue& jobs = window_->jobs();
    const int job = jobs.enqueue(race);
    window_->open(QStringLiteral("run"), QStringLiteral("job/%1").arg(job));
    const auto hasBegun = [&](std::string_view algorithm) {
        const auto curves = jobs.state(job).curves;
        return curves != nullptr && std::any_of(curves->begin(), curves->end(), [&](const Curve& curve) {
                   return curve.name.owner == algorithm && curve.points.size() > 20;
               });
    };
    EXPECT_TRUE(waitUntil([&] { return hasBegun("cmaes"); }, kLongWalk));
    jobs.pause(job);
    settle();
    EXPECT_EQ(jobs.state(job).status, store::RunStatus::paused) << "the race ended before it could be paused";
    picture(QStringLiteral("23-race"));
    jobs.unpause(job);
    jobs.stop(job);
    EXPECT_TRUE(waitUntil([&] { return jobs.state(job).result != nullptr; }, kLongWalk));
    return job;
}

void Walk::readTheMapping() {
    window_->open(QStringLiteral("study"), QStringLiteral("mixed-jobs-race"));
    ASSERT_NE(current<StudyDocument>(), nullptr);
    settle();
    ASSERT_GT(runStudy(), 0);
    auto* run = current<RunDocument>();
    picture(QStringLiteral("24-mapping"));
    lookAtPages(*run, QStringLiteral("25-mapping"));
    const std::map<std::string, std::string> files = exportAll();
    expectFormats(files);
    EXPECT_TRUE(std::any_of(files.begin(), files.end(), [](const auto& file) {
        return file.second.find("traceEvents") != std::string::npos;
    })) << "the Chrome trace of the mapping";
}

TEST_F(Walk, aRaceOfMappingsIsWatchedAndRead) {
    ASSERT_NO_FATAL_FAILURE(lookAtAPlatformAndAWorkload());
    const int job = watchAPortfolio();
    ASSERT_NO_FATAL_FAILURE(readTheMapping());
    const store::RunId watched = window_->jobs().state(job).run;
    const store::RunId read = current<RunDocument>()->state().run;
    Document* comparison = window_->open(QStringLiteral("compare"), QStringLiteral("%1,%2").arg(read).arg(watched));
    ASSERT_TRUE(canExport(comparison));
    settle();
    lookAtPages(*comparison, QStringLiteral("26-compare-mapping"));
    expectFormats(exportAll());
}

void Walk::lookForAnAccelerator() {
    Document* space = window_->open(QStringLiteral("hardware"), QStringLiteral("template/phaze"));
    ASSERT_NE(space, nullptr);
    ASSERT_TRUE(canExport(space));
    settle();
    picture(QStringLiteral("27-template"));
    expectFormats(exportAll());
    window_->open(QStringLiteral("study"), QStringLiteral("bert-large-accelerator"));
    ASSERT_NE(current<StudyDocument>(), nullptr);
    settle();
    picture(QStringLiteral("28-study-codesign"));
    ASSERT_GT(runStudy(), 0);
    auto* run = current<RunDocument>();
    picture(QStringLiteral("29-codesign"));
    lookAtPages(*run, QStringLiteral("30-codesign"));
    const std::map<std::string, std::string> files = exportAll();
    expectFormats(files);
    EXPECT_TRUE(std::any_of(files.begin(), files.end(), [](const auto& file) {
        return file.second.find("traceEvents") != std::string::npos;
    })) << "the Chrome trace of the pipeline";
}

TEST_F(Walk, anAcceleratorIsSearchedFor) {
    ASSERT_NO_FATAL_FAILURE(lookForAnAccelerator());
}

void Walk::compareAccelerators() {
    Document* accelerator = window_->open(QStringLiteral("hardware"), QStringLiteral("accelerator/gaudi2"));
    ASSERT_NE(accelerator, nullptr);
    settle();
    picture(QStringLiteral("31-accelerator"));
    window_->open(QStringLiteral("study"), QStringLiteral("resnet50-accelerators"));
    ASSERT_NE(current<StudyDocument>(), nullptr);
    settle();
    picture(QStringLiteral("32-study-prediction"));
    ASSERT_GT(runStudy(), 0);
    auto* run = current<RunDocument>();
    picture(QStringLiteral("33-prediction"));
    lookAtPages(*run, QStringLiteral("34-prediction"));
    const std::map<std::string, std::string> files = exportAll();
    expectFormats(files);
    EXPECT_TRUE(std::any_of(files.begin(), files.end(), [](const auto& file) {
        return file.second.find("tessera.prediction-result/1") != std::string::npos;
    })) << "the result of the prediction";
}

void Walk::exploreHardware() {
    window_->open(QStringLiteral("study"), QStringLiteral("hbm-nvlink-price"));
    ASSERT_NE(current<StudyDocument>(), nullptr);
    settle();
    picture(QStringLiteral("37-study-exploration"));
    ASSERT_GT(runStudy(), 0);
    auto* run = current<RunDocument>();
    picture(QStringLiteral("38-exploration"));
    lookAtPages(*run, QStringLiteral("39-exploration"));
    const std::map<std::string, std::string> files = exportAll();
    expectFormats(files);
    EXPECT_TRUE(std::any_of(files.begin(), files.end(), [](const auto& file) {
        return file.second.find("tessera.exploration-result/1") != std::string::npos;
    })) << "the result of the exploration";
}

TEST_F(Walk, hardwareIsExplored) {
    ASSERT_NO_FATAL_FAILURE(exploreHardware());
}

void Walk::lookAtMeasurements() {
    trigger("validation");
    auto* document = current<ValidationDocument>();
    ASSERT_NE(document, nullptr);
    ASSERT_TRUE(waitUntil([&] { return document->plot() != nullptr && canExport(document); }, kLongWalk));
    settle();
    picture(QStringLiteral("35-validation"));
    document->setQuantity(QStringLiteral("kernels"));
    document->chooseRow(document->choice().rows.front());
    document->findChild<RunPages*>()->setOpen(true);
    settle();
    picture(QStringLiteral("36-validation-kernels"));
    const std::map<std::string, std::string> files = exportAll();
    expectFormats(files);
    EXPECT_TRUE(std::any_of(files.begin(), files.end(), [](const auto& file) {
        return file.second.starts_with("set,id,metric,measured,predicted");
    })) << "the rows";
}

TEST_F(Walk, measurementsAreBesidePredictions) {
    ASSERT_NO_FATAL_FAILURE(lookAtMeasurements());
}

void Walk::planACluster() {
    window_->open(QStringLiteral("study"), QStringLiteral("new/plan?model=zoo:llama3.1-8b&hardware=dgx-h100x8"));
    ASSERT_NE(current<StudyDocument>(), nullptr);
    settle();
    picture(QStringLiteral("40-study-plan"));
    ASSERT_GT(runStudy(), 0);
    auto* run = current<RunDocument>();
    picture(QStringLiteral("41-plan"));
    lookAtPages(*run, QStringLiteral("42-plan"));
    expectFormats(exportAll());
}

TEST_F(Walk, aClusterIsPlanned) {
    ASSERT_NO_FATAL_FAILURE(planACluster());
}

/// Runs of three engines beside each other, and found again among others.
void Walk::compareEngines() {
    QStringList runs;
    const auto ofResNet = [](const char* engine, const char* hardware) {
        study::Study made = study::newStudy(engine);
        made.models = {"zoo:resnet50"};
        made.hardware = {hardware};
        return made;
    };
    for (const study::Study& each : {ofResNet("partition", "accpar-homogeneous"),
                                     study::loadStudy("resnet50-accelerators"), ofResNet("plan", "dgx-h100x8")}) {
        const int job = window_->jobs().enqueue(each);
        ASSERT_TRUE(waitUntil([&] { return !isWorking(window_->jobs().state(job).status); }, kLongWalk)) << each.engine;
        ASSERT_NE(window_->jobs().state(job).result, nullptr) << window_->jobs().state(job).problem.toStdString();
        runs << QString::number(window_->jobs().state(job).run);
    }
    Document* comparison = window_->open(QStringLiteral("compare"), runs.join(QLatin1Char(',')));
    ASSERT_NE(comparison, nullptr);
    const auto* numbers = comparison->findChild<QTabWidget*>();
    ASSERT_TRUE(numbers != nullptr && waitUntil([&] { return numbers->isVisible(); }, kLongWalk))
        << "engines on one model have numbers in common";
    settle();
    picture(QStringLiteral("43-compare-engines"));
    lookAtPages(*comparison, QStringLiteral("44-compare-engines"));
    window_->open(QStringLiteral("history"), {});
    auto* history = current<HistoryDocument>();
    ASSERT_NE(history, nullptr);
    ASSERT_TRUE(waitUntil([&] { return history->model().rowCount() == 3; }, kLongWalk));
    settle();
    for (const char* condition : {"since: 7 days", "hardware: tpu", "status: done", "engine: partition"})
        EXPECT_EQ(history->filters().add(QLatin1String(condition)), QString());
    ASSERT_TRUE(waitUntil([&] { return history->model().rowCount() == 1; }, kLongWalk));
    settle();
    picture(QStringLiteral("45-history-chips"));
}

TEST_F(Walk, runsOfSeveralEnginesStandSideBySide) {
    ASSERT_NO_FATAL_FAILURE(compareEngines());
}

void Walk::readTheGuide() {
    trigger("guide");
    auto* guide = current<GuideDocument>();
    ASSERT_NE(guide, nullptr);
    picture(QStringLiteral("46-guide"));
    for (const GuidePage& page : guidePages()) {
        guide->go({.page = page.id});
        settle();
        picture(QStringLiteral("47-guide-%1").arg(page.id));
    }
}

TEST_F(Walk, theGuideIsRead) {
    ASSERT_NO_FATAL_FAILURE(readTheGuide());
}

/// Points in a number of values, 2 to 12, whose last ones repeat others.
explore::PointTable pointsIn(std::size_t values, std::size_t count) {
    explore::PointTable points = test::madeUpPoints(count);
    const std::size_t all = points.columns.size();
    while (points.columns.size() < values) {
        explore::PointColumn again = points.columns[points.columns.size() - all];
        again.id += "_again";
        again.title += " of another kind";
        again.role = explore::PointColumn::Role::metric;
        points.columns.push_back(std::move(again));
    }
    points.columns.resize(values);
    return points;
}

/// A run's page with other points: any number of them, in any number of values.
void Walk::lookAtPoints(std::size_t points, std::size_t values) {
    // The page of a run that was watched has left its own behind, out of sight.
    const QList<Workbench*> benches = window_->currentDocument()->findChildren<Workbench*>();
    const auto seen =
        std::find_if(benches.begin(), benches.end(), [](const Workbench* each) { return each->isVisible(); });
    ASSERT_NE(seen, benches.end()) << benches.size();
    Workbench* bench = *seen;
    bench->restoreState({});
    bench->setPoints(test::sharedPoints(pointsIn(values, points)));
    QJsonArray axes;
    for (const explore::PointColumn& column : bench->selection().table().columns)
        axes.append(QString::fromStdString(column.id));
    bench->restoreState({{QStringLiteral("parallel"), QJsonObject{{QStringLiteral("axes"), axes}}}});
    const QString step = QStringLiteral("50-points-%1").arg(points, 6, 10, QLatin1Char('0'));
    for (const char* name : {"scatter", "parallel", "matrix"}) {
        bench->restoreState({{QStringLiteral("pictures"), QJsonArray{name, name[0] == 's' ? "parallel" : "scatter"}}});
        settle();
        picture(QStringLiteral("%1-%2").arg(step, QLatin1String(name)));
    }
    bench->restoreState(
        {{QStringLiteral("filters"), true}, {QStringLiteral("pictures"), QJsonArray{"parallel", "scatter"}}});
    bench->selection().setRange(0, PointSelection::Range{0, 100});
    bench->selection().keep();
    bench->selection().setRange(0, PointSelection::Range{0, 80});
    bench->selection().setColour(1);
    settle();
    picture(step + QStringLiteral("-filters"));
}

TEST_F(Walk, pointsOfAnyNumberAreOnTheWorkbench) {
    study::Study study = study::loadStudy("resnet50-batch-and-price");
    const int job = window_->jobs().enqueue(study);
    window_->open(QStringLiteral("run"), QStringLiteral("job/%1").arg(job));
    ASSERT_TRUE(waitUntil([&] { return current<RunDocument>()->state().result != nullptr; }, kLongWalk));
    settle();
    ASSERT_NO_FATAL_FAILURE(lookAtPoints(303, 7));
    if (askedSizes().isEmpty()) return;
    for (const auto& [points, values] : {std::pair{10, 2}, std::pair{10'000, 9}, std::pair{100'000, 12}})
        ASSERT_NO_FATAL_FAILURE(lookAtPoints(static_cast<std::size_t>(points), static_cast<std::size_t>(values)));
}

TEST_F(Walk, acceleratorsAreCompared) {
    ASSERT_NO_FATAL_FAILURE(compareAccelerators());
}

TEST_F(Walk, fromTheFirstStartToTheHistory) {
    EXPECT_EQ(window_->currentDocument()->kind(), QStringLiteral("welcome"));  // nothing to configure
    picture(QStringLiteral("01-welcome"));
    ASSERT_NO_FATAL_FAILURE(dropAModel());
    ASSERT_NO_FATAL_FAILURE(editHardware());
    ASSERT_NO_FATAL_FAILURE(watchALongSearch());
    const store::RunId dropped = runOf(model_);
    ASSERT_GT(dropped, 0);
    const store::RunId first = runOf(QStringLiteral("zoo:resnet50"));
    ASSERT_GT(first, 0);
    ASSERT_NO_FATAL_FAILURE(readTheResult());
    const store::RunId second = compareWithAnotherBatch(first);
    ASSERT_GT(second, 0);
    ASSERT_NO_FATAL_FAILURE(writeAReport(first, second));
    ASSERT_NO_FATAL_FAILURE(findTheRunAgain(dropped));
}

}  // namespace
}  // namespace tessera::ui
