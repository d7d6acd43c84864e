#pragma once

#include <QObject>
#include <QString>
#include <QUndoStack>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "ui/editors/json_path.h"

namespace tessera::ui {

/// A JSON document that is being edited: every change is a step that can be undone, and typing in one place is one
/// step. What no field shows stays in the document as it is.
class EditedJson : public QObject {
    Q_OBJECT

public:
    explicit EditedJson(Json json, QObject* parent = nullptr);

    const Json& json() const { return *json_; }
    QUndoStack* undoStack() { return &stack_; }
    const QUndoStack* undoStack() const { return &stack_; }

    /// Sets the value, or takes it away where it is null. Steps of one `path` merge until `endTyping`.
    void set(const JsonPath& path, const Json& value, const QString& title);
    /// Any other change, as one step. `typing` names what steps it may merge with; empty = none.
    void change(const QString& title, const std::function<void(Json&)>& edit, const std::string& typing = "");
    /// Starts a new undo step for what is typed from now on.
    void endTyping() { ++session_; }
    /// The file that the document is of: relative paths count from it. Empty while there is none.
    const std::filesystem::path& file() const { return file_; }
    void setFile(const std::filesystem::path& file) { file_ = file; }
    /// Another document without a step: the history of edits begins anew.
    void reset(Json json);

signals:
    void changed();

private:
    class Step;
    void show(const std::shared_ptr<const Json>& json);

    std::shared_ptr<const Json> json_;
    QUndoStack stack_;
    std::filesystem::path file_;
    int session_ = 0;
};

}  // namespace tessera::ui
