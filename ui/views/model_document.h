#pragma once

#include <memory>

#include "ui/views/document.h"

namespace tessera::ui {

/// A model: folded operator graph, tables of operators and layers, memory by class. Loads in the background.
/// `key` is MODEL as users name it: "zoo:resnet50" or a file.
class ModelDocument : public Document {
    Q_OBJECT

public:
    explicit ModelDocument(const QString& key, QWidget* parent = nullptr);
    ~ModelDocument() override;
    QString kind() const override { return QStringLiteral("model"); }
    QString key() const override;
    QString title() const override;
    QString iconName() const override { return QStringLiteral("model"); }
    QVector<QAction*> documentActions() override;
    QVector<Exportable> exportables() override;
    QJsonObject saveView() const override;
    void restoreView(const QJsonObject& view) override;

private:
    struct Implementation;
    std::unique_ptr<Implementation> d_;
};

}  // namespace tessera::ui
