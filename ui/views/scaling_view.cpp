#include "ui/views/scaling_view.h"

#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QScopeGuard>
#include <QSplitter>
#include <QStackedWidget>
#include <QThreadPool>
#include <QVBoxLayout>
#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/units.h"
#include "core/report/scaling_picture.h"
#include "core/store/recorder.h"
#include "core/study/metric.h"
#include "core/study/study.h"
#include "ui/models/background.h"
#include "ui/models/table_model.h"
#include "ui/theme/theme.h"
#include "ui/views/empty_state.h"
#include "ui/views/partition_exports.h"
#include "ui/views/partition_panes.h"
#include "ui/views/plot_widget.h"
#include "ui/views/run_progress.h"
#include "ui/views/table_view.h"

namespace tessera::ui {

namespace {

constexpr double kLongSeconds = 5;  ///< from here on it is asked before the work begins
constexpr int kDrawMilliseconds = 50;
constexpr int kParts = 1000;  ///< of the progress bar

/// The pool has a thread more while this one is busy for long, so that quick work does not wait for it.
auto besidesThePool() {
    QThreadPool::globalInstance()->releaseThread();
    return qScopeGuard([] { QThreadPool::globalInstance()->reserveThread(); });
}

}  // namespace

/// What the thread that solves and the view tell each other.
struct ScalingView::Work {
    std::stop_source cancel;
    std::atomic<double> done = 0, total = 0;
};

struct ScalingView::Rows {
    struct Row {
        study::ScalingPoint point;
        study::ScalingPlan plan;
    };
    std::vector<Row> all;
    const Row& operator[](int row) const { return all.at(static_cast<std::size_t>(row)); }
};

ScalingView::ScalingView(QWidget* parent)
    : QWidget(parent),
      rows_(std::make_shared<Rows>()),
      pages_(new QStackedWidget(this)),
      hint_(new EmptyState(QStringLiteral("scaling"), {})),
      task_(new QLabel),
      bar_(new QProgressBar),
      chart_(new ChartPane({}, tr("Scaling"))),
      notes_(new QLabel) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(pages_);
    solve_ = hint_->addAction(tr("Solve for every size"), QStringLiteral("run"), [this] { solve(); });
    pages_->addWidget(hint_);
    pages_->addWidget(workingPage());
    pages_->addWidget(foundPage());
    drawing_.setInterval(kDrawMilliseconds);
    connect(&drawing_, &QTimer::timeout, this, &ScalingView::showProgress);
}

QWidget* ScalingView::workingPage() {
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    task_->setTextFormat(Qt::PlainText);
    task_->setAlignment(Qt::AlignCenter);
    setLook(*task_, "tone", QStringLiteral("secondary"));
    bar_->setRange(0, kParts);
    bar_->setFixedWidth(theme().spacing(80));
    bar_->setAccessibleName(tr("Sizes of the array that are solved"));
    auto* stop = new QPushButton(tr("Cancel"));
    connect(stop, &QPushButton::clicked, this, &ScalingView::cancel);
    column->addStretch();
    column->addWidget(task_);
    column->addWidget(bar_, 0, Qt::AlignHCenter);
    column->addWidget(stop, 0, Qt::AlignHCenter);
    column->addStretch();
    return page;
}

QWidget* ScalingView::foundPage() {
    chart_->plot()->setExplainable(false);  // these are no numbers of the run's own result
    model_ = new TableModel(columns(), this);
    auto* table = new TableView(model_, tr("Scaling"));
    table->setFilterVisible(false);
    auto* both = new QSplitter(Qt::Horizontal);
    both->setChildrenCollapsible(false);
    both->addWidget(chart_);
    both->addWidget(table);
    both->setSizes({kParts, kParts});
    notes_->setTextFormat(Qt::PlainText);
    notes_->setWordWrap(true);
    notes_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    setLook(*notes_, "tone", QStringLiteral("secondary"));
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(theme().spacing(2));
    column->addWidget(both, 1);
    column->addWidget(notes_);
    return page;
}

/// A row per size and strategy.
QVector<TableModel::Column> ScalingView::columns() const {
    const auto number = [rows = rows_](const QString& title, auto value, auto text) {
        TableModel::Column column{.title = title, .text = [=](int row) { return text(value((*rows)[row])); }};
        column.sort = [=](int row) { return QVariant(value((*rows)[row])); };
        column.number = true;
        column.exact = [=](int row) { return QString::fromStdString(exactNumber(value((*rows)[row]))); };
        return column;
    };
    const auto words = [rows = rows_](const QString& title, auto text, const QString& help = {}) {
        return TableModel::Column{.title = title, .text = [=](int row) { return text((*rows)[row]); }, .help = help};
    };
    using Row = const Rows::Row&;
    const auto count = [](double value) { return QString::fromStdString(formatCount(value)); };
    const auto times = [](double value) { return QString::fromStdString(study::timesText(value)); };
    const auto rate = [](double value) { return QString::fromStdString(study::rateText(value)); };
    const auto time = [](double value) { return QString::fromStdString(formatQuantity(value, Measure::seconds)); };
    return {
        number(
            tr("Levels"), [](Row row) { return static_cast<double>(row.point.levels); }, count),
        number(
            tr("Accelerators"), [](Row row) { return static_cast<double>(row.point.accelerators); }, count),
        words(tr("Strategy"), [](Row row) { return QString::fromStdString(row.plan.strategy); }),
        number(
            tr("Over DP"), [](Row row) { return row.plan.speedupOverDp; }, times),
        number(
            tr("Step time"), [](Row row) { return row.plan.stepTime.value; }, time),
        number(
            tr("Samples/s"), [](Row row) { return row.plan.throughput; }, rate),
        words(
            tr("Fits"), [](Row row) { return row.plan.fits ? tr("yes") : tr("no"); },
            tr("Whether the plan fits into the memory of every accelerator")),
    };
}

ScalingView::~ScalingView() {
    if (work_) work_->cancel.request_stop();
}

bool ScalingView::isWorking() const {
    return work_ != nullptr;
}

/// Levels of splits of the whole array.
int ScalingView::depth() const {
    int depth = 0;
    for (const partition::LevelPlan& level : run_.plan(run_.bestPlan()).levels)
        depth = std::max(depth, level.level + 1);
    return depth;
}

void ScalingView::setRun(const PartitionRun& run, const std::filesystem::path& history, store::RunId kept) {
    history_ = history;
    kept_ = kept;
    if (run.shared() == run_.shared()) return;
    cancel();
    run_ = run;
    scaling_.reset();
    if (depth() < 2) {
        say(tr("How a plan scales shows where an array is split more than once; this one is not."), {});
        return;
    }
    say({}, {});
    inBackground(
        this, [study = run.result().study] { return study::estimate(study).seconds; },
        [this, of = run.shared()](double seconds) {
            if (of != run_.shared() || work_ || scaling_) return;
            if (seconds * depth() < kLongSeconds)
                solve();
            else
                invite(seconds * depth());
        },
        [this](const QString& /*problem*/) { solve(); });
}

void ScalingView::invite(double seconds) {
    say(tr("Solves the study again on a half, a quarter, … of the accelerators. That takes about %1.")
            .arg(durationText(seconds)),
        tr("Solve for every size"));
}

void ScalingView::say(const QString& sentence, const QString& button) {
    hint_->setSentence(sentence);
    solve_->setText(button);
    solve_->setVisible(!button.isEmpty());
    pages_->setCurrentIndex(0);
}

void ScalingView::solve() {
    if (work_ || run_.isEmpty()) return;
    work_ = std::make_shared<Work>();
    showProgress();
    pages_->setCurrentIndex(1);
    drawing_.start();
    inBackground(
        this,
        [work = work_, study = run_.result().study, history = history_, kept = kept_] {
            const auto another = besidesThePool();
            study::RunHooks hooks;
            hooks.cancel = work->cancel.get_token();
            hooks.progress = [work](const ProgressEvent& event) {
                work->done = event.done;
                work->total = event.total;
            };
            if (kept != 0 && !history.empty())
                hooks.locate = store::storedInputs(store::Store::open(history, store::OpenMode::readOnly), kept);
            return study::scaling(study, hooks);
        },
        [this, work = work_](const study::Scaling& found) {
            if (work != work_) return;
            work_.reset();
            show(found);
        },
        [this, work = work_](const QString& problem) {
            if (work != work_) return;
            work_.reset();
            drawing_.stop();
            say(problem, tr("Try again"));
        });
}

void ScalingView::cancel() {
    if (!work_) return;
    std::exchange(work_, nullptr)->cancel.request_stop();
    drawing_.stop();
    say(tr("Solving for every size was cancelled."), tr("Solve for every size"));
}

void ScalingView::showProgress() {
    if (!work_) return;
    const double total = work_->total;
    const double share = total > 0 ? work_->done / total : 0;
    bar_->setValue(static_cast<int>(kParts * share));
    task_->setText(total > 0 ? tr("%1 of %2 sizes of the array are solved").arg(work_->done.load()).arg(total)
                             : tr("Reading the study's inputs…"));
}

void ScalingView::show(const study::Scaling& found) {
    drawing_.stop();
    scaling_ = std::make_shared<const study::Scaling>(found);
    rows_->all.clear();
    for (const study::ScalingPoint& point : found.points)
        for (const study::ScalingPlan& plan : point.plans) rows_->all.push_back({point, plan});
    chart_->setCharts({report::scalingChart(found)});
    model_->setRowCount(static_cast<int>(rows_->all.size()));
    notes_->setText(
        tr("Every point is a plan of its own: the study solved on the array with each of its groups halved "
           "as often as it takes, the batch unchanged. The last point is this run."));
    pages_->setCurrentIndex(2);
}

QVector<Exportable> ScalingView::exportables() const {
    return scaling_ ? scalingExportables(run_, scaling_) : QVector<Exportable>();
}

}  // namespace tessera::ui
