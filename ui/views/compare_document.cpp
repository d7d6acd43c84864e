#include "ui/views/compare_document.h"

namespace tessera::ui {

struct CompareDocument::Implementation {
    QString key;
};

CompareDocument::CompareDocument(const QString& key, QWidget* parent) : Document(parent), d_(new Implementation{key}) {}
CompareDocument::~CompareDocument() = default;
QString CompareDocument::key() const {
    return d_->key;
}
QString CompareDocument::title() const {
    return d_->key;
}
QVector<Exportable> CompareDocument::exportables() {
    return {};
}
QJsonObject CompareDocument::saveView() const {
    return {};
}
void CompareDocument::restoreView(const QJsonObject& /*view*/) {}
void CompareDocument::setRuns(const std::vector<RunState>& /*runs*/) {}

}  // namespace tessera::ui
