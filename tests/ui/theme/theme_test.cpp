#include "ui/theme/theme.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QFile>
#include <QFontMetricsF>
#include <QLabel>
#include <QPainter>
#include <QSet>

#include "tests/support/pictures.h"

namespace tessera::ui {
namespace {

using test::picturesFolder;

struct Reading {
    std::string_view text;
    std::string_view ground;
};

/// What is written on what. WCAG asks for 4.5:1.
constexpr std::array kReadings{
    Reading{"text", "window"},       Reading{"text", "surface"},           Reading{"text", "raised"},
    Reading{"text", "hover"},        Reading{"text", "pressed"},           Reading{"text", "selection"},
    Reading{"text", "input"},        Reading{"secondary", "window"},       Reading{"secondary", "surface"},
    Reading{"secondary", "raised"},  Reading{"secondary", "hover"},        Reading{"secondary", "selection"},
    Reading{"on-accent", "accent"},  Reading{"on-accent", "accent-hover"}, Reading{"good-text", "window"},
    Reading{"good-text", "surface"}, Reading{"warning-text", "window"},    Reading{"warning-text", "surface"},
    Reading{"bad-text", "window"},   Reading{"bad-text", "surface"},       Reading{"text", "info-ground"},
    Reading{"text", "good-ground"},  Reading{"text", "warning-ground"},    Reading{"text", "bad-ground"},
    Reading{"accent", "surface"},
};

TEST(Theme, textCanBeReadOnItsGroundInLightAndDark) {
    for (const report::ThemeKind kind : {report::ThemeKind::light, report::ThemeKind::dark})
        for (const Reading& reading : kReadings) {
            const report::Theme colours(kind);
            EXPECT_GE(report::contrast(colours(reading.text), colours(reading.ground)), 4.5)
                << reading.text << " on " << reading.ground
                << (kind == report::ThemeKind::light ? " (light)" : " (dark)");
        }
}

TEST(Theme, theStyleSheetHasNoTokenLeft) {
    for (const ThemeMode mode : {ThemeMode::light, ThemeMode::dark}) {
        theme().apply(mode);
        const QString sheet = theme().styleSheet();
        EXPECT_GT(sheet.size(), 1000);
        EXPECT_FALSE(sheet.contains(QLatin1Char('@'))) << sheet.mid(sheet.indexOf(QLatin1Char('@')), 40).toStdString();
        for (qsizetype at = sheet.indexOf(QStringLiteral("url(")); at >= 0;
             at = sheet.indexOf(QStringLiteral("url("), at + 1)) {
            const QString file = sheet.mid(at + 4, sheet.indexOf(QLatin1Char(')'), at) - at - 4);
            EXPECT_TRUE(QFile::exists(file)) << file.toStdString();
        }
    }
    theme().apply(ThemeMode::light);
}

TEST(Theme, setsThePaletteAndSaysSo) {
    int changes = 0;
    const auto connection = QObject::connect(&theme(), &Theme::changed, [&] { ++changes; });
    theme().apply(ThemeMode::dark);
    EXPECT_TRUE(theme().isDark());
    EXPECT_EQ(QApplication::palette().color(QPalette::Window), theme().colour("window"));
    theme().apply(ThemeMode::light);
    EXPECT_EQ(changes, 2);
    EXPECT_EQ(QApplication::palette().color(QPalette::Window), QColor(QStringLiteral("#F6F7F9")));
    QObject::disconnect(connection);
}

TEST(Theme, followsThePlatformOnlyWhenAskedTo) {
    theme().apply(ThemeMode::system);
    ASSERT_FALSE(theme().isDark());
    QPalette night;
    night.setColor(QPalette::Window, Qt::black);
    night.setColor(QPalette::WindowText, Qt::white);
    QApplication::setPalette(night);
    QCoreApplication::processEvents();
    EXPECT_TRUE(theme().isDark());
    QPalette day;
    day.setColor(QPalette::Window, Qt::white);
    day.setColor(QPalette::WindowText, Qt::black);
    QApplication::setPalette(day);
    QCoreApplication::processEvents();
    EXPECT_FALSE(theme().isDark());
    theme().apply(ThemeMode::light);
    QApplication::setPalette(night);
    QCoreApplication::processEvents();
    EXPECT_FALSE(theme().isDark());
    QApplication::setPalette(day);
    QCoreApplication::processEvents();
    theme().apply(ThemeMode::light);
}

TEST(Theme, figuresOfNumbersAreOfOneWidth) {
    const QFontMetricsF metrics(theme().font(Theme::Text::base, false, true));
    for (char digit = '0'; digit <= '9'; ++digit) {
        EXPECT_EQ(metrics.horizontalAdvance(QLatin1Char(digit)), metrics.horizontalAdvance(QLatin1Char('0')));
    }
}

TEST(Theme, rampsGoFromLightToDarkAndClamp) {
    double last = 2;
    for (int step = 0; step <= 20; ++step) {
        const double lightness = theme().quantityColour(step / 20.0).lightnessF();
        EXPECT_LE(lightness, last);
        last = lightness;
    }
    EXPECT_EQ(theme().quantityColour(-1), theme().quantityColour(0));
    EXPECT_EQ(theme().quantityColour(7), theme().quantityColour(1));
    EXPECT_EQ(report::differenceColour(0), "#DCDEE1");
    EXPECT_EQ(report::differenceColour(std::numeric_limits<double>::quiet_NaN()), "#DCDEE1");
    EXPECT_EQ(report::operatorColour("communication"), "#7A5AC8");
    EXPECT_EQ(report::operatorColour("no such class"), report::operatorColour("memory"));
}

/// Share of the picture's dots that carry ink.
double ink(const QPixmap& pixmap) {
    const QImage image = pixmap.toImage().convertToFormat(QImage::Format_ARGB32);
    double sum = 0;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x) sum += qAlpha(image.pixel(x, y)) / 255.0;
    return sum / image.width() / image.height();
}

TEST(Icons, areOneLineSetInTheColourOfTheText) {
    const QStringList names = theme().iconNames();
    EXPECT_GE(names.size(), 90);
    for (const QString& name : names) {
        QFile file(QStringLiteral(":/tessera/icons/%1.svg").arg(name));
        ASSERT_TRUE(file.open(QIODevice::ReadOnly));
        const QByteArray svg = file.readAll();
        EXPECT_TRUE(svg.contains("viewBox=\"0 0 24 24\"")) << name.toStdString();
        EXPECT_TRUE(svg.contains("stroke=\"currentColor\" stroke-width=\"1.5\"")) << name.toStdString();
        const double share = ink(theme().icon(name).pixmap(QSize(48, 48), 1.0));
        EXPECT_GT(share, 0.02) << name.toStdString();
        EXPECT_LT(share, 0.5) << name.toStdString();
    }
    EXPECT_TRUE(theme().icon(QStringLiteral("no-such-icon")).isNull());
    EXPECT_TRUE(theme().icon(QStringLiteral("../application")).isNull());
}

TEST(Icons, haveNoPictureOfNoSize) {
    static int warnings = 0;
    warnings = 0;
    const QtMessageHandler before =
        qInstallMessageHandler([](QtMsgType, const QMessageLogContext&, const QString&) { ++warnings; });
    const QPixmap picture = theme().icon(QStringLiteral("stop")).pixmap(QSize(0, 16), 1.0);
    qInstallMessageHandler(before);
    EXPECT_TRUE(picture.isNull());
    EXPECT_EQ(warnings, 0);
}

TEST(Icons, followTheThemeAndTheState) {
    const QIcon icon = theme().icon(QStringLiteral("stop"), "bad");
    const auto darkest = [&](QIcon::Mode mode) {
        const QImage image = icon.pixmap(QSize(24, 24), 1.0, mode).toImage().convertToFormat(QImage::Format_ARGB32);
        return QColor(image.pixelColor(6, 12).rgb()).name();
    };
    const QString light = darkest(QIcon::Normal);
    const QString grey = darkest(QIcon::Disabled);
    EXPECT_NE(light, grey);
    theme().apply(ThemeMode::dark);
    EXPECT_NE(darkest(QIcon::Normal), light);
    theme().apply(ThemeMode::light);
    EXPECT_EQ(darkest(QIcon::Normal), light);
    const QPixmap sharp = icon.pixmap(QSize(24, 24), 2.0);
    EXPECT_EQ(sharp.width(), 48);
    EXPECT_EQ(sharp.devicePixelRatio(), 2.0);
}

/// All icons with their names, for a person to look at.
class ContactSheet : public QWidget {
public:
    ContactSheet() {
        const int rows = static_cast<int>((theme().iconNames().size() + kColumns - 1) / kColumns);
        resize(kColumns * kCell, rows * kCell);
    }

protected:
    void paintEvent(QPaintEvent* /*event*/) override {
        QPainter painter(this);
        painter.fillRect(rect(), theme().colour("surface"));
        painter.setFont(theme().font(Theme::Text::caption));
        int place = 0;
        for (const QString& name : theme().iconNames()) {
            const QRect cell((place % kColumns) * kCell, (place / kColumns) * kCell, kCell, kCell);
            theme().icon(name).paint(&painter, QRect(cell.center().x() - 26, cell.y() + 16, 24, 24));
            theme().icon(name, "secondary").paint(&painter, QRect(cell.center().x() + 10, cell.y() + 20, 16, 16));
            painter.setPen(theme().colour("secondary"));
            painter.drawText(cell.adjusted(0, 48, 0, 0), Qt::AlignHCenter | Qt::AlignTop, name);
            ++place;
        }
    }

private:
    static constexpr int kColumns = 12;
    static constexpr int kCell = 84;
};

TEST(Icons, contactSheet) {
    for (const ThemeMode mode : {ThemeMode::light, ThemeMode::dark}) {
        theme().apply(mode);
        ContactSheet sheet;
        const QString name =
            QStringLiteral("icons-") + (theme().isDark() ? QStringLiteral("dark") : QStringLiteral("light"));
        EXPECT_GT(test::coloursIn(test::savePicture(sheet, name)), 20);
    }
    theme().apply(ThemeMode::light);
}

}  // namespace
}  // namespace tessera::ui
