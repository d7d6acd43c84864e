#include "ui/views/plot/convergence_view.h"

#include <QHBoxLayout>
#include <QToolButton>
#include <utility>

#include "core/report/mapping_pictures.h"
#include "core/report/partition_pictures.h"
#include "ui/theme/theme.h"
#include "ui/views/choice_bar.h"
#include "ui/views/plot/chart_pane.h"
#include "ui/views/plot/plot_widget.h"
#include "ui/views/plot/standings_board.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

struct ShortTitle {
    const char* id;
    const char* title;
};
constexpr ShortTitle kTitles[] = {
    {"convergence-ratio search", "Search"},
    {"convergence-step time", "Step and bound"},
    {"convergence-time by level", "By level"},
    {"convergence-architecture search", "Best accelerator"},
    {"convergence", "Value"},
    {"optimality-gap", "Optimality gap"},
};

QString titleOf(const report::Chart& chart) {
    for (const ShortTitle& row : kTitles)
        if (chart.id == row.id) return QString::fromUtf8(row.title);
    return u"Best so far"_s;
}

}  // namespace

ConvergenceView::ConvergenceView(QWidget* parent)
    : QWidget(parent), pane_(new ChartPane({}, u"Convergence"_s, this)), board_(new StandingsBoard(this)) {
    auto* layout = bareLayout<QHBoxLayout>(this, theme().spacing(3));
    layout->addWidget(pane_, 1);
    layout->addWidget(board_);
    logarithmic_ = toggle(u"Log scale"_s, u"Shows the values on a logarithmic axis"_s);
    generations_ = toggle(u"Mean and spread"_s,
                          u"Shows what the generations of the running algorithm find on "
                          "average, and how far they spread"_s);
    for (QWidget* tool : {logarithmic_, generations_}) pane_->addTool(tool);
    pane_->plot()->setExplainable(false);  // curves are no numbers of the result
    connect(logarithmic_, &QToolButton::toggled, this, [this](bool on) {
        redraw();
        emit logarithmicChanged(on);
    });
    generations_->hide();
    connect(generations_, &QToolButton::toggled, this, &ConvergenceView::redraw);
    redraw();
}

void ConvergenceView::setCurves(std::shared_ptr<const std::vector<Curve>> curves) {
    if (curves == curves_ && curves != nullptr) return;
    curves_ = std::move(curves);
    redraw();
}

void ConvergenceView::setLive(const QString& text) {
    pane_->plot()->setLive(text);
}

void ConvergenceView::setEmptyText(const QString& sentence) {
    emptyText_ = sentence;
    redraw();
}

void ConvergenceView::setValueTitle(const QString& title) {
    valueTitle_ = title;
}

bool ConvergenceView::isLogarithmic() const {
    return logarithmic_->isChecked();
}

void ConvergenceView::setLogarithmic(bool on) {
    logarithmic_->setChecked(on);
}

PlotWidget* ConvergenceView::plot() const {
    return pane_->plot();
}

void ConvergenceView::redraw() {
    static const std::vector<Curve> kNone;
    std::vector<report::Chart> charts =
        report::convergenceCharts(curves_ == nullptr ? kNone : *curves_, isLogarithmic(), generations_->isChecked());
    QStringList titles;
    for (report::Chart& chart : charts) {
        titles << titleOf(chart);
        chart.empty = emptyText_.toStdString();
        if ((chart.id == "convergence" || chart.id == "convergence-architecture search") && !valueTitle_.isEmpty())
            chart.y.title = valueTitle_.toStdString();
    }
    generations_->setVisible(charts.front().id == "convergence");
    int gap = -1;
    for (std::size_t i = 0; i < charts.size(); ++i)
        if (charts[i].id == "optimality-gap") gap = static_cast<int>(i);
    pane_->setTitles(titles);
    pane_->setCharts(std::move(charts));
    // How far it still is says more than the value.
    if (gap >= 0 && !std::exchange(gapShown_, true)) pane_->setCurrent(gap);
    board_->setTable(curves_ == nullptr ? report::Table() : report::standingsTable(*curves_));
}

}  // namespace tessera::ui
