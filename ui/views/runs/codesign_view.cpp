#include <QButtonGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
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
#include "ui/views/plot/parallel_view.h"
#include "ui/views/runs/run_view.h"
#include "ui/views/table_view.h"
#include "ui/views/workbench/point_list.h"
#include "ui/views/workbench/workbench.h"

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
    CodesignView(QUndoStack* undo, QWidget* parent) : RunView("codesign", parent), undo_(undo) {
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
    /// Of what the run alone does not decide: what is brushed, and how pictures are looked at.
    QVector<Exportable> ownExports() const override {
        return bench_ == nullptr ? QVector<Exportable>() : bench_->exportables();
    }
    QJsonObject saveView() const override;
    void restoreView(const QJsonObject& view) override;

private:
    /// Another search: its number in the history and its title.
    struct OtherRun {
        qint64 id = 0;
        QString title;
    };
    void addSelectables();
    void addPictures();
    void addDetails();
    ChoiceBar::Choice model(int index) const;
    void showRow() const;
    void findOthers();
    void offerOthers(const QVector<OtherRun>& runs);
    void layOver();

    Workbench& theBench();
    QWidget* makeBench() { return &theBench(); }
    void fillBench();
    QWidget* makeArchitectures() { return theBench().list(); }
    QWidget* makeComparison() { return theBench().comparison(); }
    void fillArchitectures() { fillBench(); }
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
    QUndoStack* undo_;
    Workbench* bench_ = nullptr;
    QToolButton* overlay_ = nullptr;
    std::vector<report::OtherFront> others_;
    DrawingView* placement_ = nullptr;
    NotedTimeline pipeline_, operators_;
    QButtonGroup* phases_ = nullptr;
};

void CodesignView::addSelectables() {
    const CodesignRun& its = choice_->run;
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
                           if (std::exchange(choice_->model, index) != index) RunView::refresh();
                       },
                   .facts = [this](int index) { return placedModelFacts(*choice_, index); },
                   .bar = u"Models"_s,
                   .choice = [this](int index) { return model(index); }});
}

void CodesignView::addPictures() {
    using Self = CodesignView;
    pages()->addPicture("architectures", u"Architectures"_s, this, &Self::makeBench, &Self::fillBench);
    addRows("architectures", {.pictures = {"pareto", "parallel"}, .tables = {"front"}});
    addCharts("exploration", {.rows = {"exploration", "exploration-by-area"}, .name = u"How the search went"_s});
    addRows("exploration", {.tables = {"exploration"}});
    addCharts("speedup", {.rows = {"speedup"}, .name = u"Throughput over the reference"_s, .selects = "model"});
    addPicture("placement", this, &Self::makePlacement, &Self::fillPlacement);
    addPicture("pipeline", this, &Self::makePipeline, &Self::fillPipeline);
    addPicture("operators", this, &Self::makeOperators, &Self::fillOperators);
    addRows("operators", {.pictures = {"operators-backward"}});
    addCharts("parts", {.rows = {"model-time", "batch-time", "stage-memory", "area"},
                        .title = u"Time, memory, area"_s,
                        .name = u"What it consists of"_s});
    addRows("parts", {.tables = {"batch-time"}});
}

void CodesignView::addDetails() {
    using Self = CodesignView;
    pages()->addDetails("architectures", u"Architectures"_s, this, &Self::makeArchitectures, &Self::fillArchitectures);
    addRows("architectures", {.tables = {"architectures"}});
    pages()->addSentences("why", u"Why this one"_s,
                          [this] { return bench_ == nullptr ? QStringList() : bench_->whySentences(); });
    pages()->addDetails("comparison", u"A against B"_s, this, &Self::makeComparison, &Self::fillArchitectures);
    addTable("models",
             {.model = [this](QObject* owner) { return placedModelTableModel(choice_, owner); }, .selects = "model"});
    addTable("stages", {.model = [this](QObject* owner) { return stageTableModel(choice_, owner); },
                        .rows =
                            [this] {
                                if (choice_->model >= choice_->run.modelCount()) return 0;
                                const codesign::ModelResult& its = choice_->run.model(choice_->model);
                                return its.feasible ? static_cast<int>(its.stages.size()) : 0;
                            },
                        .empty = u"This model fits no accelerator of the search, so it has no stages."_s});
    addOtherPages();
    pages()->pair("exploration", "architectures");
    for (const char* picture : {"speedup", "parts"}) pages()->pair(picture, "models");
    for (const char* picture : {"placement", "pipeline", "operators"}) pages()->pair(picture, "stages");
}

Workbench& CodesignView::theBench() {
    if (bench_ != nullptr) return *bench_;
    bench_ = new Workbench(undo_, pages()->pictures());
    bench_->setEmptyTexts(u"No architecture of the search runs every model."_s,
                          u"No architecture lies in all brushes."_s);
    bench_->plot()->setAccessibleName(u"Architectures in two values"_s);
    bench_->parallel()->setAccessibleName(u"Architectures in all values"_s);
    overlay_ = new QToolButton(bench_);
    overlay_->setIcon(theme().icon(u"layers"_s));
    overlay_->setText(u"Other runs"_s);
    overlay_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    overlay_->setAutoRaise(true);
    overlay_->setPopupMode(QToolButton::InstantPopup);
    overlay_->setToolTip(u"Lays the fronts of other searches over this one"_s);
    overlay_->setMenu(new QMenu(overlay_));
    overlay_->hide();
    bench_->addTool(overlay_);
    bench_->setPointMenu([this](QMenu& menu) { addHandovers(menu, "architecture"); });
    bench_->setExtras([this](std::size_t x, std::size_t y) {
        // Until it is looked at, the bench shows the run before.
        if (bench_->selection().shared() != choice_->run.points()) return report::ScatterExtras();
        return report::codesignExtras(choice_->run.result(), *choice_->run.points(), x, y, others_);
    });
    const PointSelection& points = bench_->selection();
    connect(&points, &PointSelection::chosenChanged, this, [this](int row) {
        const bool own = bench_->selection().shared() == choice_->run.points();
        if (own && row >= 0 && row != choice_->row) select(u"architecture"_s, row);
    });
    connect(&points, &PointSelection::pinsChanged, this, [this, &points] {
        const int row = points.pinned(PointSelection::Pin::a);
        if (bench_->selection().shared() == choice_->run.points() && row != choice_->pinned) select(u"pinned"_s, row);
    });
    connect(bench_, &Workbench::whyChanged, this, [this] { pages()->details()->refresh({u"why"_s}); });
    findOthers();
    return *bench_;
}

void CodesignView::fillBench() {
    if (bench_->selection().shared() != choice_->run.points()) {
        others_.clear();
        bench_->setPoints(choice_->run.points());
    }
    showRow();
}

void CodesignView::showRow() const {
    if (bench_ == nullptr || bench_->selection().shared() != choice_->run.points()) return;
    PointSelection& points = bench_->selection();
    points.setPin(PointSelection::Pin::a, choice_->pinned);
    points.choose(choice_->row);
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
}

void CodesignView::refresh() {
    RunView::refresh();
    findOthers();
}

/// Other searches of the history, the newest ones.
void CodesignView::findOthers() {
    if (bench_ == nullptr) return;
    offerOthers({});
    if (run().result == nullptr || run().history.empty()) return;
    using Others = QVector<OtherRun>;
    const auto find = [from = run().history, own = run().kept, engine = run().result->study.engine] {
        Others found;
        const store::Store opened = store::Store::open(from, store::OpenMode::readOnly);
        const store::HistoryQuery query{.engine = engine, .status = store::RunStatus::done};
        for (const store::RunRow& row : opened.query(query, kMaxOthers + 1))
            if (row.id != own && found.size() < kMaxOthers)
                found.append({row.id, u"%1 · %2"_s.arg(shownText(row.name), shownText(row.headline))});
        return found;
    };
    later(find, [this](const Others& found) { offerOthers(found); });
}

void CodesignView::offerOthers(const QVector<OtherRun>& runs) {
    QMenu* menu = overlay_->menu();
    menu->clear();
    for (const OtherRun& other : runs) {
        QAction* action = menu->addAction(QString(other.title).replace(QLatin1Char('&'), QLatin1String("&&")));
        action->setCheckable(true);
        action->setData(other.id);
        connect(action, &QAction::toggled, this, &CodesignView::layOver);
    }
    overlay_->setVisible(!runs.isEmpty());
}

void CodesignView::layOver() {
    QVector<qint64> runs;
    for (const QAction* each : overlay_->menu()->actions())
        if (each->isChecked()) runs.append(each->data().toLongLong());
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
    later(read, [this](const Fronts& fronts) {
        others_ = fronts;
        bench_->scatter()->redraw();
    });
}

QJsonObject CodesignView::saveView() const {
    QJsonObject view = RunView::saveView();
    if (bench_ != nullptr) view[u"points"_s] = bench_->saveState();
    return view;
}

void CodesignView::restoreView(const QJsonObject& view) {
    RunView::restoreView(view);
    if (choice_->run.isEmpty()) return;
    if (const QJsonObject state = view.value("points"_L1).toObject(); !state.isEmpty()) {
        theBench();
        fillBench();
        bench_->restoreState(state);
    } else if (bench_ != nullptr) {  // as views of older versions say it
        fillBench();
        bench_->scatter()->setAxes(view.value("x"_L1).toString(), view.value("y"_L1).toString());
    }
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
        const explore::PointColumn& objective = *choice_->run.value("objective");
        const bool rate = result.options.objective == codesign::Objective::mean || !result.space.reference;
        headlines.append({.value = toQt(report::textOf(objective, result.best->objective)),
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
    headlines.append({.value = countText(result.explored),
                      .label = u"points evaluated"_s,
                      .detail = u"%1 of %2"_s.arg(toQt(study::percentText(looked)), countText(result.points)),
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

RunView* newCodesignView(QUndoStack* undo, QWidget* parent) {
    return new CodesignView(undo, parent);
}

}  // namespace tessera::ui
