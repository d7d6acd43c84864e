#include "core/store/run_list.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ctime>
#include <limits>
#include <utility>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/study/engine.h"
#include "core/study/key_result.h"

namespace tessera::store {

namespace {

constexpr double kMillisecondsInSecond = 1000;

std::string tookText(const RunRow& row) {
    if (!row.started || !row.finished) return "";
    return formatSeconds(static_cast<double>(row.worked) / kMillisecondsInSecond);
}

std::string resultText(const RunRow& row) {
    if (row.status != RunStatus::done) return std::string(nameOf(row.status));
    return study::keyResult(row.engine, row.metrics, row.headline);
}

}  // namespace

const std::vector<RunColumn>& runColumns() {
    static const std::vector<RunColumn> kColumns{
        {"name", "Name", "name", "", false, [](const RunRow& row) { return row.name; }},
        {"engine", "Engine", "engine", "", false, [](const RunRow& row) { return row.engine; }},
        {"model", "Model", "model", "", false, [](const RunRow& row) { return row.models; }},
        {"hardware", "Hardware", "hardware", "", false, [](const RunRow& row) { return row.hardware; }},
        {"result", "Result", "", "The number that counts for the run's engine; the status of a run without one", true,
         resultText},
        {"gap", "Gap", "gap", "Optimality gap: the result is at most this far from the best possible", true,
         [](const RunRow& row) { return study::gapText(row.engine, row.metrics); }},
        {"tags", "Tags", "", "Words of yours, with commas between them", false,
         [](const RunRow& row) { return joined(row.tags, ", "); }},
        {"started", "Started", "started", "", false, [](const RunRow& row) { return dateText(row.started); }},
        {"status", "Status", "status", "", false, [](const RunRow& row) { return std::string(nameOf(row.status)); }},
        {"took", "Took", "", "Time worked, without pauses", true, tookText},
        {"outcome", "Outcome", "", "What came out, in one line", false,
         [](const RunRow& row) { return row.damage.empty() ? row.headline : row.damage; }},
        {"note", "Note", "", "A sentence of yours", false, [](const RunRow& row) { return row.note; }},
        {"origin", "Origin", "", "The file that the run was imported from; empty where it was run here", false,
         [](const RunRow& row) { return row.importedFrom.substr(row.importedFrom.rfind('/') + 1); }},
    };
    return kColumns;
}

const RunColumn* findRunColumn(std::string_view id) {
    const auto found = std::find_if(runColumns().begin(), runColumns().end(),
                                    [&](const RunColumn& column) { return column.id == id; });
    return found == runColumns().end() ? nullptr : &*found;
}

std::vector<std::string> engineMetrics(const Store& history, const std::string& engine, std::size_t max) {
    std::vector<std::string> names;
    HistoryQuery query;
    query.engine = engine;
    query.status = RunStatus::done;
    const std::vector<RunRow> newest = history.query(query, 1);
    if (newest.empty()) return names;
    const study::Engine* row = study::findEngine(engine);
    const std::vector<study::Metric> metrics = history.metrics(newest.front().id);
    const auto has = [&](std::string_view name) {
        return std::any_of(metrics.begin(), metrics.end(),
                           [&](const study::Metric& metric) { return metric.name == name; });
    };
    // What a list says in columns of its own.
    std::vector<std::string_view> said{"gap"};
    if (row != nullptr) {
        said.push_back(row->boundMetric);
        for (const study::KeyMetric& key : row->keyMetrics)
            if (has(key.name)) {
                said.push_back(key.name);
                break;
            }
    }
    for (const study::Metric& metric : metrics) {
        if (names.size() == max) break;
        const bool own = metric.owner.empty() && std::find(said.begin(), said.end(), metric.name) == said.end();
        if (own && std::find(names.begin(), names.end(), metric.name) == names.end()) names.push_back(metric.name);
    }
    return names;
}

// Days ----------------------------------------------------------------------------------------------------------------

namespace {

std::int64_t startOfDay(std::tm day, int later) {
    // Days are not all of 24 hours.
    day.tm_mday += later;
    day.tm_hour = day.tm_min = day.tm_sec = 0;
    day.tm_isdst = -1;
    return static_cast<std::int64_t>(std::mktime(&day)) * 1000;
}

std::tm today() {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    localtime_r(&now, &local);
    return local;
}

/// 7 of "7 days"; empty where the text is no number of days.
std::optional<int> daysIn(std::string_view text) {
    int days = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), days);
    const std::string_view unit = trimmed(text.substr(static_cast<std::size_t>(end - text.data())));
    constexpr int kMaxDays = 36'500;
    if (error != std::errc() || days < 1 || days > kMaxDays || (unit != "days" && unit != "day")) return std::nullopt;
    return days;
}

}  // namespace

std::string dateText(const std::optional<std::int64_t>& milliseconds) {
    if (!milliseconds) return "–";
    const std::time_t seconds = *milliseconds / 1000;
    std::tm local{};
    localtime_r(&seconds, &local);
    return fmt::format("{:%Y-%m-%d %H:%M}", local);
}

std::optional<std::int64_t> dayNamed(std::string_view text, int later) {
    if (text == "today") return startOfDay(today(), later);
    if (const std::optional<int> days = daysIn(text)) return startOfDay(today(), later + 1 - *days);
    std::tm day{};
    const std::string date(text);
    const char* end = strptime(date.c_str(), "%Y-%m-%d", &day);
    std::tm normal = day;
    normal.tm_isdst = -1;
    // The 30th of February would be taken for a day of March.
    const bool isDay = end != nullptr && *end == '\0' && std::mktime(&normal) != -1 && normal.tm_mday == day.tm_mday;
    if (!isDay) return std::nullopt;
    return startOfDay(day, later);
}

// Conditions ----------------------------------------------------------------------------------------------------------

namespace {

/// A condition of the form "word: text".
struct WordCondition {
    std::string_view word;
    void (*add)(HistoryQuery& query, std::string& text);  ///< may write the text as it is shown
};

[[noreturn]] void refuse(std::string_view word, const std::string& text, const std::string& expected) {
    throw UsageError(fmt::format("the condition '{}' is {}; {}", word, inQuotes(text), expected));
}

void addEngineCondition(HistoryQuery& query, std::string& text) {
    std::vector<std::string> ids;
    for (const study::Engine& engine : study::engines()) {
        ids.emplace_back(engine.id);
        if (lowered(text) == lowered(engine.id) || lowered(text) == lowered(engine.title)) {
            text = query.engine = engine.id;
            return;
        }
    }
    refuse("engine", text, withClosest("did you mean {}?", text, ids, "expected one of " + joined(ids, ", ")));
}

void addStatusCondition(HistoryQuery& query, std::string& text) {
    text = lowered(text);
    query.status = statusNamed(text);
    if (!query.status)
        refuse("status", text, "expected queued, running, paused, interrupted, done, failed or cancelled");
}

constexpr const char* kDays = "expected a day such as 2026-03-01, 'today' or '7 days'";

constexpr std::array kWordConditions{
    WordCondition{"engine", addEngineCondition},
    WordCondition{"model", [](HistoryQuery& query, std::string& text) { query.model = text; }},
    WordCondition{"hardware", [](HistoryQuery& query, std::string& text) { query.hardware = text; }},
    WordCondition{"tag", [](HistoryQuery& query, std::string& text) { query.tag = text; }},
    WordCondition{"status", addStatusCondition},
    WordCondition{"since",
                  [](HistoryQuery& query, std::string& text) {
                      query.from = dayNamed(text);
                      if (!query.from) refuse("since", text, kDays);
                  }},
    WordCondition{"until",
                  [](HistoryQuery& query, std::string& text) {
                      const std::optional<std::int64_t> next = dayNamed(text, 1);
                      if (!next) refuse("until", text, kDays);
                      query.to = *next - 1;
                  }},
};

/// A condition that is a word.
struct PlainCondition {
    std::string_view word;
    void (*add)(HistoryQuery& query);
};
constexpr std::array kPlainConditions{
    PlainCondition{"starred", [](HistoryQuery& query) { query.starred = true; }},
    PlainCondition{"imported", [](HistoryQuery& query) { query.imported = true; }},
    PlainCondition{"deleted", [](HistoryQuery& query) { query.deleted = true; }},
};

/// Signs between a metric and its bound; the longer ones first.
struct Sign {
    std::string_view text, shown;
    bool isMin, isMax, isStrict;
};
constexpr std::array kSigns{Sign{"<=", "≤", false, true, false}, Sign{">=", "≥", true, false, false},
                            Sign{"≤", "≤", false, true, false},  Sign{"≥", "≥", true, false, false},
                            Sign{"<", "<", false, true, true},   Sign{">", ">", true, false, true},
                            Sign{"=", "=", true, true, false}};

struct Comparison {
    std::string_view left, right;
    const Sign* sign;
};
std::optional<Comparison> comparisonIn(std::string_view text) {
    std::size_t first = std::string_view::npos;
    const Sign* sign = nullptr;
    for (const Sign& each : kSigns)
        if (const std::size_t at = text.find(each.text); at < first) {
            first = at;
            sign = &each;
        }
    if (sign == nullptr) return std::nullopt;
    return Comparison{trimmed(text.substr(0, first)), trimmed(text.substr(first + sign->text.size())), sign};
}

std::string titleWithOwner(const study::Metric& kind) {
    return kind.owner.empty() ? kind.title : fmt::format("{} ({})", kind.title, kind.owner);
}

/// By its name, else by its title in any case. Throws UsageError.
const study::Metric& metricNamed(std::string_view name, const std::vector<study::Metric>& kinds) {
    std::vector<std::string> known;
    for (const study::Metric& kind : kinds) {
        if (kind.name == name) return kind;
        known.push_back(kind.name);
    }
    for (const study::Metric& kind : kinds)
        if (lowered(titleWithOwner(kind)) == lowered(name)) return kind;
    throw UsageError(
        fmt::format("no run has a metric {}{}", inQuotes(name), withClosest("; did you mean {}?", name, known, "")));
}

/// "5 %" of a metric that is shown in per cent, "40 ms", "8".
std::optional<double> boundIn(std::string_view text, study::Metric kind) {
    kind.value = 1;
    if (text.ends_with('%') && study::textOf(kind).ends_with('%')) {
        const std::optional<double> percent = parseQuantity(trimmed(text.substr(0, text.size() - 1)), Measure::count);
        return percent ? std::optional(*percent / 100) : std::nullopt;
    }
    return parseQuantity(text, kind.measure);
}

RunCondition addComparison(HistoryQuery& query, const Comparison& said, const std::vector<study::Metric>& kinds) {
    const study::Metric& kind = metricNamed(said.left, kinds);
    const std::optional<double> bound = boundIn(said.right, kind);
    if (!bound) {
        study::Metric example = kind;
        example.value = 0.05;
        throw UsageError(fmt::format("the bound of {} is {}; expected a value such as {}", inQuotes(kind.name),
                                     inQuotes(said.right), study::textOf(example)));
    }
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const Sign& sign = *said.sign;
    HistoryQuery::Range range{.metric = kind.name};
    if (sign.isMin) range.min = sign.isStrict ? std::nextafter(*bound, kInfinity) : *bound;
    if (sign.isMax) range.max = sign.isStrict ? std::nextafter(*bound, -kInfinity) : *bound;
    query.ranges.push_back(range);
    return {fmt::format("{} {}", kind.name, sign.isMin ? ">" : "<"),
            fmt::format("{} {} {}", titleWithOwner(kind), sign.shown, said.right)};
}

}  // namespace

RunCondition addCondition(HistoryQuery& query, std::string_view text, const std::vector<study::Metric>& kinds) {
    const std::string_view said = trimmed(text);
    for (const PlainCondition& each : kPlainConditions)
        if (lowered(said) == each.word) {
            each.add(query);
            return {std::string(each.word), std::string(each.word)};
        }
    // A tag may hold a sign.
    if (const std::size_t colon = said.find(':'); colon != std::string_view::npos)
        for (const WordCondition& each : kWordConditions) {
            if (lowered(trimmed(said.substr(0, colon))) != each.word) continue;
            std::string value(trimmed(said.substr(colon + 1)));
            if (value.empty()) refuse(each.word, value, "expected a text behind the colon");
            each.add(query, value);
            return {std::string(each.word), fmt::format("{}: {}", each.word, value)};
        }
    if (const std::optional<Comparison> comparison = comparisonIn(said))
        return addComparison(query, *comparison, kinds);
    throw UsageError(
        fmt::format("the condition is {}; expected one such as 'engine: partition', 'tag: night', 'since: "
                    "7 days', 'starred' or 'gap < 5 %'",
                    inQuotes(text)));
}

bool looksLikeCondition(std::string_view text) {
    const std::string_view said = trimmed(text);
    const std::size_t colon = said.find(':');
    const std::string word = lowered(trimmed(said.substr(0, std::min(colon, said.size()))));
    if (colon != std::string_view::npos && std::any_of(kWordConditions.begin(), kWordConditions.end(),
                                                       [&](const WordCondition& each) { return each.word == word; }))
        return true;
    const std::optional<Comparison> comparison = comparisonIn(said);
    return comparison && !comparison->left.empty();
}

std::vector<std::string> conditionWords() {
    std::vector<std::string> words;
    for (const WordCondition& each : kWordConditions) words.push_back(std::string(each.word) + ": ");
    for (const PlainCondition& each : kPlainConditions) words.emplace_back(each.word);
    return words;
}

}  // namespace tessera::store
