#pragma once

#include <memory>

#include "ui/models/codesign_run.h"
#include "ui/views/runs/run_frame.h"

namespace tessera::ui {

class CodesignTabs;

/// A finished co-design search: headline, models, and tabs that begin with its architectures. One choice of
/// architecture and model is shared by all its parts.
class CodesignView : public RunFrame {
    Q_OBJECT

public:
    explicit CodesignView(QUndoStack* undo, QWidget* parent = nullptr);
    ~CodesignView() override;

    void showRun(const FinishedRun& run) override;
    const CodesignRun& run() const;
    void chooseRow(int row);
    void pinRow(int row);  ///< -1 = none
    void chooseModel(int model);
    int row() const;
    int pinned() const;
    int model() const;
    CodesignTabs* tabs() const;

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
