#pragma once

#include <memory>

#include "ui/models/mapping_run.h"
#include "ui/views/runs/run_frame.h"

namespace tessera::ui {

/// A finished mapping run: headline, algorithms, and tabs that begin with the schedule. One choice of algorithm and job
/// is shared by all its parts.
class MappingView : public RunFrame {
    Q_OBJECT

public:
    explicit MappingView(QUndoStack* undo, QWidget* parent = nullptr);
    ~MappingView() override;

    void showRun(const FinishedRun& run) override;
    const MappingRun& run() const;
    void chooseAlgorithm(int algorithm);
    void chooseJob(int job);  ///< -1 = none
    void setColour(study::JobColour colour);
    int algorithm() const;
    int job() const;

    QVector<Exportable> exportables() const override;
    Exportable resultExport() const override;
    Exportable traceExport() const override;
    QJsonObject saveView() const override;
    void restoreView(const QJsonObject& view) override;

protected:
    std::shared_ptr<const study::Result> shownResult() const override;

private:
    struct Implementation;
    std::unique_ptr<Implementation> d_;
};

}  // namespace tessera::ui
