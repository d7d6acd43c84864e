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
constexpr qint64 kLongestWait = 1000;    ///< milliseconds, where it never rests, as in a run that goes on

using Listed = std::shared_ptr<const PointList::Listed>;

std::size_t pointOf(const Listed& listed, int row) {
    return static_cast<std::size_t>(listed->rows.at(static_cast<std::size_t>(row)));
}

QString roleOf(const PointSelection& selection, const explore::PointTable& points, std::size_t point) {
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

QVector<TableModel::Column> columnsOf(const PointSelection& selection, const Listed& listed) {
    TableModel::Column name = columns::words(
        u"Name"_s, [listed](int row) { return toQt(report::nameOf(*listed->points, pointOf(listed, row))); });
    columns::colourBy(name, [listed](int row) { return colourOfRole(*listed->points, pointOf(listed, row)); });
    QVector<TableModel::Column> all{name, columns::words(u"Role"_s, [&selection, listed](int row) {
                                        return roleOf(selection, *listed->points, pointOf(listed, row));
                                    })};
    for (std::size_t i = 0; i < listed->points->columns.size(); ++i) {
        const auto column = [listed, i]() -> const explore::PointColumn& { return listed->points->columns.at(i); };
        const auto text = [column, listed](int row) {
            return toQt(report::textOf(column(), report::valueOf(column(), pointOf(listed, row))));
        };
        if (!column().words.empty()) {
            all.append(columns::words(toQt(column().title), text, toQt(column().help)));
            continue;
        }
        TableModel::Column its = columns::number(
            toQt(column().title), column().measure,
            [column, listed](int row) { return report::valueOf(column(), pointOf(listed, row)); }, {},
            toQt(column().help));
        its.text = text;
        all.append(its);
    }
    return all;
}

}  // namespace

PointList::PointList(PointSelection& selection, QWidget* parent)
    : QWidget(parent),
      selection_(selection),
      column_(bareLayout<QVBoxLayout>(this)),
      listed_(std::make_shared<Listed>(Listed{selection.shared()})),
      none_(u"There are no points."_s),
      noneShown_(u"No point is shown."_s) {
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

void PointList::setEmptyTexts(const QString& none, const QString& noneShown) {
    none_ = none;
    noneShown_ = noneShown;
    showEmptyText();
}

void PointList::showEmptyText() {
    if (table_ != nullptr) table_->setEmptyText(listed_->points->size() == 0 ? none_ : noneShown_);
}

void PointList::outdate() {
    if (!std::exchange(stale_, true)) waiting_.start();
    if (!isVisible()) return;  // once it is seen
    if (selection_.size() < kManyRows)
        fill();
    else if (!later_.isActive() || waiting_.elapsed() < kLongestWait)
        later_.start();
}

void PointList::showEvent(QShowEvent* event) {
    if (stale_) fill();
    QWidget::showEvent(event);
}

void PointList::makeTable() {
    QStringList titles;
    for (const explore::PointColumn& column : listed_->points->columns) titles << toQt(column.title);
    if (table_ != nullptr && titles == titles_) return;
    titles_ = titles;
    delete table_;
    delete model_;
    model_ = new TableModel(columnsOf(selection_, listed_), this);
    table_ = new TableView(model_, u"Points"_s, this);
    column_->addWidget(table_);
    table_->setRowMenu([this](QMenu& menu, int) {
        if (pointMenu_) pointMenu_(menu);
    });
    connect(table_, &TableView::currentRowChanged, this, [this](int row) {
        if (row >= 0 && !marking_ && static_cast<std::size_t>(row) < listed_->rows.size())
            selection_.choose(listed_->rows[static_cast<std::size_t>(row)]);
    });
}

void PointList::fill() {
    stale_ = false;
    marking_ = true;
    if (model_ != nullptr) model_->setRowCount(0);  // before its columns read other points
    *listed_ = {selection_.shared(), selection_.shownPoints()};
    makeTable();
    showEmptyText();
    model_->setRowCount(static_cast<int>(listed_->rows.size()));
    marking_ = false;
    markRow();
}

void PointList::markRow() {
    if (table_ == nullptr || stale_) return;
    const std::vector<int>& rows = listed_->rows;
    const auto found = std::lower_bound(rows.begin(), rows.end(), selection_.chosen());
    const bool known = found != rows.end() && *found == selection_.chosen();
    marking_ = true;
    table_->setCurrentRow(known ? static_cast<int>(found - rows.begin()) : -1);
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
