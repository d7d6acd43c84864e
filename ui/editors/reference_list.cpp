#include "ui/editors/reference_list.h"

#include <QHBoxLayout>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "ui/models/text.h"
#include "ui/theme/theme.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr int kIndent = 132;      ///< as the labels of pickers
constexpr std::size_t kMax = 64;  ///< inputs of one list

}  // namespace

ReferenceList::ReferenceList(const InputSlot& slot, QWidget* parent)
    : QWidget(parent), slot_(slot), column_(new QVBoxLayout(this)) {
    column_->setContentsMargins(0, 0, 0, 0);
    column_->setSpacing(theme().spacing(2));
    insertRow({});
    showButtons();
    if (!slot_.several) return;
    add_ = new QToolButton(this);
    add_->setText(slot_.another);
    add_->setIcon(theme().icon(u"add"_s, "secondary"));
    add_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    add_->setAutoRaise(true);
    connect(add_, &QToolButton::clicked, this, [this] {
        addRow();
        rows_.back().picker->setFocus();
    });
    auto* line = new QHBoxLayout;
    line->addSpacing(kIndent + theme().spacing(3));
    line->addWidget(add_);
    line->addStretch();
    column_->addLayout(line);
}

ReferenceList::~ReferenceList() {
    // Qt takes the focus from the proxy of a widget that goes: a line would say that it is finished.
    setFocusProxy(nullptr);
}

void ReferenceList::insertRow(const QString& value) {
    const QString label = slot_.label;
    auto* holder = new QWidget(this);
    auto* line = bareLayout<QHBoxLayout>(holder, theme().spacing());
    auto* picker = new ReferencePicker(rows_.empty() ? label : u"%1 %2"_s.arg(label).arg(rows_.size() + 1), slot_.hint,
                                       slot_.filter, holder);
    line->addWidget(picker, 1);
    auto* remove = new QToolButton(holder);
    remove->setIcon(theme().icon(u"close"_s, "secondary"));
    remove->setAutoRaise(true);
    remove->setToolTip(u"Remove"_s);
    remove->setAccessibleName(u"%1 %2: remove"_s.arg(label).arg(rows_.size() + 1));
    line->addWidget(remove, 0, Qt::AlignTop);
    picker->setChoices(choices_);
    picker->setValue(value);
    picker->setNote({}, false);
    connect(picker, &ReferencePicker::picked, this, [this] { announceChange(); });
    connect(picker, &ReferencePicker::finished, this, &ReferenceList::finished);
    connect(remove, &QToolButton::clicked, this, [this, holder] { removeRow(holder); });
    column_->insertWidget(static_cast<int>(rows_.size()), holder);
    if (rows_.empty()) setFocusProxy(picker);
    rows_.push_back({holder, picker, remove});
    holder->show();
}

void ReferenceList::addRow() {
    if (rows_.size() >= kMax) return;
    insertRow({});
    showButtons();
}

/// The inputs behind move up, so that rows keep their numbers.
void ReferenceList::removeRow(QWidget* holder) {
    const auto at = std::find_if(rows_.begin(), rows_.end(), [&](const Row& row) { return row.holder == holder; });
    if (at == rows_.end() || rows_.size() == 1) return;
    for (auto row = at; row + 1 != rows_.end(); ++row) row->picker->setValue((row + 1)->picker->value());
    rows_.back().holder->hide();
    rows_.back().holder->deleteLater();
    rows_.pop_back();
    showButtons();
    announceChange();
    emit finished();
}

void ReferenceList::showButtons() {
    for (const Row& row : rows_) row.remove->setVisible(slot_.several && rows_.size() > 1);
    if (add_ != nullptr) add_->setEnabled(rows_.size() < kMax);
}

void ReferenceList::setChoices(const QVector<ReferencePicker::Choice>& choices) {
    choices_ = choices;
    for (const Row& row : rows_) row.picker->setChoices(choices);
}

void ReferenceList::setValues(const QStringList& values) {
    if (values == this->values()) return;
    const std::size_t wanted =
        slot_.several ? std::clamp<std::size_t>(static_cast<std::size_t>(values.size()), 1, kMax) : 1;
    while (rows_.size() < wanted) insertRow({});
    while (rows_.size() > wanted) {
        rows_.back().holder->hide();
        rows_.back().holder->deleteLater();
        rows_.pop_back();
    }
    for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i].picker->setValue(values.value(static_cast<qsizetype>(i)));
    showButtons();
}

QStringList ReferenceList::values() const {
    QStringList all;
    for (const Row& row : rows_)
        if (const QString value = row.picker->value(); !value.isEmpty()) all << value;
    return all;
}

void ReferenceList::setNotes(const QVector<Note>& notes) {
    qsizetype next = 0;
    for (const Row& row : rows_) {
        // What is said of a list without inputs stands at its first row.
        const bool given = !row.picker->value().isEmpty() || (notes.size() == 1 && values().isEmpty());
        const Note note = given && next < notes.size() ? notes.at(next++) : Note();
        row.picker->setNote(note.text, note.wrong);
    }
}

}  // namespace tessera::ui
