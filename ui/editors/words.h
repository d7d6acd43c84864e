#pragma once

#include <QCoreApplication>
#include <QString>
#include <string_view>

/// Visible texts of functions that belong to no class.
namespace tessera::ui::words {

inline QString tr(const char* text) {
    return QCoreApplication::translate("tessera::ui", text);
}

inline QString fromView(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

}  // namespace tessera::ui::words
