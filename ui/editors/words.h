#pragma once

#include <QCoreApplication>
#include <QString>
#include <string_view>

#include "core/base/units.h"

/// Visible texts of functions that belong to no class.
namespace tessera::ui::words {

inline QString tr(const char* text) {
    return QCoreApplication::translate("tessera::ui", text);
}

inline QString fromView(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

/// "1 group", "2 groups".
inline QString counted(double count, const char* one, const char* many) {
    return QStringLiteral("%1 %2").arg(QString::fromStdString(formatCount(count)), tr(count == 1 ? one : many));
}

}  // namespace tessera::ui::words
