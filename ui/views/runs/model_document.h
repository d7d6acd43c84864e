#pragma once

#include <memory>

#include "core/study/result.h"
#include "ui/views/document.h"

namespace tessera::ui {

class GraphView;

/// A model: folded operator graph, tables of operators and layers, memory by class. Loads in the background.
/// `key` is MODEL as users name it: "zoo:resnet50" or a file.
class ModelDocument : public Document {
    Q_OBJECT

public:
    explicit ModelDocument(const QString& key, QWidget* parent = nullptr);
    ~ModelDocument() override;
    QString kind() const override { return QStringLiteral("model"); }
    QString title() const override;
    QString iconName() const override { return QStringLiteral("model"); }
    QVector<QAction*> documentActions() override;
    QVector<Exportable> exportables() override;
    QJsonObject saveView() const override;
    void restoreView(const QJsonObject& view) override;
    Facts overview() const override;
    bool showPlace(const QString& place) override;  ///< a sentence that names an operator in quotes

    /// Shows the graph coloured by what a run found: `split` of the plan of `strategy` (empty = the first).
    void setOverlay(const std::shared_ptr<const study::Result>& result, const QString& strategy = {}, int split = 0);
    bool isLoaded() const;    ///< the model has been read and its graph drawn
    QString problem() const;  ///< why it could not be read, a sentence; empty otherwise
    GraphView* graphView() const;

signals:
    void loaded();
    void failed(const QString& sentence);
    void overlayWanted();  ///< which run the graph is coloured by is to be asked

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Implementation;
    std::unique_ptr<Implementation> d_;
};

}  // namespace tessera::ui
