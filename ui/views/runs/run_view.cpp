#include "ui/views/runs/run_view.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

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
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/explain_dialog.h"
#include "ui/views/message_bar.h"
#include "ui/views/plot/plot_widget.h"
#include "ui/views/runs/catalogue_pane.h"
#include "ui/views/runs/catalogue_view.h"
#include "ui/views/runs/partition_panes.h"
#include "ui/views/runs/partition_view.h"
#include "ui/views/runs/result_exports.h"

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

}  // namespace

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

void RunView::addCharts(const char* id, const QString& title, const Charts& charts) {
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
    pages_->pictures()->addPage(QLatin1String(id), title, make, fill);
}

void RunView::addTable(const char* id, const QString& title, const Table& table) {
    RunPages::Table made{.model = table.model, .rows = table.rows, .filtered = table.filtered, .empty = table.empty};
    if (table.selects != nullptr) {
        const QString what = QLatin1String(table.selects);
        if (!made.rows) made.rows = selectable(what)->count;
        made.current = [this, what] { return selected(what); };
        made.chosen = [this, what](int row) { select(what, row); };
        made.menu = [this, of = table.selects](QMenu& menu) { addHandovers(menu, of); };
        tables_.emplace_back(QLatin1String(id), what);
    }
    pages_->addTable(id, title, made);
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
