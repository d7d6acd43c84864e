#pragma once

#include <functional>

#include "ui/editors/editor_document.h"

namespace tessera::ui {

/// An editor of an accelerator, a fleet, a platform or a workload. `key` is a library id with its kind
/// ("fleet/accpar-heterogeneous"), a file's path, or "new/accelerator", "new/fleet", "new/platform", "new/workload".
class HardwareDocument : public EditorDocument {
    Q_OBJECT

public:
    explicit HardwareDocument(const QString& key, QWidget* parent = nullptr);
    ~HardwareDocument() override;
    QString kind() const override { return QStringLiteral("hardware"); }
    QString title() const override;
    QString iconName() const override;
    QVector<Exportable> exportables() override;
    Facts overview() const override;

    /// Writes a copy as `saveAs` does and asks for it to be opened.
    bool duplicateAs(const QString& name);

private:
    struct Implementation;
    Implementation* d_;
};

/// Asks for a name and writes a copy of the hardware of a key, such as "fleet/a100-h100-mixed"; `done` gets the copy's
/// key, `failed` a sentence.
void duplicateHardware(const QString& key, QWidget* parent, const std::function<void(const QString& copy)>& done,
                       const std::function<void(const QString& sentence)>& failed);

}  // namespace tessera::ui
