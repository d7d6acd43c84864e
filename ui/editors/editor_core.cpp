#include "ui/editors/editor_core.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/file.h"
#include "ui/models/background.h"
#include "ui/models/text.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr int kCheckDelay = 40;   // milliseconds after the last edit
constexpr int kKeepDelay = 1000;  // after the first edit that is not kept

}  // namespace

EditorCore::EditorCore(QString documentKind, Check check, QObject* parent)
    : QObject(parent), kind_(std::move(documentKind)), check_(std::move(check)), document_(Json::object()) {
    checkTimer_.setSingleShot(true);
    checkTimer_.setInterval(kCheckDelay);
    keepTimer_.setSingleShot(true);
    keepTimer_.setInterval(kKeepDelay);
    connect(&checkTimer_, &QTimer::timeout, this, &EditorCore::check);
    connect(&keepTimer_, &QTimer::timeout, this, &EditorCore::keep);
    connect(&document_, &EditedJson::changed, this, &EditorCore::edited);
    connect(document_.undoStack(), &QUndoStack::cleanChanged, this, [this] { edited(); });
}

EditorCore::~EditorCore() {
    document_.disconnect(this);
    document_.undoStack()->disconnect(this);
    if (kept_) dropRecovery(recoveryId_);
}

void EditorCore::start(const EditedFile& file, const Json& json) {
    file_ = file;
    started_ = true;
    document_.reset(json);
    document_.undoStack()->setClean();
    rebase();
    recovery_ = findRecovery(recoveryId_);
    kept_ = recovery_.has_value();
    if (recovery_ && recovery_->json == json) recovery_.reset();
    if (recovery_) document_.change(u"unsaved edits"_s, [&](Json& document) { document = recovery_->json; });
    document_.endTyping();
    wasModified_ = isModified();
    keepTimer_.start();
    recheck();
    emit started();
}

void EditorCore::edited() {
    if (!started_) return;
    ++wanted_;
    checkTimer_.start();
    // Not put off by further typing: what is typed is kept within a second.
    if (!keepTimer_.isActive()) keepTimer_.start();
    if (isModified() == wasModified_) return;
    wasModified_ = isModified();
    emit modifiedChanged();
}

void EditorCore::recheck() {
    ++wanted_;
    checkTimer_.start();
}

void EditorCore::check() {
    if (checking_) return;
    checking_ = true;
    const int number = wanted_;
    inBackground(
        this, [check = check_, json = json(), file = file_.path.string()] { return check(json, file); },
        [this, number](const CheckOutcome& outcome) {
            checking_ = false;
            if (number != wanted_) return check();  // something was edited meanwhile
            checked_ = number;
            outcome_ = outcome;
            emit checked();
        });
}

void EditorCore::keep() {
    const bool modified = isModified();
    if (!modified && !kept_) return;
    kept_ = modified;
    if (!modified) return dropRecovery(recoveryId_);
    keepRecovery({.id = recoveryId_,
                  .kind = kind_,
                  .key = file_.key,
                  .title = title_,
                  .json = json(),
                  .base = base_,
                  .when = QDateTime::currentDateTime()});
}

void EditorCore::rebase() {
    document_.setFile(file_.path);
    recoveryId_ = recoveryId(kind_, file_.key);
    saved_ = json();
    base_ = fingerprint(saved_);
}

void EditorCore::saveTo(const EditedFile& file, KeepReferences keepReferences, const QString& name) {
    const int before = document_.undoStack()->index();
    document_.endTyping();
    const bool leaves = !file_.path.empty() && file_.path.parent_path() != file.path.parent_path();
    document_.change(u"save as"_s, [&](Json& document) {
        if (leaves) keepReferences(document, file_.path);
        if (!name.isEmpty()) document["name"] = name.toStdString();
    });
    try {
        std::error_code ignored;
        std::filesystem::create_directories(file.path.parent_path(), ignored);
        writeFile(file.path, toText(json()));
    } catch (const std::exception&) {
        document_.undoStack()->setIndex(before);
        throw;
    }
    keepTimer_.stop();
    if (kept_) dropRecovery(recoveryId_);
    recovery_.reset();
    kept_ = false;
    const bool moved = !(file == file_);
    file_ = file;
    rebase();
    document_.endTyping();
    document_.undoStack()->setClean();
    wasModified_ = false;
    emit modifiedChanged();
    if (moved) emit fileChanged();
    recheck();
}

void EditorCore::takeOut(const QString& field) {
    document_.endTyping();
    document_.change(u"unknown field"_s, [at = field.toStdString()](Json& document) {
        if (const JsonPath path = pathFromDotted(document, at); !path.empty()) eraseValue(document, path);
    });
}

void EditorCore::discardEdits() {
    recovery_.reset();
    if (const int clean = document_.undoStack()->cleanIndex(); clean >= 0)
        return document_.undoStack()->setIndex(clean);
    document_.reset(saved_);
    document_.undoStack()->setClean();
}

}  // namespace tessera::ui
