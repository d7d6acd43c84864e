#include "ui/workspace/messages_panel.h"

#include <QLabel>
#include <QMenu>
#include <QStyledItemDelegate>
#include <QTime>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/empty_state.h"
#include "ui/views/focus_start.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

enum Role { kindRole = Qt::UserRole + 1, keyRole, placeRole, toneRole };

QIcon iconOf(MessagesPanel::Tone tone) {
    const MessagesPanel::Look look = MessagesPanel::lookOf(tone);
    return theme().icon(look.icon, look.token);
}

/// Sentences wrap within the list: the padding of the style, which Qt does not count, would make them wider.
class SentenceDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        QStyleOptionViewItem padded = option;
        padded.rect.setWidth(option.rect.width() - theme().spacing(4));
        return {0, QStyledItemDelegate::sizeHint(padded, index).height()};
    }
};

}  // namespace

MessagesPanel::MessagesPanel(QWidget* parent)
    : QWidget(parent), list_(new QListView), hint_(new EmptyState({}, u"Warnings and problems appear here."_s)) {
    list_->setModel(&model_);
    list_->setAccessibleName(u"Messages"_s);
    list_->setWordWrap(true);
    list_->setItemDelegate(new SentenceDelegate(list_));
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setFrameShape(QFrame::NoFrame);
    list_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    list_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    list_->setContextMenuPolicy(Qt::ActionsContextMenu);
    list_->setResizeMode(QListView::Adjust);
    auto* column = bareLayout<QVBoxLayout>(this);
    column->addWidget(list_);
    column->addWidget(hint_);
    setFocusStart(*this, *list_);
    connect(list_, &QListView::activated, this, [this](const QModelIndex& index) {
        emit activated(index.data(kindRole).toString(), index.data(keyRole).toString(),
                       index.data(placeRole).toString());
    });
    auto* copy = new QAction(u"Copy"_s, list_);
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetShortcut);
    connect(copy, &QAction::triggered, this, [this] {
        QStringList lines;
        for (const QModelIndex& index : list_->selectionModel()->selectedIndexes())
            lines.append(index.data(Qt::ToolTipRole).toString());
        copyText(lines.join(QLatin1Char('\n')));
    });
    auto* clearAll = new QAction(u"Clear messages"_s, list_);
    connect(clearAll, &QAction::triggered, this, [this] { clear(); });
    list_->addActions({copy, clearAll});
    connect(&theme(), &Theme::changed, this, [this] {
        for (int row = 0; row < model_.rowCount(); ++row) model_.item(row)->setIcon(iconOf(tone(row)));
    });
    updateEmptyHint();
}

void MessagesPanel::add(Tone tone, const QString& sentence, const QString& kind, const QString& key,
                        const QString& place) {
    auto* item = new QStandardItem(iconOf(tone), sentence);
    item->setData(kind, kindRole);
    item->setData(key, keyRole);
    item->setData(place, placeRole);
    item->setData(static_cast<int>(tone), toneRole);
    item->setToolTip(QTime::currentTime().toString(u"HH:mm:ss  "_s) + sentence.toHtmlEscaped());
    item->setEditable(false);
    if (model_.rowCount() >= kMax) model_.removeRow(0);
    model_.appendRow(item);
    updateEmptyHint();
    list_->scrollToBottom();
    emit changed();
}

void MessagesPanel::clear() {
    model_.clear();
    updateEmptyHint();
    emit changed();
}

int MessagesPanel::count() const {
    return model_.rowCount();
}

QString MessagesPanel::text(int row) const {
    return model_.index(row, 0).data().toString();
}

MessagesPanel::Tone MessagesPanel::tone(int row) const {
    return static_cast<Tone>(model_.index(row, 0).data(toneRole).toInt());
}

MessagesPanel::Tone MessagesPanel::worst() const {
    Tone found = Tone::information;
    for (int row = 0; row < model_.rowCount(); ++row) found = std::max(found, tone(row));
    return found;
}

MessagesPanel::Look MessagesPanel::lookOf(Tone tone) {
    switch (tone) {
        case Tone::error:
            return {u"error"_s, "bad"};
        case Tone::warning:
            return {u"warning"_s, "warning"};
        default:
            return {u"info"_s, "secondary"};
    }
}

void MessagesPanel::updateEmptyHint() {
    hint_->setVisible(model_.rowCount() == 0);
    list_->setVisible(model_.rowCount() > 0);
}

}  // namespace tessera::ui
