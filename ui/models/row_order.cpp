#include "ui/models/row_order.h"

#include <QElapsedTimer>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace tessera::ui {

namespace {

constexpr qint64 kSliceMilliseconds = 12;
constexpr int kRowsPerLook = 64;

/// What a row is ordered by, read once.
struct Key {
    int row = 0;
    double number = 0;
    QString text;
    bool isNumber = false;
    bool isEmpty = false;
};

Key keyOf(const TableModel& table, int row, int column) {
    const QVariant value = table.sortValue(row, column);
    Key key{.row = row, .number = 0, .text = {}, .isNumber = false, .isEmpty = !value.isValid()};
    switch (value.userType()) {
        case QMetaType::Double:
        case QMetaType::Float:
        case QMetaType::Int:
        case QMetaType::UInt:
        case QMetaType::LongLong:
        case QMetaType::ULongLong:
        case QMetaType::Long:
        case QMetaType::ULong:
        case QMetaType::Bool:
            key.number = value.toDouble();
            key.isNumber = true;
            key.isEmpty = std::isnan(key.number);
            break;
        default:
            key.text = value.toString();
    }
    return key;
}

int compared(const Key& one, const Key& other) {
    if (one.isNumber != other.isNumber) return one.isNumber ? -1 : 1;
    if (one.isNumber) return one.number < other.number ? -1 : (one.number > other.number ? 1 : 0);
    return naturalOrder(one.text, other.text);
}

}  // namespace

int naturalOrder(const QString& one, const QString& other) {
    qsizetype i = 0;
    qsizetype k = 0;
    const auto skipZeros = [](const QString& text, qsizetype& at) {
        while (at + 1 < text.size() && text[at] == QLatin1Char('0') && text[at + 1].isDigit()) ++at;
    };
    const auto digits = [](const QString& text, qsizetype at) {
        const qsizetype first = at;
        while (at < text.size() && text[at].isDigit()) ++at;
        return at - first;
    };
    while (i < one.size() && k < other.size()) {
        if (one[i].isDigit() && other[k].isDigit()) {
            skipZeros(one, i);
            skipZeros(other, k);
            const qsizetype length = digits(one, i);
            if (const qsizetype longer = length - digits(other, k); longer != 0) return longer < 0 ? -1 : 1;
            const int difference = QStringView(one).mid(i, length).compare(QStringView(other).mid(k, length));
            if (difference != 0) return difference;
            i += length;
            k += length;
            continue;
        }
        const char32_t left = one[i].toCaseFolded().unicode();
        const char32_t right = other[k].toCaseFolded().unicode();
        if (left != right) return left < right ? -1 : 1;
        ++i;
        ++k;
    }
    const qsizetype rest = (one.size() - i) - (other.size() - k);
    return rest == 0 ? 0 : (rest < 0 ? -1 : 1);
}

RowOrder::RowOrder(TableModel* table, QObject* parent) : QAbstractProxyModel(parent), table_(table) {
    slices_.setInterval(0);
    connect(&slices_, &QTimer::timeout, this, &RowOrder::filterSlice);
    setSourceModel(table);
    connect(table, &QAbstractItemModel::modelAboutToBeReset, this, [this] { beginResetModel(); });
    connect(table, &QAbstractItemModel::modelReset, this, [this] {
        slices_.stop();
        readAll();
        endResetModel();
        if (complete_) {
            emit ordered();
        } else {
            setFilter(filter_);
        }
    });
    connect(table, &QAbstractItemModel::dataChanged, this, [this] {
        if (!words_.isEmpty()) {
            complete_ = false;
            setFilter(filter_);
        } else if (sortColumn_ >= 0) {
            sort(sortColumn_, sortOrder_);
        }
        if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
        emit ordered();
    });
    readAll();
}

/// All rows anew, within a reset of the model; none where a filter has to look at them first.
void RowOrder::readAll() {
    complete_ = words_.isEmpty();
    rows_.resize(complete_ ? table_->rowCount() : 0);
    std::iota(rows_.begin(), rows_.end(), 0);
    rows_ = sorted(std::move(rows_));
    place_.clear();
}

void RowOrder::setFilter(const QString& words) {
    const bool narrower = complete_ && !filter_.isEmpty() && words.startsWith(filter_);
    filter_ = words;
    words_ = words.simplified().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    QVector<int> candidates = rows_;
    if (!narrower) {
        candidates.resize(table_->rowCount());
        std::iota(candidates.begin(), candidates.end(), 0);
    }
    startFilter(candidates);
}

void RowOrder::startFilter(const QVector<int>& candidates) {
    candidates_ = candidates;
    kept_.clear();
    next_ = 0;
    complete_ = false;
    filterSlice();
    if (!complete_) slices_.start();
}

void RowOrder::filterSlice() {
    QElapsedTimer clock;
    clock.start();
    const int count = static_cast<int>(candidates_.size());
    while (next_ < count && clock.elapsed() < kSliceMilliseconds)
        for (const int end = std::min(next_ + kRowsPerLook, count); next_ < end; ++next_)
            if (matches(candidates_[next_])) kept_.append(candidates_[next_]);
    if (next_ < count) return;
    slices_.stop();
    complete_ = true;
    beginResetModel();
    std::sort(kept_.begin(), kept_.end());
    rows_ = sorted(std::move(kept_));
    place_.clear();
    candidates_.clear();
    endResetModel();
    emit ordered();
}

bool RowOrder::matches(int sourceRow) const {
    if (words_.isEmpty()) return true;
    QString text;
    for (const TableModel::Column& column : table_->columns()) text += column.text(sourceRow) + QLatin1Char('\n');
    return std::all_of(words_.begin(), words_.end(),
                       [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

QVector<int> RowOrder::sorted(QVector<int> rows) const {
    if (sortColumn_ < 0 || sortColumn_ >= table_->columnCount()) return rows;
    std::vector<Key> keys;
    keys.reserve(static_cast<std::size_t>(rows.size()));
    for (const int row : rows) keys.push_back(keyOf(*table_, row, sortColumn_));
    const bool descending = sortOrder_ == Qt::DescendingOrder;
    std::stable_sort(keys.begin(), keys.end(), [descending](const Key& one, const Key& other) {
        if (one.isEmpty || other.isEmpty) return !one.isEmpty && other.isEmpty;
        const int difference = compared(one, other);
        return descending ? difference > 0 : difference < 0;
    });
    std::transform(keys.begin(), keys.end(), rows.begin(), [](const Key& key) { return key.row; });
    return rows;
}

void RowOrder::sort(int column, Qt::SortOrder order) {
    sortColumn_ = column;
    sortOrder_ = order;
    QVector<int> rows = rows_;
    std::sort(rows.begin(), rows.end());
    replaceRows(sorted(std::move(rows)));
    emit ordered();
}

/// The same rows in another order: what is selected stays selected.
void RowOrder::replaceRows(QVector<int> rows) {
    emit layoutAboutToBeChanged({}, VerticalSortHint);
    const QModelIndexList before = persistentIndexList();
    QVector<int> sources;
    for (const QModelIndex& index : before) sources.append(sourceRow(index.row()));
    rows_ = std::move(rows);
    place_.clear();
    QModelIndexList after;
    for (qsizetype i = 0; i < before.size(); ++i) after.append(index(rowOf(sources[i]), before[i].column()));
    changePersistentIndexList(before, after);
    emit layoutChanged({}, VerticalSortHint);
}

int RowOrder::rowOf(int sourceRow) const {
    if (place_.isEmpty() && !rows_.isEmpty()) {
        place_.fill(-1, table_->rowCount());
        for (qsizetype i = 0; i < rows_.size(); ++i)
            if (rows_[i] < place_.size()) place_[rows_[i]] = static_cast<int>(i);
    }
    return place_.value(sourceRow, -1);
}

QModelIndex RowOrder::mapToSource(const QModelIndex& index) const {
    return index.isValid() ? table_->index(sourceRow(index.row()), index.column()) : QModelIndex();
}

QModelIndex RowOrder::mapFromSource(const QModelIndex& index) const {
    const int row = index.isValid() ? rowOf(index.row()) : -1;
    return row < 0 ? QModelIndex() : createIndex(row, index.column());
}

QModelIndex RowOrder::index(int row, int column, const QModelIndex& parent) const {
    return hasIndex(row, column, parent) ? createIndex(row, column) : QModelIndex();
}

int RowOrder::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int RowOrder::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : table_->columnCount();
}

QVariant RowOrder::headerData(int section, Qt::Orientation orientation, int role) const {
    return table_->headerData(section, orientation, role);
}

}  // namespace tessera::ui
