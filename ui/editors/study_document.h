#pragma once

#include <memory>

#include "core/study/study.h"
#include "ui/editors/editor_document.h"

namespace tessera::ui {

/// The set-up of a study: engine, inputs and the engine's parameter table as a form, an estimate of the work, Run.
/// `key` is a study file, a bundled study's name, or "new/ENGINE" with optional
/// "?model=…&workload=…&hardware=…", and parameters that are texts or flags: "&dtype=fp32", "&quick=true".
class StudyDocument : public EditorDocument {
    Q_OBJECT

public:
    explicit StudyDocument(const QString& key, QWidget* parent = nullptr);
    /// An unsaved study, such as that of a stored run.
    StudyDocument(const study::Study& study, const QString& key, QWidget* parent = nullptr);
    ~StudyDocument() override;
    QString kind() const override { return QStringLiteral("study"); }
    QString title() const override;
    QString tabTitle() const override { return tr("Study · %1").arg(title()); }
    QString iconName() const override { return QStringLiteral("study"); }
    QUndoStack* undoStack() override;
    bool isModified() const override;
    bool save() override;
    QVector<QAction*> documentActions() override;
    QVector<Exportable> exportables() override;
    QJsonObject saveView() const override;
    void restoreView(const QJsonObject& view) override;
    void offerChoices() override;
    bool showPlace(const QString& place) override;  ///< a field's path, such as "parameters.batch"

    study::Study study() const;
    void setModel(const QString& model);        ///< undoable; of a study of jobs the workload
    void setWorkload(const QString& workload);  ///< undoable
    void setHardware(const QString& hardware);  ///< undoable
    void requestRun();                          ///< emits runRequested where the set-up is valid

    /// Saves under a name in the user's folder of studies, replacing what is there; without a name, asks for one.
    bool saveAs(const QString& name);
    bool saveAs();
    /// Saves into any file, and goes on with it.
    bool saveTo(const QString& path);

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    struct Implementation;
    std::unique_ptr<Implementation> d_;
};

}  // namespace tessera::ui
