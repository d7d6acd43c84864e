#include "ui/views/message_bar.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QToolButton>
#include <array>

#include "core/base/text.h"
#include "ui/views/text_label.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr int kLongestSentence = 600;  ///< bytes

struct KindRow {
    const char* name;  ///< of the ground in the style sheet
    const char* icon;
    std::string_view token;
};

constexpr std::array kKinds{
    KindRow{"info", "info", "accent"},
    KindRow{"good", "done", "good"},
    KindRow{"warning", "warning", "warning"},
    KindRow{"bad", "error", "bad"},
};

}  // namespace

MessageBar::MessageBar(QWidget* parent)
    : QFrame(parent),
      icon_(new QToolButton),
      text_(textLabel({}, Theme::Text::base, {}, false, true)),
      line_(new QHBoxLayout(this)) {
    line_->setContentsMargins(theme().spacing(3), theme().spacing(), theme().spacing(2), theme().spacing());
    line_->setSpacing(theme().spacing(2));
    icon_->setProperty("picture", true);
    icon_->setIconSize(QSize(18, 18));
    icon_->setFocusPolicy(Qt::NoFocus);
    icon_->setAttribute(Qt::WA_TransparentForMouseEvents);
    line_->addWidget(icon_);
    line_->addWidget(text_, 1);
    auto* close = new QToolButton;
    close->setProperty("compact", true);
    close->setIcon(theme().icon(u"close"_s, "secondary"));
    close->setIconSize(QSize(14, 14));
    close->setToolTip(u"Hide this message"_s);
    close->setAccessibleName(u"Hide this message"_s);
    connect(close, &QToolButton::clicked, this, [this] {
        hide();
        emit closed();
    });
    line_->addWidget(close);
    setVisible(false);
}

void MessageBar::showMessage(Kind kind, const QString& sentence, const QString& actionTitle,
                             const std::function<void()>& run) {
    const KindRow& row = kKinds.at(static_cast<std::size_t>(kind));
    setLook(*this, "message", QLatin1String(row.name));
    icon_->setIcon(theme().icon(QLatin1String(row.icon), row.token));
    text_->setText(QString::fromStdString(escaped(sentence.toStdString(), kLongestSentence)));
    setAccessibleName(text_->text());
    if (action_ != nullptr) action_->deleteLater();
    action_ = nullptr;
    if (!actionTitle.isEmpty()) {
        auto* button = new QPushButton(actionTitle);
        button->setProperty("emphasis", "link");
        connect(button, &QPushButton::clicked, this, run);
        line_->insertWidget(line_->count() - 1, button);
        action_ = button;
    }
    show();
}

QString MessageBar::message() const {
    return text_->text();
}

}  // namespace tessera::ui
