#include "ui/editors/part_editor.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QUndoStack>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/hardware/library.h"
#include "tests/ui/editors/documents.h"
#include "ui/editors/hardware_document.h"
#include "ui/editors/hardware_picture.h"
#include "ui/editors/kind_form.h"
#include "ui/editors/list_editor.h"
#include "ui/editors/sourced_number.h"
#include "ui/theme/theme.h"

namespace tessera::ui {
namespace {

using test::settle;
using test::waitUntil;

constexpr const char* kFleet = R"({
  "schema": "tessera.fleet/1", "name": "Two kinds",
  "groups": [
    {"name": "old", "accelerator": "tpu-v2", "count": 4},
    {"name": "own", "accelerator": {"name": "Prototype", "peak_flops": {"bf16": 1e14},
      "memory": [{"name": "HBM", "capacity_bytes": 34359738368, "on_chip": false}],
      "network_bits_per_s": 1e11}, "count": 8}],
  "links": [], "topology": "flat"})";

/// An accelerator that a fleet writes out is edited inside of the fleet's editor.
class PartEditorTest : public testing::Test {
protected:
    void SetUp() override {
        writeFile(file_, kFleet);
        document_ = std::make_unique<HardwareDocument>(QString::fromStdString(file_));
        document_->resize(1280, 800);
        document_->show();
        EXPECT_TRUE(waitUntil([&] { return document_->findChild<HardwarePicture*>() != nullptr; }));
        settle(*document_);
    }
    Json json() const { return Json::parse(document_->exportables().back().json()); }
    ListEditor* list(const std::string& path) const {
        for (ListEditor* each : document_->findChildren<ListEditor*>())
            if (each->model()->spec().path == path && each->isVisibleTo(document_.get())) return each;
        return nullptr;
    }
    QLineEdit* line(const QString& name) const {
        QLineEdit* found = nullptr;
        for (QLineEdit* each : document_->findChildren<QLineEdit*>())
            if (each->accessibleName() == name && each->isVisibleTo(document_.get())) found = each;
        return found;  // the last one: the part's own comes after the fleet's
    }
    void choose(int row) const { list("groups")->view()->setCurrentIndex(list("groups")->model()->index(row, 1)); }
    QAbstractButton* button(const QString& name) const {
        for (QAbstractButton* each : document_->findChildren<QAbstractButton*>())
            if (each->accessibleName() == name && each->isVisibleTo(document_.get())) return each;
        return nullptr;
    }
    QStringList problems() const {
        QStringList texts;
        for (const QAbstractButton* each : document_->findChildren<QAbstractButton*>())
            if (each->isVisibleTo(document_.get()) && each->toolTip() == QStringLiteral("Go to the field"))
                texts << each->accessibleName();
        return texts;
    }

    test::OwnFolder folder_;
    std::string file_ = (folder_.path() / "two-kinds.json").string();
    std::unique_ptr<HardwareDocument> document_;
};

TEST_F(PartEditorTest, ShowsTheFieldsOfTheCurrentGroup) {
    EXPECT_EQ(list("groups.1.accelerator.peak_flops"), nullptr) << "the first group names one of the library";
    EXPECT_NE(button(QStringLiteral("Embed a copy of the accelerator of old")), nullptr);
    choose(1);
    ASSERT_NE(list("groups.1.accelerator.peak_flops"), nullptr);
    EXPECT_EQ(line(QStringLiteral("Name"))->text(), QStringLiteral("Prototype"));
    EXPECT_EQ(line(QStringLiteral("Network"))->text(), QStringLiteral("100 Gb/s"));
    EXPECT_EQ(button(QStringLiteral("Embed a copy of the accelerator of own")), nullptr);
    test::savePicture(*document_, QStringLiteral("editor-fleet-part"));
    choose(0);
    EXPECT_EQ(list("groups.1.accelerator.peak_flops"), nullptr);
}

TEST_F(PartEditorTest, EditsInPlaceOnTheFleetsUndoStack) {
    choose(1);
    const Json before = json();
    QLineEdit* network = line(QStringLiteral("Network"));
    network->setFocus();
    network->selectAll();
    QTest::keyClicks(network, QStringLiteral("200 Gb/s"));
    EXPECT_EQ(
        json().at("groups")[1].at("accelerator").at("network_bits_per_s"),
        setByHand(before.at("groups")[1].at("accelerator").value("network_bits_per_s", Json()), Json(200'000'000'000)));
    EXPECT_EQ(json().at("groups")[0], before.at("groups")[0]);
    EXPECT_EQ(document_->undoStack()->count(), 1);
    ListModel* peaks = list("groups.1.accelerator.peak_flops")->model();
    peaks->addRow();
    EXPECT_TRUE(json().at("groups")[1].at("accelerator").at("peak_flops").contains("fp16"));
    ASSERT_TRUE(peaks->setCell(peaks->index(1, 1), Json(5e13)));
    settle(*document_);
    EXPECT_TRUE(problems().isEmpty());
    ASSERT_TRUE(document_->save());
    const hardware::Fleet saved = hardware::loadFleet(file_);
    EXPECT_TRUE(saved.groups.at(1).reference.empty());
    EXPECT_EQ(saved.groups.at(1).accelerator.peakFlops.at("fp16").value, 5e13);
    document_->undoStack()->setIndex(0);
    EXPECT_EQ(json(), before);
    EXPECT_EQ(line(QStringLiteral("Network"))->text(), QStringLiteral("100 Gb/s"));
}

TEST_F(PartEditorTest, SaysWhatIsWrongInside) {
    choose(1);
    ListModel* memory = list("groups.1.accelerator.memory")->model();
    memory->setCell(memory->index(0, 1), Json(-5));
    QLineEdit* name = line(QStringLiteral("Name"));
    name->setFocus();
    name->selectAll();
    QTest::keyClick(name, Qt::Key_Space);
    settle(*document_);
    EXPECT_FALSE(memory->problem(memory->index(0, 1)).isEmpty());
    EXPECT_TRUE(name->property("wrong").toBool());
    const QStringList all = problems();
    ASSERT_EQ(all.size(), 2) << all.join('\n').toStdString();
    EXPECT_TRUE(all.filter(QStringLiteral("Accelerator of own, name: ")).size() == 1) << all.join('\n').toStdString();
    EXPECT_TRUE(all.filter(QStringLiteral("Accelerator of own, memory, row 1, capacity: ")).size() == 1)
        << all.join('\n').toStdString();
    EXPECT_FALSE(document_->save());
    test::savePicture(*document_, QStringLiteral("editor-fleet-part-problems"));
}

TEST_F(PartEditorTest, GoesToAFieldOfAnotherGroup) {
    choose(1);
    ListModel* memory = list("groups.1.accelerator.memory")->model();
    memory->setCell(memory->index(0, 1), Json(-5));
    settle(*document_);
    choose(0);
    EXPECT_EQ(list("groups.1.accelerator.memory"), nullptr);
    ASSERT_EQ(problems().size(), 1);
    for (QAbstractButton* each : document_->findChildren<QAbstractButton*>())
        if (each->isVisibleTo(document_.get()) && each->toolTip() == QStringLiteral("Go to the field")) each->click();
    ASSERT_NE(list("groups.1.accelerator.memory"), nullptr);
    EXPECT_EQ(list("groups.1.accelerator.memory")->view()->currentIndex().column(), 1);
}

TEST_F(PartEditorTest, WritesOutOneOfTheLibrary) {
    choose(0);
    button(QStringLiteral("Embed a copy of the accelerator of old"))->click();
    ASSERT_TRUE(waitUntil([&] { return list("groups.0.accelerator.peak_flops") != nullptr; }));
    const Json part = json().at("groups")[0].at("accelerator");
    ASSERT_TRUE(part.is_object());
    settle(*document_);
    EXPECT_TRUE(problems().isEmpty()) << problems().join('\n').toStdString();
    ASSERT_TRUE(document_->save());
    EXPECT_EQ(hardware::loadFleet(file_).groups.at(0).accelerator.peakFlops,
              hardware::loadAccelerator("tpu-v2").peakFlops);
    document_->undoStack()->undo();
    EXPECT_EQ(json().at("groups")[0].at("accelerator"), Json("tpu-v2"));
    EXPECT_EQ(list("groups.0.accelerator.peak_flops"), nullptr);
}

TEST_F(PartEditorTest, OpensOneOfTheLibrary) {
    choose(0);
    QSignalSpy opened(document_.get(), &Document::openRequested);
    button(QStringLiteral("Open the accelerator of old"))->click();
    ASSERT_EQ(opened.count(), 1);
    EXPECT_EQ(opened.at(0).at(1).toString(), QStringLiteral("accelerator/tpu-v2"));
}

TEST_F(PartEditorTest, FollowsRowsThatMoveAndGo) {
    choose(1);
    ListModel* groups = list("groups")->model();
    ASSERT_TRUE(groups->moveEntry(1, 0));
    choose(0);
    ASSERT_NE(list("groups.0.accelerator.peak_flops"), nullptr);
    EXPECT_EQ(line(QStringLiteral("Name"))->text(), QStringLiteral("Prototype"));
    groups->dropRows({0});
    EXPECT_EQ(list("groups.0.accelerator.peak_flops"), nullptr);
    groups->dropRows({0});
    document_->undoStack()->setIndex(0);
    EXPECT_NE(list("groups"), nullptr);
    choose(1);
    EXPECT_NE(list("groups.1.accelerator.peak_flops"), nullptr);
}

TEST_F(PartEditorTest, IsReachedByKeyboardAndHasNames) {
    choose(1);
    EXPECT_EQ(test::namelessControls(*document_).join(QStringLiteral("; ")), QString());
    const QVector<QWidget*> order = test::tabOrder(*document_);
    const auto groups = order.indexOf(list("groups")->view());
    const auto part = order.indexOf(line(QStringLiteral("Network")));
    const auto links = order.indexOf(list("links") == nullptr ? nullptr : list("links")->view());
    EXPECT_GE(groups, 0);
    EXPECT_LT(groups, part);
    if (links >= 0) {
        EXPECT_LT(part, links);
    }
}

}  // namespace
}  // namespace tessera::ui
