#include "ui/workspace/document_tabs.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QToolButton>
#include <algorithm>

#include "ui/theme/theme.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr int kMinLetters = 18;  ///< of a title, before the row scrolls
constexpr int kMinGroup = 28;    ///< spacing steps, either way
constexpr int kSlack = 12;       ///< pixels that a tab may be dragged off its row without leaving it

}  // namespace

QSize DocumentTabs::minimumTabSizeHint(int index) const {
    QSize size = tabSizeHint(index);
    const int text = fontMetrics().size(Qt::TextShowMnemonic, tabText(index)).width();
    const int min = std::min(text, kMinLetters * fontMetrics().averageCharWidth());
    size.setWidth(size.width() - text + min);
    return size;
}

bool DocumentTabs::isOutside(const QPoint& position) const {
    const QRect row(-x() - kSlack, -kSlack, parentWidget()->width() + 2 * kSlack, height() + 2 * kSlack);
    return !row.contains(position);
}

void DocumentTabs::mousePressEvent(QMouseEvent* event) {
    pressed_ = event->button() == Qt::LeftButton && tabAt(event->pos()) >= 0;
    QTabBar::mousePressEvent(event);
}

void DocumentTabs::mouseMoveEvent(QMouseEvent* event) {
    if (!dragging_ && pressed_ && event->buttons().testFlag(Qt::LeftButton) && isOutside(event->pos()))
        beginDrag(*event);
    if (dragging_)
        emit draggedOut(event->globalPosition().toPoint());
    else
        QTabBar::mouseMoveEvent(event);
}

void DocumentTabs::mouseReleaseEvent(QMouseEvent* event) {
    pressed_ = false;
    if (!dragging_) {
        QTabBar::mouseReleaseEvent(event);
        return;
    }
    endDrag();
    emit dropped(event->globalPosition().toPoint());
}

/// The row's own dragging, which only orders its tabs, ends where this one begins.
void DocumentTabs::beginDrag(const QMouseEvent& event) {
    QMouseEvent release(QEvent::MouseButtonRelease, event.position(), event.globalPosition(), Qt::LeftButton,
                        Qt::NoButton, event.modifiers());
    QTabBar::mouseReleaseEvent(&release);
    dragging_ = true;
    QApplication::setOverrideCursor(Qt::ClosedHandCursor);
    qApp->installEventFilter(this);
}

void DocumentTabs::endDrag() {
    pressed_ = dragging_ = false;
    qApp->removeEventFilter(this);
    QApplication::restoreOverrideCursor();
}

bool DocumentTabs::eventFilter(QObject* watched, QEvent* event) {
    const bool isKey = event->type() == QEvent::KeyPress || event->type() == QEvent::ShortcutOverride;
    if (!dragging_ || !isKey || static_cast<QKeyEvent*>(event)->key() != Qt::Key_Escape)
        return QTabBar::eventFilter(watched, event);
    endDrag();
    emit dragCancelled();
    return true;
}

DocumentGroup::DocumentGroup(QWidget* parent)
    : QTabWidget(parent), tabs_(new DocumentTabs), menu_(new QMenu(this)), all_(new QToolButton) {
    setTabBar(tabs_);
    setDocumentMode(true);
    setTabsClosable(true);
    setMovable(true);
    setElideMode(Qt::ElideMiddle);
    // The row scrolls to the tab that is chosen; all of them are in the menu at its end, so it has no arrows.
    setUsesScrollButtons(true);
    tabs_->setObjectName(u"documentTabs"_s);
    // Whatever document is in it, a group gives way to the panes and to the groups beside it.
    setMinimumSize(theme().spacing(kMinGroup), theme().spacing(kMinGroup));
    setAccessibleName(u"Documents"_s);
    tabs_->setAccessibleName(u"Open documents"_s);
    tabs_->setContextMenuPolicy(Qt::CustomContextMenu);
    tabs_->setExpanding(false);
    all_->setAutoRaise(true);
    all_->setPopupMode(QToolButton::InstantPopup);
    all_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    all_->setObjectName(u"allDocuments"_s);
    all_->setProperty("compact", true);
    all_->setToolTip(u"All open documents"_s);
    all_->setAccessibleName(u"All open documents"_s);
    all_->setFocusPolicy(Qt::StrongFocus);
    all_->setMenu(menu_);
    setCornerWidget(all_, Qt::TopRightCorner);
    const auto icons = [this] { all_->setIcon(theme().icon(u"down"_s, "secondary")); };
    icons();
    connect(&theme(), &Theme::changed, this, icons);
    connect(menu_, &QMenu::aboutToShow, this, [this] { emit menuWanted(menu_); });
}

void DocumentGroup::tabInserted(int index) {
    QTabWidget::tabInserted(index);
    all_->setText(QString::number(count()));
}

void DocumentGroup::tabRemoved(int index) {
    QTabWidget::tabRemoved(index);
    all_->setText(QString::number(count()));
}

DropMark::DropMark(QWidget* parent) : QWidget(parent) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    hide();
}

void DropMark::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QColor ground = theme().colour("accent");
    painter.setPen(ground);
    ground.setAlphaF(0.15F);
    painter.setBrush(ground);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), theme().radius(), theme().radius());
}

}  // namespace tessera::ui
