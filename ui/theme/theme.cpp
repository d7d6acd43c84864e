#include "ui/theme/theme.h"

namespace tessera::ui {

Theme::Theme() = default;

Theme& Theme::instance() {
    static Theme theme;
    return theme;
}

void Theme::apply(ThemeMode mode) {
    mode_ = mode;
    dark_ = mode == ThemeMode::dark;
    emit changed();
}

QColor Theme::colour(std::string_view token) const {
    for (const report::Token& row : report::kTokens)
        if (row.name == token) {
            const std::string_view text = dark_ ? row.dark : row.light;
            return {QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()))};
        }
    return {};
}

QColor Theme::dataColour(std::string_view colourOrToken) const {
    if (colourOrToken.starts_with('#'))
        return {QString::fromUtf8(colourOrToken.data(), static_cast<qsizetype>(colourOrToken.size()))};
    return colour(colourOrToken);
}

QColor Theme::category(int index) const {
    return dataColour(report::kCategories.at(static_cast<std::size_t>(index) % report::kCategories.size()));
}

QFont Theme::font(Text /*role*/, bool /*emphasis*/, bool /*tabularFigures*/) const {
    return {};
}

QIcon Theme::icon(const QString& /*name*/, std::string_view /*token*/) const {
    return {};
}

}  // namespace tessera::ui
