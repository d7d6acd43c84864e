#pragma once

#include <QDialog>
#include <QString>
#include <QVector>
#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "ui/editors/edited_file.h"
#include "ui/editors/hardware_kind.h"

class QComboBox;
class QLabel;

namespace tessera::ui {

class TableModel;
class TableView;

/// One field in which two documents differ.
struct Difference {
    QString field;
    QString here, there;  ///< empty = not given
    bool operator==(const Difference&) const = default;
};

/// The fields in which two documents of a kind differ, in the order of the first; entries of lists are matched by their
/// name where they have one.
QVector<Difference> differences(const Json& here, const Json& there, const HardwareKind& kind);

/// The document that is edited beside another one of the same kind: only what differs.
class DifferenceDialog : public QDialog {
    Q_OBJECT

public:
    DifferenceDialog(const HardwareKind& kind, Json here, const EditedFile& file, QWidget* parent = nullptr);
    void compareWith(const QString& nameOrPath);
    const QVector<Difference>& shown() const { return rows_; }

private:
    void browse();
    const HardwareKind& kind_;
    Json here_;
    QVector<Difference> rows_;
    QComboBox* other_;
    QLabel* summary_;
    TableModel* model_;
    TableView* table_;
};

}  // namespace tessera::ui
