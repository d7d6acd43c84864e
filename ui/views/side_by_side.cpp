#include "ui/views/side_by_side.h"

#include <QSplitter>
#include <QVBoxLayout>

#include "ui/theme/theme.h"
#include "ui/views/choice_bar.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

SideBySide::SideBySide(const Side& left, const Side& right, QWidget* parent)
    : QWidget(parent), choice_(new ChoiceBar(u"Shown"_s, 2, this)), sides_(new QSplitter(Qt::Horizontal, this)) {
    auto* column = bareLayout<QVBoxLayout>(this, theme().spacing());
    column->addWidget(choice_);
    column->addWidget(sides_, 1);
    sides_->setChildrenCollapsible(false);
    for (const Side* side : {&left, &right}) {
        // Hidden in its stead: whoever made the widget may show and hide it, too.
        auto* holder = new QWidget;
        auto* place = bareLayout<QVBoxLayout>(holder);
        place->addWidget(side->widget);
        sides_->addWidget(holder);
    }
    constexpr int kHalf = 1000;
    sides_->setSizes({kHalf, kHalf});
    choice_->setChoices({{.title = left.title, .help = left.help}, {.title = right.title, .help = right.help}}, 0);
    connect(choice_, &ChoiceBar::chosen, this, &SideBySide::arrange);
    arrange();
}

bool SideBySide::isLeftShown() const {
    return !sides_->widget(0)->isHidden();
}

void SideBySide::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    arrange();
}

void SideBySide::arrange() {
    const bool both = width() >= kRoomForTwo;
    choice_->setVisible(!both);
    for (const int side : {0, 1}) sides_->widget(side)->setVisible(both || choice_->current() == side);
    emit arranged();
}

}  // namespace tessera::ui
