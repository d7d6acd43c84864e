#include "ui/editors/editor_core.h"

#include <QThreadPool>
#include <utility>

#include "core/base/file.h"
#include "ui/editors/words.h"
#include "ui/models/background.h"

namespace tessera::ui {

namespace {

constexpr int kCheckDelay = 40;   // milliseconds after the last edit
constexpr int kKeepDelay = 1000;  // likewise

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
    if (kept_) dropRecovery(kind_, file_.key);
}

void EditorCore::start(const EditedFile& file, const Json& json) {
    file_ = file;
    started_ = true;
    document_.reset(json);
    document_.undoStack()->setClean();
    recovery_ = findRecovery(kind_, file.key);
    if (recovery_ && recovery_->json == json) discardRecovery();
    wasModified_ = isModified();
    recheck();
    emit started();
}

void EditorCore::edited() {
    if (!started_) return;
    ++wanted_;
    checkTimer_.start();
    keepTimer_.start();
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
        },
        [](const QString&) {});
}

void EditorCore::keep() {
    // What an earlier session left is not written over before a choice was made.
    if (recovery_) return;
    const bool modified = isModified();
    if (!modified && !kept_) return;
    kept_ = modified;
    QThreadPool::globalInstance()->start([kind = kind_, key = file_.key, json = json(), modified] {
        if (modified)
            keepRecovery(kind, key, json);
        else
            dropRecovery(kind, key);
    });
}

void EditorCore::saveTo(const EditedFile& file) {
    std::error_code ignored;
    std::filesystem::create_directories(file.path.parent_path(), ignored);
    writeFile(file.path, toText(json()));
    dropRecovery(kind_, file_.key);
    recovery_.reset();
    kept_ = false;
    const bool moved = !(file == file_);
    file_ = file;
    document_.endTyping();
    document_.undoStack()->setClean();
    wasModified_ = false;
    emit modifiedChanged();
    if (moved) emit fileChanged();
    recheck();
}

void EditorCore::bringBack() {
    if (!recovery_) return;
    const Json json = recovery_->json;
    recovery_.reset();
    kept_ = true;
    document_.change(words::tr("unsaved edits"), [&](Json& document) { document = json; });
}

void EditorCore::discardRecovery() {
    recovery_.reset();
    dropRecovery(kind_, file_.key);
}

}  // namespace tessera::ui
