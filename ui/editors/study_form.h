#pragma once

#include <QString>
#include <QStringList>
#include <QVector>
#include <memory>
#include <string>
#include <vector>

#include "core/study/study.h"
#include "ui/editors/edited_json.h"
#include "ui/editors/field.h"
#include "ui/editors/list_editor.h"

/// Rows of forms from an engine's parameter table.
namespace tessera::ui {

/// A list of a study's inputs as an engine takes it.
struct InputSlot {
    const char* list;         ///< "models"
    QString label;            ///< "Model"
    QString hint;             ///< what to type: "A network of the zoo, or a file"
    QString filter;           ///< of a file dialog
    QString ask;              ///< what is said while there is none: "Choose a model."
    bool needed = true;       ///< the study cannot run without
    bool several = false;     ///< takes as many as there are
    QString another = {};     ///< of the button for one more: "Add a model"
    std::string folder = {};  ///< of the library, whose files are offered by their names
};
/// The lists that an engine takes, in the order of the form. Throws UsageError.
std::vector<InputSlot> inputSlots(const std::string& engine);

/// The parameter as a row of a form; lists of pairs have none.
std::optional<FieldRow> fieldOf(const study::Parameter& parameter);
/// The parameter as a table of names and values. `names` holds what the first column offers.
std::optional<ListSpec> listOf(const study::Parameter& parameter, const std::shared_ptr<const QStringList>& names);
QString labelOf(const study::Parameter& parameter);

/// The rows in which the dimensions that a model leaves open get their sizes; also those that only the study names, so
/// that they can be taken away.
QVector<FieldRow> dimensionRows(const Json& document, const QStringList& open);
/// The row of the study's seed.
FieldRow seedRow();

/// The document of a study, without the parameters that are at their default.
Json studyDocument(const study::Study& study);

}  // namespace tessera::ui
