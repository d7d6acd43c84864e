#include <gtest/gtest.h>

#include <QAbstractButton>
#include <QAbstractItemModelTester>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>
#include <QUndoStack>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "tests/support/onnx_file.h"
#include "tests/ui/editors/documents.h"
#include "ui/editors/reference_picker.h"
#include "ui/editors/study_check.h"
#include "ui/editors/study_document.h"
#include "ui/editors/study_form.h"
#include "ui/theme/theme.h"

namespace tessera::ui {
namespace {

using test::settle;
using test::waitUntil;

/// Symbolic dimensions and the seed of a study.
class StudyInputs : public testing::Test {
protected:
    void SetUp() override {
        writeFile(model_, test::onnxWithSequence("seq.length"));
        open(QStringLiteral("new/partition?hardware=accpar-heterogeneous"));
    }
    /// Shows the new study that `address` describes, of the model with an open dimension.
    void open(const QString& address) {
        document_ =
            std::make_unique<StudyDocument>(QStringLiteral("%1&model=%2").arg(address, QString::fromStdString(model_)));
        document_->resize(1000, 760);
        document_->show();
        EXPECT_TRUE(waitUntil([&] { return document_->findChild<ReferencePicker*>() != nullptr; }));
        settle(*document_);
    }
    QLineEdit* line(const QString& name) const {
        for (QLineEdit* each : document_->findChildren<QLineEdit*>())
            if (each->accessibleName() == name && each->isVisibleTo(document_.get())) return each;
        return nullptr;
    }
    bool says(const QString& text) const {
        const QList<QLabel*> labels = document_->findChildren<QLabel*>();
        return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
            return label->isVisibleTo(document_.get()) && label->text().contains(text);
        });
    }
    void retype(const QString& name, const QString& text) const {
        QLineEdit* field = line(name);
        ASSERT_NE(field, nullptr) << name.toStdString();
        field->setFocus();
        field->selectAll();
        if (text.isEmpty())
            QTest::keyClick(field, Qt::Key_Delete);
        else
            QTest::keyClicks(field, text);
        settle(*document_);
    }

    test::OwnFolder folder_;
    std::string model_ = (folder_.path() / "sequence.onnx").string();
    std::unique_ptr<StudyDocument> document_;
};

TEST_F(StudyInputs, HaveAFieldForADimensionThatTheModelLeavesOpen) {
    ASSERT_NE(line(QStringLiteral("seq.length")), nullptr);
    EXPECT_EQ(line(QStringLiteral("seq.length"))->placeholderText(), QStringLiteral("open"));
    EXPECT_TRUE(says(QStringLiteral("Give the size of 'seq.length'."))) << "a hint while nothing was asked for";
    EXPECT_FALSE(line(QStringLiteral("seq.length"))->property("wrong").toBool());
    QSignalSpy runs(document_.get(), &Document::runRequested);
    document_->requestRun();
    EXPECT_EQ(runs.count(), 0);
    EXPECT_TRUE(line(QStringLiteral("seq.length"))->property("wrong").toBool()) << "after Run it is a problem";

    retype(QStringLiteral("seq.length"), QStringLiteral("128"));
    EXPECT_EQ(document_->study().dimensions, (std::map<std::string, std::int64_t>{{"seq.length", 128}}));
    EXPECT_TRUE(says(QStringLiteral("1 weighted layer")));
    document_->requestRun();
    ASSERT_EQ(runs.count(), 1);
    const study::Study run =
        study::readStudy(JsonDocument::parse(runs.at(0).at(0).toString().toStdString(), "run").root());
    EXPECT_EQ(run.dimensions.at("seq.length"), 128);
    test::savePicture(*document_, QStringLiteral("editor-study-dimensions"));
}

TEST_F(StudyInputs, AreUndoneTypingByTyping) {
    retype(QStringLiteral("seq.length"), QStringLiteral("128"));
    EXPECT_EQ(document_->undoStack()->count(), 1);
    document_->undoStack()->undo();
    settle(*document_);
    EXPECT_TRUE(document_->study().dimensions.empty());
    EXPECT_EQ(line(QStringLiteral("seq.length"))->text(), QString());
    document_->undoStack()->redo();
    EXPECT_EQ(document_->study().dimensions.at("seq.length"), 128);
}

TEST_F(StudyInputs, RefuseWhatIsNoSize) {
    for (const char* wrong : {"0", "-4", "many", "4294967296"}) {
        retype(QStringLiteral("seq.length"), QString::fromLatin1(wrong));
        EXPECT_TRUE(says(QStringLiteral("Type a whole number from 1 to 2147483647."))) << wrong;
        EXPECT_TRUE(line(QStringLiteral("seq.length"))->property("wrong").toBool()) << wrong;
    }
    QSignalSpy runs(document_.get(), &Document::runRequested);
    document_->requestRun();
    EXPECT_EQ(runs.count(), 0);
}

TEST_F(StudyInputs, SayThatAnotherModelHasNoSuchDimension) {
    retype(QStringLiteral("seq.length"), QStringLiteral("128"));
    document_->setModel(QStringLiteral("zoo:lenet5"));
    settle(*document_);
    EXPECT_TRUE(says(QStringLiteral("has no dimension 'seq.length'")));
    retype(QStringLiteral("seq.length"), QString());
    EXPECT_TRUE(document_->study().dimensions.empty());
    EXPECT_EQ(line(QStringLiteral("seq.length")), nullptr);
    QSignalSpy runs(document_.get(), &Document::runRequested);
    document_->requestRun();
    EXPECT_EQ(runs.count(), 1);
}

TEST_F(StudyInputs, AreSavedAndOpenedAgain) {
    open(QStringLiteral("new/predict?hardware=tpu-v3"));
    retype(QStringLiteral("seq.length"), QStringLiteral("64"));
    retype(QStringLiteral("Seed"), QStringLiteral("9007199254740993"));
    ASSERT_TRUE(document_->saveAs(QStringLiteral("with-sizes")));
    const study::Study saved = study::loadStudy("with-sizes");
    EXPECT_EQ(saved.dimensions.at("seq.length"), 64);
    EXPECT_EQ(saved.seed, 9007199254740993U) << "no digit is lost";
    StudyDocument again(QStringLiteral("with-sizes"));
    EXPECT_TRUE(waitUntil([&] { return again.findChild<ReferencePicker*>() != nullptr; }));
    settle(again);
    EXPECT_EQ(again.study(), saved);
    QStringList texts;
    for (const QLineEdit* each : again.findChildren<QLineEdit*>()) texts << each->text();
    EXPECT_TRUE(texts.contains(QStringLiteral("64")));
    EXPECT_TRUE(texts.contains(QStringLiteral("9007199254740993")));
}

TEST_F(StudyInputs, HaveASeedThatMayBeLeftOut) {
    open(QStringLiteral("new/predict?hardware=tpu-v3"));
    EXPECT_FALSE(document_->study().seed.has_value());
    retype(QStringLiteral("Seed"), QStringLiteral("7"));
    retype(QStringLiteral("seq.length"), QStringLiteral("8"));
    EXPECT_EQ(document_->study().seed, 7U);
    retype(QStringLiteral("Seed"), QStringLiteral("-1"));
    EXPECT_TRUE(says(QStringLiteral("Type a whole number from 0 to 9223372036854775807.")));
    retype(QStringLiteral("Seed"), QString());
    EXPECT_FALSE(document_->study().seed.has_value());
}

TEST_F(StudyInputs, HaveNoSeedWhereTheEngineDrawsNoNumbers) {
    EXPECT_EQ(line(QStringLiteral("Seed")), nullptr);
    open(QStringLiteral("new/predict?hardware=tpu-v3"));
    EXPECT_NE(line(QStringLiteral("Seed")), nullptr);
}

TEST_F(StudyInputs, AreReachedByTabBetweenModelAndHardware) {
    open(QStringLiteral("new/predict?hardware=tpu-v3"));
    QVector<QWidget*> order = test::tabOrder(*document_);
    const auto pickers = document_->findChildren<ReferencePicker*>();
    const auto place = [&](QWidget* widget) { return order.indexOf(widget); };
    const auto model = place(pickers.at(0)->box());
    const auto size = place(line(QStringLiteral("seq.length")));
    const auto fleet = place(pickers.at(1)->box());
    EXPECT_GE(model, 0);
    EXPECT_LT(model, size);
    EXPECT_LT(size, fleet);
    EXPECT_LT(fleet, place(line(QStringLiteral("Seed"))));
    EXPECT_EQ(test::namelessControls(*document_).join(QStringLiteral("; ")), QString());
}

TEST_F(StudyInputs, HaveSoundListsOfChoices) {
    for (const auto* picker : document_->findChildren<ReferencePicker*>()) {
        EXPECT_GT(picker->box()->model()->rowCount(), 1);
        const QAbstractItemModelTester tester(picker->box()->model(),
                                              QAbstractItemModelTester::FailureReportingMode::Fatal);
    }
}

TEST(DimensionRows, KeepNamesOfStrangersOnOneLine) {
    const QVector<FieldRow> rows = dimensionRows(Json{{"dimensions", {{"a\nb", 3}}}}, {QStringLiteral("seq")});
    ASSERT_EQ(rows.size(), 2);
    EXPECT_EQ(rows[0].keys, (JsonPath{"dimensions", "seq"}));
    EXPECT_EQ(rows[1].keys, (JsonPath{"dimensions", "a\nb"}));
    EXPECT_FALSE(rows[1].label.contains(QLatin1Char('\n')));
    EXPECT_TRUE(dimensionRows(Json::object(), {}).isEmpty());
}

}  // namespace
}  // namespace tessera::ui
