#include "ui/views/workbench/scatter_pane.h"

#include <QAction>
#include <QMenu>
#include <QToolButton>
#include <cmath>
#include <utility>

#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/choice_bar.h"
#include "ui/views/flow_layout.h"
#include "ui/views/workbench/value_box.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

ScatterPane::ScatterPane(PointSelection& selection, QWidget* parent)
    : PointPane(selection, parent),
      y_(new ValueBox(u"Y axis"_s, {}, this)),
      x_(new ValueBox(u"X axis"_s, {}, this)),
      sizes_(new ValueBox(u"Size"_s, u"Same size"_s, this)),
      brush_(
          toggle(u"Brush"_s, u"A drag keeps the points in a rectangle; Ctrl and a drag does it at any time"_s, this)),
      options_(new QToolButton(this)),
      plot_(new PlotWidget(this)) {
    addControl(u"Y"_s, y_);
    addControl(u"X"_s, x_);
    addControl(u"Size"_s, sizes_);
    bar().addWidget(brush_);
    options_->setText(u"Axes"_s);
    options_->setAutoRaise(true);
    options_->setPopupMode(QToolButton::InstantPopup);
    options_->setToolTip(u"Logarithmic axes, and what they show"_s);
    options_->setMenu(new QMenu(options_));
    logX_ = addOption(u"Logarithmic X axis"_s, u"Where all values are above 0"_s);
    logY_ = addOption(u"Logarithmic Y axis"_s, u"Where all values are above 0"_s);
    whole_ = addOption(u"Show everything"_s, u"Not only the front and what is near it"_s);
    bar().addWidget(options_);
    plot_->setAccessibleName(u"Points in two values"_s);
    plot_->setExplainable(false);
    setPicture(plot_);

    connect(x_, &ValueBox::chosen, this, &ScatterPane::chooseAxes);
    connect(y_, &ValueBox::chosen, this, &ScatterPane::chooseAxes);
    connect(sizes_, &ValueBox::chosen, this, [this] {
        size_ = sizes_->id();
        outdate();
    });
    connect(brush_, &QToolButton::toggled, plot_, &PlotWidget::setBrushing);
    connect(&selection, &PointSelection::axesChanged, this, &ScatterPane::outdate);
    connect(&selection, &PointSelection::colourChanged, this, &ScatterPane::outdate);
    connect(plot_, &PlotWidget::menuOpened, this, [this](int series, int place, QMenu* menu) {
        const int point = pointAt(series, place);
        if (point < 0 || !pointMenu_) return;
        this->selection().choose(point);
        pointMenu_(*menu);
    });
    connect(plot_, &PlotWidget::pointClicked, this, [this](int series, int place) {
        if (const int point = pointAt(series, place); point >= 0) this->selection().choose(point);
    });
    connect(plot_, &PlotWidget::pointHovered, this,
            [this](int series, int place) { this->selection().hover(pointAt(series, place)); });
    connect(plot_, &PlotWidget::brushed, this, [this](const report::Stretch& x, const report::Stretch& y) {
        PointSelection& its = this->selection();
        std::map<std::size_t, PointSelection::Range> ranges = its.ranges();
        ranges[its.x()] = x;
        ranges[its.y()] = y;
        its.setRanges(ranges);
    });
    plot_->setCard([this](int series, int place) {
        const int point = pointAt(series, place);
        if (point >= 0) return this->selection().cardOf(point);
        // A line to compare with.
        const auto& all = plot_->chart().series;
        if (series < 0 || static_cast<std::size_t>(series) >= all.size()) return QStringList();
        const report::Series& its = all[static_cast<std::size_t>(series)];
        QStringList lines{toQt(its.name)};
        if (place >= 0 && static_cast<std::size_t>(place) < its.valueTexts.size())
            lines << toQt(its.valueTexts[static_cast<std::size_t>(place)]);
        return lines;
    });
}

QAction* ScatterPane::addOption(const QString& text, const QString& help) {
    QAction* action = options_->menu()->addAction(text);
    action->setCheckable(true);
    action->setToolTip(help);
    connect(action, &QAction::toggled, this, &ScatterPane::outdate);
    return action;
}

void ScatterPane::setExtras(Extras extras) {
    extras_ = std::move(extras);
    outdate();
}

void ScatterPane::setEmptyText(const QString& sentence) {
    empty_ = sentence;
}

void ScatterPane::chooseAxes() {
    if (x_->column() && y_->column()) selection().setAxes(*x_->column(), *y_->column());
}

void ScatterPane::setAxes(const QString& x, const QString& y) {
    const auto column = [this](const QString& id, std::size_t otherwise) {
        return report::columnNamed(points(), id.toStdString()).value_or(otherwise);
    };
    selection().setAxes(column(x, selection().x()), column(y, selection().y()));
}

QString ScatterPane::xAxis() const {
    const auto& columns = points().columns;
    return selection().x() < columns.size() ? toQt(columns[selection().x()].id) : QString();
}

QString ScatterPane::yAxis() const {
    const auto& columns = points().columns;
    return selection().y() < columns.size() ? toQt(columns[selection().y()].id) : QString();
}

void ScatterPane::fill() {
    for (ValueBox* box : {y_, x_}) box->fill(points());
    sizes_->fill(points(), [](const explore::PointColumn& column) { return column.words.empty(); });
}

/// Empty, too, where these points have no such number.
std::optional<std::size_t> ScatterPane::sizeColumn() const {
    const std::optional<std::size_t> column = report::columnNamed(points(), size_.toStdString());
    return column && points().columns[*column].words.empty() ? column : std::nullopt;
}

const report::ScatterFront& ScatterPane::front() {
    const PointSelection& its = selection();
    if (known_.points != its.shared() || known_.x != its.x() || known_.y != its.y() || known_.step != its.step())
        known_ = {its.shared(), its.x(), its.y(), its.step(),
                  report::scatterFrontOf(points(), its.x(), its.y(), its.states())};
    return known_.front;
}

void ScatterPane::draw() {
    const std::size_t x = selection().x(), y = selection().y();
    x_->setColumn(x);
    y_->setColumn(y);
    sizes_->setColumn(sizeColumn());
    const auto follow = [this](std::string& seen, std::size_t column, QAction* log) {
        if (column >= points().columns.size() || std::exchange(seen, points().columns[column].id) == seen) return;
        const QSignalBlocker blocker(log);
        log->setChecked(points().columns[column].log);
    };
    follow(seenX_, x, logX_);
    follow(seenY_, y, logY_);
    report::ScatterLook look{.x = x,
                             .y = y,
                             .colour = selection().colour(),
                             .size = sizeColumn(),
                             .logX = logX_->isChecked(),
                             .logY = logY_->isChecked(),
                             .whole = whole_->isChecked(),
                             .states = selection().states()};
    if (extras_ && x < points().columns.size() && y < points().columns.size() && points().size() > 0)
        look.extras = extras_(x, y);
    look.front = &front();
    scatter_ = report::scatterOf(points(), look);
    if (!empty_.isEmpty()) scatter_.chart.empty = empty_.toStdString();
    places_.assign(points().size(), {});
    for (std::size_t s = 0; s < scatter_.points.size(); ++s)
        for (std::size_t i = 0; i < scatter_.points[s].size(); ++i)
            places_[scatter_.points[s][i]] = {static_cast<int>(s), static_cast<int>(i)};
    plot_->setChart(scatter_.chart);
    plot_->setBrush(selection().range(x), selection().range(y));
}

PlotWidget::Place ScatterPane::placeOf(int point) const {
    return point < 0 || static_cast<std::size_t>(point) >= places_.size() ? PlotWidget::Place()
                                                                          : places_[static_cast<std::size_t>(point)];
}

int ScatterPane::pointAt(int series, int place) const {
    if (series < 0 || place < 0 || static_cast<std::size_t>(series) >= scatter_.points.size()) return -1;
    const std::vector<std::uint32_t>& its = scatter_.points[static_cast<std::size_t>(series)];
    return static_cast<std::size_t>(place) < its.size() ? static_cast<int>(its[static_cast<std::size_t>(place)]) : -1;
}

void ScatterPane::mark() {
    const PlotWidget::Place chosen = placeOf(selection().chosen());
    plot_->setSelected(chosen.series, chosen.point);
    QVector<PlotWidget::Pin> pins;
    for (const auto& [pin, letter] : {std::pair(PointSelection::Pin::a, u"A"_s), {PointSelection::Pin::b, u"B"_s}})
        if (const PlotWidget::Place place = placeOf(selection().pinned(pin)); place.series >= 0)
            pins.append({place, letter});
    plot_->setPins(pins);
    plot_->setHovered(placeOf(selection().hovered()));
}

QJsonObject ScatterPane::saveState() const {
    QJsonObject state{{u"x"_s, xAxis()}, {u"y"_s, yAxis()}};
    if (!size_.isEmpty()) state[u"size"_s] = size_;
    if (selection().colour()) state[u"colour"_s] = toQt(points().columns[*selection().colour()].id);
    state[u"log_x"_s] = logX_->isChecked();
    state[u"log_y"_s] = logY_->isChecked();
    if (whole_->isChecked()) state[u"whole"_s] = true;
    return state;
}

void ScatterPane::restoreState(const QJsonObject& state) {
    setAxes(state.value("x"_L1).toString(), state.value("y"_L1).toString());
    const auto column = [this](const QJsonValue& id) {
        return report::columnNamed(points(), id.toString().toStdString());
    };
    size_ = state.value("size"_L1).toString();
    selection().setColour(column(state.value("colour"_L1)));
    outdate();
    for (const auto& [key, action, seen, axis] :
         {std::tuple("log_x"_L1, logX_, &seenX_, xAxis()), std::tuple("log_y"_L1, logY_, &seenY_, yAxis())}) {
        if (!state.value(key).isBool()) continue;
        *seen = axis.toStdString();
        action->setChecked(state.value(key).toBool());
    }
    whole_->setChecked(state.value("whole"_L1).toBool());
}

}  // namespace tessera::ui
