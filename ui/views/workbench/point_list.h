#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "core/draw/table.h"
#include "ui/views/exportable.h"
#include "ui/views/workbench/point_selection.h"

class QMenu;
class QVBoxLayout;

namespace tessera::ui {

class TableModel;
class TableView;

/// The points that are shown as a table: choosing a row chooses its point, and the other way round.
class PointList : public QWidget {
    Q_OBJECT

public:
    /// What the table shows: its rows are of these points, whatever the selection shows since.
    struct Listed {
        PointSelection::Table points;
        std::vector<int> rows = {};  ///< points by row of the table
    };
    explicit PointList(PointSelection& selection, QWidget* parent = nullptr);

    /// Made anew for points of other columns; null before there are any.
    TableView* table() const { return table_; }
    const std::vector<int>& points() const { return listed_->rows; }  ///< by row of the table
    /// What is said where there are no points, and none in all brushes.
    void setEmptyTexts(const QString& none, const QString& noneShown);
    QVector<Exportable> exportables() const;
    /// Puts what can be done with the chosen point on top of the menu of its row.
    void setPointMenu(std::function<void(QMenu& menu)> fill) { pointMenu_ = std::move(fill); }

protected:
    void showEvent(QShowEvent* event) override;

private:
    void outdate();
    void fill();
    void makeTable();
    void markRow();
    void showEmptyText();

    PointSelection& selection_;
    QVBoxLayout* column_;
    std::shared_ptr<Listed> listed_;
    TableModel* model_ = nullptr;
    TableView* table_ = nullptr;
    QStringList titles_;  ///< of the table's columns
    QString none_, noneShown_;
    std::function<void(QMenu& menu)> pointMenu_;
    QTimer later_;
    QElapsedTimer waiting_;  ///< since the table is older than the selection
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
