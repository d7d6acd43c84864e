#include "core/calibrate/calibrate.h"
#include "ui/views/document.h"
#include "ui/workspace/calibration/calibration_dialog.h"
#include "ui/workspace/library_watcher.h"
#include "ui/workspace/questions.h"
#include "ui/workspace/window/main_window_parts.h"

namespace tessera::ui {

void MainWindow::Implementation::openCalibration() {
    if (!calibration) {
        calibration = new CalibrationDialog(options.calibrator ? options.calibrator : calibrate::calibrate, &window);
        calibration->setAttribute(Qt::WA_DeleteOnClose);
        QObject::connect(calibration, &CalibrationDialog::openRequested, context.get(),
                         [this](const QString& kind, const QString& key) { openCalibrated(kind, key); });
        QObject::connect(calibration, &CalibrationDialog::written, context.get(), [this](const QString& key) {
            watcher->refresh();
            say(MessagesPanel::Tone::information, tr("This machine was calibrated: it is an accelerator now."),
                QStringLiteral("hardware"), key);
        });
        showRunsAtWork();
        // Asked for from the page of a model, it is probably about this one.
        if (const Document* document = area->current();
            document != nullptr && document->kind() == QLatin1String("model"))
            calibration->chooseModel(document->key());
    }
    calibration->show();
    calibration->raise();
    calibration->activateWindow();
}

/// What waits begins soon, what is paused does not disturb.
void MainWindow::Implementation::showRunsAtWork() {
    if (!calibration) return;
    int runs = 0;
    for (const int job : jobs->jobs()) {
        const store::RunStatus status = jobs->state(job).status;
        runs += status == store::RunStatus::running || status == store::RunStatus::queued ? 1 : 0;
    }
    calibration->setRunsAtWork(runs);
}

/// An accelerator that is looked at already, and was measured again since, is read again.
void MainWindow::Implementation::openCalibrated(const QString& kind, const QString& key) {
    Document* present = area->find(kind, key);
    if (present != nullptr && kind == QLatin1String("hardware") && !present->isModified()) area->close(present);
    open(kind, key);
    window.activateWindow();
}

bool MainWindow::Implementation::askAboutCalibration() {
    if (!calibration || (!calibration->isMeasuring() && !calibration->isUnkept())) return false;
    const bool measuring = calibration->isMeasuring();
    asker().ask(window,
                {.title = tr("Close Tessera"),
                 .sentence = measuring ? tr("This machine is being measured. Nothing is kept of a measurement that "
                                            "ends early.")
                                       : tr("The calibration of this machine could not be written to its place, and "
                                            "is lost when Tessera closes."),
                 .answers = {measuring ? tr("Close and stop measuring") : tr("Close and lose it"), tr("Keep working")},
                 .escape = 1},
                [this](int answer) {
                    if (answer != 0) return;
                    calibrationConfirmed = true;
                    closeSoon();
                });
    return true;
}

}  // namespace tessera::ui
