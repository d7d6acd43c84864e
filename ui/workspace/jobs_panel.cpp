#include "ui/workspace/jobs_panel.h"

#include <QVBoxLayout>

#include "ui/jobs/jobs.h"
#include "ui/theme/theme.h"
#include "ui/views/empty_state.h"
#include "ui/views/focus_start.h"
#include "ui/workspace/job_row.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

JobsPanel::JobsPanel(JobQueue& jobs, QWidget* parent)
    : QWidget(parent),
      jobs_(&jobs),
      scroll_(new QScrollArea),
      column_(new QVBoxLayout),
      hint_(new EmptyState({}, u"Nothing is running. Open a study and press Run."_s)) {
    auto* content = new QWidget;
    content->setAttribute(Qt::WA_StyledBackground);
    setLook(*content, "ground", "surface");
    content->setLayout(column_);
    column_->setContentsMargins(0, 0, 0, 0);
    column_->setSpacing(0);
    column_->addStretch(1);
    scroll_->setWidget(content);
    scroll_->setWidgetResizable(true);
    scroll_->setFrameShape(QFrame::NoFrame);
    scroll_->setAccessibleName(u"Jobs"_s);
    scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* outer = bareLayout<QVBoxLayout>(this);
    outer->addWidget(hint_);
    outer->addWidget(scroll_);
    setFocusStart(*this, *scroll_);
    connect(jobs_, &JobQueue::added, this, &JobsPanel::add);
    connect(jobs_, &JobQueue::removed, this, &JobsPanel::remove);
    connect(jobs_, &JobQueue::finished, this, [this] { trim(); });
    connect(jobs_, &JobQueue::changed, this, [this](int job) {
        if (JobRow* row = rows_.value(job)) row->refresh();
    });
    const QVector<int> present = jobs_->jobs();
    for (auto job = present.rbegin(); job != present.rend(); ++job) add(*job);
    updateEmptyHint();
}

int JobsPanel::rows() const {
    return static_cast<int>(rows_.size());
}

void JobsPanel::add(int job) {
    auto* row = new JobRow(*jobs_, job);
    connect(row, &JobRow::opened, this, &JobsPanel::opened);
    column_->insertWidget(0, row);
    rows_.insert(job, row);
    updateEmptyHint();
}

void JobsPanel::remove(int job) {
    if (JobRow* row = rows_.take(job)) row->deleteLater();
    updateEmptyHint();
}

void JobsPanel::trim() {
    int finished = 0;
    for (const int job : jobs_->jobs())
        if (!isWorking(jobs_->state(job).status) && ++finished > kMaxFinished) jobs_->forget(job);
}

void JobsPanel::updateEmptyHint() {
    hint_->setVisible(rows_.isEmpty());
    scroll_->setVisible(!rows_.isEmpty());
}

}  // namespace tessera::ui
