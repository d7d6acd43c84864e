#pragma once

#include <QToolButton>

#include "core/base/json.h"
#include "ui/editors/field.h"

class QComboBox;
class QLineEdit;

namespace tessera::ui {

/// Button with a number's source, beside its field: "datasheet · Google Cloud documentation". A click opens a small
/// panel to edit both. Assumed numbers and the user's own are marked; these say what they replaced.
class ProvenanceButton : public QToolButton {
    Q_OBJECT

public:
    explicit ProvenanceButton(const QString& ofWhat, QWidget* parent = nullptr);

    /// The value as it stands in the document: plain, or with source and class. `row` says in which unit it is shown
    /// what a number of the user's own replaced.
    void setJson(const Json& value, const FieldRow& row);
    void setWhat(const QString& ofWhat);
    QString source() const { return source_; }
    QString reliability() const { return reliability_; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void edited(const QString& source, const QString& reliability);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void openPanel();
    void relabel();

    QString what_, source_, reliability_, former_, formerNumber_, full_;
};

}  // namespace tessera::ui
