#pragma once

#include <QLabel>

#include "ui/theme/theme.h"

namespace tessera::ui {

/// One grey sentence, in the middle of what is empty, that tells what to do.
class EmptyHint : public QLabel {
public:
    explicit EmptyHint(const QString& sentence, QWidget* parent = nullptr) : QLabel(sentence, parent) {
        setTextFormat(Qt::PlainText);
        setWordWrap(true);
        setAlignment(Qt::AlignCenter);
        setContentsMargins(theme().spacing(3), theme().spacing(3), theme().spacing(3), theme().spacing(3));
        const auto colour = [this] {
            QPalette palette = QLabel::palette();
            palette.setColor(QPalette::WindowText, theme().colour("secondary"));
            setPalette(palette);
        };
        colour();
        connect(&theme(), &Theme::changed, this, colour);
    }
};

}  // namespace tessera::ui
