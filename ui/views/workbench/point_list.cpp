#include "ui/views/workbench/point_list.h"

#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/draw/theme.h"
#include "ui/models/report_table.h"
#include "ui/models/table_columns.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/table_view.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t kManyRows = 4000;  ///< from here on the table waits until a brush rests
constexpr int kRest = 250;               ///< milliseconds

using Rows = std::shared_ptr<const std::vector<int>>;

std::size_t pointOf(const Rows& rows, int row) {
    return static_cast<std::size_t>(rows->at(static_cast<std::size_t>(row)));
}

QString roleOf(const PointSelection& selection, std::size_t point) {
    const explore::PointTable& points = selection.table();
    if (static_cast<int>(point) == selection.pinned(PointSelection::Pin::a)) return u"A"_s;
    if (static_cast<int>(point) == selection.pinned(PointSelection::Pin::b)) return u"B"_s;
    if (!points.isFeasible(point)) return shownText(points.reasons[point], 80);
    if (report::hasMark(points, point, explore::kChosen)) return u"chosen"_s;
    if (report::hasMark(points, point, explore::kMeasured)) return u"measured"_s;
    if (report::hasMark(points, point, explore::kBaseline)) return u"baseline"_s;
    if (report::hasMark(points, point, explore::kKnee)) return u"knee"_s;
    return report::hasMark(points, point, explore::kFront) ? u"front"_s : QString();
}

QString colourOfRole(const explore::PointTable& points, std::size_t point) {
    const std::string_view colour = report::hasMark(points, point, explore::kChosen)     ? report::kCategories[2]
                                    : report::hasMark(points, point, explore::kBaseline) ? report::kCategories[1]
                                    : report::hasMark(points, point, explore::kMeasured) ? report::kCategories[3]
                                    : report::hasMark(points, point, explore::kFront)    ? std::string_view("accent")
                                                                                         : report::kCategories[5];
    return toQt(colour);
}

QVector<TableModel::Column> columnsOf(const PointSelection& selection, const Rows& rows) {
    TableModel::Column name = columns::words(
        u"Name"_s, [&selection, rows](int row) { return toQt(report::nameOf(selection.table(), pointOf(rows, row))); });
    columns::colourBy(name,
                      [&selection, rows](int row) { return colourOfRole(selection.table(), pointOf(rows, row)); });
    QVector<TableModel::Column> all{
        name, columns::words(u"Role"_s, [&selection, rows](int row) { return roleOf(selection, pointOf(rows, row)); })};
    for (std::size_t i = 0; i < selection.table().columns.size(); ++i) {
        const auto column = [&selection, i]() -> const explore::PointColumn& {
            return selection.table().columns.at(i);
        };
        const auto text = [column, rows](int row) {
            return toQt(report::textOf(column(), report::valueOf(column(), pointOf(rows, row))));
        };
        if (!column().words.empty()) {
            all.append(columns::words(toQt(column().title), text, toQt(column().help)));
            continue;
        }
        TableModel::Column its = columns::number(
            toQt(column().title), column().measure,
            [column, rows](int row) { return report::valueOf(column(), pointOf(rows, row)); }, {}, toQt(column().help));
        its.text = text;
        all.append(its);
    }
    return all;
}

}  // namespace

PointList::PointList(PointSelection& selection, QWidget* parent)
    : QWidget(parent), selection_(selection), column_(bareLayout<QVBoxLayout>(this)), empty_(u"No point is shown."_s) {
    later_.setSingleShot(true);
    later_.setInterval(kRest);
    connect(&later_, &QTimer::timeout, this, &PointList::fill);
    connect(&selection, &PointSelection::filtered, this, &PointList::outdate);
    connect(&selection, &PointSelection::chosenChanged, this, &PointList::markRow);
    connect(&selection, &PointSelection::pinsChanged, this, [this] {
        if (model_ != nullptr && !stale_) model_->refresh();
    });
    outdate();
}

void PointList::setEmptyText(const QString& sentence) {
    empty_ = sentence;
    if (table_ != nullptr) table_->setEmptyText(sentence);
}

void PointList::outdate() {
    stale_ = true;
    if (selection_.size() < kManyRows)
        fill();
    else if (isVisible())
        later_.start();
}

void PointList::showEvent(QShowEvent* event) {
    if (stale_) fill();
    QWidget::showEvent(event);
}

void PointList::makeTable() {
    QStringList titles;
    for (const explore::PointColumn& column : selection_.table().columns) titles << toQt(column.title);
    if (table_ != nullptr && titles == titles_) return;
    titles_ = titles;
    delete table_;
    delete model_;
    model_ = new TableModel(columnsOf(selection_, rows_), this);
    table_ = new TableView(model_, u"Points"_s, this);
    table_->setEmptyText(empty_);
    column_->addWidget(table_);
    connect(table_, &TableView::currentRowChanged, this, [this](int row) {
        if (row >= 0 && !marking_ && static_cast<std::size_t>(row) < rows_->size())
            selection_.choose(rows_->at(static_cast<std::size_t>(row)));
    });
}

void PointList::fill() {
    stale_ = false;
    marking_ = true;
    *rows_ = {};
    if (model_ != nullptr) model_->setRowCount(0);  // before its columns read other points
    makeTable();
    *rows_ = selection_.shownPoints();
    model_->setRowCount(static_cast<int>(rows_->size()));
    marking_ = false;
    markRow();
}

void PointList::markRow() {
    if (table_ == nullptr || stale_) return;
    const auto found = std::lower_bound(rows_->begin(), rows_->end(), selection_.chosen());
    if (found == rows_->end() || *found != selection_.chosen()) return;
    marking_ = true;
    table_->setCurrentRow(static_cast<int>(found - rows_->begin()));
    marking_ = false;
}

QVector<Exportable> PointList::exportables() const {
    return table_ == nullptr ? QVector<Exportable>() : QVector<Exportable>{table_->exportable()};
}

PointComparison::PointComparison(PointSelection& selection, QWidget* parent)
    : QWidget(parent),
      selection_(selection),
      rows_(std::make_shared<report::Table>(report::comparisonOf({}, 0, 0))),
      model_(new TableModel(columns::ofTable(rows_), this)),
      table_(new TableView(model_, u"A against B"_s, this)) {
    bareLayout<QVBoxLayout>(this)->addWidget(table_);
    table_->setEmptyText(u"Choose a point and pin it as A; then choose another one, or pin it as B."_s);
    const auto outdated = [this] {
        if (isVisible()) fill();
    };
    connect(&selection, &PointSelection::pinsChanged, this, outdated);
    connect(&selection, &PointSelection::tableChanged, this, outdated);
    connect(&selection, &PointSelection::chosenChanged, this, outdated);
}

void PointComparison::showEvent(QShowEvent* event) {
    fill();
    QWidget::showEvent(event);
}

std::pair<int, int> PointComparison::compared() const {
    const int a = selection_.pinned(PointSelection::Pin::a), b = selection_.pinned(PointSelection::Pin::b);
    return {a, b >= 0 ? b : selection_.chosen() == a ? -1 : selection_.chosen()};
}

void PointComparison::fill() {
    const auto [a, b] = compared();
    *rows_ = report::comparisonOf(a >= 0 && b >= 0 ? selection_.table() : explore::PointTable(),
                                  static_cast<std::size_t>(std::max(a, 0)), static_cast<std::size_t>(std::max(b, 0)));
    model_->setRowCount(static_cast<int>(rows_->rows.size()));
}

}  // namespace tessera::ui
