#include "ui/workspace/calibration/calibration_dialog.h"

#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

#include "core/base/units.h"
#include "ui/editors/edited_file.h"
#include "ui/editors/input_choices.h"
#include "ui/editors/problem.h"
#include "ui/models/background.h"
#include "ui/models/document_keys.h"
#include "ui/models/engine_words.h"
#include "ui/models/text.h"
#include "ui/views/message_bar.h"
#include "ui/views/runs/run_progress.h"
#include "ui/views/text_label.h"
#include "ui/workspace/calibration/calibration_result.h"
#include "ui/workspace/calibration/calibration_setup.h"
#include "ui/workspace/questions.h"
#include "ui/workspace/words.h"

namespace tessera::ui {

namespace {

namespace fs = std::filesystem;

constexpr int kWidthSteps = 190, kHeightSteps = 162;  ///< of the dialog, in spacing steps
constexpr int kFullBar = 1000;
constexpr int kStageTitle = 200;
constexpr const char* kDtype = "fp32";  ///< that kernels are measured in

/// The name by which studies and documents know an accelerator: in the library, or its path.
QString nameOf(const fs::path& file) {
    const std::string stem = file.stem().string();
    std::error_code ignored;
    return fs::equivalent(findInLibrary("accelerators", stem), file, ignored) ? QString::fromStdString(stem)
                                                                              : QString::fromStdString(file.string());
}

QString keyOf(const fs::path& file) {
    const QString name = nameOf(file);
    return QFileInfo(name).isAbsolute() ? name : QStringLiteral("accelerator/") + name;
}

/// The page in the middle: what is measured, what was, what will be, and for how long.
class Measuring : public QWidget {
public:
    Measuring()
        : title_(textLabel({}, Theme::Text::headline, {}, true, true)),
          times_(textLabel({})),
          bar_(new QProgressBar),
          busy_(new MessageBar) {
        auto* column = new QVBoxLayout(this);
        const int side = theme().spacing(4);
        column->setContentsMargins(side, theme().spacing(4), side, theme().spacing(4));
        column->setSpacing(theme().spacing(2));
        times_->setFont(theme().font(Theme::Text::base, false, true));
        setLook(*times_, "tone", QStringLiteral("secondary"));
        bar_->setTextVisible(false);
        bar_->setRange(0, kFullBar);
        bar_->setAccessibleName(CalibrationDialog::tr("Progress of the measurement"));
        column->addWidget(busy_);
        column->addStretch(1);
        column->addWidget(title_);
        column->addWidget(times_);
        column->addWidget(bar_);
        column->addSpacing(theme().spacing(4));
        auto* grid = new QGridLayout;
        grid->setHorizontalSpacing(theme().spacing(3));
        grid->setVerticalSpacing(theme().spacing(3));
        grid->setColumnMinimumWidth(1, kStageTitle);
        grid->setColumnStretch(2, 1);
        for (const calibrate::Stage& stage : calibrate::stages()) addRow(*grid, stage);
        column->addLayout(grid);
        column->addSpacing(theme().spacing(4));
        column->addWidget(textLabel(CalibrationDialog::tr("The window can be used meanwhile, but whatever else this "
                                                          "computer does now is measured, too."),
                                    Theme::Text::base, QStringLiteral("secondary"), false, true));
        column->addStretch(2);
    }

    MessageBar* busy() { return busy_; }

    void begin() { shown_ = 0; }

    void show(const CalibrationProgress& now, bool cancelling) {
        const std::vector<calibrate::Stage>& stages = calibrate::stages();
        title_->setText(cancelling      ? CalibrationDialog::tr("Cancelling…")
                        : now.stage < 0 ? CalibrationDialog::tr("Getting ready")
                                        : CalibrationDialog::tr("Measuring %1")
                                              .arg(toQt(stages[static_cast<std::size_t>(now.stage)].title).toLower()));
        times_->setText(
            now.secondsLeft > 0
                ? CalibrationDialog::tr("%1 measured · about %2 left")
                      .arg(durationText(now.seconds), durationText(now.secondsLeft))
                : CalibrationDialog::tr("%1 measured · the last ones are on their way").arg(durationText(now.seconds)));
        // Never backwards, though what is left is a guess.
        const double share = now.seconds / std::max(now.seconds + now.secondsLeft, 1e-9);
        shown_ = std::max(shown_, static_cast<int>(kFullBar * share));
        bar_->setValue(shown_);
        for (std::size_t i = 0; i < rows_.size(); ++i) showRow(rows_[i], static_cast<int>(i), now);
    }

private:
    struct Row {
        QToolButton* icon;
        QLabel *title, *count;
        int shown = -1;  ///< before, at, behind
    };

    void addRow(QGridLayout& grid, const calibrate::Stage& stage) {
        Row row{.icon = new QToolButton,
                .title = textLabel(toQt(stage.title)),
                .count = textLabel({}, Theme::Text::base, QStringLiteral("secondary"))};
        auto* what = textLabel(toQt(stage.what), Theme::Text::base, QStringLiteral("secondary"), false, true);
        row.count->setFont(theme().font(Theme::Text::base, false, true));
        row.icon->setProperty("picture", true);  // recoloured by itself, unlike a pixmap
        row.icon->setIconSize(QSize(18, 18));
        row.icon->setFocusPolicy(Qt::NoFocus);
        row.icon->setAttribute(Qt::WA_TransparentForMouseEvents);
        const int at = static_cast<int>(rows_.size());
        grid.addWidget(row.icon, at, 0);
        grid.addWidget(row.title, at, 1);
        grid.addWidget(what, at, 2);
        grid.addWidget(row.count, at, 3, Qt::AlignRight);
        rows_.push_back(row);
    }

    static void showRow(Row& row, int index, const CalibrationProgress& now) {
        const int state = index > now.stage ? 0 : index == now.stage ? 1 : 2;
        row.count->setText(state == 1 && now.total > 0 ? CalibrationDialog::tr("%1 of %2").arg(now.done).arg(now.total)
                                                       : QString());
        if (std::exchange(row.shown, state) == state) return;
        constexpr std::pair<const char*, const char*> kIcons[] = {
            {"queued", "disabled"}, {"run", "accent"}, {"done", "good"}};
        row.icon->setIcon(theme().icon(QLatin1String(kIcons[state].first), kIcons[state].second));
        setLook(*row.title, "tone", state == 0 ? QStringLiteral("secondary") : QString());
        setLook(*row.title, "emphasis", state == 1 ? QStringLiteral("strong") : QString());
        row.title->setAccessibleDescription(state == 0   ? CalibrationDialog::tr("not yet")
                                            : state == 1 ? CalibrationDialog::tr("being measured")
                                                         : CalibrationDialog::tr("done"));
    }

    QLabel *title_, *times_;
    QProgressBar* bar_;
    MessageBar* busy_;
    std::vector<Row> rows_;
    int shown_ = 0;
};

}  // namespace

struct CalibrationDialog::Implementation {
    Implementation(CalibrationDialog* dialog, CalibrationRun::Calibrator calibrator)
        : owner(dialog), run(std::move(calibrator)) {}

    enum Page { settingUp, measuring, looking };

    void build();
    QPushButton* button(const QString& title, const QString& hint, std::function<void()> click);
    void show(Page page);
    void showRunsAtWork() const;
    void start();
    void finished(const CalibrationOutcome& outcome);
    void kept(const calibrate::Files& files);
    void keepElsewhere(const std::function<void()>& then);
    void close();
    void askToCancel();
    void askToDiscard(const std::function<void()>& then);

    CalibrationDialog* owner;
    CalibrationRun run;
    int runsAtWork = 0;
    bool closing = false;  ///< as soon as the measurement has ended
    std::shared_ptr<const calibrate::Calibration> made;
    std::optional<calibrate::Files> written;
    QVector<QLabel*> steps;
    QStackedWidget* pages = nullptr;
    CalibrationSetup* setup = nullptr;
    Measuring* progress = nullptr;
    CalibrationResult* result = nullptr;
    QPushButton *begin = nullptr, *cancel = nullptr, *again = nullptr, *predict = nullptr, *open = nullptr,
                *shut = nullptr;
};

CalibrationDialog::CalibrationDialog(CalibrationRun::Calibrator calibrator, QWidget* parent)
    : QDialog(parent), d_(std::make_unique<Implementation>(this, std::move(calibrator))) {
    d_->build();
}

CalibrationDialog::~CalibrationDialog() = default;

QPushButton* CalibrationDialog::Implementation::button(const QString& title, const QString& hint,
                                                       std::function<void()> click) {
    auto* each = new QPushButton(title);
    each->setToolTip(hint);
    each->setAutoDefault(false);
    connect(each, &QPushButton::clicked, owner, std::move(click));
    return each;
}

void CalibrationDialog::Implementation::build() {
    owner->setWindowTitle(tr("Calibrate this machine"));
    owner->setModal(false);
    auto* column = new QVBoxLayout(owner);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);

    auto* head = new QHBoxLayout;
    const int side = theme().spacing(4);
    head->setContentsMargins(side, theme().spacing(3), side, theme().spacing(3));
    head->setSpacing(theme().spacing(2));
    for (const QString& step : {tr("Set up"), tr("Measure"), tr("Result")}) {
        if (!steps.isEmpty())
            head->addWidget(textLabel(QStringLiteral("›"), Theme::Text::base, QStringLiteral("secondary")));
        steps.append(textLabel(step));
        head->addWidget(steps.back());
    }
    head->addStretch(1);
    column->addLayout(head);
    const auto line = [&] {
        auto* rule = new QFrame;
        rule->setProperty("line", true);
        rule->setFixedHeight(1);
        column->addWidget(rule);
    };
    line();

    setup = new CalibrationSetup;
    progress = new Measuring;
    result = new CalibrationResult;
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setProperty("ground", "surface");
    scroll->setWidget(setup);
    pages = new QStackedWidget;
    pages->addWidget(scroll);
    pages->addWidget(progress);
    pages->addWidget(result);
    pages->setProperty("ground", "surface");
    pages->setAttribute(Qt::WA_StyledBackground);
    setup->setProperty("ground", "surface");
    column->addWidget(pages, 1);
    line();

    shut = button(tr("Close"), tr("Close this window (Escape)"), [this] { owner->reject(); });
    again = button(tr("Measure again…"), tr("Back to the set-up"), [this] {
        if (written || made == nullptr)
            show(settingUp);
        else
            askToDiscard([this] { show(settingUp); });
    });
    predict = button(tr("Predict with it…"), tr("A new prediction with this accelerator chosen"), [this] {
        emit owner->openRequested(QStringLiteral("study"),
                                  newStudyKey(idOf(engineOn("accelerator")), QString::fromStdString(run.order().model),
                                              nameOf(written->accelerator), QLatin1String(kDtype)));
    });
    open = button(tr("Open accelerator"), tr("Every number, with where it is from"),
                  [this] { emit owner->openRequested(QStringLiteral("hardware"), keyOf(written->accelerator)); });
    cancel = button(tr("Cancel"), tr("Stop measuring; nothing is kept"), [this] { run.cancel(); });
    begin = button(tr("Measure"), tr("Begin to measure"), [this] { start(); });
    auto* foot = new QHBoxLayout;
    foot->setContentsMargins(side, theme().spacing(3), side, theme().spacing(3));
    foot->setSpacing(theme().spacing(2));
    foot->addWidget(again);
    foot->addStretch(1);
    for (QPushButton* each : {shut, cancel, predict, open, begin}) foot->addWidget(each);
    column->addLayout(foot);

    connect(&run, &CalibrationRun::progressed, owner, [this] {
        cancel->setEnabled(!run.isCancelling());
        progress->show(run.progress(), run.isCancelling());
    });
    connect(&run, &CalibrationRun::finished, owner, [this](const CalibrationOutcome& outcome) { finished(outcome); });
    connect(result, &CalibrationResult::placeRequested, owner, [this] { keepElsewhere({}); });
    owner->resize(theme().spacing(kWidthSteps), theme().spacing(kHeightSteps));
    show(settingUp);
}

void CalibrationDialog::Implementation::show(Page page) {
    pages->setCurrentIndex(page);
    for (int i = 0; i < steps.size(); ++i) {
        setLook(*steps[i], "tone", i == page ? QString() : QStringLiteral("secondary"));
        setLook(*steps[i], "emphasis", i == page ? QStringLiteral("strong") : QString());
    }
    begin->setVisible(page == settingUp);
    cancel->setVisible(page == measuring);
    for (QPushButton* each : {again, predict, open}) each->setVisible(page == looking);
    for (QPushButton* each : {predict, open}) each->setEnabled(written.has_value());
    shut->setVisible(page != measuring);
    QPushButton* main = page == settingUp ? begin : page == looking ? open : nullptr;
    for (QPushButton* each : {begin, open}) {
        each->setDefault(each == main);
        setLook(*each, "emphasis", each == main ? QStringLiteral("primary") : QString());
    }
    if (page == settingUp) {
        setup->offerChoices();
        setup->setFocus();
    }
    if (page == measuring) cancel->setFocus();
    if (page == looking) (written ? open : again)->setFocus();
    showRunsAtWork();
}

void CalibrationDialog::Implementation::showRunsAtWork() const {
    setup->setRunsAtWork(runsAtWork);
    if (runsAtWork == 0)
        progress->busy()->hide();
    else
        progress->busy()->showMessage(MessageBar::Kind::warning,
                                      runsAtWork == 1
                                          ? tr("A run is at work, and is measured, too.")
                                          : tr("%1 runs are at work, and are measured, too.").arg(runsAtWork));
}

void CalibrationDialog::Implementation::start() {
    const std::optional<CalibrationOrder> order = setup->order();
    if (!order) return;
    setup->clearProblem();
    rememberModel(QString::fromStdString(order->model));
    made = nullptr;
    written.reset();
    progress->begin();
    show(measuring);
    run.start(*order);
}

void CalibrationDialog::Implementation::finished(const CalibrationOutcome& outcome) {
    using End = CalibrationOutcome::End;
    made = outcome.made;
    switch (outcome.end) {
        case End::written:
        case End::notWritten:
            result->setCalibration(made);
            if (outcome.end == End::written)
                kept(run.order().files);
            else
                result->showNotWritten(outcome.problem);
            show(looking);
            break;
        case End::cancelled:
            show(settingUp);
            break;
        case End::modelNotRead:
        case End::failed:
            show(settingUp);
            setup->showProblem(outcome.problem, outcome.end == End::modelNotRead);
            break;
    }
    if (std::exchange(closing, false) && !owner->isUnkept()) close();
}

void CalibrationDialog::Implementation::kept(const calibrate::Files& files) {
    written = files;
    result->showWritten(files);
    emit owner->written(keyOf(files.accelerator));
}

/// Another place for what could not be written to the first one.
void CalibrationDialog::Implementation::keepElsewhere(const std::function<void()>& then) {
    asker().saveFile(
        *owner, tr("Keep the accelerator in a file"), QString::fromStdString(run.order().files.accelerator.filename()),
        tr("Accelerators (*.json)"), [this, then](const QString& path) {
            const QString whole = QFileInfo(path).suffix().isEmpty() ? path + QStringLiteral(".json") : path;
            inBackground(
                owner,
                [made = made, files = calibrate::filesAt(whole.toStdString())] {
                    calibrate::write(*made, files);
                    return files;
                },
                [this, then](const calibrate::Files& files) {
                    kept(files);
                    show(looking);
                    if (then) then();
                },
                [this](const QString& problem) { result->showNotWritten(problem); });
        });
}

void CalibrationDialog::Implementation::close() {
    owner->QDialog::reject();
}

void CalibrationDialog::Implementation::askToCancel() {
    asker().ask(*owner,
                {.title = tr("This machine is being measured"),
                 .sentence = tr("Nothing is kept of a measurement that ends early."),
                 .answers = {tr("Stop measuring"), tr("Keep measuring")},
                 .escape = 1},
                [this](int answer) {
                    if (answer != 0) return;
                    if (!run.isWorking()) {  // it ended while the question was open
                        if (!owner->isUnkept()) close();
                        return;
                    }
                    closing = true;
                    run.cancel();
                });
}

void CalibrationDialog::Implementation::askToDiscard(const std::function<void()>& then) {
    asker().ask(*owner,
                {.title = tr("The measurement is not kept yet"),
                 .sentence = tr("It could not be written to its place, and is lost unless it is kept elsewhere."),
                 .answers = {tr("Keep it elsewhere…"), tr("Discard it"), tr("Look at it")},
                 .escape = 2},
                [this, then](int answer) {
                    if (answer == 0) keepElsewhere(then);
                    if (answer != 1) return;
                    made = nullptr;
                    then();
                });
}

bool CalibrationDialog::isMeasuring() const {
    return d_->run.isWorking();
}

bool CalibrationDialog::isUnkept() const {
    return d_->made != nullptr && !d_->written;
}

void CalibrationDialog::setRunsAtWork(int runs) {
    if (std::exchange(d_->runsAtWork, runs) != runs) d_->showRunsAtWork();
}

void CalibrationDialog::offerChoices() {
    d_->setup->offerChoices();
}

void CalibrationDialog::chooseModel(const QString& model) {
    d_->setup->chooseModel(model);
}

/// Escape, the button, and the window's own cross.
void CalibrationDialog::reject() {
    if (d_->run.isWorking())
        d_->askToCancel();
    else if (isUnkept())
        d_->askToDiscard([this] { d_->close(); });
    else
        QDialog::reject();
}

}  // namespace tessera::ui
