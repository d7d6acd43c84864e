#pragma once

#include <memory>
#include <vector>

#include "core/store/store.h"
#include "core/study/run_points.h"
#include "ui/views/document.h"

namespace tessera::ui {

class Workbench;

/// Runs of the history as points: what their studies differ in against what came of them. `key` is the runs' numbers:
/// "12,15,16", or that of one run of a sweep, which stands for all of it.
class PointsDocument : public Document {
    Q_OBJECT

public:
    explicit PointsDocument(const QString& key, QWidget* parent = nullptr);
    ~PointsDocument() override;
    QString kind() const override { return QStringLiteral("points"); }
    QString title() const override;
    QString iconName() const override { return QStringLiteral("chart"); }
    QUndoStack* undoStack() override;
    QVector<Exportable> exportables() override;
    QJsonObject saveView() const override;
    void restoreView(const QJsonObject& view) override;

    /// Runs and their numbers; in the order in which they were to be run where they are a sweep's.
    struct Runs {
        std::vector<study::RunPoint> points;
        std::vector<store::RunId> numbers;
        QString name;  ///< of the sweep; empty = they are none
    };
    void setRuns(const Runs& runs);
    Workbench* bench() const;

private:
    struct Implementation;
    std::unique_ptr<Implementation> d_;
};

}  // namespace tessera::ui
