#include "ui/editors/kind_form.h"

#include <QVBoxLayout>
#include <nlohmann/json.hpp>

#include "ui/editors/bound_editor.h"
#include "ui/editors/form.h"
#include "ui/editors/inner_list_editor.h"
#include "ui/editors/list_editor.h"
#include "ui/editors/part_editor.h"
#include "ui/editors/topology_editor.h"
#include "ui/theme/theme.h"

namespace tessera::ui {

namespace {

/// The row for the same field of a document that stands inside of another one.
FieldRow below(const JsonPath& base, FieldRow row) {
    row.keys = joinedPath(base, pathOf(row));
    return row;
}

ListSpec below(const JsonPath& base, ListSpec spec) {
    if (base.empty()) return spec;
    std::string path;
    for (const std::string& step : base) path += step + '.';
    spec.path = path + spec.path;
    if (spec.blank)
        spec.blank = [base, blank = spec.blank](const Json& document) {
            const Json* inner = valueAt(document, base);
            return blank(inner == nullptr ? Json::object() : *inner);
        };
    return spec;
}

}  // namespace

KindForm::KindForm(const HardwareKind& kind, EditedJson* document, const JsonPath& base, QWidget* parent)
    : QWidget(parent), document_(document), column_(new QVBoxLayout(this)) {
    column_->setContentsMargins(0, 0, 0, 0);
    column_->setSpacing(theme().spacing(5));
    addForm(kind.fields, base);
    if (!kind.bound.isEmpty()) {
        bound_ = new BoundEditor(document, kind.bound, this);
        connect(bound_, &BoundEditor::ownProblemsChanged, this, &KindForm::ownProblemsChanged);
        column_->addWidget(bound_);
    }
    for (const ListSpec& spec : kind.lists) {
        if (spec.below) continue;
        addList(spec, base);
        if (kind.part.list != spec.path || !base.empty()) continue;
        part_ = new PartEditor(kind.part, document, lists_.back(), this);
        connect(part_, &PartEditor::ownProblemsChanged, this, &KindForm::ownProblemsChanged);
        connect(part_, &PartEditor::openRequested, this, &KindForm::openRequested);
        column_->addWidget(part_);
    }
    if (kind.hasTopology) {
        topology_ = new TopologyEditor(document, this);
        column_->addWidget(topology_);
    }
    addForm(kind.moreFields, base);
    for (const ListSpec& spec : kind.lists)
        if (spec.below) addList(spec, base);
}

void KindForm::addForm(const QVector<FieldRow>& rows, const JsonPath& base) {
    if (rows.isEmpty()) return;
    QVector<FieldRow> inside;
    for (const FieldRow& row : rows) inside.push_back(below(base, row));
    forms_.push_back(new Form(document_, inside, Form::Notes::tooltips, this));
    connect(forms_.back(), &Form::ownProblemsChanged, this, &KindForm::ownProblemsChanged);
    column_->addWidget(forms_.back());
    rows_ += inside;
}

void KindForm::addList(const ListSpec& spec, const JsonPath& base) {
    lists_.push_back(new ListEditor(document_, below(base, spec), this));
    column_->addWidget(lists_.back());
    for (const InnerList& each : spec.inner) {
        inner_.push_back(new InnerListEditor(each, document_, lists_.back(), this));
        column_->addWidget(inner_.back());
    }
}

void KindForm::setProblems(const Problems& problems) {
    for (Form* form : forms_) form->setProblems(problems);
    for (ListEditor* list : lists_) list->setProblems(problems);
    for (InnerListEditor* inner : inner_) inner->setProblems(problems);
    if (bound_ != nullptr) bound_->setProblems(problems);
    if (part_ != nullptr) part_->setProblems(problems);
    if (topology_ != nullptr) topology_->setProblems(problems);
}

Problems KindForm::ownProblems() const {
    Problems own;
    for (const Form* form : forms_) own += form->ownProblems();
    if (bound_ != nullptr) own += bound_->ownProblems();
    if (part_ != nullptr) own += part_->ownProblems();
    return own;
}

QWidget* KindForm::goTo(const std::string& field) {
    if (part_ != nullptr)
        if (QWidget* inside = part_->goTo(field)) return inside;
    for (Form* form : forms_)
        if (form->goTo(field)) return form->focusWidget() != nullptr ? form->focusWidget() : form;
    if (bound_ != nullptr && bound_->goTo(field)) return bound_;
    for (InnerListEditor* inner : inner_)
        if (QWidget* inside = inner->goTo(field)) return inside;
    for (ListEditor* list : lists_)
        if (list->goTo(field)) return list;
    if (topology_ == nullptr || !field.starts_with("topology")) return nullptr;
    topology_->setFocus();
    return topology_;
}

void KindForm::setSuggestions(const std::string& column, const QStringList& words) {
    for (ListEditor* list : lists_) list->setSuggestions(column, words);
}

void KindForm::focusFirst() {
    if (!rows_.isEmpty()) forms_.front()->goTo(dottedPath(document_->json(), pathOf(rows_.front())));
}

}  // namespace tessera::ui
