#include "ui/views/table_view.h"

#include <QTableView>
#include <QVBoxLayout>

namespace tessera::ui {

struct TableView::Implementation {
    TableModel* model = nullptr;
    QTableView* view = nullptr;
};

TableView::TableView(TableModel* model, const QString& name, QWidget* parent)
    : QWidget(parent), d_(new Implementation{model, new QTableView(this)}) {
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(d_->view);
    d_->view->setModel(model);
    d_->view->setAccessibleName(name);
}
TableView::~TableView() = default;
QTableView* TableView::view() const {
    return d_->view;
}
int TableView::currentRow() const {
    return d_->view->currentIndex().row();
}
void TableView::setCurrentRow(int row) {
    d_->view->selectRow(row);
}
QVector<int> TableView::selectedRows() const {
    return {};
}
void TableView::setFilterVisible(bool /*visible*/) {}
void TableView::setEmptyText(const QString& /*sentence*/) {}
Exportable TableView::exportable() const {
    return {};
}

}  // namespace tessera::ui
