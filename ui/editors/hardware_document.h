#pragma once

#include <functional>
#include <memory>

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
    QUndoStack* undoStack() override;
    bool isModified() const override;
    bool save() override;
    QVector<QAction*> documentActions() override;
    QVector<Exportable> exportables() override;
    QJsonObject saveView() const override;
    void restoreView(const QJsonObject& view) override;
    Facts overview() const override;
    void offerChoices() override;
    bool showPlace(const QString& place) override;  ///< a field's path, such as "groups[1].count"

    /// Saves into the user's folder of the library under a name, replacing what is there, and goes on with that file.
    bool saveAs(const QString& name);
    /// Saves into any file, and goes on with it.
    bool saveTo(const QString& path);
    /// Writes a copy likewise and requests that it is opened.
    bool duplicateAs(const QString& name);

private:
    struct Implementation;
    std::unique_ptr<Implementation> d_;
};

/// Asks for a name and writes a copy of the hardware of a key, such as "fleet/a100-h100-mixed"; `done` gets the copy's
/// key, `failed` a sentence.
void duplicateHardware(const QString& key, QWidget* parent, const std::function<void(const QString& copy)>& done,
                       const std::function<void(const QString& sentence)>& failed);

}  // namespace tessera::ui
