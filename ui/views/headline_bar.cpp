#include "ui/views/headline_bar.h"

#include <QHBoxLayout>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/views/explain_dialog.h"
#include "ui/views/text_label.h"

namespace tessera::ui {

HeadlineBar::HeadlineBar(QWidget* parent) : QFrame(parent), line_(new QHBoxLayout(this)) {
    setProperty("ground", "surface");
    setProperty("headlines", true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Headline numbers"));
    const int side = theme().spacing(4);
    line_->setContentsMargins(side, theme().spacing(2), side, theme().spacing(2));
    line_->setSpacing(theme().spacing(8));
    line_->addStretch(1);
}

void HeadlineBar::setHeadlines(const QVector<Headline>& headlines) {
    for (QWidget* old : std::as_const(blocks_)) {
        line_->removeWidget(old);
        old->hide();
        old->deleteLater();
    }
    blocks_.clear();
    for (const Headline& headline : headlines) {
        QWidget* made = block(headline);
        line_->insertWidget(static_cast<int>(blocks_.size()), made);
        blocks_.append(made);
        made->show();
    }
    hideWhatDoesNotFit();
}

QWidget* HeadlineBar::block(const Headline& headline) {
    auto* made = new QWidget(this);
    made->setAccessibleName(
        QStringLiteral("%1 %2 %3").arg(headline.value, headline.label, headline.detail).simplified());
    made->setToolTip(headline.help.toHtmlEscaped());
    auto* column = new QVBoxLayout(made);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* first = new QHBoxLayout;
    first->setSpacing(theme().spacing(2));
    auto* value = textLabel(headline.value);
    value->setFont(theme().font(Theme::Text::headline, true, true));
    first->addWidget(value);
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
        first->addWidget(explain, 0, Qt::AlignVCenter);
    }
    first->addStretch(1);
    column->addLayout(first);
    auto* second = new QHBoxLayout;
    second->setSpacing(theme().spacing(2));
    second->addWidget(textLabel(headline.label, Theme::Text::base, QStringLiteral("secondary")));
    if (!headline.detail.isEmpty())
        second->addWidget(textLabel(headline.detail, Theme::Text::base,
                                    headline.tone.isEmpty() ? QStringLiteral("secondary") : headline.tone,
                                    !headline.tone.isEmpty()));
    second->addStretch(1);
    column->addLayout(second);
    return made;
}

QSize HeadlineBar::minimumSizeHint() const {
    const int first = blocks_.isEmpty() ? 0 : blocks_.front()->sizeHint().width();
    return {std::min(first, 200), QFrame::minimumSizeHint().height()};
}

void HeadlineBar::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    hideWhatDoesNotFit();
}

void HeadlineBar::hideWhatDoesNotFit() {
    int used = line_->contentsMargins().left() + line_->contentsMargins().right();
    for (qsizetype i = 0; i < blocks_.size(); ++i) {
        const int more = blocks_[i]->sizeHint().width() + (i > 0 ? line_->spacing() : 0);
        const bool fits = i == 0 || used + more <= width();
        blocks_[i]->setVisible(fits);
        if (fits) used += more;
    }
}

}  // namespace tessera::ui
