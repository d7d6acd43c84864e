#pragma once

#include <QWidget>
#include <functional>
#include <memory>

#include "ui/models/table_model.h"
#include "ui/views/exportable.h"

class QMenu;
class QTableView;

namespace tessera::ui {

/// A TableModel with what every table has: filter box, sorting by sortRole, sums in a foot for summed columns, copy
/// (full precision, tab-separated), CSV, context menu. Row heights and header as the theme says.
class TableView : public QWidget {
    Q_OBJECT

public:
    /// `name` is the accessible name and the stem of exported files.
    TableView(TableModel* model, const QString& name, QWidget* parent = nullptr);
    ~TableView() override;
    QTableView* view() const;
    int currentRow() const;  ///< of the model, -1 = none
    void setCurrentRow(int row);
    QVector<int> selectedRows() const;
    void copySelection();                 ///< the selected rows at full precision, tab-separated, titles first
    void setFilterVisible(bool visible);  ///< without this, tables of 16 rows and more show their filter
    void setFilterText(const QString& words);
    void setEmptyText(const QString& sentence);  ///< what to do so that rows appear
    Exportable exportable() const;               ///< what is visible, in its order
    /// Puts what else can be done with a row on top of its context menu.
    void setRowMenu(std::function<void(QMenu& menu, int row)> fill);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

signals:
    void currentRowChanged(int row);
    void rowActivated(int row);  ///< double click or Enter
    void explainRequested(int row, int column);

private:
    struct Implementation;
    std::unique_ptr<Implementation> d_;
};

}  // namespace tessera::ui
