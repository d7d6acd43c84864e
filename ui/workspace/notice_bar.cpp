#include "ui/workspace/notice_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

#include "ui/theme/theme.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

NoticeBar::NoticeBar(Tone tone, const QString& sentence, const QVector<Choice>& choices, QWidget* parent)
    : QFrame(parent), icon_(new QLabel), text_(new QLabel(sentence)), choices_(choices) {
    setObjectName(u"noticeBar"_s);
    setAccessibleName(sentence);
    text_->setTextFormat(Qt::PlainText);
    text_->setWordWrap(true);
    text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(theme().spacing(3), theme().spacing(2), theme().spacing(2), theme().spacing(2));
    line->setSpacing(theme().spacing(2));
    line->addWidget(icon_);
    line->addWidget(text_, 1);
    for (int i = 0; i < choices.size(); ++i) {
        auto* button = new QPushButton(choices[i].title);
        connect(button, &QPushButton::clicked, this, [this, i] { choose(i); });
        line->addWidget(button);
    }
    auto* close = new QToolButton;
    close->setAutoRaise(true);
    close->setToolTip(u"Close this notice"_s);
    close->setAccessibleName(u"Close this notice"_s);
    connect(close, &QToolButton::clicked, this, [this] { dismiss(); });
    line->addWidget(close);
    const bool warns = tone == Tone::warning;
    setLook(*this, "message", warns ? "warning" : "info");
    close->setIcon(theme().icon(u"close"_s, "secondary"));
    const auto paint = [this, warns] {
        const QIcon icon = theme().icon(warns ? u"warning"_s : u"info"_s, warns ? "warning" : "accent");
        icon_->setPixmap(icon.pixmap(theme().size("icon")));
    };
    paint();
    connect(&theme(), &Theme::changed, this, paint);
}

QString NoticeBar::sentence() const {
    return text_->text();
}

QStringList NoticeBar::choices() const {
    QStringList titles;
    for (const Choice& choice : choices_) titles.append(choice.title);
    return titles;
}

void NoticeBar::choose(int choice) {
    const std::function<void()> run = choices_.value(choice).run;
    dismiss();
    if (run) run();
}

void NoticeBar::dismiss() {
    if (closed_) return;
    closed_ = true;
    hide();
    emit closed();
    deleteLater();
}

}  // namespace tessera::ui
