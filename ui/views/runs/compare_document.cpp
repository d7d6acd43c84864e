#include "ui/views/runs/compare_document.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QJsonDocument>
#include <QLabel>
#include <QPointer>
#include <QScopedValueRollback>
#include <QScrollArea>
#include <QSettings>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <variant>

#include "core/base/error.h"
#include "core/draw/table.h"
#include "core/report/catalogue.h"
#include "core/report/comparison_pictures.h"
#include "core/report/comparison_report.h"
#include "core/study/engine.h"
#include "core/study/explanation.h"
#include "core/study/partition/metrics.h"
#include "core/study/partition/outcome.h"
#include "core/study/timeline.h"
#include "ui/models/background.h"
#include "ui/models/comparison_tables.h"
#include "ui/models/partition_run.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/empty_state.h"
#include "ui/views/explain_dialog.h"
#include "ui/views/fitting_box.h"
#include "ui/views/lazy_tabs.h"
#include "ui/views/message_bar.h"
#include "ui/views/plot/convergence_view.h"
#include "ui/views/plot/gantt_view.h"
#include "ui/views/plot/plot_widget.h"
#include "ui/views/runs/model_comparison.h"
#include "ui/views/runs/run_view.h"
#include "ui/views/table_view.h"
#include "ui/views/text_label.h"
#include "ui/views/view_presets.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

using report::kMaxPictured;

constexpr auto kRemembered = "compare/view";

/// Pixels in which the lanes of a timeline are seen; of more lanes the view scrolls.
int heightOf(const Timeline& timeline) {
    constexpr int kMaxLanes = 12, kRoundLanes = 4;
    const int lanes = std::min(kMaxLanes, static_cast<int>(timeline.tracks.size()));
    return (lanes + kRoundLanes) * theme().spacing(6);
}

/// Pixels that bars of so many runs need at most; what is below them needs the rest.
int heightOfBars(std::size_t runs) {
    constexpr int kRound = 30, kBar = 9;
    return theme().spacing(kRound + kBar * static_cast<int>(runs));
}

struct Timelines {
    std::vector<Timeline> list;
    double longest = 0;
};

Timelines timelinesOf(const std::vector<std::shared_ptr<const study::Result>>& results) {
    Timelines timelines;
    for (const auto& result : results) {
        try {
            timelines.list.push_back(study::timelineOf(*result, report::selectionOf(*result, "").choice));
        } catch (const UsageError&) {
            timelines.list.emplace_back();  // of an engine whose results have none
        }
        timelines.longest = std::max(timelines.longest, timelines.list.back().length);
    }
    return timelines;
}

QJsonObject rememberedView() {
    return QJsonDocument::fromJson(QSettings().value(QLatin1String(kRemembered)).toByteArray()).object();
}

}  // namespace

struct CompareDocument::Implementation {
    CompareDocument* document = nullptr;
    std::vector<RunState> runs;                   ///< those that are compared
    std::vector<std::string> letters;             ///< theirs among all
    std::vector<RunState> known;                  ///< those with a result
    std::vector<std::vector<std::size_t>> kinds;  ///< places among them of runs that have numbers in common
    std::size_t kind = 0;                         ///< of those, which are compared
    std::size_t given = 0;
    std::filesystem::path history;
    int baseline = 0;
    SharedComparison comparison;
    int generation = 0;
    QJsonObject pending;
    bool wasShown = false;
    QString layer;           ///< selected in all parts
    bool following = false;  ///< while one timeline is moved after another
    bool choosing = false;   ///< while one selection is made after another

    QStackedWidget* stack = nullptr;
    EmptyState* empty = nullptr;
    QLabel* found = nullptr;
    MessageBar* warning = nullptr;
    QLabel* kindLabel = nullptr;
    QComboBox* kindBox = nullptr;
    QComboBox* baselineBox = nullptr;
    QComboBox* metricBox = nullptr;
    QCheckBox* onlyDifferences = nullptr;
    bool logarithmic = false;  ///< of convergence
    PlotWidget* bars = nullptr;
    LazyTabs* tabs = nullptr;
    std::vector<GanttView*> gantts;
    QPointer<TableView> layerTable, jobTable;
    QPointer<ModelComparison> models;

    QStringList titles() const {
        QStringList list;
        for (std::size_t run = 0; run < runs.size(); ++run)
            list << shownText(letters[run] + "  " + runs[run].title.toStdString());
        return list;
    }

    std::vector<std::shared_ptr<const study::Result>> pictured() const {
        std::vector<std::shared_ptr<const study::Result>> list;
        for (const RunState& run : runs)
            if (list.size() < kMaxPictured) list.push_back(run.result);
        return list;
    }

    void build();
    void buildBar(QVBoxLayout* layout);
    void addPage(const char* id, const QString& title, QWidget* (Implementation::*make)());
    void findKinds();
    void takeKind(std::size_t chosen);
    QString aloneText() const;
    void compare();
    void show();
    void showBars();
    void showHint() const;
    void follow(GanttView* moved, double from, double to);
    void showLayer();
    void inspectLayer();
    std::shared_ptr<const std::vector<Curve>> curves() const;
    QJsonObject view() const;
    void take(const QJsonObject& view);
    void remember() const;
    void explainMetric(int row, int column);

    QWidget* makeMetrics();
    QWidget* makeOwned();
    QWidget* makeParts();
    QWidget* makeInputs();
    QWidget* makeLayers();
    QWidget* makeJobs();
    void showPages() const;
    QWidget* makeConvergence();
    QWidget* makeTimelines();
    QWidget* makeModels();
    void fillTimelines(Timelines timelines);
    TableView* table(TableModel* model, const QString& name, const QString& hint) {
        auto* view = new TableView(model, name);
        view->setEmptyText(hint);
        return view;
    }
    bool only() const { return onlyDifferences->isChecked(); }
};

void CompareDocument::Implementation::build() {
    auto* outer = bareLayout<QVBoxLayout>(document);
    stack = new QStackedWidget(document);
    outer->addWidget(stack);
    empty = new EmptyState(u"compare"_s, QString());
    stack->addWidget(empty);
    auto* page = new QWidget;
    stack->addWidget(page);
    auto* layout = new QVBoxLayout(page);
    const int space = theme().spacing(3);
    layout->setContentsMargins(space, space, space, space);
    layout->setSpacing(theme().spacing(2));
    warning = new MessageBar(page);
    warning->hide();
    layout->addWidget(warning);
    found = textLabel(QString(), Theme::Text::panelTitle, QString(), true, true);
    layout->addWidget(found);
    buildBar(layout);
    auto* splitter = new QSplitter(Qt::Vertical, page);
    splitter->setChildrenCollapsible(false);
    bars = new PlotWidget(splitter);
    bars->setAccessibleName(u"The chosen number of every run"_s);
    tabs = new LazyTabs(splitter);
    splitter->addWidget(bars);
    splitter->addWidget(tabs);
    splitter->setStretchFactor(0, 2);
    splitter->setStretchFactor(1, 3);
    layout->addWidget(splitter, 1);
    addPage("metrics", u"Numbers"_s, &Implementation::makeMetrics);
    addPage("inputs", u"Inputs"_s, &Implementation::makeInputs);
    addPage("layers", u"Layers"_s, &Implementation::makeLayers);
    addPage("jobs", u"Jobs"_s, &Implementation::makeJobs);
    addPage("parts", u"Part by part"_s, &Implementation::makeParts);
    addPage("owned", u"Of each"_s, &Implementation::makeOwned);
    addPage("timelines", u"Timelines"_s, &Implementation::makeTimelines);
    addPage("convergence", u"Convergence"_s, &Implementation::makeConvergence);
    addPage("models", u"Models"_s, &Implementation::makeModels);
    showHint();
}

void CompareDocument::Implementation::buildBar(QVBoxLayout* layout) {
    auto* bar = bareLayout<QHBoxLayout>(theme().spacing(2));
    const auto box = [&](const QString& title, const QString& help) {
        auto* label = textLabel(title, Theme::Text::base, u"secondary"_s);
        bar->addWidget(label);
        auto* made = new FittingBox;
        label->setBuddy(made);
        made->setAccessibleName(title);
        made->setToolTip(help);
        made->setSizeAdjustPolicy(QComboBox::AdjustToContents);
        made->setMaximumWidth(theme().spacing(70));
        bar->addWidget(made);
        return made;
    };
    kindBox = box(u"Runs"_s, u"Runs that have numbers in common"_s);
    kindLabel = qobject_cast<QLabel*>(bar->itemAt(bar->indexOf(kindBox) - 1)->widget());
    baselineBox = box(u"Baseline"_s, u"The run that differences and ratios refer to"_s);
    metricBox = box(u"Shown"_s, u"The number that the bars show"_s);
    bar->addStretch();
    onlyDifferences = new QCheckBox(u"Only differences"_s);
    onlyDifferences->setChecked(true);
    onlyDifferences->setToolTip(u"Hides rows that are the same in all runs"_s);
    bar->addWidget(onlyDifferences);
    bar->addWidget(new ViewPresets(
        u"compare"_s, [this] { return view(); }, [this](const QJsonObject& kept) { take(kept); }));
    layout->addLayout(bar);
    connect(kindBox, qOverload<int>(&QComboBox::activated), document, [this](int chosen) {
        takeKind(static_cast<std::size_t>(chosen));
        compare();
    });
    connect(baselineBox, qOverload<int>(&QComboBox::activated), document, &CompareDocument::setBaseline);
    connect(metricBox, qOverload<int>(&QComboBox::activated), document, [this] {
        showBars();
        remember();
    });
    connect(onlyDifferences, &QCheckBox::clicked, document, [this] { remember(); });
    connect(onlyDifferences, &QCheckBox::toggled, document, [this] {
        tabs->refresh({u"metrics"_s, u"inputs"_s, u"owned"_s, u"parts"_s, u"layers"_s, u"jobs"_s});
    });
}

/// A page that is made anew whenever what it shows changed.
void CompareDocument::Implementation::addPage(const char* id, const QString& title,
                                              QWidget* (Implementation::*make)()) {
    const auto holder = std::make_shared<QWidget*>(nullptr);
    const auto hold = [holder] {
        bareLayout<QVBoxLayout>(*holder = new QWidget);
        return *holder;
    };
    const auto fill = [this, holder, make] {
        if (!comparison) return;
        for (auto* old : (*holder)->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
            old->hide();
            old->deleteLater();
        }
        (*holder)->layout()->addWidget((this->*make)());
        showLayer();
    };
    tabs->addPage(QLatin1String(id), title, hold, fill);
}

void CompareDocument::Implementation::showHint() const {
    stack->setCurrentIndex(0);
    if (given < 2) {
        empty->setSentence(u"Choose two runs or more in the history, then Compare, to see them side by side here."_s);
    } else if (known.size() > 1 && kinds.empty()) {
        empty->setSentence(u"These runs have no numbers in common; a report gives each pages of its own."_s);
    } else if (runs.size() < 2) {
        empty->setSentence(u"Fewer than two of these runs have a result; finish or run them again to compare them."_s);
    } else {
        empty->setSentence(u"Comparing…"_s);
    }
}

/// Runs that have numbers in common with others, and a list to choose from where they are of several kinds.
void CompareDocument::Implementation::findKinds() {
    std::vector<const study::Result*> results;
    for (const RunState& run : known) results.push_back(run.result.get());
    kinds = study::comparableRuns(results);
    std::erase_if(kinds, [](const auto& places) { return places.size() < 2; });
    const QSignalBlocker quiet(kindBox);
    kindBox->clear();
    for (const auto& places : kinds) {
        QStringList names;
        std::vector<std::string> its;
        for (const std::size_t place : places) {
            its.push_back(study::letterOf(place));
            const QString engine = toQt(std::string(study::engineOf(*known[place].result).title));
            if (!names.contains(engine)) names << engine;
        }
        kindBox->addItem(toQt(study::letterList(its)) + u": "_s + names.join(u", "_s));
    }
    kindBox->setVisible(kinds.size() > 1);
    kindLabel->setVisible(kinds.size() > 1);
    takeKind(0);
}

void CompareDocument::Implementation::takeKind(std::size_t chosen) {
    kind = chosen;
    runs.clear();
    letters.clear();
    if (chosen < kinds.size())
        for (const std::size_t place : kinds[chosen]) {
            runs.push_back(known[place]);
            letters.push_back(study::letterOf(place));
        }
    baseline = 0;
    const QSignalBlocker quiet(baselineBox);
    baselineBox->clear();
    baselineBox->addItems(titles());
}

/// Runs that are not among those compared.
QString CompareDocument::Implementation::aloneText() const {
    std::vector<std::string> others;
    for (std::size_t place = 0; place < known.size(); ++place)
        if (std::find(letters.begin(), letters.end(), study::letterOf(place)) == letters.end())
            others.push_back(study::letterOf(place));
    return others.empty() ? QString() : u"No numbers in common with these: %1."_s.arg(toQt(study::letterList(others)));
}

void CompareDocument::Implementation::compare() {
    comparison = nullptr;
    ++generation;
    showHint();
    if (runs.size() < 2) return;
    inBackground(
        document,
        [runs = runs, letters = letters, baseline = static_cast<std::size_t>(baseline)] {
            std::vector<const study::Result*> results;
            std::vector<std::string> titles;
            for (const RunState& run : runs) {
                results.push_back(run.result.get());
                titles.push_back(run.title.toStdString());
            }
            return study::compare(results, titles, baseline, letters);
        },
        [this, at = generation](study::Comparison made) {
            if (at != generation) return;
            comparison = std::make_shared<const study::Comparison>(std::move(made));
            show();
        },
        [this](const QString& problem) {
            empty->setSentence(problem);
            emit document->messaged(problem, QString());
        });
}

void CompareDocument::Implementation::show() {
    found->setText(shownText(comparison->finding));
    bars->setMaximumHeight(heightOfBars(std::min(runs.size(), kMaxPictured + 1)));
    QStringList warnings;
    if (!comparison->unlike.empty())
        warnings << u"Times of whole steps are not comparable: %1."_s.arg(toQt(comparison->unlike));
    for (const std::string& sentence : comparison->warnings) warnings << shownText(sentence);
    if (const QString alone = aloneText(); !alone.isEmpty()) warnings << alone;
    if (warnings.isEmpty()) {
        warning->hide();
    } else {
        warning->showMessage(MessageBar::Kind::warning, warnings.join(QLatin1Char(' ')));
    }
    const QString chosen = metricBox->currentData().toString();
    const QSignalBlocker quiet(metricBox);
    metricBox->clear();
    for (const auto& row : comparison->metrics) {
        QString title = toQt(row.metric.title);
        if (!row.metric.owner.empty()) title += u", "_s + shownText(row.metric.owner);
        metricBox->addItem(title, toQt(row.metric.name));
    }
    const int kept = metricBox->findData(chosen);
    const int deciding = metricBox->findData(toQt(comparison->deciding));
    metricBox->setCurrentIndex(std::max(0, kept >= 0 ? kept : deciding));
    showBars();
    showPages();
    tabs->refresh();
    stack->setCurrentIndex(1);
    if (pending.isEmpty() && !wasShown) pending = rememberedView();
    wasShown = true;
    if (!pending.isEmpty()) document->restoreView(std::exchange(pending, {}));
}

/// Layers and models are compared of partitions, jobs of mappings.
void CompareDocument::Implementation::showPages() const {
    const bool layers = std::any_of(runs.begin(), runs.end(), [](const RunState& run) {
        return run.result->outcome.as<study::PartitionOutcome>() != nullptr;
    });
    tabs->setPageShown(u"layers"_s, layers);
    tabs->setPageShown(u"models"_s, layers);
    tabs->setPageShown(u"jobs"_s, !comparison->jobs.empty());
    tabs->setPageShown(u"parts"_s, !comparison->parts.empty());
    tabs->setPageShown(u"owned"_s, std::any_of(comparison->metrics.begin(), comparison->metrics.end(),
                                               [](const auto& row) { return !row.metric.owner.empty(); }));
}

void CompareDocument::Implementation::showBars() {
    if (comparison)
        bars->setChart(report::comparisonChart(*comparison, metricBox->currentData().toString().toStdString()));
}

QWidget* CompareDocument::Implementation::makeMetrics() {
    auto* view = table(metricTableModel(comparison, only(), tabs), u"Numbers"_s, u"All numbers are the same."_s);
    connect(view, &TableView::explainRequested, document, [this](int row, int column) { explainMetric(row, column); });
    connect(view->view()->selectionModel(), &QItemSelectionModel::currentChanged, document,
            [this](const QModelIndex& current) {
                const int index = metricBox->findData(metricOfColumn(*comparison, only(), current.column()));
                if (index < 0) return;
                metricBox->setCurrentIndex(index);
                showBars();
            });
    return view;
}

QWidget* CompareDocument::Implementation::makeOwned() {
    return table(ownedMetricTableModel(comparison, only(), tabs), u"Of each"_s,
                 u"No strategy, algorithm or prediction is in two runs with other numbers."_s);
}

QWidget* CompareDocument::Implementation::makeParts() {
    return table(partTableModel(comparison, only(), tabs), toQt(comparison->partsTitle),
                 u"Every part that the runs share is done alike in all of them."_s);
}

void CompareDocument::Implementation::explainMetric(int row, int column) {
    if (row < 0 || row >= static_cast<int>(runs.size())) return;
    const auto run = static_cast<std::size_t>(row);
    const std::string metric = metricOfColumn(*comparison, only(), column).toStdString();
    if (metric.empty()) return;
    if (const auto explanation = study::explainCompared(*comparison, metric, run, *runs[run].result))
        showExplanation(*explanation, *document);
}

QWidget* CompareDocument::Implementation::makeInputs() {
    return table(inputDifferenceModel(comparison, only(), tabs), u"Inputs"_s, u"All inputs are the same."_s);
}

QWidget* CompareDocument::Implementation::makeLayers() {
    auto* page = new QWidget;
    auto* column = bareLayout<QVBoxLayout>(page, theme().spacing(2));
    QStringList notes;
    for (const std::string& note : comparison->notes) notes << toQt(note);
    if (!notes.isEmpty())
        column->addWidget(textLabel(notes.join(QLatin1Char(' ')), Theme::Text::base, u"secondary"_s, false, true));
    layerTable = table(layerDifferenceModel(comparison, only(), tabs), u"Layers"_s,
                       u"Every layer that the runs share has the same type in all of them."_s);
    auto* shares = table(shareTableModel(comparison, only(), tabs), u"Shares of types"_s,
                         u"Every strategy uses the types to the same extent in all runs."_s);
    shares->setFilterVisible(false);
    auto* parts = new QSplitter(Qt::Vertical);
    parts->setChildrenCollapsible(false);
    parts->addWidget(layerTable);
    parts->addWidget(shares);
    parts->setStretchFactor(0, 3);
    parts->setStretchFactor(1, 2);
    column->addWidget(parts, 1);
    connect(layerTable, &TableView::currentRowChanged, document, [this](int row) {
        const QString chosen = layerOfRow(*comparison, only(), row);
        if (!chosen.isEmpty()) document->chooseLayer(chosen);
    });
    return page;
}

QWidget* CompareDocument::Implementation::makeJobs() {
    jobTable = table(jobDifferenceModel(comparison, only(), tabs), u"Jobs"_s,
                     u"Every job that the runs share runs on the same core at the same place in all of them."_s);
    connect(jobTable, &TableView::currentRowChanged, document, [this](int row) {
        const QString chosen = jobOfRow(*comparison, only(), row);
        if (!chosen.isEmpty()) document->chooseLayer(chosen);
    });
    return jobTable;
}

std::shared_ptr<const std::vector<Curve>> CompareDocument::Implementation::curves() const {
    auto all = std::make_shared<std::vector<Curve>>();
    for (std::size_t run = 0; run < std::min(runs.size(), kMaxPictured); ++run)
        if (runs[run].curves)
            for (const Curve& curve : *runs[run].curves)
                all->push_back({curve.name, curve.points, letters[run]});  // titles are long, and alike
    return all;
}

QWidget* CompareDocument::Implementation::makeConvergence() {
    auto* view = new ConvergenceView;
    view->setEmptyText(u"No curves were recorded for these runs; run them again to see how they converge."_s);
    view->setLogarithmic(logarithmic);
    view->setCurves(curves());
    connect(view, &ConvergenceView::logarithmicChanged, document, [this](bool on) {
        logarithmic = on;
        remember();
    });
    return view;
}

QWidget* CompareDocument::Implementation::makeTimelines() {
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setAccessibleName(u"Timelines"_s);
    auto* content = new QWidget;
    auto* layout = bareLayout<QVBoxLayout>(content);
    gantts.clear();
    const QStringList names = titles();
    for (std::size_t run = 0; run < std::min(runs.size(), kMaxPictured); ++run) {
        layout->addWidget(textLabel(names.at(static_cast<int>(run)), Theme::Text::base, QString(), true));
        auto* gantt = new GanttView;
        gantt->setAccessibleName(u"Timeline of %1"_s.arg(names.at(static_cast<int>(run))));
        gantt->setMinimumHeight(theme().spacing(40));
        layout->addWidget(gantt, 1);
        gantts.push_back(gantt);
        connect(gantt, &GanttView::visibleRangeChanged, document,
                [this, gantt](double from, double to) { follow(gantt, from, to); });
        connect(gantt, &GanttView::eventSelected, document, [this, gantt](int event) {
            const auto& events = gantt->timeline().events;
            if (event >= 0 && static_cast<std::size_t>(event) < events.size())
                document->chooseLayer(shownText(events[static_cast<std::size_t>(event)].name));
        });
    }
    if (runs.size() > kMaxPictured)
        layout->addWidget(textLabel(u"Timelines of the first %1 runs are shown."_s.arg(kMaxPictured), Theme::Text::base,
                                    u"secondary"_s));
    scroll->setWidget(content);
    inBackground(
        scroll, [runs = pictured()] { return timelinesOf(runs); },
        [this](Timelines timelines) { fillTimelines(std::move(timelines)); },
        [this](const QString& problem) { emit document->messaged(problem, QString()); });
    return scroll;
}

void CompareDocument::Implementation::fillTimelines(Timelines timelines) {
    following = true;
    for (std::size_t run = 0; run < std::min(gantts.size(), timelines.list.size()); ++run) {
        Timeline& timeline = timelines.list[run];
        // The run's name stands above it, and the notes are those of the run's own page.
        timeline.title.clear();
        timeline.notes.clear();
        timeline.length = timelines.longest;  // one time axis for all
        gantts[run]->setVisible(!timeline.tracks.empty());
        gantts[run]->setMinimumHeight(heightOf(timeline));
        gantts[run]->setTimeline(std::move(timeline));
    }
    following = false;
    showLayer();
}

void CompareDocument::Implementation::follow(GanttView* moved, double from, double to) {
    if (std::exchange(following, true)) return;
    for (GanttView* gantt : gantts)
        if (gantt != moved) gantt->showRange(from, to);
    following = false;
}

QWidget* CompareDocument::Implementation::makeModels() {
    models = new ModelComparison(titles());
    connect(models, &ModelComparison::layerChosen, document, &CompareDocument::chooseLayer);
    inBackground(
        models.data(),
        [runs = runs, baseline = baseline, history = history] { return modelDifferences(runs, baseline, history); },
        [this, view = models.data()](ModelDifferences differences) {
            view->setDifferences(std::make_shared<const ModelDifferences>(std::move(differences)));
            showLayer();
        },
        [view = models.data()](const QString& problem) { view->setSentence(problem); });
    return models;
}

/// The chosen layer in every part that is there.
void CompareDocument::Implementation::showLayer() {
    if (layer.isEmpty() || !comparison) return;
    const QScopedValueRollback<bool> guard(choosing, true);
    for (GanttView* gantt : gantts) {
        const auto& events = gantt->timeline().events;
        const auto event =
            std::find_if(events.begin(), events.end(), [&](const auto& each) { return shownText(each.name) == layer; });
        gantt->setSelected(event == events.end() ? -1 : static_cast<int>(event - events.begin()));
    }
    if (layerTable && layerOfRow(*comparison, only(), layerTable->currentRow()) != layer)
        layerTable->setCurrentRow(rowOfLayer(*comparison, only(), layer));
    if (jobTable && jobOfRow(*comparison, only(), jobTable->currentRow()) != layer)
        jobTable->setCurrentRow(rowOfJob(*comparison, only(), layer));
    if (models) models->chooseLayer(layer);
}

void CompareDocument::Implementation::inspectLayer() {
    Facts facts{.title = layer, .subtitle = u"In %1 runs"_s.arg(runs.size()), .icon = u"layers"_s};
    for (std::size_t run = 0; run < runs.size(); ++run) {
        Facts::Section section{shownText(comparison->runs[run]), {}};
        for (const auto& row : comparison->layers)
            if (section.rows.size() < static_cast<int>(kMaxPictured) && shownText(row.layer) == layer &&
                !row.types[run].empty())
                section.rows.append(
                    {.label =
                         u"%1, level %2, %3"_s.arg(shownText(row.strategy)).arg(row.level).arg(shownText(row.group)),
                     .value = shownText(row.types[run])});
        for (const auto& row : comparison->jobs)
            if (section.rows.size() < static_cast<int>(kMaxPictured) && shownText(row.name) == layer && row.places[run])
                section.rows.append({.label = u"Job %1"_s.arg(row.job), .value = placeText(*row.places[run])});
        if (!section.rows.isEmpty()) facts.sections.append(section);
    }
    emit document->inspected(facts);
}

/// What a preset keeps: everything but which run is the baseline.
QJsonObject CompareDocument::Implementation::view() const {
    return {{u"metric"_s, metricBox->currentData().toString()},
            {u"all"_s, !only()},
            {u"log"_s, logarithmic},
            {u"tab"_s, tabs->tab()}};
}

void CompareDocument::Implementation::take(const QJsonObject& view) {
    onlyDifferences->setChecked(!view.value(QLatin1String("all")).toBool());
    logarithmic = view.value(QLatin1String("log")).toBool(logarithmic);
    tabs->refresh({u"convergence"_s});
    const int metric = metricBox->findData(view.value(QLatin1String("metric")).toString());
    if (metric >= 0) {
        metricBox->setCurrentIndex(metric);
        showBars();
    }
    tabs->openTab(view.value(QLatin1String("tab")).toString());
}

/// What the next comparison begins with. Which number decides, every comparison knows by itself.
void CompareDocument::Implementation::remember() const {
    QJsonObject kept = view();
    kept.remove(u"tab"_s);
    if (comparison && metricBox->currentData().toString().toStdString() == comparison->deciding)
        kept.remove(u"metric"_s);
    QSettings().setValue(QLatin1String(kRemembered), QJsonDocument(kept).toJson(QJsonDocument::Compact));
}

CompareDocument::CompareDocument(const QString& key, QWidget* parent) : Document(parent, key), d_(new Implementation) {
    d_->document = this;
    d_->build();
}

CompareDocument::~CompareDocument() = default;

QString CompareDocument::title() const {
    return d_->known.size() < 2 ? u"Compare"_s : u"Compare %1 runs"_s.arg(d_->known.size());
}

void CompareDocument::setHistory(const std::filesystem::path& history) {
    d_->history = history;
}

void CompareDocument::setRuns(const std::vector<RunState>& runs) {
    d_->given = runs.size();
    d_->known.clear();
    for (const RunState& run : runs) {
        if (run.result == nullptr || runViewOf(*run.result) == nullptr) continue;
        d_->known.push_back(run);
        if (run.title.isEmpty()) d_->known.back().title = u"Run %1"_s.arg(run.run);
    }
    d_->findKinds();
    emit titleChanged();
    d_->compare();
}

void CompareDocument::setBaseline(int run) {
    if (run == d_->baseline || run < 0 || static_cast<std::size_t>(run) >= d_->runs.size()) return;
    d_->baseline = run;
    d_->baselineBox->setCurrentIndex(run);
    d_->compare();
}

int CompareDocument::baseline() const {
    return d_->baseline;
}

void CompareDocument::chooseLayer(const QString& layer) {
    if (!d_->comparison || d_->choosing) return;
    d_->layer = layer;
    d_->showLayer();
    d_->inspectLayer();
}

QVector<Exportable> CompareDocument::exportables() {
    if (!d_->comparison) return {};
    const SharedComparison comparison = d_->comparison;
    const std::string metric = d_->metricBox->currentData().toString().toStdString();
    const auto chart = [comparison, metric] { return report::comparisonChart(*comparison, metric); };
    const auto table = [comparison, same = !d_->only()](
                           const char* name, report::Table (*make)(const study::Comparison& comparison, bool same)) {
        return Exportable{.name = QLatin1String(name), .csv = [=] { return report::toCsv(make(*comparison, same)); }};
    };
    QVector<Exportable> all{{.name = fileStem(u"compare-"_s + toQt(metric)),
                             .svg = [chart](const report::Theme& theme) { return report::toSvg(chart(), theme); },
                             .csv = [chart] { return report::toCsv(chart()); }},
                            table("compare-numbers", report::metricTable),
                            table("compare-inputs", report::inputTable)};
    if (!comparison->parts.empty()) all.push_back(table("compare-parts", report::partTable));
    if (comparison->metrics.end() != std::find_if(comparison->metrics.begin(), comparison->metrics.end(),
                                                  [](const auto& row) { return !row.metric.owner.empty(); }))
        all.push_back(table("compare-of-each", report::ownedMetricTable));
    if (!comparison->layers.empty()) all.push_back(table("compare-layers", report::layerDifferenceTable));
    if (!comparison->jobs.empty()) all.push_back(table("compare-jobs", report::jobDifferenceTable));
    if (!comparison->shares.empty()) all.push_back(table("compare-shares", report::shareTable));
    return all;
}

QJsonObject CompareDocument::saveView() const {
    if (!d_->comparison) return d_->pending;
    QJsonObject view = d_->view();
    view[u"baseline"_s] = d_->baseline;
    view[u"kind"_s] = static_cast<int>(d_->kind);
    return view;
}

void CompareDocument::restoreView(const QJsonObject& view) {
    if (!d_->comparison) {
        d_->pending = view;
        return;
    }
    const auto kind = static_cast<std::size_t>(std::max(0, view.value(QLatin1String("kind")).toInt(0)));
    if (kind != d_->kind && kind < d_->kinds.size()) {
        d_->kindBox->setCurrentIndex(static_cast<int>(kind));
        d_->takeKind(kind);
        d_->pending = view;
        d_->compare();
        return;
    }
    d_->take(view);
    setBaseline(view.value(QLatin1String("baseline")).toInt(0));
}

}  // namespace tessera::ui
