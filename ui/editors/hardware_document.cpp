#include "ui/editors/hardware_document.h"

#include <QAction>
#include <QApplication>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/cost/dataflow.h"
#include "core/hardware/library.h"
#include "core/model/zoo/zoo.h"
#include "ui/editors/check.h"
#include "ui/editors/difference_dialog.h"
#include "ui/editors/editor_content.h"
#include "ui/editors/hardware_facts.h"
#include "ui/editors/hardware_kind.h"
#include "ui/editors/hardware_picture.h"
#include "ui/editors/kind_form.h"
#include "ui/editors/name_dialog.h"
#include "ui/editors/tab_order.h"
#include "ui/models/background.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr int kFieldsWidth = 560;
const QString kHardwareKind = u"hardware"_s;

Opened openFile(const EditedFile& file) {
    Opened opened{.file = file, .json = {}, .problem = {}};
    try {
        const std::string path = file.path.string();
        opened.json = readDocument(file.path);
        if (hardwareKindOf(opened.json) == nullptr)
            opened.problem =
                u"%1 cannot be edited here: its 'schema' names no accelerator, fleet, platform, "
                "template or workload."_s.arg(toQt(escaped(path)));
    } catch (const std::exception& error) {
        opened.problem = shownText(error.what(), 1000);
    }
    return opened;
}

/// "fleet/NAME", "new/fleet", or a path.
Opened openHardwareKey(const QString& key) {
    const QString start = key.section(QLatin1Char('/'), 0, 0);
    const QString rest = key.section(QLatin1Char('/'), 1);
    if (start == QLatin1String("new")) {
        const HardwareKind* kind = hardwareKind(rest.section(QLatin1Char('?'), 0, 0));
        if (kind != nullptr) return {{.key = key, .path = {}, .own = true}, kind->blank, {}};
        return {{.key = key, .path = {}, .own = false}, {}, u"There is no kind of hardware called '%1'."_s.arg(rest)};
    }
    EditedFile file{.key = key, .path = {}, .own = true};
    if (const HardwareKind* kind = hardwareKind(start); kind != nullptr && !rest.contains(QLatin1Char('/')))
        file.path = findInLibrary(kind->folder, rest.toStdString());
    if (file.path.empty()) file.path = key.toStdString();
    if (!isFile(file.path))
        return {file, {}, u"There is no hardware file '%1' any more."_s.arg(shownText(key.toStdString()))};
    file.own = isOwnFile(file.path);
    return openFile(file);
}

/// What a key stands for; where its file is gone, the edits that were made on it.
Opened openOrRecoverHardware(const QString& key) {
    Opened opened = openHardwareKey(key);
    if (opened.problem.isEmpty()) return opened;
    const std::optional<Recovery> lost = findRecovery(recoveryId(kHardwareKind, key));
    const HardwareKind* kind = lost ? hardwareKindOf(lost->json) : nullptr;
    if (kind == nullptr) return opened;
    const QString keyPrefix = kind->id + QLatin1Char('/');
    const QString name = key.mid(keyPrefix.size());
    const bool inLibrary = key.startsWith(keyPrefix) && problemOfName(name).isEmpty();
    return {inLibrary ? placeInLibrary(kind->folder, keyPrefix, name) : placeAt(key, kind->folder, keyPrefix),
            kind->blank,
            {}};
}

CheckOutcome checkHardware(const Json& document, const std::string& file) {
    CheckOutcome outcome;
    const HardwareKind* kind = hardwareKindOf(document);
    if (kind == nullptr) {
        outcome.problems.push_back({"schema", u"This names no kind of hardware that can be edited here."_s});
        return outcome;
    }
    Preview preview;
    outcome.problems = findProblems(document, file, [&](const JsonNode& root) { preview = kind->read(root); }, {});
    if (outcome.problems.isEmpty()) outcome.preview = preview;
    return outcome;
}

/// What entries of a list name by path: a document that moves to another folder keeps what lay beside it.
struct Reference {
    const char* list;
    const char* key;
};
constexpr std::array kReferences{Reference{"groups", "accelerator"}, Reference{"sub_accelerators", "dataflow"},
                                 Reference{"models", "model"}};

void keepHardwareReferences(Json& document, const std::filesystem::path& from) {
    for (const auto& [list, key] : kReferences) {
        if (!document.contains(list) || !document.at(list).is_array()) continue;
        for (Json& entry : document.at(list))
            if (entry.is_object() && entry.contains(key) && entry.at(key).is_string())
                entry[key] = keptReference(entry.at(key).get<std::string>(), from);
    }
}

QString nameIn(const Json& json) {
    const auto name = json.find("name");
    return name != json.end() && name->is_string() ? toQt(name->get<std::string>()) : QString();
}

QString titleOf(const Json& json) {
    return shownText(nameIn(json).toStdString(), 80);
}

/// The name that hardware takes from the file it is copied to, so that no two of the library are called the same; empty
/// where the file is called as the hardware is.
QString nameOfCopy(const Json& json, const std::filesystem::path& file) {
    const QString stem = toQt(file.stem().string());
    return nameFromTitle(nameIn(json)) == stem ? QString() : stem;
}

/// Writes a copy of a document that lies at `from`, under the name that its file says. Throws FileError.
void writeCopyOf(Json copy, const std::filesystem::path& from, const EditedFile& file) {
    keepHardwareReferences(copy, from);
    if (const QString name = nameOfCopy(copy, file.path); !name.isEmpty()) copy["name"] = name.toStdString();
    std::error_code ignored;
    std::filesystem::create_directories(file.path.parent_path(), ignored);
    writeFile(file.path, toText(copy));
}

/// Asks where a copy is to lie; nothing where the question is given up.
std::optional<EditedFile> placeOfCopy(const HardwareKind& kind, const Json& json, QWidget* parent) {
    const QString keyPrefix = kind.id + QLatin1Char('/');
    NameDialog dialog(u"Duplicate"_s, nameFromTitle(nameIn(json)) + u"-copy"_s, ownFolder(kind.folder), parent);
    if (dialog.exec() != QDialog::Accepted) return std::nullopt;
    return dialog.otherPlace().isEmpty() ? placeInLibrary(kind.folder, keyPrefix, dialog.name())
                                         : placeAt(dialog.otherPlace(), kind.folder, keyPrefix);
}

}  // namespace

void duplicateHardware(const QString& key, QWidget* parent, const std::function<void(const QString& copy)>& done,
                       const std::function<void(const QString& sentence)>& failed) {
    inBackground(
        parent, [key] { return openHardwareKey(key); },
        [parent, done, failed](const Opened& opened) {
            const HardwareKind* kind = opened.problem.isEmpty() ? hardwareKindOf(opened.json) : nullptr;
            if (kind == nullptr) return failed(opened.problem);
            const std::optional<EditedFile> place = placeOfCopy(*kind, opened.json, parent);
            if (!place) return;
            try {
                writeCopyOf(opened.json, opened.file.path, *place);
                done(place->key);
            } catch (const std::exception& error) {
                failed(shownText(error.what(), 1000));
            }
        },
        failed);
}

struct HardwareDocument::Implementation : EditorContent {
    explicit Implementation(HardwareDocument* widget);

    void build(const Json& opened) override;
    void focusFirst() override { form->focusFirst(); }
    void offerChoices() override;
    void showValues() override;
    void showChecked() override;
    void goTo(const std::string& field) override;
    bool isComplete() override;
    void saveInto(const EditedFile& file) override;
    QString name() const override { return titleOf(core.json()); }
    QString kindTitle() const override { return kind->title; }
    std::string folder() const override { return kind->folder; }
    QString keyPrefix() const override { return kind->id + QLatin1Char('/'); }
    QString proposedName() const override;
    QJsonObject ownView() const override;
    void restoreOwnView(const QJsonObject& view) override;

    QString nameOf(const std::string& field) const;
    bool writeCopy(const EditedFile& file) const;
    void duplicate();
    void compare() const;
    void importJson();
    void exportJson();
    /// Says why something was not done.
    void refuse(const QString& sentence) const {
        frame->setNotice(sentence, {{u"All right"_s, [] {}}});
    }

    HardwareDocument* owner;
    const HardwareKind* kind = nullptr;
    KindForm* form = nullptr;
    HardwarePicture* picture = nullptr;
    QToolButton* more;
};

HardwareDocument::HardwareDocument(const QString& key, QWidget* parent)
    : EditorDocument(parent, key), d_(hold(std::make_unique<Implementation>(this))) {
    d_->open(openOrRecoverHardware);
}

HardwareDocument::~HardwareDocument() {
    takeDown();
}

HardwareDocument::Implementation::Implementation(HardwareDocument* widget)
    : EditorContent(widget, kHardwareKind, checkHardware, u"Save a copy"_s),
      owner(widget),
      more(new QToolButton(widget)) {
    addAction(u"Save a copy…"_s, u"save-as"_s, QKeySequence::SaveAs, [this] { owner->saveAs(); });
    addAction(u"Duplicate…"_s, u"duplicate"_s, {}, [this] { duplicate(); });
    addAction(u"Compare with another…"_s, u"diff"_s, {}, [this] { compare(); });
    addAction(u"Import JSON…"_s, u"import"_s, {}, [this] { importJson(); });
    addAction(u"Export JSON…"_s, u"export"_s, {}, [this] { exportJson(); });
    more->setIcon(theme().icon(u"more"_s));
    more->setToolTip(u"More actions"_s);
    more->setAccessibleName(u"More actions"_s);
    more->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(more);
    menu->addActions(actions);
    more->setMenu(menu);
    frame->buttons()->addWidget(more);
}

void HardwareDocument::Implementation::build(const Json& opened) {
    kind = hardwareKindOf(opened);
    form = new KindForm(*kind, &core.document(), {}, owner);
    connect(form, &KindForm::ownProblemsChanged, owner, [this] { showChecked(); });
    connect(form, &KindForm::openRequested, owner, &HardwareDocument::openRequested);
    frame->fields()->addWidget(form);
    frame->fields()->addStretch(1);
    picture = new HardwarePicture(owner);
    frame->picture()->addWidget(picture, 1);
    frame->setSideWidth(kFieldsWidth);
    frame->setIcon(kind->icon);
    // What is edited comes before what is done with it.
    orderTabs({form, picture, saveButton, more});
    offerChoices();
}

void HardwareDocument::Implementation::offerChoices() {
    inBackground(
        owner,
        [] {
            QStringList names;
            for (const hardware::LibraryEntry& entry : hardware::libraryEntries())
                if (entry.kind == "accelerator" && entry.problem.empty()) names << toQt(entry.id);
            return names;
        },
        [this](const QStringList& names) { form->setSuggestions("accelerator", names); });
    QStringList dataflows;
    for (const std::string& name : cost::bundledDataflowNames()) dataflows << toQt(name);
    form->setSuggestions("dataflow", dataflows);
    QStringList models;
    for (const model::ZooEntry& entry : model::zooEntries()) models << toQt("zoo:" + entry.id);
    form->setSuggestions("model", models);
    form->setSuggestions("kind", {u"vision"_s, u"language"_s, u"recommendation"_s});
}

void HardwareDocument::Implementation::showValues() {
    saveButton->setToolTip(core.file().own ? QString()
                                           : u"Bundled files stay as they are: saving makes a copy of yours"_s);
    // Where groups may be linked to is what groups there are.
    QStringList groups;
    if (core.json().contains("groups") && core.json().at("groups").is_array())
        for (const Json& group : core.json().at("groups"))
            if (group.is_object() && group.contains("name") && group.at("name").is_string())
                groups << toQt(group.at("name").get<std::string>());
    for (const char* end : {"between.0", "between.1"}) form->setSuggestions(end, groups);
}

void HardwareDocument::Implementation::showChecked() {
    if (!built) return;
    const Problems problems = joinedProblems(form->ownProblems(), core.problems());
    form->setProblems(problems);
    frame->setProblems(problems, [this](const std::string& field) { return nameOf(field); });
    if (core.preview().has_value()) picture->setPreview(std::any_cast<Preview>(core.preview()));
    picture->setStale(!problems.isEmpty());
    emit owner->overviewChanged();
}

QString HardwareDocument::Implementation::nameOf(const std::string& field) const {
    const QString name = fieldName(*kind, core.json(), field);
    return name.isEmpty() ? toQt(escaped(field)) : name;
}

void HardwareDocument::Implementation::goTo(const std::string& field) {
    if (QWidget* place = form->goTo(field)) frame->scroll()->ensureWidgetVisible(place);
}

bool HardwareDocument::Implementation::isComplete() {
    // What was typed a moment ago is not checked yet.
    const CheckOutcome outcome = checkHardware(core.json(), core.file().path.string());
    const Problems problems = joinedProblems(form->ownProblems(), outcome.problems);
    if (problems.isEmpty()) return true;
    frame->setProblems(problems, [this](const std::string& field) { return nameOf(field); });
    goTo(problems.front().field);
    emit owner->messaged(u"%1 is not saved: %2: %3"_s.arg(titleOf(core.json()), nameOf(problems.front().field),
                                                          problems.front().sentence),
                         toQt(problems.front().field));
    return false;
}

void HardwareDocument::Implementation::saveInto(const EditedFile& file) {
    const bool renamed = nameIn(core.json()) != nameIn(core.saved());  // in its field, to what it is to be called
    const bool copies = file.path != core.file().path && !renamed;
    core.saveTo(file, keepHardwareReferences, copies ? nameOfCopy(core.json(), file.path) : QString());
}

QString HardwareDocument::Implementation::proposedName() const {
    const bool sameName = !core.file().own && nameIn(core.json()) == nameIn(core.saved());
    return nameFromTitle(name()) + (sameName ? u"-mine"_s : QString());
}

void HardwareDocument::Implementation::duplicate() {
    if (!isComplete()) return;
    if (const std::optional<EditedFile> place = placeOfCopy(*kind, core.json(), owner)) writeCopy(*place);
}

void HardwareDocument::Implementation::compare() const {
    auto* dialog = new DifferenceDialog(*kind, core.json(), core.file(), owner);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->show();
}

void HardwareDocument::Implementation::importJson() {
    const QString path = QFileDialog::getOpenFileName(owner, u"Import JSON"_s, {}, u"Hardware files (*.json)"_s);
    if (path.isEmpty()) return;
    const EditedFile file{.key = path, .path = path.toStdString(), .own = true};
    inBackground(
        owner, [file] { return openFile(file); },
        [this](const Opened& opened) {
            const bool same = opened.problem.isEmpty() && hardwareKindOf(opened.json) == kind;
            if (!same) {
                const QString sentence =
                    !opened.problem.isEmpty() ? opened.problem : u"That file is no %1."_s.arg(kind->title.toLower());
                return refuse(sentence);
            }
            core.document().endTyping();
            core.document().change(u"import"_s, [&](Json& json) { json = opened.json; });
        });
}

void HardwareDocument::Implementation::exportJson() {
    const QString proposal = nameFromTitle(name()) + u".json"_s;
    const QString path = QFileDialog::getSaveFileName(owner, u"Export JSON"_s, proposal, u"Hardware files (*.json)"_s);
    if (path.isEmpty()) return;
    inBackground(
        owner,
        [path, text = toText(core.json())] {
            writeFile(path.toStdString(), text);
            return true;
        },
        [](bool) {}, [this](const QString& problem) { refuse(shownText(problem.toStdString(), 1000)); });
}

QString HardwareDocument::title() const {
    const QString name = d_->name();
    return name.isEmpty() ? key().section(QLatin1Char('/'), -1) : name;
}

QString HardwareDocument::iconName() const {
    return d_->kind != nullptr ? d_->kind->icon : u"hardware"_s;
}

Facts HardwareDocument::overview() const {
    if (!d_->core.isStarted() || !d_->core.preview().has_value()) return {};
    Facts facts = hardwareFacts(std::any_cast<const Preview&>(d_->core.preview()));
    facts.title = title();
    facts.icon = iconName();
    return facts;
}

bool HardwareDocument::duplicateAs(const QString& name) {
    if (!d_->core.isStarted() || !problemOfName(name).isEmpty()) return false;
    return d_->writeCopy(placeInLibrary(d_->kind->folder, d_->keyPrefix(), name));
}

bool HardwareDocument::Implementation::writeCopy(const EditedFile& file) const {
    try {
        writeCopyOf(core.json(), core.file().path, file);
    } catch (const std::exception& error) {
        refuse(shownText(error.what(), 1000));
        return false;
    }
    emit owner->openRequested(owner->kind(), file.key);
    return true;
}

QVector<Exportable> HardwareDocument::exportables() {
    if (!d_->built) return {};
    QVector<Exportable> all = d_->picture->exportables();
    for (Exportable& each : all) each.name = nameFromTitle(title()) + QLatin1Char('-') + each.name;
    return all << d_->documentExport(d_->kind->title);
}

QJsonObject HardwareDocument::Implementation::ownView() const {
    return {{u"dtype"_s, picture->dataType()},
            {u"split"_s, QString::fromLatin1(frame->splitter()->saveState().toBase64())}};
}

void HardwareDocument::Implementation::restoreOwnView(const QJsonObject& view) {
    frame->splitter()->restoreState(QByteArray::fromBase64(view[u"split"_s].toString().toLatin1()));
    picture->setDataType(view[u"dtype"_s].toString());
}

}  // namespace tessera::ui
