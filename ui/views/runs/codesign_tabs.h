#pragma once

#include <memory>

#include "ui/models/codesign_run.h"
#include "ui/models/facts.h"
#include "ui/views/exportable.h"
#include "ui/views/runs/run_pages.h"

namespace tessera::ui {

class CodesignExplorer;

/// What a co-design search found: its architectures, how it went, and how each model runs on the chosen one.
class CodesignTabs : public RunPages {
    Q_OBJECT

public:
    explicit CodesignTabs(SharedCodesignChoice choice, QWidget* parent = nullptr);
    ~CodesignTabs() override;

    CodesignExplorer* explorer() const;  ///< null before it is seen
    /// The choice's row or pin changed.
    void showRow();
    QVector<Exportable> exportables() const;  ///< of what cannot be told from the run alone: brushed tables

signals:
    void rowChosen(int row);
    void pinRequested(int row);
    void modelChosen(int model);
    void othersWanted(const QVector<qint64>& runs);

private:
    struct Implementation;
    std::unique_ptr<Implementation> d_;
};

}  // namespace tessera::ui
