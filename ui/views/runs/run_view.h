#pragma once

#include <QJsonObject>
#include <QVector>
#include <QWidget>
#include <filesystem>
#include <memory>
#include <vector>

#include "ui/jobs/run_state.h"
#include "ui/models/facts.h"
#include "ui/views/exportable.h"

class QAction;
class QUndoStack;

namespace tessera::ui {

/// A finished run as its views are fed it.
struct FinishedRun {
    std::shared_ptr<const study::Result> result;
    std::shared_ptr<const std::vector<Curve>> curves;
    std::filesystem::path history;  ///< where its inputs are read when they are needed again
    store::RunId kept = 0;          ///< its number there; 0 = not kept
};

/// What the run of one engine is looked at in: headline, the big picture, tabs of details.
class RunView : public QWidget {
    Q_OBJECT

public:
    using QWidget::QWidget;

    virtual void showRun(const FinishedRun& run) = 0;
    /// Actions of the view beyond those that every run has.
    virtual QVector<QAction*> viewActions() const { return {}; }
    virtual QVector<Exportable> exportables() const = 0;
    virtual Exportable resultExport() const = 0;  ///< the output document
    virtual Exportable traceExport() const = 0;   ///< the timeline as a Chrome trace
    virtual QJsonObject saveView() const = 0;
    /// Unknown or wrong values are ignored. Only after `showRun`.
    virtual void restoreView(const QJsonObject& view) = 0;

signals:
    void inspected(const tessera::ui::Facts& facts);
    void messaged(const QString& sentence, const QString& place);
    void openRequested(const QString& kind, const QString& key);
    void runRequested(const QString& studyJson);
    /// The run's model, coloured by what was found at a split of a strategy.
    void modelRequested(const QString& strategy, int split);
};

/// A row of the table of views: an engine's results and what they are looked at in.
struct RunViewRow {
    bool (*isOf)(const study::Result& result);            ///< whether a result is of this engine
    bool (*hasSome)(const study::Result& result);         ///< something to look at; of this engine's alone
    RunView* (*make)(QUndoStack* undo, QWidget* parent);  ///< `undo` takes the view's commands
};
/// The first that a result is of counts; the last shows results of any engine by its catalogue.
const std::vector<RunViewRow>& runViews();
/// The row of a result; null where there is nothing to look at.
const RunViewRow* runViewOf(const study::Result& result);

}  // namespace tessera::ui
