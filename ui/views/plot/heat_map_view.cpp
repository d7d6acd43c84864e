#include "ui/views/plot/heat_map_view.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QTimer>
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/draw/heat_map_layout.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/plot/drawing_painter.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr double kMinColumns = 4;  ///< zooming in ends here
constexpr double kMinRows = 2;
constexpr double kRowsThatFit = 64;  ///< more are zoomed too

struct Cell {
    int row = -1, column = -1;
    bool operator==(const Cell&) const = default;
};

}  // namespace

struct HeatMapView::Implementation : PictureContent {
    explicit Implementation(HeatMapView* widget) : owner(widget) {}

    HeatMapView* owner;
    report::HeatMap value;
    report::HeatMapView view{.fill = true, .tips = false};
    report::HeatMapLayout layout;
    Cell selected, hovered;
    Cell clicked;
    QPoint clickedAt;    ///< on the screen
    QTimer doubleClick;  ///< a second click on the clicked cell may still come
    double pressedColumn = 0, pressedRow = 0;

    int rows() const { return static_cast<int>(report::rowsOf(value)); }
    int columns() const { return static_cast<int>(report::columnsOf(value)); }
    bool isCell(Cell cell) const {
        return cell.row >= 0 && cell.column >= 0 && cell.row < rows() && cell.column < columns();
    }
    bool isZoomed() const override { return view.columns > 0 || view.rows > 0; }

    const report::HeatMapLayout& laidOut() const {
        owner->ensureLayout();
        return layout;
    }

    Cell cellAt(QPointF at) {
        const report::HeatMapLayout& its = laidOut();
        if (its.empty || !its.plot.contains({at.x(), at.y()})) return {};
        const Cell cell{static_cast<int>(std::floor(its.rowAt(at.y()))),
                        static_cast<int>(std::floor(its.columnAt(at.x())))};
        return isCell(cell) ? cell : Cell{};
    }

    QStringList textOf(Cell cell) const {
        if (!isCell(cell)) return {};
        const auto row = static_cast<std::size_t>(cell.row);
        const auto column = static_cast<std::size_t>(cell.column);
        QStringList lines;
        lines.append(column < value.columns.size() ? toQt(escaped(value.columns[column]))
                                                   : QString::number(column + 1));
        if (row < value.rows.size())
            lines.append(value.rowTitle.empty() ? toQt(escaped(value.rows[row]))
                                                : toQt(escaped(value.rowTitle) + " " + escaped(value.rows[row])));
        const int category = report::categoryAt(value, row, column);
        lines.append(category < 0 ? u"nothing"_s
                                  : toQt(escaped(value.categories[static_cast<std::size_t>(category)].name)));
        const std::size_t index = row * report::columnsOf(value) + column;
        if (index < value.details.size() && !value.details[index].empty())
            lines.append(toQt(escaped(value.details[index])).split(u" · "_s));
        return lines;
    }

    void select(Cell cell, bool notify) {
        if (cell == selected) return;
        selected = cell;
        announce(*owner, toQt(escaped(value.title)), textOf(cell).join(u", "_s));
        owner->update();
        if (notify) emit owner->cellSelected(cell.row, cell.column);
    }

    void reveal(Cell cell) {
        if (!isZoomed()) return;
        const auto moved = [](double first, double count, double place) {
            if (count <= 0) return first;
            return std::clamp(first, place + 1 - count, place);
        };
        view.firstColumn = moved(view.firstColumn, view.columns, cell.column);
        view.firstRow = moved(view.firstRow, view.rows, cell.row);
        owner->pictureChanged();
    }

    void paintAbove(QPainter& painter) override {
        painter.save();
        painter.setClipRect(toRect(layout.plot).adjusted(-3, -3, 3, 3));
        outline(painter, hovered, "text", 1);
        outline(painter, selected, "text", 2);  // the accent is a type's colour
        painter.restore();
    }

    void outline(QPainter& painter, Cell cell, std::string_view colour, double width) const {
        if (!isCell(cell) || layout.empty) return;
        const QRectF area = toRect(layout.cell(cell.row, cell.column));
        paintRing(painter, area.adjusted(-1.5, -1.5, area.width() > 3 ? 0.5 : 1.5, 0.5), colour, width);
    }

    // ---- zoom ----

    static void zoomAxis(double& first, double& count, double whole, double min, double place, double factor) {
        const double now = count > 0 ? count : whole;
        const double from = count > 0 ? first : 0;
        const double next = std::clamp(now * factor, std::min(min, whole), whole);
        if (next >= whole) {
            first = count = 0;
            return;
        }
        first = std::clamp(place - (place - from) * next / now, 0.0, whole - next);
        count = next;
    }

    bool zoomAt(QPointF at, double factor) override {
        const report::HeatMapLayout& its = laidOut();
        if (its.empty) return false;
        const double x = std::clamp(at.x(), its.plot.x, its.plot.right());
        const double y = std::clamp(at.y(), its.plot.y, its.plot.bottom());
        const double column = its.columnAt(x);
        const double row = its.rowAt(y);
        zoomAxis(view.firstColumn, view.columns, columns(), kMinColumns, column, factor);
        if (rows() > kRowsThatFit) zoomAxis(view.firstRow, view.rows, rows(), kMinRows, row, factor);
        owner->pictureChanged();
        return true;
    }

    void panBy(QPointF away) {
        if (view.columns > 0)
            view.firstColumn = std::clamp(pressedColumn - away.x() / layout.cellWidth, 0.0, columns() - view.columns);
        if (view.rows > 0)
            view.firstRow = std::clamp(pressedRow - away.y() / layout.cellHeight, 0.0, rows() - view.rows);
        owner->pictureChanged();
    }

    void move(int down, int right) {
        if (rows() == 0 || columns() == 0) return;
        const Cell from = isCell(selected) ? selected : Cell{0, 0};
        const Cell to = isCell(selected) ? Cell{std::clamp(from.row + down, 0, rows() - 1),
                                                std::clamp(from.column + right, 0, columns() - 1)}
                                         : from;
        owner->forgetMouse();
        reveal(to);
        select(to, true);
        owner->update();
    }

    void activate(Cell cell, const QPoint& global) {
        select(cell, true);
        emit owner->cellActivated(cell.row, cell.column, global);
    }

    QSize sizeHint() const override { return {720, std::clamp(110 + 24 * rows(), 220, 640)}; }
    QSize minimumSizeHint() const override { return {280, 180}; }

    Exportable exportable() const override {
        const auto map = std::make_shared<const report::HeatMap>(value);
        return {.name = toQt(map->id.empty() ? "heat-map" : map->id),
                .svg = [map](const report::Theme& theme) { return report::toSvg(*map, theme); },
                .csv = [map] { return report::toCsv(*map); }};
    }

    const report::Drawing& drawing() const override { return layout.drawing; }
    void layOut(const report::Size& size) override { layout = report::layOut(value, view, size, pictureWidth()); }

    void resetZoom() override {
        view.firstColumn = view.columns = view.firstRow = view.rows = 0;
        owner->pictureChanged();
    }

    void hoverAt(const std::optional<QPointF>& at) override { hovered = at ? cellAt(*at) : Cell{}; }
    QStringList cardText() const override { return textOf(hovered); }

    void clickAt(QPointF at, const QPoint& global) override {
        const Cell cell = cellAt(at);
        if (!isCell(cell)) return;
        select(cell, true);
        clicked = cell;
        clickedAt = global;
        doubleClick.start(QApplication::doubleClickInterval());
    }

    bool doubleClickAt(QPointF /*at*/) override {
        doubleClick.stop();
        return true;
    }

    std::optional<QPointF> zoomCentre() const override {
        const QRect cell = owner->cellRect(selected.row, selected.column);
        return cell.isNull() ? toRect(laidOut().plot).center() : QPointF(cell.center());
    }

    void beginDrag(Qt::KeyboardModifiers /*modifiers*/) override {
        pressedColumn = view.firstColumn;
        pressedRow = view.firstRow;
    }

    void dragTo(QPointF at) override {
        if (isZoomed()) panBy(at - *owner->pressed());
    }

    void keyPressed(QKeyEvent& event) override {
        const int page = std::max(1, static_cast<int>(view.columns > 0 ? view.columns : columns() / 10.0));
        switch (event.key()) {
            case Qt::Key_Left:
                return move(0, -1);
            case Qt::Key_Right:
                return move(0, 1);
            case Qt::Key_Up:
                return move(-1, 0);
            case Qt::Key_Down:
                return move(1, 0);
            case Qt::Key_PageUp:
                return move(0, -page);
            case Qt::Key_PageDown:
                return move(0, page);
            case Qt::Key_Return:
            case Qt::Key_Enter:
            case Qt::Key_Space:
                if (isCell(selected))
                    activate(selected, owner->mapToGlobal(owner->cellRect(selected.row, selected.column).bottomLeft()));
                return;
            default:
                event.ignore();
        }
    }

    bool replaceMenu(const QContextMenuEvent& event) override {
        const bool keyboard = event.reason() == QContextMenuEvent::Keyboard;
        const Cell cell = keyboard ? selected : cellAt(event.pos());
        if (isCell(cell)) activate(cell, event.globalPos());
        return isCell(cell);
    }
};

HeatMapView::HeatMapView(QWidget* parent) : PictureView(parent), d_(hold(std::make_unique<Implementation>(this))) {
    d_->doubleClick.setSingleShot(true);
    connect(&d_->doubleClick, &QTimer::timeout, this, [this] {
        if (d_->isCell(d_->clicked)) d_->activate(d_->clicked, d_->clickedAt);
    });
}

void HeatMapView::setHeatMap(report::HeatMap map) {
    const bool same = map.id == d_->value.id && map.columns.size() == d_->value.columns.size() &&
                      map.rows.size() == d_->value.rows.size();
    d_->value = std::move(map);
    if (!same) {
        d_->view.firstColumn = d_->view.columns = d_->view.firstRow = d_->view.rows = 0;
        d_->selected = {};
    }
    d_->hovered = {};
    announce(*this, toQt(escaped(d_->value.title)), d_->textOf(d_->selected).join(u", "_s));
    updateGeometry();
    pictureChanged();
}

const report::HeatMap& HeatMapView::heatMap() const {
    return d_->value;
}

void HeatMapView::setSelected(int row, int column) {
    const Cell cell{row, column};
    if (d_->isCell(cell)) d_->reveal(cell);
    d_->select(d_->isCell(cell) ? cell : Cell{}, false);
}

void HeatMapView::setPinned(const QVector<int>& columns) {
    d_->view.pinned.assign(columns.begin(), columns.end());
    pictureChanged();
}

QRect HeatMapView::cellRect(int row, int column) const {
    const report::HeatMapLayout& layout = d_->laidOut();
    if (layout.empty || !d_->isCell({row, column})) return {};
    return toRect(layout.cell(row, column)).toAlignedRect();
}

}  // namespace tessera::ui
