#pragma once

#include <QVector>
#include <QWidget>

#include "ui/editors/edited_json.h"
#include "ui/editors/field.h"
#include "ui/editors/problem.h"

class QComboBox;

namespace tessera::ui {

class Form;

/// Editor of the largest area of a template's accelerators: that of an accelerator that has been built, or an area.
class BoundEditor : public QWidget {
    Q_OBJECT

public:
    /// `rows` are the fields of the accelerator ("bound.…") and the area's.
    BoundEditor(EditedJson* document, const QVector<FieldRow>& rows, QWidget* parent = nullptr);

    void setProblems(const Problems& problems);
    Problems ownProblems() const;
    bool goTo(const std::string& field);
    /// Another kind of bound. An accelerator becomes the area that it takes; an area, the largest accelerator that the
    /// parameters have values for.
    void setReference(bool reference);

signals:
    void ownProblemsChanged();

private:
    bool hasReference() const;
    void refresh();

    EditedJson* document_;
    QComboBox* kind_;
    Form *reference_, *area_;
};

}  // namespace tessera::ui
