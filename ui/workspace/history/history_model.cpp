#include "ui/workspace/history/history_model.h"

#include <QDateTime>
#include <QTimer>
#include <algorithm>

#include "core/base/text.h"
#include "core/store/run_list.h"
#include "core/study/key_result.h"
#include "ui/jobs/run_status.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/runs/run_progress.h"
#include "ui/workspace/words.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

/// Of a column between the star and the metrics.
const store::RunColumn& commonColumn(int column) {
    return store::runColumns().at(static_cast<std::size_t>(column - HistoryModel::Name));
}

bool isNumber(int column) {
    return column >= HistoryModel::FirstMetric || (column > HistoryModel::Star && commonColumn(column).isNumber);
}

QString tagsText(const store::RunRow& row) {
    QStringList tags;
    for (const std::string& tag : row.tags) tags.append(shown(tag));
    return tags.join(u", "_s);
}

}  // namespace

QString HistoryModel::idOf(int column) const {
    if (column == Star) return u"star"_s;
    return column < FirstMetric ? toQt(commonColumn(column).id) : metrics_.at(column - FirstMetric);
}

QStringList tagsIn(const QString& text) {
    QStringList tags;
    for (const QString& part : text.split(QLatin1Char(',')))
        if (const QString tag = part.trimmed(); !tag.isEmpty() && !tags.contains(tag)) tags.append(tag);
    return tags;
}

HistoryModel::HistoryModel(History& history, QObject* parent) : QAbstractTableModel(parent), history_(&history) {
    connect(history_, &History::changed, this, &HistoryModel::refresh);
    connect(history_, &History::opened, this, [this] { load(true); });
    connect(&theme(), &Theme::changed, this, [this] {
        if (rows_ > 0) emit dataChanged(index(0, 0), index(rows_ - 1, columnCount() - 1));
    });
}

void HistoryModel::setQuery(const store::HistoryQuery& query) {
    query_ = query;
    query_.metrics = study::keyMetrics();
    for (const QString& name : metrics_) query_.metrics.push_back(name.toStdString());
    load(true);
}

void HistoryModel::setMetrics(const QStringList& names) {
    if (names == metrics_) return;
    beginResetModel();
    metrics_ = names;
    endResetModel();
    setQuery(query_);
}

void HistoryModel::setKinds(const MetricKinds& kinds) {
    if (kinds == kinds_) return;
    kinds_ = kinds;
    if (metrics_.isEmpty()) return;
    emit headerDataChanged(Qt::Horizontal, FirstMetric, columnCount() - 1);
    if (rows_ > 0) emit dataChanged(index(0, FirstMetric), index(rows_ - 1, columnCount() - 1));
}

void HistoryModel::refresh() {
    load(false);
}

/// Reads the count and the pages that were looked at last. `reset` = the query is another one.
void HistoryModel::load(bool reset) {
    const quint64 generation = ++generation_;
    std::vector<int> numbers{0};
    if (!reset)
        for (auto page = pages_.constBegin(); page != pages_.constEnd(); ++page)
            if (page.key() != 0 && page->used + 2 * kPage > clock_ && numbers.size() < 4) numbers.push_back(page.key());
    history_->ask<Answer>(
        this,
        [query = query_, numbers](store::Store& store) {
            Answer answer;
            answer.count = store.count(query);
            for (const int page : numbers)
                answer.pages.emplace_back(page, store.query(query, kPage, static_cast<std::int64_t>(page) * kPage));
            return answer;
        },
        [this, generation, reset](Answer answer) {
            if (generation == generation_) receive(std::move(answer), reset);
        });
}

void HistoryModel::receive(Answer answer, bool reset) {
    const int count = static_cast<int>(std::min<std::int64_t>(answer.count, std::numeric_limits<int>::max() / 2));
    const bool sameRows = !reset && count == rows_;
    if (!sameRows) beginResetModel();
    pages_.clear();
    wanted_.clear();
    rows_ = count;
    for (auto& [page, rows] : answer.pages) keep(page, std::move(rows));
    if (!sameRows) endResetModel();
    if (sameRows && rows_ > 0) emit dataChanged(index(0, 0), index(rows_ - 1, columnCount() - 1));
    emit loaded();
}

void HistoryModel::keep(int page, std::vector<store::RunRow> rows) {
    pages_.insert(page, {std::move(rows), ++clock_});
    while (pages_.size() > kMaxPages) {
        auto oldest = pages_.begin();
        for (auto each = pages_.begin(); each != pages_.end(); ++each)
            if (each->used < oldest->used) oldest = each;
        pages_.erase(oldest);
    }
}

const store::RunRow* HistoryModel::row(int row) const {
    if (row < 0 || row >= rows_) return nullptr;
    const auto page = pages_.find(row / kPage);
    if (page == pages_.end()) {
        want(row / kPage);
        return nullptr;
    }
    page->used = ++clock_;
    const std::size_t at = static_cast<std::size_t>(row % kPage);
    return at < page->rows.size() ? &page->rows[at] : nullptr;
}

/// What was asked for last comes first: a dragged scroll bar passes pages that are no longer needed.
void HistoryModel::want(int page) const {
    constexpr int kMaxWanted = 4;
    wanted_.removeAll(page);
    wanted_.append(page);
    while (wanted_.size() > kMaxWanted) wanted_.removeFirst();
    if (fetchPlanned_ || fetching_) return;
    fetchPlanned_ = true;
    QTimer::singleShot(0, this, [self = const_cast<HistoryModel*>(this)] { self->fetchWanted(); });
}

void HistoryModel::fetchWanted() {
    fetchPlanned_ = false;
    if (fetching_ || wanted_.isEmpty()) return;
    fetching_ = true;
    const int page = wanted_.takeLast();
    history_->ask<std::vector<store::RunRow>>(
        this,
        [query = query_, page](store::Store& store) {
            return store.query(query, kPage, static_cast<std::int64_t>(page) * kPage);
        },
        [this, page, generation = generation_](std::vector<store::RunRow> rows) {
            fetching_ = false;
            if (generation == generation_ && page * kPage < rows_) {
                keep(page, std::move(rows));
                const int last = std::min(rows_, (page + 1) * kPage) - 1;
                emit dataChanged(index(page * kPage, 0), index(last, columnCount() - 1));
            }
            fetchWanted();
        });
}

bool HistoryModel::shows(const std::vector<store::RunId>& runs) const {
    if (runs.size() != static_cast<std::size_t>(rows_)) return false;
    for (auto page = pages_.constBegin(); page != pages_.constEnd(); ++page)
        if (!std::equal(page->rows.begin(), page->rows.end(), runs.begin() + std::ptrdiff_t{page.key()} * kPage,
                        [](const store::RunRow& row, store::RunId run) { return row.id == run; }))
            return false;
    return true;
}

int HistoryModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : rows_;
}

int HistoryModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : FirstMetric + static_cast<int>(metrics_.size());
}

QVariant HistoryModel::text(const store::RunRow& row, int column) const {
    switch (column) {
        case Star:
            return {};
        case Name:
            return row.name.empty() ? u"Run %1"_s.arg(row.id) : shown(row.name);
        case Status:
            return statusText(row.status);
        case Engine:
            return engineText(row.engine);
        case Started:
            return row.started ? momentText(*row.started) : QString();
        case Took:
            return row.started && row.finished ? durationText(static_cast<double>(row.worked) / 1000) : QString();
        case Tags:
            return tagsText(row);
        default:
            break;
    }
    if (column == Result && row.status != store::RunStatus::done) return statusText(row.status);
    if (column < FirstMetric) return shown(commonColumn(column).text(row));
    const QString& name = metrics_.at(column - FirstMetric);
    const auto found = row.metrics.find(name.toStdString());
    return found == row.metrics.end() ? QString() : kinds_.text(name, found->second);
}

QVariant HistoryModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const int column = index.column();
    if (role == Qt::TextAlignmentRole)
        return isNumber(column) ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant();
    if (role == Qt::FontRole && (isNumber(column) || column == Started))
        return theme().font(Theme::Text::base, false, true);
    const store::RunRow* run = row(index.row());
    if (run == nullptr) return role == Qt::DisplayRole && column == Name ? QVariant(u"…"_s) : QVariant();
    switch (role) {
        case Qt::DisplayRole:
            return text(*run, column);
        case Qt::EditRole:
            return column == Note ? QString::fromStdString(run->note) : text(*run, column);
        case runRole:
            return QVariant::fromValue<qint64>(run->id);
        case Qt::ToolTipRole:
            if (column == Started && run->started)
                return QDateTime::fromMSecsSinceEpoch(*run->started).toString(u"yyyy-MM-dd HH:mm:ss"_s);
            if (column == Star) return run->starred ? u"Starred"_s : u"Star this run"_s;
            if (column == Name && run->imported)
                return u"%1\nImported from %2, %3"_s
                    .arg(text(*run, Name).toString(), shown(run->importedFrom), momentText(*run->imported))
                    .toHtmlEscaped();
            return text(*run, column).toString().toHtmlEscaped();
        case Qt::AccessibleTextRole:
            if (column == Name && run->imported) return u"%1, imported"_s.arg(text(*run, Name).toString());
            return column == Star ? QVariant(run->starred ? u"Starred"_s : u"Not starred"_s) : QVariant();
        case Qt::DecorationRole:
            if (column == Status || (column == Result && run->status != store::RunStatus::done))
                return theme().icon(statusIcon(run->status), statusToken(run->status));
            if (column == Name && run->imported) return theme().icon(u"import"_s, "secondary");
            if (column == Star)
                return theme().icon(run->starred ? u"star-filled"_s : u"star"_s, run->starred ? "warning" : "disabled");
            return {};
        case Qt::ForegroundRole:
            return column == Engine || column == Headline || column == Started || column == Took || column == Origin
                       ? QVariant(theme().colour("secondary"))
                       : QVariant();
        default:
            return {};
    }
}

bool HistoryModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    const store::RunRow* run = index.isValid() ? row(index.row()) : nullptr;
    if (run == nullptr || role != Qt::EditRole) return false;
    const QString given = value.toString().trimmed();
    switch (index.column()) {
        case Star:
            emit starEdited(*run, value.toBool());
            return true;
        case Name:
            if (given == text(*run, Name).toString()) return false;
            emit nameEdited(*run, given);
            return true;
        case Note:
            if (given.toStdString() == run->note) return false;
            emit noteEdited(*run, given);
            return true;
        case Tags:
            if (given == tagsText(*run)) return false;
            emit tagsEdited(*run, tagsIn(given));
            return true;
        default:
            return false;
    }
}

QVariant HistoryModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    if (section >= FirstMetric) {
        const QString& name = metrics_.at(section - FirstMetric);
        if (role == Qt::DisplayRole) return kinds_.title(name);
        if (role == Qt::ToolTipRole) return name.toHtmlEscaped();
        if (role == Qt::TextAlignmentRole) return QVariant(Qt::AlignRight | Qt::AlignVCenter);
        return {};
    }
    if (section == Star) return role == Qt::ToolTipRole ? QVariant(u"Starred"_s) : QVariant();
    const store::RunColumn& column = commonColumn(section);
    if (role == Qt::DisplayRole) return toQt(column.title);
    if (role == Qt::ToolTipRole && !column.help.empty()) return toQt(column.help);
    if (role == Qt::TextAlignmentRole && isNumber(section)) return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    return role == Qt::TextAlignmentRole ? QVariant(Qt::AlignLeft | Qt::AlignVCenter) : QVariant();
}

Qt::ItemFlags HistoryModel::flags(const QModelIndex& index) const {
    Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    if (!index.isValid() || history_->isReadOnly()) return flags;
    const int column = index.column();
    if (column == Name || column == Tags || column == Note) flags |= Qt::ItemIsEditable;
    return flags;
}

void HistoryModel::sort(int column, Qt::SortOrder order) {
    std::string by;
    if (column >= FirstMetric && column < columnCount()) by = metrics_.at(column - FirstMetric).toStdString();
    if (column > Star && column < FirstMetric) by = commonColumn(column).orderBy;
    if (by.empty()) return;
    store::HistoryQuery query = query_;
    query.orderBy = by;
    query.descending = order == Qt::DescendingOrder;
    setQuery(query);
}

}  // namespace tessera::ui
