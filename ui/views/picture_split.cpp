#include "ui/views/picture_split.h"

#include <algorithm>

namespace tessera::ui {

PictureSplit::PictureSplit(QWidget* picture, QWidget* details, double share, int around, QWidget* parent)
    : QSplitter(Qt::Vertical, parent), share_(share), around_(around) {
    setChildrenCollapsible(false);
    addWidget(picture);
    addWidget(details);
    connect(this, &QSplitter::splitterMoved, this, [this] { shared_ = true; });
}

void PictureSplit::resizeEvent(QResizeEvent* event) {
    QSplitter::resizeEvent(event);
    shareHeight();
}

void PictureSplit::showEvent(QShowEvent* event) {
    QSplitter::showEvent(event);
    shareHeight();
}

void PictureSplit::shareHeight() {
    if (shared_ || count() < 2 || widget(0)->isHidden() || widget(1)->isHidden()) return;
    const int all = height() - handleWidth();
    const int least = widget(1)->minimumSizeHint().height();
    const int wanted = std::max(static_cast<int>(all * share_), kPictureHeight + around_);
    const int upper = std::clamp(wanted, 0, std::max(0, all - least));
    setSizes({upper, all - upper});
}

}  // namespace tessera::ui
