#include "ui/views/workbench/chart_pane.h"

#include <algorithm>
#include <utility>

#include "ui/models/background.h"
#include "ui/models/text.h"
#include "ui/views/plot/plot_widget.h"
#include "ui/views/workbench/value_box.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

ChartOfPoints::ChartOfPoints(PointSelection& selection, Kind kind, QWidget* parent)
    : PointPane(selection, parent), kind_(std::move(kind)), plot_(new PlotWidget(this)) {
    if (!kind_.value.isEmpty()) {
        value_ = new ValueBox(kind_.value, {}, this);
        addControl(kind_.value, value_);
        connect(value_, &ValueBox::chosen, this, &ChartOfPoints::outdate);
    }
    plot_->setAccessibleName(kind_.name);
    plot_->setExplainable(false);
    setPicture(plot_);
}

void ChartOfPoints::fill() {
    if (value_ == nullptr) return;
    value_->fill(points(), kind_.wanted);
    if (!wanted_.isEmpty())
        if (const auto column = report::columnNamed(points(), std::exchange(wanted_, {}).toStdString()))
            value_->setColumn(column);
}

void ChartOfPoints::setColumn(std::size_t column) {
    if (value_ == nullptr) return;
    value_->setColumn(column);
    outdate();
}

bool ChartOfPoints::applies() const {
    return value_ == nullptr || !kind_.wanted ||
           std::any_of(points().columns.begin(), points().columns.end(), kind_.wanted);
}

/// One at a time: of what is asked for meanwhile only the last is made.
void ChartOfPoints::draw() {
    const std::size_t column = value_ == nullptr ? 0 : value_->column().value_or(0);
    if (!kind_.followsFilter && drawn_ == selection().shared() && drawnColumn_ == column) return;
    if (std::exchange(busy_, true)) {
        again_ = true;
        return;
    }
    drawn_ = selection().shared();
    drawnColumn_ = column;
    const auto done = [this] {
        busy_ = false;
        if (std::exchange(again_, false)) draw();
    };
    inBackground(
        this,
        [its = drawn_, column, states = selection().states(), make = kind_.make] { return make(*its, column, states); },
        [this, done](report::Chart chart) {
            plot_->setChart(std::move(chart));
            done();
        },
        [this, done](const QString& problem) {
            plot_->setChart({.title = kind_.name.toStdString(), .empty = problem.toStdString()});
            done();
        });
}

QVector<Exportable> ChartOfPoints::exportables() const {
    return plot_->chart().series.empty() ? QVector<Exportable>() : QVector<Exportable>{plot_->exportable()};
}

QJsonObject ChartOfPoints::saveState() const {
    if (value_ == nullptr) return {};
    return {{u"value"_s, wanted_.isEmpty() ? value_->id() : wanted_}};
}

void ChartOfPoints::restoreState(const QJsonObject& state) {
    wanted_ = state.value("value"_L1).toString();
    if (isActive() && value_ != nullptr && !wanted_.isEmpty()) {
        if (const auto column = report::columnNamed(points(), std::exchange(wanted_, {}).toStdString()))
            setColumn(*column);
    }
}

}  // namespace tessera::ui
