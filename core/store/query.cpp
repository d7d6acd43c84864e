#include "core/store/query.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <cctype>
#include <memory>
#include <unordered_map>
#include <variant>

#include "core/base/text.h"
#include "core/store/implementation.h"
#include "core/store/owner.h"
#include "core/store/rows.h"

/// Filtered, sorted pages of the history. Where few runs meet a condition, those are read and sorted. Otherwise the
/// runs are walked in the order of an index, so that nothing is sorted, and every condition that is not answered by
/// that index is a question about one run: the first are asked run by run, after that the condition's whole set of runs
/// is read from its own index once. So a page comes quickly at a hundred thousand runs, whether few or many of them
/// match.
namespace tessera::store {

namespace {

using Value = std::variant<std::int64_t, double, std::string>;

void bindAll(Query& query, const std::vector<Value>& values) {
    for (const Value& value : values) std::visit([&](const auto& one) { query.add(one); }, value);
}

/// Numbers of runs as bits: they are mostly dense, but a file from elsewhere may hold any.
class RunSet {
public:
    /// False where it was there already.
    bool insert(RunId run) {
        auto bit = chunkOf(run)[static_cast<std::size_t>(run & kMask)];
        if (bit) return false;
        bit = true;
        return true;
    }
    bool contains(RunId run) const {
        const auto found = chunks_.find(run >> kBits);
        return found != chunks_.end() && found->second[static_cast<std::size_t>(run & kMask)];
    }

private:
    static constexpr int kBits = 12;
    static constexpr RunId kMask = (RunId{1} << kBits) - 1;
    using Chunk = std::bitset<std::size_t{1} << kBits>;

    Chunk& chunkOf(RunId run) {
        // Neighbours come together. Elements of an unordered map stay where they are.
        if (last_ == nullptr || lastKey_ != run >> kBits) {
            lastKey_ = run >> kBits;
            last_ = &chunks_[lastKey_];
        }
        return *last_;
    }

    std::unordered_map<RunId, Chunk> chunks_;
    RunId lastKey_ = 0;
    Chunk* last_ = nullptr;
};

constexpr int kProbes = 1000;

/// A condition on runs.
struct Condition {
    std::string one;  ///< SQL that has a row where the run of the first value fits
    std::string all;  ///< SQL of all runs that fit
    std::vector<Value> values;
    std::string bounds = {};  ///< of a range: the end of both statements
    int probes = kProbes;   ///< questions about one run that cost no more than reading all; none for a search of words
    bool excludes = false;  ///< `all` are the runs that do not fit
    std::string metric = {};  ///< of a range
};

/// Answers whether runs fit a condition.
class Filter {
public:
    Filter(const SQLite::Database& database, const Condition& condition)
        : database_(database), condition_(condition), one_(database, condition.one) {}

    bool fits(RunId run) {
        if (probed_ < condition_.probes) {
            ++probed_;
            one_.rebind(run);
            bindAll(one_, condition_.values);
            return one_.next();
        }
        if (!all_) readAll();
        return all_->contains(run) != condition_.excludes;
    }

private:
    void readAll() {
        all_ = std::make_unique<RunSet>();
        Query query(database_, condition_.all);
        bindAll(query, condition_.values);
        while (query.next()) all_->insert(query.whole(0));
    }

    const SQLite::Database& database_;
    const Condition& condition_;
    Query one_;
    int probed_ = 0;
    std::unique_ptr<RunSet> all_;
};

/// Words as a full-text query: each in quotes, so that no character is special, and matched by prefix. Empty = no
/// words.
std::string searchOf(const std::string& text) {
    constexpr std::size_t kMaxWords = 32;
    constexpr std::size_t kLongestText = 1024;
    std::string spaced = text.substr(0, kLongestText);
    // Words end at what the index takes for a separator too; otherwise a word would be a phrase.
    for (char& c : spaced)
        if (static_cast<unsigned char>(c) < 0x80 && std::isalnum(static_cast<unsigned char>(c)) == 0) c = ' ';
    std::string search;
    std::size_t words = 0;
    for (const std::string_view word : split(spaced, ' ')) {
        if (word.empty() || words++ >= kMaxWords) continue;
        search += fmt::format("{}\"{}\"*", search.empty() ? "" : " ", word);
    }
    return search;
}

/// What the index `run_by_since` answers: conditions on the run's own columns.
struct Columns {
    std::string sql;  ///< " AND engine = ?"; to follow "deleted = ?"
    std::vector<Value> values;
    void add(const std::string& condition, Value value) {
        sql += " AND " + condition;
        values.push_back(std::move(value));
    }
};

Columns columnsOf(const HistoryQuery& query) {
    Columns columns;
    columns.values.emplace_back(std::int64_t{query.deleted});
    if (query.from) columns.add("since >= ?", *query.from);
    if (query.to) columns.add("since <= ?", *query.to);
    if (!query.engine.empty()) columns.add("engine = ?", query.engine);
    if (query.status) columns.add("status = ?", std::string(nameOf(*query.status)));
    if (query.starred) columns.add("starred = ?", std::int64_t{*query.starred});
    if (query.imported) columns.add("(imported IS NOT NULL) = ?", std::int64_t{*query.imported});
    return columns;
}

Condition rangeOf(const HistoryQuery::Range& range) {
    Condition condition;
    condition.metric = range.metric;
    condition.values.emplace_back(range.metric);
    if (range.min) {
        condition.bounds += " AND value >= ?";
        condition.values.emplace_back(*range.min);
    }
    if (range.max) {
        condition.bounds += " AND value <= ?";
        condition.values.emplace_back(*range.max);
    }
    condition.one =
        "SELECT 1 FROM metric WHERE run = ? AND kind = (SELECT id FROM metric_kind WHERE name = ?)" + condition.bounds;
    condition.all =
        "SELECT run FROM metric WHERE kind = (SELECT id FROM metric_kind WHERE name = ?)" + condition.bounds;
    return condition;
}

/// Runs that have a name with this part. Runs share names, so that those are few: each is looked at once, from one to
/// the next along the index of names.
Condition partOf(std::string_view table, const std::string& part) {
    return {fmt::format("SELECT 1 FROM {} WHERE run = ? AND instr(lower(name), ?) > 0", table),
            fmt::format("WITH RECURSIVE known(name) AS (SELECT min(name) FROM {0} UNION ALL "
                        "SELECT (SELECT min(name) FROM {0} WHERE name > known.name) FROM known WHERE name IS NOT NULL) "
                        "SELECT run FROM known CROSS JOIN {0} ON {0}.name = known.name "
                        "WHERE instr(lower(known.name), ?) > 0",
                        table),
            {lowered(part)}};
}

/// Conditions that are not about the run's own columns.
std::vector<Condition> conditionsOf(const HistoryQuery& query) {
    std::vector<Condition> conditions;
    if (!query.tag.empty())
        conditions.push_back(
            {"SELECT 1 FROM tag WHERE run = ? AND name = ?", "SELECT run FROM tag WHERE name = ?", {query.tag}});
    if (!query.model.empty()) conditions.push_back(partOf("run_model", query.model));
    if (!query.hardware.empty()) conditions.push_back(partOf("run_hardware", query.hardware));
    for (const HistoryQuery::Range& range : query.ranges) conditions.push_back(rangeOf(range));
    const std::string search = searchOf(query.text);
    if (!search.empty())
        conditions.push_back({"SELECT 1 FROM run_search WHERE rowid = ? AND run_search MATCH ?",
                              "SELECT rowid FROM run_search WHERE run_search MATCH ?",
                              {search},
                              "",
                              0});
    return conditions;
}

/// A condition that so few runs meet is read first, and only those runs are looked at and sorted.
constexpr std::size_t kFew = 4096;

/// A walk over runs in some order, and whether it answers the column conditions.
struct Walk {
    std::string sql;
    std::vector<Value> values;
    bool answersColumns = false;
};

/// The runs that a walk is limited to, as a list in JSON; empty = all.
struct Limit {
    std::string runs;
};

/// The table that is walked along an index; a limited walk starts from its runs instead.
std::string tableOf(const std::string& table, std::string_view index, std::string_view run, const Limit& limit) {
    if (limit.runs.empty()) return fmt::format("{} INDEXED BY {}", table, index);
    return fmt::format("(SELECT value AS few FROM json_each(?)) CROSS JOIN {0} ON {0}.{1} = few", table, run);
}

std::vector<Value> with(const Limit& limit, const std::vector<Value>& values) {
    std::vector<Value> all;
    if (!limit.runs.empty()) all.emplace_back(limit.runs);
    all.insert(all.end(), values.begin(), values.end());
    return all;
}

std::string orderedBy(std::string_view column, bool descending) {
    return fmt::format(" ORDER BY {0} {1}, id {1}", column, descending ? "DESC" : "ASC");
}

Walk walkBySince(const Columns& columns, bool descending, const Limit& limit) {
    return {fmt::format("SELECT id FROM {} WHERE deleted = ?{}{}", tableOf("run", "run_by_since", "id", limit),
                        columns.sql, orderedBy("since", descending)),
            with(limit, columns.values), true};
}

constexpr std::array<std::string_view, 5> kTextColumns{"name", "status", "engine", "models", "hardware"};

Walk walkByText(std::string_view column, const HistoryQuery& query, const Limit& limit) {
    return {
        fmt::format("SELECT id FROM {} WHERE deleted = ?{}",
                    tableOf("run", fmt::format("run_by_{}", column), "id", limit), orderedBy(column, query.descending)),
        with(limit, {std::int64_t{query.deleted}}), false};
}

/// In the order of a metric, within the ranges of that metric.
Walk walkByMetric(const HistoryQuery& query, const Limit& limit) {
    std::string bounds;
    std::vector<Value> values{query.orderBy};
    for (const HistoryQuery::Range& range : query.ranges) {
        if (range.metric != query.orderBy) continue;
        const Condition condition = rangeOf(range);
        bounds += condition.bounds;
        values.insert(values.end(), condition.values.begin() + 1, condition.values.end());
    }
    return {fmt::format("SELECT run FROM {0} WHERE kind = (SELECT id FROM metric_kind WHERE name = ?){1} "
                        "ORDER BY value {2}, run {2}",
                        tableOf("metric", "metric_value", "run", limit), bounds, query.descending ? "DESC" : "ASC"),
            with(limit, values), false};
}

/// The column that a query orders by, where it is no metric.
std::string columnOf(const HistoryQuery& query) {
    return query.orderBy == "model" ? "models" : query.orderBy;
}

bool ordersByMetric(const HistoryQuery& query) {
    return !query.orderBy.empty() && query.orderBy != "started" &&
           std::find(kTextColumns.begin(), kTextColumns.end(), columnOf(query)) == kTextColumns.end();
}

/// The walks whose runs, one walk after the other, are in the order. Runs without the metric that orders come last.
std::vector<Walk> walksOf(const HistoryQuery& query, const Columns& columns, const Limit& limit) {
    if (query.orderBy.empty() || query.orderBy == "started") return {walkBySince(columns, query.descending, limit)};
    if (!ordersByMetric(query)) return {walkByText(columnOf(query), query, limit)};
    std::vector<Walk> walks{walkByMetric(query, limit)};
    const bool isBounded = std::any_of(query.ranges.begin(), query.ranges.end(),
                                       [&](const auto& range) { return range.metric == query.orderBy; });
    if (!isBounded) walks.push_back(walkBySince(columns, true, limit));
    return walks;
}

/// The condition on a run's own columns, for walks that do not answer it.
Condition columnCondition(const Columns& columns) {
    const std::string one = "SELECT 1 FROM run WHERE id = ? AND deleted = ?" + columns.sql;
    if (!columns.sql.empty())
        return {one, "SELECT id FROM run INDEXED BY run_by_since WHERE deleted = ?" + columns.sql, columns.values};
    // Deleted runs are few.
    return {one, "SELECT id FROM run INDEXED BY run_by_since WHERE deleted = NOT ?", columns.values, "", kProbes, true};
}

/// The runs that meet a condition, where they are few.
std::optional<Limit> fewOf(const SQLite::Database& database, const std::string& all, const std::vector<Value>& values) {
    Query query(database, fmt::format("{} LIMIT {}", all, kFew + 1));
    bindAll(query, values);
    std::vector<RunId> runs;
    while (query.next()) {
        if (runs.size() == kFew) return std::nullopt;
        runs.push_back(query.whole(0));
    }
    // A run may meet a condition by several of its names.
    std::sort(runs.begin(), runs.end());
    runs.erase(std::unique(runs.begin(), runs.end()), runs.end());
    return Limit{fmt::format("[{}]", fmt::join(runs, ","))};
}

/// The first condition that few runs meet; an empty limit where there is none. A condition that the limit answers is
/// taken off the list.
Limit limitOf(const SQLite::Database& database, std::vector<Condition>& conditions, const Columns& columns) {
    for (auto condition = conditions.begin(); condition != conditions.end(); ++condition)
        if (std::optional<Limit> few = fewOf(database, condition->all, condition->values)) {
            conditions.erase(condition);
            return *few;
        }
    // Left to SQLite which index serves these best.
    if (!columns.sql.empty())
        if (std::optional<Limit> few =
                fewOf(database, "SELECT id FROM run WHERE deleted = ?" + columns.sql, columns.values))
            return *few;
    return {};
}

/// Calls `found` with each run that fits, in order, until it says no.
template <typename Found>
void visit(const SQLite::Database& database, const HistoryQuery& query, const Found& found) {
    const Columns columns = columnsOf(query);
    std::vector<Condition> conditions = conditionsOf(query);
    const Limit limit = limitOf(database, conditions, columns);
    // A walk in the order of a metric keeps within its ranges.
    if (ordersByMetric(query))
        std::erase_if(conditions, [&](const Condition& condition) { return condition.metric == query.orderBy; });
    const Condition own = columnCondition(columns);
    // Filters keep what they have learned from one walk to the next.
    std::vector<std::unique_ptr<Filter>> filters;
    for (const Condition& condition : conditions) filters.push_back(std::make_unique<Filter>(database, condition));
    Filter ownFilter(database, own);
    const std::vector<Walk> walks = walksOf(query, columns, limit);
    RunSet seen;
    for (const Walk& walk : walks) {
        const bool isLast = &walk == &walks.back();
        Query runs(database, walk.sql);
        bindAll(runs, walk.values);
        while (runs.next()) {
            const RunId run = runs.whole(0);
            if (walks.size() > 1 && (isLast ? seen.contains(run) : !seen.insert(run))) continue;
            if (!walk.answersColumns && !ownFilter.fits(run)) continue;
            const bool fits =
                std::all_of(filters.begin(), filters.end(), [&](const auto& filter) { return filter->fits(run); });
            if (fits && !found(run)) return;
        }
    }
}

/// Columns of the statement of `rowsOf` that are looked at apart.
constexpr int kNote = 15;
constexpr int kPid = 19;
constexpr int kProcess = 20;

RunRow rowOf(Query& query) {
    RunRow row;
    row.id = query.whole(0);
    row.uid = query.text(1);
    row.name = query.text(2);
    row.engine = query.text(3);
    row.models = query.text(4);
    row.hardware = query.text(5);
    row.studyHash = query.text(6);
    if (const auto seed = query.wholeOrNull(7)) row.seed = static_cast<std::uint64_t>(*seed);
    row.status = statusNamed(query.text(8)).value_or(RunStatus::failed);
    row.started = query.wholeOrNull(9);
    row.finished = query.wholeOrNull(10);
    row.headline = query.text(11);
    row.version = query.text(12);
    row.host = query.text(13);
    row.starred = query.whole(14) != 0;
    row.worked = query.whole(16);
    row.importedFrom = query.text(17);
    row.imported = query.wholeOrNull(18);
    return row;
}

}  // namespace

namespace {

/// Whether a process that is gone left the run as one at work, which a history that is only read keeps saying.
bool isAbandoned(const Query& query, const RunRow& row) {
    const bool isOwned =
        row.status == RunStatus::queued || row.status == RunStatus::running || row.status == RunStatus::paused;
    return isOwned && !mayLive({.host = row.host, .pid = query.whole(kPid), .process = query.text(kProcess)});
}

}  // namespace

std::vector<RunRow> rowsOf(const SQLite::Database& database, const std::filesystem::path& path,
                           const std::vector<RunId>& runs, const std::vector<std::string>& metrics) {
    std::vector<RunRow> rows;
    Query query(database,
                "SELECT run.id, uid, run.name, run.engine, models, hardware, hash, seed, status, started, finished, "
                "headline, version, host, starred, coalesce(note.text, ''), worked + coalesce(max(seen - resumed, 0), "
                "0), coalesce(imported, ''), imported_at, coalesce(pid, 0), coalesce(process, '') "
                "FROM run JOIN study ON study.id = run.study LEFT JOIN note ON note.run = run.id WHERE run.id = ?");
    Query tags(database, "SELECT name FROM tag WHERE run = ? ORDER BY name");
    Query metric(database,
                 "SELECT value FROM metric WHERE run = ? AND kind = (SELECT id FROM metric_kind WHERE name = ?)");
    Seals seals(database);
    for (const RunId run : runs) {
        if (!query.rebind(run).next()) continue;
        RunRow row;
        row.id = run;
        const auto isSound = [&](Part part) {
            if (!seals.damaged(run, std::array{part})) return true;
            if (row.damage.empty()) row.damage = damageOf(path, run, part).what();
            return false;
        };
        if (isSound(Part::facts)) {
            row = rowOf(query);
            if (isAbandoned(query, row)) row.status = RunStatus::interrupted;
        } else {
            row.status = RunStatus::failed;
        }
        if (isSound(Part::note)) row.note = query.text(kNote);
        if (isSound(Part::tags)) {
            tags.rebind(run);
            while (tags.next()) row.tags.push_back(tags.text(0));
        }
        if (!metrics.empty() && isSound(Part::metrics))
            for (const std::string& name : metrics)
                if (metric.rebind(run, name).next()) row.metrics[name] = metric.number(0);
        rows.push_back(std::move(row));
    }
    return rows;
}

std::vector<std::string> statementsOf(const HistoryQuery& query) {
    const Columns columns = columnsOf(query);
    std::vector<std::string> statements;
    for (const Walk& walk : walksOf(query, columns, {})) statements.push_back(walk.sql);
    std::vector<Condition> conditions = conditionsOf(query);
    conditions.push_back(columnCondition(columns));
    for (const Condition& condition : conditions) {
        statements.push_back(condition.one);
        statements.push_back(condition.all);
    }
    return statements;
}

std::vector<RunRow> Store::query(const HistoryQuery& query, std::int64_t limit, std::int64_t offset) const {
    return implementation_->read([&](const SQLite::Database& database) {
        std::vector<RunId> runs;
        std::int64_t skip = offset;
        if (limit != 0)
            visit(database, query, [&](RunId run) {
                if (skip-- > 0) return true;
                runs.push_back(run);
                return limit < 0 || static_cast<std::int64_t>(runs.size()) < limit;
            });
        return rowsOf(database, path(), runs, query.metrics);
    });
}

std::int64_t Store::count(const HistoryQuery& query) const {
    return implementation_->read([&](const SQLite::Database& database) {
        // Any order counts alike; the oldest index answers most.
        HistoryQuery any = query;
        any.orderBy = "started";
        std::int64_t runs = 0;
        visit(database, any, [&](RunId) {
            ++runs;
            return true;
        });
        return runs;
    });
}

std::vector<RunId> Store::runs(const HistoryQuery& query) const {
    return implementation_->read([&](const SQLite::Database& database) {
        std::vector<RunId> runs;
        visit(database, query, [&](RunId run) {
            runs.push_back(run);
            return true;
        });
        return runs;
    });
}

}  // namespace tessera::store
