#include "ui/views/runs/codesign_tabs.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QToolButton>
#include <utility>

#include "core/report/codesign_pictures.h"
#include "core/study/codesign/timeline.h"
#include "ui/models/codesign_tables.h"
#include "ui/models/partition_run.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/plot/drawing_view.h"
#include "ui/views/plot/gantt_view.h"
#include "ui/views/plot/plot_widget.h"
#include "ui/views/runs/codesign_explorer.h"
#include "ui/views/runs/partition_panes.h"
#include "ui/views/runs/result_exports.h"
#include "ui/views/table_view.h"

namespace tessera::ui {

namespace {

constexpr std::string_view kCodesignEngine = "codesign";

}  // namespace

struct CodesignTabs::Implementation {
    CodesignTabs* tabs = nullptr;
    SharedCodesignChoice choice;

    CodesignExplorer* explorer = nullptr;
    DrawingView* placement = nullptr;
    GanttView* pipeline = nullptr;
    GanttView* operators = nullptr;
    QLabel *pipelineNotes = nullptr, *operatorNotes = nullptr;
    QButtonGroup* phases = nullptr;

    const codesign::ModelResult& model() const { return choice->run.model(choice->model); }
    bool hasModel() const { return choice->model < choice->run.modelCount(); }

    static QLabel* notes() {
        QLabel* label = sentences();
        setLook(*label, "tone", QStringLiteral("secondary"));
        return label;
    }
    static void say(QLabel& label, const std::vector<std::string>& lines) {
        QStringList texts;
        for (const std::string& line : lines) texts << shownText(line);
        label.setText(texts.join(QLatin1Char('\n')));
        label.setVisible(!texts.isEmpty());
    }

    // ---- architectures ----

    CodesignExplorer& theExplorer() {
        if (explorer != nullptr) return *explorer;
        explorer = new CodesignExplorer(choice, tabs->pictures());
        connect(explorer, &CodesignExplorer::rowChosen, tabs, &CodesignTabs::rowChosen);
        connect(explorer, &CodesignExplorer::pinRequested, tabs, &CodesignTabs::pinRequested);
        connect(explorer, &CodesignExplorer::othersWanted, tabs, &CodesignTabs::othersWanted);
        return *explorer;
    }
    QWidget* makeExplorer() { return &theExplorer(); }
    void fillExplorer() { explorer->refresh(); }  // NOLINT(readability-make-member-function-const): one of a row
    QWidget* makeArchitectures() { return theExplorer().table(); }
    void fillArchitectures() {}  // the pictures and their brush do

    // ---- placement ----

    QWidget* makePlacement() {
        placement = new DrawingView;
        placement->setAccessibleName(tr("Placement"));
        return scrolled(placement);
    }
    void fillPlacement() {
        if (!hasModel()) return;
        placement->setDrawing(
            fileStem(choice->run.modelTitle(choice->model) + QStringLiteral("-placement")),
            [run = choice->run, index = choice->model](double width, const report::TextWidth& measure) {
                return report::placementDrawing(run.model(index), width, measure);
            });
    }

    // ---- schedules ----

    QWidget* makePipeline() {
        pipeline = new GanttView;
        pipeline->setNotesVisible(false);  // they stand above it
        pipelineNotes = notes();
        return vSplit(pipelineNotes, pipeline);
    }
    void fillPipeline() {
        if (!hasModel()) return pipeline->setTimeline({});
        tabs->prepare(
            [run = choice->run, index = choice->model] {
                const codesign::ModelResult& its = run.model(index);
                return its.feasible ? study::pipelineTimeline(run.outcome(), its.model) : Timeline();
            },
            [this](Timeline timeline) {
                say(*pipelineNotes, timeline.notes);
                pipeline->setTimeline(std::move(timeline));
            });
    }

    QWidget* makeOperators() {
        operators = new GanttView;
        operators->setNotesVisible(false);
        operatorNotes = notes();
        phases = new QButtonGroup(tabs);
        auto* bar = new QWidget;
        auto* row = new QHBoxLayout(bar);
        row->setContentsMargins(0, 0, 0, 0);
        row->setSpacing(theme().spacing());
        for (const auto& [title, id] : {std::pair(tr("Forward pass"), 0), std::pair(tr("Backward pass"), 1)}) {
            auto* button = new QToolButton;
            button->setText(title);
            button->setCheckable(true);
            button->setAutoRaise(true);
            button->setChecked(id == 0);
            phases->addButton(button, id);
            row->addWidget(button);
        }
        row->addSpacing(theme().spacing(2));
        row->addWidget(operatorNotes, 1);
        row->addStretch();
        connect(phases, &QButtonGroup::idClicked, tabs, [this](int id) {
            choice->backward = id == 1;
            fillOperators();
        });
        return vSplit(bar, operators);
    }
    void fillOperators() {
        if (QAbstractButton* button = phases->button(choice->backward ? 1 : 0)) button->setChecked(true);
        if (!hasModel()) return operators->setTimeline({});
        tabs->prepare([run = choice->run, index = choice->model,
                       backward = choice->backward] { return report::operatorTimeline(run.model(index), backward); },
                      [this](Timeline timeline) {
                          say(*operatorNotes, timeline.notes);
                          operators->setTimeline(std::move(timeline));
                      });
    }
};

CodesignTabs::CodesignTabs(SharedCodesignChoice choice, QWidget* parent) : RunPages(parent), d_(new Implementation) {
    d_->tabs = this;
    d_->choice = std::move(choice);
    Implementation* d = d_.get();
    using I = Implementation;
    addPicture("architectures", tr("Architectures"), d, &I::makeExplorer, &I::fillExplorer);
    addCharts("exploration", exports::title(kCodesignEngine, "exploration"),
              {.titles = exports::titles(kCodesignEngine, {"exploration", "exploration-by-area"}),
               .name = tr("How the search went"),
               .work = [d] {
                   return [run = d->choice->run] {
                       return std::vector{report::explorationChart(run.result(), false),
                                          report::explorationChart(run.result(), true)};
                   };
               }});
    addCharts(
        "models", tr("Models"),
        {.name = tr("Throughput over the reference"),
         .work = [d] { return [run = d->choice->run] { return std::vector{report::speedupChart(run.result())}; }; },
         .clicked =
             [this, d](const ChartPane&, int, int category) {
                 if (category >= 0 && category < d->choice->run.modelCount()) emit modelChosen(category);
             }});
    addPicture("placement", exports::title(kCodesignEngine, "placement"), d, &I::makePlacement, &I::fillPlacement);
    addPicture("pipeline", exports::title(kCodesignEngine, "pipeline"), d, &I::makePipeline, &I::fillPipeline);
    addPicture("operators", exports::title(kCodesignEngine, "operators"), d, &I::makeOperators, &I::fillOperators);
    addCharts("parts", tr("Time, memory, area"),
              {.titles = exports::titles(kCodesignEngine, {"model-time", "batch-time", "stage-memory", "area"}),
               .name = tr("What it consists of"),
               .work = [d] {
                   return [run = d->choice->run, index = d->choice->model] {
                       if (index >= run.modelCount()) return std::vector<report::Chart>();
                       return std::vector{report::timeChart(run.result(), static_cast<std::size_t>(index)),
                                          report::timeShareChart(run.result()),
                                          report::stageMemoryChart(run.model(index)),
                                          report::areaPartsChart(run.result())};
                   };
               }});
    addDetails("architectures", tr("Architectures"), d, &I::makeArchitectures, &I::fillArchitectures);
    addTable("models", tr("Models"),
             {.model = [d](QObject* owner) { return placedModelTableModel(d->choice, owner); },
              .rows = [d] { return d->choice->run.modelCount(); },
              .current = [d] { return d->choice->model; },
              .chosen = [this](int model) { emit modelChosen(model); }});
    addTable(
        "placement", tr("Stages"),
        {.model = [d](QObject* owner) { return stageTableModel(d->choice, owner); },
         .rows = [d] { return d->hasModel() && d->model().feasible ? static_cast<int>(d->model().stages.size()) : 0; },
         .empty = tr("This model fits no accelerator of the search, so it has no stages.")});
    addAssumptions([d]() -> const study::Result& { return d->choice->run.whole(); });
    pair("exploration", "architectures");
    pair("parts", "models");
    for (const char* picture : {"pipeline", "operators"}) pair(picture, "placement");
}

CodesignTabs::~CodesignTabs() = default;

CodesignExplorer* CodesignTabs::explorer() const {
    return d_->explorer;
}

void CodesignTabs::showRow() {
    if (d_->explorer != nullptr) d_->explorer->showChoice();
}

QVector<Exportable> CodesignTabs::exportables() const {
    return d_->explorer == nullptr ? QVector<Exportable>() : QVector<Exportable>{d_->explorer->table()->exportable()};
}

}  // namespace tessera::ui
