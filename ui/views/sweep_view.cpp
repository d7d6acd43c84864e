#include "ui/views/sweep_view.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QScopeGuard>
#include <QSplitter>
#include <QStackedWidget>
#include <QThreadPool>
#include <QToolButton>
#include <QVBoxLayout>
#include <atomic>
#include <cmath>
#include <utility>
#include <vector>

#include "core/report/mapping_pictures.h"
#include "core/store/recorder.h"
#include "core/study/metric.h"
#include "core/study/title.h"
#include "ui/models/background.h"
#include "ui/models/partition_run.h"
#include "ui/models/table_columns.h"
#include "ui/theme/theme.h"
#include "ui/views/empty_state.h"
#include "ui/views/lazy_tabs.h"
#include "ui/views/partition_panes.h"
#include "ui/views/plot_widget.h"
#include "ui/views/table_view.h"

namespace tessera::ui {

namespace {

constexpr int kDrawMilliseconds = 50;
constexpr int kParts = 1000;  ///< of the progress bar

/// The pool has a thread more while this one is busy for long, so that quick work does not wait for it.
auto besidesThePool() {
    QThreadPool::globalInstance()->releaseThread();
    return qScopeGuard([] { QThreadPool::globalInstance()->reserveThread(); });
}

QString textOf(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

const study::Sweep& rowOf(study::SweepKind kind) {
    for (const study::Sweep& row : study::sweeps())
        if (row.kind == kind) return row;
    return study::sweeps().front();
}

}  // namespace

/// What the thread that solves and the view tell each other.
struct SweepView::Work {
    study::SweepKind kind = study::SweepKind::bandwidth;
    std::stop_source cancel;
    std::atomic<double> done = 0, total = 0;
};

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
      pages_(new QStackedWidget(this)),
      hint_(new EmptyState(QStringLiteral("scaling"), {})),
      task_(new QLabel),
      bar_(new QProgressBar),
      chart_(new ChartPane({}, tr("Sweep"))),
      notes_(sentences()) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(theme().spacing());
    auto* row = new QHBoxLayout;
    row->setSpacing(theme().spacing());
    for (const study::Sweep& sweep : study::sweeps()) {
        auto* button = new QToolButton(this);
        button->setText(textOf(sweep.title));
        button->setToolTip(tr("Solves the study again with %1").arg(textOf(sweep.help)));
        button->setCheckable(true);
        button->setAutoRaise(true);
        button->setChecked(sweep.kind == kind_);
        kinds_->addButton(button, static_cast<int>(sweep.kind));
        row->addWidget(button);
    }
    row->addStretch();
    connect(kinds_, &QButtonGroup::idClicked, this, [this](int id) { choose(static_cast<study::SweepKind>(id)); });
    layout->addLayout(row);
    layout->addWidget(pages_, 1);
    solve_ = hint_->addAction(tr("Run the sweep"), QStringLiteral("run"), [this] { solve(); });
    pages_->addWidget(hint_);
    pages_->addWidget(workingPage());
    pages_->addWidget(foundPage());
    drawing_.setInterval(kDrawMilliseconds);
    connect(&drawing_, &QTimer::timeout, this, &SweepView::showProgress);
}

SweepView::~SweepView() {
    if (work_) work_->cancel.request_stop();
}

QWidget* SweepView::workingPage() {
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    task_->setTextFormat(Qt::PlainText);
    task_->setAlignment(Qt::AlignCenter);
    setLook(*task_, "tone", QStringLiteral("secondary"));
    bar_->setRange(0, kParts);
    bar_->setFixedWidth(theme().spacing(80));
    bar_->setAccessibleName(tr("Variations of the study that are solved"));
    auto* stop = new QPushButton(tr("Cancel"));
    connect(stop, &QPushButton::clicked, this, &SweepView::cancel);
    column->addStretch();
    column->addWidget(task_);
    column->addWidget(bar_, 0, Qt::AlignHCenter);
    column->addWidget(stop, 0, Qt::AlignHCenter);
    column->addStretch();
    return page;
}

QWidget* SweepView::foundPage() {
    chart_->plot()->setExplainable(false);  // these are no numbers of the run's own result
    model_ = new TableModel(columns(), this);
    auto* table = new TableView(model_, tr("Sweep"));
    table->setFilterVisible(false);
    auto* both = new QSplitter(Qt::Horizontal);
    both->setChildrenCollapsible(false);
    both->addWidget(chart_);
    both->addWidget(table);
    both->setSizes({3 * kParts, 2 * kParts});
    setLook(*notes_, "tone", QStringLiteral("secondary"));
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(theme().spacing(2));
    column->addWidget(both, 1);
    column->addWidget(notes_);
    return page;
}

/// A row per value and algorithm.
QVector<TableModel::Column> SweepView::columns() const {
    using columns::number;
    const auto row = [rows = rows_](int index) -> const Rows::Row& { return (*rows)[index]; };
    TableModel::Column value = number(tr("Varied"), Measure::count, [row](int index) { return row(index).value; });
    value.text = [rows = rows_, row](int index) {
        if (rows->kind == study::SweepKind::bandwidth && rows->clocked)
            return columns::quantity(row(index).value, Measure::bytesPerSecond);
        return columns::count(row(index).value);
    };
    TableModel::Column rate =
        number(tr("Throughput"), Measure::count, [row](int index) { return row(index).run.throughput.value_or(NAN); });
    rate.text = [rows = rows_, row](int index) {
        const std::optional<double> its = row(index).run.throughput;
        if (!its) return QStringLiteral("–");
        return rows->clocked ? columns::quantity(*its, Measure::flopsPerSecond) : columns::count(*its);
    };
    TableModel::Column makespan =
        number(tr("Makespan"), Measure::count, [row](int index) { return row(index).run.makespan; });
    makespan.text = [rows = rows_, row](int index) { return rows->of.time(row(index).run.makespan); };
    TableModel::Column gap = number(tr("Above bound"), Measure::count, [row](int index) { return row(index).run.gap; });
    gap.text = [row](int index) { return QString::fromStdString(study::percentText(row(index).run.gap)); };
    return {value, columns::words(tr("Algorithm"), [row](int index) { return shownText(row(index).run.algorithm); }),
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

void SweepView::say(const QString& sentence, const QString& button) {
    hint_->setSentence(sentence);
    solve_->setVisible(!button.isEmpty());
    pages_->setCurrentIndex(0);
}

std::shared_ptr<const study::MappingSweep> SweepView::sweep() const {
    const auto known = found_.find(kind_);
    return known == found_.end() ? nullptr : known->second;
}

void SweepView::showChosen() {
    if (run_.isEmpty()) return;
    if (work_ != nullptr && work_->kind == kind_) {
        pages_->setCurrentIndex(1);
        return;
    }
    const auto found = sweep();
    if (found == nullptr) {
        const std::size_t variations = study::sweepValues(run_.result(), kind_).size();
        if (variations == 0)
            say(tr("A table of jobs cannot be drawn anew: only runs of a workload have a group to vary."), {});
        else
            say(tr("Solves the study again %1 times: %2.").arg(variations).arg(textOf(rowOf(kind_).help)),
                tr("Run the sweep"));
        return;
    }
    rows_->kind = found->kind;
    rows_->clocked = found->clocked;
    rows_->all.clear();
    for (const study::SweepPoint& point : found->points)
        for (const study::SweepRun& each : point.runs) rows_->all.push_back({point.value, each});
    chart_->setCharts({report::sweepChart(*found)});
    model_->setRowCount(static_cast<int>(rows_->all.size()));
    notes_->setText(
        tr("Every point is a search of its own, with the study's seed. Nothing above the dashed line can be "
           "reached."));
    pages_->setCurrentIndex(2);
}

void SweepView::solve() {
    if (work_ || run_.isEmpty()) return;
    work_ = std::make_shared<Work>();
    work_->kind = kind_;
    showProgress();
    pages_->setCurrentIndex(1);
    drawing_.start();
    inBackground(
        this,
        [work = work_, result = run_.shared(), history = history_, kept = kept_] {
            const auto another = besidesThePool();
            study::RunHooks hooks;
            hooks.cancel = work->cancel.get_token();
            hooks.progress = [work](const ProgressEvent& event) {
                work->done = event.done;
                work->total = event.total;
            };
            if (kept != 0 && !history.empty())
                hooks.locate = store::storedInputs(store::Store::open(history, store::OpenMode::readOnly), kept);
            return study::sweep(*result, work->kind, hooks);
        },
        [this, work = work_](study::MappingSweep sweep) {
            if (work != work_) return;
            work_.reset();
            drawing_.stop();
            found_[sweep.kind] = std::make_shared<const study::MappingSweep>(std::move(sweep));
            showChosen();
        },
        [this, work = work_](const QString& problem) {
            if (work != work_) return;
            work_.reset();
            drawing_.stop();
            say(problem, tr("Run the sweep"));
        });
}

void SweepView::cancel() {
    if (!work_) return;
    std::exchange(work_, nullptr)->cancel.request_stop();
    drawing_.stop();
    say(tr("The sweep was cancelled."), tr("Run the sweep"));
}

void SweepView::showProgress() {
    if (!work_) return;
    const double total = work_->total;
    bar_->setValue(total > 0 ? static_cast<int>(kParts * work_->done / total) : 0);
    task_->setText(total > 0 ? tr("%1 of %2 variations are solved").arg(std::floor(work_->done.load())).arg(total)
                             : tr("Reading the study's inputs…"));
}

QVector<Exportable> SweepView::exportables() const {
    QVector<Exportable> all;
    for (const auto& entry : found_) {
        const auto& found = entry.second;
        const QString name = fileStem(shownText(study::titleOf(run_.outcome())) + QStringLiteral("-sweep-") +
                                      textOf(rowOf(entry.first).id));
        all.append(
            {.name = name,
             .svg = [found](const report::Theme& look) { return report::toSvg(report::sweepChart(*found), look); },
             .csv = [found] { return report::toCsv(report::sweepSheet(*found)); }});
    }
    return all;
}

}  // namespace tessera::ui
