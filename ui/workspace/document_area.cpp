#include "ui/workspace/document_area.h"

#include <QApplication>
#include <QJsonArray>
#include <QMenu>
#include <QTabBar>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "ui/theme/theme.h"
#include "ui/views/document.h"
#include "ui/workspace/document_tabs.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr int kDeepestLayout = 8;
constexpr int kMaxRestored = 200;
constexpr int kLongestTitle = 40;
constexpr double kEdge = 0.25;  ///< share of a group near an edge where a dropped tab splits it

/// Names are distinguished by their beginnings and by their ends.
QString shortened(const QString& title) {
    if (title.size() <= kLongestTitle) return title;
    constexpr int kEnd = kLongestTitle / 3;
    return title.left(kLongestTitle - kEnd - 1) + QChar(0x2026) + title.right(kEnd);
}

/// Tab texts treat "&" as the mark of a shortcut.
QString tabText(const Document& document) {
    QString text = shortened(document.tabTitle());
    text.replace(QLatin1Char('&'), u"&&"_s);
    return document.isModified() ? text + u" •"_s : text;
}

Document* documentAt(const QTabWidget* group, int index) {
    return qobject_cast<Document*>(group->widget(index));
}

}  // namespace

DocumentArea::DocumentArea(QWidget* parent)
    : QWidget(parent), root_(new QSplitter(Qt::Horizontal)), mark_(new DropMark(this)) {
    auto* column = bareLayout<QVBoxLayout>(this);
    column->addWidget(root_);
    root_->setChildrenCollapsible(false);
    active_ = newGroup();
    root_->addWidget(active_);
    setAccessibleName(u"Documents"_s);
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget* /*old*/, QWidget* now) {
        for (QWidget* widget = now; widget != nullptr && widget != this; widget = widget->parentWidget())
            if (auto* group = qobject_cast<QTabWidget*>(widget); group != nullptr && allGroups().contains(group)) {
                activate(group);
                return;
            }
    });
    connect(&theme(), &Theme::changed, this, [this] {
        for (Document* document : documents()) relabel(document);
    });
}

/// Tabs that go one by one, and the focus that moves on, no longer concern anybody.
DocumentArea::~DocumentArea() {
    qApp->disconnect(this);
    for (QTabWidget* group : allGroups()) group->disconnect(this);
}

QTabWidget* DocumentArea::newGroup() {
    auto* group = new DocumentGroup;
    connect(group, &QTabWidget::tabCloseRequested, this, [this, group](int index) {
        if (Document* document = documentAt(group, index)) emit closeRequested(document);
    });
    connect(group, &QTabWidget::currentChanged, this, [this, group] { activate(group); });
    connect(group, &QTabWidget::tabBarClicked, this, [this, group] { activate(group); });
    connect(group->tabBar(), &QWidget::customContextMenuRequested, this,
            [this, group](const QPoint& position) { showTabMenu(group, position); });
    connect(group, &DocumentGroup::menuWanted, this, &DocumentArea::fillMenuOfAll);
    connect(group->tabs(), &DocumentTabs::draggedOut, this, [this, group](const QPoint& global) {
        const std::optional<Drop> drop = dropAt(group, global);
        mark_->setVisible(drop.has_value());
        if (!drop) return;
        mark_->setGeometry(drop->shown);
        mark_->raise();
    });
    connect(group->tabs(), &DocumentTabs::dragCancelled, this, [this] { mark_->hide(); });
    connect(group->tabs(), &DocumentTabs::dropped, this, [this, group](const QPoint& global) {
        mark_->hide();
        if (const std::optional<Drop> drop = dropAt(group, global))
            perform(documentAt(group, group->currentIndex()), *drop);
    });
    return group;
}

void DocumentArea::add(Document* document) {
    insert(active_, document, active_->currentIndex() + 1);
    bringToFront(document);
}

void DocumentArea::insert(QTabWidget* group, Document* document, int at) {
    group->insertTab(at, document, tabText(*document));
    relabel(document);
    connect(document, &Document::titleChanged, this, [this, document] { relabel(document); });
    connect(document, &Document::modifiedChanged, this, [this, document] { relabel(document); });
}

void DocumentArea::relabel(Document* document) {
    QTabWidget* group = groupOf(document);
    if (group == nullptr) return;
    const int index = group->indexOf(document);
    group->setTabText(index, tabText(*document));
    group->setTabIcon(index, theme().icon(document->iconName(), "secondary"));
    group->setTabToolTip(index, document->tabTitle().toHtmlEscaped());
    if (document->accessibleName().isEmpty()) document->setAccessibleName(document->title());
    if (QWidget* button = group->tabBar()->tabButton(index, QTabBar::RightSide)) {
        button->setToolTip(u"Close this tab"_s);
        button->setAccessibleName(u"Close %1"_s.arg(document->title()));
    }
}

Document* DocumentArea::current() const {
    return documentAt(active_, active_->currentIndex());
}

QVector<QTabWidget*> DocumentArea::allGroups() const {
    QVector<QTabWidget*> groups;
    const std::function<void(QSplitter*)> walk = [&](QSplitter* splitter) {
        for (int i = 0; i < splitter->count(); ++i) {
            if (auto* group = qobject_cast<QTabWidget*>(splitter->widget(i))) groups.append(group);
            if (auto* inner = qobject_cast<QSplitter*>(splitter->widget(i))) walk(inner);
        }
    };
    walk(root_);
    return groups;
}

QVector<Document*> DocumentArea::documents() const {
    QVector<Document*> all;
    for (const QTabWidget* group : allGroups())
        for (int i = 0; i < group->count(); ++i) all.append(documentAt(group, i));
    return all;
}

Document* DocumentArea::find(const QString& kind, const QString& key) const {
    for (Document* document : documents())
        if (document->kind() == kind && document->key() == key) return document;
    return nullptr;
}

QTabWidget* DocumentArea::groupOf(const Document* document) const {
    for (QTabWidget* group : allGroups())
        if (group->indexOf(const_cast<Document*>(document)) >= 0) return group;  // indexOf takes no const pointer
    return nullptr;
}

void DocumentArea::bringToFront(Document* document) {
    QTabWidget* group = groupOf(document);
    if (group == nullptr) return;
    group->setCurrentWidget(document);
    activate(group);
}

void DocumentArea::close(Document* document) {
    QTabWidget* group = groupOf(document);
    if (group == nullptr) return;
    group->removeTab(group->indexOf(document));
    document->disconnect(this);
    document->hide();
    document->deleteLater();
    removeIfEmpty(group);
    announce();
    if (documents().isEmpty()) emit emptied();
}

void DocumentArea::activate(QTabWidget* group) {
    active_ = group;
    announce();
}

void DocumentArea::announce() {
    Document* now = current();
    if (now == announced_) return;
    announced_ = now;
    emit currentChanged(now);
}

void DocumentArea::split(Qt::Orientation orientation) {
    Document* document = current();
    if (document == nullptr || active_->count() < 2) return;
    QTabWidget* to = newGroup();
    place(to, active_, orientation, false);
    move(document, to, 0);
}

/// Into another group, or to another place in its own.
void DocumentArea::move(Document* document, QTabWidget* to, int at) {
    QTabWidget* from = groupOf(document);
    from->removeTab(from->indexOf(document));
    document->disconnect(this);
    insert(to, document, std::min(at, to->count()));
    to->setCurrentWidget(document);
    activate(to);
    removeIfEmpty(from);
    document->setFocus();
}

void DocumentArea::place(QTabWidget* added, QTabWidget* beside, Qt::Orientation orientation, bool before) {
    auto* parent = qobject_cast<QSplitter*>(beside->parentWidget());
    const int index = parent->indexOf(beside);
    if (parent->count() == 1) parent->setOrientation(orientation);
    if (parent->orientation() == orientation) {
        QList<int> sizes = parent->sizes();
        const int half = sizes[index] / 2;
        sizes[index] = half;
        sizes.insert(index + 1, half);
        parent->insertWidget(before ? index : index + 1, added);
        parent->setSizes(sizes);
        return;
    }
    const QList<int> sizes = parent->sizes();
    auto* inner = new QSplitter(orientation);
    inner->setChildrenCollapsible(false);
    parent->insertWidget(index, inner);
    inner->addWidget(beside);
    inner->insertWidget(before ? 0 : 1, added);
    inner->setSizes({1000, 1000});
    parent->setSizes(sizes);
}

void DocumentArea::moveToOtherSide() {
    Document* document = current();
    if (document == nullptr) return;
    const QVector<QTabWidget*> all = allGroups();
    if (all.size() == 1) {
        split(Qt::Horizontal);
        return;
    }
    QTabWidget* to = all[(all.indexOf(active_) + 1) % all.size()];
    move(document, to, to->currentIndex() + 1);
}

/// What the current tab of `from` would do when it is dropped there: over tabs it joins them, over the middle of a
/// group too, and near an edge it splits the group. Empty where nothing would change.
std::optional<DocumentArea::Drop> DocumentArea::dropAt(QTabWidget* from, const QPoint& global) const {
    const auto onArea = [this](const QWidget* widget, const QRect& rect) {
        return QRect(widget->mapTo(this, rect.topLeft()), rect.size());
    };
    for (QTabWidget* group : allGroups()) {
        if (!group->rect().contains(group->mapFromGlobal(global))) continue;
        const QTabBar* bar = group->tabBar();
        if (const QPoint at = bar->mapFromGlobal(global); at.y() <= bar->height()) {
            const int index = bar->tabAt(at);
            const QRect tab = bar->tabRect(index < 0 ? group->count() - 1 : index);
            return Drop{.group = group, .index = index < 0 ? group->count() : index, .shown = onArea(bar, tab)};
        }
        const QRect body = group->rect().adjusted(0, bar->height(), 0, 0);
        const QPointF at = group->mapFromGlobal(global) - body.topLeft();
        const double x = at.x() / std::max(1, body.width()), y = at.y() / std::max(1, body.height());
        const bool sideways = std::abs(x - 0.5) >= std::abs(y - 0.5);
        const double away = sideways ? x : y;
        const bool splits = away < kEdge || away > 1 - kEdge;
        if (group == from && (!splits || group->count() < 2)) return std::nullopt;
        if (!splits) return Drop{.group = group, .index = group->count(), .shown = onArea(group, body)};
        QRect half = body;
        if (sideways) half.setWidth(body.width() / 2);
        if (!sideways) half.setHeight(body.height() / 2);
        if (away > 0.5) half.moveBottomRight(body.bottomRight());
        return Drop{.group = group,
                    .split = sideways ? Qt::Horizontal : Qt::Vertical,
                    .before = away < 0.5,
                    .shown = onArea(group, half)};
    }
    return std::nullopt;
}

void DocumentArea::perform(Document* document, const Drop& drop) {
    if (document == nullptr) return;
    if (!drop.split) return move(document, drop.group, drop.index);
    QTabWidget* to = newGroup();
    place(to, drop.group, *drop.split, drop.before);
    move(document, to, 0);
}

void DocumentArea::removeIfEmpty(QTabWidget* group) {
    const QVector<QTabWidget*> all = allGroups();
    if (group->count() > 0 || all.size() == 1) return;
    auto* parent = qobject_cast<QSplitter*>(group->parentWidget());
    if (active_ == group) active_ = all[all.indexOf(group) == 0 ? 1 : all.indexOf(group) - 1];
    group->disconnect(this);
    group->setParent(nullptr);
    group->deleteLater();
    tidy(parent);
}

/// A splitter with one child left gives it to its parent.
void DocumentArea::tidy(QSplitter* splitter) {
    if (splitter == root_ || splitter->count() > 1) return;
    auto* parent = qobject_cast<QSplitter*>(splitter->parentWidget());
    const QList<int> sizes = parent->sizes();
    const int index = parent->indexOf(splitter);
    QWidget* only = splitter->widget(0);
    splitter->setParent(nullptr);
    splitter->deleteLater();
    if (only != nullptr) parent->insertWidget(index, only);
    if (only != nullptr) only->show();
    parent->setSizes(sizes);
    tidy(parent);
}

void DocumentArea::nextTab(int step) {
    const QVector<Document*> all = documents();
    const auto at = all.indexOf(current());
    if (at < 0) return;
    Document* next = all[(at + step + all.size()) % all.size()];
    bringToFront(next);
    next->setFocus();
}

int DocumentArea::groups() const {
    return static_cast<int>(allGroups().size());
}

void DocumentArea::showTabMenu(QTabWidget* group, const QPoint& position) {
    const int index = group->tabBar()->tabAt(position);
    Document* document = documentAt(group, index);
    if (document == nullptr) return;
    bringToFront(document);
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    // Bound to the document: it may be closed by something else while its menu is open.
    menu->addAction(u"Close"_s, document, [this, document] { emit closeRequested(document); });
    menu->addAction(u"Close others"_s, document, [this, document] {
        for (Document* other : documents())
            if (other != document) emit closeRequested(other);
    });
    menu->addSeparator();
    menu->addAction(u"Split right"_s, this, [this] { split(Qt::Horizontal); })->setEnabled(group->count() > 1);
    menu->addAction(u"Split down"_s, this, [this] { split(Qt::Vertical); })->setEnabled(group->count() > 1);
    menu->addAction(u"Move to the other side"_s, this, [this] { moveToOtherSide(); })
        ->setEnabled(group->count() > 1 || groups() > 1);
    menu->popup(group->tabBar()->mapToGlobal(position));
}

void DocumentArea::fillMenuOfAll(QMenu* menu) {
    menu->clear();
    for (const QTabWidget* group : allGroups()) {
        if (!menu->isEmpty()) menu->addSeparator();
        for (int i = 0; i < group->count(); ++i) {
            Document* document = documentAt(group, i);
            QAction* each = menu->addAction(theme().icon(document->iconName(), "secondary"), tabText(*document));
            each->setCheckable(true);
            each->setChecked(document == current());
            connect(each, &QAction::triggered, document, [this, document] {
                bringToFront(document);
                document->setFocus();
            });
        }
    }
}

QJsonObject DocumentArea::save(const std::function<std::optional<QString>(const Document&)>& keyOf) const {
    return saved(root_, 0, keyOf);
}

QJsonObject DocumentArea::saved(const QWidget* node, int depth,
                                const std::function<std::optional<QString>(const Document&)>& keyOf) const {
    QJsonObject json;
    if (const auto* group = qobject_cast<const QTabWidget*>(node)) {
        QJsonArray tabs;
        for (int i = 0; i < group->count(); ++i) {
            const Document* document = documentAt(group, i);
            const std::optional<QString> key = keyOf(*document);
            if (!key) continue;
            tabs.append(QJsonObject{{"kind", document->kind()}, {"key", *key}, {"view", document->saveView()}});
        }
        json["tabs"] = tabs;
        json["current"] = group->currentIndex();
        json["active"] = group == active_;
        return json;
    }
    const auto* splitter = qobject_cast<const QSplitter*>(node);
    if (splitter == nullptr || depth > kDeepestLayout) return json;
    QJsonArray sizes, children;
    for (const int size : splitter->sizes()) sizes.append(size);
    for (int i = 0; i < splitter->count(); ++i) children.append(saved(splitter->widget(i), depth + 1, keyOf));
    json["vertical"] = splitter->orientation() == Qt::Vertical;
    json["sizes"] = sizes;
    json["children"] = children;
    return json;
}

void DocumentArea::restore(const QJsonObject& layout,
                           const std::function<Document*(const QString&, const QString&)>& make) {
    const QVector<QTabWidget*> before = allGroups();
    restoredActive_ = nullptr;
    root_->setOrientation(layout["vertical"].toBool() ? Qt::Vertical : Qt::Horizontal);
    restored(root_, layout, 0, make);
    for (QTabWidget* group : before) removeIfEmpty(group);
    for (QTabWidget* group : allGroups()) removeIfEmpty(group);
    QList<int> sizes;
    for (const QJsonValue size : layout["sizes"].toArray()) sizes.append(size.toInt());
    if (sizes.size() == root_->count()) root_->setSizes(sizes);
    // Tabs that were put in made their own groups the active ones.
    if (restoredActive_ != nullptr) active_ = restoredActive_;
    announce();
}

void DocumentArea::restored(QSplitter* parent, const QJsonObject& node, int depth,
                            const std::function<Document*(const QString&, const QString&)>& make) {
    for (const QJsonValue entry : node["children"].toArray()) {
        if (depth > kDeepestLayout || documents().size() > kMaxRestored) return;
        const QJsonObject child = entry.toObject();
        if (child.contains("children")) {
            auto* inner = new QSplitter(child["vertical"].toBool() ? Qt::Vertical : Qt::Horizontal);
            inner->setChildrenCollapsible(false);
            parent->addWidget(inner);
            restored(inner, child, depth + 1, make);
            QList<int> sizes;
            for (const QJsonValue size : child["sizes"].toArray()) sizes.append(size.toInt());
            if (sizes.size() == inner->count()) inner->setSizes(sizes);
            if (inner->count() == 0) {
                inner->setParent(nullptr);
                inner->deleteLater();
            }
            continue;
        }
        QTabWidget* group = newGroup();
        parent->addWidget(group);
        for (const QJsonValue tab : child["tabs"].toArray()) {
            const QJsonObject row = tab.toObject();
            Document* document = make(row["kind"].toString(), row["key"].toString());
            if (document == nullptr) continue;
            insert(group, document, group->count());
            document->restoreView(row["view"].toObject());
        }
        group->setCurrentIndex(child["current"].toInt());
        if (child["active"].toBool() && group->count() > 0) restoredActive_ = group;
    }
}

}  // namespace tessera::ui
