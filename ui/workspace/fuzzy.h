#pragma once

#include <QString>
#include <optional>

namespace tessera::ui {

/// Score of a typed text against a text: empty where its letters do not occur in this order, else higher is better.
/// Words may come in any order; starts of words, runs of letters and short texts count more. Case does not matter.
std::optional<int> fuzzyScore(const QString& typed, const QString& text);

}  // namespace tessera::ui
