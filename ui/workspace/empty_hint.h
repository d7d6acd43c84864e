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
        setLook(*this, "tone", "secondary");
    }
};

}  // namespace tessera::ui
