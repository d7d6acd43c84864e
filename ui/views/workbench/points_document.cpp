#include "ui/views/workbench/points_document.h"

#include <QUndoStack>
#include <QVBoxLayout>
#include <exception>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/report/exploration_points.h"
#include "core/report/points.h"
#include "ui/models/table_columns.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/headline_bar.h"
#include "ui/views/plot/parallel_view.h"
#include "ui/views/plot/plot_widget.h"
#include "ui/views/runs/run_pages.h"
#include "ui/views/view_presets.h"
#include "ui/views/workbench/point_list.h"
#include "ui/views/workbench/workbench.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

struct PointsDocument::Implementation {
    PointsDocument* document = nullptr;
    Runs runs;
    QJsonObject wanted;  ///< a view that waits for the runs
    QUndoStack* undo = nullptr;
    HeadlineBar* headline = nullptr;
    RunPages* pages = nullptr;
    Workbench* bench = nullptr;

    void build();
    QWidget* makeBench() { return bench; }
    QWidget* makeList() { return bench->list(); }
    QWidget* makeComparison() { return bench->comparison(); }
    void fill() {}  // `setRuns` does
    Workbench::StudyMaker studyOfShown() const;
    void explore();
    void showHeadline() const;
    void inspect(int point) const;
};

void PointsDocument::Implementation::build() {
    auto* layout = new QVBoxLayout(document);
    const int space = theme().spacing(3);
    layout->setContentsMargins(space, space, space, space);
    layout->setSpacing(theme().spacing());
    headline = new HeadlineBar(document);
    auto* row = bareLayout<QHBoxLayout>(theme().spacing(2));
    row->addWidget(headline, 1);
    row->addWidget(new ViewPresets(
                       u"points"_s, [this] { return document->saveView(); },
                       [this](const QJsonObject& view) { document->restoreView(view); }, document),
                   0, Qt::AlignTop);
    layout->addLayout(row);
    undo = new QUndoStack(document);
    pages = new RunPages(document);
    layout->addWidget(pages, 1);
    bench = new Workbench(undo, pages);
    bench->setInOrder(true);
    bench->setEmptyTexts(u"None of these runs has a result."_s, u"No run lies in all brushes."_s);
    bench->plot()->setAccessibleName(u"Runs in two values"_s);
    bench->parallel()->setAccessibleName(u"Runs in all values"_s);
    bench->addToolForShown(
        u"Explore these"_s, u"explore"_s,
        u"Explores again within the ranges of the shown points; metric ranges become constraints"_s,
        [this] { explore(); }, false);
    bench->setStudyOfShown([this] { return studyOfShown(); });
    pages->addPicture("points", u"Runs"_s, this, &Implementation::makeBench, &Implementation::fill);
    pages->addDetails("list", u"Runs"_s, this, &Implementation::makeList, &Implementation::fill);
    pages->addSentences("why", u"Why this one"_s, [this] { return bench->whySentences(); });
    pages->addDetails("comparison", u"A against B"_s, this, &Implementation::makeComparison, &Implementation::fill);
    connect(&bench->selection(), &PointSelection::chosenChanged, document, [this](int point) { inspect(point); });
    connect(bench, &Workbench::whyChanged, document, [this] { pages->details()->refresh({u"why"_s}); });
    pages->refresh();
}

/// An exploration over what the runs that are shown differ in.
Workbench::StudyMaker PointsDocument::Implementation::studyOfShown() const {
    const PointSelection& points = bench->selection();
    return [its = runs.points, states = points.states(), ranges = points.askedRanges()] {
        return toText(study::toJson(report::explorationOfRuns(its, states, ranges)));
    };
}

void PointsDocument::Implementation::explore() {
    try {
        emit document->runRequested(toQt(studyOfShown()()));
    } catch (const std::exception& problem) {
        emit document->messaged(shownText(problem.what(), 400), QString());
    }
}

void PointsDocument::Implementation::showHeadline() const {
    const explore::PointTable& points = bench->selection().table();
    qsizetype solutions = 0;
    QStringList variables;
    for (std::size_t i = 0; i < points.size(); ++i) solutions += points.isFeasible(i) ? 1 : 0;
    for (const explore::PointColumn& column : points.columns)
        if (column.role == explore::PointColumn::Role::variable) variables << toQt(column.title);
    headline->setHeadlines({{.value = countText(points.size()),
                             .label = runs.name.isEmpty() ? u"runs"_s : u"runs of a sweep"_s,
                             .detail = solutions == static_cast<qsizetype>(points.size())
                                           ? QString()
                                           : u"%1 with a result"_s.arg(countText(solutions))},
                            {.value = countText(variables.size()),
                             .label = variables.size() == 1 ? u"variable"_s : u"variables"_s,
                             .detail = variables.mid(0, 4).join(u", "_s)}});
}

void PointsDocument::Implementation::inspect(int point) const {
    if (point < 0 || static_cast<std::size_t>(point) >= runs.numbers.size()) return;
    const explore::PointTable& points = bench->selection().table();
    const auto at = static_cast<std::size_t>(point);
    const store::RunId number = runs.numbers[at];
    Facts facts{.title = toQt(report::nameOf(points, at)), .subtitle = u"Run %1"_s.arg(number), .icon = u"run"_s};
    Facts::Section results{.title = u"Metrics"_s, .rows = {}}, variables{.title = u"Differs in"_s, .rows = {}};
    for (const explore::PointColumn& column : points.columns) {
        const double value = report::valueOf(column, at);
        if (value != value) continue;
        (column.role == explore::PointColumn::Role::variable ? variables : results)
            .rows.append(columns::numberFact(toQt(column.title), toQt(report::textOf(column, value)), value));
    }
    facts.sections = {variables, results};
    facts.note = shownText(points.reasons[at], 1000);
    facts.actions.append({.title = u"Open the run"_s, .icon = u"open"_s, .run = [its = document, number] {
                              emit its->openRequested(u"run"_s, u"run/%1"_s.arg(number));
                          }});
    emit document->inspected(facts);
}

PointsDocument::PointsDocument(const QString& key, QWidget* parent)
    : Document(parent, key), d_(std::make_unique<Implementation>()) {
    d_->document = this;
    d_->build();
}

PointsDocument::~PointsDocument() = default;

QString PointsDocument::title() const {
    if (!d_->runs.name.isEmpty()) return u"Sweep · %1"_s.arg(d_->runs.name);
    const auto count =
        d_->runs.numbers.empty() ? key().count(u',') + 1 : static_cast<qsizetype>(d_->runs.numbers.size());
    return u"Points · %1"_s.arg(counted(count, "run", "runs"));
}

QUndoStack* PointsDocument::undoStack() {
    return d_->undo;
}

void PointsDocument::setRuns(const Runs& runs) {
    d_->runs = runs;
    d_->bench->setPoints(std::make_shared<const explore::PointTable>(study::pointTable(runs.points)));
    // The best run, so that what is said of a point has one from the beginning.
    PointSelection& selection = d_->bench->selection();
    const std::vector<std::size_t> front = report::frontOf(selection.table(), selection.x(), selection.y());
    if (!front.empty()) selection.choose(static_cast<int>(front.front()));
    d_->showHeadline();
    emit titleChanged();
    if (!d_->wanted.isEmpty()) restoreView(std::exchange(d_->wanted, {}));
}

Workbench* PointsDocument::bench() const {
    return d_->bench;
}

QVector<Exportable> PointsDocument::exportables() {
    return d_->bench->exportables();
}

QJsonObject PointsDocument::saveView() const {
    if (d_->bench->selection().size() == 0) return d_->wanted;
    QJsonObject view = d_->pages->saveView();
    view[u"points"_s] = d_->bench->saveState();
    return view;
}

void PointsDocument::restoreView(const QJsonObject& view) {
    if (d_->bench->selection().size() == 0) {
        d_->wanted = view;
        return;
    }
    d_->pages->restoreView(view);
    d_->bench->restoreState(view.value("points"_L1).toObject());
}

}  // namespace tessera::ui
