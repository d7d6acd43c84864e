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
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/choice_bar.h"
#include "ui/views/headline_bar.h"
#include "ui/views/plot/convergence_view.h"
#include "ui/views/runs/catalogue_pane.h"
#include "ui/views/runs/result_exports.h"
#include "ui/views/runs/run_pages.h"
#include "ui/views/table_view.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

using exports::SharedResult;
using report::PictureRow;
using report::Row;
using report::Selection;
using report::TableRow;

const study::RunContext kNoContext;
constexpr const char* kMetrics = "metrics";  ///< the table that the window has in a form that explains its numbers

/// Made for the lists of exports alone, or for a view that solves studies again.
bool isShown(const Row& row) {
    return (row.where & report::kSolvedAnew) == 0 && row.id != kMetrics;
}

/// Whether a part of the headline says a metric: begins with its number, and where that has no unit, names it.
bool says(const QString& part, const study::Metric& metric) {
    const QString number = toQt(study::textOf(metric));
    if (number.isEmpty() || !part.startsWith(number)) return false;
    const QChar next = part.size() > number.size() ? part.at(number.size()) : QChar(QLatin1Char(' '));
    if (next.isLetterOrNumber() || next == QLatin1Char(',') || next == QLatin1Char('.')) return false;
    const bool plain = std::none_of(number.begin(), number.end(),
                                    [](QChar letter) { return letter.isLetter() || letter.unicode() > 127; });
    const QString title = toQt(metric.title);
    return !plain || part.contains(title.section(QLatin1Char(' '), 0, 0), Qt::CaseInsensitive);
}

/// A part of a headline: a number with what it is of, or words.
Headline partOf(const QString& part, bool first) {
    const bool words = !first && !part.front().isDigit();
    if (words && part.startsWith(QLatin1String("proven")))
        return {.value = {}, .label = {}, .detail = part, .tone = u"good"_s};
    return words ? Headline{.value = {}, .label = part} : Headline{.value = part, .label = {}};
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

}  // namespace

/// Where a table of the catalogue is shown.
struct CatalogueView::TablePage {
    QString title;
    QWidget* holder = nullptr;
    TableModel* model = nullptr;
    TableView* shown = nullptr;
    std::shared_ptr<report::Table> table = std::make_shared<report::Table>();
};

CatalogueView::CatalogueView(QUndoStack* /*undo*/, QWidget* parent) : RunView({}, parent) {
    addSelectable({.id = "choice",
                   .count = [this] { return static_cast<int>(choices_.size()); },
                   .current =
                       [this] {
                           const auto found = std::find(choices_.begin(), choices_.end(), at_.choice);
                           return found == choices_.end() ? -1 : static_cast<int>(found - choices_.begin());
                       },
                   .choose =
                       [this](int index) {
                           at_ = report::selectionOf(*run().result, choices_[static_cast<std::size_t>(index)]);
                           showApplicable();
                           refresh();
                       },
                   .name = [this](int index) { return toQt(choices_[static_cast<std::size_t>(index)]); },
                   .bar = u"What is shown"_s,
                   .choice =
                       [this](int index) {
                           return ChoiceBar::Choice{.title = shownText(choices_[static_cast<std::size_t>(index)])};
                       }});
}

/// The pages of the run's engine.
void CatalogueView::build() {
    addPages();
    for (const PictureRow& row : catalogue().pictures)
        if (isShown(row)) addPicture(row);
    if (run().curves != nullptr && !run().curves->empty())
        pages()->pictures()->addPage(
            u"progress"_s, u"Progress"_s, [] { return new ConvergenceView; },
            [this] {
                auto* curves = pages()->findChild<ConvergenceView*>();
                curves->setValueTitle(toQt(study::progressTitle(run().result->study)));
                curves->setCurves(run().curves);
            });
    for (const TableRow& row : catalogue().tables)
        if (isShown(row)) addTablePage(row);
    pages()->addTable(kMetrics, u"Numbers"_s,
                      {.model = [this](QObject* owner) { return columns::metricTable(metrics_, owner); },
                       .rows =
                           [this] {
                               *metrics_ = study::metricsOf(*run().result);
                               return static_cast<int>(metrics_->size());
                           },
                       .filtered = true});
    if (catalogue().sentences != nullptr && !catalogue().sentences(*run().result).empty())
        pages()->addSentences("summary", u"Summary"_s, [this] {
            QStringList lines;
            for (const std::string& sentence : catalogue().sentences(*run().result)) lines << shownText(sentence);
            return lines;
        });
    pages()->addAssumptions([this]() -> const study::Result& { return *run().result; });
}

void CatalogueView::addPicture(const PictureRow& row) {
    const QString id = toQt(row.id), title = toQt(row.title);
    const auto page = std::make_shared<PicturePage>();
    pages()->pictures()->addPage(
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
            const Shown of{run().result, row.scope == report::Scope::result ? std::string() : at_.choice};
            if (page->of == of) return;
            pages()->prepare([&row, result = run().result, at = at_] { return partsOf(row, *result, at); },
                             [page, of](std::vector<CataloguePane::Part> parts) {
                                 page->of = of;
                                 page->pane->setParts(std::move(parts));
                             });
        });
}

void CatalogueView::addTablePage(const TableRow& row) {
    const auto page = std::make_shared<TablePage>();
    pages()->details()->addPage(
        toQt(row.id), toQt(row.title),
        [page, title = toQt(row.title)] {
            page->holder = new QWidget;
            page->title = title;
            bareLayout<QVBoxLayout>(page->holder);
            return page->holder;
        },
        [this, page, &row] {
            pages()->prepare(
                [&row, result = run().result, at = at_] {
                    return row.make({*result, at, kNoContext});
                },
                [this, page](report::Table made) { showTable(*page, std::move(made)); });
        });
}

/// The rows are others; where the columns are, too, the table is a new one.
void CatalogueView::showTable(TablePage& page, report::Table made) {
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
        connect(page.shown, &TableView::currentRowChanged, this, [this, table = page.table](int row) {
            if (row < 0 || static_cast<std::size_t>(row) >= table->rows.size()) return;
            const Facts facts = columns::rowFacts(*table, row);
            chooseAmong({toQt(table->rows[static_cast<std::size_t>(row)].at(0))});
            emit inspected(facts);
        });
    }
    page.model->setRowCount(static_cast<int>(page.table->rows.size()));
}

/// The parts of the result's headline; where one says a number of the run, that can be explained.
QVector<Headline> CatalogueView::headlines() const {
    const study::Result& result = *run().result;
    std::vector<study::Metric> own = study::metricsOf(result);
    std::erase_if(own, [](const study::Metric& metric) { return !metric.owner.empty(); });
    QVector<Headline> all;
    for (const QString& part : shownText(study::headline(result)).split(u" · "_s, Qt::SkipEmptyParts)) {
        Headline line = partOf(part, all.isEmpty());
        const auto its =
            std::find_if(own.begin(), own.end(), [&](const study::Metric& metric) { return says(part, metric); });
        if (its != own.end()) {
            const QString number = toQt(study::textOf(*its));
            const qsizetype end = part.indexOf(QLatin1Char(' '), number.size());  // after "/step"
            line.value = part.left(end);
            line.label = end < 0 ? QString() : part.mid(end + 1);
            const QString title = shownText(its->title).toLower();
            if (part == number && !number.endsWith(QLatin1Char(' ') + title)) line.label = title;
            line.help = shownText(its->title);
            if (study::explain(result, its->name)) line.explain = explanationOf(its->name);
            own.erase(its);
        }
        all.append(line);
    }
    return all;
}

/// What the result, or the chosen part of it, does not have is not offered.
void CatalogueView::showApplicable() {
    const auto show = [this](LazyTabs& tabs, const Row& row) {
        tabs.setPageShown(toQt(row.id), !report::selectionsOf(row, *run().result, at_).empty());
    };
    for (const PictureRow& row : catalogue().pictures)
        if (isShown(row)) show(*pages()->pictures(), row);
    for (const TableRow& row : catalogue().tables)
        if (isShown(row)) show(*pages()->details(), row);
    pages()->arrange();
}

/// Whatever is shown of a strategy, algorithm or model leads to it.
void CatalogueView::chooseAmong(const QStringList& names) {
    for (const QString& name : names)
        if (name.toStdString() != at_.choice &&
            std::find(choices_.begin(), choices_.end(), name.toStdString()) != choices_.end())
            return choose(name);
}

void CatalogueView::takeRun() {
    choices_ = catalogue().choices(*run().result);
    at_ = report::selectionOf(*run().result, {});
    if (pages() == nullptr) build();
    showApplicable();
}

void CatalogueView::choose(const QString& choice) {
    const auto found = std::find(choices_.begin(), choices_.end(), choice.toStdString());
    if (found != choices_.end()) select(u"choice"_s, static_cast<int>(found - choices_.begin()));
}

}  // namespace tessera::ui
