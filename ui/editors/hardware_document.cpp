#include "ui/editors/hardware_document.h"

namespace tessera::ui {

struct HardwareDocument::Implementation {
    QString key;
};

HardwareDocument::HardwareDocument(const QString& key, QWidget* parent)
    : Document(parent), d_(new Implementation{key}) {}
HardwareDocument::~HardwareDocument() = default;
QString HardwareDocument::key() const {
    return d_->key;
}
QString HardwareDocument::title() const {
    return d_->key;
}
QString HardwareDocument::iconName() const {
    return QStringLiteral("hardware");
}
QUndoStack* HardwareDocument::undoStack() {
    return nullptr;
}
bool HardwareDocument::isModified() const {
    return false;
}
bool HardwareDocument::save() {
    return false;
}
QVector<QAction*> HardwareDocument::documentActions() {
    return {};
}
QVector<Exportable> HardwareDocument::exportables() {
    return {};
}
QJsonObject HardwareDocument::saveView() const {
    return {};
}
void HardwareDocument::restoreView(const QJsonObject& /*view*/) {}

}  // namespace tessera::ui
