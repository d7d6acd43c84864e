#include "ui/editors/form.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "ui/editors/provenance_button.h"
#include "ui/editors/range_text.h"
#include "ui/editors/sourced_number.h"
#include "ui/theme/theme.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr int kControlWidth = 176;
constexpr int kControlBesideHelp = 200;
constexpr int kWideText = 340;
constexpr int kRemarkWidth = 62;

QLabel* asCaption(QLabel* label, const char* tone) {
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    setLook(*label, "letters", u"caption"_s);
    setLook(*label, "tone", QLatin1String(tone));
    return label;
}

QLabel* caption(const QString& text, const char* tone, QWidget* parent) {
    return asCaption(new QLabel(text, parent), tone);
}

/// A label that is as high as its text at its width: a layout inside another one guesses that, and cuts long text.
class WholeCaption : public QLabel {
public:
    using QLabel::QLabel;

protected:
    void resizeEvent(QResizeEvent* event) override {
        QLabel::resizeEvent(event);
        setMinimumHeight(heightForWidth(width()));
    }
};

QLabel* helpOf(const FieldRow& row, QWidget* parent) {
    return asCaption(new WholeCaption(row.help, parent), "secondary");
}

QLabel* headingOf(const FieldRow& row, bool first, QWidget* parent) {
    auto* label = new QLabel(row.heading, parent);
    label->setTextFormat(Qt::PlainText);
    label->setFont(theme().font(Theme::Text::base, true));
    label->setContentsMargins(0, first ? 0 : theme().spacing(3), 0, theme().spacing(1));
    return label;
}

bool isWide(FieldKind kind) {
    return kind == FieldKind::words || kind == FieldKind::flag || kind == FieldKind::document;
}

}  // namespace

Form::Form(EditedJson* document, const QVector<FieldRow>& rows, Notes notes, QWidget* parent)
    : QWidget(parent), document_(document) {
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(theme().spacing(3));
    grid->setVerticalSpacing(theme().spacing(1));
    grid->setColumnMinimumWidth(0, kLabelWidth);
    grid->setColumnMinimumWidth(1, kControlWidth);
    grid->setColumnStretch(2, 1);
    for (const FieldRow& row : rows) addLine(grid, row, notes);
    for (int i = 0; i < lines_.size(); ++i) connectLine(i);
    connect(document, &EditedJson::changed, this, &Form::refresh);
    refresh();
}

void Form::addLine(QGridLayout* grid, const FieldRow& row, Notes notes) {
    Line line;
    line.row = row;
    line.path = pathOf(row);
    if (!row.heading.isEmpty()) grid->addWidget(headingOf(row, lines_.isEmpty(), this), grid->rowCount(), 0, 1, 3);
    const int at = grid->rowCount();
    line.label = new QLabel(this);
    line.label->setTextFormat(Qt::PlainText);
    line.label->setText(row.label);
    line.label->setToolTip(row.help);
    setLook(*line.label, "tone", u"secondary"_s);
    line.field = makeField(row, this);
    line.field->setToolTip(row.help);
    line.label->setBuddy(line.field->control());
    grid->addWidget(line.label, at, 0);
    const bool textWide =
        row.kind == FieldKind::text && !row.sourced && (notes == Notes::tooltips || row.help.isEmpty());
    if (isWide(row.kind) || textWide) {
        grid->addWidget(line.field, at, 1, 1, 2);
        if (textWide && notes == Notes::beside) line.field->setMaximumWidth(kWideText);
    } else {
        grid->addWidget(line.field, at, 1);
        line.field->setFixedWidth(notes == Notes::beside ? kControlBesideHelp : kControlWidth);
    }
    auto* side = bareLayout<QHBoxLayout>(theme().spacing(1));
    if (row.kind == FieldKind::range) {
        line.remark = caption({}, "secondary", this);
        line.remark->setWordWrap(false);
        line.remark->setFixedWidth(kRemarkWidth);
        side->addWidget(line.remark);
    }
    if (row.sourced) {
        line.provenance = new ProvenanceButton(row.label.toLower(), this);
        side->addWidget(line.provenance);
        side->addStretch(1);
        grid->addLayout(side, at, 2);
    } else if (notes == Notes::beside && !textWide) {
        line.reset = new QToolButton(this);
        line.reset->setIcon(theme().icon(u"undo"_s, "secondary"));
        if (line.reset->icon().isNull()) line.reset->setText(u"↺"_s);
        line.reset->setToolTip(u"Back to the default"_s);
        line.reset->setAccessibleName(u"%1: back to the default"_s.arg(row.label));
        QSizePolicy keep = line.reset->sizePolicy();
        keep.setRetainSizeWhenHidden(true);
        line.reset->setSizePolicy(keep);
        side->addWidget(line.reset);
        if (!isWide(row.kind)) side->addWidget(helpOf(row, this), 1);
        grid->addLayout(side, at, isWide(row.kind) ? 3 : 2);
    }
    line.reason = caption({}, "bad", this);
    line.reason->setVisible(false);
    grid->addWidget(line.reason, at + 1, 1, 1, 2);
    if (isWide(row.kind) && notes == Notes::beside && row.kind != FieldKind::flag)
        grid->addWidget(helpOf(row, this), at + 2, 1, 1, 2);
    lines_.push_back(line);
}

void Form::connectLine(int index) {
    const Line& line = lines_[index];
    connect(line.field, &Field::edited, this, [this, index](const Json& value) { edit(lines_[index], value); });
    connect(line.field, &Field::finished, document_, &EditedJson::endTyping);
    if (line.reset != nullptr)
        connect(line.reset, &QToolButton::clicked, this, [this, index] {
            document_->endTyping();
            edit(lines_[index], Json());
        });
    if (line.provenance != nullptr)
        connect(line.provenance, &ProvenanceButton::edited, this,
                [this, index](const QString& source, const QString& reliability) {
                    const Json* now = valueAt(document_->json(), lines_[index].path);
                    if (now == nullptr) return;
                    const bool range = lines_[index].row.kind == FieldKind::range;
                    document_->set(lines_[index].path,
                                   range ? rangeWithProvenance(*now, source, reliability)
                                         : withProvenance(*now, source, reliability),
                                   u"source of %1"_s.arg(lines_[index].row.label.toLower()));
                });
}

void Form::edit(const Line& line, const Json& value) {
    const Json* now = valueAt(document_->json(), line.path);
    // A range says of each of its numbers whose it is.
    const bool byHand = line.row.sourced && line.row.kind != FieldKind::range;
    document_->set(line.path, byHand ? setByHand(now == nullptr ? Json() : *now, value) : value,
                   line.row.label.toLower());
    refresh();
}

void Form::refresh() {
    for (const Line& line : lines_) {
        const Json* now = valueAt(document_->json(), line.path);
        const Json value = now == nullptr ? Json() : *now;
        line.field->setJson(plainValue(value));
        if (line.remark != nullptr) line.remark->setText(line.field->remark());
        if (line.provenance != nullptr)
            line.provenance->setJson(line.row.kind == FieldKind::range ? provenanceOfRange(value) : value, line.row);
        if (line.reset != nullptr)
            line.reset->setVisible(!value.is_null() && value != line.row.fallback && !line.row.required);
    }
    showReasons();
}

void Form::setProblems(const Problems& problems) {
    problems_ = problems;
    showReasons();
}

Problems Form::ownProblems() const {
    return own_;
}

void Form::showReasons() {
    Problems own;
    for (const Line& line : lines_) {
        const std::string dotted = dottedPath(document_->json(), line.path);
        QString reason = line.field->problem();
        if (!reason.isEmpty())
            own.push_back({dotted, reason});
        else
            reason = reasonOf(line);
        line.reason->setText(reason);
        line.reason->setVisible(!reason.isEmpty());
        line.field->setMarked(!reason.isEmpty());
        line.field->control()->setAccessibleDescription(reason.isEmpty() ? line.row.help : reason);
    }
    if (own == own_) return;
    own_ = own;
    emit ownProblemsChanged();
}

bool Form::isIn(const Line& line, const std::string& field) const {
    const std::string dotted = dottedPath(document_->json(), line.path);
    return field == dotted || field.starts_with(dotted + ".") || field.starts_with(dotted + "[");
}

/// What the reader says about the field; about any of its numbers where it has several.
QString Form::reasonOf(const Line& line) const {
    if (line.row.kind != FieldKind::range) return problemAt(problems_, dottedPath(document_->json(), line.path));
    for (const Problem& problem : problems_)
        if (isIn(line, problem.field)) return problem.sentence;
    return {};
}

bool Form::contains(const std::string& field) const {
    return std::any_of(lines_.begin(), lines_.end(), [&](const Line& line) { return isIn(line, field); });
}

bool Form::goTo(const std::string& field) {
    for (const Line& line : lines_) {
        if (!isIn(line, field)) continue;
        line.field->control()->setFocus(Qt::OtherFocusReason);
        return true;
    }
    return false;
}

Field* Form::field(const std::string& path) const {
    for (const Line& line : lines_)
        if (line.row.path == path) return line.field;
    return nullptr;
}

void Form::setSuggestions(const std::string& path, const QStringList& words) const {
    if (Field* found = field(path)) found->setSuggestions(words);
}

}  // namespace tessera::ui
