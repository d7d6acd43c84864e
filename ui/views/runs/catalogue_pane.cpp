#include "ui/views/runs/catalogue_pane.h"

#include <QScrollArea>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <cmath>
#include <utility>
#include <variant>

#include "core/base/number.h"
#include "ui/models/table_columns.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/choice_bar.h"
#include "ui/views/plot/drawing_view.h"
#include "ui/views/plot/gantt_view.h"
#include "ui/views/plot/heat_map_view.h"
#include "ui/views/plot/plot_widget.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

template <typename List>
bool has(const List& list, int index) {
    return index >= 0 && static_cast<std::size_t>(index) < list.size();
}

QString text(const std::string& words) {
    return shownText(words);
}

Facts::Row valueOn(const report::Axis& axis, double value) {
    const auto category = static_cast<int>(value);
    if (!axis.categories.empty())
        return {.label = axis.title.empty() ? u"At"_s : text(axis.title),
                .value = has(axis.categories, category) ? text(axis.categories[toIndex(category)]) : QString()};
    return {.label = axis.title.empty() ? u"Value"_s : text(axis.title),
            .value = columns::quantity(value, axis.measure),
            .exact = columns::exact(value)};
}

Facts::Row timeOf(const QString& label, double value, const Timeline& timeline) {
    return {.label = label,
            .value = timeline.unit == "s" ? columns::quantity(value, Measure::seconds)
                                          : countText(value) + QLatin1Char(' ') + text(timeline.unit),
            .exact = columns::exact(value)};
}

}  // namespace

CataloguePane::CataloguePane(const QString& name, QWidget* parent)
    : QWidget(parent), name_(name), choices_(new ChoiceBar(name, 2, this)), stack_(new QStackedWidget(this)) {
    auto* column = bareLayout<QVBoxLayout>(this, theme().spacing());
    column->addWidget(choices_);
    column->addWidget(stack_, 1);
    connect(choices_, &ChoiceBar::chosen, this, &CataloguePane::showPart);
}

void CataloguePane::setParts(std::vector<Part> parts) {
    parts_ = std::move(parts);
    QVector<ChoiceBar::Choice> all;
    for (const Part& part : parts_) all.append({.title = part.title});
    if (!has(parts_, current_)) current_ = 0;
    choices_->setChoices(all, current_);
    showPart(current_);
}

void CataloguePane::showPart(int index) {
    if (!has(parts_, index)) return;
    current_ = index;
    choices_->setCurrent(index);
    std::visit([this](const auto& picture) { show(picture); }, parts_[toIndex(index)].picture);
}

template <typename View>
View* CataloguePane::make(View*& view) {
    view = new View(stack_);
    view->setAccessibleName(name_);
    return view;
}

void CataloguePane::bring(QWidget* page) {
    if (stack_->indexOf(page) < 0) stack_->addWidget(page);
    stack_->setCurrentWidget(page);
}

void CataloguePane::show(const report::Chart& chart) {
    if (plot_ == nullptr) {
        connect(make(plot_), &PlotWidget::pointClicked, this, &CataloguePane::pointChosen);
        plot_->setExplainable(false);
    }
    plot_->setChart(chart);
    bring(plot_);
}

void CataloguePane::show(const report::HeatMap& map) {
    if (map_ == nullptr) connect(make(map_), &HeatMapView::cellSelected, this, &CataloguePane::cellChosen);
    map_->setHeatMap(map);
    bring(map_);
}

void CataloguePane::show(const Timeline& timeline) {
    if (gantt_ == nullptr) connect(make(gantt_), &GanttView::eventSelected, this, &CataloguePane::eventChosen);
    gantt_->setTimeline(timeline);
    bring(gantt_);
}

/// A drawing is as wide as the catalogue makes it: where there is less room, it is moved.
void CataloguePane::show(const report::Drawing& drawing) {
    if (drawing_ == nullptr) {
        scrolled_ = scrolled(make(drawing_));
        scrolled_->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    }
    drawing_->setMinimumWidth(static_cast<int>(std::ceil(drawing.width)));
    drawing_->setDrawing(fileStem(name_), [drawing](double, const report::TextWidth&) { return drawing; });
    bring(scrolled_);
}

void CataloguePane::pointChosen(int series, int point) {
    const report::Chart& chart = plot_->chart();
    if (!has(chart.series, series)) return;
    const report::Series& its = chart.series[toIndex(series)];
    if (!has(its.x, point)) return;
    plot_->setSelected(series, point);
    Facts facts{.title = text(its.name), .subtitle = text(chart.title), .icon = u"chart"_s};
    Facts::Section section;
    section.rows = {valueOn(chart.x, its.x[toIndex(point)]), valueOn(chart.y, its.y[toIndex(point)])};
    facts.sections = {section};
    QStringList names{toQt(its.id), toQt(its.name)};
    const auto category = static_cast<int>(its.x[toIndex(point)]);
    if (has(chart.x.categories, category)) names << toQt(chart.x.categories[toIndex(category)]);
    emit chosen(facts, names);
}

void CataloguePane::cellChosen(int row, int column) {
    const report::HeatMap& map = map_->heatMap();
    if (!has(map.rows, row) || !has(map.columns, column)) return;
    const std::size_t cell = toIndex(row) * map.columns.size() + toIndex(column);
    Facts facts{.title = text(map.columns[toIndex(column)]), .subtitle = text(map.title), .icon = u"table"_s};
    Facts::Section section;
    section.rows.append({.label = text(map.rowTitle), .value = text(map.rows[toIndex(row)])});
    if (cell < map.cells.size() && has(map.categories, map.cells[cell]))
        section.rows.append({.label = u"Is"_s, .value = text(map.categories[toIndex(map.cells[cell])].name)});
    facts.sections = {section};
    if (cell < map.details.size()) facts.note = text(map.details[cell]);
    emit chosen(facts, {toQt(map.rows[toIndex(row)]), toQt(map.columns[toIndex(column)])});
}

void CataloguePane::eventChosen(int event) {
    const Facts facts = eventFacts(gantt_->timeline(), event);
    if (has(gantt_->timeline().events, event))
        emit chosen(facts, {toQt(gantt_->timeline().events[toIndex(event)].name)});
}

std::vector<CataloguePane::Part> partsOf(const report::PictureRow& row, const study::Result& result,
                                         const report::Selection& at) {
    const auto part = report::catalogueOf(result.study.engine).part;
    std::vector<CataloguePane::Part> parts;
    for (const report::Selection& each : report::selectionsOf(row, result, at)) {
        const report::View view{result, each, {}};
        const bool named = row.scope == report::Scope::level && part != nullptr;
        parts.push_back(
            {.title = named ? shownText(part(view, row.scope)) : toQt(row.title), .picture = row.make(view)});
    }
    return parts;
}

Facts eventFacts(const Timeline& timeline, int event) {
    if (!has(timeline.events, event)) return {};
    const Timeline::Event& its = timeline.events[toIndex(event)];
    Facts facts{
        .title = text(its.name),
        .subtitle = has(timeline.tracks, its.track) ? text(timeline.tracks[toIndex(its.track)].name) : QString(),
        .icon = u"timeline"_s};
    Facts::Section section;
    section.rows = {timeOf(u"Begins after"_s, its.start, timeline), timeOf(u"Takes"_s, its.duration, timeline)};
    for (const auto& [label, value] : its.details) section.rows.append({.label = text(label), .value = text(value)});
    facts.sections = {section};
    return facts;
}

}  // namespace tessera::ui
