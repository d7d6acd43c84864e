#pragma once

#include <QApplication>

#include "ui/theme/theme.h"

namespace tessera::ui {

/// The application that widgets of a benchmark live in; once a program.
inline void makeApplication() {
    if (QApplication::instance() != nullptr) return;
    static int count = 1;
    static char name[] = "bench";
    static char* arguments[] = {name, nullptr};
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    new QApplication(count, arguments);  // lives as long as the program
    theme().apply(ThemeMode::light);
}

}  // namespace tessera::ui
