#include "ui/views/runs/plan_question.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>
#include <utility>
#include <vector>

#include "core/report/plan_pictures.h"
#include "core/store/recorder.h"
#include "core/study/plan/study.h"
#include "ui/models/background.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/focus_start.h"
#include "ui/views/lazy_tabs.h"
#include "ui/views/plot/chart_pane.h"
#include "ui/views/plot/plot_widget.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

/// Reads the study's inputs as they were, where the history keeps them.
study::PlanAnswer answerOf(const FinishedRun& run, const std::string& configuration, const std::stop_token& cancel) {
    study::RunContext context;
    context.cancel = cancel;
    context.files = store::storedInputs(run.history, run.kept);
    const auto& outcome = run.result->outcome.get<study::PlanOutcome>();
    return study::askPlan(run.result->study, outcome.fleet, configuration, context);
}

report::Chart emptyChart() {
    report::Chart chart;
    chart.empty =
        "Type a configuration above, whole or in part. What it leaves open is chosen so that the step is shortest.";
    return chart;
}

}  // namespace

PlanQuestion::PlanQuestion(QWidget* parent)
    : QWidget(parent), field_(new QLineEdit), answer_(sentences()), chart_(new ChartPane({}, u"Answer"_s)) {
    field_->setPlaceholderText(u"tp=8,pp=16,mb=1"_s);
    field_->setAccessibleName(u"Configuration to ask about"_s);
    field_->setToolTip(
        u"tp, pp, dp, cp, ep: tensor, pipeline, data, context, expert parallel; etp: tensor parallel inside experts; "
        "vp: virtual stages; mb: micro-batch; zero; recompute; schedule; order; dtype; group"_s);
    auto* button = new QPushButton(u"Ask"_s);
    auto* row = bareLayout<QHBoxLayout>(theme().spacing(2));
    auto* label = new QLabel(u"Why not"_s);
    label->setBuddy(field_);
    row->addWidget(label);
    row->addWidget(field_, 1);
    row->addWidget(button);
    auto* column = bareLayout<QVBoxLayout>(this, theme().spacing(2));
    column->addLayout(row);
    column->addWidget(answer_);
    column->addWidget(chart_, 1);
    chart_->plot()->setExplainable(false);
    showHint();
    answer_->hide();
    setFocusStart(*this, *field_);
    const auto asked = [this] { ask(field_->text()); };
    connect(field_, &QLineEdit::returnPressed, this, asked);
    connect(button, &QPushButton::clicked, this, asked);
}

PlanQuestion::~PlanQuestion() {
    asking_.request_stop();
}

const study::PlanOutcome& PlanQuestion::outcome() const {
    return run_.result->outcome.get<study::PlanOutcome>();
}

QString PlanQuestion::question() const {
    return field_->text();
}

QString PlanQuestion::answer() const {
    return answer_->isHidden() ? QString() : answer_->text();
}

void PlanQuestion::giveUp() {
    asking_.request_stop();
    asking_ = std::stop_source();
}

void PlanQuestion::setRun(const FinishedRun& run) {
    if (run.result == run_.result) return;
    giveUp();
    run_ = run;
    if (outcome().asked) {
        field_->setText(toQt(outcome().asked->given));
        return show({.asked = *outcome().asked});
    }
    field_->clear();
    answer_->hide();
    showHint();
}

void PlanQuestion::showHint() {
    chart_->setTitles({});
    chart_->setCharts({emptyChart()});
}

void PlanQuestion::ask(const QString& configuration) {
    if (run_.result == nullptr || configuration.trimmed().isEmpty()) return;
    giveUp();
    field_->setText(configuration);
    answer_->hide();
    const std::stop_token cancel = asking_.get_token();
    const auto isCurrent = [this, cancel] { return cancel == asking_.get_token(); };
    inBackground(
        this,
        [run = run_, text = configuration.trimmed().toStdString(), cancel] { return answerOf(run, text, cancel); },
        [this, isCurrent](const study::PlanAnswer& found) {
            if (isCurrent()) show(found);
        },
        [this, isCurrent](const QString& problem) {
            if (!isCurrent()) return;
            showHint();
            say({problem}, u"bad"_s);
        });
}

void PlanQuestion::say(const QStringList& lines, const QString& tone) {
    setLook(*answer_, "tone", tone);
    answer_->setText(lines.join(QLatin1Char('\n')));
    answer_->show();
}

void PlanQuestion::show(const study::PlanAnswer& answer) {
    QStringList lines;
    for (const std::string& sentence : report::planAnswerSentences(outcome(), answer.asked))
        lines << shownText(sentence, 1000);
    std::vector<report::Chart> charts = report::planAnswerCharts(outcome(), answer);
    if (charts.empty()) charts.push_back({.empty = "This cannot be, whatever the memory."});
    chart_->setTitles(charts.size() > 1 ? QStringList{u"Whole step"_s, u"Overhead"_s} : QStringList());
    chart_->setCharts(std::move(charts));
    say(lines, answer.asked.evaluated ? QString() : u"bad"_s);
}

}  // namespace tessera::ui
