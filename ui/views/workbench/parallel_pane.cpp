#include "ui/views/workbench/parallel_pane.h"

#include <QJsonArray>
#include <QMenu>
#include <QScopedValueRollback>
#include <QToolButton>
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/report/point_pictures.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/flow_layout.h"
#include "ui/views/workbench/value_box.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t kAxesAtFirst = 7;

}  // namespace

ParallelPane::ParallelPane(PointSelection& selection, QWidget* parent)
    : PointPane(selection, parent), axes_(new QToolButton(this)), view_(new ParallelView(this)) {
    axes_->setText(u"Axes"_s);
    axes_->setAutoRaise(true);
    axes_->setToolTip(
        u"Which values have an axis. Drag an axis by its title to move it, double-click the title to invert it"_s);
    axes_->setPopupMode(QToolButton::InstantPopup);
    axes_->setMenu(new QMenu(axes_));
    connect(axes_->menu(), &QMenu::aboutToShow, this, &ParallelPane::fillMenu);
    bar().addWidget(axes_);
    view_->setAccessibleName(u"Points in all values"_s);
    view_->setCard([this](int row) { return this->selection().cardOf(row); });
    setPicture(view_);
    connect(&selection, &PointSelection::colourChanged, this, [this] {
        tonesStale_ = true;
        outdate();
    });
    connect(&selection, &PointSelection::reduced, this, [this] { pictureStale_ = true; });
    connect(view_, &ParallelView::rowClicked, this, [this](int row) { this->selection().choose(row); });
    connect(view_, &ParallelView::rowHovered, this, [this](int row) { this->selection().hover(row); });
    connect(view_, &ParallelView::arranged, this, [this] { arranged_ = arranged_ || !filling_; });
    connect(view_, &ParallelView::brushed, this, [this] {
        std::map<std::size_t, PointSelection::Range> ranges = this->selection().ranges();
        for (std::size_t axis = 0; axis < columns_.size(); ++axis) {
            ranges.erase(columns_[axis]);
            if (const std::optional<report::Stretch> brush = view_->brush(axis)) ranges[columns_[axis]] = *brush;
        }
        this->selection().setRanges(ranges);
    });
}

/// At first the telling values; all others have an axis that is not seen.
void ParallelPane::fill() {
    pictureStale_ = true;
    const std::vector<std::size_t> telling = report::tellingValues(points(), points().columns.size());
    if (telling == columns_ && !view_->order().empty()) return;
    if (arranged_ && pending_.isEmpty()) pending_ = saveState();  // of other points of the same kind
    const QScopedValueRollback<bool> guard(filling_, true);
    columns_ = telling;
    makePicture();
    std::vector<std::size_t> order;
    for (std::size_t axis = 0; axis < std::min(columns_.size(), kAxesAtFirst); ++axis) order.push_back(axis);
    view_->setOrder(std::move(order));
    if (!pending_.isEmpty()) restoreState(std::exchange(pending_, {}));
}

void ParallelPane::makePicture() {
    view_->setPicture(report::parallelOf(points(), columns_, selection().colour(), selection().states()));
    pictureStale_ = tonesStale_ = false;
}

void ParallelPane::draw() {
    if (pictureStale_) makePicture();
    if (std::exchange(tonesStale_, false)) {
        report::PointTones its = report::lineTonesOf(points(), selection().colour(), selection().states());
        view_->setTones(std::move(its.tones), std::move(its.key));
    }
    std::vector<std::optional<report::Stretch>> brushes;
    for (const std::size_t column : columns_) brushes.push_back(selection().range(column));
    view_->setBrushes(std::move(brushes));
    view_->setShown(report::shownRows(selection().states()));
}

void ParallelPane::mark() {
    view_->setSelected(selection().chosen(), selection().pinned(PointSelection::Pin::a));
    view_->setHovered(selection().hovered());
}

void ParallelPane::fillMenu() {
    QMenu* menu = axes_->menu();
    menu->clear();
    const std::vector<std::size_t>& order = view_->order();
    for (std::size_t axis = 0; axis < columns_.size(); ++axis) {
        QAction* action = menu->addAction(toQt(points().columns[columns_[axis]].title).replace(u'&', u"&&"_s));
        action->setCheckable(true);
        action->setChecked(std::find(order.begin(), order.end(), axis) != order.end());
        connect(action, &QAction::toggled, view_, [this, axis](bool on) {
            std::vector<std::size_t> its = view_->order();
            std::erase(its, axis);
            if (on) its.push_back(axis);
            view_->setOrder(std::move(its));
        });
    }
    menu->addSeparator();
    menu->addAction(u"Every value"_s, view_, [this] {
        std::vector<std::size_t> all;
        for (std::size_t axis = 0; axis < columns_.size(); ++axis) all.push_back(axis);
        view_->setOrder(std::move(all));
    });
}

QJsonObject ParallelPane::saveState() const {
    if (columns_.empty()) return pending_;
    QJsonArray order, inverted;
    const auto id = [this](std::size_t axis) {
        return columns_[axis] < points().columns.size() ? toQt(points().columns[columns_[axis]].id) : QString();
    };
    for (const std::size_t axis : view_->order()) {
        order.append(id(axis));
        if (view_->isInverted(axis)) inverted.append(id(axis));
    }
    return {{u"axes"_s, order}, {u"inverted"_s, inverted}};
}

std::vector<std::size_t> ParallelPane::idsToAxes(const QJsonValue& ids) const {
    std::vector<std::size_t> axes;
    const QJsonArray all = ids.toArray();
    for (const QJsonValue& id : all)
        for (std::size_t axis = 0; axis < columns_.size(); ++axis)
            if (toQt(points().columns[columns_[axis]].id) == id.toString() &&
                std::find(axes.begin(), axes.end(), axis) == axes.end())
                axes.push_back(axis);
    return axes;
}

void ParallelPane::restoreState(const QJsonObject& state) {
    if (columns_.empty()) {
        pending_ = state;
        return;
    }
    arranged_ = true;
    view_->setOrder(idsToAxes(state.value("axes"_L1)));
    const std::vector<std::size_t> inverted = idsToAxes(state.value("inverted"_L1));
    for (std::size_t axis = 0; axis < columns_.size(); ++axis)
        view_->setInverted(axis, std::find(inverted.begin(), inverted.end(), axis) != inverted.end());
}

}  // namespace tessera::ui
