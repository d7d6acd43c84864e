#pragma once

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QButtonGroup>
#include <QComboBox>
#include <QLineEdit>
#include <QSet>
#include <QStringList>
#include <QTabBar>
#include <QTest>
#include <QTextBrowser>
#include <QToolButton>
#include <QVector>
#include <QWidget>

/// What a screen reader says of controls, and how the keyboard comes to them.
namespace tessera::test {

/// "QToolButton Pause in JobRow".
inline QString nameOf(const QWidget& widget) {
    const auto classOf = [](const QWidget* of) {
        return of == nullptr ? QString() : QString::fromLatin1(of->metaObject()->className());
    };
    const auto* button = qobject_cast<const QAbstractButton*>(&widget);
    const QString name =
        !widget.accessibleName().isEmpty() || button == nullptr ? widget.accessibleName() : button->text();
    return QStringLiteral("%1 '%2' in %3").arg(classOf(&widget), name, classOf(widget.parentWidget()));
}

/// Whether a widget is there to be used by itself: a button, a field, a list, a picture. Not a part that Qt makes for
/// one of its own widgets.
inline bool isControl(const QWidget& widget) {
    const bool control = qobject_cast<const QAbstractButton*>(&widget) != nullptr ||
                         qobject_cast<const QLineEdit*>(&widget) != nullptr ||
                         qobject_cast<const QComboBox*>(&widget) != nullptr ||
                         qobject_cast<const QAbstractSpinBox*>(&widget) != nullptr ||
                         qobject_cast<const QAbstractItemView*>(&widget) != nullptr ||
                         qobject_cast<const QTabBar*>(&widget) != nullptr ||
                         ((widget.focusPolicy() & Qt::TabFocus) != 0 && widget.focusProxy() == nullptr);
    if (!control || widget.objectName().startsWith(QStringLiteral("qt_")) || widget.isWindow()) return false;
    if (widget.property("picture").toBool()) return false;  // a drawing in a button's shape
    const QWidget* parent = widget.parentWidget();
    return !widget.inherits("QComboBoxListView") && !widget.inherits("QComboBoxPrivateContainer") &&
           !widget.inherits("QHeaderView") && !widget.inherits("QTableCornerButton") &&
           qobject_cast<const QLineEdit*>(parent) == nullptr && qobject_cast<const QComboBox*>(parent) == nullptr &&
           qobject_cast<const QAbstractSpinBox*>(parent) == nullptr &&
           !(parent != nullptr && parent->inherits("QTableView"));
}

/// Controls that a person can reach but a screen reader could not name.
inline QStringList namelessControls(const QWidget& root) {
    QStringList nameless;
    for (const QWidget* widget : root.findChildren<const QWidget*>()) {
        const auto* button = qobject_cast<const QAbstractButton*>(widget);
        const bool named = !widget->accessibleName().isEmpty() || (button != nullptr && button->text().size() > 1);
        if (isControl(*widget) && !widget->isHidden() && !named) nameless << nameOf(*widget);
    }
    return nameless;
}

/// Buttons that show a picture alone and do not say what it means to who points at them.
inline QStringList hintlessButtons(const QWidget& root) {
    QStringList hintless;
    for (const auto* button : root.findChildren<const QAbstractButton*>()) {
        const auto* tool = qobject_cast<const QToolButton*>(button);
        const bool iconOnly =
            button->text().isEmpty() ||
            (tool != nullptr && tool->toolButtonStyle() == Qt::ToolButtonIconOnly && !tool->icon().isNull());
        // The arrows of a row of tabs are Qt's own.
        if (isControl(*button) && !button->isHidden() && iconOnly && button->toolTip().isEmpty() &&
            qobject_cast<const QTabBar*>(button->parentWidget()) == nullptr)
            hintless << nameOf(*button);
    }
    return hintless;
}

/// The controls that Tab reaches from `first`, in order.
inline QVector<QWidget*> tabOrder(QWidget& root) {
    QVector<QWidget*> order;
    QSet<QWidget*> seen;
    for (QWidget* widget = root.nextInFocusChain(); widget != nullptr && !seen.contains(widget);
         widget = widget->nextInFocusChain()) {
        seen.insert(widget);
        if (root.isAncestorOf(widget) && (widget->focusPolicy() & Qt::TabFocus) != 0 && widget->isVisibleTo(&root) &&
            widget->focusProxy() == nullptr)
            order.push_back(widget);
    }
    return order;
}

inline constexpr int kMostLinks = 200;  ///< of a page

/// Presses Tab until the focus has been everywhere it goes: what it came to. A widget that keeps Tab for itself ends
/// the walk.
inline QVector<const QWidget*> walkedByTab() {
    QVector<const QWidget*> walked;
    for (QWidget* at = QApplication::focusWidget(); at != nullptr && !walked.contains(at);
         at = QApplication::focusWidget()) {
        walked.append(at);
        // Within a page, Tab goes from link to link first.
        const int stops = qobject_cast<const QTextBrowser*>(at) != nullptr ? kMostLinks : 1;
        for (int stop = 0; stop < stops && QApplication::focusWidget() == at; ++stop) QTest::keyClick(at, Qt::Key_Tab);
    }
    return walked;
}

/// Visible controls that no key comes to: not by Tab, and not by an action with a menu's entry or a shortcut of its
/// own.
inline QStringList unreachableControls(const QWidget& root) {
    const QVector<const QWidget*> walked = walkedByTab();
    QStringList unreachable;
    if (!walked.isEmpty() && QApplication::focusWidget() == walked.back())
        unreachable << QStringLiteral("what comes after ") + nameOf(*walked.back());
    for (const QWidget* widget : root.findChildren<const QWidget*>()) {
        if (!isControl(*widget) || !widget->isVisible() || !widget->isEnabled() || walked.contains(widget)) continue;
        const auto* button = qobject_cast<const QAbstractButton*>(widget);
        const auto* tool = qobject_cast<const QToolButton*>(widget);
        if (tool != nullptr && tool->defaultAction() != nullptr) continue;  // it has its place in a menu
        if (button != nullptr && !button->shortcut().isEmpty()) continue;
        // One of several that exclude each other: the arrow keys come to it from the checked one.
        if (button != nullptr && !button->isChecked() &&
            (button->autoExclusive() || (button->group() != nullptr && button->group()->exclusive())))
            continue;
        if (qobject_cast<const QTabBar*>(widget->parentWidget()) != nullptr) continue;  // scrolls to a tab
        unreachable << nameOf(*widget);
    }
    return unreachable;
}

}  // namespace tessera::test
