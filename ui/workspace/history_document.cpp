#include "ui/workspace/history_document.h"

#include <QFileInfo>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPointer>
#include <QScrollBar>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/theme/theme.h"
#include "ui/views/empty_state.h"
#include "ui/workspace/history_columns.h"
#include "ui/workspace/questions.h"
#include "ui/workspace/run_facts.h"
#include "ui/workspace/run_loader.h"
#include "ui/workspace/words.h"

namespace tessera::ui {

namespace {

constexpr std::size_t kMostCompared = 200;
/// Columns that a new history shows of what its runs measured.
const QStringList kFirstMetrics{QStringLiteral("step_time_s"), QStringLiteral("speedup_over_dp")};

/// An edit of the history that can be taken back. Both ways happen on the history's thread.
class Edit : public QUndoCommand {
public:
    Edit(const QString& text, History& history, std::function<void(store::Store&)> redo,
         std::function<void(store::Store&)> undo)
        : QUndoCommand(text), history_(&history), redo_(std::move(redo)), undo_(std::move(undo)) {}
    void redo() override { history_->change(redo_); }
    void undo() override { history_->change(undo_); }

private:
    History* history_;
    std::function<void(store::Store&)> redo_, undo_;
};

std::vector<store::RunId> idsOf(const std::vector<store::RunRow>& rows) {
    std::vector<store::RunId> ids;
    for (const store::RunRow& row : rows) ids.push_back(row.id);
    return ids;
}

}  // namespace

HistoryDocument::HistoryDocument(History& history, QWidget* parent)
    : Document(parent),
      history_(&history),
      model_(history),
      filters_(new HistoryFilters),
      table_(new QTableView),
      summary_(new QLabel),
      hint_(new EmptyState(QStringLiteral("history"), tr("No run fits these filters."))) {
    buildTable();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(theme().spacing(3), theme().spacing(3), theme().spacing(3), theme().spacing(2));
    column->setSpacing(theme().spacing(2));
    column->addWidget(filters_);
    column->addWidget(table_, 1);
    column->addWidget(hint_, 1);
    auto* foot = new QHBoxLayout;
    foot->setSpacing(theme().spacing(2));
    setLook(*summary_, "tone", "secondary");
    foot->addWidget(summary_, 1);
    column->addLayout(foot);
    buildActions();
    for (const char* id : {"open", "compare", "report", "repeat", "delete"}) {
        auto* button = new QToolButton;
        button->setDefaultAction(actionNamed(QLatin1String(id)));
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        button->setFocusPolicy(Qt::StrongFocus);
        foot->addWidget(button);
    }
    setFocusProxy(table_);

    connect(filters_, &HistoryFilters::changed, this, [this] { model_.setQuery(filters_->query(model_.query())); });
    connect(&model_, &QAbstractItemModel::modelAboutToBeReset, this, [this] { keepSelection(); });
    connect(&model_, &HistoryModel::loaded, this, [this] {
        restoreSelection();
        updateSummary();
    });
    connect(history_, &History::changed, this, [this] { askForNames(); });
    connect(history_, &History::opened, this, [this] { askForNames(); });
    connect(&model_, &HistoryModel::starEdited, this,
            [this](const store::RunRow& row, bool starred) { star({row}, starred); });
    connect(&model_, &HistoryModel::nameEdited, this, [this](const store::RunRow& row, const QString& name) {
        push(
            tr("renaming a run"), [id = row.id, to = name.toStdString()](store::Store& s) { s.setName(id, to); },
            [id = row.id, to = row.name](store::Store& s) { s.setName(id, to); });
    });
    connect(&model_, &HistoryModel::noteEdited, this, [this](const store::RunRow& row, const QString& note) {
        push(
            tr("editing a note"), [id = row.id, to = note.toStdString()](store::Store& s) { s.setNote(id, to); },
            [id = row.id, to = row.note](store::Store& s) { s.setNote(id, to); });
    });
    connect(&model_, &HistoryModel::tagsEdited, this, [this](const store::RunRow& row, const QStringList& tags) {
        std::vector<std::string> to;
        for (const QString& tag : tags) to.push_back(tag.toStdString());
        push(
            tr("editing tags"), [id = row.id, to](store::Store& s) { s.setTags(id, to); },
            [id = row.id, from = row.tags](store::Store& s) { s.setTags(id, from); });
    });
    model_.setMetrics(kFirstMetrics);
    askForNames();
    updateSummary();
    updateActions();
}

void HistoryDocument::buildTable() {
    table_->setModel(&model_);
    table_->setAccessibleName(tr("Runs"));
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    table_->setEditTriggers(QAbstractItemView::EditKeyPressed | QAbstractItemView::SelectedClicked);
    table_->setShowGrid(false);
    table_->setAlternatingRowColors(false);
    table_->setWordWrap(false);
    table_->setTabKeyNavigation(false);
    table_->setContextMenuPolicy(Qt::ActionsContextMenu);
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table_->verticalHeader()->setDefaultSectionSize(theme().spacing(7));
    table_->horizontalHeader()->setSectionsMovable(true);
    table_->horizontalHeader()->setHighlightSections(false);
    table_->horizontalHeader()->setContextMenuPolicy(Qt::CustomContextMenu);
    table_->setSortingEnabled(true);
    table_->horizontalHeader()->setSortIndicator(HistoryModel::Started, Qt::DescendingOrder);
    connect(table_->horizontalHeader(), &QWidget::customContextMenuRequested, this, &HistoryDocument::showColumnMenu);
    connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        updateActions();
        inspectCurrent();
    });
    connect(table_, &QTableView::doubleClicked, this, [this](const QModelIndex& index) {
        if (index.column() != HistoryModel::Star) actionNamed(QStringLiteral("open"))->trigger();
    });
    connect(table_, &QTableView::clicked, this, [this](const QModelIndex& index) {
        const store::RunRow* row = model_.row(index.row());
        if (index.column() == HistoryModel::Star && row != nullptr) star({*row}, !row->starred);
    });
    columns_ = new HistoryColumns(*table_, model_, this);
}

QAction* HistoryDocument::action(const QString& id, const QString& title, const QString& icon, const QKeySequence& keys,
                                 std::function<void()> run) {
    auto* made = new QAction(theme().icon(icon), title, this);
    made->setObjectName(id);
    made->setShortcut(keys);
    made->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    connect(made, &QAction::triggered, this, std::move(run));
    connect(&theme(), &Theme::changed, made, [made, icon] { made->setIcon(theme().icon(icon)); });
    actions_.append(made);
    table_->addAction(made);
    return made;
}

void HistoryDocument::buildActions() {
    const auto add = [this](const char* id, const QString& title, const char* icon, const QKeySequence& keys,
                            std::function<void()> run) {
        action(QLatin1String(id), title, QLatin1String(icon), keys, std::move(run));
    };
    const auto joinedKey = [this] { return runKey(selectedRuns()); };
    add("open", tr("Open"), "open", QKeySequence(Qt::Key_Return), [this] {
        for (const store::RunId run : selectedRuns())
            emit openRequested(QStringLiteral("run"), QStringLiteral("run/%1").arg(run));
    });
    add("compare", tr("Compare"), "compare", QKeySequence(QStringLiteral("Ctrl+Shift+C")),
        [this, joinedKey] { emit openRequested(QStringLiteral("compare"), joinedKey()); });
    add("report", tr("Report"), "report", {},
        [this, joinedKey] { emit openRequested(QStringLiteral("report"), joinedKey()); });
    add("repeat", tr("Run again"), "run", {}, [this] {
        for (const store::RunId run : selectedRuns()) emit repeatRequested(run);
    });
    add("resume", tr("Resume"), "resume", {}, [this] {
        for (const store::RunRow& row : selectedRows())
            if (row.status == store::RunStatus::interrupted) emit resumeRequested(row.id);
    });
    add("study", tr("Open its study"), "study", {}, [this] {
        for (const store::RunId run : selectedRuns())
            emit openRequested(QStringLiteral("study"), QStringLiteral("run/%1").arg(run));
    });
    add("star", tr("Star or unstar"), "star", QKeySequence(Qt::Key_S), [this] {
        const std::vector<store::RunRow> rows = selectedRows();
        if (!rows.empty()) star(rows, !rows.front().starred);
    });
    add("rename", tr("Rename"), "edit", {},
        [this] { table_->edit(model_.index(table_->currentIndex().row(), HistoryModel::Name)); });
    add("tags", tr("Edit tags"), "tag", QKeySequence(Qt::Key_T),
        [this] { table_->edit(model_.index(table_->currentIndex().row(), HistoryModel::Tags)); });
    add("note", tr("Edit the note"), "note", QKeySequence(Qt::Key_N),
        [this] { table_->edit(model_.index(table_->currentIndex().row(), HistoryModel::Note)); });
    add("delete", tr("Delete"), "delete", QKeySequence::Delete, [this] { remove(); });
    add("export", tr("Export the selected runs…"), "export", {}, [this] { exportRuns(); });
    add("import", tr("Import runs…"), "import", {}, [this] { importRuns(); });
}

QAction* HistoryDocument::actionNamed(const QString& name) const {
    for (QAction* each : actions_)
        if (each->objectName() == name) return each;
    return nullptr;
}

std::vector<store::RunRow> HistoryDocument::selectedRows() const {
    std::vector<store::RunRow> rows;
    for (const QModelIndex& index : table_->selectionModel()->selectedRows(HistoryModel::Name))
        if (const store::RunRow* row = model_.row(index.row())) rows.push_back(*row);
    return rows;
}

/// By ranges: a hundred thousand rows may be selected.
std::size_t HistoryDocument::selectedCount() const {
    std::size_t count = 0;
    for (const QItemSelectionRange& range : table_->selectionModel()->selection())
        count += static_cast<std::size_t>(range.height());
    return count;
}

std::vector<store::RunId> HistoryDocument::selectedRuns() const {
    return idsOf(selectedRows());
}

void HistoryDocument::push(const QString& text, Work redo, Work undo) {
    undo_.push(new Edit(text, *history_, std::move(redo), std::move(undo)));
}

void HistoryDocument::star(const std::vector<store::RunRow>& rows, bool starred) {
    const auto set = [ids = idsOf(rows)](bool to) {
        return [ids, to](store::Store& s) {
            for (const store::RunId id : ids) s.setStarred(id, to);
        };
    };
    push(starred ? tr("starring") : tr("unstarring"), set(starred), set(!starred));
}

void HistoryDocument::remove() {
    const bool restores = model_.query().deleted;
    const std::vector<store::RunId> ids = selectedRuns();
    if (ids.empty()) return;
    const auto set = [ids](bool deleted) {
        return [ids, deleted](store::Store& s) {
            for (const store::RunId id : ids) s.setDeleted(id, deleted);
        };
    };
    push(restores ? tr("restoring %n run(s)", nullptr, static_cast<int>(ids.size()))
                  : tr("deleting %n run(s)", nullptr, static_cast<int>(ids.size())),
         set(!restores), set(restores));
}

void HistoryDocument::exportRuns() {
    const std::vector<store::RunId> ids = selectedRuns();
    if (ids.empty()) return;
    asker().saveFile(*this, tr("Export runs"), QStringLiteral("runs.tessera"), tr("Exported runs (*.tessera)"),
                     [this, ids](const QString& path) {
                         history_->ask<bool>(
                             this,
                             [ids, to = path.toStdString()](store::Store& store) {
                                 store.exportRuns(ids, to);
                                 return true;
                             },
                             [this, path, count = ids.size()](bool /*done*/) {
                                 emit messaged(tr("%1 run(s) are in %2.").arg(count).arg(QFileInfo(path).fileName()),
                                               path);
                             });
                     });
}

void HistoryDocument::importRuns() {
    asker().openFile(*this, tr("Import runs"), tr("Exported runs (*.tessera *.db);;All files (*)"),
                     [this](const QString& path) {
                         history_->ask<store::MergeCount>(
                             this, [from = path.toStdString()](store::Store& store) { return store.merge(from); },
                             [this, path](const store::MergeCount& count) {
                                 emit messaged(tr("%1: %2 runs imported, %3 were here already.")
                                                   .arg(QFileInfo(path).fileName())
                                                   .arg(count.added)
                                                   .arg(count.present),
                                               path);
                                 history_->announceChange();
                             });
                     });
}

Facts HistoryDocument::overview() const {
    Facts facts;
    facts.title = title();
    facts.icon = iconName();
    facts.subtitle = summary_->text();
    facts.note = tr("Select a run to see its facts, or several to compare them.");
    return facts;
}

void HistoryDocument::inspectCurrent() {
    const bool isSelected = table_->selectionModel()->hasSelection();
    const store::RunRow* row = isSelected ? model_.row(table_->currentIndex().row()) : nullptr;
    if (row == nullptr) {
        emit inspected({});
        return;
    }
    Facts facts = runFacts(*row, model_.kinds());
    for (const char* id : {"open", "repeat", "study"}) {
        QAction* each = actionNamed(QLatin1String(id));
        facts.actions.append({each->text(),
                              QLatin1String(id) == QLatin1String("repeat") ? QStringLiteral("run") : QLatin1String(id),
                              [guard = QPointer<QAction>(each)] {
                                  if (guard) guard->trigger();
                              }});
    }
    emit inspected(facts);
}

void HistoryDocument::updateActions() {
    const std::size_t selected = selectedCount();
    const bool writable = !history_->isReadOnly();
    const bool deleted = model_.query().deleted;
    for (const char* id : {"open", "repeat", "study", "export"})
        actionNamed(QLatin1String(id))->setEnabled(selected > 0);
    for (const char* id : {"star", "delete"}) actionNamed(QLatin1String(id))->setEnabled(selected > 0 && writable);
    for (const char* id : {"rename", "tags", "note"})
        actionNamed(QLatin1String(id))->setEnabled(selected == 1 && writable);
    actionNamed(QStringLiteral("import"))->setEnabled(writable);
    actionNamed(QStringLiteral("compare"))->setEnabled(selected >= 2 && selected <= kMostCompared);
    actionNamed(QStringLiteral("report"))->setEnabled(selected >= 1 && selected <= kMostCompared);
    actionNamed(QStringLiteral("delete"))->setText(deleted ? tr("Restore") : tr("Delete"));
    bool interrupted = false;
    if (selected > 0 && selected <= kMostCompared)
        for (const store::RunRow& row : selectedRows()) interrupted |= row.status == store::RunStatus::interrupted;
    actionNamed(QStringLiteral("resume"))->setEnabled(interrupted && writable);
}

void HistoryDocument::updateSummary() {
    const int rows = model_.rowCount();
    const QString count = QLocale().toString(rows);
    if (filters_->isActive())
        summary_->setText(rows == 1 ? tr("1 run fits the filters") : tr("%1 runs fit the filters").arg(count));
    else
        summary_->setText(rows == 1 ? tr("1 run") : tr("%1 runs").arg(count));
    hint_->setSentence(filters_->isActive()
                           ? tr("No run fits these filters.")
                           : tr("Nothing was run yet. Every run is kept here: open a study and press Run."));
    hint_->setVisible(rows == 0);
    table_->setVisible(rows > 0);
    updateActions();
}

void HistoryDocument::askForNames() {
    struct Names {
        QStringList tags;
        MetricKinds metrics;
    };
    history_->ask<Names>(
        this,
        [](store::Store& store) {
            Names names;
            for (const auto& [tag, count] : store.tags()) names.tags.append(shown(tag));
            names.metrics = MetricKinds(store.metricKinds());
            return names;
        },
        [this](const Names& names) {
            filters_->setTags(names.tags);
            if (names.metrics == model_.kinds()) return;
            filters_->setMetrics(names.metrics);
            model_.setKinds(names.metrics);
            inspectCurrent();
        });
}

void HistoryDocument::showColumnMenu(const QPoint& position) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    columns_->fillMenu(*menu);
    menu->popup(table_->horizontalHeader()->mapToGlobal(position));
}

void HistoryDocument::keepSelection() {
    if (table_->selectionModel()->hasSelection()) kept_ = selectedRuns();
    keptScroll_ = table_->verticalScrollBar()->value();
}

/// Of runs that are among the pages that were read again; at first, the newest run.
void HistoryDocument::restoreSelection() {
    if (table_->selectionModel()->hasSelection()) return;
    if (!everSelected_ && model_.rowCount() > 0 && !filters_->isActive()) {
        everSelected_ = true;
        table_->selectRow(0);
        return;
    }
    if (kept_.empty()) return inspectCurrent();
    QItemSelection selection;
    for (int row = 0; row < std::min(model_.rowCount(), HistoryModel::kPage); ++row)
        if (const store::RunRow* run = model_.row(row);
            run != nullptr && std::find(kept_.begin(), kept_.end(), run->id) != kept_.end())
            selection.select(model_.index(row, 0), model_.index(row, model_.columnCount() - 1));
    kept_.clear();
    table_->selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect);
    table_->verticalScrollBar()->setValue(keptScroll_);
    // A selection that went with its rows is not told by Qt.
    if (selection.isEmpty()) inspectCurrent();
}

QJsonObject HistoryDocument::saveView() const {
    return {{"filters", filters_->save()}, {"columns", columns_->save()}};
}

void HistoryDocument::restoreView(const QJsonObject& view) {
    if (view.contains("columns")) columns_->restore(view["columns"].toObject());
    if (view.contains("filters")) filters_->restore(view["filters"].toObject());
}

}  // namespace tessera::ui
