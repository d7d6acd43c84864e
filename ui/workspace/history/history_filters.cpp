#include "ui/workspace/history/history_filters.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QHBoxLayout>
#include <QJsonArray>
#include <QJsonObject>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QStringListModel>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "core/study/study.h"
#include "ui/jobs/run_status.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/flow_layout.h"
#include "ui/workspace/history/metric_kinds.h"
#include "ui/workspace/words.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr store::RunStatus kStatuses[] = {
    store::RunStatus::running, store::RunStatus::queued, store::RunStatus::paused,   store::RunStatus::interrupted,
    store::RunStatus::done,    store::RunStatus::failed, store::RunStatus::cancelled};
constexpr const char* kTimes[] = {"today", "7 days", "30 days", "365 days"};
constexpr qsizetype kMaxListedTags = 30;
constexpr qsizetype kMaxChips = 24;
constexpr qsizetype kLongestCondition = 1000;

}  // namespace

HistoryFilters::HistoryFilters(QWidget* parent)
    : QWidget(parent),
      search_(new QLineEdit),
      add_(new QToolButton),
      clear_(new QToolButton),
      menu_(new QMenu(this)),
      line_(new QWidget),
      chips_(new FlowLayout(line_)),
      problem_(new QLabel),
      completer_(new QCompleter(this)),
      completions_(new QStringListModel(this)) {
    search_->setAccessibleName(u"Search the history"_s);
    search_->setPlaceholderText(u"Search names, tags, notes, models, hardware, or write a condition: gap < 5 %"_s);
    search_->setToolTip(
        u"Words find runs at once. A condition such as \u201cgap < 5 %\u201d, \u201cengine: plan\u201d or "
        "\u201ctag: night\u201d becomes a filter with Enter."_s);
    search_->setClearButtonEnabled(true);
    search_->setMinimumWidth(theme().spacing(40));
    search_->installEventFilter(this);
    add_->setText(u"Add filter"_s);
    add_->setAccessibleName(u"Add a filter"_s);
    add_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    add_->setPopupMode(QToolButton::InstantPopup);
    add_->setFocusPolicy(Qt::StrongFocus);
    add_->setMenu(menu_);
    clear_->setText(u"Clear"_s);
    clear_->setToolTip(u"Takes all filters off"_s);
    clear_->setAutoRaise(true);
    clear_->setFocusPolicy(Qt::StrongFocus);
    chips_->setSpacing(theme().spacing());
    problem_->setTextFormat(Qt::PlainText);
    problem_->setWordWrap(true);
    setLook(*problem_, "tone", "bad");
    problem_->hide();

    completer_->setModel(completions_);
    completer_->setCaseSensitivity(Qt::CaseInsensitive);
    completer_->setFilterMode(Qt::MatchStartsWith);
    completer_->setCompletionMode(QCompleter::PopupCompletion);
    search_->setCompleter(completer_);

    auto* first = bareLayout<QHBoxLayout>(theme().spacing(2));
    first->addWidget(search_, 1);
    first->addWidget(add_);
    first->addWidget(clear_);
    auto* column = bareLayout<QVBoxLayout>(this, theme().spacing(2));
    column->addLayout(first);
    column->addWidget(problem_);
    column->addWidget(line_);

    auto* rest = new QTimer(this);
    rest->setSingleShot(true);
    rest->setInterval(kTypingMilliseconds);
    connect(rest, &QTimer::timeout, this, &HistoryFilters::changed);
    connect(search_, &QLineEdit::textChanged, this, [this, rest] {
        showProblem({});
        clear_->setVisible(isActive());
        rest->start();
    });
    connect(search_, &QLineEdit::returnPressed, this, &HistoryFilters::enter);
    connect(menu_, &QMenu::aboutToShow, this, &HistoryFilters::fillMenu);
    connect(clear_, &QToolButton::clicked, this, [this] { clear(); });
    const auto icons = [this] { add_->setIcon(theme().icon(u"filter"_s, "secondary")); };
    showChips();
    icons();
    connect(&theme(), &Theme::changed, this, icons);
    fillCompleter();
}

void HistoryFilters::setTags(const QStringList& tags) {
    if (tags == tags_) return;
    tags_ = tags;
    fillCompleter();
}

void HistoryFilters::setMetrics(const MetricKinds& kinds) {
    kinds_ = kinds;
    fillCompleter();
    const QStringList waiting = std::exchange(waiting_, {});
    bool any = false;
    for (const QString& condition : waiting) {
        QString ignored;
        any = insert(condition, ignored) || any;
    }
    if (!any) return;
    showChips();
    emit changed();
}

/// What a condition may begin with, and values that are known.
void HistoryFilters::fillCompleter() {
    QStringList words;
    for (const std::string& word : store::conditionWords()) words.append(toQt(word));
    for (const study::Engine& engine : study::engines()) words.append(u"engine: "_s + toQt(engine.id));
    for (const store::RunStatus status : kStatuses) words.append(u"status: "_s + toQt(store::nameOf(status)));
    for (const char* time : kTimes) words.append(u"since: "_s + QLatin1String(time));
    for (const QString& tag : tags_) words.append(u"tag: "_s + tag);
    for (const study::Metric& kind : kinds_.all())
        if (kind.owner.empty()) words.append(shown(kind.title) + u" < "_s);
    completions_->setStringList(words);
}

void HistoryFilters::fillMenu() {
    qDeleteAll(menu_->findChildren<QMenu*>(QString(), Qt::FindDirectChildrenOnly));
    menu_->clear();
    const auto offer = [this](QMenu& menu, const QString& title, const QString& condition) {
        connect(menu.addAction(title), &QAction::triggered, this, [this, condition] { showProblem(add(condition)); });
    };
    QMenu* engine = menu_->addMenu(u"Engine"_s);
    for (const study::Engine& row : study::engines())
        offer(*engine, engineText(std::string(row.id)), u"engine: "_s + toQt(row.id));
    QMenu* status = menu_->addMenu(u"Status"_s);
    for (const store::RunStatus each : kStatuses)
        offer(*status, statusText(each), u"status: "_s + toQt(store::nameOf(each)));
    QMenu* tags = menu_->addMenu(u"Tag"_s);
    tags->setEnabled(!tags_.isEmpty());
    for (const QString& tag : tags_.mid(0, kMaxListedTags)) offer(*tags, tag, u"tag: "_s + tag);
    QMenu* time = menu_->addMenu(u"Started"_s);
    for (const char* each : kTimes) {
        const QString days = QLatin1String(each);
        offer(*time, days == u"today"_s ? u"Today"_s : u"Last %1"_s.arg(days), u"since: "_s + days);
    }
    menu_->addSeparator();
    for (const char* word : {"starred", "imported", "deleted"}) {
        QString title = QLatin1String(word);
        title[0] = title[0].toUpper();
        offer(*menu_, title, QLatin1String(word));
    }
    menu_->addSeparator();
    const auto write = [this](const QString& title, const QString& start) {
        connect(menu_->addAction(title), &QAction::triggered, this, [this, start] { begin(start); });
    };
    write(u"Model\u2026"_s, u"model: "_s);
    write(u"Hardware\u2026"_s, u"hardware: "_s);
    write(u"Optimality gap\u2026"_s, u"gap < "_s);
    QMenu* numbers = menu_->addMenu(u"A number"_s);
    for (const study::Metric& kind : kinds_.all()) {
        if (!kind.owner.empty()) continue;
        const QString title = shown(kind.title);
        connect(numbers->addAction(title), &QAction::triggered, this, [this, title] { begin(title + u" < "_s); });
    }
    numbers->setEnabled(!numbers->isEmpty());
}

/// The beginning of a condition, to be written on.
void HistoryFilters::begin(const QString& text) {
    search_->setText(text);
    search_->setFocus(Qt::OtherFocusReason);
    search_->setCursorPosition(static_cast<int>(text.size()));
}

bool HistoryFilters::insert(const QString& condition, QString& problem) {
    store::HistoryQuery query;
    try {
        const Chip chip{store::addCondition(query, condition.left(kLongestCondition).toStdString(), kinds_.all()),
                        condition.left(kLongestCondition)};
        const auto alike = std::find_if(shown_.begin(), shown_.end(),
                                        [&](const Chip& each) { return each.condition.kind == chip.condition.kind; });
        if (alike != shown_.end())
            *alike = chip;
        else if (shown_.size() < kMaxChips)
            shown_.append(chip);
        return true;
    } catch (const UsageError& error) {
        problem = shown(error.what()) + QLatin1Char('.');
        problem[0] = problem[0].toUpper();
        return false;
    }
}

QString HistoryFilters::add(const QString& condition) {
    QString problem;
    if (!insert(condition, problem)) return problem;
    showChips();
    emit changed();
    return {};
}

void HistoryFilters::remove(const QString& condition) {
    const auto gone = std::remove_if(shown_.begin(), shown_.end(),
                                     [&](const Chip& each) { return shown(each.condition.text) == condition; });
    if (gone == shown_.end()) return;
    shown_.erase(gone, shown_.end());
    showChips();
    emit changed();
}

QStringList HistoryFilters::conditions() const {
    QStringList texts;
    for (const Chip& chip : shown_) texts.append(shown(chip.condition.text));
    return texts;
}

/// Words are searched for while they are typed; a condition is taken by Enter.
void HistoryFilters::enter() {
    const QString text = search_->text().trimmed();
    QString problem;
    const bool isWord = text == u"starred"_s || text == u"imported"_s || text == u"deleted"_s;
    if (!isWord && !store::looksLikeCondition(text.toStdString())) return;
    if (!insert(text, problem)) return showProblem(problem);
    completer_->popup()->hide();
    search_->clear();
    showChips();
    emit changed();
}

bool HistoryFilters::eventFilter(QObject* watched, QEvent* event) {
    if (watched == search_ && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Backspace && search_->text().isEmpty() && !shown_.isEmpty()) {
            remove(shown(shown_.back().condition.text));
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void HistoryFilters::showProblem(const QString& sentence) {
    problem_->setText(sentence);
    problem_->setVisible(!sentence.isEmpty());
    setLook(*search_, "wrong", !sentence.isEmpty());
}

void HistoryFilters::showChips() {
    while (QLayoutItem* item = chips_->takeAt(0)) {
        item->widget()->hide();
        item->widget()->deleteLater();
        delete item;
    }
    for (const Chip& chip : shown_) {
        const QString text = shown(chip.condition.text);
        auto* button = new QToolButton;
        button->setText(text + u"  ×"_s);
        button->setToolButtonStyle(Qt::ToolButtonTextOnly);
        button->setFocusPolicy(Qt::StrongFocus);
        button->setToolTip(u"Takes this filter off"_s);
        button->setAccessibleName(u"Filter %1; takes it off"_s.arg(text));
        button->setProperty("chip", true);
        button->setProperty("condition", text);
        // Gone with the chips only after it has been clicked.
        connect(
            button, &QToolButton::clicked, this, [this, text] { remove(text); }, Qt::QueuedConnection);
        chips_->addWidget(button);
    }
    line_->setVisible(!shown_.isEmpty());
    clear_->setVisible(isActive());
}

store::HistoryQuery HistoryFilters::query(store::HistoryQuery base) const {
    store::HistoryQuery query;
    query.orderBy = base.orderBy;
    query.descending = base.descending;
    query.metrics = base.metrics;
    const std::string words = search_->text().trimmed().toStdString();
    if (!store::looksLikeCondition(words)) query.text = words;
    for (const Chip& chip : shown_) {
        // A metric of this chip may be known no more: then it filters nothing.
        try {
            store::addCondition(query, chip.written.toStdString(), kinds_.all());
        } catch (const UsageError&) {
            continue;
        }
    }
    return query;
}

bool HistoryFilters::isActive() const {
    return !search_->text().trimmed().isEmpty() || !shown_.isEmpty();
}

void HistoryFilters::clear() {
    search_->clear();
    shown_.clear();
    waiting_.clear();
    showChips();
    emit changed();
}

QJsonObject HistoryFilters::save() const {
    QJsonArray conditions;
    for (const Chip& chip : shown_) conditions.append(chip.written);
    return {{"text", search_->text()}, {"conditions", conditions}};
}

void HistoryFilters::restore(const QJsonObject& saved) {
    search_->setText(saved["text"].toString().left(kLongestCondition));
    shown_.clear();
    waiting_.clear();
    for (const QJsonValue condition : saved["conditions"].toArray()) {
        // The metrics of the history may not have been read yet.
        QString ignored;
        if (!insert(condition.toString(), ignored)) waiting_.append(condition.toString());
    }
    showChips();
    emit changed();
}

}  // namespace tessera::ui
