#include "ui/workspace/calibration/calibration_setup.h"

#include <QAction>
#include <QButtonGroup>
#include <QFileInfo>
#include <QGridLayout>
#include <QLineEdit>
#include <QPointer>
#include <QRadioButton>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <any>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/calibrate/grid.h"
#include "core/calibrate/host.h"
#include "core/study/partition/metrics.h"
#include "core/study/study.h"
#include "ui/editors/edited_file.h"
#include "ui/editors/edited_json.h"
#include "ui/editors/editor_frame.h"
#include "ui/editors/field.h"
#include "ui/editors/form.h"
#include "ui/editors/input_choices.h"
#include "ui/editors/reference_picker.h"
#include "ui/editors/study_check.h"
#include "ui/editors/study_form.h"
#include "ui/editors/tab_order.h"
#include "ui/models/background.h"
#include "ui/models/engine_words.h"
#include "ui/models/text.h"
#include "ui/views/message_bar.h"
#include "ui/views/text_label.h"
#include "ui/workspace/questions.h"
#include "ui/workspace/words.h"

namespace tessera::ui {

namespace {

namespace fs = std::filesystem;

constexpr int kWideText = 340;
constexpr int kTimeWidth = 96;
constexpr int kTypingMilliseconds = 250;
constexpr const char* kBatches = "1,4,16";

/// The engine that uses what is measured.
const study::Engine& usedBy() {
    return engineOn("accelerator");
}

/// Batch sizes of a line, or nothing where it is no such line.
std::optional<std::vector<std::int64_t>> batchesOf(const QString& text) {
    std::vector<std::int64_t> batches;
    for (const QString& part : text.split(QLatin1Char(','))) {
        bool isNumber = false;
        const qlonglong batch = part.trimmed().toLongLong(&isNumber);
        if (!isNumber || batch < 1 || batch > calibrate::kMaxBatch || batches.size() == calibrate::kMaxBatches)
            return std::nullopt;
        batches.push_back(batch);
    }
    return batches;
}

FieldRow batchRow() {
    FieldRow row;
    row.path = "batch";
    row.label = CalibrationSetup::tr("Batch sizes");
    row.fallback = kBatches;
    row.placeholder = QLatin1String(kBatches);
    row.help = CalibrationSetup::tr("Samples of one step of training, separated by commas");
    return row;
}

FieldRow optimizerRow() {
    FieldRow row;
    row.path = "optimizer";
    row.label = CalibrationSetup::tr("Optimizer");
    row.kind = FieldKind::word;
    for (const model::OptimizerKind& each : model::optimizerKinds()) {
        row.words << toQt(each.id);
        row.titles << toQt(each.title);
    }
    row.fallback = std::string(model::optimizerKind(CalibrationOrder().optimizer).id);
    row.help = CalibrationSetup::tr("Updates the weights at the end of each step");
    return row;
}

FieldRow threadsRow(unsigned cores) {
    FieldRow row;
    row.path = "threads";
    row.label = CalibrationSetup::tr("Threads");
    row.kind = FieldKind::whole;
    row.range = {.min = 1, .max = static_cast<double>(cores), .whole = true};
    row.placeholder = cores == 1 ? CalibrationSetup::tr("1, the only core") : CalibrationSetup::tr("all %1").arg(cores);
    row.help = CalibrationSetup::tr("Of one device. Several devices are as many processes.");
    return row;
}

/// The study that looks at the model as a prediction would.
Json checkedStudy(const Json& document) {
    Json study = studyDocument(study::newStudy(usedBy().id));
    study["models"] = document.at("models");
    if (document.contains("dimensions")) study["dimensions"] = document.at("dimensions");
    return study;
}

QLabel* formLabel(const QString& text) {
    return textLabel(text, Theme::Text::base, QStringLiteral("secondary"));
}

}  // namespace

struct CalibrationSetup::Implementation {
    explicit Implementation(CalibrationSetup* page)
        : owner(page), document(Json::object({{"models", Json::array({""})}})), cores(calibrate::hostOf().cores) {}

    void build();
    QLayout* buildTime();
    QLayout* buildPlace();
    void addForm(Form*& form, const QVector<FieldRow>& rows, QVBoxLayout* column);
    void modelChanged();
    void check();
    void showChecked(const CheckOutcome& outcome);
    void offerDimensions(const QStringList& open);
    void showProblems();
    void orderControls() const;

    QString model() const { return firstInput(document.json(), "models"); }
    std::optional<calibrate::Files> files() const;
    QString placeText() const { return place->text().trimmed(); }
    bool isPath() const { return placeText().contains(QLatin1Char('/')); }
    QString problemOfPlace() const;
    void judgePlace() const;
    void choosePlace();
    QString problemOfTime() const;
    Problems ownProblems() const;

    CalibrationSetup* owner;
    EditedJson document;  ///< models, dimensions, batch, optimizer, threads
    unsigned cores;
    StudyChecker checker;
    MessageBar *problem = nullptr, *busy = nullptr;
    QButtonGroup* times = nullptr;
    QRadioButton *quick = nullptr, *thorough = nullptr, *another = nullptr;
    QuantityField* seconds = nullptr;
    QLabel* timeReason = nullptr;
    ReferencePicker* picker = nullptr;
    QVBoxLayout* dimensionsPlace = nullptr;
    QPointer<Form> dimensions;
    QVector<FieldRow> dimensionsShown;
    Form *training = nullptr, *machine = nullptr;
    QLineEdit* place = nullptr;
    QLabel* placeNote = nullptr;
    QToolButton* browse = nullptr;
    QTimer* typing = nullptr;
    int checks = 0;
    QString modelShown;
    Problems problems;  ///< of the model and its dimensions
    QString modelNote;
};

CalibrationSetup::CalibrationSetup(QWidget* parent) : QWidget(parent), d_(std::make_unique<Implementation>(this)) {
    d_->build();
    d_->modelChanged();
    offerChoices();
}

CalibrationSetup::~CalibrationSetup() {
    // A field that loses the focus while it is taken down still finds the document.
    delete d_->dimensions;
    delete d_->training;
    delete d_->machine;
}

void CalibrationSetup::Implementation::build() {
    auto* column = new QVBoxLayout(owner);
    const int side = theme().spacing(4);
    column->setContentsMargins(side, theme().spacing(4), side, theme().spacing(4));
    column->setSpacing(theme().spacing(2));
    const auto heading = [&](const QString& text) {
        column->addSpacing(theme().spacing(3));
        column->addWidget(EditorFrame::sectionTitle(text, owner));
    };
    column->addWidget(
        textLabel(tr("Measures how fast this computer computes, moves data and sums it between processes, and keeps "
                     "that as an accelerator of the library. Predictions for it then rest on measured times."),
                  Theme::Text::base, {}, false, true));
    problem = new MessageBar;
    busy = new MessageBar;
    column->addWidget(problem);
    column->addWidget(busy);

    heading(tr("For how long"));
    column->addLayout(buildTime());
    heading(tr("For a model, if you have one in mind"));
    const InputSlot slot = inputSlots(std::string(usedBy().id)).front();
    picker = new ReferencePicker(slot.label, slot.hint, slot.filter, owner);
    column->addWidget(picker);
    dimensionsPlace = new QVBoxLayout;
    column->addLayout(dimensionsPlace);
    addForm(training, {batchRow(), optimizerRow()}, column);
    heading(tr("As which accelerator"));
    addForm(machine, {threadsRow(cores)}, column);
    column->addLayout(buildPlace());
    column->addStretch(1);

    typing = new QTimer(owner);
    typing->setSingleShot(true);
    typing->setInterval(kTypingMilliseconds);
    connect(typing, &QTimer::timeout, owner, [this] { check(); });
    connect(picker, &ReferencePicker::picked, owner, [this](const QString& value) {
        document.set({"models"}, Json::array({value.trimmed().toStdString()}), {});
    });
    connect(picker, &ReferencePicker::finished, owner, [this] { document.endTyping(); });
    connect(&document, &EditedJson::changed, owner, [this] {
        if (std::exchange(modelShown, model()) != model()) modelChanged();
        typing->start();
        showProblems();
    });
    for (QAction* step : {document.undoStack()->createUndoAction(owner), document.undoStack()->createRedoAction(owner)})
        owner->addAction(step);
    owner->actions().front()->setShortcut(QKeySequence::Undo);
    owner->actions().back()->setShortcut(QKeySequence::Redo);
    for (QAction* step : owner->actions()) step->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    orderControls();
}

QLayout* CalibrationSetup::Implementation::buildTime() {
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(theme().spacing(3));
    grid->setVerticalSpacing(theme().spacing(2));
    grid->setColumnMinimumWidth(0, kLabelWidth);
    grid->setColumnStretch(2, 1);
    times = new QButtonGroup(owner);
    int row = 0;
    const auto add = [&](const QString& title, const QString& help) {
        auto* button = new QRadioButton(title, owner);
        button->setAccessibleDescription(help);
        times->addButton(button);
        grid->addWidget(button, row, 0, 1, row < 2 ? 2 : 1);
        grid->addWidget(textLabel(help, Theme::Text::caption, QStringLiteral("secondary"), false, true), row++, 2);
        return button;
    };
    quick = add(tr("Quick, at most %1 s").arg(calibrate::kQuickSeconds), tr("Fewer shapes: enough for a first look"));
    thorough = add(tr("Thorough, at most %1 min").arg(calibrate::kSeconds / 60),
                   tr("More shapes, each more often: for predictions to rely on"));
    another =
        add(tr("Another time"), tr("From 1 s to 1 h; up to %1 s with fewer shapes").arg(calibrate::kQuickSeconds));
    seconds =
        new QuantityField(Measure::seconds, {.min = calibrate::kMinSeconds, .max = calibrate::kMaxSeconds}, owner);
    seconds->setAccessibleName(tr("Another time"));
    seconds->setToolTip(tr("At most so long in all"));
    seconds->setFixedWidth(kTimeWidth);
    seconds->setQuantity(60);
    seconds->setEnabled(false);
    grid->addWidget(seconds, 2, 1);
    timeReason = textLabel({}, Theme::Text::caption, QStringLiteral("bad"), false, true);
    timeReason->hide();
    grid->addWidget(timeReason, 3, 1, 1, 2);
    quick->setChecked(true);
    connect(times, &QButtonGroup::buttonToggled, owner, [this] {
        seconds->setEnabled(another->isChecked());
        showProblems();
    });
    connect(seconds, &QuantityField::edited, owner, [this] { showProblems(); });
    return grid;
}

QLayout* CalibrationSetup::Implementation::buildPlace() {
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(theme().spacing(3));
    grid->setVerticalSpacing(theme().spacing(1));
    grid->setColumnMinimumWidth(0, kLabelWidth);
    grid->setColumnStretch(3, 1);
    auto* label = formLabel(tr("Name"));
    place = new QLineEdit(QLatin1String(calibrate::kName), owner);
    place->setAccessibleName(tr("Name"));
    place->setToolTip(tr("In the library; or the path of a file"));
    place->setMinimumWidth(kWideText);
    label->setBuddy(place);
    browse = new QToolButton(owner);
    browse->setIcon(theme().icon(QStringLiteral("folder"), "secondary"));
    browse->setToolTip(tr("Save as…"));
    browse->setAccessibleName(tr("Name: save as…"));
    placeNote = textLabel({}, Theme::Text::caption, QStringLiteral("secondary"), false, true);
    grid->addWidget(label, 0, 0);
    grid->addWidget(place, 0, 1);
    grid->addWidget(browse, 0, 2);
    grid->addWidget(placeNote, 1, 1, 1, 3);
    connect(place, &QLineEdit::textChanged, owner, [this] { judgePlace(); });
    connect(browse, &QToolButton::clicked, owner, [this] { choosePlace(); });
    judgePlace();
    return grid;
}

void CalibrationSetup::Implementation::addForm(Form*& form, const QVector<FieldRow>& rows, QVBoxLayout* column) {
    form = new Form(&document, rows, Form::Notes::beside, owner);
    column->addWidget(form);
}

// The model ---------------------------------------------------------------------------------------------------------

void CalibrationSetup::Implementation::modelChanged() {
    problems.clear();
    picker->setValue(model());
    modelNote = model().isEmpty() ? tr("Its operators are measured first, in just the shapes that it has.") : QString();
    picker->setNote(modelNote, false);
    training->setVisible(!model().isEmpty());
    if (model().isEmpty()) offerDimensions({});
    typing->start();
}

/// The model is read as a study of predictions reads it, on another thread.
void CalibrationSetup::Implementation::check() {
    const int number = ++checks;
    if (model().isEmpty()) return;
    inBackground(
        owner, [checker = checker, study = checkedStudy(document.json())] { return checker.check(study, {}); },
        [this, number](const CheckOutcome& outcome) {
            if (number == checks) showChecked(outcome);
        },
        [](const QString&) {});
}

void CalibrationSetup::Implementation::showChecked(const CheckOutcome& outcome) {
    const StudyPreview preview =
        outcome.preview.has_value() ? std::any_cast<StudyPreview>(outcome.preview) : StudyPreview();
    offerDimensions(preview.dimensions);
    problems.clear();
    for (const Problem& each : outcome.problems)
        if (each.field == "models" || each.field.starts_with("dimensions")) problems.push_back(each);
    const auto notes = preview.notes.find("models");
    modelNote = notes == preview.notes.end() || notes->second.empty() ? QString() : notes->second.front().text;
    showProblems();
}

/// A dimension that the model leaves open has a field.
void CalibrationSetup::Implementation::offerDimensions(const QStringList& open) {
    const QVector<FieldRow> rows = model().isEmpty() ? QVector<FieldRow>() : dimensionRows(document.json(), open);
    const auto same = [](const FieldRow& one, const FieldRow& other) { return one.keys == other.keys; };
    if (std::equal(rows.begin(), rows.end(), dimensionsShown.begin(), dimensionsShown.end(), same)) return;
    dimensionsShown = rows;
    if (dimensions != nullptr) {
        if (owner->window()->focusWidget() != nullptr && dimensions->isAncestorOf(owner->window()->focusWidget()))
            picker->setFocus();
        dimensions->hide();
        dimensions->deleteLater();
        dimensions = nullptr;
    }
    if (rows.isEmpty()) return;
    dimensions = new Form(&document, rows, Form::Notes::beside, owner);
    dimensionsPlace->addWidget(dimensions);
    dimensions->show();
    orderControls();
}

// Where it is kept --------------------------------------------------------------------------------------------------

std::optional<calibrate::Files> CalibrationSetup::Implementation::files() const {
    const std::string text = placeText().toStdString();
    return isPath() ? calibrate::filesAt(text) : calibrate::filesInLibrary(text);
}

QString CalibrationSetup::Implementation::problemOfPlace() const {
    if (!isPath()) return problemOfName(placeText());
    if (!QFileInfo(placeText()).isAbsolute()) return tr("Give the whole path of the file, from the root.");
    if (QFileInfo(placeText()).isDir()) return tr("This is a folder: give the name of a file in it.");
    return {};
}

/// Says what becomes of the place before it happens.
void CalibrationSetup::Implementation::judgePlace() const {
    QString reason = problemOfPlace();
    QString note;
    bool there = false;
    try {
        if (reason.isEmpty()) {
            const QFileInfo file(QString::fromStdString(files()->accelerator.string()));
            there = file.exists();
            note = there ? tr("%1 of %2 is there; it is replaced when the new one is done.")
                               .arg(file.fileName(), momentText(file.lastModified().toMSecsSinceEpoch()))
                         : tr("It becomes %1.").arg(file.filePath());
        }
    } catch (const std::exception& error) {
        reason = reasonOf(error);
    }
    placeNote->setText(reason.isEmpty() ? note : reason);
    const char* tone = !reason.isEmpty() ? "bad" : there ? "warning" : "secondary";
    setLook(*placeNote, "tone", QLatin1String(tone));
    markWrong(*place, !reason.isEmpty());
    place->setAccessibleDescription(placeNote->text());
}

void CalibrationSetup::Implementation::choosePlace() {
    const QString proposal = isPath() ? placeText() : placeText() + QStringLiteral(".json");
    asker().saveFile(*owner, tr("Keep the accelerator in a file"), proposal, tr("Accelerators (*.json)"),
                     [this](const QString& path) {
                         place->setText(QFileInfo(path).suffix().isEmpty() ? path + QStringLiteral(".json") : path);
                     });
}

// What is wrong -----------------------------------------------------------------------------------------------------

QString CalibrationSetup::Implementation::problemOfTime() const {
    if (!another->isChecked() || seconds->quantity()) return {};
    return tr("Type a time from 1 s to 1 h, such as 90 s or 5 min.");
}

Problems CalibrationSetup::Implementation::ownProblems() const {
    Problems all;
    const Json& json = document.json();
    const auto batch = json.find("batch");
    if (batch != json.end() && !batchesOf(QString::fromStdString(batch->get<std::string>())))
        all.push_back({"batch", tr("Type whole numbers from 1 to 1 000 000 000, separated by commas, at most %1.")
                                    .arg(calibrate::kMaxBatches)});
    return all;
}

void CalibrationSetup::Implementation::showProblems() {
    const QString time = problemOfTime();
    timeReason->setText(time);
    timeReason->setVisible(!time.isEmpty());
    markWrong(*seconds, !time.isEmpty());
    seconds->setAccessibleDescription(time);
    training->setProblems(ownProblems());
    if (dimensions != nullptr) dimensions->setProblems(problems);
    const QString ofModel = problemAt(problems, "models");
    picker->setNote(ofModel.isEmpty() ? modelNote : ofModel, !ofModel.isEmpty());
}

void CalibrationSetup::Implementation::orderControls() const {
    orderTabs({quick, thorough, another, seconds, picker, dimensions, training, machine, place, browse});
}

std::optional<CalibrationOrder> CalibrationSetup::order() {
    d_->showProblems();
    d_->judgePlace();
    const bool model = !d_->model().isEmpty();
    if (!d_->problemOfTime().isEmpty()) {
        d_->seconds->setFocus();
        return std::nullopt;
    }
    if (model && !problemAt(d_->problems, "models").isEmpty()) {
        d_->picker->setFocus();
        return std::nullopt;
    }
    QVector<Form*> forms{d_->machine};
    if (model) forms << d_->dimensions << d_->training;
    Problems problems = model ? d_->problems + d_->ownProblems() : Problems();
    for (const Form* form : forms)
        if (form != nullptr) problems += form->ownProblems();
    for (const Problem& problem : problems)
        for (Form* form : forms)
            if (form != nullptr && form->goTo(problem.field)) return std::nullopt;
    const Json& json = d_->document.json();
    CalibrationOrder order;
    try {
        if (d_->problemOfPlace().isEmpty()) order.files = d_->files().value();
    } catch (const std::exception&) {
        order.files = {};  // the reason stands there
    }
    if (order.files.accelerator.empty()) {
        d_->place->setFocus();
        return std::nullopt;
    }
    const std::string name = d_->isPath() ? order.files.accelerator.stem().string() : d_->placeText().toStdString();
    if (name != calibrate::kName) order.how.name = name;
    if (d_->another->isChecked()) order.how.seconds = d_->seconds->quantity();
    order.how.quick = d_->quick->isChecked() || calibrate::limitOf(order.how) <= calibrate::kQuickSeconds;
    if (json.contains("threads")) order.how.threads = json.at("threads").get<unsigned>();
    if (!model) return order;
    order.model = d_->model().toStdString();
    const QString batches =
        json.contains("batch") ? QString::fromStdString(json.at("batch").get<std::string>()) : QLatin1String(kBatches);
    order.batches = batchesOf(batches).value();
    for (const model::OptimizerKind& each : model::optimizerKinds())
        if (json.contains("optimizer") && json.at("optimizer") == std::string(each.id))
            order.optimizer = each.optimizer;
    if (json.contains("dimensions"))
        for (const auto& [dimension, size] : json.at("dimensions").items())
            order.dimensions[dimension] = size.get<std::int64_t>();
    return order;
}

void CalibrationSetup::setRunsAtWork(int runs) {
    if (runs == 0) {
        d_->busy->hide();
        return;
    }
    d_->busy->showMessage(MessageBar::Kind::warning,
                          runs == 1
                              ? tr("A run is at work: it would be measured, too. Pause it, or wait until it is done.")
                              : tr("%1 runs are at work: they would be measured, too. Pause them, or wait until "
                                   "they are done.")
                                    .arg(runs));
}

void CalibrationSetup::showProblem(const QString& sentence, bool ofModel) {
    if (!ofModel) {
        d_->problem->showMessage(MessageBar::Kind::bad, sentence);
        return;
    }
    d_->problems = {{"models", sentence}};
    d_->showProblems();
    d_->picker->setFocus();
}

void CalibrationSetup::clearProblem() {
    d_->problem->hide();
    d_->judgePlace();
}

void CalibrationSetup::offerChoices() {
    inBackground(
        this, [] { return choicesOf("models", std::string(usedBy().id)); },
        [this](const QVector<ReferencePicker::Choice>& choices) { d_->picker->setChoices(choices); },
        [](const QString&) {});
    d_->judgePlace();
}

void CalibrationSetup::chooseModel(const QString& model) {
    d_->document.set({"models"}, Json::array({model.toStdString()}), {});
}

}  // namespace tessera::ui
