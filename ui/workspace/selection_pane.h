#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QPointer>

class QDockWidget;
class QWidget;

namespace tessera::ui {

/// Opens a pane when the user selects something, unless the user has closed it. What a page selects by itself while it
/// fills opens nothing.
class SelectionPane : public QObject {
    Q_OBJECT

public:
    explicit SelectionPane(QDockWidget& dock);

    /// Something was selected in a part of the window.
    void selectedIn(const QWidget& part);
    /// True once the user has closed the pane; selections then no longer open it.
    bool isDismissed() const { return dismissed_; }
    void setDismissed(bool dismissed) { dismissed_ = dismissed; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    bool answersSomebodyIn(const QWidget& part) const;

    QDockWidget* dock_;
    bool dismissed_ = false;
    QPointer<QWidget> touched_;  ///< by mouse or keyboard, last
    QElapsedTimer since_;
};

}  // namespace tessera::ui
