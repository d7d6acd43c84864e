#include "ui/workspace/guide_dialog.h"

#include <QAction>
#include <QApplication>
#include <QKeyEvent>
#include <QScreen>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/theme/theme.h"
#include "ui/workspace/guide_document.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr int kWidthSteps = 215, kHeightSteps = 165;  ///< of the window, in steps of spacing

/// The guide of a dialog that is open already, or a new one.
GuideDialog& guideBeside(QWidget& dialog) {
    if (auto* open = dialog.findChild<GuideDialog*>(QString(), Qt::FindDirectChildrenOnly)) return *open;
    return *new GuideDialog(dialog);
}

}  // namespace

GuideDialog::GuideDialog(QWidget& dialog) : QDialog(&dialog), guide_(new GuideDocument) {
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(guide_->title());
    setWindowIcon(theme().icon(guide_->iconName()));
    bareLayout<QVBoxLayout>(this)->addWidget(guide_);
    standBeside(dialog);
    if (auto* asking = qobject_cast<QDialog*>(&dialog)) connect(asking, &QDialog::finished, this, &QWidget::close);
}

/// Where there is more room, over as little of the dialog as possible.
void GuideDialog::standBeside(const QWidget& dialog) {
    const QRect all = dialog.screen()->availableGeometry();
    const QRect other = dialog.frameGeometry();
    const int space = theme().spacing(2);
    const QSize size = QSize(theme().spacing(kWidthSteps), theme().spacing(kHeightSteps)).boundedTo(all.size());
    const bool right = all.right() - other.right() >= other.left() - all.left();
    const int x = right ? other.right() + space : other.left() - space - size.width();
    const int y = other.center().y() - size.height() / 2;
    setGeometry({{std::clamp(x, all.left(), all.right() + 1 - size.width()),
                  std::clamp(y, all.top(), all.bottom() + 1 - size.height())},
                 size});
}

DialogHelp::DialogHelp(QAction& help) : QObject(&help), help_(help) {
    qApp->installEventFilter(this);
}

bool DialogHelp::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::KeyPress || !watched->isWidgetType()) return false;
    QWidget* dialog = QApplication::activeModalWidget();
    const QKeySequence keys(static_cast<QKeyEvent*>(event)->keyCombination());
    if (dialog == nullptr || !help_.shortcuts().contains(keys)) return false;
    const QWidget* control = QApplication::focusWidget();
    GuideDialog& beside = guideBeside(*dialog);
    beside.guide().go(guidePlaceOf(control == nullptr ? dialog : control));
    beside.show();
    beside.raise();
    beside.activateWindow();
    return true;
}

}  // namespace tessera::ui
