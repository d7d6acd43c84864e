#include "ui/editors/edited_json.h"

#include <QUndoCommand>
#include <nlohmann/json.hpp>
#include <utility>

namespace tessera::ui {

namespace {

constexpr int kTypingStep = 1;
constexpr int kMaxSteps = 500;

}  // namespace

/// Documents are small, so a step keeps the whole one before and after; they are shared, not copied.
class EditedJson::Step : public QUndoCommand {
public:
    Step(EditedJson& owner, std::shared_ptr<const Json> after, const QString& title, std::string typing)
        : QUndoCommand(title),
          owner_(owner),
          before_(owner.json_),
          after_(std::move(after)),
          typing_(std::move(typing)),
          session_(owner.session_) {}

    void undo() override { owner_.show(before_); }
    void redo() override { owner_.show(after_); }
    int id() const override { return typing_.empty() ? -1 : kTypingStep; }
    bool mergeWith(const QUndoCommand* other) override {
        const auto* next = dynamic_cast<const Step*>(other);
        if (next == nullptr || next->typing_ != typing_ || next->session_ != session_) return false;
        after_ = next->after_;
        setObsolete(*before_ == *after_);
        return true;
    }

private:
    EditedJson& owner_;
    std::shared_ptr<const Json> before_, after_;
    std::string typing_;
    int session_;
};

EditedJson::EditedJson(Json json, QObject* parent)
    : QObject(parent), json_(std::make_shared<const Json>(std::move(json))) {
    stack_.setUndoLimit(kMaxSteps);
}

void EditedJson::set(const JsonPath& path, const Json& value, const QString& title) {
    change(
        title,
        [&](Json& json) {
            if (value.is_null())
                eraseValue(json, path);
            else
                setValue(json, path, value);
        },
        dottedPath(*json_, path));
}

void EditedJson::change(const QString& title, const std::function<void(Json&)>& edit, const std::string& typing) {
    Json after = *json_;
    edit(after);
    if (after == *json_) return;
    stack_.push(new Step(*this, std::make_shared<const Json>(std::move(after)), title, typing));
}

void EditedJson::reset(Json json) {
    stack_.clear();
    show(std::make_shared<const Json>(std::move(json)));
}

void EditedJson::show(const std::shared_ptr<const Json>& json) {
    json_ = json;
    emit changed();
}

}  // namespace tessera::ui
