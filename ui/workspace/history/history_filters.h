#pragma once

#include <QStringList>
#include <QVector>
#include <QWidget>

#include "core/store/run_list.h"
#include "ui/workspace/history/metric_kinds.h"

class QCompleter;
class QLabel;
class QLineEdit;
class QMenu;
class QStringListModel;
class QToolButton;

namespace tessera::ui {

class FlowLayout;

/// The row above the history: words to search for, and below them a chip for every condition. A condition is written
/// into the search and taken by Enter ("gap < 5 %", "tag: night"), or chosen in a menu.
class HistoryFilters : public QWidget {
    Q_OBJECT

public:
    explicit HistoryFilters(QWidget* parent = nullptr);

    void setTags(const QStringList& tags);
    void setMetrics(const MetricKinds& kinds);
    /// Conditions only; order and metrics stay as in `base`.
    store::HistoryQuery query(store::HistoryQuery base) const;
    bool isActive() const;
    void clear();
    /// Adds a condition as it is written, in place of one of the same kind. Returns what is wrong with it, a sentence;
    /// empty where it was added.
    QString add(const QString& condition);
    /// Takes off a condition, as it is shown.
    void remove(const QString& condition);
    /// The conditions as they are shown.
    QStringList conditions() const;
    QLineEdit* search() const { return search_; }
    QMenu* menu() const { return menu_; }
    QJsonObject save() const;
    void restore(const QJsonObject& saved);

signals:
    void changed();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Chip {
        store::RunCondition condition;
        QString written;  ///< as it was added, which is what is read again
    };
    bool insert(const QString& condition, QString& problem);
    void fillMenu();
    void fillCompleter();
    void showChips();
    void enter();
    void begin(const QString& text);
    void showProblem(const QString& sentence);

    QLineEdit* search_;
    QToolButton *add_, *clear_;
    QMenu* menu_;
    QWidget* line_;  ///< of the chips
    FlowLayout* chips_;
    QLabel* problem_;
    QCompleter* completer_;
    QStringListModel* completions_;
    QVector<Chip> shown_;
    QStringList waiting_;  ///< restored conditions on metrics that are not known yet
    QStringList tags_;
    MetricKinds kinds_;
};

}  // namespace tessera::ui
