#pragma once

#include <QString>
#include <QVector>
#include <string>

#include "ui/editors/reference_picker.h"

namespace tessera::ui {

/// Library entries to choose from for a list of inputs ("models", "workloads", "hardware") of an engine. Reads the
/// library: call it off the UI thread.
QVector<ReferencePicker::Choice> choicesOf(const std::string& list, const std::string& engine);
/// A model that was used stands first the next time.
void rememberModel(const QString& model);

}  // namespace tessera::ui
