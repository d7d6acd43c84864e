#pragma once

#include <QVector>
#include <QWidget>
#include <string>

#include "ui/editors/edited_json.h"
#include "ui/editors/hardware_kind.h"
#include "ui/editors/problem.h"

class QVBoxLayout;

namespace tessera::ui {

class BoundEditor;
class Form;
class InnerListEditor;
class ListEditor;
class PartEditor;
class TopologyEditor;

/// The fields and tables of a kind of hardware, for a document of that kind or for one inside of another document.
class KindForm : public QWidget {
    Q_OBJECT

public:
    /// `base` is the way to what is edited; empty = the whole document.
    KindForm(const HardwareKind& kind, EditedJson* document, const JsonPath& base = {}, QWidget* parent = nullptr);

    /// Takes the problems of the whole document; the form shows its own.
    void setProblems(const Problems& problems);
    /// Problems that the controls themselves found.
    Problems ownProblems() const;
    /// Puts the focus where the problem is, and returns what to scroll to; nullptr where the field is not in here.
    QWidget* goTo(const std::string& field);
    /// Words that a column's cells offer, in every table that has the column.
    void setSuggestions(const std::string& column, const QStringList& words);
    void focusFirst();

signals:
    void ownProblemsChanged();
    void openRequested(const QString& kind, const QString& key);

private:
    void addForm(const QVector<FieldRow>& rows, const JsonPath& base);
    void addList(const ListSpec& spec, const JsonPath& base);

    EditedJson* document_;
    QVBoxLayout* column_;
    QVector<FieldRow> rows_;
    QVector<Form*> forms_;
    QVector<ListEditor*> lists_;
    QVector<InnerListEditor*> inner_;
    BoundEditor* bound_ = nullptr;
    PartEditor* part_ = nullptr;
    TopologyEditor* topology_ = nullptr;
};

}  // namespace tessera::ui
