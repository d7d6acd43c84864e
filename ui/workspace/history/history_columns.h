#pragma once

#include <QHash>
#include <QJsonObject>
#include <QObject>

#include "ui/workspace/history/column_chooser.h"

class QMenu;
class QTableView;

namespace tessera::ui {

class HistoryModel;

/// Visible columns of the history and their widths. As many as fit the table's width, the most important first; the
/// name takes what is left. The user's own choice stays.
class HistoryColumns : public QObject {
    Q_OBJECT

public:
    HistoryColumns(QTableView& table, HistoryModel& model, QObject* parent);

    /// Hides the column under the pointer, and opens the dialog.
    void fillMenu(QMenu& menu, int column);
    /// All columns and the metrics that the history knows, with a check each.
    QVector<ColumnChooser::Choice> choices();
    void openChooser();
    /// Lists runs of one engine, or of all where it is empty: shows the metrics that were chosen for it, else these.
    void setEngine(const QString& engine, const QStringList& metrics);
    /// Shows a column that may be hidden, so that it can be written in.
    void reveal(int column);
    QJsonObject save() const;
    void restore(const QJsonObject& saved);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void fit();
    void show(int column, bool on);
    void showMetric(const QString& name, bool on);
    void setMetrics(const QStringList& metrics);
    int minWidth(int column) const;
    QList<int> byImportance() const;

    QTableView* table_;
    HistoryModel* model_;
    QString engine_;                       ///< whose runs alone are listed
    QHash<QString, QStringList> metrics_;  ///< chosen by hand, by engine
    QHash<int, bool> chosen_;              ///< shown or hidden by hand, by column
    QHash<int, int> widths_;               ///< given by hand, by column
    bool fitting_ = false;
};

}  // namespace tessera::ui
