#pragma once

#include <QDialog>
#include <QObject>

#include "ui/workspace/guide.h"

class QAction;

namespace tessera::ui {

class GuideDocument;

/// The guide in a window of its own beside a modal dialog, to read while that waits: its tabs of the window cannot be
/// used meanwhile. Closes with the dialog.
class GuideDialog : public QDialog {
    Q_OBJECT

public:
    explicit GuideDialog(QWidget& dialog);
    GuideDocument& guide() const { return *guide_; }

private:
    void standBeside(const QWidget& dialog);

    GuideDocument* guide_;
};

/// Answers the key of an action of help in modal dialogs, which the shortcuts of the window behind them do not reach.
class DialogHelp : public QObject {
    Q_OBJECT

public:
    explicit DialogHelp(QAction& help);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QAction& help_;
};

}  // namespace tessera::ui
