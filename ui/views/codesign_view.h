#pragma once

#include <memory>

#include "ui/models/codesign_run.h"
#include "ui/views/run_view.h"

namespace tessera::ui {

class CodesignTabs;

/// A finished co-design search: headline, models, and tabs that begin with its architectures. One choice of
/// architecture and model is shared by all its parts.
class CodesignView : public QWidget {
    Q_OBJECT

public:
    explicit CodesignView(QWidget* parent = nullptr);
    ~CodesignView() override;

    void showResult(std::shared_ptr<const codesign::Result> result, const QStringList& sentences = {});
    const CodesignRun& run() const;
    void chooseRow(int row);
    void pinRow(int row);  ///< -1 = none
    void chooseModel(int model);
    int row() const;
    int pinned() const;
    int model() const;
    CodesignTabs* tabs() const;

    QVector<Exportable> exportables() const;
    Exportable traceExport() const;
    QJsonObject saveView() const;
    void restoreView(const QJsonObject& view);

signals:
    void inspected(const tessera::ui::Facts& facts);
    void messaged(const QString& sentence, const QString& place);

private:
    struct Implementation;
    std::unique_ptr<Implementation> d_;
};

}  // namespace tessera::ui
