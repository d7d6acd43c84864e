#pragma once

#include <QFrame>

#include "ui/workspace/messages_panel.h"

class QLabel;
class QProgressBar;
class QToolButton;

namespace tessera::ui {

class ElidedLabel;
class JobQueue;

/// One line at the foot of the window for what the panes of jobs and messages hold: the run at work with its progress,
/// and the newest message. A click opens the pane.
class StatusLine : public QFrame {
    Q_OBJECT

public:
    StatusLine(JobQueue& jobs, const MessagesPanel& messages, QWidget* parent = nullptr);

    /// "ResNet-50 · 71 % · best 36.2 ms · about 2 s left", or that nothing is running.
    QString jobText() const;
    /// "2 messages · No such file.", or that there are none.
    QString messageText() const;
    /// Sets whether the panes are open, which the line's buttons show.
    void setOpen(bool jobs, bool messages);

signals:
    void jobsToggled();
    void messagesToggled();
    void jobOpened(int job);

private:
    QToolButton* button(const QString& icon, const QString& hint);
    void refresh();
    void refreshIcons();
    void showMessages();
    void togglePause();

    JobQueue* jobs_;
    const MessagesPanel* messages_;
    int job_ = 0;  ///< that is shown: the newest at work, else the newest of all
    QToolButton* jobsButton_;
    ElidedLabel* jobText_;
    QProgressBar* bar_;
    QToolButton *pause_, *stop_, *open_;
    ElidedLabel* messageText_;
    QToolButton* messagesButton_;
};

}  // namespace tessera::ui
