#pragma once

#include <QSet>
#include <QString>
#include <QStringList>
#include <QVector>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/run_control.h"
#include "core/report/validation_pictures.h"
#include "core/study/measured_validation.h"
#include "ui/models/facts.h"
#include "ui/models/table_model.h"

/// Predictions beside measurements, as the window looks at them.
namespace tessera::ui {

/// Measured rows with their predictions, and the words by which a filter finds them. Never changes once it is made.
struct ValidationData {
    study::MeasuredValidation result;
    std::vector<report::ValidationQuantity> quantities;
    std::vector<int> quantity;   ///< by row: the place in `quantities`
    std::vector<QString> words;  ///< by row: what a filter looks at, in lower case

    const physical::Validation& validation() const { return result.validation; }
    const physical::ValidationRow& row(std::size_t index) const { return result.validation.rows.at(index); }
};
using SharedValidation = std::shared_ptr<const ValidationData>;

/// Predicts the bundled rows, or those of a file. Throws FileError, DataError, UsageError and InterruptedError.
SharedValidation makeValidation(const QString& file, const RunControl& control);

/// What the page shows of a validation: a quantity, the sets and the filter, and the rows that follow from these.
struct ValidationChoice {
    SharedValidation data = {};
    int quantity = 0;
    QSet<QString> hiddenSets = {};
    QString filter = {};
    std::vector<std::size_t> rows = {};   ///< of the quantity, its shown sets and the filter; the largest error first
    std::optional<std::size_t> row = {};  ///< the one that is looked at
    /// Errors of a set in the quantity.
    struct Set {
        QString name;
        physical::ErrorSummary errors;
    };
    std::vector<Set> sets = {};  ///< that have rows of the quantity, hidden ones too, in the order of the tables

    bool isEmpty() const { return data == nullptr || data->quantities.empty(); }
    const report::ValidationQuantity& shownQuantity() const {
        return data->quantities.at(static_cast<std::size_t>(quantity));
    }
};
using SharedValidationChoice = std::shared_ptr<ValidationChoice>;

/// Finds the rows and sets of the choice again after anything else of it changed.
void refreshRows(ValidationChoice& choice);
/// The place of a row among those shown; -1 = it is not.
int placeOf(const ValidationChoice& choice, std::size_t row);

TableModel* validationSetModel(const SharedValidationChoice& choice, QObject* parent);
TableModel* validationRowModel(const SharedValidationChoice& choice, QObject* parent);

/// A prediction explained: what was measured and predicted, the configuration, what was assumed, and the source.
Facts validationRowFacts(const ValidationData& data, std::size_t row);
/// A set: its errors, those of peers, and why rows are refused.
Facts validationSetFacts(const ValidationData& data, const QString& set);
/// All of it.
Facts validationOverview(const ValidationData& data);

}  // namespace tessera::ui
