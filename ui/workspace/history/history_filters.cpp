#include "ui/workspace/history/history_filters.h"

#include <QComboBox>
#include <QDateTime>
#include <QHBoxLayout>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QTimer>
#include <QToolButton>

#include "core/study/study.h"
#include "ui/jobs/run_status.h"
#include "ui/theme/theme.h"
#include "ui/views/choice_bar.h"
#include "ui/workspace/history/metric_kinds.h"
#include "ui/workspace/words.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

/// Minimum widths in spacing steps, and in letters.
constexpr int kName = 34, kValue = 22, kLetters = 12;

constexpr store::RunStatus kStatuses[] = {
    store::RunStatus::running, store::RunStatus::queued, store::RunStatus::paused,   store::RunStatus::interrupted,
    store::RunStatus::done,    store::RunStatus::failed, store::RunStatus::cancelled};

struct TimeRow {
    const char* title;
    int days;
};
constexpr TimeRow kTimes[] = {
    {"Any time", 0}, {"Today", 1}, {"Last 7 days", 7}, {"Last 30 days", 30}, {"Last year", 365}};

QToolButton* filterToggle(const QString& text) {
    QToolButton* button = toggle(text);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setFocusPolicy(Qt::StrongFocus);
    return button;
}

}  // namespace

HistoryFilters::HistoryFilters(QWidget* parent)
    : QWidget(parent),
      search_(edit(u"Search the history"_s, u"Search names, tags, notes, models, hardware"_s)),
      model_(edit(u"Model"_s, u"Any model"_s)),
      hardware_(edit(u"Hardware"_s, u"Any hardware"_s)),
      min_(edit(u"Least value"_s, u"at least"_s)),
      max_(edit(u"Greatest value"_s, u"at most"_s)),
      status_(choice(u"Status"_s)),
      engine_(choice(u"Engine"_s)),
      tag_(choice(u"Tag"_s)),
      time_(choice(u"Time"_s)),
      metric_(choice(u"Metric"_s)),
      starred_(filterToggle({})),
      deleted_(filterToggle(u"Deleted"_s)),
      more_(filterToggle(u"More filters"_s)),
      clear_(new QToolButton),
      second_(new QWidget) {
    search_->setClearButtonEnabled(true);
    status_->addItem(u"Any status"_s);
    for (const store::RunStatus status : kStatuses) status_->addItem(statusText(status), static_cast<int>(status));
    engine_->addItem(u"Any engine"_s);
    for (const study::Engine& row : study::engines())
        engine_->addItem(engineText(std::string(row.id)), QString::fromStdString(std::string(row.id)));
    for (const TimeRow& row : kTimes) time_->addItem(QString::fromUtf8(row.title), row.days);
    setTags({});
    setMetrics({});
    clear_->setText(u"Clear"_s);
    clear_->setAutoRaise(true);
    clear_->setToolButtonStyle(Qt::ToolButtonTextOnly);
    clear_->setFocusPolicy(Qt::StrongFocus);
    starred_->setToolButtonStyle(Qt::ToolButtonIconOnly);
    starred_->setToolTip(u"Starred runs only"_s);
    starred_->setAccessibleName(u"Starred runs only"_s);
    search_->setMinimumWidth(theme().spacing(40));
    deleted_->setToolTip(u"Show deleted runs, which can be restored"_s);
    deleted_->setAccessibleName(u"Show deleted runs"_s);

    auto* first = bareLayout<QHBoxLayout>(theme().spacing(2));
    first->addWidget(search_, 3);
    for (QWidget* each : std::initializer_list<QWidget*>{status_, starred_, more_, clear_}) first->addWidget(each);
    auto* below = bareLayout<QVBoxLayout>(second_, theme().spacing(2));
    // Two lines, so that every field has room for what is typed into it.
    for (const auto& line : std::initializer_list<std::initializer_list<std::pair<QWidget*, int>>>{
             {{engine_, 0}, {model_, 1}, {hardware_, 1}, {tag_, 0}},
             {{time_, 0}, {metric_, 2}, {min_, 1}, {max_, 1}, {deleted_, 0}}}) {
        auto* row = bareLayout<QHBoxLayout>(theme().spacing(2));
        for (const auto& [widget, stretch] : line) row->addWidget(widget, stretch);
        below->addLayout(row);
    }
    for (QLineEdit* each : {model_, hardware_}) each->setMinimumWidth(theme().spacing(kName));
    for (QLineEdit* each : {min_, max_}) each->setMinimumWidth(theme().spacing(kValue));
    for (QComboBox* each : {tag_, metric_}) {  // names of people may be long
        each->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        each->setMinimumContentsLength(kLetters);
    }
    auto* column = bareLayout<QVBoxLayout>(this, theme().spacing(2));
    column->addLayout(first);
    column->addWidget(second_);
    second_->hide();

    auto* rest = new QTimer(this);
    rest->setSingleShot(true);
    rest->setInterval(kTypingMilliseconds);
    connect(rest, &QTimer::timeout, this, &HistoryFilters::changed);
    for (QLineEdit* each : {search_, model_, hardware_, min_, max_})
        connect(each, &QLineEdit::textChanged, this, [this, rest] {
            checkRange();
            rest->start();
        });
    for (QComboBox* each : {status_, engine_, tag_, time_, metric_})
        connect(each, &QComboBox::currentIndexChanged, this, [this] {
            checkRange();
            emit changed();
        });
    for (QToolButton* each : {starred_, deleted_})
        connect(each, &QToolButton::toggled, this, [this] {
            checkRange();
            emit changed();
        });
    connect(more_, &QToolButton::toggled, second_, &QWidget::setVisible);
    connect(clear_, &QToolButton::clicked, this, [this] { clear(); });
    const auto icons = [this] {
        starred_->setIcon(theme().icon(u"star"_s, "secondary"));
        more_->setIcon(theme().icon(u"filter"_s, "secondary"));
        deleted_->setIcon(theme().icon(u"delete"_s, "secondary"));
    };
    icons();
    connect(&theme(), &Theme::changed, this, icons);
    checkRange();
}

QLineEdit* HistoryFilters::edit(const QString& name, const QString& hint) {
    auto* made = new QLineEdit;
    made->setAccessibleName(name);
    made->setPlaceholderText(hint);
    return made;
}

QComboBox* HistoryFilters::choice(const QString& name) {
    auto* made = new QComboBox;
    made->setAccessibleName(name);
    made->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    return made;
}

void HistoryFilters::setTags(const QStringList& tags) {
    const QSignalBlocker quiet(tag_);
    const QString now = tag_->currentData().toString();
    tag_->clear();
    tag_->addItem(u"Any tag"_s);
    for (const QString& tag : tags) tag_->addItem(tag, tag);
    tag_->setCurrentIndex(std::max(0, tag_->findData(now.isEmpty() ? QVariant() : QVariant(now))));
}

void HistoryFilters::setMetrics(const MetricKinds& kinds) {
    kinds_ = kinds;
    const QSignalBlocker quiet(metric_);
    const QString now = metric_->currentData().toString();
    metric_->clear();
    metric_->addItem(u"Any value"_s);
    for (const study::Metric& kind : kinds.all()) {
        const QString name = QString::fromStdString(kind.name);
        metric_->addItem(kinds.title(name), name);
    }
    metric_->setCurrentIndex(std::max(0, metric_->findData(now.isEmpty() ? QVariant() : QVariant(now))));
    checkRange();
}

void HistoryFilters::checkRange() {
    const QString metric = metric_->currentData().toString();
    for (QLineEdit* each : {min_, max_}) {
        each->setEnabled(!metric.isEmpty());
        const bool wrong =
            !metric.isEmpty() && !each->text().trimmed().isEmpty() && !kinds_.value(metric, each->text());
        each->setToolTip(wrong ? u"This is no value of this metric; write it like %1"_s.arg(kinds_.text(metric, 0.0362))
                               : QString());
        setLook(*each, "wrong", wrong);
    }
    clear_->setVisible(isActive());
}

store::HistoryQuery HistoryFilters::query(store::HistoryQuery base) const {
    base.text = search_->text().trimmed().toStdString();
    base.model = model_->text().trimmed().toStdString();
    base.hardware = hardware_->text().trimmed().toStdString();
    base.engine = engine_->currentData().toString().toStdString();
    base.tag = tag_->currentData().toString().toStdString();
    base.status.reset();
    if (status_->currentIndex() > 0) base.status = static_cast<store::RunStatus>(status_->currentData().toInt());
    base.starred.reset();
    if (starred_->isChecked()) base.starred = true;
    base.from.reset();
    if (const int days = time_->currentData().toInt(); days > 0)
        base.from = QDate::currentDate().addDays(1 - days).startOfDay().toMSecsSinceEpoch();
    base.ranges.clear();
    if (const QString metric = metric_->currentData().toString(); !metric.isEmpty())
        base.ranges.push_back({.metric = metric.toStdString(),
                               .min = kinds_.value(metric, min_->text()),
                               .max = kinds_.value(metric, max_->text())});
    base.deleted = deleted_->isChecked();
    return base;
}

bool HistoryFilters::isActive() const {
    const QLineEdit* const edits[] = {search_, model_, hardware_};
    for (const QLineEdit* each : edits)
        if (!each->text().trimmed().isEmpty()) return true;
    const QComboBox* const choices[] = {status_, engine_, tag_, time_, metric_};
    for (const QComboBox* each : choices)
        if (each->currentIndex() > 0) return true;
    return starred_->isChecked() || deleted_->isChecked();
}

void HistoryFilters::clear() {
    {
        const QSignalBlocker quiet(this);
        for (QLineEdit* each : {search_, model_, hardware_, min_, max_}) each->clear();
        for (QComboBox* each : {status_, engine_, tag_, time_, metric_}) each->setCurrentIndex(0);
        starred_->setChecked(false);
        deleted_->setChecked(false);
    }
    checkRange();
    emit changed();
}

QJsonObject HistoryFilters::save() const {
    return {{"text", search_->text()},
            {"model", model_->text()},
            {"hardware", hardware_->text()},
            {"status", status_->currentIndex()},
            {"time", time_->currentIndex()},
            {"starred", starred_->isChecked()},
            {"engine", engine_->currentData().toString()},
            {"more", more_->isChecked()}};
}

void HistoryFilters::restore(const QJsonObject& saved) {
    search_->setText(saved["text"].toString().left(1000));
    model_->setText(saved["model"].toString().left(1000));
    hardware_->setText(saved["hardware"].toString().left(1000));
    status_->setCurrentIndex(qBound(0, saved["status"].toInt(), status_->count() - 1));
    engine_->setCurrentIndex(std::max(0, engine_->findData(saved["engine"].toString())));
    time_->setCurrentIndex(qBound(0, saved["time"].toInt(), time_->count() - 1));
    starred_->setChecked(saved["starred"].toBool());
    more_->setChecked(saved["more"].toBool());
}

}  // namespace tessera::ui
