#include "ui/editors/tab_order.h"

#include <QWidget>

namespace tessera::ui {

namespace {

bool takesTab(const QWidget& widget) {
    return (widget.focusPolicy() & Qt::TabFocus) != 0 && widget.focusProxy() == nullptr;
}

/// The part itself and what lies in it, in the order of the chain.
QVector<QWidget*> controlsOf(QWidget& part) {
    QVector<QWidget*> controls;
    QWidget* each = &part;
    do {
        if ((each == &part || part.isAncestorOf(each)) && takesTab(*each)) controls.push_back(each);
        each = each->nextInFocusChain();
    } while (each != &part);
    return controls;
}

}  // namespace

void orderTabs(const QVector<QWidget*>& parts) {
    QVector<QWidget*> all;
    for (QWidget* part : parts)
        if (part != nullptr) all += controlsOf(*part);
    for (qsizetype i = 1; i < all.size(); ++i) QWidget::setTabOrder(all[i - 1], all[i]);
}

}  // namespace tessera::ui
