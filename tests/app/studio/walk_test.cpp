#include <gtest/gtest.h>

#include <QAction>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QLineEdit>
#include <QMimeData>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QUndoStack>
#include <QUrl>
#include <memory>
#include <string>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/store/store.h"
#include "core/study/study.h"
#include "tests/support/paths.h"
#include "tests/support/pictures.h"
#include "ui/editors/study_document.h"
#include "ui/theme/theme.h"
#include "ui/views/compare_document.h"
#include "ui/views/document.h"
#include "ui/views/heat_map_view.h"
#include "ui/views/run_document.h"
#include "ui/workspace/history.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/main_window.h"

/// The journey of a user through the window, from the first start to the history a month later. Every step leaves a
/// picture in light and dark, at 1× and 2×, in the build's folder `pictures`, for a person to look at.
namespace tessera::ui {
namespace {

using test::waitUntil;

constexpr int kLong = 60'000;  ///< milliseconds: generous, for sanitizers and busy machines

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
        window_->resize(1440, 900);
        window_->show();
        ASSERT_TRUE(waitUntil([&] { return window_->history().isOpen(); }, kLong));
    }

    /// Lets layouts settle, then saves the step's four pictures; a picture with few colours shows nothing.
    void picture(const QString& step) {
        for (const auto& [mode, name] : {std::pair{ThemeMode::light, "light"}, std::pair{ThemeMode::dark, "dark"}}) {
            theme().apply(mode);
            settle();
            const QImage image =
                test::savePicture(*window_, QStringLiteral("walk-%1-%2").arg(step, QLatin1String(name)));
            EXPECT_GT(test::coloursIn(image), 30) << step.toStdString() << " " << name;
        }
        theme().apply(ThemeMode::light);
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
        EXPECT_TRUE(waitUntil([&] { return current<RunDocument>() != nullptr; }, kLong));
        auto* run = current<RunDocument>();
        if (run == nullptr) return 0;
        EXPECT_TRUE(waitUntil([&] { return run->state().result != nullptr; }, kLong));
        settle();
        return run->state().run;
    }

    std::string storedResult(store::RunId run) const {
        return store::Store::open(folder_.filePath(QStringLiteral("history.db")).toStdString()).resultText(run).value();
    }

    QTemporaryDir folder_;
    std::unique_ptr<MainWindow> window_;
};

TEST_F(Walk, fromTheFirstStartToTheHistory) {
    // 1. Open Tessera: nothing to configure.
    EXPECT_EQ(window_->currentDocument()->kind(), QStringLiteral("welcome"));
    picture(QStringLiteral("01-welcome"));

    // 2. Drop an ONNX file.
    drop(QString::fromStdString(test::sourcePath("tests/data/models/resnet18.onnx").string()));
    ASSERT_TRUE(waitUntil([&] { return window_->currentDocument()->kind() == QStringLiteral("model"); }, kLong));
    ASSERT_TRUE(waitUntil([&] { return !window_->currentDocument()->exportables().isEmpty(); }, kLong));
    settle();
    picture(QStringLiteral("02-model"));
    const std::string drawing =
        window_->currentDocument()->exportables().front().svg(report::Theme(report::ThemeKind::light));
    EXPECT_NE(drawing.find("</svg>"), std::string::npos);

    // 3. Pick a fleet; the editor refuses nonsense beside the field and undoes.
    Document* fleet = window_->open(QStringLiteral("hardware"), QStringLiteral("fleet/accpar-heterogeneous"));
    ASSERT_NE(fleet, nullptr);
    ASSERT_TRUE(waitUntil([&] { return !fleet->exportables().isEmpty(); }, kLong));
    settle();
    picture(QStringLiteral("03-fleet"));
    ASSERT_NE(window_->open(QStringLiteral("hardware"), QStringLiteral("accelerator/a100")), nullptr);
    settle();
    picture(QStringLiteral("04-accelerator"));

    // 4. Set up a study and run it.
    window_->open(QStringLiteral("study"),
                  QStringLiteral("new/partition?model=zoo:resnet50&hardware=accpar-heterogeneous"));
    auto* study = current<StudyDocument>();
    ASSERT_NE(study, nullptr);
    settle();
    picture(QStringLiteral("05-study"));
    const store::RunId first = runStudy();
    ASSERT_GT(first, 0);

    // 5. Read the result as pictures.
    picture(QStringLiteral("06-result"));
    auto* result = current<RunDocument>();
    ASSERT_NE(result, nullptr);
    auto* map = result->findChild<HeatMapView*>();
    ASSERT_NE(map, nullptr);
    EXPECT_GT(map->heatMap().columns.size(), 50U);
    for (auto* tabs : result->findChildren<QTabWidget*>())
        for (int tab = 0; tab < tabs->count(); ++tab) {
            tabs->setCurrentIndex(tab);
            settle();
            picture(
                QStringLiteral("07-result-%1-%2").arg(tab).arg(tabs->tabText(tab).toLower().remove(QLatin1Char('&'))));
        }
    for (const Exportable& each : result->exportables()) {
        if (each.svg) {
            EXPECT_NE(each.svg(report::Theme(report::ThemeKind::light)).find("</svg>"), std::string::npos)
                << each.name.toStdString();
        }
        if (each.csv) {
            EXPECT_FALSE(each.csv().empty()) << each.name.toStdString();
        }
    }

    // 6. Another batch, side by side with the first.
    study::Study smaller = result->state().study;
    smaller.parameters["batch"] = 256;
    smaller.name = "ResNet-50, batch 256";
    const int job = window_->jobs().enqueue(smaller);
    ASSERT_TRUE(waitUntil([&] { return window_->jobs().state(job).result != nullptr; }, kLong));
    const store::RunId second = window_->jobs().state(job).run;
    Document* comparison = window_->open(QStringLiteral("compare"), QStringLiteral("%1,%2").arg(first).arg(second));
    ASSERT_NE(comparison, nullptr);
    ASSERT_TRUE(waitUntil([&] { return !comparison->exportables().isEmpty(); }, kLong));
    settle();
    picture(QStringLiteral("08-compare"));

    // 7. A report.
    ASSERT_NE(window_->open(QStringLiteral("report"), QStringLiteral("%1,%2").arg(first).arg(second)), nullptr);
    settle();
    settle();
    picture(QStringLiteral("09-report"));

    // 8. Next month: search, annotate, reopen, and repeat to the same bytes.
    ASSERT_NE(window_->open(QStringLiteral("history"), {}), nullptr);
    settle();
    picture(QStringLiteral("10-history"));
    trigger("palette");
    settle();
    picture(QStringLiteral("11-palette"));
    openWindow();
    const int again = window_->jobs().repeat(first);
    ASSERT_TRUE(waitUntil([&] { return window_->jobs().state(again).result != nullptr; }, kLong));
    EXPECT_EQ(storedResult(window_->jobs().state(again).run), storedResult(first));
}

}  // namespace
}  // namespace tessera::ui
