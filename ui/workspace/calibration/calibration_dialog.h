#pragma once

#include <QDialog>
#include <memory>

#include "ui/workspace/calibration/calibration_run.h"

namespace tessera::ui {

/// Makes an accelerator of this machine: set up, measure, look at the result. Not modal; where it is closed while it
/// measures, or with a result that could not be kept, it asks first.
class CalibrationDialog : public QDialog {
    Q_OBJECT

public:
    explicit CalibrationDialog(CalibrationRun::Calibrator calibrator, QWidget* parent = nullptr);
    ~CalibrationDialog() override;

    bool isMeasuring() const;
    bool isUnkept() const;  ///< there is a result that could not be written
    void setRunsAtWork(int runs);
    /// The library changed.
    void offerChoices();
    void chooseModel(const QString& model);
    void reject() override;

signals:
    /// Emitted with the accelerator's key when it was written.
    void written(const QString& key);
    void openRequested(const QString& kind, const QString& key);

private:
    struct Implementation;
    std::unique_ptr<Implementation> d_;
};

}  // namespace tessera::ui
