#include "core/report/points.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/escape.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/explore/front.h"
#include "core/study/metric.h"

namespace tessera::report {

using explore::PointColumn;
using explore::PointMark;
using explore::PointTable;
using Better = explore::PointColumn::Better;
using Role = explore::PointColumn::Role;

namespace {

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

/// Negative where `one` is better than `other`.
double compared(const PointColumn& column, double one, double other) {
    return column.better == Better::higher ? other - one : one - other;
}

bool takesPart(const PointTable& points, std::size_t point, const PointStates& states) {
    return stateOf(states, point) != PointState::excluded && points.isFeasible(point) && !isBeside(points, point);
}

/// "12 % more", "0.8 % less": of values above 0; as a difference otherwise.
std::string differenceText(const PointColumn& column, double from, double to) {
    if (from > 0 && to > 0) {
        const double more = to / from - 1;
        if (more >= 1) return fmt::format("{} as much", study::timesText(to / from));
        return fmt::format("{} {}", study::percentText(std::fabs(more)), more > 0 ? "more" : "less");
    }
    return fmt::format("{} {}", textOf(column, std::fabs(to - from)), to > from ? "more" : "less");
}

std::string inSentence(const PointColumn& column) {
    // "MFU" and "HBM" keep their letters.
    const bool word = column.title.size() < 2 || !(column.title[1] >= 'A' && column.title[1] <= 'Z');
    return word ? lowered(column.title.substr(0, 1)) + column.title.substr(1) : column.title;
}

}  // namespace

std::vector<std::uint8_t> shownRows(const PointStates& states) {
    std::vector<std::uint8_t> shown;
    shown.reserve(states.size());
    for (const PointState state : states) shown.push_back(state == PointState::shown ? 1 : 0);
    return shown;
}

std::string textOf(const PointColumn& column, double value) {
    if (!std::isfinite(value)) return "–";
    if (!column.words.empty()) {
        const double index = std::round(value);
        if (!(index >= 0) || index >= static_cast<double>(column.words.size())) return "–";
        return escaped(column.words[static_cast<std::size_t>(index)]);
    }
    if (column.measure != Measure::count) return formatQuantity(value, column.measure);
    if (column.unit == "$") {
        constexpr double kThreeDigits = 2;
        const double decimals = value > 0 ? kThreeDigits - std::floor(std::log10(value)) : 0;
        return fmt::format("${:.{}f}", value, static_cast<int>(std::clamp(decimals, 0.0, 9.0)));
    }
    // A metric of a result is said as the result says it.
    if (column.unit.empty() && column.role != Role::variable)
        return study::textOf(study::Metric{.name = column.id, .title = column.title, .owner = {}, .value = value});
    const std::string text = formatCount(value);
    if (column.unit.empty()) return text;
    return column.unit.starts_with("×") ? text + column.unit : text + " " + column.unit;
}

double valueOf(const PointColumn& column, std::size_t point) {
    return point < column.values.size() ? column.values[point] : kNoValue;
}

std::string titleOf(const PointColumn& column) {
    constexpr double kSome = 12;
    const bool dollars = column.unit.empty() && column.words.empty() && textOf(column, kSome).starts_with("$");
    const std::string_view unit = dollars ? "$" : std::string_view(column.unit);
    return unit.empty() || unit == "×" ? column.title : fmt::format("{} ({})", column.title, unit);
}

std::string nameOf(const PointTable& points, std::size_t point) {
    if (point < points.names.size() && !points.names[point].empty()) return escaped(points.names[point]);
    return fmt::format("point {}", formatCount(point + 1));
}

std::string labelOf(const PointTable& points, std::size_t point) {
    const bool has = point < points.labels.size() && !points.labels[point].empty();
    return has ? escaped(points.labels[point]) : nameOf(points, point);
}

bool hasMark(const PointTable& points, std::size_t point, PointMark mark) {
    return point < points.marks.size() && (points.marks[point] & mark) != 0;
}

bool isReference(const PointTable& points, std::size_t point) {
    return hasMark(points, point, explore::kBaseline) || hasMark(points, point, explore::kMeasured);
}

bool isBeside(const PointTable& points, std::size_t point) {
    const bool found = hasMark(points, point, explore::kFront) || hasMark(points, point, explore::kChosen);
    return isReference(points, point) && !found;
}

std::optional<std::size_t> columnNamed(const PointTable& points, std::string_view id) {
    for (std::size_t i = 0; i < points.columns.size(); ++i)
        if (points.columns[i].id == id) return i;
    return std::nullopt;
}

std::pair<std::size_t, std::size_t> firstValues(const PointTable& points) {
    std::vector<std::size_t> wanted;
    for (const Role role : {Role::objective, Role::metric, Role::constraint, Role::variable})
        for (std::size_t i = 0; i < points.columns.size(); ++i)
            if (points.columns[i].role == role) wanted.push_back(i);
    if (wanted.size() < 2) return {0, 0};
    const bool alone = points.columns[wanted[1]].role != Role::objective;
    // A single objective is seen against what it depends on.
    if (alone)
        for (std::size_t i = 0; i < points.columns.size(); ++i)
            if (points.columns[i].isVariable() && i != wanted[0]) return {i, wanted[0]};
    return {wanted[1], wanted[0]};
}

std::vector<std::size_t> frontOf(const PointTable& points, std::size_t x, std::size_t y, const PointStates& states) {
    std::vector<std::size_t> front;
    if (x >= points.columns.size() || y >= points.columns.size()) return front;
    const PointColumn &across = points.columns[x], &up = points.columns[y];
    if (across.better == Better::neither || up.better == Better::neither) return front;
    const double signX = across.better == Better::higher ? -1 : 1, signY = up.better == Better::higher ? -1 : 1;
    std::vector<double> values;
    values.reserve(2 * points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        const bool counts = takesPart(points, i, states);
        values.push_back(counts ? signX * valueOf(across, i) : kNoValue);
        values.push_back(counts ? signY * valueOf(up, i) : kNoValue);
    }
    front = explore::frontLineOf(values);
    if (signX < 0) std::reverse(front.begin(), front.end());
    return front;
}

std::optional<std::size_t> kneeOf(const PointTable& points, const std::vector<std::size_t>& front, std::size_t x,
                                  std::size_t y) {
    std::vector<double> values;
    std::vector<std::size_t> places;
    for (const std::size_t point : front) {
        places.push_back(places.size());
        for (const std::size_t column : {x, y}) {
            const PointColumn& its = points.columns[column];
            values.push_back((its.better == Better::higher ? -1 : 1) * valueOf(its, point));
        }
    }
    const std::optional<std::size_t> knee = explore::kneeOf(values, 2, places);
    return knee ? std::optional(front[*knee]) : std::nullopt;
}

namespace {

/// The place of a value among those of all solutions, from 0; empty where there is no better end.
std::optional<std::size_t> rankOf(const PointTable& points, const PointColumn& column, std::size_t point) {
    const double own = valueOf(column, point);
    if (column.better == Better::neither || !std::isfinite(own)) return std::nullopt;
    std::size_t rank = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const double value = valueOf(column, i);
        if (i != point && takesPart(points, i, {}) && std::isfinite(value) && compared(column, value, own) < 0) ++rank;
    }
    return rank;
}

/// What the way from one point of a front to another gives and costs: "12 % more throughput for 3 % more area".
std::string stepText(const PointTable& points, std::size_t from, std::size_t to, std::size_t x, std::size_t y) {
    const PointColumn &across = points.columns[x], &up = points.columns[y];
    const bool gainsY = compared(up, valueOf(up, to), valueOf(up, from)) < 0;
    const PointColumn& gain = gainsY ? up : across;
    const PointColumn& cost = gainsY ? across : up;
    return fmt::format("{} {} for {} {}", differenceText(gain, valueOf(gain, from), valueOf(gain, to)),
                       inSentence(gain), differenceText(cost, valueOf(cost, from), valueOf(cost, to)),
                       inSentence(cost));
}

}  // namespace

std::vector<std::string> whySentences(const PointTable& points, std::size_t point, std::size_t x, std::size_t y) {
    std::vector<std::string> sentences;
    if (point >= points.size()) return sentences;
    const std::string name = nameOf(points, point);
    if (!points.isFeasible(point)) return {fmt::format("{} is no solution: {}.", name, escaped(points.reasons[point]))};
    std::size_t solutions = 0;
    for (std::size_t i = 0; i < points.size(); ++i) solutions += takesPart(points, i, {}) ? 1 : 0;
    std::vector<std::string> best;
    for (const PointColumn& column : points.columns)
        if (column.role != Role::variable && rankOf(points, column, point) == 0U)
            best.push_back(fmt::format("{}, {}", inSentence(column), textOf(column, valueOf(column, point))));
    if (hasMark(points, point, explore::kChosen))
        sentences.push_back(fmt::format("{} is what the search chose.", name));
    if (!best.empty() && takesPart(points, point, {}))
        sentences.push_back(fmt::format("No other of {} solutions is better than {} in {}.", formatCount(solutions),
                                        name, joined(best, "; in ")));
    const std::vector<std::size_t> front = frontOf(points, x, y);
    const auto place = std::find(front.begin(), front.end(), point);
    if (front.empty() || x == y) return sentences;
    const std::string both = fmt::format("{} and {}", inSentence(points.columns[y]), inSentence(points.columns[x]));
    if (place == front.end()) {
        const auto beats = [&](std::size_t other) {
            return std::ranges::all_of(std::array{x, y}, [&](std::size_t column) {
                return compared(points.columns[column], valueOf(points.columns[column], other),
                                valueOf(points.columns[column], point)) <= 0;
            });
        };
        const auto better = std::find_if(front.begin(), front.end(), beats);
        if (better != front.end())
            sentences.push_back(fmt::format("In {} {} is at least as good in both: {} against {}, {} against {}.", both,
                                            nameOf(points, *better),
                                            textOf(points.columns[y], valueOf(points.columns[y], *better)),
                                            textOf(points.columns[y], valueOf(points.columns[y], point)),
                                            textOf(points.columns[x], valueOf(points.columns[x], *better)),
                                            textOf(points.columns[x], valueOf(points.columns[x], point))));
        return sentences;
    }
    sentences.push_back(fmt::format("{} is one of {} on the front of {}.", sentences.empty() ? name : "It",
                                    formatCount(front.size()), both));
    if (kneeOf(points, front, x, y) == point)
        sentences.push_back(
            "It is the knee: farthest from the line between the front's ends, so that gains get dearer on either "
            "side of it.");
    if (place != front.begin())
        sentences.push_back(fmt::format("To the one before on the front, {}: {}.", nameOf(points, *(place - 1)),
                                        stepText(points, point, *(place - 1), x, y)));
    if (place + 1 != front.end())
        sentences.push_back(fmt::format("To the next on the front, {}: {}.", nameOf(points, *(place + 1)),
                                        stepText(points, point, *(place + 1), x, y)));
    return sentences;
}

Table comparisonOf(const PointTable& points, std::size_t a, std::size_t b) {
    Table table{.columns = {{"value"}, {"A", true}, {"B", true}, {"B against A", true}, {"better"}}, .rows = {}};
    if (a < points.size() && b < points.size())
        table.rows.push_back({"name", nameOf(points, a), nameOf(points, b), "", ""});
    for (const PointColumn& column : points.columns) {
        const double one = valueOf(column, a), other = valueOf(column, b);
        if (!std::isfinite(one) && !std::isfinite(other)) continue;
        std::string against = "–", better;
        if (std::isfinite(one) && std::isfinite(other)) {
            if (one == other)
                against = "the same";
            else if (column.words.empty())
                against = one > 0 && other > 0 ? study::timesText(other / one)
                                               : (other > one ? "+" : "−") + textOf(column, std::fabs(other - one));
            if (one != other && column.better != Better::neither) better = compared(column, one, other) < 0 ? "A" : "B";
        }
        table.rows.push_back({column.title, textOf(column, one), textOf(column, other), against, better});
    }
    return table;
}

namespace {

constexpr std::array kMarkWords{std::pair{explore::kFront, std::string_view("front")},
                                std::pair{explore::kKnee, std::string_view("knee")},
                                std::pair{explore::kChosen, std::string_view("chosen")},
                                std::pair{explore::kBaseline, std::string_view("baseline")},
                                std::pair{explore::kMeasured, std::string_view("measured")}};

/// "step_time_s", as the column is called, with the unit that its numbers are in.
std::string sheetHead(const PointColumn& column) {
    const std::string_view unit =
        column.measure == Measure::count ? std::string_view(column.unit) : unitName(column.measure);
    return unit.empty() ? column.id : fmt::format("{} ({})", column.id, unit);
}

}  // namespace

std::string toCsv(const PointTable& points, const PointStates& states) {
    std::string text = points.names.empty() ? "point" : "name";
    for (const PointColumn& column : points.columns) text += "," + csvCell(sheetHead(column));
    text += ",marks,reason\r\n";
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (stateOf(states, i) != PointState::shown) continue;
        text += points.names.empty() ? std::to_string(i + 1) : csvCell(nameOf(points, i));
        for (const PointColumn& column : points.columns) {
            text += ',';
            const double value = valueOf(column, i);
            if (!std::isfinite(value)) continue;
            text += column.words.empty() ? exactNumber(value) : csvCell(textOf(column, value));
        }
        text += ',';
        bool first = true;
        for (const auto& [mark, word] : kMarkWords) {
            if (!hasMark(points, i, mark)) continue;
            text += first ? "" : " ";
            text += word;
            first = false;
        }
        text += "," + csvCell(points.reasons[i]) + "\r\n";
    }
    return text;
}

}  // namespace tessera::report
