#include <QButtonGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QToolButton>
#include <filesystem>
#include <utility>

#include "core/report/codesign_pictures.h"
#include "core/store/store.h"
#include "core/study/codesign/metrics.h"
#include "core/study/metric.h"
#include "ui/models/codesign_facts.h"
#include "ui/models/codesign_tables.h"
#include "ui/models/table_columns.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/message_bar.h"
#include "ui/views/plot/drawing_view.h"
#include "ui/views/plot/gantt_view.h"
#include "ui/views/runs/codesign_explorer.h"
#include "ui/views/runs/run_view.h"
#include "ui/views/table_view.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr int kMaxOthers = 20;

/// A timeline whose notes stand above it.
struct NotedTimeline {
    GanttView* view = nullptr;
    QLabel* notes = nullptr;

    void make() {
        view = new GanttView;
        view->setNotesVisible(false);
        notes = sentences();
        setLook(*notes, "tone", u"secondary"_s);
    }
    void show(Timeline timeline) const {
        QStringList lines;
        for (const std::string& line : timeline.notes) lines << shownText(line);
        notes->setText(lines.join(QLatin1Char('\n')));
        notes->setVisible(!lines.isEmpty());
        view->setTimeline(std::move(timeline));
    }
};

/// A finished co-design search: headline, models, and tabs that begin with its architectures. One choice of
/// architecture and model is shared by all its parts.
class CodesignView : public RunView {
public:
    explicit CodesignView(QWidget* parent) : RunView("codesign", parent) {
        addSelectables();
        addPages();
        addPictures();
        addDetails();
    }

protected:
    void takeRun() override;
    void refresh() override;
    QVector<Headline> headlines() const override;
    void showNote() override;
    report::Selection selection() const override { return choice_->selection(); }
    /// Of what the run alone does not decide: brushed tables.
    QVector<Exportable> ownExports() const override {
        return explorer_ == nullptr ? QVector<Exportable>() : QVector<Exportable>{explorer_->table()->exportable()};
    }

private:
    void addSelectables();
    void addAxis(const char* id, QString (CodesignExplorer::*axis)() const);
    void addPictures();
    void addDetails();
    ChoiceBar::Choice model(int index) const;
    void showRow() const {
        if (explorer_ != nullptr) explorer_->showChoice();
    }
    void findOthers();
    void layOver(const QVector<qint64>& runs);

    CodesignExplorer& theExplorer();
    QWidget* makeExplorer() { return &theExplorer(); }
    void fillExplorer() { explorer_->refresh(); }
    QWidget* makeArchitectures() { return theExplorer().table(); }
    void fillArchitectures() {}  // the pictures and their brush do
    QWidget* makePlacement();
    void fillPlacement();
    QWidget* makePipeline() {
        pipeline_.make();
        return vSplit(pipeline_.notes, pipeline_.view);
    }
    void fillPipeline() {
        pages()->prepare(maker<Timeline>("pipeline"), [this](Timeline its) { pipeline_.show(std::move(its)); });
    }
    QWidget* makeOperators();
    void fillOperators();

    SharedCodesignChoice choice_ = std::make_shared<CodesignChoice>();
    CodesignExplorer* explorer_ = nullptr;
    DrawingView* placement_ = nullptr;
    NotedTimeline pipeline_, operators_;
    QButtonGroup* phases_ = nullptr;
};

void CodesignView::addSelectables() {
    const CodesignRun& its = choice_->run;
    addAxis("x", &CodesignExplorer::xAxis);
    addAxis("y", &CodesignExplorer::yAxis);
    addSelectable({.id = "pinned",
                   .count = [&its] { return its.rowCount(); },
                   .current = [this] { return choice_->pinned; },
                   .choose =
                       [this](int row) {
                           choice_->pinned = row;
                           showRow();
                       },
                   .facts =
                       [this](int) {
                           const int row = choice_->row;
                           return row < 0 ? Facts() : architectureFacts(*choice_, row);
                       },
                   .name = [&its](int row) { return its.architecture(row); },
                   .optional = true});
    addSelectable({.id = "architecture",
                   .count = [&its] { return its.rowCount(); },
                   .current = [this] { return choice_->row; },
                   .choose =
                       [this](int row) {
                           choice_->row = row;
                           showRow();
                       },
                   .facts = [this](int row) { return architectureFacts(*choice_, row); },
                   .name = [&its](int row) { return its.architecture(row); }});
    addSelectable({.id = "model",
                   .count = [&its] { return its.modelCount(); },
                   .current = [this] { return choice_->model; },
                   .choose =
                       [this](int index) {
                           if (std::exchange(choice_->model, index) != index) pages()->refresh();
                       },
                   .facts = [this](int index) { return placedModelFacts(*choice_, index); },
                   .bar = u"Models"_s,
                   .choice = [this](int index) { return model(index); }});
}

/// What an axis of the scatter shows, once that was seen.
void CodesignView::addAxis(const char* id, QString (CodesignExplorer::*axis)() const) {
    const auto name = [this](int index) { return toQt(choice_->run.values().at(static_cast<std::size_t>(index)).id); };
    const auto count = [this] { return static_cast<int>(choice_->run.values().size()); };
    addSelectable({.id = id,
                   .count = count,
                   .current =
                       [this, axis, name, count] {
                           int index = explorer_ == nullptr ? -1 : count() - 1;
                           while (index >= 0 && name(index) != (explorer_->*axis)()) --index;
                           return index;
                       },
                   .choose =
                       [this, id, name](int index) {
                           if (explorer_ == nullptr) return;
                           const bool isX = QLatin1String(id) == QLatin1String("x");
                           explorer_->setAxes(isX ? name(index) : QString(), isX ? QString() : name(index));
                       },
                   .name = name});
}

void CodesignView::addPictures() {
    using Self = CodesignView;
    pages()->addPicture("architectures", u"Architectures"_s, this, &Self::makeExplorer, &Self::fillExplorer);
    addCharts("exploration", titleOf("exploration"),
              {.rows = {"exploration", "exploration-by-area"}, .name = u"How the search went"_s});
    addCharts("models", u"Models"_s,
              {.rows = {"speedup"}, .name = u"Throughput over the reference"_s, .selects = "model"});
    pages()->addPicture("placement", titleOf("placement"), this, &Self::makePlacement, &Self::fillPlacement);
    pages()->addPicture("pipeline", titleOf("pipeline"), this, &Self::makePipeline, &Self::fillPipeline);
    pages()->addPicture("operators", titleOf("operators"), this, &Self::makeOperators, &Self::fillOperators);
    addCharts("parts", u"Time, memory, area"_s,
              {.rows = {"model-time", "batch-time", "stage-memory", "area"}, .name = u"What it consists of"_s});
}

void CodesignView::addDetails() {
    using Self = CodesignView;
    pages()->addDetails("architectures", u"Architectures"_s, this, &Self::makeArchitectures, &Self::fillArchitectures);
    addTable("models", u"Models"_s,
             {.model = [this](QObject* owner) { return placedModelTableModel(choice_, owner); }, .selects = "model"});
    addTable("placement", u"Stages"_s,
             {.model = [this](QObject* owner) { return stageTableModel(choice_, owner); },
              .rows =
                  [this] {
                      if (choice_->model >= choice_->run.modelCount()) return 0;
                      const codesign::ModelResult& its = choice_->run.model(choice_->model);
                      return its.feasible ? static_cast<int>(its.stages.size()) : 0;
                  },
              .empty = u"This model fits no accelerator of the search, so it has no stages."_s});
    pages()->addAssumptions([this]() -> const study::Result& { return choice_->run.whole(); });
    pages()->pair("exploration", "architectures");
    pages()->pair("parts", "models");
    for (const char* picture : {"pipeline", "operators"}) pages()->pair(picture, "placement");
}

CodesignExplorer& CodesignView::theExplorer() {
    if (explorer_ != nullptr) return *explorer_;
    explorer_ = new CodesignExplorer(choice_, pages()->pictures());
    connect(explorer_, &CodesignExplorer::rowChosen, this, [this](int row) { select(u"architecture"_s, row); });
    connect(explorer_, &CodesignExplorer::pinRequested, this, [this](int row) { select(u"pinned"_s, row); });
    connect(explorer_, &CodesignExplorer::othersWanted, this, &CodesignView::layOver);
    return *explorer_;
}

QWidget* CodesignView::makePlacement() {
    placement_ = new DrawingView;
    placement_->setAccessibleName(u"Placement"_s);
    return scrolled(placement_);
}

void CodesignView::fillPlacement() {
    if (choice_->model >= choice_->run.modelCount()) return;
    placement_->setDrawing(
        fileStem(choice_->run.modelTitle(choice_->model) + u"-placement"_s),
        [its = choice_->run, index = choice_->model](double width, const report::TextWidth& measure) {
            return report::placementDrawing(its.model(index), width, measure);
        });
}

QWidget* CodesignView::makeOperators() {
    operators_.make();
    phases_ = new QButtonGroup(this);
    auto* bar = new QWidget;
    auto* row = bareLayout<QHBoxLayout>(bar, theme().spacing());
    for (const auto& [title, id] : {std::pair(u"Forward pass"_s, 0), std::pair(u"Backward pass"_s, 1)}) {
        QToolButton* button = toggle(title);
        phases_->addButton(button, id);
        row->addWidget(button);
    }
    row->addSpacing(theme().spacing(2));
    row->addWidget(operators_.notes, 1);
    row->addStretch();
    connect(phases_, &QButtonGroup::idClicked, this, [this](int id) {
        choice_->backward = id == 1;
        fillOperators();
    });
    return vSplit(bar, operators_.view);
}

void CodesignView::fillOperators() {
    phases_->button(choice_->backward ? 1 : 0)->setChecked(true);
    pages()->prepare(maker<Timeline>(choice_->backward ? "operators-backward" : "operators"),
                     [this](Timeline its) { operators_.show(std::move(its)); });
}

void CodesignView::takeRun() {
    const CodesignRun its(run().result);
    *choice_ = CodesignChoice{.run = its, .row = its.bestRow()};
    for (int row = 0; row < its.rowCount(); ++row) choice_->visible.push_back(row);
}

void CodesignView::refresh() {
    RunView::refresh();
    findOthers();
}

/// Other searches of the history, the newest ones.
void CodesignView::findOthers() {
    if (explorer_ == nullptr) return;
    explorer_->offerOthers({});
    if (run().history.empty()) return;
    using Others = QVector<CodesignExplorer::OtherRun>;
    const auto find = [from = run().history, own = run().kept, engine = run().result->study.engine] {
        Others found;
        const store::Store opened = store::Store::open(from, store::OpenMode::readOnly);
        const store::HistoryQuery query{.engine = engine, .status = store::RunStatus::done};
        for (const store::RunRow& row : opened.query(query, kMaxOthers + 1))
            if (row.id != own && found.size() < kMaxOthers)
                found.append({row.id, u"%1 · %2"_s.arg(shownText(row.name), shownText(row.headline))});
        return found;
    };
    later(find, [this](const Others& found) { explorer_->offerOthers(found); });
}

void CodesignView::layOver(const QVector<qint64>& runs) {
    using Fronts = std::vector<report::OtherFront>;
    const auto read = [from = run().history, runs] {
        Fronts fronts;
        const store::Store opened = store::Store::open(from, store::OpenMode::readOnly);
        for (const qint64 id : runs)
            if (const std::optional<study::Result> result = opened.result(id))
                if (const auto* outcome = result->outcome.as<study::CodesignOutcome>())
                    fronts.push_back({.name = u"Run %1"_s.arg(id).toStdString(), .points = outcome->result.front});
        return fronts;
    };
    later(read, [this](const Fronts& fronts) { explorer_->setOthers(fronts); });
}

ChoiceBar::Choice CodesignView::model(int index) const {
    return {.title = choice_->run.modelTitle(index),
            .help = choice_->run.model(index).feasible ? u"Show how this model is placed and scheduled"_s
                                                       : u"This model does not fit"_s};
}

QVector<Headline> CodesignView::headlines() const {
    const codesign::Result& result = choice_->run.result();
    QVector<Headline> headlines;
    if (result.best) {
        const report::PointValue& objective = *choice_->run.value(u"objective"_s);
        const bool rate = result.options.objective == codesign::Objective::mean || !result.space.reference;
        headlines.append({.value = toQt(report::textOf(objective, *result.best)),
                          .label = rate ? u"throughput"_s : u"over %1"_s.arg(shownText(result.space.reference->name)),
                          .detail = result.endedBy == EndedBy::stop ? u"stopped"_s : toQt(study::certaintyText(result)),
                          .tone = result.optimal ? u"good"_s : QString(),
                          .help = toQt(objective.help),
                          .explain = explanationOf("objective")});
        const double share = result.areaBound.value > 0 ? result.best->area.value / result.areaBound.value : 0;
        headlines.append({.value = columns::quantity(result.best->area.value, Measure::area),
                          .label = u"area"_s,
                          .detail = u"%1 of the limit"_s.arg(toQt(study::percentText(share))),
                          .help = choice_->run.architecture(choice_->run.bestRow()),
                          .explain = explanationOf("area_mm2")});
        headlines.append({.value = toQt(study::percentText(result.best->mfu)),
                          .label = u"utilisation"_s,
                          .help = u"Model FLOPs over those of all tensor cores, mean over the models"_s,
                          .explain = explanationOf("mean_mfu")});
    }
    const double looked =
        result.points > 0 ? static_cast<double>(result.explored) / static_cast<double>(result.points) : 0;
    headlines.append({.value = columns::count(static_cast<double>(result.explored)),
                      .label = u"points evaluated"_s,
                      .detail = u"%1 of %2"_s.arg(toQt(study::percentText(looked)),
                                                  columns::count(static_cast<double>(result.points))),
                      .help = u"Bounds ruled the others out, or the search did not reach them"_s,
                      .explain = explanationOf("explored_points")});
    return headlines;
}

/// Which models are left out, or that nothing fits at all.
void CodesignView::showNote() {
    QStringList unfit;
    for (int index = 0; index < choice_->run.modelCount(); ++index)
        if (!choice_->run.model(index).feasible) unfit << choice_->run.modelTitle(index);
    if (!choice_->run.result().best)
        note()->showMessage(MessageBar::Kind::warning,
                            u"No accelerator of the template runs every model. The tab of the models says why."_s);
    else if (!unfit.isEmpty())
        note()->showMessage(MessageBar::Kind::warning, u"%1 does not fit."_s.arg(unfit.join(u", "_s)));
}

}  // namespace

RunView* newCodesignView(QUndoStack* /*undo*/, QWidget* parent) {
    return new CodesignView(parent);
}

}  // namespace tessera::ui
