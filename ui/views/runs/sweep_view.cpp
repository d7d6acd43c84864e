#include "ui/views/runs/sweep_view.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QToolButton>
#include <QVBoxLayout>
#include <cmath>
#include <utility>
#include <vector>

#include "core/report/mapping_pictures.h"
#include "core/study/metric.h"
#include "core/study/title.h"
#include "ui/models/partition_run.h"
#include "ui/models/table_columns.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/choice_bar.h"
#include "ui/views/runs/result_exports.h"
#include "ui/views/runs/solving_pages.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

const study::Sweep& rowOf(study::SweepKind kind) {
    for (const study::Sweep& row : study::sweeps())
        if (row.kind == kind) return row;
    return study::sweeps().front();
}

}  // namespace

struct SweepView::Rows {
    struct Row {
        double value = 0;
        study::SweepRun run;
    };
    study::SweepKind kind = study::SweepKind::bandwidth;
    bool clocked = false;
    MappingRun of;
    std::vector<Row> all;
    const Row& operator[](int row) const { return all.at(static_cast<std::size_t>(row)); }
};

SweepView::SweepView(QWidget* parent)
    : QWidget(parent),
      rows_(std::make_shared<Rows>()),
      kinds_(new QButtonGroup(this)),
      pages_(new SolvingPages({.title = u"Sweep"_s,
                               .progress = u"%1 of %2 variations are solved"_s,
                               .bar = u"Variations of the study that are solved"_s,
                               .again = u"Run the sweep"_s},
                              columns())) {
    auto* layout = bareLayout<QVBoxLayout>(this, theme().spacing());
    auto* row = bareLayout<QHBoxLayout>(theme().spacing());
    for (const study::Sweep& sweep : study::sweeps()) {
        QToolButton* button =
            toggle(toQt(sweep.title), u"Solves the study again with %1"_s.arg(toQt(sweep.help)), this);
        button->setChecked(sweep.kind == kind_);
        kinds_->addButton(button, static_cast<int>(sweep.kind));
        row->addWidget(button);
    }
    row->addStretch();
    connect(kinds_, &QButtonGroup::idClicked, this, [this](int id) { choose(static_cast<study::SweepKind>(id)); });
    layout->addLayout(row);
    layout->addWidget(pages_, 1);
    connect(pages_, &SolvingPages::requested, this, &SweepView::solve);
    connect(pages_, &SolvingPages::cancelRequested, this, &SweepView::cancel);
}

bool SweepView::isWorking() const {
    return pages_->isWorking();
}

/// A row per value and algorithm.
QVector<TableModel::Column> SweepView::columns() const {
    using columns::number;
    const auto row = [rows = rows_](int index) -> const Rows::Row& { return (*rows)[index]; };
    TableModel::Column value = number(u"Varied"_s, Measure::count, [row](int index) { return row(index).value; });
    value.text = [rows = rows_, row](int index) {
        if (rows->kind == study::SweepKind::bandwidth && rows->clocked)
            return columns::quantity(row(index).value, Measure::bytesPerSecond);
        return columns::count(row(index).value);
    };
    TableModel::Column rate =
        number(u"Throughput"_s, Measure::count, [row](int index) { return row(index).run.throughput.value_or(NAN); });
    rate.text = [rows = rows_, row](int index) {
        const std::optional<double> its = row(index).run.throughput;
        if (!its) return u"–"_s;
        return rows->clocked ? columns::quantity(*its, Measure::flopsPerSecond) : columns::count(*its);
    };
    TableModel::Column makespan =
        number(u"Makespan"_s, Measure::count, [row](int index) { return row(index).run.makespan; });
    makespan.text = [rows = rows_, row](int index) { return rows->of.time(row(index).run.makespan); };
    TableModel::Column gap = number(u"Above bound"_s, Measure::count, [row](int index) { return row(index).run.gap; });
    gap.text = [row](int index) { return toQt(study::percentText(row(index).run.gap)); };
    return {value, columns::words(u"Algorithm"_s, [row](int index) { return shownText(row(index).run.algorithm); }),
            rate, makespan, gap};
}

void SweepView::setRun(const MappingRun& run, const std::filesystem::path& history, store::RunId kept) {
    history_ = history;
    kept_ = kept;
    if (run.shared() == run_.shared()) return;
    cancel();
    run_ = run;
    rows_->of = run;
    found_.clear();
    showChosen();
}

void SweepView::choose(study::SweepKind kind) {
    kind_ = kind;
    if (QAbstractButton* button = kinds_->button(static_cast<int>(kind))) button->setChecked(true);
    showChosen();
}

std::shared_ptr<const study::MappingSweep> SweepView::sweep() const {
    const auto known = found_.find(kind_);
    return known == found_.end() ? nullptr : known->second;
}

void SweepView::showChosen() {
    if (run_.isEmpty()) return;
    if (isWorking() && working_ == kind_) {
        pages_->showWorking();
        return;
    }
    const auto found = sweep();
    if (found == nullptr) {
        const std::size_t variations = study::sweepValues(run_.result(), kind_).size();
        if (variations == 0)
            pages_->say(u"A table of jobs cannot be resampled: only runs of a workload have a group to vary."_s, {});
        else
            pages_->say(u"Solves the study again %1 times: %2."_s.arg(variations).arg(toQt(rowOf(kind_).help)),
                        u"Run the sweep"_s);
        return;
    }
    rows_->kind = found->kind;
    rows_->clocked = found->clocked;
    rows_->all.clear();
    for (const study::SweepPoint& point : found->points)
        for (const study::SweepRun& each : point.runs) rows_->all.push_back({point.value, each});
    pages_->showFound(report::sweepChart(*found), static_cast<int>(rows_->all.size()),
                      u"Every point is a search of its own, with the study's seed. Nothing above the dashed line can "
                      "be reached."_s);
}

void SweepView::solve() {
    if (isWorking() || run_.isEmpty()) return;
    working_ = kind_;
    pages_->work(
        history_, kept_,
        [result = run_.shared(), kind = kind_](const study::RunContext& context) {
            return study::sweep(*result, kind, context);
        },
        [this](study::MappingSweep sweep) {
            const study::SweepKind kind = sweep.kind;
            found_[kind] = std::make_shared<const study::MappingSweep>(std::move(sweep));
            showChosen();
        });
}

void SweepView::cancel() {
    if (pages_->giveUp()) pages_->say(u"The sweep was cancelled."_s, u"Run the sweep"_s);
}

QVector<Exportable> SweepView::exportables() const {
    QVector<Exportable> all;
    for (const auto& entry : found_) {
        const auto& found = entry.second;
        all += exports::solved(
            run_.shared(), "sweep-" + std::string(rowOf(entry.first).id),
            [found] { return report::sweepChart(*found); }, [found] { return report::exactSweepTable(*found); });
    }
    return all;
}

}  // namespace tessera::ui
