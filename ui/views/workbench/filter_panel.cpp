#include "ui/views/workbench/filter_panel.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/report/point_pictures.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/plot/drawing_painter.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr int kRow = 58;    ///< pixels
constexpr int kTitle = 16;  ///< from a row's top to the base line of its title
constexpr int kTrackTop = 22, kTrackHeight = 18;
constexpr int kWide = 220;
constexpr int kMargin = 10;
constexpr std::size_t kBins = 32;
constexpr int kKeySteps = 40;

}  // namespace

FilterPanel::FilterPanel(PointSelection& selection, QWidget* parent) : QWidget(parent), selection_(selection) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(u"Ranges of values"_s);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    const auto outdated = [this] {
        stale_ = true;
        if (isVisible()) fill();
    };
    connect(&selection, &PointSelection::tableChanged, this, outdated);
    connect(&selection, &PointSelection::reduced, this, outdated);
    connect(&selection, &PointSelection::filtered, this, [this] {
        stale_ = stale_ || !isVisible();
        if (stale_) return;
        count();
        update();
    });
    connect(&theme(), &Theme::changed, this, qOverload<>(&QWidget::update));
}

QSize FilterPanel::sizeHint() const {
    return {kWide, std::max(kRow, kRow * static_cast<int>(columns_.size()) + kMargin)};
}

void FilterPanel::showEvent(QShowEvent* event) {
    if (stale_) fill();
    QWidget::showEvent(event);
}

/// Values in which points differ; what is asked of results stands above what is chosen.
void FilterPanel::fill() {
    stale_ = false;
    columns_ = report::tellingValues(selection_.table(), selection_.table().columns.size());
    std::stable_partition(columns_.begin(), columns_.end(),
                          [this](std::size_t column) { return !selection_.table().columns[column].isVariable(); });
    ends_.assign(columns_.size(), {});
    for (std::size_t row = 0; row < columns_.size(); ++row) {
        const explore::PointColumn& column = selection_.table().columns[columns_[row]];
        Ends& its = ends_[row];
        its.low = std::numeric_limits<double>::infinity();
        its.high = -its.low;
        for (std::size_t i = 0; i < column.values.size(); ++i) {
            if (!std::isfinite(column.values[i]) ||
                report::stateOf(selection_.states(), i) == report::PointState::excluded)
                continue;
            its.low = std::min(its.low, column.values[i]);
            its.high = std::max(its.high, column.values[i]);
        }
        if (!(its.high > its.low)) its.high = its.low + 1;
        its.logarithmic = column.log && its.low > 0;
        its.stretches.assign(column.values.size(), static_cast<std::uint8_t>(kBins));
        for (std::size_t i = 0; i < column.values.size(); ++i)
            if (column.values[i] >= its.low && column.values[i] <= its.high &&
                report::stateOf(selection_.states(), i) != report::PointState::excluded)
                its.stretches[i] = static_cast<std::uint8_t>(
                    std::min(static_cast<double>(kBins) - 1, placeOf(row, column.values[i]) * kBins));
    }
    current_ = std::clamp(current_, 0, std::max(0, static_cast<int>(columns_.size()) - 1));
    count();
    updateGeometry();
    update();
}

void FilterPanel::count() {
    for (Ends& its : ends_) {
        its.all.assign(kBins + 1, 0);
        its.shown.assign(kBins + 1, 0);
        for (std::size_t i = 0; i < its.stretches.size(); ++i) {
            its.all[its.stretches[i]] += 1;
            if (selection_.isShown(i)) its.shown[its.stretches[i]] += 1;
        }
    }
}

QRectF FilterPanel::trackOf(std::size_t row) const {
    return {static_cast<double>(kMargin), static_cast<double>(row) * kRow + kTrackTop,
            static_cast<double>(width() - 2 * kMargin), static_cast<double>(kTrackHeight)};
}

double FilterPanel::placeOf(std::size_t row, double value) const {
    const Ends& its = ends_[row];
    const auto at = [&](double each) { return its.logarithmic ? std::log10(each) : each; };
    const double place = (at(value) - at(its.low)) / (at(its.high) - at(its.low));
    return std::isfinite(place) ? std::clamp(place, 0.0, 1.0) : 0;
}

double FilterPanel::valueAt(std::size_t row, double place) const {
    const Ends& its = ends_[row];
    if (place <= 0) return its.low;
    if (place >= 1) return its.high;
    return its.logarithmic ? its.low * std::pow(its.high / its.low, place) : its.low + (its.high - its.low) * place;
}

/// What a range leaves open ends where the values end.
PointSelection::Range FilterPanel::rangeOf(std::size_t row) const {
    const Ends& its = ends_[row];
    PointSelection::Range range = selection_.range(columns_[row]).value_or(PointSelection::Range{its.low, its.high});
    if (!std::isfinite(range.low)) range.low = its.low;
    if (!std::isfinite(range.high)) range.high = its.high;
    return range;
}

/// An end that is not moved in is open, so that better points to come are shown, too. All of it is no range.
void FilterPanel::setRange(std::size_t row, PointSelection::Range range) {
    constexpr double kOpen = std::numeric_limits<double>::infinity();
    if (range.low <= ends_[row].low) range.low = -kOpen;
    if (range.high >= ends_[row].high) range.high = kOpen;
    const bool whole = range.low == -kOpen && range.high == kOpen;
    selection_.setRange(columns_[row], whole ? std::nullopt : std::optional(range));
    announceRow();
}

int FilterPanel::rowAt(QPointF at) const {
    const int row = static_cast<int>(at.y()) / kRow;
    return at.y() >= 0 && row < static_cast<int>(columns_.size()) ? row : -1;
}

void FilterPanel::announceRow() {
    if (columns_.empty()) return;
    const auto row = static_cast<std::size_t>(current_);
    const explore::PointColumn& column = selection_.table().columns[columns_[row]];
    const PointSelection::Range range = rangeOf(row);
    announce(
        *this, u"Ranges of values"_s,
        u"%1: from %2 to %3, %4 of %5 points"_s
            .arg(toQt(column.title), toQt(report::textOf(column, range.low)), toQt(report::textOf(column, range.high)))
            .arg(selection_.shownCount())
            .arg(selection_.keptCount()));
}

void FilterPanel::paintRow(QPainter& painter, std::size_t row) const {
    const explore::PointColumn& column = selection_.table().columns[columns_[row]];
    const QRectF track = trackOf(row);
    const double top = static_cast<double>(row) * kRow;
    const PointSelection::Range range = rangeOf(row);
    const bool set = selection_.range(columns_[row]).has_value();
    report::Drawing drawing;
    const std::string title = report::fitted(report::titleOf(column), track.width(), 11, set, pictureWidth());
    drawing.shapes.emplace_back(report::Label{
        .at = {track.left(), top + kTitle}, .text = title, .colour = set ? "accent" : "text", .strong = set});
    const double max = std::max(1.0, *std::max_element(ends_[row].all.begin(), ends_[row].all.end() - 1));
    const double step = track.width() / static_cast<double>(kBins);
    for (const bool front : {false, true})
        for (std::size_t bin = 0; bin < kBins; ++bin) {
            const double count = front ? ends_[row].shown[bin] : ends_[row].all[bin];
            if (count == 0) continue;
            const double height = std::max(1.0, (track.height() - 3) * std::sqrt(count / max));
            drawing.shapes.emplace_back(report::Box{.area = {track.left() + step * static_cast<double>(bin),
                                                             track.bottom() - height, std::max(1.0, step - 1), height},
                                                    .fill = front ? "accent" : "border",
                                                    .opacity = front ? 0.55 : 1});
        }
    const double from = track.left() + track.width() * placeOf(row, range.low);
    const double to = track.left() + track.width() * placeOf(row, range.high);
    drawing.shapes.emplace_back(
        report::Box{.area = {track.left(), track.bottom(), track.width(), 2}, .fill = "border", .radius = 1});
    drawing.shapes.emplace_back(report::Box{
        .area = {from, track.bottom(), std::max(1.0, to - from), 2}, .fill = set ? "accent" : "control", .radius = 1});
    for (const double at : {from, to})
        drawing.shapes.emplace_back(report::Box{.area = {at - 4, track.bottom() - 4, 8, 10},
                                                .fill = "surface",
                                                .stroke = set ? "accent" : "control",
                                                .radius = 3});
    const double half = track.width() / 2 - 4;
    const auto end = [&](double value, bool left) {
        drawing.shapes.emplace_back(
            report::Label{.at = {left ? track.left() : track.right(), top + kRow - 4},
                          .text = report::fitted(report::textOf(column, value), half, 11, false, pictureWidth()),
                          .anchor = left ? report::Anchor::start : report::Anchor::end});
    };
    end(range.low, true);
    end(range.high, false);
    paintDrawing(painter, drawing);
    if (hasFocus() && static_cast<int>(row) == current_)
        paintRing(painter, QRectF(2, top + 2, width() - 4, kRow - 2), "accent", 1);
}

void FilterPanel::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    for (std::size_t row = 0; row < columns_.size(); ++row) paintRow(painter, row);
}

void FilterPanel::mousePressEvent(QMouseEvent* event) {
    const int row = event->button() == Qt::LeftButton ? rowAt(event->position()) : -1;
    if (row < 0) return;
    current_ = dragged_ = row;
    const auto its = static_cast<std::size_t>(row);
    const QRectF track = trackOf(its);
    const double place = (event->position().x() - track.left()) / track.width();
    const PointSelection::Range range = rangeOf(its);
    upper_ = std::fabs(placeOf(its, range.high) - place) <= std::fabs(placeOf(its, range.low) - place);
    mouseMoveEvent(event);
}

void FilterPanel::mouseMoveEvent(QMouseEvent* event) {
    if (dragged_ < 0) return;
    const auto row = static_cast<std::size_t>(dragged_);
    const QRectF track = trackOf(row);
    const double value = valueAt(row, (event->position().x() - track.left()) / track.width());
    PointSelection::Range range = rangeOf(row);
    (upper_ ? range.high : range.low) = value;
    if (range.low > range.high) (upper_ ? range.low : range.high) = value;
    setRange(row, range);
    update();
}

void FilterPanel::mouseReleaseEvent(QMouseEvent* /*event*/) {
    dragged_ = -1;
}

void FilterPanel::mouseDoubleClickEvent(QMouseEvent* event) {
    if (const int row = rowAt(event->position()); row >= 0)
        selection_.setRange(columns_[static_cast<std::size_t>(row)], std::nullopt);
}

void FilterPanel::keyPressEvent(QKeyEvent* event) {
    if (columns_.empty()) return QWidget::keyPressEvent(event);
    const auto row = static_cast<std::size_t>(current_);
    const bool upper = (event->modifiers() & Qt::ShiftModifier) != 0;
    const auto move = [&](int steps) {
        PointSelection::Range range = rangeOf(row);
        double& end = upper ? range.high : range.low;
        end = valueAt(row, placeOf(row, end) + static_cast<double>(steps) / kKeySteps);
        if (range.low > range.high) (upper ? range.low : range.high) = end;
        setRange(row, range);
    };
    switch (event->key()) {
        case Qt::Key_Up:
            current_ = std::max(0, current_ - 1);
            break;
        case Qt::Key_Down:
            current_ = std::min(static_cast<int>(columns_.size()) - 1, current_ + 1);
            break;
        case Qt::Key_Left:
            move(-1);
            break;
        case Qt::Key_Right:
            move(1);
            break;
        case Qt::Key_Delete:
        case Qt::Key_Backspace:
            selection_.setRange(columns_[row], std::nullopt);
            break;
        default:
            return QWidget::keyPressEvent(event);
    }
    announceRow();
    update();
    emit currentMoved(QRect(0, current_ * kRow, width(), kRow));
}

bool FilterPanel::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int row = rowAt(help->pos());
        const QString text =
            row < 0 ? QString() : toQt(selection_.table().columns[columns_[static_cast<std::size_t>(row)]].help);
        QToolTip::showText(help->globalPos(), text.toHtmlEscaped(), this);
        return true;
    }
    return QWidget::event(event);
}

}  // namespace tessera::ui
