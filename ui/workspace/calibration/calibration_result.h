#pragma once

#include <QWidget>
#include <memory>

#include "ui/workspace/calibration/calibration_run.h"

class QLabel;
class QTabWidget;

namespace tessera::ui {

class HeadlineBar;
class MessageBar;
class TableModel;

/// The last page of a calibration: what was measured, how far it is to be relied on, and where it is kept.
class CalibrationResult : public QWidget {
    Q_OBJECT

public:
    explicit CalibrationResult(QWidget* parent = nullptr);
    void setCalibration(const std::shared_ptr<const calibrate::Calibration>& made);
    void showWritten(const calibrate::Files& files);
    void showNotWritten(const QString& problem);

signals:
    void placeRequested();  ///< to keep what could not be written

private:
    QString counts() const;

    std::shared_ptr<const calibrate::Calibration> made_;
    std::vector<calibrate::Rate> rates_;
    HeadlineBar* headlines_;
    MessageBar *verdict_, *trouble_;
    QLabel *warnings_, *counts_, *place_;
    QTabWidget* tabs_;
    TableModel *rateModel_, *kernelModel_;
};

}  // namespace tessera::ui
