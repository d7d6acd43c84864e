#pragma once

#include <QWidget>
#include <memory>

#include "ui/jobs/run_state.h"

namespace tessera::ui {

/// A run that has no result (yet): what it is doing, how far, its convergence, what it said, or why it ended.
class RunProgress : public QWidget {
    Q_OBJECT

public:
    explicit RunProgress(QWidget* parent = nullptr);
    ~RunProgress() override;
    void setState(const RunState& state);

signals:
    void resumeRequested();
    void repeatRequested();
    void studyRequested();

private:
    struct Implementation;
    std::unique_ptr<Implementation> d_;
};

/// "3.2 s", "4 min 10 s", "2 h 5 min": a duration for people.
QString durationText(double seconds);

}  // namespace tessera::ui
