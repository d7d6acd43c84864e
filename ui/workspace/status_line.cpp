#include "ui/workspace/status_line.h"

#include <QHBoxLayout>
#include <QProgressBar>
#include <QToolButton>
#include <algorithm>

#include "ui/jobs/jobs.h"
#include "ui/theme/theme.h"
#include "ui/workspace/elided_label.h"
#include "ui/workspace/job_row.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

/// The newest run at work, else the newest of all; 0 = there is none.
int reportedJob(const JobQueue& jobs) {
    const QVector<int> all = jobs.jobs();
    const auto working =
        std::find_if(all.begin(), all.end(), [&](int job) { return isWorking(jobs.state(job).status); });
    if (working != all.end()) return *working;
    return all.isEmpty() ? 0 : all.front();
}

}  // namespace

StatusLine::StatusLine(JobQueue& jobs, const MessagesPanel& messages, QWidget* parent)
    : QFrame(parent),
      jobs_(&jobs),
      messages_(&messages),
      jobsButton_(button(u"jobs"_s, u"Show or hide the jobs"_s)),
      jobText_(new ElidedLabel),
      bar_(new QProgressBar),
      pause_(button(u"pause"_s, u"Pause"_s)),
      stop_(button(u"stop"_s, u"Stop and keep the best"_s)),
      open_(button(u"open"_s, u"Open this run"_s)),
      messageText_(new ElidedLabel),
      messagesButton_(button(u"messages"_s, u"Show or hide the messages"_s)) {
    setAccessibleName(u"Status"_s);
    setAttribute(Qt::WA_StyledBackground);
    setLook(*this, "ground", "surface");
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(theme().spacing(2), 2, theme().spacing(2), 2);
    line->setSpacing(theme().spacing(2));
    jobText_->setFont(theme().font(Theme::Text::base, false, true));
    for (ElidedLabel* text : {jobText_, messageText_}) {
        text->setToken("secondary");
        text->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    }
    bar_->setTextVisible(false);
    bar_->setFixedWidth(theme().spacing(24));
    bar_->setAccessibleName(u"Progress of the run at work"_s);
    jobsButton_->setCheckable(true);
    messagesButton_->setCheckable(true);
    line->addWidget(jobsButton_);
    line->addWidget(bar_);
    line->addWidget(jobText_, 3);
    for (QToolButton* each : {pause_, stop_, open_}) line->addWidget(each);
    line->addStretch(1);
    line->addWidget(messageText_, 2);
    line->addWidget(messagesButton_);
    connect(jobsButton_, &QToolButton::clicked, this, &StatusLine::jobsToggled);
    connect(messagesButton_, &QToolButton::clicked, this, &StatusLine::messagesToggled);
    connect(pause_, &QToolButton::clicked, this, [this] { togglePause(); });
    connect(stop_, &QToolButton::clicked, this, [this] { jobs_->stop(job_); });
    connect(open_, &QToolButton::clicked, this, [this] { emit jobOpened(job_); });
    connect(jobs_, &JobQueue::added, this, [this] { refresh(); });
    connect(jobs_, &JobQueue::removed, this, [this] { refresh(); });
    connect(jobs_, &JobQueue::changed, this, [this] { refresh(); });
    connect(messages_, &MessagesPanel::changed, this, [this] { showMessages(); });
    connect(&theme(), &Theme::changed, this, [this] { refreshIcons(); });
    refresh();
    showMessages();
    refreshIcons();
}

QToolButton* StatusLine::button(const QString& icon, const QString& hint) {
    auto* made = new QToolButton(this);
    made->setObjectName(icon);
    made->setAutoRaise(true);
    made->setFocusPolicy(Qt::StrongFocus);
    setLook(*made, "compact", true);
    made->setToolTip(hint);
    made->setAccessibleName(hint);
    return made;
}

void StatusLine::refreshIcons() {
    for (QToolButton* each : {jobsButton_, pause_, stop_, open_}) each->setIcon(theme().icon(each->objectName()));
    const MessagesPanel::Look look = MessagesPanel::lookOf(messages_->worst());
    messagesButton_->setIcon(theme().icon(messages_->count() == 0 ? u"messages"_s : look.icon, look.token));
}

void StatusLine::refresh() {
    job_ = reportedJob(*jobs_);
    const RunState state = jobs_->state(job_);
    const bool working = job_ != 0 && isWorking(state.status);
    const bool started = working && state.status != store::RunStatus::queued;
    const bool paused = state.status == store::RunStatus::paused;
    jobText_->setText(jobText());
    bar_->setVisible(started);
    JobRow::showProgress(*bar_, state);
    pause_->setVisible(started);
    stop_->setVisible(started);
    open_->setVisible(job_ != 0);
    const QString icon = paused ? u"run"_s : u"pause"_s;
    if (pause_->objectName() == icon) return;
    pause_->setObjectName(icon);
    pause_->setToolTip(paused ? u"Continue"_s : u"Pause"_s);
    pause_->setAccessibleName(pause_->toolTip());
    refreshIcons();
}

QString StatusLine::jobText() const {
    if (job_ == 0) return u"Nothing is running"_s;
    const RunState state = jobs_->state(job_);
    const int others = jobs_->working() - 1;
    const QString text = state.title + u" · "_s + JobRow::factsOf(state);
    return others > 0 ? u"%1 · %2 more"_s.arg(text).arg(others) : text;
}

QString StatusLine::messageText() const {
    const int count = messages_->count();
    if (count == 0) return u"No messages"_s;
    return (count == 1 ? u"1 message"_s : u"%1 messages"_s.arg(count)) + u" · "_s + messages_->text(count - 1);
}

void StatusLine::showMessages() {
    messageText_->setText(messageText());
    refreshIcons();
}

void StatusLine::setOpen(bool jobs, bool messages) {
    jobsButton_->setChecked(jobs);
    messagesButton_->setChecked(messages);
}

void StatusLine::togglePause() {
    if (jobs_->state(job_).status == store::RunStatus::paused)
        jobs_->unpause(job_);
    else
        jobs_->pause(job_);
}

}  // namespace tessera::ui
