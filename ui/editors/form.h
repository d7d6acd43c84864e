#pragma once

#include <QMap>
#include <QVector>
#include <QWidget>

#include "ui/editors/edited_json.h"
#include "ui/editors/field.h"
#include "ui/editors/problem.h"

class QGridLayout;
class QLabel;
class QToolButton;

namespace tessera::ui {

class ProvenanceButton;

/// Fields of a document under each other: label, control, where the number is from or what it means, and the reason
/// below where it is wrong.
class Form : public QWidget {
    Q_OBJECT

public:
    enum class Notes { tooltips, beside };  ///< where a field's help stands
    Form(EditedJson* document, const QVector<FieldRow>& rows, Notes notes, QWidget* parent = nullptr);

    /// Takes the problems of the whole document; the form shows its own.
    void setProblems(const Problems& problems);
    /// Problems that the controls themselves found.
    Problems ownProblems() const;
    /// Puts the focus where the problem is; false where the field is not in this form.
    bool goTo(const std::string& field);
    bool contains(const std::string& field) const;
    Field* field(const std::string& path) const;
    void setSuggestions(const std::string& path, const QStringList& words) const;

signals:
    void ownProblemsChanged();

private:
    struct Line {
        FieldRow row;
        JsonPath path;
        QLabel* label = nullptr;
        Field* field = nullptr;
        ProvenanceButton* provenance = nullptr;
        QToolButton* reset = nullptr;
        QLabel* remark = nullptr;
        QLabel* reason = nullptr;
    };
    void addLine(QGridLayout* grid, const FieldRow& row, Notes notes);
    void connectLine(int index);
    void edit(const Line& line, const Json& value);
    void refresh();
    void showReasons();
    bool isIn(const Line& line, const std::string& field) const;
    QString reasonOf(const Line& line) const;

    EditedJson* document_;
    QVector<Line> lines_;
    Problems problems_;
    Problems own_;
};

inline constexpr int kLabelWidth = 132;

}  // namespace tessera::ui
