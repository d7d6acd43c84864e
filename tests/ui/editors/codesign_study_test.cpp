#include <gtest/gtest.h>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>
#include <algorithm>

#include "core/study/codesign/study.h"
#include "core/study/study.h"
#include "tests/ui/editors/documents.h"
#include "ui/editors/reference_picker.h"
#include "ui/editors/study_document.h"
#include "ui/theme/theme.h"

namespace tessera::ui {
namespace {

using test::settle;

bool saysText(const QWidget& widget, const QString& text) {
    const QList<QLabel*> labels = widget.findChildren<QLabel*>();
    return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
        return label->isVisibleTo(&widget) && label->text().contains(text);
    });
}

/// The set-up of a co-design study follows its engine's row.
class CodesignStudy : public testing::Test {
protected:
    void SetUp() override { document_ = test::opened<StudyDocument>(QStringLiteral("new/codesign"), {1000, 900}); }
    test::OwnFolder folder_;
    std::unique_ptr<StudyDocument> document_;
};

TEST_F(CodesignStudy, asksForAModelAndATemplate) {
    EXPECT_EQ(document_->findChildren<ReferencePicker*>().size(), 2);
    EXPECT_TRUE(saysText(*document_, QStringLiteral("Choose a model.")));
    document_->setModel(QStringLiteral("zoo:bert-large"));
    document_->setHardware(QStringLiteral("a100-h100-mixed"));
    settle(*document_);
    EXPECT_TRUE(saysText(*document_, QStringLiteral("is a fleet, not a template")));
    document_->setHardware(QStringLiteral("phaze"));
    settle(*document_);
    EXPECT_TRUE(saysText(*document_, QStringLiteral("PHAZE · 59,748 accelerators within 279 mm²")));
    QSignalSpy runs(document_.get(), &Document::runRequested);
    document_->requestRun();
    ASSERT_EQ(runs.count(), 1);
    const QJsonObject json = QJsonDocument::fromJson(runs.at(0).at(0).toString().toUtf8()).object();
    EXPECT_EQ(json.value(QLatin1String("engine")).toString(), QStringLiteral("codesign"));
    EXPECT_EQ(json.value(QLatin1String("hardware")).toArray().at(0).toString(), QStringLiteral("phaze"));
}

TEST_F(CodesignStudy, everyParameterHasItsField) {
    for (const study::Parameter& parameter : study::codesignParameters()) {
        QString label = QString::fromStdString(std::string(parameter.name)).replace(QLatin1Char('_'), QLatin1Char(' '));
        label[0] = label[0].toUpper();
        const QList<QLabel*> labels = document_->findChildren<QLabel*>();
        EXPECT_TRUE(std::any_of(labels.begin(), labels.end(), [&](const QLabel* each) {
            return each->text() == label;
        })) << label.toStdString();
    }
}

/// Pictures for a person to look at.
TEST_F(CodesignStudy, looksWell) {
    for (const auto& [mode, look] : {std::pair(ThemeMode::light, "light"), std::pair(ThemeMode::dark, "dark")}) {
        theme().apply(mode);
        const auto document = test::opened<StudyDocument>(QStringLiteral("bert-large-accelerator"), {1280, 800});
        QTest::qWait(20);
        const QString name = QStringLiteral("editors-study-codesign-%1").arg(QLatin1String(look));
        EXPECT_GT(test::coloursIn(test::savePicture(*document, name)), 10);
    }
    theme().apply(ThemeMode::light);
}

}  // namespace
}  // namespace tessera::ui
