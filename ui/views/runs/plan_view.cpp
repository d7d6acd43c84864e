#include <QButtonGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QToolButton>
#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/base/units.h"
#include "core/report/plan_pictures.h"
#include "core/report/plan_points.h"
#include "core/study/metric.h"
#include "core/study/plan/study.h"
#include "ui/models/report_table.h"
#include "ui/models/table_columns.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/lazy_tabs.h"
#include "ui/views/message_bar.h"
#include "ui/views/plot/chart_pane.h"
#include "ui/views/plot/drawing_view.h"
#include "ui/views/plot/gantt_view.h"
#include "ui/views/plot/parallel_view.h"
#include "ui/views/plot/plot_widget.h"
#include "ui/views/runs/plan_question.h"
#include "ui/views/runs/result_exports.h"
#include "ui/views/runs/run_view.h"
#include "ui/views/workbench/point_list.h"
#include "ui/views/workbench/workbench.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

using report::ClusterColour;
using study::PlanOutcome;

/// A finished plan: headline, its configurations, and tabs that begin with the cluster. One choice of configuration is
/// shared by all its parts.
class PlanView : public RunView {
public:
    PlanView(QUndoStack* undo, QWidget* parent) : RunView("plan", parent), undo_(undo) {
        addSelectables();
        addTool(against_);
        addPages();
        addPictures();
        addDetails();
    }

    QJsonObject saveView() const override;
    void restoreView(const QJsonObject& view) override;

protected:
    void takeRun() override;
    void refresh() override;
    QVector<Headline> headlines() const override;
    void showNote() override;
    report::Selection selection() const override { return report::selectionOf(*run().result, choice()); }
    /// Of what the run alone does not decide: what is brushed, and how pictures are looked at.
    QVector<Exportable> ownExports() const override {
        return bench_ == nullptr ? QVector<Exportable>() : bench_->exportables();
    }

private:
    void addSelectables();
    void addPictures();
    void addDetails();
    void addTableOf(const std::shared_ptr<report::Table>& table, const char* row, const char* selects);
    void choose(int configuration);
    void fillTable(const char* row, report::Table& table) const;
    void showDifference();

    const PlanOutcome& outcome() const { return run().result->outcome.get<PlanOutcome>(); }
    int configurations() const { return static_cast<int>(outcome().configurations.size()); }
    /// The catalogue's name of the chosen configuration; empty where nothing fits.
    std::string choice() const { return chosen_ < 0 ? std::string() : std::to_string(chosen_ + 1); }
    QString label(int configuration) const;
    Facts facts(int configuration);
    Facts stageFacts(int stage) const;
    QString sharePath(const ChartPane& pane, int category) const;

    Workbench& theBench();
    /// The plan again, with what the configurations that are shown consist of.
    Workbench::StudyMaker studyOfShown() {
        return [result = run().result, states = bench_->selection().states()] {
            return toText(study::toJson(report::narrowedPlan(*result, states)));
        };
    }
    QWidget* makeFront() { return &theBench(); }
    QWidget* makeComparison() { return theBench().comparison(); }
    QWidget* makePoints() { return theBench().list(); }
    QWidget* makeCluster();
    void fillCluster();
    QWidget* makePipeline();
    void fillPipeline();
    void fillFront();
    QWidget* makeQuestion() { return question_ = new PlanQuestion; }
    void fillQuestion() { question_->setRun(run()); }
    void askAbout(const QString& configuration);

    int chosen_ = -1;
    int stage_ = 0;         ///< of the chosen one
    int marked_ = -1;       ///< the choice as the bench was told
    bool showing_ = false;  ///< the choice, which is not the user's
    ClusterColour colour_ = ClusterColour::memory;
    std::shared_ptr<report::Table> configurations_ = std::make_shared<report::Table>();
    std::shared_ptr<report::Table> stages_ = std::make_shared<report::Table>();
    QLabel* against_ = new QLabel(this);
    DrawingView* cluster_ = nullptr;
    QButtonGroup* colours_ = nullptr;
    GanttView* pipeline_ = nullptr;
    QLabel* pipelineNotes_ = nullptr;
    QUndoStack* undo_;
    Workbench* bench_ = nullptr;
    std::shared_ptr<const explore::PointTable> points_;  ///< of the run, once they were looked at
    PlanQuestion* question_ = nullptr;
};

void PlanView::addSelectables() {
    addSelectable({.id = "configuration",
                   .count = [this] { return configurations(); },
                   .current = [this] { return chosen_; },
                   .choose = [this](int index) { choose(index); },
                   .facts = [this](int index) { return facts(index); },
                   .name = [](int index) { return QString::number(index + 1); },
                   .bar = u"Configurations"_s,
                   .choice =
                       [this](int index) {
                           return ChoiceBar::Choice{.title = u"%1: %2"_s.arg(index + 1).arg(label(index)),
                                                    .help = u"Show this configuration"_s};
                       }});
    addSelectable(
        {.id = "stage",
         .count = [this] { return static_cast<int>(stages_->rows.size()); },
         .current = [this] { return chosen_ < 0 ? -1 : stage_; },
         .choose = [this](int index) { stage_ = index; },
         .facts = [this](int index) { return stageFacts(index); },
         .handed = [this](int index) { return std::to_string(chosen_ + 1) + "/" + std::to_string(index + 1); },
         .optional = true,
         .saved = false});
    addSelectable({.id = "colour",
                   .count = [] { return 2; },
                   .current = [this] { return static_cast<int>(colour_); },
                   .choose =
                       [this](int index) {
                           colour_ = static_cast<ClusterColour>(index);
                           if (cluster_ != nullptr) fillCluster();
                       },
                   .name =
                       [](int index) {
                           return static_cast<ClusterColour>(index) == ClusterColour::memory ? u"memory"_s : u"time"_s;
                       }});
}

void PlanView::addPictures() {
    using Self = PlanView;
    addPicture("cluster", this, &Self::makeCluster, &Self::fillCluster);
    addRows("cluster", {.pictures = {"cluster-time"}});
    addCharts("step-time",
              {.rows = {"step-time", "overhead"},
               .name = u"Step-time breakdown of the best configurations"_s,
               .selects = "configuration",
               .path = [this](const ChartPane& pane, int, int category) { return sharePath(pane, category); }});
    addCharts("scaling", {.rows = {"scaling"}, .name = u"Throughput per accelerator at other cluster sizes"_s});
    addPicture("pipeline", this, &Self::makePipeline, &Self::fillPipeline);
    addCharts("memory", {.rows = {"memory"}, .name = u"Memory of an accelerator by stage"_s});
    addPicture("front", this, &Self::makeFront, &Self::fillFront);
    addRows("front", {.pictures = {"parallel"}});
    pages()->addPicture("question", u"Why not …?"_s, this, &Self::makeQuestion, &Self::fillQuestion);
    addRows("question", {.pictures = {"answer"}});
    addCharts("sensitivity", {.rows = {"sensitivity"}, .name = u"Speed-up from 10 % more of each resource"_s});
    addCharts("configurations",
              {.rows = {"configurations"}, .name = u"Configurations by outcome (fits, out of memory, pruned)"_s});
}

/// A table of the catalogue of which a row is chosen, and which is always of the same columns.
void PlanView::addTableOf(const std::shared_ptr<report::Table>& table, const char* row, const char* selects) {
    addTable(row, {.model = [table](QObject* owner) { return new TableModel(columns::ofTable(table), owner); },
                   .selects = selects,
                   .rows =
                       [this, row, table] {
                           fillTable(row, *table);
                           return static_cast<int>(table->rows.size());
                       },
                   .empty = toQt(report::kNoPlan)});
}

void PlanView::addDetails() {
    addTableOf(configurations_, "configurations", "configuration");
    addTableOf(stages_, "stages", "stage");
    pages()->addDetails("points", u"All points"_s, this, &PlanView::makePoints, &PlanView::fillFront);
    addRows("points", {.tables = {"front"}});
    pages()->addSentences("why", u"Why this one"_s,
                          [this] { return bench_ == nullptr ? QStringList() : bench_->whySentences(); });
    pages()->addDetails("comparison", u"A against B"_s, this, &PlanView::makeComparison, &PlanView::fillFront);
    addOtherPages();
    for (const char* picture : {"cluster", "step-time", "question", "sensitivity"})
        pages()->pair(picture, "configurations");
    pages()->pair("front", "points");
    for (const char* picture : {"pipeline", "memory"}) pages()->pair(picture, "stages");
}

void PlanView::fillTable(const char* row, report::Table& table) const {
    const report::Selection at = selection();
    const study::RunContext context;
    table = report::tableNamed("plan", row).make({*run().result, at, context});
}

void PlanView::takeRun() {
    chosen_ = configurations() > 0 ? 0 : -1;
    stage_ = 0;
    points_ = nullptr;
    // Columns of a table are those of its first rows.
    fillTable("configurations", *configurations_);
    fillTable("stages", *stages_);
    pages()->pair("scaling", outcome().measured.empty() ? "scaling" : "measured");
    for (const char* picture : {"cluster", "step-time", "scaling", "pipeline", "memory", "front", "sensitivity"})
        pages()->setPageShown(QLatin1String(picture), chosen_ >= 0);
    if (chosen_ < 0) pages()->openTab(u"configurations"_s);
    showDifference();
}

void PlanView::refresh() {
    RunView::refresh();
    showDifference();
}

void PlanView::choose(int configuration) {
    if (std::exchange(chosen_, configuration) == configuration) return;
    stage_ = 0;
    refresh();
}

QString PlanView::label(int configuration) const {
    return toQt(report::planLabel(outcome().configurations[static_cast<std::size_t>(configuration)].configuration));
}

/// By how much the chosen configuration is worse than the best, beside its name.
void PlanView::showDifference() {
    setLook(*against_, "tone", u"secondary"_s);
    QStringList parts;
    for (std::size_t column = 0; chosen_ > 0 && column < configurations_->columns.size(); ++column)
        if (const std::string& title = configurations_->columns[column].title;
            title == "against best" || title == "mostly for")
            parts << toQt(configurations_->rows[static_cast<std::size_t>(chosen_)][column]);
    parts.removeAll(QString());
    if (!parts.isEmpty()) parts.front() += u" against the best"_s;
    against_->setText(parts.join(u", mostly for "_s));
    against_->setVisible(!parts.isEmpty());
}

Facts PlanView::facts(int configuration) {
    if (configuration < 0 || static_cast<std::size_t>(configuration) >= configurations_->rows.size()) return {};
    Facts facts = columns::rowFacts(*configurations_, configuration);
    facts.title = label(configuration);
    facts.subtitle = u"Configuration %1 of %2"_s.arg(configuration + 1).arg(configurations());
    facts.icon = u"plan"_s;
    const report::Selection at = report::selectionOf(*run().result, std::to_string(configuration + 1));
    for (const Exportable& each : exports::files(run().result, at))
        facts.actions.append({.title = u"Write for %1…"_s.arg(each.fileTitle),
                              .icon = u"export"_s,
                              .run = [this, each] { askAndExport(*this, each, each.fileSuffix); }});
    return facts;
}

Facts PlanView::stageFacts(int stage) const {
    Facts facts = columns::rowFacts(*stages_, stage);
    facts.title = u"Stage %1"_s.arg(stage + 1);
    facts.subtitle = label(chosen_);
    facts.icon = u"plan"_s;
    return facts;
}

/// The bars are the list of configurations, of which the best one's numbers are explained.
QString PlanView::sharePath(const ChartPane& pane, int category) const {
    return category == 0 && pane.current() == 0 ? u"step_time_s"_s : QString();
}

QVector<Headline> PlanView::headlines() const {
    QVector<Headline> headlines;
    const plan::Evaluated* best = outcome().best();
    if (best == nullptr) return {{.value = u"Nothing fits"_s, .label = {}}};
    const std::vector<study::Metric> metrics = study::metricsOf(*run().result);
    const auto textOf = [&](std::string_view name) {
        const auto found =
            std::find_if(metrics.begin(), metrics.end(), [&](const auto& metric) { return metric.name == name; });
        return found == metrics.end() ? QString() : toQt(study::textOf(*found));
    };
    const bool isCheapest = outcome().goal() == plan::Objective::price;
    const auto money = [&](std::string_view name) {
        const auto found =
            std::find_if(metrics.begin(), metrics.end(), [&](const auto& metric) { return metric.name == name; });
        if (found == metrics.end()) return;
        const auto textAt = [&](double seconds) {
            study::Metric its = *found;
            its.value *= seconds / best->scores.of(plan::Objective::time);
            return toQt(study::textOf(its));
        };
        headlines.append({.value = toQt(study::textOf(*found)),
                          .label = outcome().tokens ? u"to train"_s : u"a step"_s,
                          .detail = u"%1 to %2"_s.arg(textAt(best->low), textAt(best->high)),
                          .help = u"Of the best configuration; 90 % of measured runs lie between these"_s,
                          .explain = explanationOf(std::string(name))});
    };
    if (isCheapest) money(outcome().tokens ? "training_usd" : "price_usd");
    headlines.append({.value = textOf("step_time_s"),
                      .label = u"per step"_s,
                      .detail = u"%1 to %2"_s.arg(columns::quantity(best->low, Measure::seconds),
                                                  columns::quantity(best->high, Measure::seconds)),
                      .help = u"Of the best configuration; 90 % of measured runs lie between these"_s,
                      .explain = explanationOf("step_time_s")});
    const std::string rate = outcome().hasTokens() ? "tokens_per_s" : "samples_per_s";
    headlines.append({.value = textOf(rate),
                      .label = {},
                      .detail = u"%1 MFU"_s.arg(textOf("model_flops_utilisation")),
                      .help = u"FLOP of the model over what the accelerators in use can do"_s,
                      .explain = explanationOf(rate)});
    const bool proven = outcome().ended == EndedBy::proof;
    // As the label: details are what is left out first where there is little room.
    headlines.append({.value = {},
                      .label = proven ? u"proven best"_s : u"best so far"_s,
                      .detail = u"of %1"_s.arg(countText(outcome().counted.all)),
                      .help = u"Every configuration was evaluated, or pruned by memory or a lower bound"_s,
                      .explain = explanationOf("configurations")});
    if (const auto training = outcome().trainingSeconds()) {
        constexpr double kDay = 86400;
        const QString price = textOf("training_usd");
        headlines.append({.value = u"%1 days"_s.arg(toQt(study::uncertainText(*training / kDay))),
                          .label = price.isEmpty() || isCheapest ? u"to train"_s : u"to train, %1"_s.arg(price),
                          .help = u"To train on %1 tokens"_s.arg(countText(*outcome().tokens)),
                          .explain = explanationOf("training_s")});
    }
    return headlines;
}

/// Why nothing fits, or not what is asked about.
void PlanView::showNote() {
    if (const QString misfit = toQt(study::planMisfit(outcome())); !misfit.isEmpty())
        note()->showMessage(MessageBar::Kind::warning,
                            misfit.front().toUpper() + shownText(misfit.mid(1).toStdString(), 1000) + u'.');
}

QWidget* PlanView::makeCluster() {
    cluster_ = new DrawingView;
    cluster_->setAccessibleName(u"Stages on the nodes of the fleet"_s);
    colours_ = new QButtonGroup(this);
    auto* bar = new QWidget;
    auto* row = bareLayout<QHBoxLayout>(bar, theme().spacing());
    for (const auto& [title, id] : {std::pair(u"By memory"_s, 0), std::pair(u"By time"_s, 1)}) {
        QToolButton* button = toggle(title);
        colours_->addButton(button, id);
        row->addWidget(button);
    }
    row->addStretch();
    connect(colours_, &QButtonGroup::idClicked, this, [this](int id) { select(u"colour"_s, id); });
    return vSplit(bar, scrolled(cluster_));
}

void PlanView::fillCluster() {
    colours_->button(static_cast<int>(colour_))->setChecked(true);
    cluster_->setDrawing(
        fileStem(shownText(outcome().model) + u"-cluster"_s),
        [result = run().result, rank = choice(), colour = colour_](double width, const report::TextWidth& measure) {
            return report::planClusterDrawing(result->outcome.get<PlanOutcome>(), rank, colour, width, measure);
        });
}

QWidget* PlanView::makePipeline() {
    pipeline_ = new GanttView;
    pipeline_->setAccessibleName(u"Passes of the micro-batches by stage"_s);
    pipeline_->setNotesVisible(false);
    pipelineNotes_ = sentences();
    setLook(*pipelineNotes_, "tone", u"secondary"_s);
    return vSplit(pipelineNotes_, pipeline_);
}

void PlanView::fillPipeline() {
    pages()->prepare(maker<Timeline>("pipeline"), [this](Timeline its) {
        QStringList notes;
        for (const std::string& note : its.notes) notes << shownText(note);
        pipelineNotes_->setText(notes.join(QLatin1Char(' ')));
        pipeline_->setTimeline(std::move(its));
    });
}

Workbench& PlanView::theBench() {
    if (bench_ != nullptr) return *bench_;
    bench_ = new Workbench(undo_, pages()->pictures());
    bench_->setEmptyTexts(toQt(report::kNoPlan), u"No configuration lies in all brushes."_s);
    bench_->plot()->setAccessibleName(u"Configurations in two values"_s);
    bench_->parallel()->setAccessibleName(u"Configurations in all values"_s);
    // Of what the bench shows: until it is looked at, that is the run before.
    bench_->setExtras(
        [this](std::size_t x, std::size_t y) { return report::planExtras(bench_->selection().table(), x, y); });
    bench_->addToolForShown(u"Plan these"_s, u"plan"_s,
                            u"Re-plans within the parameter values of the shown configurations"_s,
                            [this] { emit runRequested(toQt(studyOfShown()())); });
    bench_->setStudyOfShown([this] { return studyOfShown(); });
    connect(&bench_->selection(), &PointSelection::chosenChanged, this, [this](int point) {
        if (point < 0 || showing_ || bench_->selection().shared() != points_) return;
        if (point < configurations())
            select(u"configuration"_s, point);
        else
            askAbout(toQt(points_->names.at(static_cast<std::size_t>(point))));
    });
    connect(bench_, &Workbench::whyChanged, this, [this] { pages()->details()->refresh({u"why"_s}); });
    return *bench_;
}

/// At first the two values of the study's front.
void PlanView::fillFront() {
    const bool first = bench_->selection().size() == 0;
    if (points_ == nullptr) {
        points_ = std::make_shared<const explore::PointTable>(report::pointTable(outcome()));
        bench_->setPoints(points_);
        marked_ = -1;
        if (first)
            bench_->scatter()->setAxes(toQt(plan::kObjectiveNames.of(outcome().frontOf.second)),
                                       toQt(plan::kObjectiveNames.of(outcome().frontOf.first)));
    }
    // Another point of the bench stays chosen while another page is opened.
    if (std::exchange(marked_, chosen_) == chosen_) return;
    showing_ = true;
    bench_->selection().choose(chosen_);
    showing_ = false;
}

/// A configuration that is not in the list: what it costs, the question's page says.
void PlanView::askAbout(const QString& configuration) {
    inspect({.title = shownText(configuration.toStdString()),
             .subtitle = u"On the front, but not among the best"_s,
             .icon = u"plan"_s,
             .actions = {{.title = u"Why not this one?"_s, .icon = u"search"_s, .run = [this, configuration] {
                              pages()->openTab(u"question"_s);
                              if (question_ != nullptr) question_->ask(configuration);
                          }}}});
}

QJsonObject PlanView::saveView() const {
    QJsonObject view = RunView::saveView();
    if (bench_ != nullptr) view["points"_L1] = bench_->saveState();
    if (question_ != nullptr && !question_->question().isEmpty()) view["question"_L1] = question_->question();
    return view;
}

void PlanView::restoreView(const QJsonObject& view) {
    RunView::restoreView(view);
    if (const QJsonObject state = view.value("points"_L1).toObject(); !state.isEmpty() && chosen_ >= 0) {
        theBench();
        fillFront();
        bench_->restoreState(state);
    } else if (bench_ != nullptr && chosen_ >= 0) {  // as views of older versions say it
        bench_->scatter()->setAxes(view.value("x"_L1).toString(), view.value("y"_L1).toString());
    }
    if (question_ != nullptr) question_->ask(view.value("question"_L1).toString());
}

}  // namespace

RunView* newPlanView(QUndoStack* undo, QWidget* parent) {
    return new PlanView(undo, parent);
}

}  // namespace tessera::ui
