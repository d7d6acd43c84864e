#pragma once

#include <QJsonObject>
#include <QString>
#include <QVector>
#include <QWidget>

#include "ui/models/facts.h"
#include "ui/views/exportable.h"

class QAction;
class QUndoStack;

namespace tessera::ui {

/// Page in a tab of the main window. `kind` and `key` say which one it is ("model" "zoo:resnet50"), so that opening it
/// again shows the same tab and a session can be restored.
class Document : public QWidget {
    Q_OBJECT

public:
    explicit Document(QWidget* parent = nullptr, const QString& key = {}) : QWidget(parent), key_(key) {}

    virtual QString kind() const = 0;
    virtual QString key() const { return key_; }
    virtual QString title() const = 0;
    virtual QString iconName() const = 0;
    /// Title for a tab, which distinguishes documents at the beginning.
    virtual QString tabTitle() const { return title(); }

    virtual QUndoStack* undoStack() { return nullptr; }
    virtual bool isModified() const { return false; }
    /// Saves, asking for a file where there is none yet; false = the user gave up.
    virtual bool save() { return true; }
    /// Actions that belong in the menu while this document is in front.
    virtual QVector<QAction*> documentActions() { return {}; }
    virtual QVector<Exportable> exportables() { return {}; }
    /// About the document as a whole, for the Inspector while nothing in it is selected; no title = nothing is known
    /// yet.
    virtual Facts overview() const { return {}; }
    /// Selects and shows the place that one of its messages named; false = it is not there (any more).
    virtual bool showPlace(const QString& /*place*/) { return false; }
    /// Selection, zoom, open tab: what a restored session brings back. Unknown or wrong values are ignored.
    virtual QJsonObject saveView() const { return {}; }
    virtual void restoreView(const QJsonObject& /*view*/) {}

signals:
    void titleChanged();
    void modifiedChanged();
    void overviewChanged();
    void inspected(const tessera::ui::Facts& facts);  ///< something was selected
    /// Emits a sentence for the Messages dock. `place` is what `showPlace` understands, "" = the document as a whole.
    void messaged(const QString& sentence, const QString& place);
    void done(const QString& sentence);                           ///< the same for what went well: "Saved step.json."
    void openRequested(const QString& kind, const QString& key);  ///< another document, by kind and key
    void runRequested(const QString& studyJson);                  ///< run a study (tessera.study/1)

protected:
    void setKey(const QString& key) { key_ = key; }

private:
    QString key_;
};

}  // namespace tessera::ui
