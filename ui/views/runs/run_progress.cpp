#include "ui/views/runs/run_progress.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>
#include <cmath>
#include <utility>

#include "core/base/units.h"
#include "core/study/progress_value.h"
#include "ui/jobs/run_status.h"
#include "ui/models/partition_run.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/choice_bar.h"
#include "ui/views/plot/convergence_view.h"
#include "ui/views/plot/plot_widget.h"
#include "ui/views/workbench/workbench.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

using store::RunStatus;

constexpr int kFullBar = 1000;

/// Of a run that the history has not answered about yet, too.
QString titleOf(const RunState& state) {
    if (state.job == 0 && state.run == 0 && state.status == RunStatus::queued) return u"Waiting for the history"_s;
    const bool says = state.status == RunStatus::running && !state.task.isEmpty();
    QString title = says ? shownText(state.task.toStdString()) : statusTitle(state.status);
    title[0] = title[0].toUpper();  // engines name their tasks as parts of a sentence
    return title;
}

}  // namespace

QString durationText(double seconds) {
    constexpr int kMinute = 60;
    constexpr int kHour = 3600;
    const auto whole = static_cast<qint64>(std::llround(seconds));
    if (seconds < 10) return u"%1 s"_s.arg(seconds, 0, 'f', 1);
    if (whole < kMinute) return u"%1 s"_s.arg(whole);
    if (whole < kHour) return u"%1 min %2 s"_s.arg(whole / kMinute).arg(whole % kMinute);
    return u"%1 h %2 min"_s.arg(whole / kHour).arg(whole % kHour / kMinute);
}

struct RunProgress::Implementation {
    RunState state;
    QLabel* title = nullptr;
    QLabel* line = nullptr;
    QLabel* problem = nullptr;
    QProgressBar* bar = nullptr;
    ConvergenceView* convergence = nullptr;
    ChoiceBar* pictures = nullptr;  ///< points or convergence, where there are points
    Workbench* bench = nullptr;     ///< once there are points
    QVBoxLayout* column = nullptr;
    QPlainTextEdit* log = nullptr;
    QPushButton* resume = nullptr;
    QPushButton* repeat = nullptr;
    QPushButton* study = nullptr;
    qsizetype shownLog = 0;
    bool looked = false;  ///< the axis is as the study wants it, or as the user chose since

    QString lineText() const {
        QStringList parts;
        if (state.total > 0) parts << u"%1 %"_s.arg(std::floor(100 * state.done / state.total));
        if (state.rate > 0) parts << u"%1/s"_s.arg(countText(state.rate));
        if (!state.best.isEmpty()) parts << u"best %1"_s.arg(state.best);
        if (state.seconds > 0) parts << u"%1 elapsed"_s.arg(durationText(state.seconds));
        if (isWorking(state.status) && !state.left.isEmpty()) parts << state.left;
        return parts.join(u" · "_s);
    }

    QString liveText() const {
        if (state.status != RunStatus::running) return {};
        if (!state.curves || state.curves->empty()) return u"Live"_s;
        return u"Live · last improvement %1 ago"_s.arg(durationText(state.sinceImprovement));
    }

    void showCurves() {
        if (!state.study.engine.empty() && !std::exchange(looked, true))
            convergence->setLogarithmic(study::progressSpansDecades(state.study));
        convergence->setValueTitle(toQt(study::progressTitle(state.study)));
        convergence->setCurves(state.curves);
        convergence->setLive(liveText());
    }

    /// What was evaluated, as it comes, so that the front grows in sight, or the curves. Neither is shown for a moment
    /// beside the other one, which would shrink.
    void showPictures(RunProgress* owner, bool curves) {
        if (state.points != nullptr && bench == nullptr) {
            bench = new Workbench(nullptr, owner);
            bench->setInOrder(true);
            column->insertWidget(column->indexOf(convergence), bench, 1);
        }
        const bool points = state.points != nullptr, shown = points && pictures->current() == 0;
        pictures->setVisible(points && curves);
        if (bench == nullptr) return convergence->setVisible(curves);
        QWidget *hidden = shown ? static_cast<QWidget*>(convergence) : bench,
                *seen = shown ? bench : static_cast<QWidget*>(convergence);
        hidden->hide();
        seen->setVisible(shown || curves);
        if (points && bench->selection().shared() != state.points) bench->setPoints(state.points);
        bench->setLive(liveText());
    }

    void showLog() {
        if (shownLog > state.log.size()) {
            log->clear();
            shownLog = 0;
        }
        for (; shownLog < state.log.size(); ++shownLog)
            log->appendPlainText(shownText(state.log.at(shownLog).toStdString()));
        log->setVisible(shownLog > 0);
    }
};

RunProgress::RunProgress(QWidget* parent) : QWidget(parent), d_(new Implementation) {
    auto* layout = new QVBoxLayout(this);
    const int space = theme().spacing(3);
    layout->setContentsMargins(space, space, space, space);
    layout->setSpacing(theme().spacing(2));
    const auto label = [&] {
        auto* text = new QLabel(this);
        text->setTextFormat(Qt::PlainText);
        text->setWordWrap(true);
        text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        layout->addWidget(text);
        return text;
    };
    d_->title = label();
    d_->title->setFont(theme().font(Theme::Text::headline, true));
    d_->line = label();
    d_->line->setFont(theme().font(Theme::Text::base, false, true));
    d_->problem = label();
    d_->bar = new QProgressBar(this);
    d_->bar->setTextVisible(false);
    d_->bar->setAccessibleName(u"Progress"_s);
    layout->addWidget(d_->bar);
    auto* row = new QHBoxLayout;
    d_->resume = new QPushButton(u"Resume"_s, this);
    d_->repeat = new QPushButton(u"Run again"_s, this);
    d_->study = new QPushButton(u"Open its study"_s, this);
    for (QWidget* button :
         {static_cast<QWidget*>(d_->resume), static_cast<QWidget*>(d_->repeat), static_cast<QWidget*>(d_->study)})
        row->addWidget(button);
    row->addStretch();
    layout->addLayout(row);
    d_->column = layout;
    d_->pictures = new ChoiceBar(u"Picture of the run"_s, 2, this);
    d_->pictures->setChoices({{.title = u"Points"_s, .help = u"What was evaluated so far"_s},
                              {.title = u"Convergence"_s, .help = u"The best so far over the samples"_s}},
                             0);
    d_->pictures->hide();
    connect(d_->pictures, &ChoiceBar::chosen, this, [this] { setState(RunState(d_->state)); });
    layout->addWidget(d_->pictures);
    d_->convergence = new ConvergenceView(this);
    layout->addWidget(d_->convergence, 1);
    d_->log = new QPlainTextEdit(this);
    d_->log->setReadOnly(true);
    d_->log->setMaximumBlockCount(1000);
    d_->log->setAccessibleName(u"What the run said"_s);
    d_->log->setMaximumHeight(theme().spacing(30));
    layout->addWidget(d_->log);
    connect(d_->resume, &QPushButton::clicked, this, &RunProgress::resumeRequested);
    connect(d_->repeat, &QPushButton::clicked, this, &RunProgress::repeatRequested);
    connect(d_->study, &QPushButton::clicked, this, &RunProgress::studyRequested);
}

RunProgress::~RunProgress() = default;

void RunProgress::setState(const RunState& state) {
    d_->state = state;
    const bool live = isWorking(state.status);
    d_->title->setText(titleOf(state));
    d_->line->setText(d_->lineText());
    d_->line->setVisible(!d_->line->text().isEmpty());
    d_->problem->setText(state.problem);
    d_->problem->setVisible(!state.problem.isEmpty());
    d_->bar->setVisible(live);
    d_->bar->setRange(0, state.total > 0 || state.status != RunStatus::running ? kFullBar : 0);
    d_->bar->setValue(state.total > 0 ? static_cast<int>(kFullBar * std::min(1.0, state.done / state.total)) : 0);
    d_->resume->setVisible(canResume(state.status) && state.run != 0);
    d_->repeat->setVisible(endedInVain(state.status));
    d_->study->setVisible(endedInVain(state.status));
    const bool curves = live || (state.curves && !state.curves->empty());
    if (curves) d_->showCurves();
    d_->showPictures(this, curves);
    d_->showLog();
}

}  // namespace tessera::ui
