#include "ui/editors/study_document.h"

#include <QComboBox>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QMimeData>
#include <QPointer>
#include <QPushButton>
#include <QScrollArea>
#include <QUrl>
#include <QUrlQuery>
#include <QVBoxLayout>
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/file.h"
#include "core/base/text.h"
#include "ui/editors/editor_content.h"
#include "ui/editors/form.h"
#include "ui/editors/input_choices.h"
#include "ui/editors/list_editor.h"
#include "ui/editors/native_file.h"
#include "ui/editors/reference_list.h"
#include "ui/editors/section.h"
#include "ui/editors/study_check.h"
#include "ui/editors/study_form.h"
#include "ui/editors/tab_order.h"
#include "ui/models/background.h"
#include "ui/models/document_keys.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr int kColumnWidth = 860;
constexpr int kPickerIndent = 144;  // as what stands below a picker
constexpr const char* kFolder = "studies";
const QString kStudyDocumentKind = u"study"_s;

const Json& blankNames() {
    static const Json kNone = Json::array();
    return kNone;
}

/// The inputs that a new study begins with, by their lists; empty = still to be chosen.
using FirstInputs = std::map<std::string, QString>;

Json newDocument(const std::string& engine, const FirstInputs& given) {
    study::Study study = study::newStudy(engine);
    Json document = studyDocument(study);
    for (const InputSlot& slot : inputSlots(engine)) {
        const auto found = given.find(slot.list);
        const bool chosen = found != given.end() && !found->second.isEmpty();
        if (chosen || slot.needed)
            document[slot.list] = chosen ? Json::array({found->second.toStdString()}) : blankNames();
    }
    return document;
}

/// "new/ENGINE?model=…&hardware=…", a path, or a bundled study's name.
Opened openStudyKey(const QString& key) {
    Opened opened{.file = {.key = key, .path = {}, .own = true}, .json = {}, .problem = {}};
    try {
        if (key.startsWith(u"new/"_s)) {
            const std::string engine = key.mid(4).section(QLatin1Char('?'), 0, 0).toStdString();
            const QUrlQuery query(key.section(QLatin1Char('?'), 1));
            const auto value = [&](const char* name) {
                return query.queryItemValue(QLatin1String(name), QUrl::FullyDecoded);
            };
            opened.json = newDocument(
                engine,
                {{"models", value("model")}, {"workloads", value("workload")}, {"hardware", value("hardware")}});
            for (const study::Parameter& parameter : study::engineNamed(engine).parameters()) {
                const std::string word = query.queryItemValue(toQt(parameter.name), QUrl::FullyDecoded).toStdString();
                Json& given = opened.json["parameters"];
                if (word.empty()) continue;
                if (parameter.kind == study::ParameterKind::text) given[std::string(parameter.name)] = word;
                if (parameter.kind == study::ParameterKind::flag) given[std::string(parameter.name)] = word == "true";
                if (parameter.kind == study::ParameterKind::document)
                    given[std::string(parameter.name)] =
                        study::readParameter(parameter, JsonDocument::parse(word, std::string(parameter.name)).root());
            }
            return opened;
        }
        opened.file.path = findInLibrary(kFolder, key.toStdString());
        if (opened.file.path.empty()) opened.file.path = key.toStdString();
        opened.file.own = isOwnFile(opened.file.path);
        const std::string path = opened.file.path.string();
        opened.json = readDocument(opened.file.path);
        const auto schema = opened.json.is_object() ? opened.json.find("schema") : opened.json.end();
        const bool isStudy = opened.json.is_object() && schema != opened.json.end() && schema->is_string() &&
                             study::isStudySchema(schema->get_ref<const std::string&>());
        // Kinds of files that an engine has of its own are shown as any study.
        if (isStudy && !schema->get_ref<const std::string&>().starts_with("tessera.study/"))
            opened.json = studyDocument(study::readStudy(JsonDocument::load(path).root()));
        if (!isStudy)
            opened.problem = u"%1 is no study: its 'schema' does not say so."_s.arg(toQt(escaped(path)));
        else if (opened.json.contains("engine") && opened.json.at("engine").is_string())
            study::engineNamed(opened.json.at("engine").get<std::string>());
        else
            opened.problem = u"%1 names no engine."_s.arg(toQt(escaped(path)));
    } catch (const std::exception& error) {
        opened.problem = shownText(error.what(), 1000);
    }
    return opened;
}

/// What a key stands for; where its file is gone, the edits that were made on it.
Opened openOrRecoverStudy(const QString& key) {
    Opened opened = openStudyKey(key);
    if (opened.problem.isEmpty()) return opened;
    const std::optional<Recovery> lost = findRecovery(recoveryId(kStudyDocumentKind, key));
    if (!lost) return opened;
    const bool inLibrary = problemOfName(key).isEmpty();
    return {.file = inLibrary ? placeInLibrary(kFolder, {}, key) : placeAt(key, kFolder, {}),
            .json = newDocument(std::string(study::engines().front().id), {}),
            .problem = {}};
}

/// What a dropped file is, by its content; nullptr = a model, whose reader says what is wrong with it.
const NativeFile* droppedFile(const QString& path) {
    try {
        return nativeFile(readFile(path.toStdString(), kLargestDocument));
    } catch (const std::exception&) {
        return nullptr;
    }
}

/// A study that moves to another folder keeps the inputs that lay beside it.
void keepStudyReferences(Json& document, const std::filesystem::path& from) {
    for (const char* list : {"models", "workloads", "hardware"}) {
        if (!document.contains(list) || !document.at(list).is_array()) continue;
        for (Json& name : document.at(list))
            if (name.is_string()) name = keptReference(name.get<std::string>(), from);
    }
}

/// True where a field that needs a value has none yet.
bool isMissing(const Json& document, const std::string& field) {
    if (field == "models" || field == "workloads" || field == "hardware")
        return firstInput(document, field.c_str()).isEmpty();
    constexpr std::string_view kDimension = "dimensions.";
    return field.starts_with(kDimension) &&
           valueAt(document, {"dimensions", field.substr(kDimension.size())}) == nullptr;
}

}  // namespace

struct StudyDocument::Implementation : EditorContent {
    Implementation(StudyDocument* widget, const StudyChecker& its);

    void build(const Json& opened) override;
    void focusFirst() override { focusInputs(); }
    void offerChoices() override;
    void showValues() override;
    void showChecked() override;
    void goTo(const std::string& field) override;
    void saveInto(const EditedFile& file) override { core.saveTo(file, keepStudyReferences); }
    QString name() const override;
    QString kindTitle() const override { return u"Study"_s; }
    std::string folder() const override { return kFolder; }
    QString keyPrefix() const override { return {}; }
    QString proposedName() const override { return nameFromTitle(name()); }
    QJsonObject ownView() const override { return {{u"research"_s, research != nullptr && research->isOpen()}}; }
    void restoreOwnView(const QJsonObject& view) override {
        if (research != nullptr) research->setOpen(view[u"research"_s].toBool());
    }

    void buildInputs();
    void addOwnInputs(QVBoxLayout& column);
    bool isOwnInput(const study::Parameter& parameter) const;
    QWidget* calibrationHint();
    void buildParameters();
    Form* addForm(const QVector<FieldRow>& rows);
    void offerDimensions(const QStringList& open);
    void orderControls() const;
    ReferenceList* addPicker(const InputSlot& slot);
    const std::string& engine() const { return core.json().at("engine").get_ref<const std::string&>(); }
    /// First focus of the form, also after the form was replaced.
    void focusInputs() const {
        const std::vector<InputSlot> all = inputSlots(engine());
        if (!all.empty())
            pickers.at(all.front().list)->setFocus();
        else
            inputs->goTo("name");
    }
    void showEstimate(const Problems& problems) const;
    Problems allProblems() const;
    QString nameOf(const std::string& field) const;
    void setInputs(const char* list, const QStringList& values, const QString& title);
    bool takes(const std::string& list) const { return pickers.count(list) != 0; }
    void takeInput(const char* list, const QString& value, bool adds = false);
    void takeFile(const QString& path, const NativeFile* kind);

    StudyDocument* owner;
    StudyChecker checker;
    std::map<std::string, ReferenceList*> pickers;  ///< by the list of inputs
    Section* research = nullptr;
    QPushButton *run = nullptr, *calibrate = nullptr;
    QAction* explore = nullptr;
    QLabel* estimate = nullptr;
    QVector<Form*> forms;  ///< all of them
    Form *inputs = nullptr, *parameters = nullptr;
    QPointer<Form> dimensions;  ///< of the chosen model; none where it leaves none open
    QVector<FieldRow> dimensionsShown;
    QVBoxLayout* dimensionsPlace = nullptr;
    Form* ownInputs = nullptr;          ///< see addOwnInputs; null where there are none
    QVector<ListEditor*> lists, lines;  ///< all tables, and those of lines among them
    std::shared_ptr<QStringList> layers = std::make_shared<QStringList>();
    std::shared_ptr<QStringList> levels = std::make_shared<QStringList>();
    bool runPressed = false;  ///< Run was pressed: what is still missing is a problem from now on
};

StudyDocument::StudyDocument(const QString& key, QWidget* parent)
    : EditorDocument(parent, key), d_(hold(std::make_unique<Implementation>(this, StudyChecker()))) {
    d_->open(openOrRecoverStudy);
}

StudyDocument::StudyDocument(const study::Study& study, const QString& key, QWidget* parent)
    : EditorDocument(parent, key), d_(hold(std::make_unique<Implementation>(this, StudyChecker()))) {
    d_->start({.file = {.key = key, .path = {}, .own = true}, .json = studyDocument(study), .problem = {}});
}

StudyDocument::~StudyDocument() {
    takeDown();
}

StudyDocument::Implementation::Implementation(StudyDocument* widget, const StudyChecker& its)
    : EditorContent(
          widget, kStudyDocumentKind,
          [its](const Json& json, const std::string& file) { return its.check(json, file); }, u"Save study"_s),
      owner(widget),
      checker(its) {
    owner->setAcceptDrops(true);
    frame->setColumns(kColumnWidth);
    estimate = new QLabel(owner);
    estimate->setTextFormat(Qt::PlainText);
    estimate->setWordWrap(true);
    estimate->setAccessibleName(u"Estimate of the work"_s);
    setLook(*estimate, "tone", u"secondary"_s);
    run = new QPushButton(theme().icon(u"run"_s, "on-accent"), u"Run"_s, owner);
    run->setToolTip(u"Run the study (Ctrl+Return)"_s);
    run->setAccessibleName(u"Run the study"_s);
    run->setMinimumSize(theme().size("button") * 4, theme().size("button") + theme().spacing(2));
    run->setEnabled(false);
    setLook(*run, "emphasis", u"primary"_s);
    connect(run, &QPushButton::clicked, owner, &StudyDocument::requestRun);
    frame->actionBar()->addWidget(estimate, 1);
    frame->actionBar()->addWidget(run);

    addAction(u"Run the study"_s, u"run"_s, {}, [this] { owner->requestRun(); });
    addAction(u"Save study as…"_s, u"save-as"_s, QKeySequence::SaveAs, [this] { owner->saveAs(); });
    explore = addAction(u"Explore this study…"_s, u"explore"_s, {}, [this] {
        emit owner->openRequested(u"study"_s, exploringKey(toQt(study::toJson(owner->study()).dump())));
    });
}

ReferenceList* StudyDocument::Implementation::addPicker(const InputSlot& slot) {
    const QString title = slot.label.toLower();
    auto* picker = new ReferenceList(slot, owner);
    connect(picker, &ReferenceList::changed, owner,
            [this, list = slot.list, title](const QStringList& values) { setInputs(list, values, title); });
    connect(picker, &ReferenceList::finished, owner, [this] { core.document().endTyping(); });
    pickers[slot.list] = picker;
    return picker;
}

void StudyDocument::Implementation::buildInputs() {
    auto* column = bareLayout<QVBoxLayout>(theme().spacing(2));
    column->addWidget(EditorFrame::sectionTitle(u"Inputs"_s, owner));
    FieldRow title;
    title.path = "name";
    title.label = u"Name"_s;
    title.placeholder = u"optional"_s;
    FieldRow engine;
    engine.path = "engine";
    engine.label = u"Study type"_s;
    engine.kind = FieldKind::word;
    engine.required = true;
    // The fields below are this engine's: another question is another study.
    const study::Engine& its = study::engineNamed(this->engine());
    engine.titles << toQt(its.title);
    engine.words << toQt(its.id);
    engine.help = toQt(its.description);
    inputs = addForm({title, engine});
    column->addWidget(inputs);
    for (const InputSlot& slot : inputSlots(this->engine())) {
        column->addWidget(addPicker(slot));
        if (its.hardwareKind == "accelerator" && std::string_view(slot.list) == "hardware")
            column->addWidget(calibrationHint());
        if (std::string_view(slot.list) != "models") continue;
        dimensionsPlace = new QVBoxLayout;
        column->addLayout(dimensionsPlace);
    }
    addOwnInputs(*column);
    frame->fields()->addLayout(column);
    offerChoices();
}

/// What an engine without inputs rests on, and lists of lines: an exploration's study, and what of it varies.
void StudyDocument::Implementation::addOwnInputs(QVBoxLayout& column) {
    QVector<FieldRow> rows;
    QVector<ListSpec> tables;
    for (const study::Parameter& parameter : study::engineNamed(engine()).parameters()) {
        if (isOwnInput(parameter)) rows.push_back(*fieldOf(parameter));
        if (parameter.lineOf != nullptr) tables.push_back(*listOf(parameter, levels));
    }
    if (!rows.isEmpty()) column.addWidget(ownInputs = addForm(rows));
    for (const ListSpec& table : tables) {
        lines.push_back(new ListEditor(&core.document(), table, owner));
        lists.push_back(lines.back());
        column.addWidget(lines.back());
    }
}

bool StudyDocument::Implementation::isOwnInput(const study::Parameter& parameter) const {
    return parameter.kind == study::ParameterKind::document && inputSlots(engine()).empty();
}

/// Where accelerators are chosen: this machine can be one.
QWidget* StudyDocument::Implementation::calibrationHint() {
    auto* hint = new QWidget(owner);
    auto* line = new QHBoxLayout(hint);
    line->setContentsMargins(kPickerIndent, 0, 0, 0);
    calibrate = new QPushButton(u"Calibrate this machine…"_s, hint);
    calibrate->setToolTip(u"Measure this computer, so that it can be compared with the others"_s);
    calibrate->setProperty("emphasis", "link");
    connect(calibrate, &QPushButton::clicked, owner, [this] { emit owner->openRequested(u"calibration"_s, {}); });
    line->addWidget(calibrate);
    line->addStretch();
    return hint;
}

void StudyDocument::Implementation::offerChoices() {
    for (const auto& entry : pickers) {
        inBackground(
            owner, [list = entry.first, engine = engine()] { return choicesOf(list, engine); },
            [picker = entry.second](const QVector<ReferencePicker::Choice>& choices) { picker->setChoices(choices); });
    }
    for (const study::Parameter& parameter : study::engineNamed(engine()).parameters()) {
        const std::string folder(parameter.library);
        if (folder.empty()) continue;
        inBackground(
            owner,
            [folder] {
                QStringList names;
                for (const auto& file : libraryFiles(folder)) names << toQt(file.first);
                return names;
            },
            [this, path = "parameters." + std::string(parameter.name)](const QStringList& names) {
                for (Form* form : forms) form->setSuggestions(path, names);
            });
    }
    checker.forgetFleet();
}

void StudyDocument::Implementation::buildParameters() {
    QVector<FieldRow> usual, special;
    QVector<ListSpec> tables;
    for (int level = 0; level < 64; ++level) *levels << QString::number(level);
    const study::Engine& engine = study::engineNamed(core.json().at("engine").get<std::string>());
    for (const study::Parameter& parameter : engine.parameters()) {
        const bool named = parameter.kind == study::ParameterKind::namedWords;
        if (isOwnInput(parameter) || parameter.lineOf != nullptr) continue;
        if (const auto row = fieldOf(parameter)) (parameter.research ? special : usual).push_back(*row);
        if (const auto table = listOf(parameter, named ? layers : levels)) tables.push_back(*table);
    }
    if (engine.drawsNumbers) usual.push_back(seedRow());
    auto* column = bareLayout<QVBoxLayout>(theme().spacing(2));
    column->addWidget(EditorFrame::sectionTitle(u"Parameters"_s, owner));
    parameters = addForm(usual);
    column->addWidget(parameters);
    frame->fields()->addLayout(column);
    auto* pins = bareLayout<QHBoxLayout>(theme().spacing(8));
    for (const ListSpec& table : tables) {
        lists.push_back(new ListEditor(&core.document(), table, owner));
        pins->addWidget(lists.back(), 1, Qt::AlignTop);
    }
    if (!lists.isEmpty() && dimensionsPlace != nullptr) lists.front()->setSuggestions("", *layers);
    frame->furtherFields()->addLayout(pins);
    if (!special.isEmpty()) {
        research = new Section(u"Research options"_s, false, owner);
        research->content()->addWidget(addForm(special));
        frame->furtherFields()->addWidget(research);
    }
}

void StudyDocument::Implementation::build(const Json& /*opened*/) {
    buildInputs();
    buildParameters();
    orderControls();
    explore->setVisible(study::engineNamed(engine()).inner == nullptr);
}

Form* StudyDocument::Implementation::addForm(const QVector<FieldRow>& rows) {
    auto* form = new Form(&core.document(), rows, Form::Notes::beside, owner);
    forms.push_back(form);
    connect(form, &Form::ownProblemsChanged, owner, [this] { showChecked(); });
    return form;
}

void StudyDocument::Implementation::offerDimensions(const QStringList& open) {
    if (dimensionsPlace == nullptr) return;
    const QVector<FieldRow> rows = dimensionRows(core.json(), open);
    const auto same = [](const FieldRow& one, const FieldRow& other) { return one.keys == other.keys; };
    if (std::equal(rows.begin(), rows.end(), dimensionsShown.begin(), dimensionsShown.end(), same)) return;
    dimensionsShown = rows;
    if (dimensions != nullptr) {
        // Whoever types in it goes on beside it.
        if (dimensions->isAncestorOf(owner->focusWidget())) focusInputs();
        forms.removeOne(dimensions);
        dimensions->hide();
        dimensions->deleteLater();
    }
    if (rows.isEmpty()) return;
    dimensions = addForm(rows);
    dimensionsPlace->addWidget(dimensions);
    dimensions->show();  // now, not with the next event: the order of Tab and the focus need it
    orderControls();
}

/// What is edited comes before what is done with it.
void StudyDocument::Implementation::orderControls() const {
    QVector<QWidget*> parts{inputs};
    for (const InputSlot& slot : inputSlots(engine())) {
        parts << pickers.at(slot.list);
        if (std::string_view(slot.list) == "models") parts << dimensions;
        if (std::string_view(slot.list) == "hardware") parts << calibrate;
    }
    parts << ownInputs;
    for (ListEditor* list : lines) parts << list;
    parts << parameters;
    for (ListEditor* list : lists)
        if (!lines.contains(list)) parts << list;
    orderTabs(parts << research << run << saveButton);
}

QString StudyDocument::Implementation::name() const {
    const auto found = core.json().find("name");
    if (found != core.json().end() && found->is_string() && !found->get_ref<const std::string&>().empty())
        return toQt(escaped(found->get<std::string>(), 80));
    QStringList names;
    for (const InputSlot& slot : inputSlots(engine()))
        if (const QString input = firstInput(core.json(), slot.list); !input.isEmpty())
            names << input.section(QLatin1Char(':'), -1).section(QLatin1Char('/'), -1);
    if (names.isEmpty()) return u"New study"_s;
    return names.size() == 1 ? names.front() : u"%1 on %2"_s.arg(names[0], names[1]);
}

void StudyDocument::Implementation::showValues() {
    for (const auto& [list, picker] : pickers) picker->setValues(inputsOf(core.json(), list.c_str()));
    run->setEnabled(true);
}

Problems StudyDocument::Implementation::allProblems() const {
    Problems all;
    for (const Form* form : forms) all += form->ownProblems();
    return joinedProblems(all, core.problems());
}

void StudyDocument::Implementation::showChecked() {
    if (!built) return;
    StudyPreview preview;
    if (core.preview().has_value()) preview = std::any_cast<StudyPreview>(core.preview());
    if (!core.isChecking()) offerDimensions(preview.dimensions);
    Problems problems = allProblems();
    QStringList missing;
    // What was not chosen yet is a hint, not a mistake.
    if (!runPressed)
        problems.removeIf([&](const Problem& problem) {
            if (!isMissing(core.json(), problem.field)) return false;
            missing << problem.sentence;
            return true;
        });
    for (Form* form : forms) form->setProblems(problems);
    for (ListEditor* list : lists) list->setProblems(problems);
    frame->setProblems(problems, [this](const std::string& field) { return nameOf(field); });
    for (const auto& [list, picker] : pickers) {
        const QString reason = problemAt(problems, list);
        QVector<ReferenceList::Note> notes;
        bool any = false;  // of the inputs themselves is wrong: then its own row says so
        if (const auto known = preview.notes.find(list); known != preview.notes.end())
            for (const StudyPreview::Note& note : known->second) {
                notes.append({note.text, note.wrong});
                any = any || note.wrong;
            }
        if (!reason.isEmpty() && !any) notes = {{reason, true}};
        picker->setNotes(notes);
    }
    *layers = preview.layers;
    if (!lists.isEmpty() && dimensionsPlace != nullptr) lists.front()->setSuggestions("", preview.layers);
    for (Form* form : forms) form->setSuggestions("parameters.dtype", preview.dataTypes);
    for (ListEditor* list : lists)
        for (const auto& [parameter, offered] : preview.offered)
            if (list->model()->spec().path == "parameters." + parameter) list->setSuggestions("", offered);
    showEstimate(problems);
    if (problems.isEmpty() && !missing.isEmpty()) estimate->setText(missing.join(QLatin1Char(' ')));
}

void StudyDocument::Implementation::showEstimate(const Problems& problems) const {
    StudyPreview preview;
    if (core.preview().has_value()) preview = std::any_cast<StudyPreview>(core.preview());
    QString text = toQt(escaped(preview.estimate.text, 1000));
    if (!problems.isEmpty())
        text =
            counted(problems.size(), "thing to put right before it can run.", "things to put right before it can run.");
    estimate->setText(text);
}

QString StudyDocument::Implementation::nameOf(const std::string& field) const {
    for (const InputSlot& slot : inputSlots(engine()))
        if (field == slot.list) return slot.label;
    if (field == "seed") return seedRow().label;
    for (const FieldRow& row : dimensionsShown)
        if (field == row.path) return u"Dimension %1"_s.arg(row.label);
    if (field.starts_with("parameters."))
        for (const study::Parameter& parameter :
             study::engineNamed(core.json().at("engine").get<std::string>()).parameters()) {
            const std::string own = "parameters." + std::string(parameter.name);
            if (field == own || field.starts_with(own + ".")) return labelOf(parameter);
        }
    return toQt(escaped(field));
}

void StudyDocument::Implementation::goTo(const std::string& field) {
    for (const auto& [list, picker] : pickers)
        if (field.starts_with(list)) return picker->setFocus();
    for (Form* form : forms) {
        if (research != nullptr && research->isAncestorOf(form) && form->contains(field)) research->setOpen(true);
        if (form->goTo(field))
            return frame->scroll()->ensureWidgetVisible(form->focusWidget() != nullptr ? form->focusWidget() : form);
    }
    for (ListEditor* list : lists)
        if (list->goTo(field)) return frame->scroll()->ensureWidgetVisible(list);
}

void StudyDocument::Implementation::setInputs(const char* list, const QStringList& values, const QString& title) {
    Json names = Json::array();
    for (const QString& value : values) names.push_back(value.toStdString());
    core.document().set({list}, names, title);
}

/// Sets the inputs of a list to one, or adds it to those of a list of several; a study whose engine takes none of that
/// sort says so.
void StudyDocument::Implementation::takeInput(const char* list, const QString& value, bool adds) {
    for (const InputSlot& slot : inputSlots(engine())) {
        if (std::string_view(slot.list) != list) continue;
        core.document().endTyping();
        const QStringList one = value.isEmpty() ? QStringList() : QStringList{value};
        setInputs(list, slot.several && adds ? inputsOf(core.json(), list) + one : one, slot.label.toLower());
        core.document().endTyping();
        return;
    }
    emit owner->messaged(u"A study of this type takes no such input: %1."_s.arg(shownText(value.toStdString())), {});
}

/// A file that was dropped: the engine's own sorts of files become inputs, others that have an editor are opened.
void StudyDocument::Implementation::takeFile(const QString& path, const NativeFile* kind) {
    const study::Engine& its = study::engineNamed(engine());
    if (kind == nullptr) return owner->setModel(path);
    if (kindOf(*kind) == its.hardwareKind && takes("hardware")) return takeInput("hardware", path, true);
    if (kindOf(*kind) == its.workloadKind && takes("workloads")) return takeInput("workloads", path, true);
    emit owner->openRequested(QLatin1String(kind->document), path);
}

QString StudyDocument::title() const {
    return d_->core.isStarted() ? d_->name() : key().section(QLatin1Char('/'), -1);
}

QVector<Exportable> StudyDocument::exportables() {
    return d_->built ? QVector<Exportable>{d_->documentExport(u"Study file"_s)} : QVector<Exportable>();
}

study::Study StudyDocument::study() const {
    const auto read = [this](const Json& document) {
        return study::readStudy(JsonDocument::parse(toText(document), d_->core.file().path.string()).root());
    };
    try {
        return read(d_->core.json());
    } catch (const std::exception&) {
    }
    try {
        // What is right of it.
        Json document = d_->core.json();
        for (const Problem& problem : d_->core.problems())
            if (const JsonPath path = pathFromDotted(document, problem.field); !path.empty())
                eraseValue(document, path);
        return read(document);
    } catch (const std::exception&) {
        // Not complete yet: its inputs, with the engine's defaults.
        study::Study study = study::newStudy(d_->core.isStarted() ? d_->engine() : study::engines().front().id);
        for (const auto& [list, names] : {std::pair("models", &study.models), std::pair("workloads", &study.workloads),
                                          std::pair("hardware", &study.hardware)})
            if (const QString name = firstInput(d_->core.json(), list); !name.isEmpty())
                names->push_back(name.toStdString());
        return study;
    }
}

void StudyDocument::setModel(const QString& model) {
    // A model is a workload, too: all of its layers.
    d_->takeInput(d_->takes("models") ? "models" : "workloads", model);
}

void StudyDocument::setWorkload(const QString& workload) {
    d_->takeInput("workloads", workload);
}

void StudyDocument::setHardware(const QString& hardware) {
    d_->takeInput("hardware", hardware);
}

void StudyDocument::requestRun() {
    if (!d_->core.isStarted()) return;
    d_->core.document().endTyping();
    Problems problems = d_->allProblems();
    try {
        const study::Study ready =
            study::readStudy(JsonDocument::parse(toText(d_->core.json()), d_->core.file().path.string()).root());
        // A check that is still under way may speak of an older state; the engine checks everything again.
        if (problems.isEmpty() || d_->core.isChecking()) {
            rememberModel(firstInput(d_->core.json(), "models"));
            emit runRequested(toQt(toText(study::toJson(ready))));
            return;
        }
    } catch (const DataError& error) {
        if (problems.isEmpty()) problems.push_back({error.place.field, shownText(error.what(), 1000)});
    } catch (const std::exception& error) {
        if (problems.isEmpty()) problems.push_back({"", shownText(error.what(), 1000)});
    }
    d_->runPressed = true;
    d_->showChecked();
    d_->goTo(problems.front().field);
    emit messaged(u"The study cannot run yet. %1"_s.arg(problems.front().sentence), toQt(problems.front().field));
}

void StudyDocument::dragEnterEvent(QDragEnterEvent* event) {
    const QMimeData* dragged = event->mimeData();
    const bool local = dragged->hasUrls() && dragged->urls().size() == 1 && dragged->urls().front().isLocalFile();
    if (local || dragged->text().startsWith(u"zoo:"_s)) event->acceptProposedAction();
}

void StudyDocument::dropEvent(QDropEvent* event) {
    event->acceptProposedAction();
    if (!event->mimeData()->hasUrls()) return setModel(event->mimeData()->text().trimmed());
    const QString path = event->mimeData()->urls().front().toLocalFile();
    inBackground(
        this, [path] { return droppedFile(path); }, [this, path](const NativeFile* kind) { d_->takeFile(path, kind); });
}

}  // namespace tessera::ui
