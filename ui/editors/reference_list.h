#pragma once

#include <QStringList>
#include <QVector>
#include <QWidget>
#include <vector>

#include "ui/editors/reference_picker.h"
#include "ui/editors/study_form.h"

class QToolButton;
class QVBoxLayout;

namespace tessera::ui {

/// The inputs of one of a study's lists: one picker, or as many as there are inputs with a button for another.
class ReferenceList : public QWidget {
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ReferenceList)

public:
    explicit ReferenceList(const InputSlot& slot, QWidget* parent = nullptr);
    ~ReferenceList() override;
    void setChoices(const QVector<ReferencePicker::Choice>& choices);
    /// Rows that are still empty stay.
    void setValues(const QStringList& values);
    QStringList values() const;  ///< those that are not empty
    /// Summary of each input in the order of `values`, or its error.
    struct Note {
        QString text;
        bool wrong = false;
    };
    void setNotes(const QVector<Note>& notes);
    void addRow();

signals:
    void changed(const QStringList& values);
    void finished();

private:
    struct Row {
        QWidget* holder;
        ReferencePicker* picker;
        QToolButton* remove;
    };
    void insertRow(const QString& value);
    void removeRow(QWidget* holder);
    void showButtons();
    void announceChange() { emit changed(values()); }

    InputSlot slot_;
    QVBoxLayout* column_;
    QToolButton* add_ = nullptr;
    QVector<ReferencePicker::Choice> choices_;
    std::vector<Row> rows_;
};

}  // namespace tessera::ui
