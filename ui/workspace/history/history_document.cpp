#include "ui/workspace/history/history_document.h"

#include <QFileInfo>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPointer>
#include <QScrollBar>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/empty_state.h"
#include "ui/views/focus_start.h"
#include "ui/views/title_row.h"
#include "ui/views/toast.h"
#include "ui/workspace/history/history_columns.h"
#include "ui/workspace/history/run_loader.h"
#include "ui/workspace/history/tag_delegate.h"
#include "ui/workspace/questions.h"
#include "ui/workspace/run_facts.h"
#include "ui/workspace/words.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t kMaxCompared = 200;
constexpr std::size_t kMaxOpened = 20;  ///< tabs at once

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

/// "1 run", "4,192 runs".
QString runsText(std::size_t count) {
    return counted(count, "run", "runs");
}

std::vector<store::RunId> idsOf(const std::vector<store::RunRow>& rows) {
    std::vector<store::RunId> ids;
    for (const store::RunRow& row : rows) ids.push_back(row.id);
    return ids;
}

/// First and last rows, from the top: a hundred thousand rows may be selected.
std::vector<std::pair<int, int>> selectedRanges(const QTableView& table) {
    std::vector<std::pair<int, int>> ranges;
    for (const QItemSelectionRange& range : table.selectionModel()->selection())
        ranges.emplace_back(range.top(), range.bottom());
    std::sort(ranges.begin(), ranges.end());
    return ranges;
}

}  // namespace

HistoryDocument::HistoryDocument(History& history, QWidget* parent)
    : Document(parent),
      history_(&history),
      model_(history),
      filters_(new HistoryFilters),
      table_(new QTableView),
      summary_(new QLabel),
      hint_(new EmptyState(u"history"_s, u"No runs match these filters."_s)) {
    buildTable();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(theme().spacing(3), theme().spacing(3), theme().spacing(3), theme().spacing(2));
    column->setSpacing(theme().spacing(2));
    column->addWidget(filters_);
    column->addWidget(table_, 1);
    column->addWidget(hint_, 1);
    auto* foot = bareLayout<QHBoxLayout>(theme().spacing(2));
    setLook(*summary_, "tone", "secondary");
    summary_->setAccessibleName(u"Listed runs"_s);
    summary_->setTextFormat(Qt::PlainText);
    // Over the table, above the line of buttons.
    toast_ = new Toast(*this, theme().spacing(10));
    connect(&undo_, &QUndoStack::indexChanged, toast_, &Toast::dismiss);
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
    setFocusStart(*this, *table_);

    connect(filters_, &HistoryFilters::changed, this, [this] {
        model_.setQuery(filters_->query(model_.query()));
        listEngine();
    });
    connect(&model_, &QAbstractItemModel::modelAboutToBeReset, this, [this] { keepSelection(); });
    connect(&model_, &HistoryModel::loaded, this, [this] {
        restoreSelection();
        updateSummary();
    });
    connect(history_, &History::changed, this, [this] { askForNames(); });
    connect(history_, &History::opened, this, [this] {
        askForNames();
        // What was asked before was not answered.
        engine_.clear();
        listEngine();
    });
    connect(&model_, &HistoryModel::starEdited, this,
            [this](const store::RunRow& row, bool starred) { star({row.id}, starred); });
    connect(&model_, &HistoryModel::nameEdited, this, [this](const store::RunRow& row, const QString& name) {
        push(
            u"renaming a run"_s, u"Run renamed"_s,
            [id = row.id, to = name.toStdString()](store::Store& s) { s.setName(id, to); },
            [id = row.id, to = row.name](store::Store& s) { s.setName(id, to); });
    });
    connect(&model_, &HistoryModel::noteEdited, this, [this](const store::RunRow& row, const QString& note) {
        push(
            u"editing a note"_s, note.isEmpty() ? u"Note removed"_s : u"Note saved"_s,
            [id = row.id, to = note.toStdString()](store::Store& s) { s.setNote(id, to); },
            [id = row.id, to = row.note](store::Store& s) { s.setNote(id, to); });
    });
    connect(&model_, &HistoryModel::tagsEdited, this, [this](const store::RunRow& row, const QStringList& tags) {
        std::vector<std::string> to;
        for (const QString& tag : tags) to.push_back(tag.toStdString());
        push(
            u"editing tags"_s, tags.isEmpty() ? u"Tags removed"_s : u"Tags saved"_s,
            [id = row.id, to](store::Store& s) { s.setTags(id, to); },
            [id = row.id, from = row.tags](store::Store& s) { s.setTags(id, from); });
    });
    model_.setQuery(model_.query());
    askForNames();
    updateSummary();
    updateActions();
}

void HistoryDocument::buildTable() {
    table_->setHorizontalHeader(new TitleRow(table_));
    table_->setModel(&model_);
    table_->setAccessibleName(u"Runs"_s);
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
        if (index.column() != HistoryModel::Star) actionNamed(u"open"_s)->trigger();
    });
    connect(table_, &QTableView::clicked, this, [this](const QModelIndex& index) {
        const store::RunRow* row = model_.row(index.row());
        if (index.column() == HistoryModel::Star && row != nullptr) star({row->id}, !row->starred);
    });
    columns_ = new HistoryColumns(*table_, model_, this);
    tags_ = new TagDelegate(table_);
    table_->setItemDelegateForColumn(HistoryModel::Tags, tags_);
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
    // An action on what is selected, however much that is.
    const auto each = [this](std::function<void(store::RunId)> act) {
        return [this, act = std::move(act)] {
            withSelectedRuns([act](const Runs& runs) { std::for_each(runs.begin(), runs.end(), act); });
        };
    };
    const auto together = [this](const QString& kind) {
        return [this, kind] {
            withSelectedRuns([this, kind](const Runs& runs) { emit openRequested(kind, runKey(runs)); });
        };
    };
    const auto opened = [this](const QString& kind) {
        return [this, kind](store::RunId run) { emit openRequested(kind, u"run/%1"_s.arg(run)); };
    };
    add("open", u"Open"_s, "open", QKeySequence(Qt::Key_Return), each(opened(u"run"_s)));
    add("compare", u"Compare"_s, "compare", QKeySequence(u"Ctrl+Shift+C"_s), together(u"compare"_s));
    add("points", u"Show as points"_s, "chart", {}, together(u"points"_s));
    add("report", u"Report"_s, "report", {}, together(u"report"_s));
    add("repeat", u"Run again"_s, "run", {}, each([this](store::RunId run) { emit repeatRequested(run); }));
    add("resume", u"Resume"_s, "resume", {}, [this] {
        for (const store::RunRow& row : selectedRows())
            if (row.status == store::RunStatus::interrupted) emit resumeRequested(row.id);
    });
    add("study", u"Open its study"_s, "study", {}, each(opened(u"study"_s)));
    add("star", u"Star or unstar"_s, "star", QKeySequence(Qt::Key_S), [this] { starSelected(); });
    add("rename", u"Rename"_s, "edit", {}, [this] { editCell(HistoryModel::Name); });
    add("tags", u"Edit tags"_s, "tag", QKeySequence(Qt::Key_T), [this] { tagSelected(); });
    add("note", u"Edit the note"_s, "note", QKeySequence(Qt::Key_N), [this] { editCell(HistoryModel::Note); });
    add("delete", u"Delete"_s, "delete", QKeySequence::Delete, [this] { remove(); });
    add("export", u"Export the selected runs…"_s, "export", {}, [this] { exportRuns(); });
    add("import", u"Import runs…"_s, "import", {}, [this] { importRuns(); });
    add("columns", u"Choose columns…"_s, "table", {}, [this] { columns_->openChooser(); });
}

QAction* HistoryDocument::actionNamed(const QString& name) const {
    for (QAction* each : actions_)
        if (each->objectName() == name) return each;
    return nullptr;
}

std::vector<store::RunRow> HistoryDocument::selectedRows() const {
    std::vector<store::RunRow> rows;
    for (const auto& [first, last] : selectedRanges(*table_))
        for (int row = first; row <= last; ++row)
            if (const store::RunRow* run = model_.row(row)) rows.push_back(*run);
    return rows;
}

std::size_t HistoryDocument::selectedCount() const {
    std::size_t count = 0;
    for (const auto& [first, last] : selectedRanges(*table_)) count += static_cast<std::size_t>(last - first + 1);
    return count;
}

std::vector<store::RunId> HistoryDocument::selectedRuns() const {
    return idsOf(selectedRows());
}

/// `did` says what was done, with a way to take it back; empty = it is part of something that says so.
void HistoryDocument::push(const QString& text, const QString& did, Work redo, Work undo) {
    undo_.push(new Edit(text, *history_, std::move(redo), std::move(undo)));
    if (!did.isEmpty()) toast_->tell(did, [this] { undo_.undo(); });
}

/// Calls `work` with all selected runs, also those of pages that were never looked at: the history is asked for them
/// by what the table shows.
void HistoryDocument::withSelectedRuns(std::function<void(const Runs&)> work) {
    if (const Runs read = selectedRuns(); read.size() == selectedCount()) return work(read);
    history_->ask<Runs>(
        this, [query = model_.query()](store::Store& store) { return store.runs(query); },
        [this, ranges = selectedRanges(*table_), work = std::move(work)](const Runs& shown) {
            if (!model_.shows(shown)) {
                emit messaged(u"The history changed at this moment, so nothing was done. Select the runs again."_s, {});
                return model_.refresh();
            }
            Runs runs;
            for (const auto& [first, last] : ranges)
                runs.insert(runs.end(), shown.begin() + first, shown.begin() + last + 1);
            work(runs);
        });
}

/// Only what was otherwise before is taken back.
void HistoryDocument::mark(const QString& text, const QString& did, const Runs& runs, const Mark& mark, bool to) {
    if (runs.empty()) return;
    summary_->setText(u"Changing %1…"_s.arg(runsText(runs.size())));
    // Touched on the history's thread alone.
    const auto changed = std::make_shared<Runs>();
    push(
        text, did, [mark, runs, to, changed](store::Store& store) { *changed = mark(store, runs, to); },
        [mark, to, changed](store::Store& store) { mark(store, *changed, !to); });
}

void HistoryDocument::star(const Runs& runs, bool starred) {
    mark(starred ? u"starring"_s : u"unstarring"_s,
         (starred ? u"%1 starred"_s : u"Star taken off %1"_s).arg(runsText(runs.size())), runs,
         &store::Store::setStarred, starred);
}

/// All get a star, unless all have one.
void HistoryDocument::starSelected() {
    const std::vector<store::RunRow> rows = selectedRows();
    const bool all = std::all_of(rows.begin(), rows.end(), [](const store::RunRow& row) { return row.starred; });
    withSelectedRuns([this, all](const Runs& runs) { star(runs, !all); });
}

/// In place, also where there was no room for the column.
void HistoryDocument::editCell(int column) {
    const bool wasHidden = table_->isColumnHidden(column);
    columns_->reveal(column);
    const auto edit = [this, column] { table_->edit(model_.index(table_->currentIndex().row(), column)); };
    // A column that comes up moves the others first, with which an open editor would close.
    if (wasHidden)
        QTimer::singleShot(0, this, edit);
    else
        edit();
}

/// One run's tags are edited in place; several get further ones.
void HistoryDocument::tagSelected() {
    const std::size_t count = selectedCount();
    if (count == 1) return editCell(HistoryModel::Tags);
    const auto add = [this](const QString& text) {
        const QStringList tags = tagsIn(text);
        if (tags.isEmpty()) return;
        withSelectedRuns([this, tags](const Runs& runs) {
            undo_.beginMacro(u"tagging %1"_s.arg(runsText(runs.size())));
            for (const QString& tag : tags)
                mark(
                    {}, {}, runs,
                    [name = tag.toStdString()](store::Store& store, const Runs& those, bool set) {
                        return store.setTag(those, name, set);
                    },
                    true);
            undo_.endMacro();
            toast_->tell(u"%1 tagged"_s.arg(runsText(runs.size())), [this] { undo_.undo(); });
        });
    };
    asker().askText(*this, u"Add tags"_s, u"Tags to add to %1, with commas between them:"_s.arg(runsText(count)), {},
                    add);
}

void HistoryDocument::remove() {
    withSelectedRuns([this, restores = model_.query().deleted](const Runs& runs) {
        const QString which = runsText(runs.size());
        mark(restores ? u"restoring %1"_s.arg(which) : u"deleting %1"_s.arg(which),
             restores ? u"%1 restored"_s.arg(which) : u"%1 deleted"_s.arg(which), runs, &store::Store::setDeleted,
             !restores);
    });
}

void HistoryDocument::exportRuns() {
    const auto write = [this](const QString& path) {
        withSelectedRuns([this, path](const Runs& runs) {
            summary_->setText(u"Exporting %1…"_s.arg(runsText(runs.size())));
            history_->transfer<bool>(
                this,
                [runs, to = path.toStdString()](store::Store& store) {
                    store.exportRuns(runs, to);
                    return true;
                },
                [this, path, count = runs.size()](bool /*done*/) {
                    updateSummary();
                    emit done(u"%1 written to %2."_s.arg(runsText(count), QFileInfo(path).fileName()));
                });
        });
    };
    asker().saveFile(*this, u"Export runs"_s, u"runs.tessera"_s, u"Exported runs (*.tessera)"_s, write);
}

void HistoryDocument::importRuns() {
    asker().openFile(
        *this, u"Import runs"_s, fileFilter(u"Exported runs"_s, u"*.tessera *.db"_s), [this](const QString& path) {
            history_->transfer<store::MergeCount>(
                this, [from = path.toStdString()](store::Store& store) { return store.merge(from); },
                [this, path](const store::MergeCount& count) {
                    QString sentence =
                        u"%1: %2 imported, %3 here already."_s
                            .arg(QFileInfo(path).fileName(), runsText(static_cast<std::size_t>(count.added)))
                            .arg(count.present);
                    if (!count.damaged.empty())
                        sentence += QLatin1Char(' ') + u"%1 left out: %2."_s.arg(runsText(count.damaged.size()),
                                                                                 toQt(count.damaged.begin()->second));
                    emit done(sentence);
                    history_->announceChange();
                });
        });
}

Facts HistoryDocument::overview() const {
    Facts facts{.title = title(), .subtitle = listedText(), .icon = iconName()};
    facts.note = u"Select a run to see its facts, or several to compare them."_s;
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
    for (const char* id : {"open", "repeat", "study", "tags", "note"}) {
        QAction* each = actionNamed(QLatin1String(id));
        if (!each->isEnabled()) continue;
        facts.actions.append({each->text(), QLatin1String(id) == QLatin1String("repeat") ? u"run"_s : QLatin1String(id),
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
    const auto enable = [this](std::initializer_list<const char*> ids, bool enabled) {
        for (const char* id : ids) actionNamed(QLatin1String(id))->setEnabled(enabled);
    };
    enable({"export", "points"}, selected > 0);
    enable({"open", "study"}, selected > 0 && selected <= kMaxOpened);
    enable({"repeat", "report"}, selected > 0 && selected <= kMaxCompared);
    enable({"compare"}, selected > 1 && selected <= kMaxCompared);
    enable({"star", "tags", "delete"}, selected > 0 && writable);
    enable({"rename", "note"}, selected == 1 && writable);
    enable({"import"}, writable);
    actionNamed(u"delete"_s)->setText(deleted ? u"Restore"_s : u"Delete"_s);
    actionNamed(u"tags"_s)->setText(selected > 1 ? u"Add tags…"_s : u"Edit tags"_s);
    bool interrupted = false;
    if (selected > 0 && selected <= kMaxCompared)
        for (const store::RunRow& row : selectedRows()) interrupted |= row.status == store::RunStatus::interrupted;
    actionNamed(u"resume"_s)->setEnabled(interrupted && writable);
}

QString HistoryDocument::listedText() const {
    const int rows = model_.rowCount();
    const QString runs = runsText(static_cast<std::size_t>(rows));
    if (!filters_->isActive()) return runs;
    return rows == 1 ? u"1 run matches the filters"_s : u"%1 match the filters"_s.arg(runs);
}

void HistoryDocument::updateSummary() {
    summary_->setText(listedText());
    hint_->setSentence(filters_->isActive()
                           ? u"No runs match these filters."_s
                           : u"Nothing was run yet. Every run is kept here: open a study and press Run."_s);
    hint_->setVisible(model_.rowCount() == 0);
    table_->setVisible(model_.rowCount() > 0);
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
            tags_->setTags(names.tags);
            if (names.metrics == model_.kinds()) return;
            filters_->setMetrics(names.metrics);
            model_.setKinds(names.metrics);
            inspectCurrent();
        });
}

/// Where the runs of one engine are listed, its numbers are the columns.
void HistoryDocument::listEngine() {
    const QString engine = toQt(model_.query().engine);
    if (engine == std::exchange(engine_, engine)) return;
    if (engine.isEmpty()) return columns_->setEngine({}, {});
    history_->ask<std::vector<std::string>>(
        this, [id = engine.toStdString()](store::Store& store) { return store::engineMetrics(store, id); },
        [this, engine](const std::vector<std::string>& names) {
            if (engine != engine_) return;
            QStringList metrics;
            for (const std::string& name : names) metrics.append(toQt(name));
            columns_->setEngine(engine, metrics);
        });
}

void HistoryDocument::showColumnMenu(const QPoint& position) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    columns_->fillMenu(*menu, std::max(0, table_->horizontalHeader()->logicalIndexAt(position)));
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
    // A selection that went with its rows is not signalled by Qt.
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
