#include "ui/views/runs/run_view.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "core/base/names.h"
#include "core/report/handover.h"
#include "core/study/calibrate/study.h"
#include "core/study/codesign/outcome.h"
#include "core/study/exploration/outcome.h"
#include "core/study/mapping/outcome.h"
#include "core/study/partition/outcome.h"
#include "core/study/plan/outcome.h"
#include "core/study/prediction/outcome.h"
#include "ui/models/document_keys.h"
#include "ui/models/engine_words.h"
#include "ui/models/report_table.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/explain_dialog.h"
#include "ui/views/message_bar.h"
#include "ui/views/plot/chart_pane.h"
#include "ui/views/plot/plot_widget.h"
#include "ui/views/runs/catalogue_pane.h"
#include "ui/views/runs/catalogue_view.h"
#include "ui/views/runs/partition_view.h"
#include "ui/views/runs/result_exports.h"
#include "ui/views/table_view.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

/// Of the engine with this outcome, whose own view needs some of what it found.
template <typename Outcome>
bool isOf(const study::Result& result) {
    return result.outcome.as<Outcome>() != nullptr;
}

bool hasPlans(const study::Result& result) {
    return !result.outcome.get<study::PartitionOutcome>().result.plans.empty();
}

bool hasMappings(const study::Result& result) {
    return !result.outcome.get<study::MappingOutcome>().result.runs.empty();
}

bool hasPredicted(const study::Result& result) {
    return !result.outcome.get<study::PredictionOutcome>().predictions.empty();
}

bool hasCatalogue(const study::Result& result) {
    const std::vector<report::Catalogue>& all = report::catalogues();
    return std::any_of(all.begin(), all.end(),
                       [&](const report::Catalogue& its) { return its.engine == result.study.engine; });
}

bool always(const study::Result& /*result*/) {
    return true;
}

template <typename View>
RunView* newView(QUndoStack* undo, QWidget* parent) {
    return new View(undo, parent);
}

const study::RunContext kNoContext;
constexpr const char* kMetrics = "metrics";       ///< the table that the window has in a form that explains its numbers
constexpr std::size_t kLongestInSummary = 1'000;  ///< bytes of a sentence
constexpr std::size_t kManyRows = 30;             ///< of a table, from where on it has a field that filters them

/// Where a picture of the catalogue is shown, and of what. What is of the whole result is not made again for another
/// choice: it keeps its zoom.
struct PicturePage {
    CataloguePane* pane = nullptr;
    std::shared_ptr<const study::Result> result = nullptr;
    report::Selection at = {};
};

}  // namespace

/// Where a table of the catalogue is shown.
struct RunView::TablePage {
    QString title;
    QWidget* holder = nullptr;
    TableModel* model = nullptr;
    TableView* shown = nullptr;
    std::shared_ptr<report::Table> table = std::make_shared<report::Table>();
};

RunView::RunView(std::string_view engine, QWidget* parent)
    : QWidget(parent),
      engine_(engine),
      column_(new QVBoxLayout(this)),
      bar_(new QHBoxLayout),
      headline_(new HeadlineBar(this)),
      note_(new MessageBar(this)) {
    const int space = theme().spacing(3);
    column_->setContentsMargins(space, space, space, space);
    column_->setSpacing(theme().spacing());
    column_->addWidget(headline_);
    column_->addWidget(note_);
    bar_->setSpacing(theme().spacing(3));
    bar_->addStretch();
    column_->addLayout(bar_);
    connect(&theme(), &Theme::changed, this, [this] {
        if (run_.result != nullptr) fillChoices();
    });
}

void RunView::addSelectable(const Selectable& its) {
    ChoiceBar* line = nullptr;
    if (its.choice) {
        line = new ChoiceBar(its.bar, its.min, this);
        bar_->insertWidget(bar_->count() - 1, line);
        connect(line, &ChoiceBar::chosen, this, [this, id = QLatin1String(its.id)](int index) { select(id, index); });
    }
    selectables_.emplace_back(its, line);
}

void RunView::addTool(QWidget* tool) {
    bar_->addWidget(tool);
}

void RunView::addPages() {
    pages_ = new RunPages(this);
    column_->addWidget(pages_, 1);
    connect(pages_, &RunPages::troubled, this, [this](const QString& sentence) { emit messaged(sentence, QString()); });
    connect(pages_, &RunPages::explainRequested, this, &RunView::explain);
}

ChartPane* RunView::makePane(const Charts& charts) {
    auto* pane = new ChartPane({}, charts.name);
    pane->plot()->setExplainable(charts.path != nullptr);
    connect(pane, &ChartPane::pointClicked, this,
            [this, pane, what = charts.selects, clicked = charts.clicked](int, int series, int category) {
                if (what != nullptr && category >= 0) select(QLatin1String(what), category);
                if (clicked) clicked(*pane, series, category);
            });
    connect(pane, &ChartPane::menuOpened, this,
            [this, pane, what = charts.selects, clicked = charts.clicked, clicks = charts.clicks](
                int, int series, int category, QMenu* menu) {
                const char* const of = what != nullptr ? what : clicks;
                if (of == nullptr) return;
                if (what != nullptr && category >= 0) select(QLatin1String(what), category);
                if (clicked) clicked(*pane, series, category);
                addHandovers(*menu, of);
            });
    connect(pane, &ChartPane::explainRequested, this, [this, pane, its = charts.path](int, int series, int category) {
        const QString path = its ? its(*pane, series, category) : QString();
        if (!path.isEmpty()) explain(path);
    });
    if (charts.made) charts.made(*pane);
    return pane;
}

void RunView::addCharts(const char* id, const Charts& charts) {
    using Parts = std::vector<CataloguePane::Part>;
    struct Page {
        ChartPane* pane = nullptr;
        QLabel* notes = nullptr;
    };
    const auto page = std::make_shared<Page>();
    std::vector<report::PictureRow> rows;
    for (const char* row : charts.rows) {
        rows.push_back(report::pictureNamed(engine_, row));
        rows.back().applies = {};  // what is missing, its chart says
    }
    const auto make = [this, page, charts]() -> QWidget* {
        page->pane = makePane(charts);
        if (!charts.notes) return page->pane;
        page->notes = sentences();
        return vSplit(page->notes, page->pane);
    };
    const auto fill = [this, page, rows, filling = charts.filling, notes = charts.notes] {
        if (notes) {
            const QStringList lines = notes();
            page->notes->setText(lines.join(QLatin1Char('\n')));
            page->notes->setVisible(!lines.isEmpty());
        }
        if (filling && !filling()) return page->pane->setCharts({});
        const auto work = [rows, result = run_.result, at = selection()] {
            Parts parts;
            for (const report::PictureRow& row : rows)
                for (CataloguePane::Part& part : partsOf(row, *result, at)) parts.push_back(std::move(part));
            return parts;
        };
        pages_->prepare(work, [page](Parts parts) {
            QStringList titles;
            std::vector<report::Chart> made;
            for (CataloguePane::Part& part : parts) {
                titles << part.title;
                made.push_back(std::get<report::Chart>(std::move(part.picture)));
            }
            page->pane->setTitles(titles);
            page->pane->setCharts(std::move(made));
        });
    };
    pages_->pictures()->addPage(QLatin1String(id), charts.title.isEmpty() ? titleOf(id) : charts.title, make, fill);
    addRows(id, {.pictures = charts.rows});
}

void RunView::addTable(const char* id, const Table& table) {
    RunPages::Table made{.model = table.model, .rows = table.rows, .filtered = table.filtered, .empty = table.empty};
    if (table.selects != nullptr) {
        const QString what = QLatin1String(table.selects);
        if (!made.rows) made.rows = selectable(what)->count;
        made.current = [this, what] { return selected(what); };
        made.chosen = [this, what](int row) { select(what, row); };
        made.menu = [this, of = table.selects](QMenu& menu) { addHandovers(menu, of); };
        tables_.emplace_back(QLatin1String(id), what);
    }
    const report::TableRow* const row = findRow(catalogue().tables, id);
    pages_->addTable(id, row == nullptr ? table.title : toQt(row->title), made);
    if (row != nullptr) addRows(id, {.tables = {id}});
}

void RunView::addRows(const char* page, const Rows& rows) {
    const QString id = QLatin1String(page);
    const auto add = [&](LazyTabs& tabs, const report::Row& row, std::set<std::string_view>& shown) {
        tabs.addHelp(id, toQt(row.about));
        shown.insert(row.id);
    };
    for (const char* each : rows.pictures) add(*pages_->pictures(), report::pictureNamed(engine_, each), pictureRows_);
    for (const char* each : rows.tables)
        add(pages_->details()->has(id) ? *pages_->details() : *pages_->pictures(), report::tableNamed(engine_, each),
            tableRows_);
}

void RunView::addOtherPages() {
    const auto isOther = [](const report::Row& row, const std::set<std::string_view>& shown) {
        return (row.where & report::kWindow) != 0 && row.id != kMetrics && !shown.contains(row.id);
    };
    for (const report::PictureRow& row : catalogue().pictures)
        if (isOther(row, pictureRows_)) addPicturePage(row);
    for (const report::TableRow& row : catalogue().tables)
        if (isOther(row, tableRows_)) addTablePage(row);
    addTable(kMetrics, {.title = u"Metrics"_s,
                        .model = [this](QObject* owner) { return columns::metricTable(metrics_, owner); },
                        .rows =
                            [this] {
                                *metrics_ = study::metricsOf(*run_.result);
                                return static_cast<int>(metrics_->size());
                            },
                        .filtered = true});
    pages_->addSentences("summary", u"Summary"_s, [this] {
        QStringList lines;
        for (const std::string& sentence : catalogue().sentences(*run_.result))
            lines << shownText(sentence, kLongestInSummary);
        return lines;
    });
    pages_->addAssumptions([this]() -> const study::Result& { return *run_.result; });
}

void RunView::addPicturePage(const report::PictureRow& row) {
    const QString id = toQt(row.id), title = toQt(row.title);
    const auto page = std::make_shared<PicturePage>();
    pages_->pictures()->addPage(
        id, title,
        [this, page, title] {
            page->pane = new CataloguePane(title);
            connect(page->pane, &CataloguePane::chosen, this, [this](const Facts& facts, const QStringList& names) {
                chooseAmong(names);
                emit inspected(facts);
            });
            return page->pane;
        },
        [this, page, &row] {
            const report::Selection at = row.scope == report::Scope::result ? report::Selection() : selection();
            if (page->result == run_.result && page->at == at) return;
            pages_->prepare([&row, result = run_.result, all = selection()] { return partsOf(row, *result, all); },
                            [page, at, result = run_.result](std::vector<CataloguePane::Part> parts) {
                                page->result = result;
                                page->at = at;
                                page->pane->setParts(std::move(parts));
                            });
        });
    pages_->pictures()->addHelp(id, toQt(row.about));
    otherPages_.emplace_back(pages_->pictures(), &row);
}

void RunView::addTablePage(const report::TableRow& row) {
    const QString id = toQt(row.id), title = toQt(row.title);
    const auto page = std::make_shared<TablePage>();
    pages_->details()->addPage(
        id, title,
        [page, title] {
            page->holder = new QWidget;
            page->title = title;
            bareLayout<QVBoxLayout>(page->holder);
            return page->holder;
        },
        [this, page, &row] {
            pages_->prepare(
                [&row, result = run_.result, at = selection()] {
                    return row.make({*result, at, kNoContext});
                },
                [this, page](report::Table made) { showTable(*page, std::move(made)); });
        });
    pages_->details()->addHelp(id, toQt(row.about));
    otherPages_.emplace_back(pages_->details(), &row);
}

/// The rows are others; where the columns are, too, the table is a new one.
void RunView::showTable(TablePage& page, report::Table made) {
    const auto same = [](const report::Table::Column& one, const report::Table::Column& other) {
        return one.title == other.title && one.number == other.number;
    };
    const auto& before = page.table->columns;
    const bool fits = page.shown != nullptr &&
                      std::equal(before.begin(), before.end(), made.columns.begin(), made.columns.end(), same);
    *page.table = std::move(made);
    if (!fits) {
        delete page.shown;
        page.model = new TableModel(columns::ofTable(page.table), page.holder);
        page.shown = new TableView(page.model, page.title, page.holder);
        page.shown->setFilterVisible(page.table->rows.size() >= kManyRows);
        page.holder->layout()->addWidget(page.shown);
        connect(page.shown, &TableView::currentRowChanged, this, [this, table = page.table](int row) {
            if (row < 0 || static_cast<std::size_t>(row) >= table->rows.size()) return;
            const Facts facts = columns::rowFacts(*table, row);
            chooseAmong({toQt(table->rows[static_cast<std::size_t>(row)].at(0))});
            emit inspected(facts);
        });
    }
    page.model->setRowCount(static_cast<int>(page.table->rows.size()));
}

/// What the result, or the chosen part of it, does not have is not offered.
void RunView::showApplicable() {
    const report::Selection at = selection();
    for (const auto& [tabs, row] : otherPages_)
        pages_->setPageShown(*tabs, toQt(row->id), !report::selectionsOf(*row, *run_.result, at).empty());
}

void RunView::refresh() {
    showApplicable();
    pages_->refresh();
}

QString RunView::titleOf(std::string_view row) const {
    return toQt(report::pictureNamed(engine_, row).title);
}

bool RunView::has(std::string_view row) const {
    return !report::selectionsOf(report::pictureNamed(engine_, row), *run_.result, selection()).empty();
}

void RunView::showRun(const FinishedRun& run) {
    run_ = run;
    engine_ = run.result->study.engine;
    takeRun();
    const auto summary = catalogue().sentences;
    pages_->setPageShown(*pages_->details(), u"summary"_s, summary != nullptr && !summary(*run_.result).empty());
    makeHandovers();
    fillChoices();
    showHeadline();
    refresh();
}

/// A hand-over is opened as it is, or begins a study of an engine that takes it.
void RunView::makeHandovers() {
    qDeleteAll(handovers_);
    handovers_.clear();
    const auto add = [this](const report::FileRow& row, const study::Engine* taker, const QString& title,
                            const QString& icon) {
        auto* action = new QAction(theme().icon(icon), u"Use as: %1"_s.arg(title), this);
        action->setIconText(title);
        action->setData(toQt(row.of));
        action->setEnabled(run_.kept != 0);
        if (run_.kept == 0) action->setToolTip(u"Only a run of the history can be used by other studies."_s);
        connect(action, &QAction::triggered, this, [this, &row, taker] { handOver(row, taker); });
        handovers_.append(action);
    };
    for (const report::FileRow* row : report::handoversOf(engine_)) {
        if (row->applies && !row->applies({*run_.result, selection(), {}})) continue;
        const QString kind = toQt(row->makes);
        add(*row, nullptr, toQt(row->title), kind);
        for (const auto& [taker, title] : studiesOn(kind))
            add(*row, taker, title.front().toLower() + title.mid(1), iconOf(*taker));
    }
}

void RunView::addHandovers(QMenu& menu, std::string_view of) const {
    QMenu* its = nullptr;
    for (QAction* action : handovers_) {
        const QString part = action->data().toString();
        if (!part.isEmpty() && part != toQt(of)) continue;
        if (its == nullptr) its = menu.addMenu(theme().icon(u"forward"_s), u"Use as"_s);
        its->addAction(action->icon(), action->iconText(), action, &QAction::trigger)->setEnabled(action->isEnabled());
    }
    if (its != nullptr) menu.addSeparator();
}

void RunView::handOver(const report::FileRow& row, const study::Engine* taker) {
    std::string part;
    if (const Selectable* its = selectable(toQt(row.of)); its != nullptr && its->current() >= 0)
        part = its->handed ? its->handed(its->current())
               : its->name ? its->name(its->current()).toString().toStdString()
                           : std::string();
    const QString name = toQt(report::nameOfInput(run_.kept, row, part));
    if (taker == nullptr) {
        emit openRequested(row.makes == "study" ? u"study"_s : u"hardware"_s, name);
        return;
    }
    const std::vector<std::string>& models = run_.result->study.models;
    const QString model = acceptsModels(*taker) && !models.empty() ? toQt(models.front()) : QString();
    emit openRequested(u"study"_s, newStudyKey(idOf(*taker), model, name));
}

void RunView::showInstead(std::shared_ptr<const study::Result> result) {
    run_.result = std::move(result);
    fillChoices();
    showHeadline();
    refresh();
}

const RunView::Selectable* RunView::selectable(const QString& what) const {
    const auto found = std::find_if(selectables_.begin(), selectables_.end(),
                                    [&](const auto& each) { return what == QLatin1String(each.first.id); });
    return found == selectables_.end() ? nullptr : &found->first;
}

void RunView::select(const QString& what, int index) {
    const Selectable* its = run_.result == nullptr ? nullptr : selectable(what);
    if (its == nullptr || index >= its->count() || index < (its->optional ? -1 : 0)) return;
    its->choose(index);
    showSelected();
    if (its->facts) inspect(its->facts(index));
}

void RunView::inspect(const Facts& facts) {
    if (!facts.title.isEmpty()) emit inspected(facts);
}

int RunView::selected(const QString& what) const {
    const Selectable* its = run_.result == nullptr ? nullptr : selectable(what);
    return its == nullptr ? -1 : its->current();
}

void RunView::showSelected() {
    for (const auto& [its, line] : selectables_)
        if (line != nullptr) line->setCurrent(its.current());
    for (const auto& [table, what] : tables_) pages_->markRow(table, selected(what));
}

void RunView::fillChoices() {
    for (const auto& [its, line] : selectables_) {
        if (line == nullptr) continue;
        QVector<ChoiceBar::Choice> all;
        for (int index = 0; index < its.count(); ++index) all.append(its.choice(index));
        line->setChoices(all, its.current());
    }
}

void RunView::showHeadline() {
    headline_->setHeadlines(headlines());
    note_->hide();
    showNote();
}

void RunView::explain(const QString& path) {
    if (const auto explanation = study::explain(*run_.result, path.toStdString()))
        showExplanation(*explanation, *this);
    else
        emit messaged(u"There is no explanation of this number."_s, QString());
}

std::function<std::optional<study::Explanation>()> RunView::explanationOf(const std::string& path) const {
    return [result = run_.result, path] { return study::explain(*result, path); };
}

QVector<Exportable> RunView::exportables() const {
    if (run_.result == nullptr) return {};
    return exports::everything(run_.result, selection()) + ownExports();
}

Exportable RunView::resultExport() const {
    return exports::document(run_.result);
}

Exportable RunView::traceExport() const {
    return exports::trace(run_.result, selection());
}

QJsonObject RunView::saveView() const {
    if (run_.result == nullptr) return {};
    QJsonObject view = pages_->saveView();
    for (const auto& each : selectables_) {
        const Selectable& its = each.first;
        const int index = its.current();
        if (!its.saved) continue;
        if (!its.name)
            view[QLatin1String(its.id)] = index;
        else if (index >= 0)
            view[QLatin1String(its.id)] = its.name(index);
    }
    return view;
}

void RunView::restoreView(const QJsonObject& view) {
    for (const auto& each : selectables_) {
        const Selectable& its = each.first;
        const QJsonValue value = view.value(QLatin1String(its.id));
        if (!its.saved || value.isUndefined()) continue;
        int index = its.name ? its.count() - 1 : value.toInt(-1);
        while (its.name && index >= 0 && its.name(index) != value) --index;
        if (index >= 0 && index != its.current()) select(QLatin1String(its.id), index);
    }
    pages_->restoreView(view);
}

const std::vector<RunViewRow>& runViews() {
    static const std::vector<RunViewRow> kRows{
        {isOf<study::PartitionOutcome>, hasPlans, newView<PartitionView>},
        {isOf<study::MappingOutcome>, hasMappings, newMappingView},
        {isOf<study::CodesignOutcome>, always, newCodesignView},
        {isOf<study::PredictionOutcome>, hasPredicted, newPredictionView},
        {isOf<study::CalibrationOutcome>, always, newCalibrationView},
        {isOf<study::PlanOutcome>, always, newPlanView},
        {isOf<study::ExplorationOutcome>, always, newExplorationView},
        // Of any other engine: what its catalogue has.
        {always, hasCatalogue, newView<CatalogueView>},
    };
    return kRows;
}

const RunViewRow* runViewOf(const study::Result& result) {
    const std::vector<RunViewRow>& rows = runViews();
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const RunViewRow& row) { return row.isOf(result); });
    return found == rows.end() || !found->hasSome(result) ? nullptr : &*found;
}

}  // namespace tessera::ui
