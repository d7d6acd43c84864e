#pragma once

#include <QColor>
#include <QFont>
#include <QIcon>
#include <QObject>
#include <QString>
#include <string_view>

#include "core/draw/theme.h"

/// The tokens of `resources/theme` for Qt: the only place that turns them into colours, fonts, spacing and icons.
namespace tessera::ui {

enum class ThemeMode { system, light, dark };

/// Grounds, letters and tones that the style sheet knows are chosen by properties of a widget: see `setLook`.
class Theme : public QObject {
    Q_OBJECT

public:
    /// The application's theme. Views read it while they paint and repaint on `changed`.
    static Theme& instance();

    /// Sets palette, style sheet and fonts of the whole application. `system` follows the platform's palette, also
    /// when that changes later.
    void apply(ThemeMode mode);
    ThemeMode mode() const { return mode_; }
    bool isDark() const { return dark_; }
    report::ThemeKind kind() const { return dark_ ? report::ThemeKind::dark : report::ThemeKind::light; }

    QColor colour(std::string_view token) const;  ///< "window", "secondary", "accent", …; invalid for an unknown one
    /// A colour of a picture value: "#RRGGBB", or a token's name.
    QColor dataColour(std::string_view colourOrToken) const;
    QColor category(int index) const;               ///< the categories in their order, repeated
    QColor quantityColour(double share) const;      ///< 0 = nothing, 1 = most
    QColor differenceColour(double share) const;    ///< -1 = worse, 0 = the same, 1 = better
    QColor textOn(const QColor& background) const;  ///< the theme's darkest or lightest text, whichever reads better

    int spacing(int steps = 1) const { return report::sizeOf("spacing") * steps; }  ///< pixels; panels: 3 steps
    int radius() const { return report::sizeOf("radius"); }
    int size(std::string_view token) const { return report::sizeOf(token); }  ///< "row", "icon", "lane", … in pixels

    enum class Text { base, caption, panelTitle, headline };
    QFont font(Text role = Text::base, bool emphasis = false, bool tabularFigures = false) const;

    /// A line icon of `resources/icons` by its stem ("run", "pause", "model", …) in a token's colour; greyed when
    /// disabled, sharp at any scale, recoloured by itself on a theme change. Null for an unknown name.
    QIcon icon(const QString& name, std::string_view token = "text") const;
    /// The stems of all icons, sorted.
    QStringList iconNames() const;
    /// The application's own icon.
    QIcon applicationIcon() const;

    /// The style sheet with all tokens filled in.
    QString styleSheet() const;

signals:
    void changed();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    Theme();
    void applyNow();

    ThemeMode mode_ = ThemeMode::system;
    bool dark_ = false;
    bool systemDark_ = false;  ///< as the platform's palette was before ours replaced it
    bool applying_ = false;
    bool installed_ = false;
    QString family_;         ///< the platform's font for the interface
    QString tabularFamily_;  ///< the same where its digits are all of one width
};

inline Theme& theme() {
    return Theme::instance();
}

/// A dot in a colour of data, for buttons and menus that stand for a strategy, a type or a run.
QIcon dotIcon(const QColor& colour);

/// Sets a property that the style sheet selects by ("ground" to "surface", "tone" to "secondary", "letters" to
/// "caption", "emphasis" to "primary", "wrong" to true) and has the widget drawn anew by it.
void setLook(QWidget& widget, const char* property, const QVariant& value);

/// A box layout of a widget without margins; `spacing` in pixels between its items, -1 = the style's.
template <typename Layout>
Layout* bareLayout(QWidget* widget, int spacing = -1) {
    auto* layout = new Layout(widget);
    layout->setContentsMargins(0, 0, 0, 0);
    if (spacing >= 0) layout->setSpacing(spacing);
    return layout;
}
/// A box layout within another one.
template <typename Layout>
Layout* bareLayout(int spacing) {
    auto* layout = new Layout;
    layout->setSpacing(spacing);
    return layout;
}

}  // namespace tessera::ui
