#include "ui/views/workbench/point_pane.h"

#include <QComboBox>
#include <QLabel>
#include <QVBoxLayout>
#include <utility>

#include "ui/theme/theme.h"
#include "ui/views/flow_layout.h"

namespace tessera::ui {

namespace {

constexpr std::size_t kManyPoints = 4000;  ///< from here on a picture is drawn once per turn
constexpr int kTurn = 12;                  ///< milliseconds

}  // namespace

PointPane::PointPane(PointSelection& selection, QWidget* parent)
    : QWidget(parent), selection_(selection), column_(bareLayout<QVBoxLayout>(this, theme().spacing())) {
    auto* line = new QWidget(this);
    bar_ = new FlowLayout(line);
    bar_->setSpacing(theme().spacing(2));
    column_->addWidget(line);
    pictures_ = new QComboBox(line);
    pictures_->setAccessibleName(QStringLiteral("Picture"));
    bar_->addWidget(pictures_);
    connect(pictures_, &QComboBox::activated, this, [this](int index) {
        const QString wanted = pictures_->itemData(index).toString();
        pictures_->setCurrentIndex(pictures_->findData(own_));
        if (wanted != own_) emit pictureWanted(wanted);
    });
    later_.setSingleShot(true);
    later_.setInterval(kTurn);
    connect(&later_, &QTimer::timeout, this, &PointPane::drawNow);
    connect(&selection, &PointSelection::tableChanged, this, [this] {
        unfilled_ = true;
        outdate();
    });
    connect(&selection, &PointSelection::filtered, this, &PointPane::outdate);
    const auto marked = [this] {
        if (active_ && !stale_) mark();
    };
    connect(&selection, &PointSelection::chosenChanged, this, marked);
    connect(&selection, &PointSelection::hoveredChanged, this, marked);
    connect(&selection, &PointSelection::pinsChanged, this, marked);
}

void PointPane::setPictures(const QVector<PictureChoice>& offered, const QString& own) {
    own_ = own;
    pictures_->clear();
    for (const PictureChoice& each : offered) {
        pictures_->addItem(each.title, each.id);
        pictures_->setItemData(pictures_->count() - 1, each.help, Qt::ToolTipRole);
    }
    pictures_->setCurrentIndex(pictures_->findData(own));
}

void PointPane::addControl(const QString& name, QWidget* control) {
    auto* label = new QLabel(name, this);
    setLook(*label, "tone", QStringLiteral("secondary"));
    label->setBuddy(control);
    // One of the line's, so that no name stands at the end of a line without its control.
    auto* both = new QWidget(this);
    auto* row = bareLayout<QHBoxLayout>(both, theme().spacing(2));
    row->addWidget(label);
    row->addWidget(control);
    bar_->addWidget(both);
}

void PointPane::setPicture(QWidget* picture) {
    column_->addWidget(picture, 1);
}

void PointPane::setActive(bool on) {
    if (std::exchange(active_, on) == on || !on) return;
    if (stale_) drawNow();
}

void PointPane::outdate() {
    stale_ = true;
    if (!active_) return;
    if (points().size() < kManyPoints)
        drawNow();
    else if (!later_.isActive())
        later_.start();
}

void PointPane::drawNow() {
    if (!active_ || !stale_) return;
    stale_ = false;
    if (std::exchange(unfilled_, false)) fill();
    draw();
    mark();
}

}  // namespace tessera::ui
