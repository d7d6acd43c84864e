#include "ui/views/run_document.h"

namespace tessera::ui {

struct RunDocument::Implementation {
    QString key;
    RunState state;
};

RunDocument::RunDocument(const QString& key, QWidget* parent) : Document(parent), d_(new Implementation{key, {}}) {}
RunDocument::~RunDocument() = default;
QString RunDocument::key() const {
    return d_->key;
}
QString RunDocument::title() const {
    return d_->key;
}
QVector<QAction*> RunDocument::documentActions() {
    return {};
}
QVector<Exportable> RunDocument::exportables() {
    return {};
}
QJsonObject RunDocument::saveView() const {
    return {};
}
void RunDocument::restoreView(const QJsonObject& /*view*/) {}
void RunDocument::setState(const RunState& state) {
    d_->state = state;
}
const RunState& RunDocument::state() const {
    return d_->state;
}

}  // namespace tessera::ui
