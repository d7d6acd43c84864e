#pragma once

#include <QString>
#include <QStringList>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/study/estimate.h"
#include "ui/editors/editor_core.h"

/// Checks of a study's document: its estimate, and what is wrong with it.
namespace tessera::ui {

/// Summaries of a study's inputs, read on another thread.
struct StudyPreview {
    /// Summary or error of an input.
    struct Note {
        QString text;
        bool wrong = false;
    };
    study::Estimate estimate;
    /// Notes by list of inputs ("models"), for each input that was read.
    std::map<std::string, std::vector<Note>> notes;
    QStringList layers;                          ///< names of the weighted layers
    QStringList dimensions;                      ///< names of the dimensions that the model leaves open
    QStringList dataTypes;                       ///< that all of the hardware has a peak rate for
    std::map<std::string, QStringList> offered;  ///< by parameter: see study::Parameter::offered
};

/// Keeps what was read of inputs, so that editing a parameter does not read them again.
class StudyChecker {
public:
    CheckOutcome check(const Json& document, const std::string& file) const;
    /// The library changed: the fleet is read again by the next check.
    void forgetFleet() const;

private:
    struct Memory;
    std::shared_ptr<Memory> memory_ = makeMemory();
    static std::shared_ptr<Memory> makeMemory();
};

/// The names of a document's list of inputs.
QStringList inputsOf(const Json& document, const char* list);
/// The first name of a document's list of inputs ("models", "hardware"); empty where there is none.
QString firstInput(const Json& document, const char* list);

}  // namespace tessera::ui
