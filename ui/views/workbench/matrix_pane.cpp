#include "ui/views/workbench/matrix_pane.h"

#include <QJsonArray>
#include <QMenu>
#include <QToolButton>
#include <algorithm>
#include <utility>

#include "core/report/point_pictures.h"
#include "ui/models/text.h"
#include "ui/views/flow_layout.h"
#include "ui/views/workbench/value_box.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t kFieldsAtFirst = 5, kMostFields = 8;

}  // namespace

MatrixPane::MatrixPane(PointSelection& selection, QWidget* parent)
    : PointPane(selection, parent),
      values_(new QToolButton(this)),
      view_(new MatrixView(this)) {
    values_->setText(u"Values"_s);
    values_->setAutoRaise(true);
    values_->setToolTip(u"Which values are set against each other, eight at most"_s);
    values_->setPopupMode(QToolButton::InstantPopup);
    values_->setMenu(new QMenu(values_));
    connect(values_->menu(), &QMenu::aboutToShow, this, &MatrixPane::fillMenu);
    bar().addWidget(values_);
    view_->setAccessibleName(u"Points in every two values"_s);
    view_->setCard([this](int row) { return this->selection().cardOf(row); });
    setPicture(view_);
    connect(&selection, &PointSelection::colourChanged, this, [this] {
        pictureStale_ = true;
        outdate();
    });
    connect(&selection, &PointSelection::reduced, this, [this] { pictureStale_ = true; });
    connect(view_, &MatrixView::rowClicked, this, [this](int row) { this->selection().choose(row); });
    connect(view_, &MatrixView::rowHovered, this, [this](int row) { this->selection().hover(row); });
    connect(view_, &MatrixView::fieldChosen, this, [this](int x, int y) {
        this->selection().setAxes(columns_.at(static_cast<std::size_t>(x)), columns_.at(static_cast<std::size_t>(y)));
        emit fieldChosen();
    });
}

void MatrixPane::fill() {
    takeWanted();
}

/// What is wanted of the values that these points have; the telling ones where that is no matrix.
void MatrixPane::takeWanted() {
    std::vector<std::size_t> columns;
    for (const std::string& id : wanted_)
        if (const auto column = report::columnNamed(points(), id); column && columns.size() < kMostFields)
            columns.push_back(*column);
    pictureStale_ = true;
    columns_ = columns.size() < 2 ? report::tellingValues(points(), kFieldsAtFirst) : std::move(columns);
}

void MatrixPane::draw() {
    if (std::exchange(pictureStale_, false))
        view_->setPicture(report::matrixOf(points(), columns_, selection().colour(), selection().states()));
    else
        view_->setShown(report::shownRows(selection().states()));
}

void MatrixPane::mark() {
    view_->setSelected(selection().chosen());
    view_->setHovered(selection().hovered());
}

void MatrixPane::setColumns(std::vector<std::size_t> columns) {
    if (columns.size() < 2 || columns.size() > kMostFields || columns == columns_) return;
    columns_ = std::move(columns);
    pictureStale_ = true;
    wanted_.clear();
    for (const std::size_t column : columns_) wanted_.push_back(points().columns[column].id);
    outdate();
}

void MatrixPane::fillMenu() {
    QMenu* menu = values_->menu();
    menu->clear();
    for (const std::size_t column : report::tellingValues(points(), points().columns.size())) {
        QAction* action = menu->addAction(toQt(points().columns[column].title).replace(u'&', u"&&"_s));
        const bool on = std::find(columns_.begin(), columns_.end(), column) != columns_.end();
        action->setCheckable(true);
        action->setChecked(on);
        action->setEnabled(on ? columns_.size() > 2 : columns_.size() < kMostFields);
        connect(action, &QAction::toggled, this, [this, column](bool now) {
            std::vector<std::size_t> columns = columns_;
            std::erase(columns, column);
            if (now) columns.push_back(column);
            setColumns(std::move(columns));
        });
    }
}

QJsonObject MatrixPane::saveState() const {
    if (wanted_.empty()) return {};
    QJsonArray values;
    for (const std::string& id : wanted_) values.append(toQt(id));
    return {{u"values"_s, values}};
}

void MatrixPane::restoreState(const QJsonObject& state) {
    wanted_.clear();
    const QJsonArray values = state.value("values"_L1).toArray();
    for (const QJsonValue& value : values)
        if (const std::string id = value.toString().toStdString();
            std::find(wanted_.begin(), wanted_.end(), id) == wanted_.end())
            wanted_.push_back(id);
    takeWanted();
    outdate();
}

}  // namespace tessera::ui
