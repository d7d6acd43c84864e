#pragma once

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
    QString tabTitle() const override { return QStringLiteral("Study · %1").arg(title()); }
    QString iconName() const override { return QStringLiteral("study"); }
    QVector<Exportable> exportables() override;

    study::Study study() const;
    void setModel(const QString& model);        ///< undoable; of a study of jobs the workload
    void setWorkload(const QString& workload);  ///< undoable
    void setHardware(const QString& hardware);  ///< undoable
    void requestRun();                          ///< emits runRequested where the set-up is valid

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    struct Implementation;
    Implementation* d_;
};

}  // namespace tessera::ui
