#pragma once

#include <QWidget>
#include <string>

#include "ui/editors/list_editor.h"
#include "ui/editors/problem.h"

class QVBoxLayout;

namespace tessera::ui {

/// The table of a list that the current entry of another table holds: the levels of the current group.
class InnerListEditor : public QWidget {
    Q_OBJECT

public:
    InnerListEditor(InnerList inner, EditedJson* document, ListEditor* list, QWidget* parent = nullptr);

    void setProblems(const Problems& problems);
    /// Shows the entry whose list the field is in and puts the focus there; returns what to scroll to, or nullptr.
    QWidget* goTo(const std::string& field);

private:
    int row() const;
    QString entryName() const;
    void refresh();

    InnerList inner_;
    EditedJson* document_;
    ListEditor* list_;
    QVBoxLayout* place_;
    ListEditor* shown_ = nullptr;  ///< of the current entry
    int shownRow_ = -1;
    QString shownName_;
    Problems problems_;
};

}  // namespace tessera::ui
