#include "ui/views/workbench/workbench.h"

#include <QComboBox>
#include <QJsonArray>
#include <QLabel>
#include <QResizeEvent>
#include <QScrollArea>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/report/point_pictures.h"
#include "ui/models/table_columns.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/flow_layout.h"
#include "ui/views/workbench/chart_of_points.h"
#include "ui/views/workbench/filter_panel.h"
#include "ui/views/workbench/matrix_pane.h"
#include "ui/views/workbench/parallel_pane.h"
#include "ui/views/workbench/point_list.h"
#include "ui/views/workbench/value_box.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

using Value = explore::PointColumn;

/// A variable that points were chosen in, as surfaces are over.
bool isVariable(const Value& column) {
    if (!column.isVariable()) return false;
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const double value : column.values)
        if (std::isfinite(value)) {
            low = std::min(low, value);
            high = std::max(high, value);
        }
    return high > low;
}
bool isNoVariable(const Value& column) {
    return column.role != Value::Role::variable && column.words.empty();
}
bool hasBetterEnd(const Value& column) {
    return column.better != Value::Better::neither;
}

/// Of a range, as it is saved: null where it is open.
QJsonValue endOf(double value) {
    return std::isfinite(value) ? QJsonValue(value) : QJsonValue();
}

}  // namespace

Workbench::Workbench(QUndoStack* undo, QWidget* parent)
    : QWidget(parent),
      selection_(new PointSelection(this)),
      scatter_(new ScatterPane(*selection_, this)),
      parallel_(new ParallelPane(*selection_, this)),
      matrix_(new MatrixPane(*selection_, this)),
      surface_(new ChartOfPoints(*selection_,
                                 {.name = u"A value over two variables"_s,
                                  .choices = {{u"Value"_s, isNoVariable}, {u"Y"_s, isVariable}, {u"X"_s, isVariable}},
                                  .make =
                                      [](const ChartOfPoints::Input& its) {
                                          return report::surfaceChart(
                                              its.points, its.columns[0], its.columns[2], its.columns[1],
                                              static_cast<std::size_t>(std::max(its.chosen, 0)));
                                      },
                                  .followsChosen = true},
                                 this)),
      importance_(new ChartOfPoints(
          *selection_,
          {.name = u"What a value depends on"_s,
           .choices = {{u"Value"_s, isNoVariable}},
           .make = [](const ChartOfPoints::Input& its) { return report::importanceChart(its.points, its.columns[0]); }},
          this)),
      progress_(new ChartOfPoints(
          *selection_,
          {.name = u"Best value so far"_s,
           .choices = {{u"Best so far of"_s, hasBetterEnd}},
           .make = [](const ChartOfPoints::Input& its) { return report::bestSoFarChart(its.points, its.columns[0]); }},
          this)),
      hypervolume_(new ChartOfPoints(
          *selection_,
          {.name = u"What the front dominates"_s,
           .make = [](const ChartOfPoints::Input& its) { return report::hypervolumeChart(its.points); }},
          this)),
      filters_(new FilterPanel(*selection_)),
      filterArea_(new QScrollArea(this)),
      list_(new PointList(*selection_, this)),
      comparison_(new PointComparison(*selection_, this)),
      splitter_(new QSplitter(Qt::Horizontal, this)),
      count_(new QLabel(this)) {
    selection_->setUndoStack(undo);
    pictures_ = {
        {u"scatter"_s, u"Scatter"_s, u"Two values, the front between them, and two more by colour and size"_s,
         scatter_},
        {u"parallel"_s, u"Parallel axes"_s, u"All values, with a brush on every axis"_s, parallel_},
        {u"matrix"_s, u"Matrix"_s, u"Every value against every other one"_s, matrix_},
        {u"surface"_s, u"Surface"_s, u"A value over two variables, all others as at the chosen point"_s, surface_,
         [this] { return surface_->applies(); }},
        {u"importance"_s, u"What matters"_s, u"Share of a value's variance that each variable explains"_s, importance_,
         [this] { return importance_->applies(); }},
        {u"progress"_s, u"Progress"_s, u"The best value so far, point by point"_s, progress_,
         [this] { return inOrder_ && progress_->applies(); }},
        {u"hypervolume"_s, u"Hypervolume"_s, u"What the front dominates so far, point by point"_s, hypervolume_,
         [this] { return inOrder_ && objectives() > 1; }},
    };
    list_->hide();  // until a page of details takes them
    comparison_->hide();

    auto* layout = bareLayout<QVBoxLayout>(this, theme().spacing());
    layout->addWidget(makeBar());
    auto* row = bareLayout<QHBoxLayout>(theme().spacing());
    filterArea_->setWidget(filters_);
    filterArea_->setAccessibleName(u"Filters"_s);
    filterArea_->setWidgetResizable(true);
    filterArea_->setFrameShape(QFrame::NoFrame);
    filterArea_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    filterArea_->setFixedWidth(filters_->sizeHint().width() + theme().spacing(4));
    filterArea_->hide();
    connect(filters_, &FilterPanel::currentMoved, this, [this](const QRect& its) {
        filterArea_->ensureVisible(its.center().x(), its.center().y(), 0, its.height() / 2 + 1);
    });
    row->addWidget(filterArea_);
    splitter_->setChildrenCollapsible(false);
    for (int side = 0; side < 2; ++side) {
        auto* place = new QWidget;
        bareLayout<QVBoxLayout>(place, theme().spacing());
        places_[side] = place;
        splitter_->addWidget(place);
    }
    constexpr int kHalf = 1000;
    splitter_->setSizes({kHalf, kHalf});
    row->addWidget(splitter_, 1);
    layout->addLayout(row, 1);
    for (int picture = 0; picture < static_cast<int>(pictures_.size()); ++picture) letChoose(picture);
    connect(matrix_, &MatrixPane::fieldChosen, this, [this] { showPicture(u"scatter"_s); });
    connect(selection_, &PointSelection::filtered, this, &Workbench::showCounts);
    connect(selection_, &PointSelection::chosenChanged, this, &Workbench::showPins);
    connect(selection_, &PointSelection::pinsChanged, this, &Workbench::showPins);
    connect(selection_, &PointSelection::tableChanged, this, &Workbench::showPins);
    for (const auto signal : {&PointSelection::tableChanged, &PointSelection::axesChanged})
        connect(selection_, signal, this, &Workbench::whyChanged);
    connect(selection_, &PointSelection::chosenChanged, this, &Workbench::whyChanged);
    const auto showColour = [this] {
        colour_->fill(selection_->table());
        colour_->setColumn(selection_->colour());
    };
    connect(selection_, &PointSelection::tableChanged, this, showColour);
    connect(selection_, &PointSelection::colourChanged, this, showColour);
    showColour();
    // Not the stack itself: one of its own says that it is cleared when all of this is already gone.
    connect(selection_, &PointSelection::stepsChanged, this, &Workbench::showCounts);
    fillChoices();
    arrange();
    showCounts();
    showPins();
}

Workbench::~Workbench() = default;

void Workbench::letChoose(int picture) {
    connect(pictures_[static_cast<std::size_t>(picture)].pane, &PointPane::pictureWanted, this,
            [this, picture](const QString& wanted) {
                const int other = pictureNamed(wanted);
                put(picture == sides_[0] ? 0 : 1, other);
                if (other >= 0) pictures_[static_cast<std::size_t>(other)].pane->pictureBox()->setFocus();
            });
}

void Workbench::addPicture(Picture picture) {
    pictures_.push_back(std::move(picture));
    letChoose(static_cast<int>(pictures_.size()) - 1);
    fillChoices();
    arrange();
}

QToolButton* Workbench::addButton(const QString& text, const QString& help, const std::function<void()>& run) {
    auto* button = new QToolButton(this);
    button->setText(text);
    button->setToolTip(help);
    button->setAutoRaise(true);
    connect(button, &QToolButton::clicked, this, [run] { run(); });
    line_->addWidget(button);
    return button;
}

QWidget* Workbench::makeBar() {
    auto* bar = new QWidget(this);
    line_ = new FlowLayout(bar);
    line_->setSpacing(theme().spacing(2));
    colour_ = new ValueBox(u"Colour"_s, u"Role"_s, this);
    colour_->setToolTip(u"Colours the points of all pictures by a value, or by what they are"_s);
    auto* coloured = new QWidget(this);
    auto* pair = bareLayout<QHBoxLayout>(coloured, theme().spacing(2));
    auto* label = new QLabel(u"Colour"_s, coloured);
    setLook(*label, "tone", u"secondary"_s);
    label->setBuddy(colour_);
    pair->addWidget(label);
    pair->addWidget(colour_);
    line_->addWidget(coloured);
    connect(colour_, &ValueBox::chosen, this, [this] { selection_->setColour(colour_->column()); });
    line_->addStretch();
    setLook(*count_, "tone", u"secondary"_s);
    count_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    line_->addWidget(count_);
    keep_ = addButton(u"Keep"_s, u"Excludes the points that are filtered out"_s, [this] { selection_->keep(); });
    exclude_ = addButton(u"Exclude"_s, u"Excludes the points that are shown"_s, [this] { selection_->exclude(); });
    undo_ = addButton(u"Undo"_s, {}, [this] { selection_->undoStack().undo(); });
    undo_->setIcon(theme().icon(u"undo"_s));
    undo_->setToolButtonStyle(Qt::ToolButtonIconOnly);
    all_ = addButton(u"Show all"_s, u"Clears all brushes, and takes back what was excluded"_s,
                     [this] { selection_->showAll(); });
    filter_ = addButton(u"Filters"_s, u"A slider for every value"_s, [this] {
        filterArea_->setVisible(filter_->isChecked());
        arrange();
    });
    filter_->setIcon(theme().icon(u"filter"_s));
    filter_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    filter_->setCheckable(true);
    pinA_ =
        addButton(u"Pin as A"_s, u"Compares others with the chosen point"_s, [this] { pin(PointSelection::Pin::a); });
    pinB_ = addButton(u"B"_s, u"Compares the chosen point with A, whichever is chosen later"_s,
                      [this] { pin(PointSelection::Pin::b); });
    pinB_->setAccessibleName(u"Pin as B"_s);
    pinA_->setIcon(theme().icon(u"pin"_s));
    pinA_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    for (QToolButton* button : {pinA_, pinB_}) button->setCheckable(true);
    return bar;
}

void Workbench::addTool(QWidget* tool) {
    line_->addWidget(tool);
}

void Workbench::setLive(const QString& text) {
    plot()->setLive(text);
    for (ChartOfPoints* chart : {progress_, hypervolume_}) chart->setLive(text);
}

QToolButton* Workbench::addToolForShown(const QString& text, const QString& icon, const QString& help,
                                        const std::function<void()>& run, bool some) {
    QToolButton* button = addButton(text, help, run);
    button->setIcon(theme().icon(icon));
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    const auto offer = [this, button, some] {
        button->setEnabled(selection_->shownCount() > 0 && (!some || selection_->shownCount() < selection_->size()));
    };
    connect(selection_, &PointSelection::filtered, button, offer);
    offer();
    return button;
}

void Workbench::setPoints(PointSelection::Table points) {
    selection_->setTable(std::move(points));
    fillChoices();
    arrange();
}

void Workbench::setPointMenu(const std::function<void(QMenu& menu)>& fill) {
    scatter_->setPointMenu(fill);
    list_->setPointMenu(fill);
}

void Workbench::setEmptyTexts(const QString& none, const QString& noneShown) {
    scatter_->setEmptyText(none);
    list_->setEmptyTexts(none, noneShown);
}

void Workbench::setInOrder(bool on) {
    inOrder_ = on;
    fillChoices();
    arrange();
}

ParallelView* Workbench::parallel() const {
    return parallel_->view();
}

bool Workbench::isOffered(int picture) const {
    return offered_.at(static_cast<std::size_t>(picture));
}

std::size_t Workbench::objectives() const {
    const auto& columns = selection_->table().columns;
    return static_cast<std::size_t>(std::count_if(
        columns.begin(), columns.end(), [](const Value& column) { return column.role == Value::Role::objective; }));
}

int Workbench::pictureNamed(const QString& id) const {
    for (int picture = 0; picture < static_cast<int>(pictures_.size()); ++picture)
        if (pictures_[static_cast<std::size_t>(picture)].id == id && isOffered(picture)) return picture;
    return -1;
}

QStringList Workbench::pictures() const {
    QStringList ids;
    for (int picture = 0; picture < static_cast<int>(pictures_.size()); ++picture)
        if (isOffered(picture)) ids << pictures_[static_cast<std::size_t>(picture)].id;
    return ids;
}

QStringList Workbench::seen() const {
    QStringList ids{pictures_.at(static_cast<std::size_t>(sides_[0])).id};
    if (hasRoomForTwo()) ids << pictures_.at(static_cast<std::size_t>(sides_[1])).id;
    return ids;
}

void Workbench::showPicture(const QString& picture) {
    if (!seen().contains(picture)) put(0, pictureNamed(picture));
}

/// A run that goes on has other points all the time, and mostly the same pictures: lists that are open stay so.
void Workbench::fillChoices() {
    std::vector<bool> offered;
    for (const Picture& picture : pictures_) offered.push_back(!picture.offered || picture.offered());
    if (std::exchange(offered_, offered) == offered) return;
    QVector<PictureChoice> choices;
    for (int picture = 0; picture < static_cast<int>(pictures_.size()); ++picture) {
        const Picture& its = pictures_[static_cast<std::size_t>(picture)];
        if (isOffered(picture)) choices.append({.id = its.id, .title = its.title, .help = its.help});
    }
    for (const Picture& picture : pictures_) picture.pane->setPictures(choices, picture.id);
    for (int side = 0; side < 2; ++side)
        if (!isOffered(sides_[side])) sides_[side] = sides_[1 - side] == 0 ? 1 : 0;
}

/// What stood there before goes to the other side where the picture comes from.
void Workbench::put(int side, int picture) {
    if (picture < 0 || picture >= static_cast<int>(pictures_.size()) || !isOffered(picture)) return;
    if (sides_[1 - side] == picture) sides_[1 - side] = sides_[side];
    sides_[side] = picture;
    arrange();
}

bool Workbench::hasRoomForTwo() const {
    return width() - (filterArea_->isHidden() ? 0 : filterArea_->width()) >= kRoomForTwo;
}

void Workbench::arrange() {
    const bool both = hasRoomForTwo();
    hadRoomForTwo_ = both;
    for (int picture = 0; picture < static_cast<int>(pictures_.size()); ++picture) {
        PointPane* pane = pictures_[static_cast<std::size_t>(picture)].pane;
        const int side = picture == sides_[0] ? 0 : both && picture == sides_[1] ? 1 : -1;
        if (side < 0) {
            pane->setActive(false);
            pane->hide();
            continue;
        }
        if (pane->parentWidget() != places_[side]) places_[side]->layout()->addWidget(pane);
        pane->show();
        pane->setActive(true);
    }
    places_[1]->setVisible(both);
}

void Workbench::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    if (hadRoomForTwo_ != hasRoomForTwo() || !event->oldSize().isValid()) arrange();
}

void Workbench::showCounts() {
    const PointSelection& its = *selection_;
    const bool filtered = its.shownCount() < its.keptCount() || its.isBrushed();
    const QString all = countText(its.size()), none = counted(its.size(), "point", "points");
    const QString some = u"%1 of %2"_s;
    count_->setText(filtered || its.isReduced() ? some.arg(countText(its.shownCount()), all) : none);
    count_->setToolTip(its.isReduced() ? u"%1 of %2 points are shown, %3 are excluded"_s.arg(
                                             countText(its.shownCount()), all, countText(its.size() - its.keptCount()))
                                       : u"How many points are shown"_s);
    count_->setAccessibleDescription(count_->toolTip());
    // As wide as it gets, so that nothing moves while a range is dragged.
    const QFontMetrics metrics = count_->fontMetrics();
    count_->setMinimumWidth(std::max(metrics.horizontalAdvance(some.arg(all, all)), metrics.horizontalAdvance(none)));
    keep_->setEnabled(filtered && its.shownCount() > 0);
    exclude_->setEnabled(filtered && its.shownCount() > 0);
    all_->setEnabled(filtered || its.isReduced());
    undo_->setEnabled(its.undoStack().canUndo());
    undo_->setToolTip(its.undoStack().canUndo() ? u"Undo: %1"_s.arg(its.undoStack().undoText()) : u"Undo"_s);
}

void Workbench::pin(PointSelection::Pin which) {
    const int chosen = selection_->chosen();
    selection_->setPin(which, selection_->pinned(which) == chosen ? -1 : chosen);
    showPins();
}

void Workbench::showPins() {
    const int chosen = selection_->chosen();
    const auto show = [&](QToolButton* button, PointSelection::Pin which) {
        button->setEnabled(chosen >= 0);
        button->setChecked(chosen >= 0 && selection_->pinned(which) == chosen);
    };
    show(pinA_, PointSelection::Pin::a);
    show(pinB_, PointSelection::Pin::b);
}

QStringList Workbench::whySentences() const {
    QStringList lines;
    const explore::PointTable& points = selection_->table();
    const std::size_t x = selection_->x(), y = selection_->y();
    const auto add = [&](std::size_t point) {
        for (const std::string& sentence : report::whySentences(points, point, x, y)) lines << toQt(sentence);
    };
    const int chosen = selection_->chosen();
    if (chosen >= 0) add(static_cast<std::size_t>(chosen));
    const std::optional<std::size_t> knee = report::kneeOf(points, report::frontOf(points, x, y), x, y);
    if (knee && static_cast<int>(*knee) != chosen) {
        lines << u"The knee is %1."_s.arg(toQt(report::nameOf(points, *knee)));
        add(*knee);
    }
    return lines;
}

QVector<Exportable> Workbench::exportables() const {
    QVector<Exportable> all;
    if (selection_->size() == 0) return all;
    const QString stem = fileStem(toQt(selection_->table().title));
    all.append({.name = stem + u"-shown"_s,
                .title = u"Points that are shown"_s,
                .csv = [points = selection_->shared(), states = selection_->states()] {
                    return report::toCsv(*points, states);
                }});
    if (studyOfShown_ && selection_->shownCount() > 0)
        all.append({.name = stem + u"-study"_s,
                    .title = u"Study of what is shown"_s,
                    .json = studyOfShown_(),
                    .jsonTitle = u"Study"_s});
    for (const Picture& picture : pictures_)
        if (picture.pane->isActive())
            for (Exportable& its : picture.pane->exportables()) {
                its.title = u"%1 as shown"_s.arg(picture.title);
                all.append(its);
            }
    return all;
}

QJsonObject Workbench::saveState() const {
    QJsonObject state;
    for (const Picture& picture : pictures_)
        if (const QJsonObject its = picture.pane->saveState(); !its.isEmpty()) state[picture.id] = its;
    QJsonArray sides;
    for (const int side : sides_) sides.append(pictures_.at(static_cast<std::size_t>(side)).id);
    state[u"pictures"_s] = sides;
    QJsonObject ranges;
    for (const auto& [column, range] : selection_->ranges())
        ranges[toQt(selection_->table().columns[column].id)] = QJsonArray{endOf(range.low), endOf(range.high)};
    if (!ranges.isEmpty()) state[u"ranges"_s] = ranges;
    if (filter_->isChecked()) state[u"filters"_s] = true;
    return state;
}

void Workbench::restoreState(const QJsonObject& state) {
    for (const Picture& picture : pictures_)
        if (state.value(picture.id).isObject()) picture.pane->restoreState(state.value(picture.id).toObject());
    const QJsonArray sides = state.value("pictures"_L1).toArray();
    for (int side = 0; side < 2 && side < sides.size(); ++side) put(side, pictureNamed(sides.at(side).toString()));
    std::map<std::size_t, PointSelection::Range> ranges;
    const QJsonObject saved = state.value("ranges"_L1).toObject();
    for (auto range = saved.begin(); range != saved.end(); ++range) {
        const auto column = report::columnNamed(selection_->table(), range.key().toStdString());
        const QJsonArray ends = range.value().toArray();
        const auto isEnd = [](const QJsonValue& end) { return end.isDouble() || end.isNull(); };
        if (!column || ends.size() != 2 || !isEnd(ends[0]) || !isEnd(ends[1])) continue;
        constexpr double kOpen = std::numeric_limits<double>::infinity();
        ranges[*column] = {ends[0].toDouble(-kOpen), ends[1].toDouble(kOpen)};
    }
    if (state.contains("ranges"_L1) || state.contains("pictures"_L1)) selection_->setRanges(ranges);
    filter_->setChecked(state.value("filters"_L1).toBool());
    filterArea_->setVisible(filter_->isChecked());
}

}  // namespace tessera::ui
