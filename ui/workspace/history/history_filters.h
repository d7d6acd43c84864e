#pragma once

#include <QWidget>

#include "core/store/store.h"
#include "ui/workspace/history/metric_kinds.h"

class QComboBox;
class QLineEdit;
class QToolButton;

namespace tessera::ui {

/// The row above the history: words, status, engine, model, hardware, tag, time, star, and a metric's range.
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
    QLineEdit* search() const { return search_; }
    QJsonObject save() const;
    void restore(const QJsonObject& saved);

signals:
    void changed();

private:
    QLineEdit* edit(const QString& name, const QString& hint);
    QComboBox* choice(const QString& name);
    void checkRange();

    QLineEdit *search_, *model_, *hardware_, *min_, *max_;
    QComboBox *status_, *engine_, *tag_, *time_, *metric_;
    QToolButton *starred_, *deleted_, *more_, *clear_;
    QWidget* second_;
    MetricKinds kinds_;
};

}  // namespace tessera::ui
