#include "ui/views/toast.h"

#include <QAccessible>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QTimer>
#include <QToolButton>
#include <utility>

#include "ui/theme/theme.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

Toast::Toast(QWidget& page, int above)
    : QFrame(&page),
      page_(&page),
      above_(above),
      text_(new QLabel),
      undo_(new QToolButton),
      close_(new QToolButton),
      timer_(new QTimer(this)) {
    setProperty("toast", true);
    text_->setTextFormat(Qt::PlainText);
    undo_->setText(u"Undo"_s);
    undo_->setToolTip(u"Takes it back (Ctrl+Z)"_s);
    undo_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    close_->setAccessibleName(u"Close this message"_s);
    close_->setToolTip(u"Close this message"_s);
    for (QToolButton* button : {undo_, close_}) {
        button->setFocusPolicy(Qt::StrongFocus);
        button->installEventFilter(this);
    }
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(theme().spacing(3), theme().spacing(), theme().spacing(), theme().spacing());
    line->setSpacing(theme().spacing(2));
    line->addWidget(text_);
    line->addWidget(undo_);
    line->addWidget(close_);
    timer_->setSingleShot(true);
    timer_->setInterval(kSeconds * 1000);
    connect(timer_, &QTimer::timeout, this, &Toast::rest);
    connect(close_, &QToolButton::clicked, this, &Toast::dismiss);
    connect(undo_, &QToolButton::clicked, this, [this] {
        const std::function<void()> act = std::exchange(act_, {});
        dismiss();
        if (act) act();
    });
    const auto icons = [this] {
        undo_->setIcon(theme().icon(u"undo"_s, "accent"));
        close_->setIcon(theme().icon(u"close"_s, "secondary"));
    };
    icons();
    connect(&theme(), &Theme::changed, this, icons);
    page_->installEventFilter(this);
    hide();
}

void Toast::tell(const QString& sentence, std::function<void()> undo) {
    act_ = std::move(undo);
    text_->setText(sentence);
    setAccessibleName(sentence);
    show();
    raise();
    place();
    QAccessibleEvent event(this, QAccessible::Alert);
    QAccessible::updateAccessibility(&event);
    timer_->start();
}

void Toast::dismiss() {
    timer_->stop();
    act_ = {};
    hide();
}

QString Toast::sentence() const {
    return isHidden() ? QString() : text_->text();
}

void Toast::rest() {
    if (underMouse() || undo_->hasFocus() || close_->hasFocus()) return timer_->start();
    dismiss();
}

/// In the middle of the lower edge, never wider than the page.
void Toast::place() {
    const QSize size = sizeHint().boundedTo({page_->width() - 2 * theme().spacing(2), page_->height()});
    setGeometry((page_->width() - size.width()) / 2, page_->height() - size.height() - above_ - theme().spacing(2),
                size.width(), size.height());
}

bool Toast::eventFilter(QObject* watched, QEvent* event) {
    if (watched == page_ && event->type() == QEvent::Resize && !isHidden()) place();
    if (watched != page_ && event->type() == QEvent::FocusOut) timer_->start();
    return QFrame::eventFilter(watched, event);
}

}  // namespace tessera::ui
