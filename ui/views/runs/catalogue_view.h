#pragma once

#include <string>
#include <vector>

#include "core/report/catalogue.h"
#include "ui/views/runs/run_view.h"

namespace tessera::ui {

/// The page of a run of an engine that has no view of its own, made from the engine's catalogue alone: its headline, a
/// tab per picture, a tab per table, and where there are several strategies, algorithms or models, a choice of one.
class CatalogueView : public RunView {
    Q_OBJECT

public:
    explicit CatalogueView(QUndoStack* undo, QWidget* parent = nullptr);

    /// Looks at a strategy, algorithm or model; unknown ones are ignored.
    void choose(const QString& choice);
    QString choice() const { return QString::fromStdString(at_.choice); }

protected:
    void takeRun() override;
    QVector<Headline> headlines() const override;
    report::Selection selection() const override { return at_; }
    void chooseAmong(const QStringList& names) override;

private:
    void build();

    std::vector<std::string> choices_;
    report::Selection at_;
};

}  // namespace tessera::ui
