#include "ui/editors/field.h"

#include <QCheckBox>
#include <QComboBox>
#include <QCompleter>
#include <QFileDialog>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStringListModel>
#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/text.h"
#include "ui/editors/json_path.h"
#include "ui/editors/range_text.h"
#include "ui/editors/sizes_text.h"
#include "ui/models/background.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr int kLongestText = 4096;

/// A document's text as it is edited: on one line, nothing hidden.
QString asText(const Json& value) {
    if (value.is_null()) return {};
    if (value.is_string()) return toQt(value.get_ref<const std::string&>());
    if (value.is_array()) {  // as it is typed: with commas
        QStringList texts;
        for (const Json& each : value) texts << asText(each);
        return texts.join(QLatin1Char(','));
    }
    return toQt(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

QString placeholderOf(const FieldRow& row) {
    if (!row.placeholder.isEmpty()) return row.placeholder;
    if (!row.fallback.is_null()) return shownValue(row.fallback, row);
    if (row.kind == FieldKind::quantity && row.measure != Measure::count)
        return u"such as %1"_s.arg(exampleOf(row.measure));
    return {};
}

/// A field made of one control.
class SingleField : public Field {
public:
    SingleField(QWidget* control, const FieldRow& row, QWidget* parent) : Field(parent), control_(control) {
        auto* layout = bareLayout<QHBoxLayout>(this, theme().spacing(2));
        layout->addWidget(control, 1);
        control->setAccessibleName(row.unit.isEmpty() ? row.label : u"%1, %2"_s.arg(row.label, row.unit));
        control->setAccessibleDescription(row.help);
        if (!row.unit.isEmpty()) {
            auto* unit = new QLabel(row.unit, this);
            setLook(*unit, "tone", u"secondary"_s);
            layout->addWidget(unit);
        }
        setFocusProxy(control);
    }
    QWidget* control() override { return control_; }

private:
    QWidget* control_;
};

void offer(QLineEdit& box, const QStringList& suggestions) {
    if (box.completer() == nullptr) {
        auto* completer = new QCompleter(&box);
        completer->setModel(new QStringListModel(completer));
        completer->setCaseSensitivity(Qt::CaseInsensitive);
        completer->setFilterMode(Qt::MatchContains);
        box.setCompleter(completer);
    }
    static_cast<QStringListModel*>(box.completer()->model())->setStringList(suggestions);
}

class TextField : public SingleField {
public:
    TextField(const FieldRow& row, QWidget* parent) : TextField(new TextBox, row, parent) {}
    void setJson(const Json& value) override {
        const QString text = asText(value);
        if (text == box_->text()) return;  // what is being typed keeps its cursor
        box_->setText(text);
        if (!box_->hasFocus()) box_->setCursorPosition(0);
    }
    void setSuggestions(const QStringList& suggestions) override { offer(*box_, suggestions); }

private:
    TextField(TextBox* box, const FieldRow& row, QWidget* parent) : SingleField(box, row, parent), box_(box) {
        box->setMaxLength(kLongestText);
        box->setPlaceholderText(placeholderOf(row));
        connect(box, &QLineEdit::textEdited, this, [this, required = row.required](const QString& text) {
            emit edited(text.isEmpty() && !required ? Json() : Json(text.toStdString()));
        });
        connect(box, &QLineEdit::editingFinished, this, [this] {
            if (!box_->hasFocus()) box_->setCursorPosition(0);  // a long text is read from its beginning
            emit finished();
        });
    }
    TextBox* box_;
};

class NumberField : public SingleField {
public:
    NumberField(const FieldRow& row, QWidget* parent)
        : NumberField(new QuantityField(row.measure, row.range), row, parent) {}
    void setJson(const Json& value) override {
        if (value.is_number())
            box_->setQuantity(value.get<double>());
        else if (value.is_null())
            box_->setQuantity(std::nullopt);
        else if (const QuantityReading reading = readQuantity(asText(value), measure_, range_); reading.value)
            box_->setQuantity(reading.value);  // a file may say "32GB/s"
        else
            box_->setRawText(asText(value));
    }
    QString problem() const override { return box_->problem(); }

private:
    NumberField(QuantityField* box, const FieldRow& row, QWidget* parent)
        : SingleField(box, row, parent), box_(box), measure_(row.measure), range_(row.range) {
        box->setPlaceholderText(placeholderOf(row));
        connect(box, &QuantityField::edited, this, [this] { emit edited(box_->json()); });
        connect(box, &QLineEdit::editingFinished, this, &Field::finished);
    }
    QuantityField* box_;
    Measure measure_;
    QuantityRange range_;
};

/// A number without a unit that must not lose a digit, such as a seed.
class WholeField : public SingleField {
public:
    WholeField(const FieldRow& row, QWidget* parent) : WholeField(new TextBox, row, parent) {}
    void setJson(const Json& value) override {
        if (jsonOf(box_->text()) != value) box_->setText(asText(value));
        judge();
    }
    QString problem() const override { return problem_; }

private:
    WholeField(TextBox* box, const FieldRow& row, QWidget* parent)
        : SingleField(box, row, parent), box_(box), range_(row.range) {
        box->setPlaceholderText(placeholderOf(row));
        connect(box, &QLineEdit::textEdited, this, [this](const QString& text) {
            judge();
            emit edited(jsonOf(text));
        });
        connect(box, &QLineEdit::editingFinished, this, &Field::finished);
    }
    static Json jsonOf(const QString& text) {
        if (text.trimmed().isEmpty()) return {};
        bool isNumber = false;
        const qlonglong number = text.trimmed().toLongLong(&isNumber);
        return isNumber ? Json(static_cast<std::int64_t>(number)) : Json(text.toStdString());
    }
    static QString boundText(double bound) {
        constexpr double kBeyondWhole = 0x1p63;  // as near as a floating-point number comes to the largest whole one
        return bound >= kBeyondWhole ? QString::number(std::numeric_limits<qint64>::max())
                                     : QString::number(bound, 'f', 0);
    }
    void judge() {
        const Json value = jsonOf(box_->text());
        const bool fits = value.is_number() && static_cast<double>(value.get<std::int64_t>()) >= range_.min &&
                          static_cast<double>(value.get<std::int64_t>()) <= range_.max;
        problem_.clear();
        if (!value.is_null() && !fits)
            problem_ = u"Type a whole number from %1 to %2."_s.arg(boundText(range_.min), boundText(range_.max));
    }
    TextBox* box_;
    QuantityRange range_;
    QString problem_;
};

/// A choice whose first entry may be "the default".
class WordField : public SingleField {
public:
    WordField(const FieldRow& row, QWidget* parent) : WordField(new QComboBox, row, parent) {}
    void setJson(const Json& value) override {
        const QSignalBlocker quiet(box_);
        const QString text = asText(value.is_null() ? fallback_ : value);
        int at = box_->findData(text);
        if (at < 0 && !text.isEmpty()) {
            // A word that is not among the choices: kept and shown, and refused by the reader.
            box_->addItem(shownText(text.toStdString()), text);
            at = box_->count() - 1;
        }
        box_->setCurrentIndex(at);
    }

private:
    WordField(QComboBox* box, const FieldRow& row, QWidget* parent)
        : SingleField(box, row, parent), box_(box), fallback_(row.fallback) {
        for (int i = 0; i < row.words.size(); ++i) {
            const QString& word = row.words[i];
            const QString title = row.titles.value(i, word);
            box->addItem(word == asText(row.fallback) ? u"%1 (default)"_s.arg(title) : title, word);
        }
        box->setPlaceholderText(u"Choose"_s);
        box->setCurrentIndex(-1);
        connect(box, &QComboBox::activated, this, [this](int at) {
            const Json chosen = box_->itemData(at).toString().toStdString();
            emit edited(chosen == fallback_ ? Json() : chosen);
            emit finished();
        });
    }
    QComboBox* box_;
    Json fallback_;
};

/// A word of a list, or a number typed over it.
class WordOrQuantityField : public SingleField {
public:
    WordOrQuantityField(const FieldRow& row, QWidget* parent) : WordOrQuantityField(new QComboBox, row, parent) {}
    void setJson(const Json& value) override {
        const QSignalBlocker quiet(box_);
        const QString text = shownValue(value, row_);
        if (text != box_->currentText()) box_->setEditText(text);
        judge(text);
    }
    QString problem() const override { return problem_; }

private:
    WordOrQuantityField(QComboBox* box, const FieldRow& row, QWidget* parent)
        : SingleField(box, row, parent), box_(box), row_(row) {
        box->setEditable(true);
        box->setInsertPolicy(QComboBox::NoInsert);
        auto* line = new TextBox(box);
        box->setLineEdit(line);
        line->setPlaceholderText(placeholderOf(row));
        line->setAccessibleName(row.label);
        line->setAccessibleDescription(row.help);
        box->addItems(row.words);
        box->setCurrentIndex(-1);
        connect(box, &QComboBox::editTextChanged, this, [this](const QString& text) {
            judge(text);
            emit edited(jsonOf(text));
        });
        connect(line, &QLineEdit::editingFinished, this, &Field::finished);
    }
    Json jsonOf(const QString& text) const {
        if (text.trimmed().isEmpty()) return {};
        Json word = text.toStdString();
        if (row_.words.contains(text)) return word;
        const QuantityReading reading = readQuantity(text, row_.measure, row_.range);
        return reading.value ? numberValue(*reading.value) : word;
    }
    void judge(const QString& text) {
        problem_.clear();
        if (text.trimmed().isEmpty() || row_.words.contains(text)) return;
        if (!readQuantity(text, row_.measure, row_.range).value)
            problem_ = u"Choose %1, or type a number from %2 to %3."_s.arg(row_.words.join(u", "_s),
                                                                           exactQuantity(row_.range.min, row_.measure),
                                                                           exactQuantity(row_.range.max, row_.measure));
    }
    QComboBox* box_;
    FieldRow row_;
    QString problem_;
};

class FlagField : public SingleField {
public:
    FlagField(const FieldRow& row, QWidget* parent) : FlagField(new QCheckBox, row, parent) {}
    void setJson(const Json& value) override {
        const QSignalBlocker quiet(box_);
        const Json& shown = value.is_boolean() ? value : fallback_;
        box_->setChecked(shown.is_boolean() && shown.get<bool>() != turned_);
    }

private:
    // A flag that is on by default is offered as its opposite: "No compute".
    FlagField(QCheckBox* box, const FieldRow& row, QWidget* parent)
        : SingleField(box, row, parent), box_(box), fallback_(row.fallback), turned_(row.fallback == Json(true)) {
        box->setText(row.placeholder);
        connect(box, &QCheckBox::toggled, this, [this](bool on) {
            const Json value = on != turned_;
            emit edited(value == fallback_ ? Json() : value);
            emit finished();
        });
    }
    QCheckBox* box_;
    Json fallback_;
    bool turned_;
};

/// Some of a few words, as boxes to tick.
class WordsField : public Field {
public:
    WordsField(const FieldRow& row, QWidget* parent) : Field(parent), row_(row) {
        constexpr int kMaxInOneRow = 5;
        auto* layout = new QGridLayout(this);
        layout->setContentsMargins(0, 0, 0, 0);
        layout->setHorizontalSpacing(theme().spacing(4));
        layout->setVerticalSpacing(theme().spacing(1));
        for (const QString& word : row.words) {
            auto* box = new QCheckBox(word, this);
            box->setAccessibleName(u"%1: %2"_s.arg(row.label, word));
            box->setAccessibleDescription(row.help);
            const auto place = static_cast<int>(boxes_.size());
            layout->addWidget(box, place / kMaxInOneRow, place % kMaxInOneRow);
            connect(box, &QCheckBox::toggled, this, [this, word](bool on) { toggle(word, on); });
            boxes_.push_back(box);
        }
        layout->setColumnStretch(kMaxInOneRow, 1);
        if (!boxes_.isEmpty()) setFocusProxy(boxes_.front());
    }
    QWidget* control() override { return boxes_.isEmpty() ? this : static_cast<QWidget*>(boxes_.front()); }
    void setJson(const Json& value) override {
        const Json& list = value.is_null() ? row_.fallback : value;
        chosen_.clear();
        if (list.is_array())
            for (const Json& word : list) chosen_.push_back(asText(word));
        for (QCheckBox* box : boxes_) {
            const QSignalBlocker quiet(box);
            box->setChecked(chosen_.contains(box->text()));
        }
    }
    /// Nothing ticked is no value, which some rows do without.
    QString problem() const override {
        return chosen_.isEmpty() && !row_.fallback.is_null() ? u"Tick at least one."_s : QString();
    }

private:
    void toggle(const QString& word, bool on) {
        chosen_.removeAll(word);
        if (on) chosen_.push_back(word);
        Json list = Json::array();
        for (const QString& each : chosen_) list.push_back(each.toStdString());
        const bool absent = list == row_.fallback || (list.empty() && row_.fallback.is_null());
        emit edited(absent ? Json() : list);
        emit finished();
    }
    FieldRow row_;
    QVector<QCheckBox*> boxes_;
    QStringList chosen_;
};

/// Values of a parameter on one line.
class RangeField : public SingleField {
public:
    RangeField(const FieldRow& row, QWidget* parent) : RangeField(new TextBox, row, parent) {}
    void setJson(const Json& value) override {
        if (value != reading_.value) begin(value);
    }
    QString problem() const override { return reading_.problem; }
    QString remark() const override {
        const bool counts = reading_.problem.isEmpty() && !reading_.value.is_null();
        return counts ? counted(reading_.count, "value", "values") : QString();
    }

private:
    RangeField(TextBox* box, const FieldRow& row, QWidget* parent)
        : SingleField(box, row, parent), box_(box), measure_(row.measure), isOptional_(!row.required) {
        box->setMaxLength(kLongestText);
        box->setPlaceholderText(placeholderOf(row));
        connect(box, &QLineEdit::textEdited, this, [this](const QString& text) {
            reading_ = readingOf(text);
            emit edited(reading_.value);
        });
        connect(box, &QLineEdit::editingFinished, this, [this] {
            if (reading_.problem.isEmpty()) begin(reading_.value);
            emit finished();
        });
    }
    /// What is typed from now on keeps what is said about numbers of this value, whatever stands there meanwhile.
    void begin(const Json& value) {
        before_ = value;
        const QString text = rangeText(value, measure_);
        if (text != box_->text()) box_->setText(text);
        if (!box_->hasFocus()) box_->setCursorPosition(0);
        reading_ = readingOf(text);
    }
    /// Nothing is a value, too, where the field may be left out.
    RangeReading readingOf(const QString& text) const {
        if (isOptional_ && text.trimmed().isEmpty()) return {Json(), QString(), 0};
        return readRangeText(text, measure_, before_);
    }
    TextBox* box_;
    Measure measure_;
    bool isOptional_;
    Json before_;
    RangeReading reading_;
};

/// A document that a file gives: what is there, and a button to choose a file.
class DocumentField : public Field {
public:
    DocumentField(const FieldRow& row, QWidget* parent)
        : Field(parent), row_(row), choose_(new QPushButton(u"Choose a file…"_s, this)), held_(new QLabel(this)) {
        auto* layout = bareLayout<QHBoxLayout>(this, theme().spacing(3));
        layout->addWidget(choose_);
        layout->addWidget(held_, 1);
        choose_->setAccessibleName(u"%1: choose a file"_s.arg(row.label));
        choose_->setAccessibleDescription(row.help);
        held_->setTextFormat(Qt::PlainText);
        setFocusProxy(choose_);
        connect(choose_, &QPushButton::clicked, this, [this] { ask(); });
    }
    QWidget* control() override { return choose_; }
    QString problem() const override { return problem_; }
    void setJson(const Json& value) override {
        if (value != value_) problem_.clear();
        value_ = value;
        held_->setText(value.is_null() ? row_.placeholder : row_.describe(value));
        setLook(*held_, "tone", value.is_null() ? u"secondary"_s : QString());
    }

private:
    void ask() {
        auto* dialog = new QFileDialog(this, row_.label, {}, fileFilter(u"Documents"_s));
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->setFileMode(QFileDialog::ExistingFile);
        connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) { take(path); });
        dialog->open();
    }
    void take(const QString& path) {
        inBackground(
            this, [read = row_.read, file = path.toStdString()] { return read(file); },
            [this](const Json& value) {
                problem_.clear();
                emit edited(value);
                emit finished();
            },
            [this](const QString& problem) {
                problem_ = problem;
                emit edited(value_);  // as it was; the form looks for problems again
            });
    }
    FieldRow row_;
    QPushButton* choose_;
    QLabel* held_;
    Json value_;
    QString problem_;
};

template <typename Made>
Field* make(const FieldRow& row, QWidget* parent) {
    return new Made(row, parent);
}

struct Maker {
    FieldKind kind;
    Field* (*make)(const FieldRow&, QWidget*);
};

constexpr Maker kMakers[] = {
    {FieldKind::text, make<TextField>},   {FieldKind::quantity, make<NumberField>},
    {FieldKind::word, make<WordField>},   {FieldKind::wordOrQuantity, make<WordOrQuantityField>},
    {FieldKind::words, make<WordsField>}, {FieldKind::flag, make<FlagField>},
    {FieldKind::whole, make<WholeField>}, {FieldKind::document, make<DocumentField>},
    {FieldKind::range, make<RangeField>},
};

bool isUndoKey(QKeyEvent* event) {
    return event->matches(QKeySequence::Undo) || event->matches(QKeySequence::Redo);
}

}  // namespace

bool TextBox::event(QEvent* event) {
    // The line edit would claim Ctrl+Z for itself before the document's action sees it.
    if (event->type() == QEvent::ShortcutOverride && isUndoKey(static_cast<QKeyEvent*>(event))) {
        event->ignore();
        return false;
    }
    return QLineEdit::event(event);
}

void TextBox::keyPressEvent(QKeyEvent* event) {
    if (isUndoKey(event))
        event->ignore();
    else
        QLineEdit::keyPressEvent(event);
}

QuantityField::QuantityField(Measure measure, const QuantityRange& range, QWidget* parent)
    : TextBox(parent), measure_(measure), range_(range) {
    connect(this, &QLineEdit::textEdited, this, [this] {
        judge();
        emit edited();
    });
}

void QuantityField::setQuantity(std::optional<double> value) {
    // While a person types "16 GB" the same number must not be rewritten under the caret.
    const bool same = value ? parseQuantity(text().toStdString(), measure_) == value : text().isEmpty();
    if (!same || !hasFocus()) setText(value ? exactQuantity(*value, measure_) : QString());
    if (!same && !hasFocus()) setCursorPosition(0);  // of many digits, the first ones are seen
    judge();
}

void QuantityField::setRawText(const QString& raw) {
    if (raw != text()) setText(raw);
    judge();
}

std::optional<double> QuantityField::quantity() const {
    return text().trimmed().isEmpty() ? std::nullopt : readQuantity(text(), measure_, range_).value;
}

Json QuantityField::json() const {
    if (text().trimmed().isEmpty()) return {};
    const std::optional<double> value = parseQuantity(text().toStdString(), measure_);
    return value ? numberValue(*value) : Json(text().toStdString());
}

void QuantityField::judge() {
    problem_ = text().trimmed().isEmpty() ? QString() : readQuantity(text(), measure_, range_).problem;
    markWrong(*this, !problem_.isEmpty());
}

void QuantityField::normalise() {
    if (const std::optional<double> value = quantity()) setText(exactQuantity(*value, measure_));
}

void QuantityField::step(int steps) {
    const QString moved = steppedQuantity(text(), steps, measure_, range_);
    if (moved.isEmpty() || moved == text()) return;
    setText(moved);
    judge();
    emit edited();
}

void QuantityField::keyPressEvent(QKeyEvent* event) {
    struct Key {
        int key;
        int steps;
    };
    constexpr Key kKeys[] = {{Qt::Key_Up, 1}, {Qt::Key_Down, -1}, {Qt::Key_PageUp, 10}, {Qt::Key_PageDown, -10}};
    for (const Key& row : kKeys)
        if (event->key() == row.key) return step(row.steps);
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) normalise();
    TextBox::keyPressEvent(event);
}

void QuantityField::focusOutEvent(QFocusEvent* event) {
    normalise();
    TextBox::focusOutEvent(event);
}

JsonPath pathOf(const FieldRow& row) {
    return row.keys.empty() ? pathOf(row.path) : row.keys;
}

void Field::setMarked(bool wrong) {
    markWrong(*control(), wrong);
}

Field* makeField(const FieldRow& row, QWidget* parent) {
    for (const Maker& maker : kMakers)
        if (maker.kind == row.kind) return maker.make(row, parent);
    return new TextField(row, parent);
}

QString shownValue(const Json& given, const FieldRow& row) {
    if (row.kind == FieldKind::sizes && given.is_object()) return sizesText(given);
    if (row.kind == FieldKind::range && !given.is_null()) return rangeText(given, row.measure);
    const Json& value = plainValue(given);
    if (value.is_number()) return exactQuantity(value.get<double>(), row.measure);
    if (value.is_boolean()) return value.get<bool>() ? u"yes"_s : u"no"_s;
    if (value.is_array()) {
        QStringList parts;
        for (const Json& part : value) parts << asText(part);
        return toQt(escaped(parts.join(u", "_s).toStdString()));
    }
    return shownText(asText(value).toStdString());
}

void markWrong(QWidget& control, bool wrong) {
    if (control.property("wrong").toBool() != wrong) setLook(control, "wrong", wrong);
}

}  // namespace tessera::ui
