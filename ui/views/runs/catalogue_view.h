#pragma once

#include <memory>

#include "ui/views/runs/run_frame.h"

namespace tessera::ui {

/// The page of a run of an engine that has no view of its own, made from the engine's catalogue alone: its headline, a
/// tab per picture, a tab per table, and where there are several strategies, algorithms or models, a choice of one.
class CatalogueView : public RunFrame {
    Q_OBJECT

public:
    explicit CatalogueView(QUndoStack* undo, QWidget* parent = nullptr);
    ~CatalogueView() override;

    void showRun(const FinishedRun& run) override;
    /// Looks at a strategy, algorithm or model; unknown ones are ignored.
    void choose(const QString& choice);
    QString choice() const;
    RunPages* pages() const;

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
