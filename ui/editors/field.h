#pragma once

#include <QLineEdit>
#include <QString>
#include <QStringList>
#include <QVector>
#include <QWidget>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/base/json.h"
#include "ui/editors/json_path.h"
#include "ui/editors/quantity_text.h"

class QToolButton;

namespace tessera::ui {

/// Kind of a field's editor.
enum class FieldKind {
    text,
    quantity,        ///< a number with a unit
    whole,           ///< a whole number, kept with all its digits
    word,            ///< one of `words`
    wordOrQuantity,  ///< one of `words`, or a number
    words,           ///< some of `words`, in the order of their ticking
    flag,
    range,     ///< the values of a parameter that a search tries, "1 to 4096, ×2"
    names,     ///< texts with commas between them; in tables
    numbers,   ///< whole numbers with commas between them; in tables
    sizes,     ///< sizes of named things, "sequence=128, width=64"; in tables
    document,  ///< a document as a whole, taken from a file
};

/// One field of a form or column of a table: everything that is needed to show, edit and explain it. Forms are made of
/// rows like this one, not of widgets written for each field.
struct FieldRow {
    std::string path;  ///< in the document, or in an entry of a list: keys joined by dots
    QString label;
    FieldKind kind = FieldKind::text;
    Measure measure = Measure::count;
    QString help = {};  ///< one line
    bool required = false;
    QuantityRange range = {};
    QStringList words = {};
    QStringList titles = {};   ///< what stands for `words` in a list; empty = the words themselves
    QString unit = {};         ///< printed behind the field where the measure has no unit: "$ per hour"
    Json fallback = {};        ///< what counts while there is no value; null = nothing
    QString placeholder = {};  ///< shown in the empty field; empty = the fallback, else an example
    bool sourced = false;      ///< a number that can say where it comes from
    QString heading = {};      ///< stands above the row, over all rows until the next one
    JsonPath keys = {};        ///< the way to the value where keys hold dots themselves; empty = `path` says it
    /// Reads a document's value from a file, in a thread of its own (throws), and describes it in a few words.
    std::function<Json(const std::string& path)> read = {};
    std::function<QString(const Json& value)> describe = {};
};

/// The way to a row's value.
JsonPath pathOf(const FieldRow& row);

/// A text box whose undo is the document's, not its own.
class TextBox : public QLineEdit {
    Q_OBJECT

public:
    using QLineEdit::QLineEdit;

protected:
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
};

/// A text box for a number with a unit. "16 GB/s", "180 TFLOPS" and "32 KiB" are understood and shown back in one form;
/// what is not understood stays as it was typed, is marked, and has a `problem`. Up and down step.
class QuantityField : public TextBox {
    Q_OBJECT

public:
    explicit QuantityField(Measure measure, const QuantityRange& range = {}, QWidget* parent = nullptr);

    void setQuantity(std::optional<double> value);
    /// Text that is no quantity, as it stands in the document.
    void setRawText(const QString& raw);
    /// The number, or empty where the field is empty or wrong.
    std::optional<double> quantity() const;
    QString problem() const { return problem_; }
    /// Value of the text in a document: null, a number, or the text itself where it is none.
    Json json() const;

signals:
    void edited();  ///< by the user

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void judge();
    void normalise();
    void step(int steps);

    Measure measure_;
    QuantityRange range_;
    QString problem_;
};

/// One value of a document as a control. `edited` carries null where the value is taken away.
class Field : public QWidget {
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Field)

public:
    using QWidget::QWidget;
    /// A control whose focus goes with the field's must not find what is gone.
    ~Field() override { setFocusProxy(nullptr); }
    virtual void setJson(const Json& value) = 0;  ///< null = there is none; does not emit
    virtual QWidget* control() = 0;               ///< what has the focus
    virtual QString problem() const { return {}; }
    virtual void setMarked(bool wrong);
    /// Remark on the value, shown beside it: "13 values".
    virtual QString remark() const { return {}; }
    /// Words that may be typed; only some kinds offer them.
    virtual void setSuggestions(const QStringList& /*words*/) {}

signals:
    void edited(const tessera::Json& value);
    void finished();  ///< typing ended
};

/// The control for a row's kind.
Field* makeField(const FieldRow& row, QWidget* parent);

/// The value as a person reads it in a table or a list of differences.
QString shownValue(const Json& given, const FieldRow& row);

/// Marks a control as wrong (or not) in the theme's way.
void markWrong(QWidget& control, bool wrong);

}  // namespace tessera::ui
