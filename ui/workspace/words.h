#pragma once

#include <QString>
#include <QStringList>
#include <cstdint>

#include "core/store/store.h"

namespace tessera::ui {

/// "just now", "5 min ago", "yesterday 14:02", "12 Mar", "12 Mar 2025". Milliseconds since 1970.
QString momentText(std::int64_t milliseconds);
/// "Running", "Done", …
QString statusText(store::RunStatus status);
/// Of `theme().icon`.
QString statusIcon(store::RunStatus status);
/// The colour token that goes with a status; never the only sign of it.
std::string_view statusToken(store::RunStatus status);
/// "a, b and 3 more": the first `most` names, and how many are left.
QString firstNames(const QStringList& names, qsizetype most);
/// Text of a stranger: one line, at most 256 bytes.
QString shown(const std::string& text);

}  // namespace tessera::ui
