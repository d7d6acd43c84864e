#include "ui/views/runs/plan_explorer.h"

#include <QComboBox>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "core/study/plan/outcome.h"
#include "ui/models/table_columns.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/choice_bar.h"
#include "ui/views/flow_layout.h"
#include "ui/views/plot/parallel_view.h"
#include "ui/views/plot/plot_widget.h"
#include "ui/views/side_by_side.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

PlanExplorer::PlanExplorer(QWidget* parent)
    : QWidget(parent),
      x_(new QComboBox(this)),
      y_(new QComboBox(this)),
      clear_(new QToolButton(this)),
      count_(new QLabel(this)),
      plot_(new PlotWidget(this)),
      parallel_(new ParallelView(this)),
      pictures_(new SideBySide({plot_, u"Scatter"_s, u"Two values, and the front between them"_s},
                               {parallel_, u"Parallel axes"_s, u"All values, with a brush on every axis"_s}, this)) {
    auto* layout = bareLayout<QVBoxLayout>(this, theme().spacing(2));
    layout->addWidget(bar());
    layout->addWidget(pictures_, 1);
    plot_->setAccessibleName(u"Configurations in two values"_s);
    plot_->setExplainable(false);
    parallel_->setAccessibleName(u"Configurations in all values"_s);
    const auto showAxes = [this] {
        for (QWidget* part : std::as_const(axisParts_)) part->setVisible(pictures_->isLeftShown());
    };
    connect(pictures_, &SideBySide::arranged, this, showAxes);
    showAxes();
    connect(plot_, &PlotWidget::pointClicked, this, [this](int series, int point) {
        if (series < 0 || static_cast<std::size_t>(series) >= picture_.points.size()) return;
        const std::vector<std::size_t>& points = picture_.points[static_cast<std::size_t>(series)];
        if (point >= 0 && static_cast<std::size_t>(point) < points.size())
            choosePoint(points[static_cast<std::size_t>(point)]);
    });
    connect(parallel_, &ParallelView::rowClicked, this, [this](int row) {
        if (row >= 0 && static_cast<std::size_t>(row) < points_.size()) choosePoint(static_cast<std::size_t>(row));
    });
    connect(parallel_, &ParallelView::brushed, this, &PlanExplorer::showBrush);
}

QWidget* PlanExplorer::bar() {
    auto* bar = new QWidget(this);
    auto* row = new FlowLayout(bar);
    row->setSpacing(theme().spacing(2));
    row->addWidget(pictures_->choice());
    for (const auto& [text, box] : {std::pair(u"Y axis"_s, y_), std::pair(u"X axis"_s, x_)}) {
        auto* label = new QLabel(text, bar);
        setLook(*label, "tone", u"secondary"_s);
        label->setBuddy(box);
        box->setAccessibleName(text);
        row->addWidget(label);
        row->addWidget(box);
        axisParts_.append({label, box});
        connect(box, &QComboBox::activated, this, &PlanExplorer::draw);
    }
    row->addStretch();
    setLook(*count_, "tone", u"secondary"_s);
    row->addWidget(count_);
    clear_->setText(u"Show all"_s);
    clear_->setToolTip(u"Lets all brushes of the parallel coordinates go"_s);
    clear_->setAutoRaise(true);
    connect(clear_, &QToolButton::clicked, parallel_, &ParallelView::clearBrushes);
    row->addWidget(clear_);
    return bar;
}

void PlanExplorer::setResult(std::shared_ptr<const study::Result> result) {
    if (result == result_) return;
    result_ = std::move(result);
    const auto& outcome = result_->outcome.get<study::PlanOutcome>();
    points_ = report::planPoints(outcome);
    fillAxes();
    parallel_->setPicture(report::planParallel(outcome, points_));
    showBrush();
}

/// At first the two values of the study's front.
void PlanExplorer::fillAxes() {
    const auto& outcome = result_->outcome.get<study::PlanOutcome>();
    const QString x = x_->count() > 0 ? xAxis() : toQt(plan::kObjectiveNames.of(outcome.frontOf.second));
    const QString y = y_->count() > 0 ? yAxis() : toQt(plan::kObjectiveNames.of(outcome.frontOf.first));
    for (QComboBox* box : {x_, y_}) {
        box->clear();
        for (const plan::Objective value : report::planValues(outcome))
            box->addItem(toQt(report::titleOf(value)), toQt(plan::kObjectiveNames.of(value)));
    }
    setAxes(x, y);
}

void PlanExplorer::setAxes(const QString& x, const QString& y) {
    for (const auto& [box, id] : {std::pair(x_, x), std::pair(y_, y)})
        if (const int at = box->findData(id); at >= 0) box->setCurrentIndex(at);
    draw();
}

QString PlanExplorer::xAxis() const {
    return x_->currentData().toString();
}

QString PlanExplorer::yAxis() const {
    return y_->currentData().toString();
}

QStringList PlanExplorer::values() const {
    QStringList all;
    for (int i = 0; i < x_->count(); ++i) all << x_->itemData(i).toString();
    return all;
}

void PlanExplorer::draw() {
    const auto x = plan::kObjectiveNames.named(xAxis().toStdString());
    const auto y = plan::kObjectiveNames.named(yAxis().toStdString());
    if (result_ == nullptr || !x || !y) return;
    picture_ = report::planScatter(result_->outcome.get<study::PlanOutcome>(), points_, *x, *y, parallel_->shown());
    plot_->setChart(picture_.chart);
    showChoice(rank_);
}

void PlanExplorer::showBrush() {
    const std::vector<bool> shown = parallel_->shown();
    const bool brushed = parallel_->isBrushed();
    clear_->setVisible(brushed);
    count_->setVisible(brushed);
    count_->setText(
        u"%1 of %2 shown"_s.arg(columns::count(static_cast<double>(std::count(shown.begin(), shown.end(), true))),
                                columns::count(static_cast<double>(points_.size()))));
    draw();
}

void PlanExplorer::showChoice(int rank) {
    rank_ = rank;
    const auto found = std::find_if(points_.begin(), points_.end(), [&](const report::PlanPoint& point) {
        return rank >= 0 && point.rank == static_cast<std::size_t>(rank);
    });
    const bool known = found != points_.end();
    const auto its = static_cast<std::size_t>(found - points_.begin());
    parallel_->setSelected(known ? static_cast<int>(its) : -1, -1);
    int series = -1, point = -1;
    for (std::size_t s = 0; known && s < picture_.points.size(); ++s) {
        const std::vector<std::size_t>& points = picture_.points[s];
        const auto place = std::find(points.begin(), points.end(), its);
        if (place == points.end() || picture_.chart.series[s].mark != report::Mark::points) continue;
        series = static_cast<int>(s);
        point = static_cast<int>(place - points.begin());
    }
    plot_->setSelected(series, point);
}

void PlanExplorer::choosePoint(std::size_t point) {
    if (points_[point].rank)
        emit rankChosen(static_cast<int>(*points_[point].rank));
    else
        emit configurationChosen(toQt(points_[point].text));
}

}  // namespace tessera::ui
