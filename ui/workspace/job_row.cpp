#include "ui/workspace/job_row.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QProgressBar>
#include <QToolButton>
#include <cmath>

#include "core/base/units.h"
#include "core/study/metric.h"
#include "ui/jobs/jobs.h"
#include "ui/theme/theme.h"
#include "ui/views/runs/run_progress.h"
#include "ui/workspace/elided_label.h"
#include "ui/workspace/words.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr int kBarSteps = 1000;
/// From here on a search that found nothing better says so.
constexpr double kMinSinceImprovement = 3;

double shareOf(const RunState& state) {
    return state.total > 0 ? qBound(0.0, state.done / state.total, 1.0) : 0.0;
}

void addWorking(const RunState& state, QStringList& facts) {
    if (state.status == store::RunStatus::paused) facts.append(u"paused"_s);
    if (state.total > 0) facts.append(u"%1 %"_s.arg(std::floor(100 * shareOf(state))));
    if (!state.task.isEmpty()) facts.append(state.task);
    if (state.rate > 0) facts.append(u"%1 per s"_s.arg(QString::fromStdString(formatCount(state.rate))));
    if (!state.best.isEmpty()) facts.append(u"best %1"_s.arg(state.best));
    if (!state.best.isEmpty() && state.sinceImprovement > kMinSinceImprovement)
        facts.append(u"no improvement for %1"_s.arg(durationText(state.sinceImprovement)));
    if (!state.left.isEmpty()) facts.append(state.left);
}

}  // namespace

QString JobRow::factsOf(const RunState& state) {
    QStringList facts;
    switch (state.status) {
        case store::RunStatus::queued:
            return u"waiting for the runs before it"_s;
        case store::RunStatus::running:
        case store::RunStatus::paused:
            addWorking(state, facts);
            break;
        case store::RunStatus::failed:
            return state.problem;
        default:
            facts.append(statusText(state.status).toLower());
            facts.append(u"took %1"_s.arg(durationText(state.seconds)));
            // What is best while it works may not be the answer: of a fleet, the best subset is chosen at the end.
            if (state.result)
                facts.append(QString::fromStdString(study::headline(*state.result)));
            else if (!state.best.isEmpty())
                facts.append(u"best %1"_s.arg(state.best));
    }
    return facts.join(u" · "_s);
}

JobRow::JobRow(JobQueue& jobs, int job, QWidget* parent)
    : QFrame(parent),
      jobs_(&jobs),
      job_(job),
      status_(new QLabel),
      title_(new ElidedLabel),
      bar_(new QProgressBar),
      facts_(new ElidedLabel),
      pause_(button(u"pause"_s, u"Pause"_s)),
      stop_(button(u"stop"_s, u"Stop and keep the best"_s)),
      cancel_(button(u"cancel"_s, u"Cancel and discard"_s)),
      open_(button(u"open"_s, u"Open"_s)),
      forget_(button(u"close"_s, u"Take off the list"_s)) {
    setFocusPolicy(Qt::StrongFocus);
    setLook(*this, "row", true);
    title_->setFont(theme().font(Theme::Text::base, true));
    title_->setMinimumWidth(theme().spacing(36));
    title_->setMaximumWidth(theme().spacing(70));
    facts_->setFont(theme().font(Theme::Text::base, false, true));
    facts_->setToken("secondary");
    facts_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    bar_->setTextVisible(false);
    bar_->setFixedWidth(theme().spacing(30));
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(theme().spacing(2), theme().spacing(), theme().spacing(2), theme().spacing());
    line->setSpacing(theme().spacing(2));
    line->addWidget(status_);
    line->addWidget(title_, 1);
    line->addWidget(bar_);
    line->addWidget(facts_, 3);
    for (QToolButton* each : {pause_, stop_, cancel_, open_, forget_}) line->addWidget(each);
    connect(pause_, &QToolButton::clicked, this, [this] { togglePause(); });
    connect(stop_, &QToolButton::clicked, this, [this] { jobs_->stop(job_); });
    connect(cancel_, &QToolButton::clicked, this, [this] { jobs_->cancel(job_); });
    connect(open_, &QToolButton::clicked, this, [this] { emit opened(job_); });
    connect(forget_, &QToolButton::clicked, this, [this] { jobs_->forget(job_); });
    connect(&theme(), &Theme::changed, this, [this] {
        shownIcon_.clear();
        refreshIcons();
        refresh();
    });
    refreshIcons();
    refresh();
}

QToolButton* JobRow::button(const QString& icon, const QString& text) {
    auto* made = new QToolButton(this);
    made->setAutoRaise(true);
    setLook(*made, "compact", true);
    made->setObjectName(icon);
    made->setToolTip(text);
    made->setAccessibleName(text);
    return made;
}

void JobRow::refreshIcons() {
    for (QToolButton* each : {pause_, stop_, cancel_, open_, forget_}) each->setIcon(theme().icon(each->objectName()));
}

void JobRow::togglePause() {
    if (jobs_->state(job_).status == store::RunStatus::paused)
        jobs_->unpause(job_);
    else
        jobs_->pause(job_);
}

void JobRow::refresh() {
    const RunState state = jobs_->state(job_);
    const bool working = isWorking(state.status);
    const bool started = state.status == store::RunStatus::running || state.status == store::RunStatus::paused;
    title_->setText(state.title);
    facts_->setText(factsOf(state));
    setAccessibleName(state.title + u": "_s + facts_->text());
    if (const QString icon = statusIcon(state.status); icon != shownIcon_) {
        shownIcon_ = icon;
        status_->setPixmap(
            theme().icon(icon, statusToken(state.status)).pixmap(theme().spacing(4), theme().spacing(4)));
        status_->setToolTip(statusText(state.status));
        status_->setAccessibleName(statusText(state.status));
        const bool paused = state.status == store::RunStatus::paused;
        pause_->setObjectName(paused ? u"run"_s : u"pause"_s);
        pause_->setToolTip(paused ? u"Resume"_s : u"Pause"_s);
        pause_->setAccessibleName(pause_->toolTip());
        refreshIcons();
    }
    bar_->setVisible(working);
    bar_->setAccessibleName(u"Progress of %1"_s.arg(state.title));
    showProgress(*bar_, state);
    pause_->setVisible(started);
    stop_->setVisible(started);
    cancel_->setVisible(working);
    forget_->setVisible(!working);
}

void JobRow::showProgress(QProgressBar& bar, const RunState& state) {
    bar.setRange(0, state.status == store::RunStatus::running && state.total <= 0 ? 0 : kBarSteps);
    bar.setValue(qRound(kBarSteps * shareOf(state)));
}

void JobRow::mouseDoubleClickEvent(QMouseEvent* event) {
    QFrame::mouseDoubleClickEvent(event);
    emit opened(job_);
}

void JobRow::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Return:
        case Qt::Key_Enter:
            emit opened(job_);
            break;
        case Qt::Key_Space:
            togglePause();
            break;
        case Qt::Key_Delete:
            jobs_->cancel(job_);
            break;
        default:
            QFrame::keyPressEvent(event);
    }
}

}  // namespace tessera::ui
