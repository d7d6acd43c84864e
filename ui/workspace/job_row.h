#pragma once

#include <QFrame>

class QLabel;
class QProgressBar;
class QToolButton;

namespace tessera::ui {

class ElidedLabel;
class JobQueue;
struct RunState;

/// One job: what it is, how far, how fast, how good, how long still; pause, resume, stop, cancel.
class JobRow : public QFrame {
    Q_OBJECT

public:
    JobRow(JobQueue& jobs, int job, QWidget* parent = nullptr);
    void refresh();
    /// "71 % · 612/s · best 36.2 ms · 2 s left", from the state alone.
    static QString factsOf(const RunState& state);
    /// A bar as far as a run is; one without a known end moves by itself, but only while work is done.
    static void showProgress(QProgressBar& bar, const RunState& state);

signals:
    void opened(int job);

protected:
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QToolButton* button(const QString& icon, const QString& text);
    void refreshIcons();
    void togglePause();

    JobQueue* jobs_;
    int job_;
    QLabel* status_;
    ElidedLabel* title_;
    QProgressBar* bar_;
    ElidedLabel* facts_;
    QToolButton *pause_, *stop_, *cancel_, *open_, *forget_;
    QString shownIcon_;
};

}  // namespace tessera::ui
