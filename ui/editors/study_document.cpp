#include "ui/editors/study_document.h"

namespace tessera::ui {

struct StudyDocument::Implementation {
    QString key;
    study::Study study;
};

StudyDocument::StudyDocument(const QString& key, QWidget* parent) : Document(parent), d_(new Implementation{key, {}}) {}
StudyDocument::StudyDocument(const study::Study& study, const QString& key, QWidget* parent)
    : Document(parent), d_(new Implementation{key, study}) {}
StudyDocument::~StudyDocument() = default;
QString StudyDocument::key() const {
    return d_->key;
}
QString StudyDocument::title() const {
    return d_->key;
}
QUndoStack* StudyDocument::undoStack() {
    return nullptr;
}
bool StudyDocument::isModified() const {
    return false;
}
bool StudyDocument::save() {
    return false;
}
QVector<QAction*> StudyDocument::documentActions() {
    return {};
}
QJsonObject StudyDocument::saveView() const {
    return {};
}
void StudyDocument::restoreView(const QJsonObject& /*view*/) {}
study::Study StudyDocument::study() const {
    return d_->study;
}
void StudyDocument::setModel(const QString& /*model*/) {}
void StudyDocument::setHardware(const QString& /*hardware*/) {}
void StudyDocument::requestRun() {}

}  // namespace tessera::ui
