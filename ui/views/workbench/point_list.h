#pragma once

#include <QTimer>
#include <QWidget>
#include <memory>
#include <utility>
#include <vector>

#include "core/draw/table.h"
#include "ui/views/exportable.h"
#include "ui/views/workbench/point_selection.h"

class QVBoxLayout;

namespace tessera::ui {

class TableModel;
class TableView;

/// The points that are shown as a table: choosing a row chooses its point, and the other way round.
class PointList : public QWidget {
    Q_OBJECT

public:
    explicit PointList(PointSelection& selection, QWidget* parent = nullptr);

    /// Made anew for points of other columns; null before there are any.
    TableView* table() const { return table_; }
    const std::vector<int>& points() const { return *rows_; }  ///< by row of the table
    void setEmptyText(const QString& sentence);
    QVector<Exportable> exportables() const;

protected:
    void showEvent(QShowEvent* event) override;

private:
    void outdate();
    void fill();
    void makeTable();
    void markRow();

    PointSelection& selection_;
    QVBoxLayout* column_;
    std::shared_ptr<std::vector<int>> rows_ = std::make_shared<std::vector<int>>();
    TableModel* model_ = nullptr;
    TableView* table_ = nullptr;
    QStringList titles_;  ///< of the table's columns
    QString empty_;
    QTimer later_;
    bool stale_ = true, marking_ = false;
};

/// Two points side by side, value by value: the pinned ones, or the first and the chosen one.
class PointComparison : public QWidget {
    Q_OBJECT

public:
    explicit PointComparison(PointSelection& selection, QWidget* parent = nullptr);
    /// The two points that are compared; -1 = none.
    std::pair<int, int> compared() const;
    TableView* table() const { return table_; }

protected:
    void showEvent(QShowEvent* event) override;

private:
    void fill();

    PointSelection& selection_;
    std::shared_ptr<report::Table> rows_;
    TableModel* model_;
    TableView* table_;
};

}  // namespace tessera::ui
