#pragma once

#include <string>
#include <vector>

#include "ui/views/plot/matrix_view.h"
#include "ui/views/workbench/point_pane.h"

class QToolButton;

namespace tessera::ui {


/// Points in every two of some values. A click on a field shows it as the scatter's.
class MatrixPane : public PointPane {
    Q_OBJECT

public:
    explicit MatrixPane(PointSelection& selection, QWidget* parent = nullptr);

    MatrixView* view() const { return view_; }
    const std::vector<std::size_t>& columns() const { return columns_; }
    /// By a person; until then it has the telling ones.
    void setColumns(std::vector<std::size_t> columns);

    QVector<Exportable> exportables() const override { return {view_->exportable()}; }
    QJsonObject saveState() const override;
    void restoreState(const QJsonObject& state) override;

signals:
    void fieldChosen();  ///< whose values are the scatter's now

protected:
    void fill() override;
    void draw() override;
    void mark() override;

private:
    void fillMenu();
    void takeWanted();

    std::vector<std::size_t> columns_;
    QToolButton* values_;
    MatrixView* view_;
    bool pictureStale_ = true;         ///< more than what is shown changed
    std::vector<std::string> wanted_;  ///< ids of values that a person chose; empty = the telling ones
};

}  // namespace tessera::ui
