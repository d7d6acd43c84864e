#include "ui/views/runs/catalogue_view.h"

#include <QVBoxLayout>
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/report/catalogue.h"
#include "core/study/metric.h"
#include "core/study/progress_value.h"
#include "ui/models/report_table.h"
#include "ui/models/table_columns.h"
#include "ui/models/text.h"
#include "ui/views/choice_bar.h"
#include "ui/views/headline_bar.h"
#include "ui/views/plot/convergence_view.h"
#include "ui/views/runs/catalogue_pane.h"
#include "ui/views/runs/result_exports.h"
#include "ui/views/runs/run_pages.h"
#include "ui/views/table_view.h"

namespace tessera::ui {

namespace {

using exports::SharedResult;
using report::PictureRow;
using report::Row;
using report::Selection;
using report::TableRow;

const QString kChoice = QStringLiteral("choice");
const study::RunHooks kNoHooks;
constexpr const char* kMetrics = "metrics";  ///< the table that the window has in a form that explains its numbers

/// Made for the lists of exports alone, or for a view that solves studies again.
bool isShown(const Row& row) {
    return (row.where & report::kSolvedAnew) == 0 && row.id != kMetrics;
}

/// Whether a part of the headline says a metric: begins with its number, and where that has no unit, names it.
bool says(const QString& part, const study::Metric& metric) {
    const QString number = QString::fromStdString(study::textOf(metric));
    if (number.isEmpty() || !part.startsWith(number)) return false;
    const QChar next = part.size() > number.size() ? part.at(number.size()) : QChar(QLatin1Char(' '));
    if (next.isLetterOrNumber() || next == QLatin1Char(',') || next == QLatin1Char('.')) return false;
    const bool plain = std::none_of(number.begin(), number.end(),
                                    [](QChar letter) { return letter.isLetter() || letter.unicode() > 127; });
    const QString title = QString::fromStdString(metric.title);
    return !plain || part.contains(title.section(QLatin1Char(' '), 0, 0), Qt::CaseInsensitive);
}

/// A part of a headline: a number with what it is of, or words.
Headline partOf(const QString& part, bool first) {
    const bool words = !first && !part.front().isDigit();
    if (words && part.startsWith(QLatin1String("proven")))
        return {.value = {}, .label = {}, .detail = part, .tone = QStringLiteral("good")};
    return words ? Headline{.value = {}, .label = part} : Headline{.value = part, .label = {}};
}

/// The parts of the result's headline; where one says a number of the run, that can be explained.
QVector<Headline> headlinesOf(const SharedResult& result) {
    std::vector<study::Metric> own = study::metricsOf(*result);
    std::erase_if(own, [](const study::Metric& metric) { return !metric.owner.empty(); });
    QVector<Headline> all;
    for (const QString& part : shownText(study::headline(*result)).split(QStringLiteral(" · "), Qt::SkipEmptyParts)) {
        Headline line = partOf(part, all.isEmpty());
        const auto its =
            std::find_if(own.begin(), own.end(), [&](const study::Metric& metric) { return says(part, metric); });
        if (its != own.end()) {
            const QString number = QString::fromStdString(study::textOf(*its));
            const qsizetype end = part.indexOf(QLatin1Char(' '), number.size());  // after "/step"
            line.value = part.left(end);
            line.label = end < 0 ? QString() : part.mid(end + 1);
            const QString title = shownText(its->title).toLower();
            if (part == number && !number.endsWith(QLatin1Char(' ') + title)) line.label = title;
            line.help = shownText(its->title);
            if (study::explain(*result, its->name)) line.explain = explained(result, its->name);
            own.erase(its);
        }
        all.append(line);
    }
    return all;
}

/// All numbers of a result, each with its explanation.
QVector<TableModel::Column> metricColumns(const std::shared_ptr<std::vector<study::Metric>>& metrics) {
    const auto at = [metrics](int row) -> const study::Metric& { return metrics->at(static_cast<std::size_t>(row)); };
    TableModel::Column value = columns::words(CatalogueView::tr("Value"),
                                              [at](int row) { return QString::fromStdString(study::textOf(at(row))); });
    value.number = true;
    value.sort = [at](int row) { return QVariant(at(row).value); };
    value.exact = [at](int row) { return columns::exact(at(row).value); };
    value.decoration = [at](int row, int role) {
        return role == PathRole ? QVariant(QString::fromStdString(at(row).name)) : QVariant();
    };
    return {columns::words(CatalogueView::tr("Number"), [at](int row) { return shownText(at(row).title); }),
            columns::words(CatalogueView::tr("Of"), [at](int row) { return shownText(at(row).owner); }), value};
}

/// Of what a page shows its picture or table. What is of the whole result is not made again for another choice: it
/// keeps its rows and its zoom.
struct Shown {
    SharedResult result = nullptr;
    std::string choice = {};
    bool operator==(const Shown&) const = default;
};

/// Where a picture of the catalogue is shown.
struct PicturePage {
    CataloguePane* pane = nullptr;
    Shown of = {};
};

/// Where a table of the catalogue is shown.
struct TablePage {
    QString title;
    QWidget* holder = nullptr;
    TableModel* model = nullptr;
    TableView* shown = nullptr;
    std::shared_ptr<report::Table> table = std::make_shared<report::Table>();
    Shown of = {};
};

}  // namespace

struct CatalogueView::Implementation {
    CatalogueView* view = nullptr;
    FinishedRun run;
    const report::Catalogue* catalogue = nullptr;
    std::vector<std::string> choices;
    Selection at;
    ChoiceBar* bar = nullptr;
    RunPages* pages = nullptr;
    std::shared_ptr<std::vector<study::Metric>> metrics = std::make_shared<std::vector<study::Metric>>();

    const SharedResult& result() const { return run.result; }
    Shown shownOf(const Row& row) const {
        return {result(), row.scope == report::Scope::result ? std::string() : at.choice};
    }
    void build();
    void addPicture(const PictureRow& row);
    void addTable(const TableRow& row);
    void showTable(TablePage& page, report::Table made);
    void showApplicable();
    void chosen(int choice);
    void chooseAmong(const QStringList& names);
    QString titleOf(const Row& row) const { return toQt(row.title); }
};

/// The pages of the run's engine.
void CatalogueView::Implementation::build() {
    delete pages;
    pages = new RunPages(view);
    for (const PictureRow& row : catalogue->pictures)
        if (isShown(row)) addPicture(row);
    if (run.curves != nullptr && !run.curves->empty())
        pages->pictures()->addPage(
            QStringLiteral("progress"), tr("Progress"), [] { return new ConvergenceView; },
            [this] {
                auto* curves = pages->findChild<ConvergenceView*>();
                curves->setValueTitle(QString::fromStdString(study::progressTitle(result()->study)));
                curves->setCurves(run.curves);
            });
    for (const TableRow& row : catalogue->tables)
        if (isShown(row)) addTable(row);
    pages->addTable(kMetrics, tr("Numbers"),
                    {.model = [this](QObject* owner) { return new TableModel(metricColumns(metrics), owner); },
                     .rows =
                         [this] {
                             *metrics = study::metricsOf(*result());
                             return static_cast<int>(metrics->size());
                         },
                     .filtered = true});
    if (catalogue->sentences != nullptr && !catalogue->sentences(*result()).empty())
        pages->addSentences("summary", tr("Summary"), [this] {
            QStringList lines;
            for (const std::string& sentence : catalogue->sentences(*result())) lines << shownText(sentence);
            return lines;
        });
    pages->addAssumptions([this]() -> const study::Result& { return *result(); });
    view->setPages(pages);
}

void CatalogueView::Implementation::addPicture(const PictureRow& row) {
    const QString id = toQt(row.id), title = titleOf(row);
    const auto page = std::make_shared<PicturePage>();
    pages->pictures()->addPage(
        id, title,
        [this, page, title] {
            page->pane = new CataloguePane(title);
            connect(page->pane, &CataloguePane::chosen, view, [this](const Facts& facts, const QStringList& names) {
                chooseAmong(names);
                emit view->inspected(facts);
            });
            return page->pane;
        },
        [this, page, &row] {
            const Shown of = shownOf(row);
            if (page->of == of) return;
            pages->prepare(
                [&row, result = result(), at = at, part = catalogue->part] {
                    std::vector<CataloguePane::Part> parts;
                    for (const Selection& each : report::selectionsOf(row, *result, at)) {
                        const report::View its{*result, each, kNoHooks};
                        parts.push_back({.title = part == nullptr ? QString() : shownText(part(its, row.scope)),
                                         .picture = row.make(its)});
                    }
                    return parts;
                },
                [page, of](std::vector<CataloguePane::Part> parts) {
                    page->of = of;
                    page->pane->setParts(std::move(parts));
                });
        });
}

void CatalogueView::Implementation::addTable(const TableRow& row) {
    const auto page = std::make_shared<TablePage>();
    pages->details()->addPage(
        toQt(row.id), titleOf(row),
        [page, title = titleOf(row)] {
            page->holder = new QWidget;
            page->title = title;
            auto* column = new QVBoxLayout(page->holder);
            column->setContentsMargins(0, 0, 0, 0);
            return page->holder;
        },
        [this, page, &row] {
            pages->prepare(
                [&row, result = result(), at = at] {
                    return row.make({*result, at, kNoHooks});
                },
                [this, page](report::Table made) { showTable(*page, std::move(made)); });
        });
}

/// The rows are others; where the columns are, too, the table is a new one.
void CatalogueView::Implementation::showTable(TablePage& page, report::Table made) {
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
        page.holder->layout()->addWidget(page.shown);
        connect(page.shown, &TableView::currentRowChanged, view, [this, table = page.table](int row) {
            if (row < 0 || static_cast<std::size_t>(row) >= table->rows.size()) return;
            const Facts facts = columns::rowFacts(*table, row);
            chooseAmong({QString::fromStdString(table->rows[static_cast<std::size_t>(row)].at(0))});
            emit view->inspected(facts);
        });
    }
    page.model->setRowCount(static_cast<int>(page.table->rows.size()));
}

/// What the result, or the chosen part of it, does not have is not offered.
void CatalogueView::Implementation::showApplicable() {
    const auto show = [this](LazyTabs& tabs, const Row& row) {
        tabs.setPageShown(toQt(row.id), !report::selectionsOf(row, *result(), at).empty());
    };
    for (const PictureRow& row : catalogue->pictures)
        if (isShown(row)) show(*pages->pictures(), row);
    for (const TableRow& row : catalogue->tables)
        if (isShown(row)) show(*pages->details(), row);
    pages->arrange();
}

void CatalogueView::Implementation::chosen(int choice) {
    if (choice < 0 || static_cast<std::size_t>(choice) >= choices.size()) return;
    at = report::selectionOf(*result(), choices[static_cast<std::size_t>(choice)]);
    bar->setCurrent(choice);
    showApplicable();
    pages->refresh();
}

/// Whatever is shown of a strategy, algorithm or model leads to it.
void CatalogueView::Implementation::chooseAmong(const QStringList& names) {
    for (const QString& name : names)
        if (name.toStdString() != at.choice &&
            std::find(choices.begin(), choices.end(), name.toStdString()) != choices.end())
            return view->choose(name);
}

CatalogueView::CatalogueView(QUndoStack* /*undo*/, QWidget* parent) : RunFrame(parent), d_(new Implementation) {
    d_->view = this;
    d_->bar = addChoices(tr("What is shown"));
    connect(d_->bar, &ChoiceBar::chosen, this, [this](int choice) { d_->chosen(choice); });
}

CatalogueView::~CatalogueView() = default;

void CatalogueView::showRun(const FinishedRun& run) {
    const report::Catalogue* const its = &report::catalogueOf(run.result->study.engine);
    d_->run = run;
    d_->choices = its->choices(*run.result);
    d_->at = report::selectionOf(*run.result, {});
    if (std::exchange(d_->catalogue, its) != its) d_->build();
    QVector<ChoiceBar::Choice> all;
    for (const std::string& choice : d_->choices) all.append({.title = shownText(choice)});
    d_->bar->setChoices(all, 0);
    headline()->setHeadlines(headlinesOf(run.result));
    d_->showApplicable();
    d_->pages->refresh();
}

std::shared_ptr<const study::Result> CatalogueView::shownResult() const {
    return d_->run.result;
}

RunPages* CatalogueView::pages() const {
    return d_->pages;
}

QString CatalogueView::choice() const {
    return QString::fromStdString(d_->at.choice);
}

void CatalogueView::choose(const QString& choice) {
    const auto found = std::find(d_->choices.begin(), d_->choices.end(), choice.toStdString());
    if (found != d_->choices.end()) d_->chosen(static_cast<int>(found - d_->choices.begin()));
}

QVector<Exportable> CatalogueView::exportables() const {
    return exports::everything(d_->run.result, d_->at);
}

Exportable CatalogueView::resultExport() const {
    return exports::document(d_->run.result);
}

Exportable CatalogueView::traceExport() const {
    return exports::trace(d_->run.result, d_->at);
}

QJsonObject CatalogueView::saveView() const {
    if (d_->pages == nullptr) return {};
    QJsonObject view = d_->pages->saveView();
    view[kChoice] = choice();
    return view;
}

void CatalogueView::restoreView(const QJsonObject& view) {
    choose(view.value(kChoice).toString());
    d_->pages->restoreView(view);
}

}  // namespace tessera::ui
