#pragma once

#include <QString>
#include <QStringList>
#include <cstdint>
#include <string>

namespace tessera::ui {

/// "just now", "5 min ago", "yesterday 14:02", "12 Mar", "12 Mar 2025". Milliseconds since 1970.
QString momentText(std::int64_t milliseconds);
/// "Partition", "Co-design": an engine by its id in files; the id itself where it is not known.
QString engineText(const std::string& engine);
/// "a, b and 3 more": the first `max` names, and how many are left.
QString firstNames(const QStringList& names, qsizetype max);
/// Text of a stranger: one line, at most 256 bytes.
QString shown(const std::string& text);

}  // namespace tessera::ui
