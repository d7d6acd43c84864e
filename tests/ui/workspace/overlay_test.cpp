#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QAction>
#include <QComboBox>
#include <QListView>
#include <QPushButton>
#include <QToolButton>
#include <nlohmann/json.hpp>
#include <set>

#include "core/study/study.h"
#include "tests/support/pages.h"
#include "tests/support/pictures.h"
#include "tests/ui/workspace/open_window.h"
#include "ui/jobs/jobs.h"
#include "ui/views/graph/graph_view.h"
#include "ui/views/runs/model_document.h"
#include "ui/views/runs/partition_view.h"
#include "ui/views/runs/run_document.h"
#include "ui/workspace/history/history.h"
#include "ui/workspace/history/run_picker.h"
#include "ui/workspace/window/main_window.h"

/// A model's graph coloured by what a run of it found, from the model's page and from the run's.
namespace tessera::ui {
namespace {

using test::waitUntil;

class Overlay : public test::OpenWindow {
protected:
    void solve(const std::string& model) {
        study::Study study = study::newStudy("partition");
        study.models = {model};
        study.hardware = {"accpar-heterogeneous"};
        ask(study);
        ASSERT_TRUE(waitUntil([&] { return window_.jobs().working() == 0; }, 30'000));
    }
    ModelDocument* openModel(const QString& key) {
        auto* model = qobject_cast<ModelDocument*>(window_.open(QStringLiteral("model"), key));
        return model != nullptr && waitUntil([&] { return model->isLoaded(); }, 20'000) ? model : nullptr;
    }
    template <typename Widget>
    static Widget* named(const QWidget& where, const QString& name) {
        for (auto* each : where.findChildren<Widget*>())
            if (each->accessibleName() == name) return each;
        return nullptr;
    }
    static std::set<std::string> coloursOf(const ModelDocument& model) {
        std::set<std::string> colours;
        for (const report::Card& card : model.graphView()->picture().cards) colours.insert(card.colour);
        return colours;
    }
};

TEST_F(Overlay, theRunShowsItsTypesOnTheModel) {
    solve("zoo:alexnet");
    auto* run = qobject_cast<RunDocument*>(window_.currentDocument());
    ASSERT_NE(run, nullptr);
    auto* view = run->findChild<PartitionView*>();
    test::choose(*view, "strategy", "hypar");
    view->select(QStringLiteral("split"), 1);
    QToolButton* button = nullptr;
    for (auto* each : run->findChildren<QToolButton*>())
        if (each->text() == QStringLiteral("Show on the model")) button = each;
    ASSERT_NE(button, nullptr);
    EXPECT_TRUE(button->isVisible());
    button->click();
    auto* model = qobject_cast<ModelDocument*>(window_.currentDocument());
    ASSERT_NE(model, nullptr);
    EXPECT_EQ(model->key(), QStringLiteral("zoo:alexnet"));
    ASSERT_TRUE(waitUntil([&] { return model->isLoaded(); }, 20'000));
    EXPECT_EQ(model->graphView()->colourBy(), ColourBy::partitionType);
    EXPECT_EQ(named<QComboBox>(*model, QStringLiteral("Strategy"))->currentText(), QStringLiteral("hypar"));
    EXPECT_EQ(named<QComboBox>(*model, QStringLiteral("Split"))->currentIndex(), 1);
    EXPECT_TRUE(named<QComboBox>(*model, QStringLiteral("Split"))->isVisible());
    test::savePicture(window_, QStringLiteral("window-overlay"));
}

TEST_F(Overlay, theModelAsksWhichOfItsRuns) {
    solve("zoo:lenet5");
    solve("zoo:alexnet");
    auto* model = openModel(QStringLiteral("zoo:alexnet"));
    ASSERT_NE(model, nullptr);
    const std::set<std::string> before = coloursOf(*model);
    auto* colours = named<QComboBox>(*model, QStringLiteral("Colour by"));
    const int other = colours->findText(QStringLiteral("a run…"));
    ASSERT_GE(other, 0);
    colours->setCurrentIndex(other);
    emit colours->activated(other);
    EXPECT_EQ(colours->currentText(), QStringLiteral("operator class")) << "until a run is chosen";
    auto* picker = window_.findChild<RunPicker*>();
    ASSERT_NE(picker, nullptr);
    const QAbstractItemModelTester tester(picker->list()->model(),
                                          QAbstractItemModelTester::FailureReportingMode::Fatal);
    ASSERT_TRUE(waitUntil([&] { return picker->list()->model()->rowCount() > 0; }));
    EXPECT_EQ(picker->list()->model()->rowCount(), 1) << "runs of this model alone";
    test::savePicture(*picker, QStringLiteral("run-picker-colour"));
    picker->chooseButton()->click();
    ASSERT_TRUE(waitUntil([&] { return model->graphView()->colourBy() == ColourBy::partitionType; }));
    EXPECT_NE(coloursOf(*model), before);
    // Time, too, and another strategy: dp splits every layer alike.
    for (QAction* action : model->documentActions())
        if (action->text() == QStringLiteral("Colour by time")) {
            EXPECT_TRUE(action->isEnabled());
            action->trigger();
        }
    EXPECT_EQ(model->graphView()->colourBy(), ColourBy::time);
    colours->setCurrentIndex(colours->findText(QStringLiteral("partition type")));
    emit colours->activated(colours->currentIndex());
    auto* strategies = named<QComboBox>(*model, QStringLiteral("Strategy"));
    strategies->setCurrentText(QStringLiteral("dp"));
    const std::set<std::string> mixed = coloursOf(*model);
    emit strategies->activated(strategies->currentIndex());
    EXPECT_NE(coloursOf(*model), mixed);
    test::savePicture(window_, QStringLiteral("window-overlay-dp"));
}

TEST_F(Overlay, aModelWithoutRunsSaysSo) {
    auto* model = openModel(QStringLiteral("zoo:lenet5"));
    ASSERT_NE(model, nullptr);
    for (QAction* action : model->documentActions())
        if (action->text() == QStringLiteral("Colour by a run…")) action->trigger();
    auto* picker = window_.findChild<RunPicker*>();
    ASSERT_NE(picker, nullptr);
    waitUntil([] { return false; }, 300);
    EXPECT_FALSE(picker->chooseButton()->isEnabled());
    test::savePicture(*picker, QStringLiteral("run-picker-none"));
    picker->reject();
}

}  // namespace
}  // namespace tessera::ui
