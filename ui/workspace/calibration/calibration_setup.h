#pragma once

#include <QWidget>
#include <memory>
#include <optional>

#include "ui/workspace/calibration/calibration_run.h"

namespace tessera::ui {

/// The first page of a calibration: for how long, for which model, and where it is kept.
class CalibrationSetup : public QWidget {
    Q_OBJECT

public:
    explicit CalibrationSetup(QWidget* parent = nullptr);
    ~CalibrationSetup() override;

    /// The order that was set up. Empty if something is wrong: the reason stands beside its field, which has the focus.
    std::optional<CalibrationOrder> order();
    /// Runs that are at work would be measured, too.
    void setRunsAtWork(int runs);
    /// Shows why the last attempt gave no result; `ofModel`: the model could not be read.
    void showProblem(const QString& sentence, bool ofModel);
    void clearProblem();
    /// The library changed: there are other models, and other names are taken.
    void offerChoices();
    void chooseModel(const QString& model);

private:
    struct Implementation;
    std::unique_ptr<Implementation> d_;
};

}  // namespace tessera::ui
