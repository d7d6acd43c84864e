#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <unordered_set>
#include <variant>

#include "core/base/text.h"
#include "core/store/implementation.h"
#include "core/store/rows.h"

/// Filtered, sorted pages of the history. The runs are walked in the order of an index, so that nothing is ever sorted,
/// and every condition that is not answered by that index is a question about one run: the first few are asked run by
/// run, after that the condition's whole set of runs is read from its own index once. Both ways stay quick at a hundred
/// thousand runs, whether few or many of them match.
namespace tessera::store {

namespace {

using Value = std::variant<std::int64_t, double, std::string>;

void bindAll(Query& query, const std::vector<Value>& values) {
    for (const Value& value : values) std::visit([&](const auto& one) { query.add(one); }, value);
}

/// A condition on runs.
struct Condition {
    std::string one;  ///< SQL that has a row where the run of the first value fits
    std::string all;  ///< SQL of all runs that fit
    std::vector<Value> values;
    int probes = 1000;  ///< questions about one run that cost no more than reading all
};

/// Answers whether runs fit a condition.
class Filter {
public:
    Filter(const SQLite::Database& database, const Condition& condition)
        : database_(database), condition_(condition), one_(database, condition.one) {}

    bool fits(RunId run) {
        if (asked_ < condition_.probes) {
            ++asked_;
            one_.rebind(run);
            bindAll(one_, condition_.values);
            return one_.next();
        }
        if (!all_) readAll();
        return all_->count(run) != 0;
    }

private:
    void readAll() {
        all_ = std::make_unique<std::unordered_set<RunId>>();
        Query query(database_, condition_.all);
        bindAll(query, condition_.values);
        while (query.next()) all_->insert(query.whole(0));
    }

    const SQLite::Database& database_;
    const Condition& condition_;
    Query one_;
    int asked_ = 0;
    std::unique_ptr<std::unordered_set<RunId>> all_;
};

/// Words as a full-text query: each in quotes, so that no character is special, and matched by prefix. Empty = no
/// words.
std::string searchOf(const std::string& text) {
    constexpr std::size_t kMostWords = 32;
    constexpr std::size_t kLongestText = 1024;
    std::string spaced = text.substr(0, kLongestText);
    // Words end at what the index takes for a separator too; otherwise a word would be a phrase.
    for (char& c : spaced)
        if (static_cast<unsigned char>(c) < 0x80 && std::isalnum(static_cast<unsigned char>(c)) == 0) c = ' ';
    std::string search;
    std::size_t words = 0;
    for (const std::string_view word : split(spaced, ' ')) {
        if (word.empty() || words++ >= kMostWords) continue;
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
    return columns;
}

Condition rangeOf(const HistoryQuery::Range& range) {
    std::string bounds;
    Condition condition;
    condition.values.emplace_back(range.metric);
    if (range.least) {
        bounds += " AND value >= ?";
        condition.values.emplace_back(*range.least);
    }
    if (range.most) {
        bounds += " AND value <= ?";
        condition.values.emplace_back(*range.most);
    }
    condition.one =
        "SELECT 1 FROM metric WHERE run = ? AND kind = (SELECT id FROM metric_kind WHERE name = ?)" + bounds;
    condition.all = "SELECT run FROM metric WHERE kind = (SELECT id FROM metric_kind WHERE name = ?)" + bounds;
    return condition;
}

/// Conditions that are not about the run's own columns.
std::vector<Condition> conditionsOf(const HistoryQuery& query) {
    std::vector<Condition> conditions;
    const auto named = [&](const std::string& table, const std::string& name) {
        if (!name.empty())
            conditions.push_back({fmt::format("SELECT 1 FROM {} WHERE run = ? AND name = ?", table),
                                  fmt::format("SELECT run FROM {} WHERE name = ?", table),
                                  {name}});
    };
    named("tag", query.tag);
    named("run_model", query.model);
    named("run_hardware", query.hardware);
    for (const HistoryQuery::Range& range : query.ranges) conditions.push_back(rangeOf(range));
    const std::string search = searchOf(query.text);
    if (!search.empty())
        conditions.push_back({"SELECT 1 FROM run_search WHERE rowid = ? AND run_search MATCH ?",
                              "SELECT rowid FROM run_search WHERE run_search MATCH ?",
                              {search},
                              50});
    return conditions;
}

/// A walk over runs in some order, and whether the index that it follows answers the column conditions.
struct Walk {
    std::string sql;
    std::vector<Value> values;
    bool answersColumns = false;
};

std::string orderedBy(std::string_view column, bool descending) {
    return fmt::format(" ORDER BY {0} {1}, id {1}", column, descending ? "DESC" : "ASC");
}

Walk walkBySince(const Columns& columns, bool descending) {
    return {
        "SELECT id FROM run INDEXED BY run_by_since WHERE deleted = ?" + columns.sql + orderedBy("since", descending),
        columns.values, true};
}

constexpr std::array<std::string_view, 5> kTextColumns{"name", "status", "engine", "models", "hardware"};

/// The walks whose runs, one walk after the other, are in the order. Runs without the metric that orders come last.
std::vector<Walk> walksOf(const HistoryQuery& query, const Columns& columns) {
    if (query.orderBy.empty() || query.orderBy == "started") return {walkBySince(columns, query.descending)};
    const std::string column = query.orderBy == "model" ? "models" : query.orderBy;
    if (std::find(kTextColumns.begin(), kTextColumns.end(), column) != kTextColumns.end())
        return {{fmt::format("SELECT id FROM run INDEXED BY run_by_{0} WHERE deleted = ?", column) +
                     orderedBy(column, query.descending),
                 {std::int64_t{query.deleted}},
                 false}};
    const std::string direction = query.descending ? "DESC" : "ASC";
    return {{fmt::format("SELECT run FROM metric INDEXED BY metric_value WHERE kind = "
                         "(SELECT id FROM metric_kind WHERE name = ?) ORDER BY value {0}, run {0}",
                         direction),
             {query.orderBy},
             false},
            walkBySince(columns, true)};
}

/// The conditions that a walk leaves open.
std::vector<Condition> openConditions(const std::vector<Condition>& conditions, const Walk& walk,
                                      const Columns& columns) {
    std::vector<Condition> open;
    if (!walk.answersColumns)
        open.push_back({"SELECT 1 FROM run WHERE id = ? AND deleted = ?" + columns.sql,
                        "SELECT id FROM run INDEXED BY run_by_since WHERE deleted = ?" + columns.sql, columns.values});
    open.insert(open.end(), conditions.begin(), conditions.end());
    return open;
}

/// Calls `found` with each run that fits, in order, until it says no.
template <typename Found>
void visit(const SQLite::Database& database, const HistoryQuery& query, const Found& found) {
    const Columns columns = columnsOf(query);
    const std::vector<Condition> conditions = conditionsOf(query);
    const std::vector<Walk> walks = walksOf(query, columns);
    std::unordered_set<RunId> seen;
    for (const Walk& walk : walks) {
        const std::vector<Condition> open = openConditions(conditions, walk, columns);
        std::vector<std::unique_ptr<Filter>> filters;
        for (const Condition& condition : open) filters.push_back(std::make_unique<Filter>(database, condition));
        const bool last = &walk == &walks.back();
        Query runs(database, walk.sql);
        bindAll(runs, walk.values);
        while (runs.next()) {
            const RunId run = runs.whole(0);
            if (last ? seen.count(run) != 0 : !seen.insert(run).second) continue;
            const bool fits =
                std::all_of(filters.begin(), filters.end(), [&](const auto& filter) { return filter->fits(run); });
            if (fits && !found(run)) return;
        }
    }
}

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
    row.note = query.text(15);
    return row;
}

}  // namespace

std::vector<RunRow> rowsOf(const SQLite::Database& database, const std::vector<RunId>& runs,
                           const std::vector<std::string>& metrics) {
    std::vector<RunRow> rows;
    Query query(database,
                "SELECT run.id, uid, run.name, run.engine, models, hardware, hash, seed, status, started, finished, "
                "headline, version, host, starred, coalesce(note.text, '') FROM run JOIN study ON study.id = run.study "
                "LEFT JOIN note ON note.run = run.id WHERE run.id = ?");
    Query tags(database, "SELECT name FROM tag WHERE run = ? ORDER BY name");
    Query metric(database,
                 "SELECT value FROM metric WHERE run = ? AND kind = (SELECT id FROM metric_kind WHERE name = ?)");
    for (const RunId run : runs) {
        if (!query.rebind(run).next()) continue;
        RunRow row = rowOf(query);
        tags.rebind(run);
        while (tags.next()) row.tags.push_back(tags.text(0));
        for (const std::string& name : metrics)
            if (metric.rebind(run, name).next()) row.metrics[name] = metric.number(0);
        rows.push_back(std::move(row));
    }
    return rows;
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
        return rowsOf(database, runs, query.metrics);
    });
}

std::int64_t Store::count(const HistoryQuery& query) const {
    return implementation_->read([&](const SQLite::Database& database) {
        // Any order counts alike; the oldest index answers most.
        HistoryQuery any = query;
        any.orderBy = "started";
        std::int64_t runs = 0;
        visit(database, any, [&](RunId) { return ++runs > 0; });
        return runs;
    });
}

}  // namespace tessera::store
