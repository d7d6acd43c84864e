#include "core/explore/front.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/base/number.h"
#include "core/base/poll.h"

namespace tessera::explore {

namespace {

bool hasNan(const double* point, std::size_t objectives) {
    return std::any_of(point, point + objectives, [](double value) { return std::isnan(value); });
}

/// A point for sweeps over two or three objectives; the third one is 0 of two.
struct SweptPoint {
    double x = 0, y = 0, z = 0;
    std::size_t index = 0;

    bool isBefore(const SweptPoint& other) const {
        if (x != other.x) return x < other.x;
        return y != other.y ? y < other.y : z < other.z;
    }
    bool isAt(const SweptPoint& other) const { return x == other.x && y == other.y && z == other.z; }
};

std::vector<SweptPoint> sweptPoints(std::span<const double> values, std::size_t objectives) {
    std::vector<SweptPoint> points;
    points.reserve(values.size() / objectives);
    for (std::size_t i = 0; i * objectives < values.size(); ++i) {
        const double* const at = &values[i * objectives];
        if (hasNan(at, objectives)) continue;
        points.push_back({at[0], objectives > 1 ? at[1] : 0, objectives > 2 ? at[2] : 0, i});
    }
    return points;
}

/// Of values at places that come in any order, the least one up to a place; NaN where there is none. Fenwick: "A new
/// data structure for cumulative frequency tables", Software: Practice and Experience 24(3), 1994.
class PrefixMinima {
public:
    explicit PrefixMinima(std::size_t places) : least_(places + 1, kNone) {}

    double upTo(std::size_t place) const {
        double min = kNone;
        for (std::size_t i = place + 1; i > 0; i &= i - 1) min = std::fmin(min, least_[i]);
        return min;
    }
    void put(std::size_t place, double value) {
        for (std::size_t i = place + 1; i < least_.size(); i += i & (~i + 1)) least_[i] = std::fmin(least_[i], value);
    }

private:
    static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

    std::vector<double> least_;
};

std::vector<std::size_t> frontOfOne(const std::vector<SweptPoint>& points) {
    double min = kInfinity;
    for (const SweptPoint& point : points) min = std::min(min, point.x);
    std::vector<std::size_t> front;
    for (const SweptPoint& point : points)
        if (point.x == min) front.push_back(point.index);
    return front;
}

/// Of points in order of x, then y: whatever comes later is dominated by the first one with the least y, or is it
/// again.
std::vector<std::size_t> frontOfTwo(std::vector<SweptPoint> points) {
    std::sort(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.isBefore(b); });
    std::vector<std::size_t> front;
    const SweptPoint* lowest = nullptr;
    for (const SweptPoint& point : points) {
        if (lowest == nullptr || point.y < lowest->y) lowest = &point;
        if (point.isAt(*lowest)) front.push_back(point.index);
    }
    return front;
}

/// Of points in order of x, then y, then z: one is dominated where an earlier one with no larger y has no larger z.
std::vector<std::size_t> frontOfThree(std::vector<SweptPoint> points) {
    std::sort(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.isBefore(b); });
    std::vector<std::pair<double, std::size_t>> byY(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) byY[i] = {points[i].y, i};
    std::sort(byY.begin(), byY.end());
    std::vector<std::size_t> places(points.size());
    std::size_t place = 0;
    for (std::size_t i = 0; i < byY.size(); ++i) {
        if (i > 0 && byY[i].first != byY[i - 1].first) ++place;
        places[byY[i].second] = place;
    }
    PrefixMinima lowest(place + 1);
    std::vector<std::size_t> front;
    for (std::size_t first = 0, last = 0; first < points.size(); first = last) {
        for (last = first; last < points.size() && points[last].isAt(points[first]);) ++last;
        if (lowest.upTo(places[first]) <= points[first].z) continue;
        lowest.put(places[first], points[first].z);
        for (std::size_t i = first; i < last; ++i) front.push_back(points[i].index);
    }
    return front;
}

/// Ranks of points in any number of objectives.
class Ranking {
public:
    /// With `frontOnly` all points off the front have some rank above 0.
    Ranking(std::span<const double> values, std::size_t objectives, bool frontOnly)
        : objectives_(objectives), frontOnly_(frontOnly) {
        std::vector<std::uint32_t> order;
        for (std::size_t i = 0; i * objectives < values.size(); ++i)
            if (!hasNan(&values[i * objectives], objectives)) order.push_back(static_cast<std::uint32_t>(i));
        const auto row = [&](std::uint32_t i) { return &values[i * objectives]; };
        std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            return std::lexicographical_compare(row(a), row(a) + objectives, row(b), row(b) + objectives);
        });
        rowOf_.resize(values.size() / objectives, kNone);
        for (const std::uint32_t i : order) {
            const bool isNew =
                rows_.empty() || !std::equal(row(i), row(i) + objectives, &rows_[rows_.size() - objectives]);
            if (isNew) rows_.insert(rows_.end(), row(i), row(i) + objectives);
            rowOf_[i] = static_cast<std::uint32_t>(rows_.size() / objectives - 1);
        }
        ranks_.assign(rows_.size() / objectives, 0);
        Set all(ranks_.size());
        std::iota(all.begin(), all.end(), 0U);
        if (objectives == 1)
            std::copy(all.begin(), all.end(), ranks_.begin());  // in the order of their only value
        else
            rankAmong(std::move(all), objectives);
    }

    std::vector<std::int32_t> ranks() const {
        std::vector<std::int32_t> all(rowOf_.size(), -1);
        for (std::size_t i = 0; i < all.size(); ++i)
            if (rowOf_[i] != kNone) all[i] = ranks_[rowOf_[i]];
        return all;
    }

private:
    static constexpr std::uint32_t kNone = ~0U;
    static constexpr std::size_t kFew = 8;  ///< points whose pairs are compared rather than divided
    static constexpr std::size_t kPointsPerMicrosecond = 20;

    /// Different points in lexicographic order.
    using Set = std::vector<std::uint32_t>;

    double at(std::uint32_t point, std::size_t objective) const { return rows_[point * objectives_ + objective]; }
    bool isNowhereWorse(std::uint32_t a, std::uint32_t b, std::size_t objectives) const {
        for (std::size_t i = 0; i < objectives; ++i)
            if (at(a, i) > at(b, i)) return false;
        return true;
    }
    void putBehind(std::uint32_t point, std::int32_t rank) { ranks_[point] = std::max(ranks_[point], rank + 1); }
    void dropDominated(Set& set) const {
        if (frontOnly_) std::erase_if(set, [&](std::uint32_t i) { return ranks_[i] > 0; });
    }
    template <typename Test>
    Set partOf(const Set& set, std::size_t objective, Test test) const {
        Set part;
        for (const std::uint32_t i : set)
            if (test(at(i, objective))) part.push_back(i);
        return part;
    }
    double middleOf(const Set& one, const Set& other, std::size_t objective) const {
        std::vector<double> all;
        all.reserve(one.size() + other.size());
        for (const Set* const set : {&one, &other})
            for (const std::uint32_t i : *set) all.push_back(at(i, objective));
        const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
        std::nth_element(all.begin(), middle, all.end());
        return *middle;
    }
    std::pair<double, double> extentOf(const Set& set, std::size_t objective) const {
        double min = kInfinity, max = -kInfinity;
        for (const std::uint32_t i : set) {
            min = std::min(min, at(i, objective));
            max = std::max(max, at(i, objective));
        }
        return {min, max};
    }

    /// Ranks points by each other in the first `objectives`; in all others they are equal.
    void rankAmong(Set set, std::size_t objectives) {
        poll(set.size() / kPointsPerMicrosecond);
        dropDominated(set);
        if (set.size() <= kFew) {
            for (std::size_t j = 1; j < set.size(); ++j)
                for (std::size_t i = 0; i < j; ++i)
                    if (isNowhereWorse(set[i], set[j], objectives)) putBehind(set[j], ranks_[set[i]]);
            return;
        }
        if (objectives == 2) {
            LastFronts fronts;
            for (const std::uint32_t i : set) {
                putBehind(i, fronts.rankUpTo(at(i, 1)));
                fronts.put(at(i, 1), ranks_[i]);
            }
            return;
        }
        const std::size_t last = objectives - 1;
        const auto [min, max] = extentOf(set, last);
        if (min == max) {
            rankAmong(std::move(set), last);
            return;
        }
        const double middle = middleOf(set, {}, last);
        const auto below = [&](double value) { return value < middle; };
        rankAmong(partOf(set, last, below), objectives);
        Set equal = partOf(set, last, [&](double value) { return value == middle; });
        rankBehind(partOf(set, last, below), equal, last);
        rankAmong(std::move(equal), last);
        Set above = partOf(set, last, [&](double value) { return value > middle; });
        if (above.empty()) return;
        rankBehind(partOf(set, last, [&](double value) { return value <= middle; }), above, last);
        rankAmong(std::move(above), objectives);
    }

    /// Ranks points behind better ones of final rank, which are nowhere worse in all but the first `objectives` and
    /// somewhere better there.
    void rankBehind(Set better, Set worse, std::size_t objectives) {
        poll((better.size() + worse.size()) / kPointsPerMicrosecond);
        dropDominated(better);
        dropDominated(worse);
        if (better.empty() || worse.empty()) return;
        if (better.size() * worse.size() <= kFew * kFew || better.size() == 1 || worse.size() == 1) {
            for (const std::uint32_t j : worse)
                for (const std::uint32_t i : better)
                    if (isNowhereWorse(i, j, objectives)) putBehind(j, ranks_[i]);
            return;
        }
        if (objectives == 2) {
            sweepBehind(better, worse);
            return;
        }
        const std::size_t last = objectives - 1;
        const auto [leastBetter, mostBetter] = extentOf(better, last);
        const auto [leastWorse, mostWorse] = extentOf(worse, last);
        if (leastBetter > mostWorse) return;
        if (mostBetter <= leastWorse) {
            rankBehind(std::move(better), std::move(worse), last);
            return;
        }
        const double middle = middleOf(better, worse, last);
        const auto below = [&](double value) { return value < middle; };
        const auto equal = [&](double value) { return value == middle; };
        const auto above = [&](double value) { return value > middle; };
        const auto upTo = [&](double value) { return value <= middle; };
        rankBehind(partOf(better, last, below), partOf(worse, last, below), objectives);
        rankBehind(partOf(better, last, upTo), partOf(worse, last, equal), last);
        rankBehind(partOf(better, last, upTo), partOf(worse, last, above), last);
        rankBehind(partOf(better, last, above), partOf(worse, last, above), objectives);
    }

    void sweepBehind(const Set& better, const Set& worse) {
        LastFronts fronts;
        auto next = better.begin();
        for (const std::uint32_t j : worse) {
            for (; next != better.end() && at(*next, 0) <= at(j, 0); ++next) fronts.put(at(*next, 1), ranks_[*next]);
            putBehind(j, fronts.rankUpTo(at(j, 1)));
        }
    }

    /// The highest rank of the points up to a value, as points come in.
    class LastFronts {
    public:
        std::int32_t rankUpTo(double value) const {
            const auto behind = std::upper_bound(steps_.begin(), steps_.end(), value,
                                                 [](double one, const auto& step) { return one < step.first; });
            return behind == steps_.begin() ? -1 : std::prev(behind)->second;
        }
        void put(double value, std::int32_t rank) {
            const auto behind = std::upper_bound(steps_.begin(), steps_.end(), value,
                                                 [](double one, const auto& step) { return one < step.first; });
            if (behind != steps_.begin() && std::prev(behind)->second >= rank) return;
            const auto last = std::find_if(behind, steps_.end(), [&](const auto& step) { return step.second > rank; });
            const auto first = behind != steps_.begin() && std::prev(behind)->first == value ? behind - 1 : behind;
            if (first == last)
                steps_.insert(first, {value, rank});
            else {
                *first = {value, rank};
                steps_.erase(first + 1, last);
            }
        }

    private:
        std::vector<std::pair<double, std::int32_t>> steps_;  ///< both rising
    };

    std::size_t objectives_;
    bool frontOnly_;
    std::vector<double> rows_;  ///< different points in lexicographic order
    std::vector<std::uint32_t> rowOf_;
    std::vector<std::int32_t> ranks_;  ///< by row
};

/// Solves a small system of equations by elimination with pivots; empty where it has no unique solution.
std::vector<double> solved(std::vector<std::vector<double>> rows) {
    const std::size_t n = rows.size();
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t pivot = k;
        for (std::size_t i = k + 1; i < n; ++i)
            if (std::fabs(rows[i][k]) > std::fabs(rows[pivot][k])) pivot = i;
        if (std::fabs(rows[pivot][k]) < 1e-9) return {};
        std::swap(rows[k], rows[pivot]);
        for (std::size_t i = 0; i < n; ++i) {
            if (i == k) continue;
            const double factor = rows[i][k] / rows[k][k];
            for (std::size_t j = k; j <= n; ++j) rows[i][j] -= factor * rows[k][j];
        }
    }
    std::vector<double> solution(n);
    for (std::size_t i = 0; i < n; ++i) solution[i] = rows[i][n] / rows[i][i];
    return solution;
}

}  // namespace

std::vector<std::size_t> frontOf(std::span<const double> values, std::size_t objectives) {
    if (objectives == 0) return {};
    if (objectives <= 3) {
        std::vector<SweptPoint> points = sweptPoints(values, objectives);
        std::vector<std::size_t> front = objectives == 1   ? frontOfOne(points)
                                         : objectives == 2 ? frontOfTwo(std::move(points))
                                                           : frontOfThree(std::move(points));
        std::sort(front.begin(), front.end());
        return front;
    }
    const std::vector<std::int32_t> ranks = Ranking(values, objectives, true).ranks();
    std::vector<std::size_t> front;
    for (std::size_t i = 0; i < ranks.size(); ++i)
        if (ranks[i] == 0) front.push_back(i);
    return front;
}

std::vector<std::int32_t> ranksOf(std::span<const double> values, std::size_t objectives) {
    return objectives == 0 ? std::vector<std::int32_t>{} : Ranking(values, objectives, false).ranks();
}

std::vector<std::size_t> frontLineOf(std::span<const double> values) {
    std::vector<std::size_t> line = frontOf(values, 2);
    const auto first = [&](std::size_t point) { return values[2 * point]; };
    std::stable_sort(line.begin(), line.end(), [&](std::size_t a, std::size_t b) { return first(a) < first(b); });
    // Points of a front that are alike in one objective are alike in both.
    line.erase(
        std::unique(line.begin(), line.end(), [&](std::size_t a, std::size_t b) { return first(a) == first(b); }),
        line.end());
    return line;
}

std::vector<double> objectivesOf(const PointTable& table) {
    std::vector<const PointColumn*> columns;
    for (const PointColumn& column : table.columns)
        if (column.role == PointColumn::Role::objective) columns.push_back(&column);
    std::vector<double> values;
    values.reserve(table.size() * columns.size());
    for (std::size_t i = 0; i < table.size(); ++i)
        for (const PointColumn* const column : columns) {
            const double value = i < column->values.size() && table.isFeasible(i)
                                     ? column->values[i]
                                     : std::numeric_limits<double>::quiet_NaN();
            values.push_back(column->better == PointColumn::Better::higher ? -value : value);
        }
    return values;
}

std::vector<std::size_t> frontOf(const PointTable& table) {
    const std::vector<double> values = objectivesOf(table);
    return table.size() == 0 ? std::vector<std::size_t>{} : frontOf(values, values.size() / table.size());
}

std::optional<std::size_t> kneeOf(std::span<const double> values, std::size_t objectives,
                                  std::span<const std::size_t> front) {
    if (front.size() < 3 || objectives < 2) return std::nullopt;
    const auto at = [&](std::size_t point, std::size_t objective) { return values[point * objectives + objective]; };
    std::vector<std::size_t> best(objectives, front.front());
    std::vector<double> min(objectives, kInfinity), max(objectives, -kInfinity);
    for (const std::size_t point : front)
        for (std::size_t k = 0; k < objectives; ++k) {
            if (at(point, k) < at(best[k], k)) best[k] = point;
            min[k] = std::min(min[k], at(point, k));
            max[k] = std::max(max[k], at(point, k));
        }
    for (std::size_t k = 0; k < objectives; ++k)
        if (!(max[k] - min[k] > 0) || !std::isfinite(max[k] - min[k])) return std::nullopt;
    const auto scaled = [&](std::size_t point, std::size_t k) { return (at(point, k) - min[k]) / (max[k] - min[k]); };
    // The plane: normal · scaled = 1, the ideal point: scaled = 0.
    std::vector<std::vector<double>> rows;
    for (const std::size_t point : best) {
        std::vector<double>& row = rows.emplace_back();
        for (std::size_t k = 0; k < objectives; ++k) row.push_back(scaled(point, k));
        row.push_back(1);
    }
    const std::vector<double> normal = solved(std::move(rows));
    if (normal.empty()) return std::nullopt;
    std::optional<std::size_t> knee;
    double farthest = 1e-9;
    for (const std::size_t point : front) {
        double distance = 1;
        for (std::size_t k = 0; k < objectives; ++k) distance -= normal[k] * scaled(point, k);
        if (distance <= farthest) continue;
        farthest = distance;
        knee = point;
    }
    return knee;
}

}  // namespace tessera::explore
