#pragma once

#include <QWidget>
#include <string>

#include "ui/editors/edited_json.h"
#include "ui/editors/problem.h"

class QLabel;
class QToolButton;
class QVBoxLayout;

namespace tessera::ui {

class KindForm;
class ListEditor;
struct HardwarePart;

/// Editor of the document that an entry of a table names or holds: the accelerator of the current group. One of the
/// library can be opened, or embedded as a copy; an embedded one is edited in place.
class PartEditor : public QWidget {
    Q_OBJECT

public:
    PartEditor(const HardwarePart& part, EditedJson* document, ListEditor* list, QWidget* parent = nullptr);

    void setProblems(const Problems& problems);
    Problems ownProblems() const;
    /// Shows the entry whose part the field is in and puts the focus there; returns what to scroll to, or nullptr.
    QWidget* goTo(const std::string& field);
    /// Replaces the name of the current entry's part by a copy of what it names.
    void writeOut();

signals:
    void ownProblemsChanged();
    void openRequested(const QString& kind, const QString& key);

private:
    int row() const;
    JsonPath pathTo(int row) const;
    const Json* partOf(int row) const;
    bool isWritten(int row) const;
    QString entryName(int row) const;
    /// The entry in whose part the field is, or -1.
    int rowOf(const std::string& field) const;
    QString reference() const;
    void refresh();
    void showPart();
    void put(const JsonPath& path, const QString& reference, const Json& part);

    const HardwarePart& part_;
    EditedJson* document_;
    ListEditor* list_;
    QLabel *title_, *what_;
    QToolButton *open_, *write_;
    QVBoxLayout* place_;
    KindForm* form_ = nullptr;  ///< of the current entry, where its part is written out
    int shown_ = -1;            ///< the entry that the form is for
    Problems problems_;
};

}  // namespace tessera::ui
