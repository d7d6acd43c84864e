#include "ui/editors/reference_picker.h"

#include <QAbstractListModel>
#include <QComboBox>
#include <QCompleter>
#include <QFileDialog>
#include <QGridLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QToolButton>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/text.h"
#include "ui/editors/field.h"
#include "ui/editors/form.h"
#include "ui/theme/theme.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr int kBoxWidth = 340;
constexpr int kLongestPath = 4096;

QString quiet(const QString& text) {
    return QString::fromStdString(escaped(text.toStdString()));
}

/// The list shows titles and names, the line takes the name. Headings of groups cannot be chosen.
class ChoiceModel : public QAbstractListModel {
public:
    ChoiceModel(const QVector<ReferencePicker::Choice>& choices, QObject* parent) : QAbstractListModel(parent) {
        QString group;
        for (const ReferencePicker::Choice& choice : choices) {
            if (choice.group != group) rows_.push_back({{}, choice.group, choice.group});
            group = choice.group;
            rows_.push_back(choice);
        }
    }
    int rowCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(rows_.size());
    }
    QVariant data(const QModelIndex& index, int role) const override {
        if (!index.isValid()) return {};
        const ReferencePicker::Choice& row = rows_[index.row()];
        const bool heading = row.value.isEmpty();
        switch (role) {
            case Qt::EditRole:
                return row.value;
            case Qt::DisplayRole:
                if (heading || row.title.isEmpty() || row.title == row.value)
                    return quiet(heading ? row.title : row.value);
                return u"    %1   %2"_s.arg(quiet(row.title), quiet(row.value));
            case Qt::FontRole:
                return heading ? theme().font(Theme::Text::caption, true) : QVariant();
            case Qt::ForegroundRole:
                return heading ? theme().colour("secondary") : QVariant();
            default:
                return {};
        }
    }
    Qt::ItemFlags flags(const QModelIndex& index) const override {
        return !index.isValid() || rows_[index.row()].value.isEmpty() ? Qt::NoItemFlags
                                                                      : Qt::ItemIsEnabled | Qt::ItemIsSelectable;
    }

private:
    QVector<ReferencePicker::Choice> rows_;
};

}  // namespace

ReferencePicker::ReferencePicker(const QString& label, const QString& hint, QString filter, QWidget* parent)
    : QWidget(parent),
      label_(label),
      filter_(std::move(filter)),
      box_(new QComboBox(this)),
      line_(new TextBox(box_)),
      note_(new QLabel(this)) {
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(theme().spacing(3));
    grid->setVerticalSpacing(theme().spacing(1));
    grid->setColumnMinimumWidth(0, kLabelWidth);
    auto* name = new QLabel(label, this);
    setLook(*name, "tone", u"secondary"_s);
    name->setBuddy(box_);
    box_->setEditable(true);
    box_->setInsertPolicy(QComboBox::NoInsert);
    box_->setLineEdit(line_);
    box_->setMinimumWidth(kBoxWidth);
    box_->setMaxVisibleItems(18);
    line_->setMaxLength(kLongestPath);
    line_->setPlaceholderText(hint);
    for (QWidget* each : {static_cast<QWidget*>(box_), static_cast<QWidget*>(line_)}) each->setAccessibleName(label);
    setFocusProxy(box_);
    auto* browse = new QToolButton(this);
    browse->setIcon(theme().icon(u"folder"_s, "secondary"));
    browse->setToolTip(u"Choose a file"_s);
    browse->setAccessibleName(u"%1: choose a file"_s.arg(label));
    note_->setTextFormat(Qt::PlainText);
    note_->setWordWrap(true);
    setLook(*note_, "letters", u"caption"_s);
    setLook(*note_, "tone", u"secondary"_s);
    grid->addWidget(name, 0, 0);
    grid->addWidget(box_, 0, 1);
    grid->addWidget(browse, 0, 2);
    grid->setColumnStretch(3, 1);
    grid->addWidget(note_, 1, 1, 1, 3);
    connect(line_, &QLineEdit::textEdited, this, &ReferencePicker::picked);
    connect(line_, &QLineEdit::editingFinished, this, &ReferencePicker::finished);
    connect(box_, &QComboBox::activated, this, [this] {
        emit picked(value());
        emit finished();
    });
    connect(browse, &QToolButton::clicked, this, [this] {
        const QString path = QFileDialog::getOpenFileName(this, label_, {}, filter_);
        if (path.isEmpty()) return;
        setValue(path);
        emit picked(path);
        emit finished();
    });
}

void ReferencePicker::setChoices(const QVector<Choice>& choices) {
    const QString before = value();
    const QSignalBlocker quietBox(box_);
    auto* model = new ChoiceModel(choices, box_);
    delete box_->completer();
    box_->setModel(model);  // takes the old one away, which is the box's own
    auto* completer = new QCompleter(model, box_);
    completer->setCompletionRole(Qt::DisplayRole);
    completer->setFilterMode(Qt::MatchContains);
    completer->setCaseSensitivity(Qt::CaseInsensitive);
    box_->setCompleter(completer);
    // The completer would put the shown text into the line; the name belongs there.
    connect(completer, QOverload<const QModelIndex&>::of(&QCompleter::activated), this,
            [this](const QModelIndex& index) {
                const QString name = index.data(Qt::EditRole).toString();
                if (name.isEmpty()) return;
                line_->setText(name);
                emit picked(name);
                emit finished();
            });
    box_->setCurrentIndex(-1);
    setValue(before);
}

void ReferencePicker::setValue(const QString& value) {
    if (line_->text() == value) return;
    const QSignalBlocker quietBox(box_);
    box_->setCurrentIndex(box_->findData(value, Qt::EditRole));
    line_->setText(value);
}

QString ReferencePicker::value() const {
    return line_->text();
}

void ReferencePicker::setNote(const QString& note, bool wrong) {
    note_->setText(note);
    note_->setVisible(!note.isEmpty());
    setLook(*note_, "tone", wrong ? u"bad"_s : u"secondary"_s);
    markWrong(*box_, wrong);
    line_->setAccessibleDescription(note);
}

}  // namespace tessera::ui
