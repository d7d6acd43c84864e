#include "ui/workspace/command_palette.h"

#include <QApplication>
#include <QGraphicsDropShadowEffect>
#include <QKeyEvent>
#include <QSettings>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/theme/theme.h"
#include "ui/views/empty_state.h"
#include "ui/workspace/fuzzy.h"
#include "ui/workspace/two_tone_delegate.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

const QString kSetting = u"palette/recent"_s;
constexpr int kMaxRecent = 12;
constexpr int kMaxRows = 60;
constexpr int kRecentBonus = 30;
constexpr int kOtherName = 60;  ///< less than for a name of its own

QStringList recentIds() {
    return QSettings().value(kSetting).toStringList().mid(0, kMaxRecent);
}

void remember(const QString& id) {
    QStringList ids = recentIds();
    ids.removeAll(id);
    ids.prepend(id);
    QSettings().setValue(kSetting, ids.mid(0, kMaxRecent));
}

}  // namespace

CommandPalette::CommandPalette(QWidget* window)
    : QFrame(window),
      field_(new QLineEdit),
      list_(new QListView),
      hint_(new EmptyState({}, u"No matches. Type a part of an action, model, fleet, study or run."_s)) {
    setObjectName(u"commandPalette"_s);
    setAccessibleName(u"Command palette"_s);
    setAutoFillBackground(true);
    field_->setPlaceholderText(u"Type an action, a model, hardware, a study or a run"_s);
    field_->setAccessibleName(u"Find anything"_s);
    field_->setClearButtonEnabled(true);
    list_->setModel(&model_);
    list_->setAccessibleName(u"What was found"_s);
    list_->setFrameShape(QFrame::NoFrame);
    list_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    list_->setUniformItemSizes(true);
    list_->setFocusPolicy(Qt::NoFocus);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* delegate = new TwoToneDelegate(list_);
    delegate->setRowHeight(theme().spacing(8));
    list_->setItemDelegate(delegate);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(theme().spacing(2), theme().spacing(2), theme().spacing(2), theme().spacing(2));
    column->setSpacing(theme().spacing(2));
    column->addWidget(field_);
    column->addWidget(list_, 1);
    column->addWidget(hint_, 1);
    auto* shadow = new QGraphicsDropShadowEffect(this);
    shadow->setBlurRadius(theme().spacing(8));
    shadow->setOffset(0, theme().spacing(2));
    setGraphicsEffect(shadow);
    const auto paint = [this, shadow] {
        setStyleSheet(u"#commandPalette { background: %1; border: 1px solid %2; border-radius: %3px; }"_s
                          .arg(theme().colour("raised").name(), theme().colour("border").name())
                          .arg(theme().radius()));
        QColor dim = theme().dataColour(report::Theme(report::ThemeKind::light)("text"));
        dim.setAlphaF(theme().isDark() ? 0.6F : 0.25F);
        shadow->setColor(dim);
    };
    paint();
    connect(&theme(), &Theme::changed, this, paint);
    connect(field_, &QLineEdit::textChanged, this, [this] { refresh(); });
    connect(list_, &QListView::clicked, this, &CommandPalette::activate);
    field_->installEventFilter(this);
    window->installEventFilter(this);
    hide();
}

void CommandPalette::open(const QString& typed) {
    if (!isVisible()) focusBefore_ = QApplication::focusWidget();
    items_ = source_ ? source_() : QVector<Item>{};
    field_->setText(typed);
    field_->selectAll();
    refresh();
    place();
    show();
    raise();
    field_->setFocus();
}

void CommandPalette::dismiss() {
    if (!isVisible()) return;
    ++requests_;
    const bool hadFocus = isAncestorOf(QApplication::focusWidget());
    hide();
    if (hadFocus && focusBefore_) focusBefore_->setFocus();
}

void CommandPalette::place() {
    const QWidget* window = parentWidget();
    const int width = std::min(theme().spacing(150), window->width() - theme().spacing(8));
    const int height = std::min(theme().spacing(110), window->height() - theme().spacing(24));
    setGeometry((window->width() - width) / 2, theme().spacing(12), width, height);
}

void CommandPalette::refresh() {
    const QString typed = field_->text().trimmed();
    const QStringList recent = recentIds();
    struct Hit {
        int score;
        const Item* item;
    };
    std::vector<Hit> hits;
    for (const Item& item : items_) {
        const QString name = item.title + QLatin1Char(' ') + item.aside;
        auto score = fuzzyScore(typed, name);
        if (!score && !item.words.isEmpty()) {
            score = fuzzyScore(typed, name + QLatin1Char(' ') + item.words);
            if (score) *score -= kOtherName;
        }
        if (!score) continue;
        const auto at = recent.indexOf(item.id);
        hits.push_back({*score + (at < 0 ? 0 : kRecentBonus + kMaxRecent - static_cast<int>(at)), &item});
    }
    std::stable_sort(hits.begin(), hits.end(), [](const Hit& a, const Hit& b) { return a.score > b.score; });
    if (hits.size() > kMaxRows) hits.resize(kMaxRows);
    model_.clear();
    visible_.clear();
    for (const Hit& hit : hits) append(*hit.item);
    const int question = ++requests_;
    if (search_ && typed.size() >= 2)
        search_(typed, [this, question](const QVector<Item>& found) {
            if (question != requests_) return;  // the text has changed since
            for (const Item& item : found)
                if (std::none_of(visible_.begin(), visible_.end(), [&](const Item& row) { return row.id == item.id; }))
                    append(item);
            step(0);
        });
    step(0);
}

void CommandPalette::append(const Item& item) {
    auto* row = new QStandardItem(theme().icon(item.icon, "secondary"), item.title);
    row->setData(item.aside, TwoToneDelegate::kAsideRole);
    row->setAccessibleDescription(item.aside);
    model_.appendRow(row);
    visible_.append(item);
}

void CommandPalette::step(int rows) {
    hint_->setVisible(model_.rowCount() == 0);
    list_->setVisible(model_.rowCount() > 0);
    if (model_.rowCount() == 0) return;
    const int now = std::max(0, list_->currentIndex().row());
    list_->setCurrentIndex(model_.index(std::clamp(now + rows, 0, model_.rowCount() - 1), 0));
}

void CommandPalette::activate(const QModelIndex& index) {
    if (!index.isValid()) return;
    const Item item = visible_.value(index.row());
    remember(item.id);
    dismiss();
    if (item.run) item.run();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
    if (watched == parentWidget()) {
        if (event->type() == QEvent::Resize && isVisible()) place();
        return false;
    }
    if (event->type() == QEvent::FocusOut) {
        if (!isAncestorOf(QApplication::focusWidget())) dismiss();
        return false;
    }
    if (event->type() != QEvent::KeyPress) return false;
    switch (static_cast<QKeyEvent*>(event)->key()) {
        case Qt::Key_Down:
            step(1);
            return true;
        case Qt::Key_Up:
            step(-1);
            return true;
        case Qt::Key_PageDown:
            step(10);
            return true;
        case Qt::Key_PageUp:
            step(-10);
            return true;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            activate(list_->currentIndex());
            return true;
        case Qt::Key_Escape:
            dismiss();
            return true;
        default:
            return false;
    }
}

}  // namespace tessera::ui
