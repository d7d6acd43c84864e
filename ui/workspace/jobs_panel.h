#pragma once

#include <QMap>
#include <QScrollArea>
#include <QWidget>

class QVBoxLayout;

namespace tessera::ui {

class JobQueue;
class JobRow;

/// The Jobs dock: a row per running, waiting or finished job.
class JobsPanel : public QWidget {
    Q_OBJECT

public:
    static constexpr int kMaxFinished = 30;  ///< older finished jobs leave the list

    explicit JobsPanel(JobQueue& jobs, QWidget* parent = nullptr);
    int rows() const;

signals:
    void opened(int job);

private:
    void add(int job);
    void remove(int job);
    void trim();
    void updateEmptyHint();

    JobQueue* jobs_;
    QScrollArea* scroll_;
    QVBoxLayout* column_;
    QWidget* hint_;
    QMap<int, JobRow*> rows_;
};

}  // namespace tessera::ui
