#pragma once

#include <QTableView>
#include <QUndoStack>
#include <functional>

#include "ui/views/document.h"
#include "ui/workspace/history/history_filters.h"
#include "ui/workspace/history/history_model.h"

class QLabel;

namespace tessera::ui {

class EmptyState;
class HistoryColumns;
class TagDelegate;
class Toast;

/// All runs: search, filter, sort, annotate, delete with undo, run again, compare, report, export, import.
class HistoryDocument : public Document {
    Q_OBJECT

public:
    explicit HistoryDocument(History& history, QWidget* parent = nullptr);
    QString kind() const override { return QStringLiteral("history"); }
    QString title() const override { return QStringLiteral("History"); }
    QString iconName() const override { return QStringLiteral("history"); }
    QUndoStack* undoStack() override { return &undo_; }
    QVector<QAction*> documentActions() override { return actions_; }
    QJsonObject saveView() const override;
    void restoreView(const QJsonObject& view) override;
    Facts overview() const override;

    HistoryModel& model() { return model_; }
    HistoryFilters& filters() { return *filters_; }
    QTableView* table() const { return table_; }
    /// The selected runs among the pages that were read.
    std::vector<store::RunId> selectedRuns() const;
    QAction* actionNamed(const QString& name) const;

signals:
    void repeatRequested(tessera::store::RunId run);
    void resumeRequested(tessera::store::RunId run);

private:
    using Work = std::function<void(store::Store&)>;
    using Runs = std::vector<store::RunId>;
    /// Sets or takes off what runs can have; returns those that it changed.
    using Mark = std::function<Runs(store::Store&, const Runs&, bool)>;
    void buildTable();
    void buildActions();
    QAction* action(const QString& id, const QString& title, const QString& icon, const QKeySequence& keys,
                    std::function<void()> run);
    std::vector<store::RunRow> selectedRows() const;
    std::size_t selectedCount() const;
    void withSelectedRuns(std::function<void(const Runs&)> work);
    void mark(const QString& text, const QString& did, const Runs& runs, const Mark& mark, bool to);
    void star(const Runs& runs, bool starred);
    void starSelected();
    void tagSelected();
    void remove();
    void exportRuns();
    void importRuns();
    void inspectCurrent();
    void updateActions();
    void listEngine();
    void editCell(int column);
    void push(const QString& text, const QString& did, Work redo, Work undo);
    /// Number of listed runs, as a sentence of plain text.
    QString listedText() const;
    void updateSummary();
    void askForNames();
    void showColumnMenu(const QPoint& position);
    void keepSelection();
    void restoreSelection();

    History* history_;
    HistoryModel model_;
    HistoryFilters* filters_;
    QTableView* table_;
    HistoryColumns* columns_ = nullptr;
    QLabel* summary_;
    EmptyState* hint_;
    QVector<QAction*> actions_;
    TagDelegate* tags_ = nullptr;
    Toast* toast_ = nullptr;
    QString engine_;  ///< whose columns are shown; empty = those of all
    std::vector<store::RunId> kept_;
    int keptScroll_ = 0;
    bool everSelected_ = false;
    QUndoStack undo_;  ///< last: it speaks of its steps once more as it goes, to who uses what stands above
};

}  // namespace tessera::ui
