#include "ui/views/runs/validation_document.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QJsonArray>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <QWidgetAction>
#include <algorithm>
#include <atomic>
#include <stop_token>
#include <thread>
#include <utility>

#include "core/report/validation_pictures.h"
#include "core/report/validation_tables.h"
#include "ui/models/background.h"
#include "ui/models/table_columns.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/empty_state.h"
#include "ui/views/flow_layout.h"
#include "ui/views/focus_start.h"
#include "ui/views/headline_bar.h"
#include "ui/views/plot/plot_widget.h"
#include "ui/views/runs/run_pages.h"
#include "ui/views/text_label.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr int kValidationTick = 50;  ///< milliseconds between looks at the progress
constexpr int kTypingPause = 150;    ///< milliseconds
constexpr int kMostBoxes = 60;       ///< in the menu of sets
constexpr int kFilterLetters = 34;   ///< that the filter has room for

/// What a computation in the background tells, and how it is told to stop.
struct ValidationTask {
    std::atomic<double> done = 0, total = 0;
    std::stop_source stop;
};

/// One core is left to the window.
unsigned validationThreads() {
    return std::max(1U, std::thread::hardware_concurrency() - std::min(1U, std::thread::hardware_concurrency()));
}

SharedValidation computed(const QString& file, const std::shared_ptr<ValidationTask>& task) {
    RunControl control{.cancel = task->stop.get_token(), .threads = validationThreads()};
    control.progress = [task](const ProgressEvent& event) {
        task->total = event.total;
        task->done = event.done;
    };
    return makeValidation(file, control);
}

}  // namespace

struct ValidationDocument::Implementation {
    ValidationDocument* document = nullptr;
    SharedValidationChoice choice = std::make_shared<ValidationChoice>();
    std::shared_ptr<ValidationTask> task;  ///< null = nothing is computed
    report::ValidationPicture picture;
    QJsonObject wanted;  ///< a view that waits for the data
    int drawn = 0;       ///< pictures asked for
    bool choosing = false;

    QStackedWidget* stack = nullptr;
    QWidget* working = nullptr;
    QProgressBar* bar = nullptr;
    EmptyState* problem = nullptr;
    QWidget* content = nullptr;
    QTimer *tick = nullptr, *typing = nullptr;
    QComboBox* quantities = nullptr;
    QToolButton* sets = nullptr;
    QLineEdit* filter = nullptr;
    HeadlineBar* headline = nullptr;
    RunPages* pages = nullptr;
    PlotWidget* plot = nullptr;
    QAction *openFile = nullptr, *again = nullptr;

    void build();
    void buildActions();
    QWidget* buildWorking();
    QWidget* buildContent();
    QWidget* buildBar();
    void buildPages();
    QWidget* makePlot();
    void draw();
    void compute();
    void finished(const SharedValidation& data);
    void failed(const QString& sentence);
    void fillQuantities();
    void fillSets();
    void showAllSets(bool shown);
    void refresh();
    void showHeadline();
    void choose(std::optional<std::size_t> row);
    void markRow();
    void chooseSet(int row);
    void askForFile();
    void takeWanted();
};

void ValidationDocument::Implementation::build() {
    buildActions();
    auto* outer = bareLayout<QVBoxLayout>(document);
    stack = new QStackedWidget;
    outer->addWidget(stack);
    working = buildWorking();
    content = buildContent();
    problem = new EmptyState(u"validation"_s, QString());
    problem->addAction(u"Predict again"_s, u"refresh"_s, [this] { compute(); });
    problem->addAction(u"Open another file…"_s, u"open"_s, [this] { askForFile(); });
    for (QWidget* page : {working, content, static_cast<QWidget*>(problem)}) stack->addWidget(page);
    tick = new QTimer(document);
    tick->setInterval(kValidationTick);
    connect(tick, &QTimer::timeout, document, [this] {
        if (task == nullptr) return;
        const double total = task->total;
        bar->setRange(0, total > 0 ? static_cast<int>(total) : 0);
        if (total > 0) bar->setValue(static_cast<int>(task->done));
    });
    typing = new QTimer(document);
    typing->setSingleShot(true);
    typing->setInterval(kTypingPause);
    connect(typing, &QTimer::timeout, document, [this] { document->setFilter(filter->text()); });
}

void ValidationDocument::Implementation::buildActions() {
    openFile = new QAction(theme().icon(u"open"_s), u"Validate a table of your own…"_s, document);
    connect(openFile, &QAction::triggered, document, [this] { askForFile(); });
    again = new QAction(theme().icon(u"refresh"_s), u"Predict again"_s, document);
    connect(again, &QAction::triggered, document, [this] { compute(); });
}

QWidget* ValidationDocument::Implementation::buildWorking() {
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setAlignment(Qt::AlignCenter);
    column->setSpacing(theme().spacing(3));
    column->addWidget(textLabel(u"Predicting every measured row…"_s, Theme::Text::base, u"secondary"_s), 0,
                      Qt::AlignHCenter);
    bar = new QProgressBar;
    bar->setAccessibleName(u"Rows that are predicted"_s);
    bar->setTextVisible(false);
    bar->setFixedWidth(theme().spacing(60));
    column->addWidget(bar, 0, Qt::AlignHCenter);
    auto* cancel = new QPushButton(theme().icon(u"cancel"_s), u"Cancel"_s);
    connect(cancel, &QPushButton::clicked, document, [this] { document->cancel(); });
    column->addWidget(cancel, 0, Qt::AlignHCenter);
    return page;
}

QWidget* ValidationDocument::Implementation::buildContent() {
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    const int space = theme().spacing(3);
    column->setContentsMargins(space, theme().spacing(2), space, theme().spacing(2));
    column->setSpacing(theme().spacing(2));
    headline = new HeadlineBar(page);
    column->addWidget(headline);
    column->addWidget(buildBar());
    buildPages();
    column->addWidget(pages, 1);
    return page;
}

QWidget* ValidationDocument::Implementation::buildBar() {
    auto* line = new QWidget;
    auto* row = new FlowLayout(line);
    row->setSpacing(theme().spacing(2));
    auto* label = textLabel(u"Quantity"_s, Theme::Text::base, u"secondary"_s);
    quantities = new QComboBox;
    quantities->setAccessibleName(u"Quantity"_s);
    quantities->setToolTip(u"One quantity at a time, so that both axes have one unit"_s);
    quantities->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    label->setBuddy(quantities);
    connect(quantities, &QComboBox::activated, document,
            [this] { document->setQuantity(quantities->currentData().toString()); });
    sets = new QToolButton;
    sets->setAccessibleName(u"Sets"_s);
    sets->setIcon(theme().icon(u"layers"_s));
    sets->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    sets->setPopupMode(QToolButton::InstantPopup);
    sets->setAutoRaise(true);
    sets->setToolTip(u"Chooses the sets of rows that are shown"_s);
    sets->setMenu(new QMenu(sets));
    filter = new QLineEdit;
    filter->setPlaceholderText(u"Filter by model, accelerator, row…"_s);
    filter->setAccessibleName(u"Filter the rows"_s);
    filter->setClearButtonEnabled(true);
    filter->setFixedWidth(filter->fontMetrics().averageCharWidth() * kFilterLetters + theme().spacing(10));
    connect(filter, &QLineEdit::textChanged, document, [this] { typing->start(); });
    auto* open = new QToolButton;
    open->setIcon(theme().icon(u"open"_s));
    open->setText(u"Your own table…"_s);
    open->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    open->setAutoRaise(true);
    open->setToolTip(u"Predicts the rows of a CSV file with the columns of the bundled tables"_s);
    connect(open, &QToolButton::clicked, openFile, &QAction::trigger);
    for (QWidget* each : {static_cast<QWidget*>(label), static_cast<QWidget*>(quantities), static_cast<QWidget*>(sets),
                          static_cast<QWidget*>(filter)})
        row->addWidget(each);
    row->addStretch();
    row->addWidget(open);
    return line;
}

void ValidationDocument::Implementation::buildPages() {
    pages = new RunPages;
    using Self = Implementation;
    pages->addPicture("scatter", u"Predicted over measured"_s, this, &Self::makePlot, &Self::draw);
    pages->addTable("sets", u"Sets"_s,
                    {.model = [this](QObject* owner) { return validationSetModel(choice, owner); },
                     .rows = [this] { return static_cast<int>(choice->sets.size()); },
                     .chosen = [this](int row) { chooseSet(row); }});
    pages->addTable("rows", u"Rows"_s,
                    {.model = [this](QObject* owner) { return validationRowModel(choice, owner); },
                     .rows = [this] { return static_cast<int>(choice->rows.size()); },
                     .current = [this] { return choice->row ? placeOf(*choice, *choice->row) : -1; },
                     .chosen =
                         [this](int row) {
                             if (row >= 0 && static_cast<std::size_t>(row) < choice->rows.size())
                                 choose(choice->rows[static_cast<std::size_t>(row)]);
                         },
                     .empty = u"No row is left. Choose more sets, or another filter."_s});
    pages->addSentences("assumptions", u"How it is judged"_s, [this] {
        QStringList lines;
        if (choice->data == nullptr) return lines;
        for (const auto* all : {&choice->data->result.assumptions, &choice->data->result.warnings})
            for (const std::string& sentence : *all) lines << shownText(sentence, 1000);
        return lines;
    });
    connect(pages, &RunPages::troubled, document,
            [this](const QString& sentence) { emit document->messaged(sentence, {}); });
}

QWidget* ValidationDocument::Implementation::makePlot() {
    plot = new PlotWidget;
    plot->setAccessibleName(u"Predicted over measured"_s);
    plot->setExplainable(false);
    connect(plot, &PlotWidget::pointClicked, document, [this](int series, int point) {
        if (series < 0 || static_cast<std::size_t>(series) >= picture.rows.size()) return;
        const std::vector<std::size_t>& rows = picture.rows[static_cast<std::size_t>(series)];
        if (point >= 0 && static_cast<std::size_t>(point) < rows.size()) choose(rows[static_cast<std::size_t>(point)]);
    });
    setFocusStart(*document, *plot);
    return plot;
}

void ValidationDocument::Implementation::draw() {
    if (plot == nullptr || choice->isEmpty()) return;
    inBackground(
        plot,
        [data = choice->data, quantity = choice->shownQuantity(), rows = choice->rows, kept = choice->row] {
            return report::validationPicture(data->validation(), quantity, rows, kept);
        },
        [this, at = ++drawn](report::ValidationPicture made) {
            if (at != drawn) return;
            picture = std::move(made);
            plot->setChart(picture.chart);
            markRow();
        },
        [this](const QString& sentence) { emit document->messaged(sentence, {}); });
}

void ValidationDocument::Implementation::compute() {
    document->cancel();
    task = std::make_shared<ValidationTask>();
    stack->setCurrentWidget(working);
    bar->setRange(0, 0);
    tick->start();
    inBackground(
        document, [file = document->key(), its = task] { return computed(file, its); },
        [this, its = task](const SharedValidation& data) {
            if (its == task) finished(data);
        },
        [this, its = task](const QString& sentence) {
            if (its == task) failed(sentence);
        });
}

void ValidationDocument::Implementation::finished(const SharedValidation& data) {
    task.reset();
    tick->stop();
    const QString before = choice->isEmpty() ? QString() : toQt(choice->shownQuantity().id);
    choice->data = data;
    choice->row.reset();
    choice->quantity = 0;
    if (choice->isEmpty()) return failed(u"The table has no row that can be predicted."_s);
    for (std::size_t i = 0; i < data->quantities.size(); ++i)
        if (toQt(data->quantities[i].id) == before) choice->quantity = static_cast<int>(i);
    fillQuantities();
    stack->setCurrentWidget(content);
    refresh();
    fillSets();
    takeWanted();
    emit document->overviewChanged();
}

void ValidationDocument::Implementation::failed(const QString& sentence) {
    task.reset();
    tick->stop();
    problem->setSentence(sentence);
    stack->setCurrentWidget(problem);
}

void ValidationDocument::Implementation::fillQuantities() {
    const QSignalBlocker quiet(quantities);
    quantities->clear();
    for (const report::ValidationQuantity& each : choice->data->quantities)
        quantities->addItem(toQt(each.title), toQt(each.id));
    quantities->setCurrentIndex(choice->quantity);
}

/// A box for each set of the quantity; the menu stays open while they are switched.
void ValidationDocument::Implementation::fillSets() {
    QMenu* menu = sets->menu();
    menu->clear();
    connect(menu->addAction(u"All sets"_s), &QAction::triggered, document, [this] { showAllSets(true); });
    connect(menu->addAction(u"No set"_s), &QAction::triggered, document, [this] { showAllSets(false); });
    menu->addSeparator();
    int shown = 0;
    int boxes = 0;
    for (const ValidationChoice::Set& set : choice->sets) {
        const bool on = !choice->hiddenSets.contains(set.name);
        shown += on ? 1 : 0;
        if (boxes == kMostBoxes) continue;
        ++boxes;
        auto* box = new QCheckBox(u"%1 (%2)"_s.arg(shownText(set.name.toStdString()), countText(set.errors.rows))
                                      .replace(QLatin1Char('&'), QLatin1String("&&")));
        box->setChecked(on);
        connect(box, &QCheckBox::toggled, document,
                [this, name = set.name](bool checked) { document->setSetShown(name, checked); });
        auto* action = new QWidgetAction(menu);
        action->setDefaultWidget(box);
        menu->addAction(action);
    }
    if (const auto more = static_cast<qsizetype>(choice->sets.size()) - boxes; more > 0)
        menu->addAction(u"and %1 more, which the filter finds by name"_s.arg(more))->setEnabled(false);
    sets->setText(u"%1 of %2 sets"_s.arg(shown).arg(choice->sets.size()));
}

void ValidationDocument::Implementation::showAllSets(bool shown) {
    for (const ValidationChoice::Set& set : choice->sets) {
        if (shown)
            choice->hiddenSets.remove(set.name);
        else
            choice->hiddenSets.insert(set.name);
    }
    refresh();
    fillSets();
}

/// Other rows are looked at.
void ValidationDocument::Implementation::refresh() {
    refreshRows(*choice);
    if (choice->row && placeOf(*choice, *choice->row) < 0) choice->row.reset();
    showHeadline();
    choosing = true;
    pages->refresh();
    choosing = false;
}

void ValidationDocument::Implementation::showHeadline() {
    std::vector<const physical::ValidationRow*> rows;
    for (const std::size_t i : choice->rows) rows.push_back(&choice->data->row(i));
    const physical::ErrorSummary errors = physical::errorSummaryOf(rows);
    const QString count = countText(errors.rows);
    QVector<Headline> all;
    if (!rows.empty()) {
        all.append({.value = toQt(report::errorText(errors.median)),
                    .label = u"median error of %1"_s.arg(counted(errors.rows, "row", "rows")),
                    .help = u"Half of the rows shown have a smaller error"_s});
        all.append({.value = toQt(report::errorText(errors.mean)),
                    .label = u"mean error"_s,
                    .help = u"A refused row counts as an error of 100 %"_s});
        if (errors.coverage)
            all.append({.value = toQt(report::errorText(*errors.coverage)),
                        .label = u"inside the 90 % interval"_s,
                        .help = u"Share of the predictions whose interval holds the measured value"_s});
        if (errors.predicted < errors.rows)
            all.append({.value = countText(errors.rows - errors.predicted),
                        .label = u"refused"_s,
                        .help = u"Rows that the models cannot predict, each an error of 100 %"_s});
    } else {
        all.append({.value = u"0 rows"_s, .label = u"are shown"_s});
    }
    headline->setHeadlines(all);
}

void ValidationDocument::Implementation::choose(std::optional<std::size_t> row) {
    if (choosing || row == choice->row) return;
    choice->row = row;
    choosing = true;
    if (row) pages->markRow(u"rows"_s, placeOf(*choice, *row));
    choosing = false;
    markRow();
    if (row) emit document->inspected(validationRowFacts(*choice->data, *row));
}

/// Rings the row that is looked at; where it was thinned out, the picture is made again with it.
void ValidationDocument::Implementation::markRow() {
    if (plot == nullptr) return;
    for (std::size_t s = 0; choice->row && s < picture.rows.size(); ++s) {
        const std::vector<std::size_t>& rows = picture.rows[s];
        const auto found = std::find(rows.begin(), rows.end(), *choice->row);
        if (found == rows.end()) continue;
        return plot->setSelected(static_cast<int>(s), static_cast<int>(found - rows.begin()));
    }
    plot->setSelected(-1, -1);
    if (!choice->row || !choice->data->row(*choice->row).prediction.estimate || picture.shown == picture.drawable)
        return;
    draw();
}

void ValidationDocument::Implementation::chooseSet(int row) {
    if (choosing || row < 0 || static_cast<std::size_t>(row) >= choice->sets.size()) return;
    const QString name = choice->sets[static_cast<std::size_t>(row)].name;
    Facts facts = validationSetFacts(*choice->data, name);
    facts.actions.append({.title = u"Show only this set"_s, .icon = u"eye"_s, .run = [this, name] {
                              for (const ValidationChoice::Set& set : choice->sets) choice->hiddenSets.insert(set.name);
                              choice->hiddenSets.remove(name);
                              refresh();
                              fillSets();
                          }});
    facts.actions.append({.title = u"Show all sets"_s, .icon = u"layers"_s, .run = [this] { showAllSets(true); }});
    emit document->inspected(facts);
}

void ValidationDocument::Implementation::askForFile() {
    auto* dialog = new QFileDialog(document, u"Validate a table of your own"_s, QString(),
                                   fileFilter(u"Measurements"_s, u"*.csv *.txt *.log *.json"_s));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, document, [this](const QString& path) {
        emit document->openRequested(document->kind(), QFileInfo(path).absoluteFilePath());
    });
    dialog->open();
}

void ValidationDocument::Implementation::takeWanted() {
    const QJsonObject view = std::exchange(wanted, {});
    if (view.isEmpty()) return;
    for (const QJsonValue& set : view.value(QLatin1String("hidden_sets")).toArray())
        choice->hiddenSets.insert(set.toString());
    document->setQuantity(view.value(QLatin1String("quantity")).toString());
    filter->setText(view.value(QLatin1String("filter")).toString());
    choice->filter = filter->text();
    pages->restoreView(view.value(QLatin1String("pages")).toObject());
    refresh();
    fillSets();
    const std::string id = view.value(QLatin1String("row")).toString().toStdString();
    for (const std::size_t i : choice->rows)
        if (!id.empty() && choice->data->row(i).id == id) return choose(i);
}

ValidationDocument::ValidationDocument(const QString& key, QWidget* parent)
    : Document(parent, key), d_(new Implementation) {
    d_->document = this;
    d_->build();
    d_->compute();
}

ValidationDocument::~ValidationDocument() {
    if (d_->task != nullptr) d_->task->stop.request_stop();
}

QString ValidationDocument::title() const {
    return key().isEmpty() ? u"Validation"_s
                           : u"Validation · %1"_s.arg(shownText(QFileInfo(key()).fileName().toStdString()));
}

QVector<QAction*> ValidationDocument::documentActions() {
    return {d_->openFile, d_->again};
}

QVector<Exportable> ValidationDocument::exportables() {
    if (d_->choice->isEmpty()) return {};
    QVector<Exportable> all;
    const auto picture = std::make_shared<const report::Chart>(d_->picture.chart);
    if (!picture->series.empty())
        all.append({.name = toQt(picture->id),
                    .id = u"validation"_s,
                    .title = u"Predicted over measured"_s,
                    .svg = [picture](const report::Theme& theme) { return report::toSvg(*picture, theme); },
                    .csv = [picture] { return report::toCsv(*picture); }});
    const SharedValidation its = d_->choice->data;
    all.append({.name = u"validation-sets"_s, .title = u"Sets"_s, .csv = [its] {
                    return report::toCsv(report::exactSetTable(its->validation()));
                }});
    all.append({.name = u"validation-rows"_s, .title = u"Rows"_s, .csv = [its, rows = d_->choice->rows] {
                    return report::toCsv(report::exactRowTable(its->validation(), rows));
                }});
    return all;
}

Facts ValidationDocument::overview() const {
    return d_->choice->data == nullptr ? Facts{} : validationOverview(*d_->choice->data);
}

QJsonObject ValidationDocument::saveView() const {
    if (d_->choice->isEmpty()) return d_->wanted;
    QJsonArray hidden;
    QStringList names = d_->choice->hiddenSets.values();
    names.sort();
    for (const QString& each : names) hidden.append(each);
    QJsonObject view{{u"quantity"_s, toQt(d_->choice->shownQuantity().id)},
                     {u"filter"_s, d_->choice->filter},
                     {u"hidden_sets"_s, hidden},
                     {u"pages"_s, d_->pages->saveView()}};
    if (d_->choice->row) view.insert(u"row"_s, toQt(d_->choice->data->row(*d_->choice->row).id));
    return view;
}

void ValidationDocument::restoreView(const QJsonObject& view) {
    d_->wanted = view;
    if (!d_->choice->isEmpty()) d_->takeWanted();
}

bool ValidationDocument::isComputing() const {
    return d_->task != nullptr;
}

void ValidationDocument::cancel() {
    if (d_->task == nullptr) return;
    d_->task->stop.request_stop();
    d_->failed(u"Stopped: nothing was predicted."_s);
}

const ValidationChoice& ValidationDocument::choice() const {
    return *d_->choice;
}

void ValidationDocument::setQuantity(const QString& id) {
    const int at = d_->quantities->findData(id);
    if (at < 0 || d_->choice->isEmpty()) return;
    d_->quantities->setCurrentIndex(at);
    d_->choice->quantity = at;
    d_->refresh();
    d_->fillSets();
}

void ValidationDocument::setFilter(const QString& words) {
    if (words == d_->choice->filter) return;
    d_->choice->filter = words;
    if (d_->filter->text() != words) d_->filter->setText(words);
    if (!d_->choice->isEmpty()) d_->refresh();
}

void ValidationDocument::setSetShown(const QString& set, bool shown) {
    if (shown)
        d_->choice->hiddenSets.remove(set);
    else
        d_->choice->hiddenSets.insert(set);
    if (d_->choice->isEmpty()) return;
    d_->refresh();
    const auto on = std::count_if(d_->choice->sets.begin(), d_->choice->sets.end(),
                                  [this](const auto& each) { return !d_->choice->hiddenSets.contains(each.name); });
    d_->sets->setText(u"%1 of %2 sets"_s.arg(on).arg(d_->choice->sets.size()));
}

void ValidationDocument::chooseRow(std::size_t row) {
    if (!d_->choice->isEmpty() && row < d_->choice->data->validation().rows.size()) d_->choose(row);
}

PlotWidget* ValidationDocument::plot() const {
    return d_->plot;
}

}  // namespace tessera::ui
