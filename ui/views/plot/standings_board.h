#pragma once

#include <QWidget>
#include <memory>

#include "core/draw/table.h"

namespace tessera::ui {

class TableModel;
class TableView;

/// The algorithms of a search in their order, beside its convergence: report::standingsTable. Hidden without rows, and
/// where the picture would have too little room.
class StandingsBoard : public QWidget {
public:
    /// Beside a picture in `page`, which has it in its layout.
    explicit StandingsBoard(QWidget* page);
    void setTable(report::Table table);
    TableView* table() const { return view_; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void fit();

    QWidget* page_;
    std::shared_ptr<report::Table> shown_;
    TableModel* model_ = nullptr;
    TableView* view_ = nullptr;
};

}  // namespace tessera::ui
