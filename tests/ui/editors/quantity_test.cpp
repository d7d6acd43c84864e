#include <gtest/gtest.h>

#include <QKeyEvent>
#include <QSignalSpy>
#include <QTest>
#include <nlohmann/json.hpp>

#include "ui/editors/field.h"
#include "ui/editors/quantity_text.h"

namespace tessera::ui {
namespace {

struct Shown {
    double value;
    Measure measure;
    const char* text;
};

TEST(QuantityText, IsTheShortestThatReadsBackExactly) {
    const Shown rows[] = {
        {16e9, Measure::bytesPerSecond, "16 GB/s"},
        {180e12, Measure::flopsPerSecond, "180 TFLOP/s"},
        {32768, Measure::bytes, "32 KiB"},
        {34359738368.0, Measure::bytes, "32 GiB"},
        {5248e9, Measure::bitsPerSecond, "5.248 Tb/s"},
        {5e-6, Measure::seconds, "5 µs"},
        {128, Measure::count, "128"},
        {0.9, Measure::count, "0.9"},
        {0, Measure::seconds, "0 s"},
        {128e9, Measure::bytes, "128 GB"},
        {1e6, Measure::count, "1000000"},
    };
    for (const Shown& row : rows) {
        const QString text = exactQuantity(row.value, row.measure);
        EXPECT_EQ(text.toStdString(), row.text);
        EXPECT_EQ(parseQuantity(text.toStdString(), row.measure), row.value);
    }
}

TEST(QuantityText, ReadsBackWhateverTheValue) {
    for (const double value : {1.0 / 3, 1e30, 1e-30, 123456789.123, 4.0e15, 987654321987654321.0})
        for (const Measure measure : {Measure::bytes, Measure::seconds, Measure::flopsPerSecond, Measure::count})
            EXPECT_EQ(parseQuantity(exactQuantity(value, measure).toStdString(), measure), value);
}

TEST(QuantityText, SaysWhatIsExpected) {
    const QuantityReading nonsense = readQuantity(QStringLiteral("fast"), Measure::bytesPerSecond, {});
    EXPECT_FALSE(nonsense.value.has_value());
    EXPECT_EQ(nonsense.problem, QStringLiteral("This is not a rate; write it like 16 GB/s."));
    const QuantityRange counts{.min = 1, .max = 64, .whole = true};
    EXPECT_EQ(readQuantity(QStringLiteral("0"), Measure::count, counts).problem,
              QStringLiteral("This must be at least 1."));
    EXPECT_EQ(readQuantity(QStringLiteral("65"), Measure::count, counts).problem,
              QStringLiteral("This must be at most 64."));
    EXPECT_EQ(readQuantity(QStringLiteral("1.5"), Measure::count, counts).problem,
              QStringLiteral("This is a whole number, such as 1."));
    EXPECT_EQ(readQuantity(QStringLiteral("16 GB/s"), Measure::bitsPerSecond, {}).value, 128e9);
}

TEST(QuantityText, StepsTheSecondDigitAndBack) {
    const auto stepped = [](const char* text, int steps) {
        return steppedQuantity(QString::fromUtf8(text), steps, Measure::flopsPerSecond, {}).toStdString();
    };
    EXPECT_EQ(stepped("180 TFLOP/s", 1), "190 TFLOP/s");
    EXPECT_EQ(stepped("10 TFLOP/s", -1), "9.9 TFLOP/s");
    EXPECT_EQ(stepped("9.9 TFLOP/s", 1), "10 TFLOP/s");
    EXPECT_EQ(stepped("nonsense", 1), "");
    EXPECT_EQ(steppedQuantity(QStringLiteral("1"), -1, Measure::count, {.min = 1, .whole = true}), QString());
    EXPECT_EQ(steppedQuantity(QStringLiteral("8"), 1, Measure::count, {.min = 1, .whole = true}), QStringLiteral("9"));
}

TEST(QuantityFieldTest, KeepsWrongTextAndMarksItWithTheReason) {
    QuantityField field(Measure::flopsPerSecond);
    QSignalSpy edits(&field, &QuantityField::edited);
    QTest::keyClicks(&field, QStringLiteral("180 TFLOPS"));
    EXPECT_EQ(field.quantity(), 180e12);
    EXPECT_EQ(edits.count(), 10);
    QTest::keyClick(&field, Qt::Key_Return);
    EXPECT_EQ(field.text(), QStringLiteral("180 TFLOP/s"));
    QTest::keyClicks(&field, QStringLiteral("!"));
    QTest::keyClick(&field, Qt::Key_Return);
    EXPECT_EQ(field.text(), QStringLiteral("180 TFLOP/s!"));
    EXPECT_EQ(field.json(), Json("180 TFLOP/s!"));
    EXPECT_FALSE(field.problem().isEmpty());
    EXPECT_TRUE(field.property("wrong").toBool());
}

TEST(QuantityFieldTest, ArrowKeysStep) {
    QuantityField field(Measure::bytesPerSecond, {.minExcluded = true});
    field.setQuantity(16e9);
    QTest::keyClick(&field, Qt::Key_Up);
    EXPECT_EQ(field.text(), QStringLiteral("17 GB/s"));
    QTest::keyClick(&field, Qt::Key_Down);
    EXPECT_EQ(field.quantity(), 16e9);
}

}  // namespace
}  // namespace tessera::ui
