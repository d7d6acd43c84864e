#include "ui/views/choice_bar.h"

#include <QAbstractButton>
#include <QButtonGroup>
#include <QComboBox>
#include <QToolButton>

#include "ui/theme/theme.h"
#include "ui/views/fitting_box.h"
#include "ui/views/flow_layout.h"

namespace tessera::ui {

namespace {

constexpr int kMaxButtons = 12;

}  // namespace

ChoiceBar::ChoiceBar(const QString& name, int min, QWidget* parent)
    : QWidget(parent),
      buttons_(new QButtonGroup(this)),
      list_(new FittingBox(this)),
      row_(new FlowLayout(this)),
      min_(min) {
    row_->setSpacing(theme().spacing());
    row_->addWidget(list_);
    list_->setAccessibleName(name);
    setAccessibleName(name);
    hide();
    const auto choose = [this](int index) {
        current_ = index;
        emit chosen(index);
    };
    connect(buttons_, &QButtonGroup::idClicked, this, choose);
    connect(list_, qOverload<int>(&QComboBox::activated), this, choose);
}

void ChoiceBar::setChoices(const QVector<Choice>& choices, int current) {
    for (QAbstractButton* button : buttons_->buttons()) {
        buttons_->removeButton(button);
        row_->removeWidget(button);
        button->hide();
        button->deleteLater();
    }
    list_->clear();
    const bool many = choices.size() > kMaxButtons;
    list_->setVisible(many);
    setVisible(choices.size() >= min_);
    if (choices.size() < min_) {
        current_ = current;
        return;
    }
    if (many)
        fillList(choices);
    else
        addButtons(choices);
    setCurrent(current);
}

void check(QButtonGroup& group, int index) {
    QAbstractButton* const checked = group.button(index);
    if (checked == nullptr) return;
    checked->setChecked(true);
    for (QAbstractButton* button : group.buttons())
        button->setFocusPolicy(button == checked ? Qt::TabFocus : Qt::NoFocus);
}

QToolButton* toggle(const QString& text, const QString& help, QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setText(text);
    button->setToolTip(help);
    button->setCheckable(true);
    button->setAutoRaise(true);
    return button;
}

void ChoiceBar::addButtons(const QVector<Choice>& choices) {
    for (int index = 0; index < choices.size(); ++index) {
        const Choice& choice = choices.at(index);
        QToolButton* button = toggle(choice.title, choice.help, this);
        button->setIcon(choice.icon);
        if (!choice.icon.isNull()) button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        buttons_->addButton(button, index);
        row_->addWidget(button);
    }
}

void ChoiceBar::fillList(const QVector<Choice>& choices) {
    for (const Choice& choice : choices) {
        list_->addItem(choice.icon, choice.title);
        list_->setItemData(list_->count() - 1, choice.help, Qt::ToolTipRole);
    }
}

void ChoiceBar::setCurrent(int index) {
    current_ = index;
    check(*buttons_, index);
    if (index < list_->count()) list_->setCurrentIndex(index);
}

}  // namespace tessera::ui
