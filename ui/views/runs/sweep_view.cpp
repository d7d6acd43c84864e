#include "ui/views/runs/sweep_view.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QToolButton>
#include <QVBoxLayout>
#include <utility>

#include "core/report/mapping_pictures.h"
#include "core/study/title.h"
#include "ui/models/partition_run.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/choice_bar.h"
#include "ui/views/runs/result_exports.h"
#include "ui/views/runs/solving_pages.h"
#include "ui/views/side_by_side.h"
#include "ui/views/workbench/point_list.h"
#include "ui/views/workbench/workbench.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

const study::Sweep& rowOf(study::SweepKind kind) {
    for (const study::Sweep& row : study::sweeps())
        if (row.kind == kind) return row;
    return study::sweeps().front();
}

}  // namespace

SweepView::SweepView(QWidget* parent)
    : QWidget(parent),
      kinds_(new QButtonGroup(this)),
      bench_(new Workbench(nullptr)),
      pages_(new SolvingPages({.progress = u"%1 of %2 variations are solved"_s,
                               .bar = u"Variations of the study that are solved"_s,
                               .again = u"Run the sweep"_s},
                              new SideBySide({bench_, u"Pictures"_s}, {bench_->list(), u"Table"_s}))) {
    bench_->list()->show();  // which the bench hides until it is taken
    bench_->setExtras([this](std::size_t x, std::size_t y) {
        return shown_ == nullptr ? report::ScatterExtras()
                                 : report::sweepExtras(*shown_, bench_->selection().table(), x, y);
    });
    bench_->setEmptyTexts(u"This cannot be varied for these inputs."_s, u"No run lies in all brushes."_s);
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

void SweepView::setRun(const MappingRun& run, const std::filesystem::path& history, store::RunId kept) {
    history_ = history;
    kept_ = kept;
    if (run.shared() == run_.shared()) return;
    cancel();
    run_ = run;
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
    if (std::exchange(shown_, found) != found)
        bench_->setPoints(std::make_shared<const explore::PointTable>(report::pointTable(*found)));
    pages_->showFound(
        u"Every point is a search of its own, with the study's seed. Nothing above the dashed line can be reached."_s);
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
