#include "ui/views/report_document.h"

namespace tessera::ui {

struct ReportDocument::Implementation {
    QString key;
};

ReportDocument::ReportDocument(const QString& key, QWidget* parent) : Document(parent), d_(new Implementation{key}) {}
ReportDocument::~ReportDocument() = default;
QString ReportDocument::key() const {
    return d_->key;
}
QString ReportDocument::title() const {
    return d_->key;
}
QVector<QAction*> ReportDocument::documentActions() {
    return {};
}
QJsonObject ReportDocument::saveView() const {
    return {};
}
void ReportDocument::restoreView(const QJsonObject& /*view*/) {}
void ReportDocument::setRuns(const std::vector<RunState>& /*runs*/) {}

}  // namespace tessera::ui
