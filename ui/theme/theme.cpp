#include "ui/theme/theme.h"

#include <QApplication>
#include <QDir>
#include <QEvent>
#include <QFile>
#include <QFontDatabase>
#include <QFontMetricsF>
#include <QPainter>
#include <QPalette>
#include <QPixmap>
#include <QPixmapCache>
#include <QStyle>
#include <QStyleFactory>
#include <QTimer>
#include <QTreeView>
#include <QWidget>
#include <algorithm>
#include <array>
#include <utility>

#include "core/draw/drawing.h"
#include "ui/theme/icon_engine.h"

static void loadResources() {
    Q_INIT_RESOURCE(tessera_resources);
}

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

QString toQt(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

struct PaletteRow {
    QPalette::ColorRole role;
    std::string_view token;
    std::string_view disabledToken;
};

constexpr std::array kPalette{
    PaletteRow{QPalette::Window, "window", "window"},
    PaletteRow{QPalette::WindowText, "text", "disabled"},
    PaletteRow{QPalette::Base, "surface", "window"},
    PaletteRow{QPalette::AlternateBase, "window", "window"},
    PaletteRow{QPalette::Text, "text", "disabled"},
    PaletteRow{QPalette::PlaceholderText, "secondary", "disabled"},
    PaletteRow{QPalette::Button, "raised", "window"},
    PaletteRow{QPalette::ButtonText, "text", "disabled"},
    PaletteRow{QPalette::BrightText, "bad", "disabled"},
    PaletteRow{QPalette::Highlight, "accent", "disabled"},
    PaletteRow{QPalette::HighlightedText, "on-accent", "window"},
    PaletteRow{QPalette::ToolTipBase, "raised", "raised"},
    PaletteRow{QPalette::ToolTipText, "text", "text"},
    PaletteRow{QPalette::Link, "accent", "disabled"},
    PaletteRow{QPalette::LinkVisited, "accent", "disabled"},
    PaletteRow{QPalette::Light, "raised", "raised"},
    PaletteRow{QPalette::Midlight, "grid-line", "grid-line"},
    PaletteRow{QPalette::Mid, "border", "border"},
    PaletteRow{QPalette::Dark, "control", "control"},
    PaletteRow{QPalette::Shadow, "control", "control"},
};

/// True where all digits are equally wide, so that columns of numbers line up.
bool hasTabularFigures(const QString& family) {
    QFont font(family);
    font.setPixelSize(100);
    const QFontMetricsF metrics(font);
    for (char digit = '1'; digit <= '9'; ++digit)
        if (metrics.horizontalAdvance(QLatin1Char(digit)) != metrics.horizontalAdvance(QLatin1Char('0'))) return false;
    return true;
}

/// The family itself, or the first installed one of common ones whose digits are equally wide.
QString tabularFamily(const QString& family) {
    if (hasTabularFigures(family)) return family;
    const QStringList installed = QFontDatabase::families();
    for (const char* other : {"Noto Sans", "Inter", "Liberation Sans", "DejaVu Sans", "Arial"})
        if (installed.contains(QLatin1String(other)) && hasTabularFigures(QLatin1String(other)))
            return QLatin1String(other);
    return QFontDatabase::systemFont(QFontDatabase::FixedFont).family();
}

bool isDarkPalette(const QPalette& palette) {
    return palette.color(QPalette::Window).lightness() < palette.color(QPalette::WindowText).lightness();
}

std::string_view fontToken(Theme::Text role) {
    constexpr std::array<std::string_view, 4> kNames{"base", "caption", "panel-title", "headline"};
    return kNames.at(static_cast<std::size_t>(role));
}

}  // namespace

Theme::Theme() {
    loadResources();
    family_ = QFontDatabase::systemFont(QFontDatabase::GeneralFont).family();
    tabularFamily_ = tabularFamily(family_);
    systemDark_ = isDarkPalette(QApplication::palette());
}

Theme& Theme::instance() {
    static Theme theme;
    return theme;
}

void Theme::apply(ThemeMode mode) {
    mode_ = mode;
    dark_ = mode == ThemeMode::dark || (mode == ThemeMode::system && systemDark_);
    applyNow();
}

void Theme::applyNow() {
    if (qApp == nullptr || applying_) return;
    applying_ = true;
    if (!std::exchange(installed_, true)) {
        QApplication::setStyle(QStyleFactory::create(u"Fusion"_s));
        QApplication::setWindowIcon(applicationIcon());
        qApp->installEventFilter(this);
    }
    QPalette palette;
    for (const PaletteRow& row : kPalette) {
        palette.setColor(row.role, colour(row.token));
        palette.setColor(QPalette::Disabled, row.role, colour(row.disabledToken));
    }
    QApplication::setPalette(palette);
    QApplication::setFont(font());
    qApp->setStyleSheet(styleSheet());
    QPixmapCache::clear();
    applying_ = false;
    emit changed();
}

QString Theme::styleSheet() const {
    QFile file(u":/tessera/style.qss"_s);
    if (!file.open(QIODevice::ReadOnly)) return {};
    QString text = QString::fromUtf8(file.readAll());
    text.replace(u"@images"_s, u":/tessera/style/"_s + (dark_ ? u"dark"_s : u"light"_s));
    // Longer names first: "@accent-hover" contains "@accent".
    QVector<std::pair<QString, QString>> values;
    for (const report::Token& token : report::kTokens)
        values.append({QLatin1Char('@') + toQt(token.name), toQt(dark_ ? token.dark : token.light)});
    for (const report::Length& length : report::kSizes)
        values.append({QLatin1Char('@') + toQt(length.name), QString::number(length.pixels)});
    for (const report::Length& length : report::kFontSizes)
        values.append({u"@font-"_s + toQt(length.name), QString::number(length.pixels)});
    std::sort(values.begin(), values.end(),
              [](const auto& one, const auto& other) { return one.first.size() > other.first.size(); });
    for (const auto& [name, value] : values) text.replace(name, value);
    return text;
}

bool Theme::eventFilter(QObject* watched, QEvent* event) {
    const bool systemChanged =
        event->type() == QEvent::ApplicationPaletteChange || event->type() == QEvent::ThemeChange;
    if (systemChanged && !applying_ && watched == qApp) {
        // Ours was set by `apply`, so what differs from it comes from the platform.
        const bool dark = isDarkPalette(QApplication::palette());
        if (QApplication::palette().color(QPalette::Window) != colour("window") && dark != systemDark_) {
            systemDark_ = dark;
            if (mode_ == ThemeMode::system) apply(mode_);
        }
    }
    // Rows that a tree measured before it had its style would keep the wrong height.
    if (event->type() == QEvent::Polish)
        if (auto* tree = qobject_cast<QTreeView*>(watched))
            QTimer::singleShot(0, tree, [tree] { tree->doItemsLayout(); });
    return QObject::eventFilter(watched, event);
}

QColor Theme::colour(std::string_view token) const {
    for (const report::Token& row : report::kTokens)
        if (row.name == token) return {toQt(dark_ ? row.dark : row.light)};
    return {};
}

QColor Theme::dataColour(std::string_view colourOrToken) const {
    return colourOrToken.starts_with('#') ? QColor(toQt(colourOrToken)) : colour(colourOrToken);
}

QColor Theme::category(int index) const {
    return dataColour(report::kCategories.at(static_cast<std::size_t>(index) % report::kCategories.size()));
}

QColor Theme::quantityColour(double share) const {
    return dataColour(report::quantityColour(share));
}

QColor Theme::differenceColour(double share) const {
    return dataColour(report::differenceColour(share));
}

QColor Theme::textOn(const QColor& background) const {
    return dataColour(report::lettersOn(background.name().toStdString()));
}

QFont Theme::font(Text role, bool emphasis, bool tabularFigures) const {
    QFont font(tabularFigures ? tabularFamily_ : family_);
    font.setPixelSize(report::sizeOf(fontToken(role)));
    if (emphasis) font.setWeight(QFont::DemiBold);
    return font;
}

QIcon Theme::icon(const QString& name, std::string_view token) const {
    if (name.contains(QLatin1Char('/')) || !QFile::exists(u":/tessera/icons/%1.svg"_s.arg(name))) return {};
    return QIcon(new LineIconEngine(name, token));
}

QStringList Theme::iconNames() const {
    QStringList names;
    for (const QString& file : QDir(u":/tessera/icons"_s).entryList(QDir::Files, QDir::Name))
        names.append(file.chopped(4));
    return names;
}

QIcon Theme::applicationIcon() const {
    return QIcon(u":/tessera/application.svg"_s);
}

QIcon dotIcon(const QColor& colour) {
    constexpr int kSize = 16;
    constexpr double kMargin = kSize / 5.0;
    QIcon icon;
    for (const int scale : {1, 2, 3}) {
        QPixmap picture(kSize * scale, kSize * scale);
        picture.setDevicePixelRatio(scale);
        picture.fill(Qt::transparent);
        QPainter painter(&picture);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(colour);
        painter.drawEllipse(QRectF(kMargin, kMargin, kSize - 2 * kMargin, kSize - 2 * kMargin));
        painter.end();
        icon.addPixmap(picture);
    }
    return icon;
}

void setLook(QWidget& widget, const char* property, const QVariant& value) {
    widget.setProperty(property, value);
    widget.style()->unpolish(&widget);
    widget.style()->polish(&widget);
    widget.update();
}

}  // namespace tessera::ui
