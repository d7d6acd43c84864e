#include "ui/views/headline_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <algorithm>
#include <utility>

#include "ui/views/explain_dialog.h"
#include "ui/views/text_label.h"

namespace tessera::ui {

HeadlineBar::HeadlineBar(QWidget* parent) : QFrame(parent), line_(new QHBoxLayout(this)) {
    setProperty("ground", "surface");
    setProperty("headlines", true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Headline numbers"));
    const int side = theme().spacing(4);
    line_->setContentsMargins(side, theme().spacing(), side, theme().spacing());
    line_->setSpacing(theme().spacing(6));
    line_->addStretch(1);
}

void HeadlineBar::setHeadlines(const QVector<Headline>& headlines) {
    for (const Block& old : std::as_const(blocks_)) {
        line_->removeWidget(old.whole);
        old.whole->hide();
        old.whole->deleteLater();
    }
    blocks_.clear();
    for (const Headline& headline : headlines) {
        const Block made = block(headline);
        line_->insertWidget(static_cast<int>(blocks_.size()), made.whole);
        blocks_.append(made);
    }
    hideWhatDoesNotFit();
}

HeadlineBar::Block HeadlineBar::block(const Headline& headline) {
    Block made{.whole = new QWidget(this), .weighs = !headline.tone.isEmpty()};
    made.whole->setAccessibleName(
        QStringLiteral("%1 %2 %3").arg(headline.value, headline.label, headline.detail).simplified());
    const QString help =
        headline.detail.isEmpty() ? headline.help : headline.detail + QLatin1Char('\n') + headline.help;
    made.whole->setToolTip(help.trimmed().toHtmlEscaped().replace(QLatin1Char('\n'), QLatin1String("<br>")));
    auto* line = new QHBoxLayout(made.whole);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(theme().spacing(2));
    auto* value = textLabel(headline.value);
    value->setFont(theme().font(Theme::Text::headline, true, true));
    line->addWidget(value);
    line->addWidget(textLabel(headline.label, Theme::Text::base, QStringLiteral("secondary")));
    if (!headline.detail.isEmpty()) {
        made.detail =
            textLabel(headline.detail, Theme::Text::base,
                      headline.tone.isEmpty() ? QStringLiteral("secondary") : headline.tone, !headline.tone.isEmpty());
        line->addWidget(made.detail);
    }
    if (headline.explain) {
        auto* explain = new QToolButton;
        explain->setProperty("compact", true);
        explain->setIcon(theme().icon(QStringLiteral("explain"), "secondary"));
        explain->setIconSize(QSize(14, 14));
        explain->setToolTip(tr("Explain this number"));
        explain->setAccessibleName(tr("Explain %1").arg(headline.label));
        connect(explain, &QToolButton::clicked, this, [this, asked = headline.explain] {
            if (const auto explanation = asked()) showExplanation(*explanation, *window());
        });
        line->addWidget(explain);
    }
    return made;
}

QSize HeadlineBar::minimumSizeHint() const {
    const int first = blocks_.isEmpty() ? 0 : blocks_.front().whole->sizeHint().width();
    return {std::min(first, 200), QFrame::minimumSizeHint().height()};
}

void HeadlineBar::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    hideWhatDoesNotFit();
}

/// Whatever can be read elsewhere gives way before how sure the first numbers are: details of the others, then the last
/// numbers.
void HeadlineBar::hideWhatDoesNotFit() {
    int used = line_->contentsMargins().left() + line_->contentsMargins().right() - line_->spacing();
    for (const Block& block : std::as_const(blocks_)) {
        if (block.detail != nullptr) block.detail->show();
        block.whole->show();
        used += block.whole->sizeHint().width() + line_->spacing();
    }
    const auto hideDetails = [&](bool all) {
        for (auto block = blocks_.rbegin(); block != blocks_.rend() && used > width(); ++block) {
            const bool first = block + 1 == blocks_.rend();
            if (block->detail == nullptr || block->detail->isHidden() || (!all && (first || block->weighs))) continue;
            used -= block->detail->sizeHint().width() + block->whole->layout()->spacing();
            block->detail->hide();
        }
    };
    hideDetails(false);
    for (qsizetype last = blocks_.size() - 1; last > 0 && used > width(); --last) {
        used -= blocks_[last].whole->sizeHint().width() + line_->spacing();
        blocks_[last].whole->hide();
    }
    hideDetails(true);
}

}  // namespace tessera::ui
