#pragma once

#include <QLabel>

#include "ui/theme/theme.h"

namespace tessera::ui {

/// Label of plain text (never markup), in a size of letters and a tone ("secondary", "good", "warning", "bad", empty =
/// text) that follow the theme.
inline QLabel* textLabel(const QString& text, Theme::Text letters = Theme::Text::base, const QString& tone = {},
                         bool emphasis = false, bool wraps = false) {
    auto* label = new QLabel(text);
    label->setTextFormat(Qt::PlainText);
    label->setFont(theme().font(letters, emphasis));
    label->setWordWrap(wraps);
    if (!tone.isEmpty()) label->setProperty("tone", tone);
    return label;
}

}  // namespace tessera::ui
