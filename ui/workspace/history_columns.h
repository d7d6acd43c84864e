#pragma once

#include <QHash>
#include <QJsonObject>
#include <QObject>

class QMenu;
class QTableView;

namespace tessera::ui {

class HistoryModel;

/// Which columns of the history are shown, and how wide. As many as fit the table's width, the most important first;
/// the outcome takes what is left. What a person chose stays as chosen.
class HistoryColumns : public QObject {
    Q_OBJECT

public:
    HistoryColumns(QTableView& table, HistoryModel& model, QObject* parent);

    /// All columns with a check each, and the metrics that the history knows.
    void fillMenu(QMenu& menu);
    QJsonObject save() const;
    void restore(const QJsonObject& saved);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void arrange();
    void fit();
    int leastWidth(int column) const;
    QList<int> byImportance() const;

    QTableView* table_;
    HistoryModel* model_;
    QHash<int, bool> chosen_;  ///< shown or hidden by hand, by column
    QHash<int, int> widths_;   ///< given by hand, by column
    bool fitting_ = false;
};

}  // namespace tessera::ui
