#include <gtest/gtest.h>

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QTest>
#include <QUndoStack>
#include <nlohmann/json.hpp>
#include <string>

#include "core/hardware/library.h"
#include "tests/ui/editors/documents.h"
#include "ui/editors/bound_editor.h"
#include "ui/editors/difference_dialog.h"
#include "ui/editors/edited_file.h"
#include "ui/editors/hardware_document.h"
#include "ui/editors/hardware_kind.h"
#include "ui/editors/hardware_picture.h"
#include "ui/editors/list_editor.h"
#include "ui/editors/native_file.h"
#include "ui/editors/range_text.h"
#include "ui/editors/sourced_number.h"
#include "ui/theme/theme.h"
#include "ui/views/plot/plot_widget.h"

namespace tessera::ui {
namespace {

using test::settle;

TEST(RangeText, writesStepsAndListsAsTheyAreRead) {
    for (const auto& [text, measure, count] :
         {std::tuple("1 to 4096, ×2", Measure::count, 13), std::tuple("1 MiB to 128 MiB, ×2", Measure::bytes, 8),
          std::tuple("8 MiB to 64 MiB, +8 MiB", Measure::bytes, 8),
          std::tuple("32 GiB, 64 GiB, 80 GiB", Measure::bytes, 3), std::tuple("7", Measure::count, 1)}) {
        const RangeReading reading = readRangeText(QString::fromUtf8(text), measure, {});
        EXPECT_EQ(reading.problem, QString()) << text;
        EXPECT_EQ(reading.count, count) << text;
        EXPECT_EQ(rangeText(reading.value, measure), QString::fromUtf8(text));
    }
}

TEST(RangeText, understandsOtherSpellings) {
    const Json wanted{{"from", 1}, {"to", 64}, {"step", "×2"}};
    for (const char* text : {"1 to 64", "1..64", "1 … 64 x2", "1 – 64, * 2", "  1 to 64 ×2 "})
        EXPECT_EQ(readRangeText(QString::fromUtf8(text), Measure::count, {}).value, wanted) << text;
    const Json added{{"from", 8192}, {"to", 16384}, {"step", "+4096"}};
    EXPECT_EQ(readRangeText(QStringLiteral("8 KiB to 16 KiB +4 KiB"), Measure::bytes, {}).value, added);
}

TEST(RangeText, keepsWhatCannotBeReadAndSaysHowToWriteIt) {
    for (const char* text : {"", "many", "1 to", "1, , 4", "1 to 64 ×1", "1.5 to 3", "-1 to 4", "1 to 1 TB"}) {
        const RangeReading reading = readRangeText(QString::fromUtf8(text), Measure::count, {});
        EXPECT_NE(reading.problem, QString()) << text;
        EXPECT_EQ(reading.value, Json(text));
        EXPECT_EQ(rangeText(reading.value, Measure::count), QString::fromUtf8(text));
    }
    EXPECT_NE(readRangeText(QStringLiteral("1 to 1000000 +1"), Measure::count, {}).problem, QString());
}

TEST(RangeText, keepsWhatIsSaidAboutNumbersThatStay) {
    const Json sourced{{"value", 2}, {"source", "table 1"}, {"class", "datasheet"}};
    const RangeReading reading = readRangeText(QStringLiteral("2, 4"), Measure::count, Json::array({sourced, 8}));
    EXPECT_EQ(reading.value, Json::array({sourced, setByHand(Json(), 4)})) << "the user's own";
    const RangeReading steps =
        readRangeText(QStringLiteral("1 to 2"), Measure::count, Json{{"from", sourced}, {"to", 8}, {"step", "×2"}});
    EXPECT_EQ(steps.value.at("to"), sourced);
    const RangeReading other =
        readRangeText(QStringLiteral("4 to 8"), Measure::count, Json{{"from", sourced}, {"to", 8}, {"step", "×2"}});
    EXPECT_EQ(other.value.at("from"), setByHand(sourced, 4));
    EXPECT_EQ(provenanceOfRange(other.value), other.value.at("from"));
}

class TemplateDocument : public testing::Test {
protected:
    static std::unique_ptr<HardwareDocument> opened(const QString& key, QSize size = {1280, 800}) {
        return test::opened<HardwareDocument>(key, size);
    }
    static QLineEdit* box(const QWidget& document, const QString& name) {
        for (QLineEdit* each : document.findChildren<QLineEdit*>())
            if (each->accessibleName() == name && each->isVisibleTo(&document)) return each;
        return nullptr;
    }
    static void type(QLineEdit* box, const QString& text) {
        ASSERT_NE(box, nullptr);
        box->window()->activateWindow();
        box->setFocus();
        ASSERT_TRUE(test::waitUntil([&] { return box->hasFocus(); }));
        box->selectAll();
        QTest::keyClicks(box, text);
        QTest::keyClick(box, Qt::Key_Return);
    }
    static QString allText(const QWidget& document) {
        QString text;
        for (const QLabel* label : document.findChildren<QLabel*>())
            if (label->isVisibleTo(&document)) text += label->text() + QLatin1Char('\n');
        return text;
    }
    static const PlotWidget* plot(const QWidget& document, const std::string& chart) {
        for (const PlotWidget* each : document.findChildren<PlotWidget*>())
            if (each->chart().id == chart) return each;
        return nullptr;
    }
    test::OwnFolder folder_;
};

TEST_F(TemplateDocument, showsRangesAreasAndHowManyFit) {
    const auto document = opened(QStringLiteral("template/phaze"));
    EXPECT_EQ(document->title(), QStringLiteral("PHAZE"));
    EXPECT_EQ(document->iconName(), QStringLiteral("template"));
    EXPECT_EQ(box(*document, QStringLiteral("Tensor cores"))->text(), QStringLiteral("1 to 4096, ×2"));
    EXPECT_EQ(box(*document, QStringLiteral("HBM"))->text(), QStringLiteral("32 GiB, 64 GiB, 80 GiB"));
    const QString text = allText(*document);
    for (const char* words : {"13 values", "within 279 mm²", "86,528 accelerators"})
        EXPECT_TRUE(text.contains(QString::fromUtf8(words))) << words << " in\n" << text.toStdString();
    const PlotWidget* parts = plot(*document, "reference-area");
    ASSERT_NE(parts, nullptr);
    ASSERT_EQ(parts->chart().series.size(), 4);
    EXPECT_NEAR(parts->chart().series[3].y[0], 175.423, 1e-3);  // the published area of 128 MB
    const PlotWidget* classes = plot(*document, "template-areas");
    ASSERT_NE(classes, nullptr);
    double within = 0, all = 0;
    for (const report::Series& series : classes->chart().series)
        for (const double count : series.y) {
            all += count;
            if (series.id == "within") within += count;
        }
    EXPECT_EQ(all, 86528);
    const Facts facts = document->overview();
    EXPECT_EQ(facts.subtitle, QStringLiteral("Template"));
    QString fitting = facts.sections[0].rows[1].value;
    EXPECT_EQ(fitting.remove(QLatin1Char(',')).toDouble(), within);
}

TEST_F(TemplateDocument, anEditedRangeCountsAgainAndIsUndone) {
    const auto document = opened(QStringLiteral("template/phaze"));
    type(box(*document, QStringLiteral("Tensor cores")), QStringLiteral("1, 2, 4"));
    settle(*document);
    EXPECT_TRUE(allText(*document).contains(QStringLiteral("19,968 accelerators"))) << allText(*document).toStdString();
    type(box(*document, QStringLiteral("Global buffer")), QStringLiteral("8 MiB to 64 MiB"));
    settle(*document);
    EXPECT_EQ(box(*document, QStringLiteral("Global buffer"))->text(), QStringLiteral("8 MiB to 64 MiB, ×2"));
    EXPECT_TRUE(allText(*document).contains(QStringLiteral("4 values")));
    document->undoStack()->undo();
    document->undoStack()->undo();
    settle(*document);
    EXPECT_EQ(box(*document, QStringLiteral("Tensor cores"))->text(), QStringLiteral("1 to 4096, ×2"));
    EXPECT_FALSE(document->isModified());
}

TEST_F(TemplateDocument, saysBesideTheFieldsWhatIsWrongInAllOfThem) {
    const auto document = opened(QStringLiteral("template/phaze"));
    type(box(*document, QStringLiteral("Tensor cores")), QStringLiteral("1 to 48, x2"));
    type(box(*document, QStringLiteral("Array width")), QStringLiteral("3, 4"));
    type(box(*document, QStringLiteral("HBM")), QStringLiteral("many"));
    settle(*document);
    const QString text = allText(*document);
    EXPECT_TRUE(text.contains(QStringLiteral("This is 48; expected a number that steps of ×2 from 1 reach")))
        << text.toStdString();
    EXPECT_TRUE(text.contains(QStringLiteral("This is 3; expected a power of two"))) << text.toStdString();
    EXPECT_TRUE(text.contains(QStringLiteral("This is not an amount of memory"))) << text.toStdString();
    EXPECT_TRUE(text.contains(QStringLiteral("The picture shows the last valid set-up.")));
    EXPECT_FALSE(document->saveAs(QStringLiteral("wrong")));
}

TEST_F(TemplateDocument, theBoundIsAnAcceleratorOrAnArea) {
    const auto document = opened(QStringLiteral("template/phaze"));
    auto* bound = document->findChild<BoundEditor*>();
    ASSERT_NE(bound, nullptr);
    type(box(*document, QStringLiteral("Accelerator")), QStringLiteral("Half"));
    type(box(*document, QStringLiteral("Global buffer")), QStringLiteral("1 MiB to 128 MiB"));
    bound->setReference(false);
    settle(*document);
    EXPECT_EQ(box(*document, QStringLiteral("Accelerator")), nullptr);
    EXPECT_EQ(box(*document, QStringLiteral("Area"))->text(), QStringLiteral("278.83 mm²"));
    const PlotWidget* parts = plot(*document, "reference-area");
    EXPECT_FALSE(parts->isVisibleTo(document.get()));
    type(box(*document, QStringLiteral("Area")), QStringLiteral("100 mm2"));
    settle(*document);
    ASSERT_TRUE(document->saveAs(QStringLiteral("small")));
    EXPECT_EQ(hardware::loadTemplate("small").bound->value, 100);
    bound->setReference(true);
    settle(*document);
    ASSERT_TRUE(document->save());
    ASSERT_TRUE(hardware::loadTemplate("small").reference.has_value());
    EXPECT_EQ(hardware::loadTemplate("small").reference->tensorCores, 4096);
}

TEST_F(TemplateDocument, aNewOneIsRightFromTheStart) {
    const auto document = opened(QStringLiteral("new/template"));
    ASSERT_TRUE(document->saveAs(QStringLiteral("mine")));
    EXPECT_EQ(document->key(), QStringLiteral("template/mine"));
    EXPECT_EQ(hardware::architectureCount(hardware::loadTemplate("mine")), 3125U);
    ASSERT_TRUE(document->duplicateAs(QStringLiteral("mine-too")));
    EXPECT_EQ(hardware::loadTemplate("mine-too").name, "mine-too");
    for (ListEditor* list : document->findChildren<ListEditor*>())
        if (list->model()->spec().path == "area.glb") list->model()->addRow();
    settle(*document);
    ASSERT_TRUE(document->save());
    EXPECT_EQ(hardware::loadTemplate("mine").area.globalBuffer.size(), 3U);
}

TEST_F(TemplateDocument, bandwidthsAreSearchedWithTheAreaOfTheirInterfaces) {
    const auto document = opened(QStringLiteral("template/phaze-bandwidths"));
    EXPECT_EQ(box(*document, QStringLiteral("HBM bandwidths"))->text(),
              QStringLiteral("600 GB/s, 1.2 TB/s, 1.8 TB/s, 2.4 TB/s"));
    EXPECT_EQ(box(*document, QStringLiteral("HBM unit"))->text(), QStringLiteral("HBM2 stack"));
    type(box(*document, QStringLiteral("Network bandwidths")), QStringLiteral("300 GB/s, 1.2 TB/s"));
    type(box(*document, QStringLiteral("Link area")), QStringLiteral("2 mm²"));
    settle(*document);
    ASSERT_TRUE(document->saveAs(QStringLiteral("links")));
    const hardware::Template saved = hardware::loadTemplate("links");
    EXPECT_EQ(saved.networkBandwidth.values, (std::vector<std::int64_t>{300'000'000'000, 1'200'000'000'000}));
    ASSERT_TRUE(saved.networkInterface.has_value());
    EXPECT_EQ(saved.networkInterface->area->value, 2);
}

TEST_F(TemplateDocument, bandwidthsMayBeLeftOutAndAskedForLater) {
    const auto document = opened(QStringLiteral("template/phaze"));
    EXPECT_EQ(box(*document, QStringLiteral("HBM bandwidths"))->text(), QString());
    type(box(*document, QStringLiteral("HBM bandwidths")), QStringLiteral("600 GB/s, 1.2 TB/s"));
    settle(*document);
    ASSERT_TRUE(document->saveAs(QStringLiteral("searched")));
    EXPECT_EQ(hardware::loadTemplate("searched").hbmBandwidth.values.size(), 2U);
    QLineEdit* bandwidths = box(*document, QStringLiteral("HBM bandwidths"));
    bandwidths->setFocus();
    bandwidths->selectAll();
    QTest::keyClick(bandwidths, Qt::Key_Delete);
    settle(*document);
    ASSERT_TRUE(document->save());
    EXPECT_TRUE(hardware::loadTemplate("searched").hbmBandwidth.values.empty());
    EXPECT_FALSE(hardware::loadTemplate("searched").hbmInterface.has_value());
}

TEST_F(TemplateDocument, differencesNameRangesAsAWhole) {
    const HardwareKind& kind = *hardwareKind(QStringLiteral("template"));
    Json other = kind.blank;
    other["parameters"]["pe_x"] = Json::array({32, 64});
    other["word_bytes"] = 4;
    const QVector<Difference> found = differences(kind.blank, other, kind);
    ASSERT_EQ(found.size(), 2);
    EXPECT_EQ(found[0].field, QStringLiteral("Array width"));
    EXPECT_EQ(found[0].here, QStringLiteral("16 to 256, ×2"));
    EXPECT_EQ(found[0].there, QStringLiteral("32, 64"));
    EXPECT_EQ(found[1].field, QStringLiteral("Word"));
}

TEST_F(TemplateDocument, isTakenWhereItIsDropped) {
    const NativeFile* native = nativeFile(R"({"schema": "tessera.template/1"})");
    ASSERT_NE(native, nullptr);
    EXPECT_STREQ(native->document, "hardware");
}

TEST_F(TemplateDocument, inASmallWindowFormAndHistogramAreBothRead) {
    // What panels leave of a window of 1280 by 800.
    const auto document = opened(QStringLiteral("template/phaze"), {760, 560});
    const auto* scroll = document->findChild<QScrollArea*>();
    ASSERT_NE(scroll, nullptr);
    int rows = 0;
    for (const QLineEdit* each : scroll->findChildren<QLineEdit*>()) {
        const QRect place(each->mapTo(scroll->viewport(), QPoint()), each->size());
        rows += each->isVisible() && scroll->viewport()->rect().contains(place) ? 1 : 0;
    }
    EXPECT_GE(rows, 6);
    const PlotWidget* classes = plot(*document, "template-areas");
    ASSERT_NE(classes, nullptr);
    EXPECT_GE(classes->height(), 120);
    EXPECT_GE(classes->width(), 700);
    const std::vector<std::string>& labels = classes->chart().x.categories;
    EXPECT_LE(labels.size(), 13U);
    for (const std::string& label : labels) EXPECT_LE(label.size(), 6U) << label;
    EXPECT_EQ(labels.back(), "more") << "what is larger than 64 times the bound";
    test::savePicture(*document, QStringLiteral("editors-template-small"));
}

/// Pictures for a person to look at.
TEST_F(TemplateDocument, looksWell) {
    for (const auto& [mode, look] : {std::pair(ThemeMode::light, "light"), std::pair(ThemeMode::dark, "dark")}) {
        theme().apply(mode);
        const auto document = opened(QStringLiteral("template/phaze"));
        QTest::qWait(20);
        const QString name = QStringLiteral("editors-template-%1").arg(QLatin1String(look));
        EXPECT_GT(test::coloursIn(test::savePicture(*document, name)), 10);
    }
    theme().apply(ThemeMode::light);
    const auto document = opened(QStringLiteral("template/phaze"), {1000, 1600});
    type(box(*document, QStringLiteral("Tensor cores")), QStringLiteral("1 to 48"));
    settle(*document);
    test::savePicture(*document, QStringLiteral("editors-template-long"));
}

}  // namespace
}  // namespace tessera::ui
