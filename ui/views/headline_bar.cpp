#include "ui/views/headline_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <algorithm>
#include <utility>

#include "ui/models/text.h"
#include "ui/views/explain_dialog.h"
#include "ui/views/text_label.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

HeadlineBar::HeadlineBar(QWidget* parent) : QFrame(parent), line_(new QHBoxLayout(this)) {
    setProperty("ground", "surface");
    setProperty("headlines", true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(u"Headline numbers"_s);
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
    Block made{.whole = new QWidget(this)};
    made.whole->setAccessibleName(u"%1 %2 %3"_s.arg(headline.value, headline.label, headline.detail).simplified());
    const QString help =
        headline.detail.isEmpty() ? headline.help : headline.detail + QLatin1Char('\n') + headline.help;
    made.whole->setToolTip(tipText(help));
    auto* line = bareLayout<QHBoxLayout>(made.whole, theme().spacing(2));
    auto* value = textLabel(headline.value);
    value->setFont(theme().font(Theme::Text::headline, true, true));
    if (headline.value.isEmpty()) value->hide();
    line->addWidget(value);
    line->addWidget(textLabel(headline.label, Theme::Text::base, u"secondary"_s));
    if (!headline.detail.isEmpty()) {
        made.detail = textLabel(headline.detail, Theme::Text::base,
                                headline.tone.isEmpty() ? u"secondary"_s : headline.tone, !headline.tone.isEmpty());
        line->addWidget(made.detail);
    }
    if (headline.explain) {
        auto* explain = new QToolButton;
        explain->setProperty("compact", true);
        explain->setIcon(theme().icon(u"explain"_s, "secondary"));
        explain->setIconSize(QSize(14, 14));
        explain->setToolTip(u"Explain this number"_s);
        explain->setAccessibleName(u"Explain %1"_s.arg(headline.label));
        connect(explain, &QToolButton::clicked, this, [this, explanationOf = headline.explain] {
            if (const auto explanation = explanationOf()) showExplanation(*explanation, *window());
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

/// The first two numbers with how sure they are come first, then the other numbers, then what is said about those.
void HeadlineBar::hideWhatDoesNotFit() {
    constexpr qsizetype kFirst = 2;
    int left = width() - line_->contentsMargins().left() - line_->contentsMargins().right() + line_->spacing();
    const auto show = [&](QWidget* part, int needed, bool must) {
        part->setVisible(must || needed <= left);
        if (!part->isHidden()) left -= needed;
    };
    const auto showNumber = [&](qsizetype at) {
        if (blocks_[at].detail != nullptr) blocks_[at].detail->hide();
        show(blocks_[at].whole, blocks_[at].whole->sizeHint().width() + line_->spacing(), at == 0);
    };
    const auto showDetail = [&](const Block& block) {
        if (block.detail != nullptr && !block.whole->isHidden())
            show(block.detail, block.detail->sizeHint().width() + block.whole->layout()->spacing(), false);
    };
    for (qsizetype at = 0; at < blocks_.size(); ++at) {
        showNumber(at);
        if (at < kFirst) showDetail(blocks_[at]);
    }
    for (qsizetype at = kFirst; at < blocks_.size(); ++at) showDetail(blocks_[at]);
}

}  // namespace tessera::ui
