#include "ui/views/model_document.h"

namespace tessera::ui {

struct ModelDocument::Implementation {
    QString key;
};

ModelDocument::ModelDocument(const QString& key, QWidget* parent) : Document(parent), d_(new Implementation{key}) {}
ModelDocument::~ModelDocument() = default;
QString ModelDocument::key() const {
    return d_->key;
}
QString ModelDocument::title() const {
    return d_->key;
}
QVector<QAction*> ModelDocument::documentActions() {
    return {};
}
QVector<Exportable> ModelDocument::exportables() {
    return {};
}
QJsonObject ModelDocument::saveView() const {
    return {};
}
void ModelDocument::restoreView(const QJsonObject& /*view*/) {}

}  // namespace tessera::ui
