#pragma once

#include <gtest/gtest.h>

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QLineEdit>
#include <QSet>
#include <QSize>
#include <QStringList>
#include <QTemporaryDir>
#include <QWidget>
#include <filesystem>
#include <memory>

#include "tests/support/pictures.h"
#include "ui/editors/editor_core.h"
#include "ui/views/document.h"

namespace tessera::test {

/// A user's folder that is thrown away with the test.
class OwnFolder {
public:
    OwnFolder() : before_(qgetenv("TESSERA_DATA")) { qputenv("TESSERA_DATA", folder_.path().toUtf8()); }
    ~OwnFolder() {
        if (before_.isEmpty())
            qunsetenv("TESSERA_DATA");
        else
            qputenv("TESSERA_DATA", before_);
    }
    OwnFolder(const OwnFolder&) = delete;
    OwnFolder& operator=(const OwnFolder&) = delete;
    std::filesystem::path path() const { return folder_.path().toStdString(); }

private:
    QTemporaryDir folder_;
    QByteArray before_;
};

/// Waits until the newest edit was checked.
inline void settle(const QWidget& document) {
    const auto* core = document.findChild<ui::EditorCore*>();
    EXPECT_TRUE(waitUntil([&] { return core != nullptr && core->isStarted() && !core->isChecking(); }));
}

/// A document on the screen, read and checked.
template <typename Document>
std::unique_ptr<Document> opened(const QString& key, QSize size) {
    auto document = std::make_unique<Document>(key);
    document->resize(size);
    document->show();
    EXPECT_TRUE(waitUntil([&] {
        const auto* core = document->template findChild<ui::EditorCore*>();
        return core != nullptr && core->isStarted();
    }));
    settle(*document);
    return document;
}

/// Controls that a person can reach but a screen reader could not name, by class and object.
inline QStringList namelessControls(const QWidget& root) {
    QStringList nameless;
    for (const QWidget* widget : root.findChildren<const QWidget*>()) {
        const bool control = qobject_cast<const QAbstractButton*>(widget) != nullptr ||
                             qobject_cast<const QLineEdit*>(widget) != nullptr ||
                             qobject_cast<const QComboBox*>(widget) != nullptr ||
                             qobject_cast<const QAbstractSpinBox*>(widget) != nullptr ||
                             qobject_cast<const QAbstractItemView*>(widget) != nullptr;
        if (!control || widget->objectName().startsWith(QStringLiteral("qt_")) || widget->isWindow()) continue;
        // Parts of Qt's own composite widgets.
        if (widget->inherits("QComboBoxListView") || widget->inherits("QHeaderView") ||
            widget->inherits("QTableCornerButton"))
            continue;
        const auto* button = qobject_cast<const QAbstractButton*>(widget);
        if (button != nullptr && !button->text().isEmpty() && button->text().size() > 1) continue;
        if (button != nullptr && widget->parentWidget() != nullptr && widget->parentWidget()->inherits("QTableView"))
            continue;
        if (widget->accessibleName().isEmpty())
            nameless << QStringLiteral("%1 in %2")
                            .arg(QLatin1String(widget->metaObject()->className()),
                                 widget->parentWidget() == nullptr
                                     ? QString()
                                     : QLatin1String(widget->parentWidget()->metaObject()->className()));
    }
    return nameless;
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

}  // namespace tessera::test
