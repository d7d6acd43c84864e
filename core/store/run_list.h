#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/store/store.h"

/// What lists of runs show, and conditions on runs as people write them: the same for the window and the command line.
namespace tessera::store {

/// A column of a list of runs.
struct RunColumn {
    std::string_view id;  ///< "hardware": in options and settings
    std::string_view title;
    std::string_view orderBy;  ///< of HistoryQuery; empty = runs cannot be sorted by it
    std::string_view help;
    bool isNumber;
    std::string (*text)(const RunRow& row);
};

/// The columns that runs of every engine have, in the order of lists.
const std::vector<RunColumn>& runColumns();
/// Null where there is no such column.
const RunColumn* findRunColumn(std::string_view id);

/// The metrics, at most `max`, that a list of runs of one engine shows beside those columns: the ones of the run
/// itself, as the newest finished run of the engine has them, without what "Result" and "Gap" say already.
std::vector<std::string> engineMetrics(const Store& history, const std::string& engine, std::size_t max = 8);

/// "2026-03-01 14:05" in the reader's time zone, from milliseconds since 1970; "–" where there is none.
std::string dateText(const std::optional<std::int64_t>& milliseconds);
/// Milliseconds since 1970 at which a local day begins, or, `later` days on, another: of "2026-03-01", "today", and
/// "7 days", which are the last seven with today. Empty where the text is no such day.
std::optional<std::int64_t> dayNamed(std::string_view text, int later = 0);

/// A condition on runs as it is shown, and what it is about: a query has one of a kind.
struct RunCondition {
    std::string kind;  ///< "engine", "since", "gap <"
    std::string text;  ///< "engine: partition", "since: 7 days", "gap < 5 %", "starred"
};

/// Adds to a query what a text says: "engine: plan", "model: resnet", "hardware: h100", "tag: night", "status: done",
/// "since: 7 days", "until: 2026-03-01", "starred", "imported", "deleted", or a metric, by name or title, with a bound:
/// "gap < 5 %", "step time <= 40 ms", "devices = 8". `kinds` are the metrics of the history. Throws UsageError with a
/// sentence where the text says nothing of this.
RunCondition addCondition(HistoryQuery& query, std::string_view text, const std::vector<study::Metric>& kinds);
/// True where a text begins as a condition does, so that it is not looked for as words.
bool looksLikeCondition(std::string_view text);
/// Words with which a condition may begin, with the sign behind them: "engine: ", "starred".
std::vector<std::string> conditionWords();

}  // namespace tessera::store
