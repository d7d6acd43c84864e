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
      colour_(new ValueBox(u"Colour"_s, u"Alike"_s, this)),
      values_(new QToolButton(this)),
      view_(new MatrixView(this)) {
    addControl(u"Colour"_s, colour_);
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
    connect(colour_, &ValueBox::chosen, this, [this] { this->selection().setColour(colour_->column()); });
    connect(&selection, &PointSelection::colourChanged, this, &MatrixPane::outdate);
    connect(view_, &MatrixView::rowClicked, this, [this](int row) { this->selection().choose(row); });
    connect(view_, &MatrixView::rowHovered, this, [this](int row) { this->selection().hover(row); });
    connect(view_, &MatrixView::fieldChosen, this, [this](int x, int y) {
        this->selection().setAxes(columns_.at(static_cast<std::size_t>(x)), columns_.at(static_cast<std::size_t>(y)));
        emit fieldChosen();
    });
}

void MatrixPane::fill() {
    colour_->fill(points());
    const bool known = !columns_.empty() && std::all_of(columns_.begin(), columns_.end(), [this](std::size_t column) {
        return column < points().columns.size();
    });
    if (!known) columns_ = report::tellingValues(points(), kFieldsAtFirst);
    if (!pending_.isEmpty()) restoreState(std::exchange(pending_, {}));
}

void MatrixPane::draw() {
    colour_->setColumn(selection().colour());
    view_->setPicture(report::matrixOf(points(), columns_, selection().colour(), selection().states()));
}

void MatrixPane::mark() {
    view_->setSelected(selection().chosen());
    view_->setHovered(selection().hovered());
}

void MatrixPane::setColumns(std::vector<std::size_t> columns) {
    if (columns.size() < 2 || columns.size() > kMostFields || columns == columns_) return;
    columns_ = std::move(columns);
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
    if (columns_.empty()) return pending_;
    QJsonArray values;
    for (const std::size_t column : columns_) values.append(toQt(points().columns[column].id));
    return {{u"values"_s, values}};
}

void MatrixPane::restoreState(const QJsonObject& state) {
    if (points().columns.empty()) {
        pending_ = state;
        return;
    }
    std::vector<std::size_t> columns;
    const QJsonArray values = state.value("values"_L1).toArray();
    for (const QJsonValue& id : values)
        if (const auto column = report::columnNamed(points(), id.toString().toStdString());
            column && std::find(columns.begin(), columns.end(), *column) == columns.end())
            columns.push_back(*column);
    setColumns(std::move(columns));
}

}  // namespace tessera::ui
