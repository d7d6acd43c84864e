#include "ui/views/plot/chart_pane.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QMenu>
#include <QToolButton>
#include <QVBoxLayout>
#include <cmath>

#include "ui/theme/theme.h"
#include "ui/views/choice_bar.h"
#include "ui/views/plot/plot_widget.h"

namespace tessera::ui {

ChartPane::ChartPane(const QStringList& titles, const QString& name, QWidget* parent)
    : QWidget(parent), buttons_(new QButtonGroup(this)), row_(new QHBoxLayout), plot_(new PlotWidget(this)) {
    auto* layout = bareLayout<QVBoxLayout>(this, theme().spacing());
    plot_->setAccessibleName(name);
    row_->setSpacing(theme().spacing());
    row_->addStretch();
    layout->addLayout(row_);
    setTitles(titles);
    connect(buttons_, &QButtonGroup::idClicked, this, &ChartPane::setCurrent);
    layout->addWidget(plot_, 1);
    connect(plot_, &PlotWidget::pointClicked, this,
            [this](int series, int point) { emit pointClicked(current_, series, categoryOf(series, point)); });
    connect(plot_, &PlotWidget::menuOpened, this, [this](int series, int point, QMenu* menu) {
        emit menuOpened(current_, series, categoryOf(series, point), menu);
    });
    connect(plot_, &PlotWidget::explainRequested, this,
            [this](int series, int point) { emit explainRequested(current_, series, categoryOf(series, point)); });
}

void ChartPane::setTitles(const QStringList& titles) {
    if (titles == titles_) return;
    titles_ = titles;
    for (QAbstractButton* button : buttons_->buttons()) delete button;
    for (int index = 0; titles.size() > 1 && index < titles.size(); ++index) {
        QToolButton* button = toggle(titles.at(index), {}, this);
        button->setChecked(index == current_);
        buttons_->addButton(button, index);
        row_->insertWidget(index, button);
    }
}

void ChartPane::addTool(QWidget* tool) {
    row_->addWidget(tool);
}

void ChartPane::setCharts(std::vector<report::Chart> charts) {
    charts_ = std::move(charts);
    for (QAbstractButton* button : buttons_->buttons())
        button->setVisible(buttons_->id(button) < static_cast<int>(charts_.size()));
    showChart(current_ < static_cast<int>(charts_.size()) ? current_ : 0);
}

int ChartPane::categoryOf(int series, int point) const {
    const std::vector<report::Series>& all = plot_->chart().series;
    if (series < 0 || static_cast<std::size_t>(series) >= all.size()) return -1;
    const std::vector<double>& x = all[static_cast<std::size_t>(series)].x;
    if (point < 0 || static_cast<std::size_t>(point) >= x.size()) return -1;
    return static_cast<int>(std::lround(x[static_cast<std::size_t>(point)]));
}

void ChartPane::setCurrent(int index) {
    if (index == current_ || index < 0 || index >= static_cast<int>(charts_.size())) return;
    showChart(index);
    emit currentChanged(index);
}

void ChartPane::showChart(int index) {
    current_ = index;
    check(*buttons_, index);
    const bool isThere = index < static_cast<int>(charts_.size());
    plot_->setChart(isThere ? charts_[static_cast<std::size_t>(index)] : report::Chart());
}

}  // namespace tessera::ui
