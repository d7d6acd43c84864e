#pragma once

#include <vector>

#include "ui/views/plot/parallel_view.h"
#include "ui/views/workbench/point_pane.h"

class QToolButton;

namespace tessera::ui {

/// Points in all values, an axis each, with a brush on every axis.
class ParallelPane : public PointPane {
    Q_OBJECT

public:
    explicit ParallelPane(PointSelection& selection, QWidget* parent = nullptr);

    ParallelView* view() const { return view_; }
    /// Columns that there are axes of, whether they are seen or not.
    const std::vector<std::size_t>& columns() const { return columns_; }

    QVector<Exportable> exportables() const override { return {view_->exportable()}; }
    QJsonObject saveState() const override;
    void restoreState(const QJsonObject& state) override;

protected:
    void fill() override;
    void draw() override;
    void mark() override;

private:
    void makePicture();
    void fillMenu();
    std::vector<std::size_t> idsToAxes(const QJsonValue& ids) const;

    std::vector<std::size_t> columns_;
    QToolButton* axes_;
    ParallelView* view_;
    QJsonObject pending_;  ///< a state to restore once there are axes
    bool pictureStale_ = true, tonesStale_ = false;
    bool filling_ = false;
    bool arranged_ = false;  ///< by the user
};

}  // namespace tessera::ui
