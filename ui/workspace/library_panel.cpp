#include "ui/workspace/library_panel.h"

#include <QFileInfo>
#include <QKeyEvent>
#include <QMenu>
#include <QPersistentModelIndex>
#include <QSet>
#include <QVBoxLayout>
#include <algorithm>
#include <iterator>

#include "ui/jobs/run_status.h"
#include "ui/models/document_keys.h"
#include "ui/models/engine_words.h"
#include "ui/models/table_columns.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/focus_start.h"
#include "ui/workspace/two_tone_delegate.h"
#include "ui/workspace/words.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr int kIconRole = Qt::UserRole + 30;
constexpr int kTokenRole = Qt::UserRole + 31;
constexpr int kSectionRole = Qt::UserRole + 32;
constexpr int kSearchRole = Qt::UserRole + 33;  // what the filter looks at

void setIcon(QStandardItem* item, const QString& icon, const char* token = "secondary") {
    item->setData(icon, kIconRole);
    item->setData(QString::fromLatin1(token), kTokenRole);
    item->setIcon(theme().icon(icon, token));
}

/// What an entry is, whatever it is called now.
QString identityOf(const QStandardItem& item) {
    return item.data(LibraryPanel::kindRole).toString() + QLatin1Char('\n') +
           item.data(LibraryPanel::keyRole).toString();
}

/// Makes a row that stays like one that was made anew.
void makeLike(QStandardItem& item, const QStandardItem& anew) {
    for (const int role : {int(Qt::DisplayRole), int(Qt::ToolTipRole), int(Qt::AccessibleDescriptionRole),
                           int(LibraryPanel::helpRole), int(LibraryPanel::fileRole), int(LibraryPanel::runRole),
                           int(TwoToneDelegate::kAsideRole), int(TwoToneDelegate::kBadgeRole), kSearchRole})
        if (item.data(role) != anew.data(role)) item.setData(anew.data(role), role);
    if (item.data(kIconRole) == anew.data(kIconRole) && item.data(kTokenRole) == anew.data(kTokenRole)) return;
    setIcon(&item, anew.data(kIconRole).toString(), anew.data(kTokenRole).toString().toLatin1().constData());
}

}  // namespace

LibraryPanel::LibraryPanel(QWidget* parent) : QWidget(parent), filter_(new QLineEdit), tree_(new QTreeView) {
    models_ = section(u"models"_s, u"Models"_s, u"model"_s, model_.invisibleRootItem());
    QStandardItem* hardware = section(u"hardware"_s, u"Hardware"_s, u"hardware"_s, model_.invisibleRootItem());
    fleets_ = section(u"fleets"_s, u"Fleets"_s, u"fleet"_s, hardware);
    accelerators_ = section(u"accelerators"_s, u"Accelerators"_s, u"accelerator"_s, hardware);
    platforms_ = section(u"platforms"_s, u"Platforms"_s, u"platform"_s, hardware);
    templates_ = section(u"templates"_s, u"Templates"_s, u"template"_s, hardware);
    workloads_ = section(u"workloads"_s, u"Workloads"_s, u"jobs"_s, model_.invisibleRootItem());
    studies_ = section(u"studies"_s, u"Studies"_s, u"study"_s, model_.invisibleRootItem());
    runs_ = section(u"history"_s, u"History"_s, u"history"_s, model_.invisibleRootItem());

    proxy_.setSourceModel(&model_);
    proxy_.setRecursiveFilteringEnabled(true);
    proxy_.setAutoAcceptChildRows(false);
    proxy_.setFilterCaseSensitivity(Qt::CaseInsensitive);
    proxy_.setFilterRole(kSearchRole);
    filter_->setPlaceholderText(u"Filter the library"_s);
    filter_->setAccessibleName(u"Filter the library"_s);
    filter_->setClearButtonEnabled(true);
    tree_->setModel(&proxy_);
    tree_->setHeaderHidden(true);
    tree_->setUniformRowHeights(true);
    tree_->setFrameShape(QFrame::NoFrame);
    tree_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    tree_->setAccessibleName(u"Library"_s);
    tree_->setContextMenuPolicy(Qt::CustomContextMenu);
    tree_->setIndentation(theme().spacing(4));
    tree_->setItemDelegate(new TwoToneDelegate(tree_));
    tree_->setExpandsOnDoubleClick(true);
    setFocusStart(*this, *tree_);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(theme().spacing(2), theme().spacing(), theme().spacing(2), 0);
    column->setSpacing(theme().spacing(2));
    column->addWidget(filter_);
    column->addWidget(tree_, 1);

    connect(filter_, &QLineEdit::textChanged, this, [this] { applyFilter(); });
    connect(tree_, &QTreeView::activated, this, [this](const QModelIndex& index) { open(proxy_.mapToSource(index)); });
    connect(tree_->selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this](const QModelIndex& index) { inspect(proxy_.mapToSource(index)); });
    connect(tree_, &QWidget::customContextMenuRequested, this, [this](const QPoint& position) {
        if (QMenu* menu = contextMenu(tree_->indexAt(position))) menu->popup(tree_->viewport()->mapToGlobal(position));
    });
    connect(&theme(), &Theme::changed, this, [this] { refreshIcons(); });
    setOpenSections({u"hardware"_s, u"fleets"_s, u"studies"_s, u"history"_s});
}

QStandardItem* LibraryPanel::section(const QString& id, const QString& title, const QString& icon,
                                     QStandardItem* parent) {
    auto* item = new QStandardItem(title);
    item->setData(id, kSectionRole);
    item->setData(title, kSearchRole);
    item->setFont(theme().font(Theme::Text::base, parent == model_.invisibleRootItem()));
    item->setEditable(false);
    setIcon(item, icon, "text");
    parent->appendRow(item);
    return item;
}

QStandardItem* LibraryPanel::entryItem(const QString& kind, const QString& icon, const LibraryContents::Entry& entry) {
    // Results call hardware by its name, and so does the list; models and studies have short titles.
    const QString label = kind == u"hardware"_s ? entry.name() : entry.title;
    auto* item = new QStandardItem(label);
    item->setData(kind, kindRole);
    item->setData(entry.key, keyRole);
    item->setData(entry.problem.isEmpty() ? entry.help : entry.problem, helpRole);
    item->setData(entry.aside, TwoToneDelegate::kAsideRole);
    const QString badge = entry.own ? u"mine"_s : QString();
    item->setData(badge, TwoToneDelegate::kBadgeRole);
    const bool isTitled = label == entry.title;
    item->setAccessibleDescription(isTitled ? badge : u"%1 %2"_s.arg(entry.title, badge).trimmed());
    // Also by the name under which studies and commands know it.
    const QStringList searched{entry.title, entry.name(), badge};
    item->setData(searched.join(QLatin1Char('\n')), kSearchRole);
    QStringList tip{entry.problem.isEmpty() ? entry.help : entry.problem};
    if (!isTitled && tip.constFirst() != entry.title) tip.prepend(entry.title);
    item->setToolTip(tipText(tip.join(QLatin1Char('\n'))));
    item->setEditable(false);
    setIcon(item, entry.problem.isEmpty() ? icon : u"warning"_s, entry.problem.isEmpty() ? "secondary" : "warning");
    return item;
}

void LibraryPanel::fill(QStandardItem* section, const QString& kind, const QString& icon,
                        const QVector<LibraryContents::Entry>& entries, const QVector<RecentFiles::Entry>& recent) {
    QVector<QStandardItem*> items;
    for (const RecentFiles::Entry& file : recent) {
        items.append(entryItem(kind, u"file"_s,
                               {.key = file.path,
                                .title = QFileInfo(file.path).fileName(),
                                .aside = u"file"_s,
                                .help = file.path,
                                .problem = {}}));
        items.back()->setData(true, fileRole);
    }
    for (const LibraryContents::Entry& entry : entries) items.append(entryItem(kind, icon, entry));
    setEntries(section, items);
    section->setData(QString::number(section->rowCount()), TwoToneDelegate::kAsideRole);
}

void LibraryPanel::setEntries(QStandardItem* section, const QVector<QStandardItem*>& items) {
    filling_ = true;
    QSet<QString> wanted;
    for (const QStandardItem* item : items) wanted.insert(identityOf(*item));
    const QPersistentModelIndex current = proxy_.mapToSource(tree_->currentIndex());
    const QString before = current.isValid() ? identityOf(*model_.itemFromIndex(current)) : QString();
    for (int row = section->rowCount() - 1; row >= 0; --row)
        if (!wanted.contains(identityOf(*section->child(row)))) section->removeRow(row);
    for (int row = 0; row < items.size(); ++row) {
        QStandardItem* item = items[row];
        if (row < section->rowCount() && identityOf(*section->child(row)) == identityOf(*item)) {
            makeLike(*section->child(row), *item);
            delete item;
            continue;
        }
        // Another order: what stood further down is taken away there.
        for (int later = row; later < section->rowCount(); ++later)
            if (identityOf(*section->child(later)) == identityOf(*item)) section->removeRow(later);
        section->insertRow(row, item);
    }
    section->removeRows(static_cast<int>(items.size()), section->rowCount() - static_cast<int>(items.size()));
    if (!current.isValid() && wanted.contains(before))
        for (int row = 0; row < section->rowCount(); ++row)
            if (identityOf(*section->child(row)) == before)
                tree_->setCurrentIndex(proxy_.mapFromSource(section->child(row)->index()));
    if (filtering_) tree_->expandAll();
    filling_ = false;
}

void LibraryPanel::fillAll() {
    const auto fillFrom = [this](QStandardItem* section, const char* kind, const char* icon,
                                 const QVector<LibraryContents::Entry>& entries) {
        // A file of hardware that was never read, or cannot be, stands with the fleets.
        const auto isHere = [&](const RecentFiles::Entry& file) {
            return file.kind == QLatin1String(kind) &&
                   (file.icon == QLatin1String(icon) || (file.icon == QLatin1String("hardware") && section == fleets_));
        };
        QVector<RecentFiles::Entry> files;
        std::copy_if(recent_.begin(), recent_.end(), std::back_inserter(files), isHere);
        fill(section, QString::fromLatin1(kind), QString::fromLatin1(icon), entries, files);
    };
    fillFrom(models_, "model", "model", contents_.models);
    fillFrom(fleets_, "hardware", "fleet", contents_.fleets);
    fillFrom(accelerators_, "hardware", "accelerator", contents_.accelerators);
    fillFrom(platforms_, "hardware", "platform", contents_.platforms);
    fillFrom(templates_, "hardware", "template", contents_.templates);
    fillFrom(workloads_, "hardware", "jobs", contents_.workloads);
    fillFrom(studies_, "study", "study", contents_.studies);
}

void LibraryPanel::setContents(const LibraryContents& contents) {
    contents_ = contents;
    fillAll();
}

void LibraryPanel::setRecent(const QVector<RecentFiles::Entry>& entries) {
    recent_ = entries;
    fillAll();
}

void LibraryPanel::setRuns(const std::vector<store::RunRow>& runs) {
    QVector<QStandardItem*> items{
        entryItem(u"history"_s, u"search"_s,
                  {.key = {}, .title = u"All runs"_s, .aside = {}, .help = u"Search, filter, compare"_s})};
    for (const store::RunRow& run : runs) {
        QStandardItem* item = entryItem(u"run"_s, u"run"_s,
                                        {.key = u"run/%1"_s.arg(run.id),
                                         .title = run.name.empty() ? u"Run %1"_s.arg(run.id) : shown(run.name),
                                         .aside = run.started ? momentText(*run.started) : QString(),
                                         .help = shown(run.headline)});
        item->setData(QVariant::fromValue<qint64>(run.id), runRole);
        setIcon(item, statusIcon(run.status), statusToken(run.status).data());
        item->setAccessibleDescription(statusText(run.status));
        items.append(item);
    }
    setEntries(runs_, items);
}

void LibraryPanel::applyFilter() {
    const bool filters = !filter_->text().trimmed().isEmpty();
    if (filters && !filtering_) openBeforeFilter_ = openSections();
    proxy_.setFilterFixedString(filter_->text().trimmed());
    if (filters) tree_->expandAll();
    if (!filters && filtering_) setOpenSections(openBeforeFilter_);
    filtering_ = filters;
}

QVector<QStandardItem*> LibraryPanel::sectionItems() const {
    return {models_, fleets_, accelerators_, platforms_, templates_, workloads_, studies_, runs_, fleets_->parent()};
}

QStringList LibraryPanel::openSections() const {
    if (filtering_) return openBeforeFilter_;
    QStringList open;
    for (const QStandardItem* item : sectionItems())
        if (tree_->isExpanded(proxy_.mapFromSource(item->index()))) open.append(item->data(kSectionRole).toString());
    return open;
}

void LibraryPanel::setOpenSections(const QStringList& sections) {
    for (const QStandardItem* item : sectionItems())
        tree_->setExpanded(proxy_.mapFromSource(item->index()), sections.contains(item->data(kSectionRole).toString()));
}

void LibraryPanel::open(const QModelIndex& index) {
    const QString kind = index.data(kindRole).toString();
    if (!kind.isEmpty()) emit openRequested(kind, index.data(keyRole).toString());
}

void LibraryPanel::inspect(const QModelIndex& index) {
    const QString kind = index.data(kindRole).toString();
    // Rows that come and go move the current one; the user chose nothing.
    if (kind.isEmpty() || filling_) return;
    const QString key = index.data(keyRole).toString();
    Facts facts{.title = index.data().toString(),
                .subtitle = key,
                .icon = index.data(kIconRole).toString(),
                .note = index.data(helpRole).toString()};
    facts.actions.append({u"Open"_s, u"open"_s, [this, kind, key] { emit openRequested(kind, key); }});
    if (kind == QLatin1String("model"))
        facts.actions.append(
            {u"New study with this model"_s, u"study"_s, [this, key] { emit newStudyRequested(key, {}); }});
    if (kind == QLatin1String("study"))
        facts.actions.append({u"Run"_s, u"run"_s, [this, key] { emit runRequested(key); }});
    emit inspected(facts);
}

QMenu* LibraryPanel::contextMenu(const QModelIndex& proxied) {
    const QModelIndex index = proxy_.mapToSource(proxied);
    const QString kind = index.data(kindRole).toString();
    const bool calibrates = index == accelerators_->index() || index.parent() == accelerators_->index();
    if (kind.isEmpty() && !calibrates) return nullptr;
    const QString key = index.data(keyRole).toString();
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const auto add = [&](const QString& title, const QString& icon, std::function<void()> run) {
        connect(menu->addAction(theme().icon(icon), title), &QAction::triggered, this, std::move(run));
    };
    if (!kind.isEmpty()) add(u"Open"_s, u"open"_s, [this, kind, key] { emit openRequested(kind, key); });
    if (calibrates) add(u"Calibrate this machine…"_s, u"time"_s, [this] { emit openRequested(u"calibration"_s, {}); });
    if (kind == QLatin1String("model")) {
        add(u"New study with this model"_s, u"study"_s, [this, key] { emit newStudyRequested(key, {}); });
        for (const auto& [engine, title] : studiesOfJobs())
            add(title, iconOf(*engine),
                [this, key, id = idOf(*engine)] { emit openRequested(u"study"_s, jobsKey(id, key)); });
    }
    if (kind == QLatin1String("hardware")) {
        // A file on this list may be any hardware; it is read as that of the first engine.
        const bool isFile = index.data(fileRole).toBool();
        const QString hardware =
            isFile ? toQt(study::engines().front().hardwareKind) : key.section(QLatin1Char('/'), 0, 0);
        const QString name = isFile ? key : key.section(QLatin1Char('/'), 1);
        for (const auto& study : studiesOn(hardware))
            add(study.second, u"study"_s,
                [this, name, engine = idOf(*study.first)] { emit newStudyRequested({}, name, engine); });
    }
    if (kind == QLatin1String("study")) add(u"Run"_s, u"run"_s, [this, key] { emit runRequested(key); });
    if (kind == QLatin1String("run")) {
        const qint64 run = index.data(runRole).toLongLong();
        add(u"Run again"_s, u"run"_s, [this, run] { emit repeatRequested(run); });
        add(u"Open its study"_s, u"study"_s, [this, run] { emit studyOfRunRequested(run); });
    }
    if (kind == QLatin1String("hardware"))
        add(u"Duplicate…"_s, u"duplicate"_s, [this, key] { emit duplicateRequested(key); });
    if (index.data(fileRole).toBool())
        add(u"Take off this list"_s, u"close"_s, [this, key] { emit forgetRequested(key); });
    return menu;
}

void LibraryPanel::refreshIcons() {
    const std::function<void(QStandardItem*)> walk = [&](QStandardItem* item) {
        for (int row = 0; row < item->rowCount(); ++row) {
            QStandardItem* child = item->child(row);
            const QByteArray token = child->data(kTokenRole).toString().toLatin1();
            child->setIcon(theme().icon(child->data(kIconRole).toString(), token.constData()));
            walk(child);
        }
    };
    walk(model_.invisibleRootItem());
}

}  // namespace tessera::ui
