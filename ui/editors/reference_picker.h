#pragma once

#include <QString>
#include <QVector>
#include <QWidget>

#include "core/base/json.h"

class QComboBox;
class QLabel;
class QToolButton;

namespace tessera::ui {

class TextBox;

/// Picks an input of a study: a list of known ones in groups, a name or path typed over it, or a file from the disk.
/// Below it stands what is known of the input, or what is wrong with it.
class ReferencePicker : public QWidget {
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ReferencePicker)

public:
    struct Choice {
        QString value;  ///< "zoo:resnet50"
        QString title;  ///< "ResNet-50"
        QString group;  ///< its heading
    };

    ReferencePicker(const QString& label, const QString& hint, QString filter, QWidget* parent = nullptr);
    ~ReferencePicker() override { setFocusProxy(nullptr); }  ///< see ~ReferenceList
    void setChoices(const QVector<Choice>& choices);
    void setValue(const QString& value);
    QString value() const;
    /// `wrong` makes it the reason why the input cannot be used.
    void setNote(const QString& note, bool wrong);
    QComboBox* box() const { return box_; }

signals:
    void picked(const QString& value);
    void finished();

private:
    QString label_, filter_;
    QComboBox* box_;
    TextBox* line_;
    QLabel* note_;
};

}  // namespace tessera::ui
