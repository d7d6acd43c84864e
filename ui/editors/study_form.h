#pragma once

#include <QString>
#include <QStringList>
#include <QVector>
#include <memory>

#include "core/study/estimate.h"
#include "core/study/study.h"
#include "ui/editors/editor_core.h"
#include "ui/editors/field.h"
#include "ui/editors/list_editor.h"

/// From an engine's parameter table to rows of forms, and from a study's document to what is known of it.
namespace tessera::ui {

/// The parameter as a row of a form; lists of pairs have none.
std::optional<FieldRow> fieldOf(const study::Parameter& parameter);
/// The parameter as a table of names and values. `names` holds what the first column offers.
std::optional<ListSpec> listOf(const study::Parameter& parameter, const std::shared_ptr<const QStringList>& names);
QString labelOf(const study::Parameter& parameter);

/// What is known of a study's inputs, read on another thread.
struct StudyPreview {
    study::Estimate estimate;
    QString modelNote, hardwareNote;
    bool modelWrong = false, hardwareWrong = false;
    QStringList layers;     ///< names of the weighted layers
    QStringList dataTypes;  ///< that every group of the fleet has a peak rate for
};

/// Keeps what was read of inputs, so that editing a parameter does not read them again.
class StudyChecker {
public:
    CheckOutcome check(const Json& document, const std::string& file) const;

private:
    struct Facts;
    struct Memory;
    std::shared_ptr<Memory> memory_ = makeMemory();
    static std::shared_ptr<Memory> makeMemory();
};

/// The document of a study, without the parameters that are at their default.
Json studyDocument(const study::Study& study);

}  // namespace tessera::ui
