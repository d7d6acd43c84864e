#pragma once

#include <QString>
#include <QWidget>
#include <memory>
#include <stop_token>

#include "core/study/plan/outcome.h"
#include "ui/views/runs/run_view.h"

class QLabel;
class QLineEdit;

namespace tessera::ui {

class ChartPane;

/// "Why not …?": a configuration is typed, and what breaks or what it costs is said, beside the best of a plan. Works
/// off the UI thread; a new question gives up the one before.
class PlanQuestion : public QWidget {
    Q_OBJECT

public:
    explicit PlanQuestion(QWidget* parent = nullptr);
    ~PlanQuestion() override;

    /// Shows a run, with the answer that its study asks for, if any.
    void setRun(const FinishedRun& run);
    void ask(const QString& configuration);
    QString question() const;
    QString answer() const;  ///< empty while it is worked on
    ChartPane* chart() const { return chart_; }

private:
    const study::PlanOutcome& outcome() const;
    void show(const study::PlanAnswer& answer);
    void say(const QStringList& lines, const QString& tone);
    void showHint();
    void giveUp();

    FinishedRun run_;
    std::stop_source asking_;
    QLineEdit* field_;
    QLabel* answer_;
    ChartPane* chart_;
};

}  // namespace tessera::ui
