#include "ui/editors/bound_editor.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/hardware/template.h"
#include "ui/editors/form.h"
#include "ui/theme/theme.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

const JsonPath kReferencePath{"bound"};
const JsonPath kAreaPath{"bound_mm2"};

/// The document where it can be read.
std::optional<hardware::Template> templateIn(const Json& json) {
    try {
        return hardware::readTemplate(JsonDocument::parse(toText(json), {}).root());
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

/// To what a person would write.
double roundedArea(double squareMillimetres) {
    constexpr double kPerUnit = 100;
    return std::max(1.0, std::round(squareMillimetres * kPerUnit)) / kPerUnit;
}

Json areaOfReference(const Json& json) {
    constexpr double kUnknown = 280;
    const std::optional<hardware::Template> space = templateIn(json);
    return numberValue(space ? roundedArea(hardware::areaBound(*space).value) : kUnknown);
}

/// The largest values of the parameters, which are certain to be allowed.
Json largestReference(const Json& json) {
    Json reference{{"name", "Reference"}, {"num_tc", 1}, {"num_vc", 1}, {"pe_x", 1}, {"pe_y", 1}, {"glb_bytes", 1}};
    const std::optional<hardware::Template> space = templateIn(json);
    if (!space) return reference;
    reference["num_tc"] = space->tensorCores.values.back();
    reference["num_vc"] = space->vectorCores.values.back();
    reference["pe_x"] = space->width.values.back();
    reference["pe_y"] = space->height.values.back();
    reference["glb_bytes"] = space->globalBuffer.values.back();
    return reference;
}

QVector<FieldRow> rowsBelow(const QVector<FieldRow>& rows, bool ofReference) {
    QVector<FieldRow> some;
    for (const FieldRow& row : rows)
        if (row.path.starts_with("bound.") == ofReference) some << row;
    return some;
}

}  // namespace

BoundEditor::BoundEditor(EditedJson* document, const QVector<FieldRow>& rows, QWidget* parent)
    : QWidget(parent),
      document_(document),
      kind_(new QComboBox(this)),
      reference_(new Form(document, rowsBelow(rows, true), Form::Notes::tooltips, this)),
      area_(new Form(document, rowsBelow(rows, false), Form::Notes::tooltips, this)) {
    auto* layout = bareLayout<QVBoxLayout>(this, theme().spacing(2));
    auto* head = new QHBoxLayout;
    auto* title = new QLabel(u"Largest area"_s, this);
    title->setFont(theme().font(Theme::Text::base, true));
    title->setBuddy(kind_);
    kind_->addItem(u"That of an accelerator"_s, true);
    kind_->addItem(u"A given area"_s, false);
    kind_->setAccessibleName(u"Largest area"_s);
    head->addWidget(title);
    head->addStretch(1);
    head->addWidget(kind_);
    layout->addLayout(head);
    layout->addWidget(reference_);
    layout->addWidget(area_);
    connect(kind_, &QComboBox::activated, this, [this](int at) { setReference(kind_->itemData(at).toBool()); });
    connect(document, &EditedJson::changed, this, &BoundEditor::refresh);
    for (Form* form : {reference_, area_})
        connect(form, &Form::ownProblemsChanged, this, &BoundEditor::ownProblemsChanged);
    refresh();
}

bool BoundEditor::hasReference() const {
    return valueAt(document_->json(), kAreaPath) == nullptr;
}

void BoundEditor::refresh() {
    const bool reference = hasReference();
    kind_->setCurrentIndex(kind_->findData(reference));
    reference_->setVisible(reference);
    area_->setVisible(!reference);
}

void BoundEditor::setReference(bool reference) {
    if (reference == hasReference()) return;
    document_->endTyping();
    document_->change(u"kind of the largest area"_s, [&](Json& json) {
        const Json value = reference ? largestReference(json) : areaOfReference(json);
        eraseValue(json, reference ? kAreaPath : kReferencePath);
        setValue(json, reference ? kReferencePath : kAreaPath, value);
    });
}

void BoundEditor::setProblems(const Problems& problems) {
    reference_->setProblems(problems);
    area_->setProblems(problems);
}

Problems BoundEditor::ownProblems() const {
    return (hasReference() ? reference_ : area_)->ownProblems();
}

bool BoundEditor::goTo(const std::string& field) {
    return (hasReference() ? reference_ : area_)->goTo(field);
}

}  // namespace tessera::ui
