#pragma once

#include <QWidget>
#include <memory>

#include "ui/models/comparison_tables.h"

namespace tessera::ui {

/// The baseline's model and another run's as graphs side by side: what is gone, new and changed in colour, both moving
/// together; below, the same as a table.
class ModelComparison : public QWidget {
    Q_OBJECT

public:
    explicit ModelComparison(const QStringList& titles, QWidget* parent = nullptr);
    ~ModelComparison() override;

    void setDifferences(const std::shared_ptr<const ModelDifferences>& differences);
    /// Instead of graphs, one sentence.
    void setSentence(const QString& sentence);
    void showRun(int run);  ///< whose model stands at the right; ignored where it does not differ
    void chooseLayer(const QString& layer);

signals:
    void layerChosen(const QString& layer);

private:
    struct Implementation;
    std::unique_ptr<Implementation> d_;
};

}  // namespace tessera::ui
