#include "ui/views/runs/solving_pages.h"

#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QThreadPool>
#include <QVBoxLayout>
#include <cmath>
#include <utility>

#include "core/base/progress.h"
#include "core/store/recorder.h"
#include "ui/theme/theme.h"
#include "ui/views/empty_state.h"
#include "ui/views/lazy_tabs.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr int kDrawMilliseconds = 50;
constexpr int kParts = 1000;  ///< of the progress bar

}  // namespace

SolvingPages::OutsideThreadPool::OutsideThreadPool() {
    QThreadPool::globalInstance()->releaseThread();
}

SolvingPages::OutsideThreadPool::~OutsideThreadPool() {
    QThreadPool::globalInstance()->reserveThread();
}

SolvingPages::SolvingPages(Texts texts, QWidget* found, QWidget* parent)
    : QStackedWidget(parent),
      texts_(std::move(texts)),
      hint_(new EmptyState(u"scaling"_s, {})),
      ask_(hint_->addAction({}, u"run"_s, [this] { emit requested(); })),
      task_(new QLabel),
      bar_(new QProgressBar),
      notes_(sentences()) {
    addWidget(hint_);
    addWidget(workingPage());
    addWidget(foundPage(found));
    drawing_.setInterval(kDrawMilliseconds);
    connect(&drawing_, &QTimer::timeout, this, &SolvingPages::showProgress);
}

SolvingPages::~SolvingPages() {
    if (work_) work_->cancel.request_stop();
}

QWidget* SolvingPages::workingPage() {
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    task_->setTextFormat(Qt::PlainText);
    task_->setAlignment(Qt::AlignCenter);
    setLook(*task_, "tone", u"secondary"_s);
    bar_->setRange(0, kParts);
    bar_->setFixedWidth(theme().spacing(80));
    bar_->setAccessibleName(texts_.bar);
    auto* stop = new QPushButton(u"Cancel"_s);
    connect(stop, &QPushButton::clicked, this, &SolvingPages::cancelRequested);
    column->addStretch();
    column->addWidget(task_);
    column->addWidget(bar_, 0, Qt::AlignHCenter);
    column->addWidget(stop, 0, Qt::AlignHCenter);
    column->addStretch();
    return page;
}

QWidget* SolvingPages::foundPage(QWidget* found) {
    setLook(*notes_, "tone", u"secondary"_s);
    auto* page = new QWidget;
    auto* column = bareLayout<QVBoxLayout>(page, theme().spacing(2));
    column->addWidget(found, 1);
    column->addWidget(notes_);
    return page;
}

void SolvingPages::say(const QString& sentence, const QString& button) {
    hint_->setSentence(sentence);
    ask_->setText(button);
    ask_->setVisible(!button.isEmpty());
    setCurrentIndex(0);
}

void SolvingPages::showWorking() {
    setCurrentIndex(1);
}

void SolvingPages::showFound(const QString& notes) {
    notes_->setText(notes);
    setCurrentIndex(2);
}

std::shared_ptr<SolvingPages::Work> SolvingPages::begin() {
    work_ = std::make_shared<Work>();
    showProgress();
    showWorking();
    drawing_.start();
    return work_;
}

void SolvingPages::end() {
    work_.reset();
    drawing_.stop();
}

bool SolvingPages::giveUp() {
    if (!work_) return false;
    work_->cancel.request_stop();
    end();
    return true;
}

study::RunContext SolvingPages::contextOf(const std::shared_ptr<Work>& work, const std::filesystem::path& history,
                                          store::RunId kept) {
    study::RunContext context;
    context.cancel = work->cancel.get_token();
    context.progress = [work](const ProgressEvent& event) {
        work->done = event.done;
        work->total = event.total;
    };
    context.files = store::storedInputs(history, kept);
    return context;
}

void SolvingPages::showProgress() {
    if (!work_) return;
    const double total = work_->total;
    bar_->setValue(total > 0 ? static_cast<int>(kParts * work_->done / total) : 0);
    task_->setText(total > 0 ? texts_.progress.arg(std::floor(work_->done.load())).arg(total)
                             : u"Reading the study's inputs…"_s);
}

}  // namespace tessera::ui
