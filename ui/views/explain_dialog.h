#pragma once

#include <QWidget>

#include "core/study/explanation.h"

namespace tessera::ui {

/// "Explain this number": formula, inputs with units, source. Not modal; text can be selected and copied.
void showExplanation(const study::Explanation& explanation, QWidget& owner);

}  // namespace tessera::ui
