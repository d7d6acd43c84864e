#include "ui/views/workbench/chart_of_points.h"

#include <QJsonArray>
#include <algorithm>
#include <set>
#include <utility>

#include "ui/models/background.h"
#include "ui/models/text.h"
#include "ui/views/plot/plot_widget.h"
#include "ui/views/workbench/value_box.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

ChartOfPoints::ChartOfPoints(PointSelection& selection, Kind kind, QWidget* parent)
    : PointPane(selection, parent), kind_(std::move(kind)), plot_(new PlotWidget(this)) {
    for (const Choice& choice : kind_.choices) {
        auto* box = new ValueBox(choice.name, {}, this);
        addControl(choice.name, box);
        connect(box, &ValueBox::chosen, this, &ChartOfPoints::outdate);
        boxes_.push_back(box);
    }
    plot_->setAccessibleName(kind_.name);
    plot_->setExplainable(false);
    setPicture(plot_);
}

/// At first each choice has a value that no other has.
void ChartOfPoints::fill() {
    std::set<std::size_t> taken;
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
        const bool first = boxes_[i]->count() == 0;
        boxes_[i]->fill(points(), kind_.choices[i].wanted);
        for (int entry = 0; first && entry < boxes_[i]->count(); ++entry) {
            boxes_[i]->setCurrentIndex(entry);
            if (!taken.contains(boxes_[i]->column().value_or(0))) break;
        }
        if (const std::optional<std::size_t> column = boxes_[i]->column()) taken.insert(*column);
    }
    takeWanted();
}

void ChartOfPoints::takeWanted() {
    const QStringList wanted = std::exchange(wanted_, {});
    for (qsizetype i = 0; i < std::min(wanted.size(), static_cast<qsizetype>(boxes_.size())); ++i)
        if (const auto column = report::columnNamed(points(), wanted[i].toStdString()))
            boxes_[static_cast<std::size_t>(i)]->setColumn(column);
}

void ChartOfPoints::setColumn(std::size_t choice, std::size_t column) {
    boxes_.at(choice)->setColumn(column);
    outdate();
}

bool ChartOfPoints::applies() const {
    std::set<std::size_t> all;
    for (const Choice& choice : kind_.choices) {
        bool any = false;
        for (std::size_t i = 0; i < points().columns.size(); ++i) {
            if (choice.wanted && !choice.wanted(points().columns[i])) continue;
            any = true;
            all.insert(i);
        }
        if (!any) return false;
    }
    return all.size() >= kind_.choices.size();
}

/// One at a time: of what is asked for meanwhile only the last is made.
void ChartOfPoints::draw() {
    std::vector<std::size_t> columns;
    for (const ValueBox* box : boxes_) columns.push_back(box->column().value_or(0));
    const int chosen = kind_.followsChosen ? selection().chosen() : -1;
    if (drawn_ == selection().shared() && drawnColumns_ == columns && drawnChosen_ == chosen) return;
    if (std::exchange(busy_, true)) {
        again_ = true;
        return;
    }
    drawn_ = selection().shared();
    drawnColumns_ = columns;
    drawnChosen_ = chosen;
    if (live_.isEmpty()) plot_->setLive(u"computing"_s);
    const auto done = [this](report::Chart chart) {
        plot_->setChart(std::move(chart));
        busy_ = false;
        if (std::exchange(again_, false)) draw();
        if (!busy_) plot_->setLive(live_);
    };
    inBackground(
        this,
        [its = drawn_, columns, chosen, make = kind_.make] {
            return make({.points = *its, .columns = columns, .chosen = chosen});
        },
        done,
        [this, done](const QString& problem) {
            done({.title = kind_.name.toStdString(), .empty = problem.toStdString()});
        });
}

void ChartOfPoints::setLive(const QString& text) {
    live_ = text;
    if (!busy_ || !text.isEmpty()) plot_->setLive(text);
}

void ChartOfPoints::mark() {
    if (kind_.followsChosen) draw();
}

QVector<Exportable> ChartOfPoints::exportables() const {
    return plot_->chart().series.empty() ? QVector<Exportable>() : QVector<Exportable>{plot_->exportable()};
}

QJsonObject ChartOfPoints::saveState() const {
    QJsonArray values = QJsonArray::fromStringList(wanted_);
    if (wanted_.isEmpty())
        for (const ValueBox* box : boxes_) values.append(box->id());
    return {{u"values"_s, values}};
}

void ChartOfPoints::restoreState(const QJsonObject& state) {
    wanted_.clear();
    const QJsonArray values = state.value("values"_L1).toArray();
    for (const QJsonValue& value : values) wanted_ << value.toString();
    if (boxes_.empty() || boxes_.front()->count() == 0) return;  // once it is filled
    takeWanted();
    outdate();
}

}  // namespace tessera::ui
