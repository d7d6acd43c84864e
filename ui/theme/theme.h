#pragma once

#include <QColor>
#include <QFont>
#include <QIcon>
#include <QObject>
#include <QString>
#include <string_view>

#include "core/report/theme.h"

/// The tokens of `resources/theme` for Qt: the only place that turns them into colours, fonts, spacing and icons.
namespace tessera::ui {

enum class ThemeMode { system, light, dark };

class Theme : public QObject {
    Q_OBJECT

public:
    /// The application's theme. Views read it while they paint and repaint on `changed`.
    static Theme& instance();

    /// Sets palette, style sheet and fonts of the whole application.
    void apply(ThemeMode mode);
    ThemeMode mode() const { return mode_; }
    bool isDark() const { return dark_; }
    report::ThemeKind kind() const { return dark_ ? report::ThemeKind::dark : report::ThemeKind::light; }

    QColor colour(std::string_view token) const;  ///< "window", "secondary", "accent", …
    /// A colour of a picture value: "#RRGGBB", or a token's name.
    QColor dataColour(std::string_view colourOrToken) const;
    QColor category(int index) const;  ///< the categories in their order, repeated

    int spacing(int steps = 1) const { return 4 * steps; }  ///< pixels; panels have 3 steps of padding
    int radius() const { return 6; }

    enum class Text { base, caption, panelTitle, headline };
    QFont font(Text role = Text::base, bool emphasis = false, bool tabularFigures = false) const;

    /// A line icon of `resources/icons` by its stem ("run", "pause", "model", …) in a token's colour; greyed when
    /// disabled, sharp at any scale, recoloured on a theme change when asked for again.
    QIcon icon(const QString& name, std::string_view token = "text") const;

signals:
    void changed();

private:
    Theme();
    ThemeMode mode_ = ThemeMode::system;
    bool dark_ = false;
};

inline Theme& theme() {
    return Theme::instance();
}

}  // namespace tessera::ui
