#include "ui/editors/section.h"

#include <QToolButton>
#include <QVBoxLayout>

#include "ui/theme/theme.h"

namespace tessera::ui {

Section::Section(const QString& title, bool open, QWidget* parent)
    : QWidget(parent), head_(new QToolButton(this)), body_(new QWidget(this)), content_(new QVBoxLayout(body_)) {
    auto* layout = new QVBoxLayout(this);
    // The head is a button, whose sign stands in line with the titles of other sections.
    layout->setContentsMargins(-theme().spacing(3), 0, 0, 0);
    layout->setSpacing(theme().spacing(2));
    head_->setText(title);
    head_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    head_->setFont(theme().font(Theme::Text::base, true));
    head_->setAccessibleName(title);
    content_->setContentsMargins(theme().spacing(3), 0, 0, 0);
    content_->setSpacing(theme().spacing(4));
    layout->addWidget(head_, 0, Qt::AlignLeft);
    layout->addWidget(body_);
    connect(head_, &QToolButton::clicked, this, [this] { setOpen(!isOpen()); });
    setOpen(open);
}

bool Section::isOpen() const {
    return !body_->isHidden();
}

void Section::setOpen(bool open) {
    head_->setIcon(theme().icon(open ? QStringLiteral("down") : QStringLiteral("right"), "secondary"));
    head_->setAccessibleDescription(open ? tr("open") : tr("folded"));
    body_->setVisible(open);
}

}  // namespace tessera::ui
