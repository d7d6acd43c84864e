#include "ui/views/empty_state.h"

#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/views/text_label.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {
constexpr int kIcon = 40;
constexpr int kWidest = 420;  ///< pixels of the sentence: a line that reads well
}  // namespace

EmptyState::EmptyState(const QString& icon, const QString& sentence, QWidget* parent)
    : QWidget(parent),
      column_(new QVBoxLayout(this)),
      sentence_(textLabel(sentence, Theme::Text::base, u"secondary"_s, false, true)) {
    column_->setSpacing(theme().spacing(3));
    column_->addStretch(2);
    if (!icon.isEmpty()) {
        auto* picture = new QToolButton;
        picture->setProperty("picture", true);
        picture->setIcon(theme().icon(icon, "disabled"));
        picture->setIconSize(QSize(kIcon, kIcon));
        picture->setFocusPolicy(Qt::NoFocus);
        picture->setAttribute(Qt::WA_TransparentForMouseEvents);
        column_->addWidget(picture, 0, Qt::AlignHCenter);
    }
    sentence_->setAlignment(Qt::AlignCenter);
    sentence_->setMinimumWidth(theme().spacing(40));
    sentence_->setMaximumWidth(kWidest);
    auto* line = new QHBoxLayout;
    line->addStretch(1);
    line->addWidget(sentence_, 100);
    line->addStretch(1);
    column_->addLayout(line);
    column_->addStretch(3);
    setAccessibleName(sentence);
}

void EmptyState::setSentence(const QString& sentence) {
    sentence_->setText(sentence);
    setAccessibleName(sentence);
}

QPushButton* EmptyState::addAction(const QString& title, const QString& icon, const std::function<void()>& run) {
    auto* button = new QPushButton(theme().icon(icon, buttons_ == 0 ? "on-accent" : "text"), title);
    if (buttons_++ == 0) button->setProperty("emphasis", "primary");
    connect(button, &QPushButton::clicked, this, run);
    column_->insertWidget(column_->count() - 1, button, 0, Qt::AlignHCenter);
    return button;
}

}  // namespace tessera::ui
