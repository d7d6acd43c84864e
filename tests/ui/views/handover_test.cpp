#include <gtest/gtest.h>

#include <QAction>
#include <QApplication>
#include <QContextMenuEvent>
#include <QMenu>
#include <QSettings>
#include <QTableView>
#include <QTimer>
#include <QUndoStack>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/study/codesign/hardware.h"
#include "core/study/codesign/outcome.h"
#include "core/study/exploration/outcome.h"
#include "core/study/prediction/outcome.h"
#include "core/study/prediction/study.h"
#include "core/study/study.h"
#include "tests/support/codesign_result.h"
#include "tests/support/pictures.h"
#include "tests/support/plan_result.h"
#include "tests/support/wait.h"
#include "ui/models/document_keys.h"
#include "ui/views/runs/run_view.h"
#include "ui/views/table_view.h"

/// What is selected on a run's page becomes the input of another study.
namespace tessera::ui {
namespace {

using namespace Qt::StringLiterals;
using test::waitUntil;

class HandoverView : public testing::Test {
protected:
    void SetUp() override { QSettings().clear(); }
    void TearDown() override { QSettings().clear(); }

    void show(const study::Result& result, store::RunId kept = 7) {
        view_.reset(runViewOf(result)->make(&undo_, nullptr));
        QObject::connect(view_.get(), &RunView::openRequested, view_.get(),
                         [this](const QString& kind, const QString& key) {
                             opened_ = kind.toStdString() + " " + key.toStdString();
                         });
        view_->resize(1280, 800);
        view_->showRun(
            {.result = std::make_shared<const study::Result>(result), .curves = nullptr, .history = {}, .kept = kept});
        view_->show();
        view_->pages()->setOpen(true);
        waitUntil([] { return false; }, 100);
    }
    /// What an action of the page asks to be opened.
    std::string used(const char* title) {
        opened_ = "nothing";
        for (QAction* action : view_->handovers())
            if (action->text() == u"Use as: "_s + QLatin1String(title)) action->trigger();
        return opened_;
    }
    /// The texts of the menu "Use as" that a right click on a place of a widget opens.
    static QStringList menuAt(QWidget& widget, const QPoint& place) {
        QStringList texts;
        QTimer look;
        look.setInterval(20);
        QObject::connect(&look, &QTimer::timeout, &look, [&] {
            auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
            if (menu == nullptr) return;
            for (const QAction* action : menu->actions())
                if (action->menu() != nullptr && action->text() == u"Use as"_s)
                    for (const QAction* each : action->menu()->actions()) texts << each->text();
            test::savePicture(*menu, u"handover-menu"_s);
            look.stop();
            menu->close();
        });
        look.start();
        QContextMenuEvent event(QContextMenuEvent::Mouse, place, widget.mapToGlobal(place));
        QApplication::sendEvent(&widget, &event);
        waitUntil([&] { return !look.isActive(); }, 5'000);
        return texts;
    }
    QStringList menuOfRow(const char* details, int row) {
        view_->pages()->details()->openTab(QLatin1String(details));
        TableView* table = nullptr;
        EXPECT_TRUE(waitUntil([&] {
            QWidget* page = view_->pages()->details()->currentWidget();
            table = page == nullptr ? nullptr : page->findChild<TableView*>();
            if (table == nullptr) table = qobject_cast<TableView*>(page);
            return table != nullptr && table->view()->model()->rowCount() > row;
        }));
        table->setCurrentRow(row);
        QTableView& view = *table->view();
        return menuAt(*view.viewport(), view.visualRect(view.currentIndex()).center());
    }

    QUndoStack undo_;
    std::unique_ptr<RunView> view_;
    std::string opened_;
};

study::Result predicted() {
    study::Study study = study::newStudy("predict");
    study.models = {"zoo:resnet18"};
    study.hardware = {"a100", "h100"};
    study::setParameter(study, "devices", {"1,8"});
    study::setParameter(study, "batch", {"32"});
    return study::run(study);
}

TEST_F(HandoverView, thePredictionThatIsChosenIsAFleet) {
    const study::Result result = predicted();
    show(result);
    const auto& predictions = result.outcome.get<study::PredictionOutcome>().predictions;
    for (std::size_t i = 0; i < predictions.size(); ++i) {
        view_->select(u"prediction"_s, static_cast<int>(i));
        const std::string name = study::nameOf(predictions[i]);
        EXPECT_EQ(used("Fleet"), "hardware run:7/fleet/" + name);
        EXPECT_EQ(used("new training plan study on this fleet"),
                  "study " + newStudyKey(u"plan"_s, u"zoo:resnet18"_s, u"run:7/fleet/"_s + QString::fromStdString(name))
                                 .toStdString());
    }
    EXPECT_EQ(menuOfRow("predictions", 2),
              (QStringList{u"Fleet"_s, u"new partition study on this fleet"_s,
                           u"new training plan study on this fleet"_s, u"new placement study on this fleet"_s}));
}

TEST_F(HandoverView, onlyRunsOfTheHistoryAreUsed) {
    show(predicted(), 0);
    for (const QAction* action : view_->handovers()) EXPECT_FALSE(action->isEnabled());
    EXPECT_EQ(used("Fleet"), "nothing");
}

TEST_F(HandoverView, theStageOfTheConfigurationThatIsChosenIsPartitioned) {
    show(test::planned("zoo:gpt2", "dgx-h100x8", 32, {{"fix", "tp=2,pp=4"}}));
    EXPECT_EQ(used("Partition of a stage"), "study run:7/stage/1/1");
    EXPECT_EQ(menuOfRow("stages", 2), QStringList{u"Partition of a stage"_s});
    EXPECT_EQ(used("Partition of a stage"), "study run:7/stage/1/3");
    view_->select(u"configuration"_s, 1);
    EXPECT_EQ(used("Partition of a stage"), "study run:7/stage/2/1");
    EXPECT_TRUE(menuOfRow("configurations", 0).isEmpty());
}

TEST_F(HandoverView, theArchitectureThatIsChosenIsHardware) {
    const study::Result result = study::run(test::smallCodesign());
    show(result);
    const auto names = study::designNames(result.outcome.get<study::CodesignOutcome>().result);
    EXPECT_EQ(used("Accelerator"), "hardware run:7/accelerator/" + names.front()) << "the best is chosen first";
    view_->select(u"architecture"_s, 0);
    const std::string platform = used("Platform");
    EXPECT_EQ(used("new study on this platform"), "study new/mapping?hardware=" + platform.substr(9));
    EXPECT_EQ(menuOfRow("architectures", 1).mid(0, 1), QStringList{u"Accelerator"_s});
}

TEST_F(HandoverView, thePointThatIsChosenIsAStudy) {
    const std::string text =
        R"({"schema": "tessera.exploration/1", "name": "Small", "study": {"engine": "cost", "workloads": ["zoo:lenet5"],
            "parameters": {"pes": 256}}, "variables": [{"parameter": "pes", "low": 64, "high": 1024}],
            "objectives": ["cycles"], "method": "random", "points": 5})";
    show(study::run(study::readStudy(JsonDocument::parse(text, "x.json").root())));
    view_->select(u"point"_s, 3);
    EXPECT_EQ(used("Study of a point"), "study run:7/study/4");
    EXPECT_EQ(menuOfRow("points", 1), QStringList{u"Study of a point"_s});
}

}  // namespace
}  // namespace tessera::ui
