#include "ui/views/section.h"

#include <QToolButton>
#include <QVBoxLayout>

#include "ui/theme/theme.h"

namespace tessera::ui {

Section::Section(const QString& title, QWidget* content, QWidget* parent)
    : QWidget(parent), title_(new QToolButton), content_(content) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(theme().spacing());
    title_->setProperty("section", true);
    title_->setText(title);
    title_->setFont(theme().font(Theme::Text::base, true));
    title_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    title_->setIconSize(QSize(14, 14));
    title_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    title_->setAccessibleName(title);
    column->addWidget(title_);
    column->addWidget(content);
    connect(title_, &QToolButton::clicked, this, [this] { setOpen(!isOpen()); });
    setOpen(true);
}

bool Section::isOpen() const {
    return content_->isVisibleTo(this);
}

void Section::setOpen(bool open) {
    const bool changes = open != isOpen();
    content_->setVisible(open);
    title_->setIcon(theme().icon(open ? QStringLiteral("down") : QStringLiteral("right"), "secondary"));
    title_->setAccessibleDescription(open ? tr("Folds this section") : tr("Unfolds this section"));
    if (changes) emit toggled(open);
}

}  // namespace tessera::ui
