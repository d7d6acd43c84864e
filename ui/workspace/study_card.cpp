#include "ui/workspace/study_card.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>
#include <cmath>

#include "core/base/units.h"
#include "ui/theme/theme.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

/// The fleet as dots, one per accelerator up to what fits (then one for several), a colour per group.
class FleetStrip : public QWidget {
public:
    explicit FleetStrip(const QVector<StudyCard::Group>& groups) : groups_(groups) {
        setFixedHeight(kRows * theme().spacing(2) + theme().spacing(6));
        QStringList words;
        for (const StudyCard::Group& group : groups_)
            words.append(QString::number(group.count) + QLatin1Char(' ') + group.kind);
        setAccessibleName(words.join(u", "_s));
        connect(&theme(), &Theme::changed, this, [this] { update(); });
    }

protected:
    void paintEvent(QPaintEvent* /*event*/) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const double all = total();
        const int gap = theme().spacing(3);
        const double room = width() - gap * (static_cast<double>(groups_.size()) - 1);
        double left = 0;
        for (int i = 0; i < groups_.size(); ++i) {
            const double share = room * shareOf(i) / all;
            drawGroup(painter, i, {left, 0, share, static_cast<double>(height())});
            left += share + gap;
        }
    }

private:
    static constexpr int kRows = 4;
    static constexpr double kMinShare = 0.8;

    double total() const {
        double sum = 0;
        for (int i = 0; i < groups_.size(); ++i) sum += shareOf(i);
        return sum > 0 ? sum : 1;
    }

    /// By count, but a small group keeps room for its name.
    double shareOf(int group) const {
        double max = 0;
        for (const StudyCard::Group& each : groups_) max = std::max(max, each.count);
        return std::max(groups_[group].count, max * kMinShare);
    }

    void drawGroup(QPainter& painter, int group, const QRectF& area) const {
        const double cell = theme().spacing(2);
        const int columns = std::max(1, static_cast<int>(area.width() / cell));
        const int dots = static_cast<int>(std::min<double>(groups_[group].count, columns * kRows));
        const int used = (dots + kRows - 1) / kRows;
        const double step = used > 0 ? std::min(area.width() / used, 1.6 * cell) : cell;
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme().category(group));
        for (int dot = 0; dot < dots; ++dot) {
            const QPointF corner(area.left() + (dot / kRows) * step, area.top() + (dot % kRows) * cell);
            painter.drawRoundedRect(QRectF(corner, QSizeF(step - 2, cell - 2)), 1.5, 1.5);
        }
        painter.setFont(theme().font(Theme::Text::caption, false, true));
        painter.setPen(theme().colour("secondary"));
        const QString name = QString::fromStdString(formatCount(groups_[group].count)) + u" × "_s + groups_[group].kind;
        const QRectF below(area.left(), kRows * cell, area.width(), area.height() - kRows * cell);
        painter.drawText(below, Qt::AlignVCenter | Qt::AlignLeft,
                         painter.fontMetrics().elidedText(name, Qt::ElideRight, static_cast<int>(below.width())));
    }

    QVector<StudyCard::Group> groups_;
};

}  // namespace

StudyCardView::StudyCardView(const StudyCard& card, QWidget* parent) : QFrame(parent), card_(card) {
    setObjectName(u"studyCard"_s);
    setAccessibleName(card.title);
    setCursor(Qt::PointingHandCursor);
    auto* title = new QLabel(card.title);
    title->setTextFormat(Qt::PlainText);
    title->setFont(theme().font(Theme::Text::base, true));
    title->setWordWrap(true);
    auto* detail = new QLabel(card.detail);
    detail->setTextFormat(Qt::PlainText);
    detail->setWordWrap(true);
    auto* run = new QPushButton(u"Run"_s);
    run->setAccessibleName(u"Run %1"_s.arg(card.title));
    auto* open = new QPushButton(u"Open"_s);
    open->setAccessibleName(u"Open the study %1"_s.arg(card.title));
    connect(run, &QPushButton::clicked, this, [this] { emit runRequested(card_.studyJson); });
    connect(open, &QPushButton::clicked, this, [this] { emit openRequested(card_.key); });
    auto* buttons = bareLayout<QHBoxLayout>(theme().spacing(2));
    buttons->addWidget(run);
    buttons->addWidget(open);
    buttons->addStretch(1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(theme().spacing(4), theme().spacing(4), theme().spacing(4), theme().spacing(3));
    column->setSpacing(theme().spacing(2));
    column->addWidget(title);
    column->addWidget(new FleetStrip(card.groups));
    column->addWidget(detail);
    column->addStretch(1);
    column->addLayout(buttons);
    setLook(*this, "ground", "card");
    setLook(*detail, "tone", "secondary");
    setLook(*run, "emphasis", "primary");
    setLook(*open, "emphasis", "link");
}

void StudyCardView::mouseReleaseEvent(QMouseEvent* event) {
    QFrame::mouseReleaseEvent(event);
    if (event->button() == Qt::LeftButton && rect().contains(event->pos())) emit openRequested(card_.key);
}

}  // namespace tessera::ui
