#pragma once

#include <QAbstractTableModel>
#include <QHash>
#include <QStringList>
#include <vector>

#include "core/store/store.h"
#include "ui/workspace/history/history.h"
#include "ui/workspace/history/metric_kinds.h"

namespace tessera::ui {

/// Tags as they are typed, with commas between them; each once.
QStringList tagsIn(const QString& text);

/// The runs of a history that fit a query, page by page: what is not looked at is not read, so that a hundred thousand
/// runs cost no more than a hundred. Reading happens on the history's thread; until a page is there its rows are blank.
class HistoryModel : public QAbstractTableModel {
    Q_OBJECT

public:
    /// After the star, in the order of store::runColumns().
    enum Column {
        Star,
        Name,
        Engine,
        Model,
        Hardware,
        Result,
        Gap,
        Tags,
        Started,
        Status,
        Took,
        Headline,
        Note,
        Origin,
        FirstMetric
    };
    enum Role { runRole = Qt::UserRole + 1 };
    static constexpr int kPage = 200;
    static constexpr int kMaxPages = 40;  ///< kept; the ones not used for longest leave

    explicit HistoryModel(History& history, QObject* parent = nullptr);

    void setQuery(const store::HistoryQuery& query);
    const store::HistoryQuery& query() const { return query_; }
    void setMetrics(const QStringList& names);  ///< a column each
    QStringList metrics() const { return metrics_; }
    void setKinds(const MetricKinds& kinds);  ///< how metrics are named and shown
    const MetricKinds& kinds() const { return kinds_; }
    /// A name of a column that settings keep: it outlives its place.
    QString idOf(int column) const;
    /// Reads again what is shown.
    void refresh();
    /// nullptr while its page is on the way.
    const store::RunRow* row(int row) const;
    /// True where these are the runs of all rows, as far as the rows were read.
    bool shows(const std::vector<store::RunId>& runs) const;
    int loadedPages() const { return static_cast<int>(pages_.size()); }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

signals:
    void loaded();  ///< count and the first page of a new query are there
    /// A person changed a cell; the model shows it once the history says so.
    void starEdited(tessera::store::RunRow row, bool starred);
    void nameEdited(tessera::store::RunRow row, const QString& name);
    void tagsEdited(tessera::store::RunRow row, const QStringList& tags);
    void noteEdited(tessera::store::RunRow row, const QString& note);

private:
    struct Page {
        std::vector<store::RunRow> rows;
        quint64 used = 0;
    };
    struct Answer {
        std::int64_t count = 0;
        std::vector<std::pair<int, std::vector<store::RunRow>>> pages;
    };
    void load(bool reset);
    void receive(Answer answer, bool reset);
    void want(int page) const;
    void fetchWanted();
    void keep(int page, std::vector<store::RunRow> rows);
    QVariant text(const store::RunRow& row, int column) const;

    History* history_;
    store::HistoryQuery query_;
    QStringList metrics_;
    MetricKinds kinds_;
    int rows_ = 0;
    quint64 generation_ = 0;
    // A view asks for rows while it paints, through const functions: what they ask for is remembered here.
    mutable QHash<int, Page> pages_;
    mutable quint64 clock_ = 0;
    mutable QList<int> wanted_;
    mutable bool fetchPlanned_ = false;
    bool fetching_ = false;
};

}  // namespace tessera::ui
