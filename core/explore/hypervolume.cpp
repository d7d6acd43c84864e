#include "core/explore/hypervolume.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

#include "core/base/number.h"
#include "core/base/poll.h"

namespace tessera::explore {

bool isNowhereAbove(const double* a, const double* b, std::size_t objectives) {
    for (std::size_t i = 0; i < objectives; ++i)
        if (a[i] > b[i]) return false;
    return true;
}

namespace {

/// Rows of as many values as there are objectives; those that lie below a reference.
struct Rows {
    std::size_t objectives = 0;
    std::vector<double> values = {};

    std::size_t size() const { return values.size() / objectives; }
    const double* row(std::size_t i) const { return &values[i * objectives]; }
};

bool isBelow(const double* point, const double* reference, std::size_t objectives) {
    for (std::size_t i = 0; i < objectives; ++i)
        if (!(point[i] < reference[i])) return false;
    return true;
}

double boxVolume(const double* point, const double* reference, std::size_t objectives) {
    double volume = 1;
    for (std::size_t i = 0; i < objectives; ++i) volume *= reference[i] - point[i];
    return volume;
}

/// The area below a reference that points of a plane dominate: steps that fall to the right.
class Staircase {
public:
    Staircase(double right, double top) : right_(right), top_(top) {}

    /// Adds a point below the reference; returns the area that it adds.
    double add(double x, double y) {
        auto next = steps_.upper_bound(x);
        double height = next == steps_.begin() ? top_ : std::prev(next)->second;
        if (height <= y) return 0;
        double area = 0, from = x;
        while (next != steps_.end() && next->second >= y) {
            area += (next->first - from) * (height - y);
            from = next->first;
            height = next->second;
            next = steps_.erase(next);
        }
        area += ((next == steps_.end() ? right_ : next->first) - from) * (height - y);
        steps_.insert_or_assign(x, y);
        return area;
    }

private:
    double right_, top_;
    std::map<double, double> steps_;  ///< y of x, falling
};

double volumeOfTwo(const Rows& rows, const double* reference) {
    Staircase staircase(reference[0], reference[1]);
    double area = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) area += staircase.add(rows.row(i)[0], rows.row(i)[1]);
    return area;
}

std::vector<std::size_t> orderBy(const Rows& rows, std::size_t objective) {
    std::vector<std::size_t> order(rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const double one = rows.row(a)[objective], other = rows.row(b)[objective];
        return one != other ? one < other : a < b;
    });
    return order;
}

/// A plane that rises along the third objective, and the area behind it.
double volumeOfThree(const Rows& rows, const double* reference) {
    Staircase staircase(reference[0], reference[1]);
    double volume = 0, area = 0, height = 0;
    for (const std::size_t i : orderBy(rows, 2)) {
        const double* const row = rows.row(i);
        if (area > 0) volume += area * (row[2] - height);
        height = row[2];
        area += staircase.add(row[0], row[1]);
    }
    return area > 0 ? volume + area * (reference[2] - height) : 0;
}

/// Leaves out rows that another one makes needless.
Rows withoutDominated(const Rows& rows) {
    // A row of a smaller sum comes first, so that none makes an earlier one needless but by rounding.
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t i = 0; i < rows.size(); ++i)
        order.emplace_back(std::accumulate(rows.row(i), rows.row(i) + rows.objectives, 0.0), i);
    std::sort(order.begin(), order.end());
    Rows kept{.objectives = rows.objectives};
    for (const auto& [sum, i] : order) {
        poll(kept.size() / 200);
        bool isNeeded = true;
        for (std::size_t k = 0; isNeeded && k < kept.size(); ++k)
            isNeeded = !isNowhereAbove(kept.row(k), rows.row(i), rows.objectives);
        if (isNeeded) kept.values.insert(kept.values.end(), rows.row(i), rows.row(i) + rows.objectives);
    }
    return kept;
}

double volumeOf(const Rows& rows, const double* reference);

/// What a point dominates that none of the rows does, in the first `objectives`, which may be fewer than the rows have.
double exclusiveVolume(const double* point, const std::vector<const double*>& others, const double* reference,
                       std::size_t objectives) {
    poll(1 + others.size() * objectives / 50);
    Rows limited{.objectives = objectives};
    limited.values.reserve(others.size() * objectives);
    for (const double* const other : others)
        for (std::size_t k = 0; k < objectives; ++k) limited.values.push_back(std::max(point[k], other[k]));
    if (objectives > 3) limited = withoutDominated(limited);
    return boxVolume(point, reference, objectives) - volumeOf(limited, reference);
}

double volumeOf(const Rows& rows, const double* reference) {
    if (rows.values.empty()) return 0;
    if (rows.objectives == 1) return reference[0] - *std::min_element(rows.values.begin(), rows.values.end());
    if (rows.objectives == 2) return volumeOfTwo(rows, reference);
    if (rows.objectives == 3) return volumeOfThree(rows, reference);
    const std::size_t last = rows.objectives - 1;
    double volume = 0;
    std::vector<const double*> before;
    for (const std::size_t i : orderBy(rows, last)) {
        const double* const row = rows.row(i);
        volume += (reference[last] - row[last]) * exclusiveVolume(row, before, reference, last);
        before.push_back(row);
    }
    return volume;
}

/// Points of three objectives in a k-d tree that is built once.
class PointTree {
public:
    using Triple = std::array<double, 3>;

    explicit PointTree(std::vector<Triple> points) : points_(std::move(points)) {
        std::size_t leaves = 1;
        while (leaves * kLeaf < points_.size()) leaves *= 2;
        least_.resize(2 * leaves);
        build(1, 0, points_.size());
    }

    std::size_t size() const { return points_.size(); }
    std::vector<Triple>& points() { return points_; }

    /// Calls with every point of the parts whose least values pass the test.
    template <typename Test, typename Call>
    void visit(Test test, Call call) const {
        visitPart(1, 0, points_.size(), test, call);
    }

private:
    static constexpr std::size_t kLeaf = 8;

    bool isLeaf(std::size_t node) const { return 2 * node >= least_.size(); }

    void build(std::size_t node, std::size_t first, std::size_t last) {
        Triple min{kInfinity, kInfinity, kInfinity}, max{-kInfinity, -kInfinity, -kInfinity};
        for (std::size_t i = first; i < last; ++i)
            for (std::size_t k = 0; k < 3; ++k) {
                min[k] = std::min(min[k], points_[i][k]);
                max[k] = std::max(max[k], points_[i][k]);
            }
        least_[node] = min;
        if (isLeaf(node)) return;
        std::size_t widest = 0;
        for (std::size_t k = 1; k < 3; ++k)
            if (max[k] - min[k] > max[widest] - min[widest]) widest = k;
        const std::size_t middle = first + (last - first) / 2;
        const auto at = [&](std::size_t i) { return points_.begin() + static_cast<std::ptrdiff_t>(i); };
        std::nth_element(at(first), at(middle), at(last),
                         [widest](const Triple& a, const Triple& b) { return a[widest] < b[widest]; });
        build(2 * node, first, middle);
        build(2 * node + 1, middle, last);
    }

    template <typename Test, typename Call>
    void visitPart(std::size_t node, std::size_t first, std::size_t last, Test& test, Call& call) const {
        if (first == last || !test(least_[node])) return;
        if (isLeaf(node)) {
            for (std::size_t i = first; i < last; ++i) call(points_[i]);
            return;
        }
        const std::size_t middle = first + (last - first) / 2;
        visitPart(2 * node, first, middle, test, call);
        visitPart(2 * node + 1, middle, last, test, call);
    }

    std::vector<Triple> points_;
    std::vector<Triple> least_;  ///< by node, the root 1 and its parts 2 and 3
};

/// Three objectives. Trees of sizes that double: a new point makes one with all smaller ones. Bentley, Saxe:
/// "Decomposable searching problems I", Journal of Algorithms 1(4), 1980. Points that a later one dominates stay, which
/// changes nothing that is asked for.
class GrowingForest {
public:
    using Triple = PointTree::Triple;

    explicit GrowingForest(const std::vector<double>& reference)
        : reference_{reference[0], reference[1], reference[2]} {}

    double add(const Triple& point) {
        // As far as the point alone reaches along each objective: to the next one that is nowhere worse in the other
        // two.
        Triple limit = reference_;
        for (std::size_t k = 0; k < 3; ++k) {
            const std::size_t one = (k + 1) % 3, other = (k + 2) % 3;
            const auto isNear = [&](const Triple& min) {
                return min[one] <= point[one] && min[other] <= point[other] && min[k] < limit[k];
            };
            visitAll(isNear, [&](const Triple& each) {
                if (isNear(each)) limit[k] = each[k];
            });
            if (limit[k] <= point[k]) return 0;
        }
        const auto isInside = [&](const Triple& min) {
            return min[0] < limit[0] && min[1] < limit[1] && min[2] < limit[2];
        };
        Rows around{.objectives = 3};
        visitAll(isInside, [&](const Triple& each) {
            if (isInside(each))
                for (std::size_t k = 0; k < 3; ++k) around.values.push_back(std::max(each[k], point[k]));
        });
        const double gain = boxVolume(point.data(), limit.data(), 3) - volumeOf(around, limit.data());
        put(point);
        return std::max(gain, 0.0);
    }

private:
    static constexpr std::size_t kRecent = 32;

    template <typename Test, typename Call>
    void visitAll(Test test, Call call) const {
        for (const PointTree& tree : trees_) tree.visit(test, call);
        for (const Triple& point : recent_) call(point);
    }

    void put(const Triple& point) {
        recent_.push_back(point);
        if (recent_.size() < kRecent) return;
        std::vector<Triple> all = std::exchange(recent_, {});
        while (!trees_.empty() && trees_.back().size() <= all.size()) {
            const std::vector<Triple>& smaller = trees_.back().points();
            all.insert(all.end(), smaller.begin(), smaller.end());
            trees_.pop_back();
        }
        trees_.emplace_back(std::move(all));
    }

    Triple reference_;
    std::vector<PointTree> trees_;  ///< of falling size
    std::vector<Triple> recent_;
};

}  // namespace

struct GrowingHypervolume::Parts {
    std::vector<double> reference;
    double total = 0;
    Staircase staircase;
    std::unique_ptr<GrowingForest> forest;
    Rows front;  ///< of one objective, or more than three

    explicit Parts(std::vector<double> last)
        : reference(std::move(last)),
          staircase(reference.empty() ? 0 : reference[0], reference.size() < 2 ? 0 : reference[1]),
          front{.objectives = reference.size()} {
        if (reference.size() == 3) forest = std::make_unique<GrowingForest>(reference);
    }

    double addToFront(std::span<const double> point) {
        std::vector<const double*> others;
        for (std::size_t i = 0; i < front.size(); ++i) {
            if (isNowhereAbove(front.row(i), point.data(), point.size())) return 0;
            others.push_back(front.row(i));
        }
        const double gain = exclusiveVolume(point.data(), others, reference.data(), point.size());
        std::vector<double> kept;
        for (const double* const row : others)
            if (!isNowhereAbove(point.data(), row, point.size())) kept.insert(kept.end(), row, row + point.size());
        kept.insert(kept.end(), point.begin(), point.end());
        front.values = std::move(kept);
        return std::max(gain, 0.0);
    }
};

GrowingHypervolume::GrowingHypervolume(std::vector<double> reference)
    : parts_(std::make_unique<Parts>(std::move(reference))) {}
GrowingHypervolume::GrowingHypervolume(GrowingHypervolume&&) noexcept = default;
GrowingHypervolume& GrowingHypervolume::operator=(GrowingHypervolume&&) noexcept = default;
GrowingHypervolume::~GrowingHypervolume() = default;

double GrowingHypervolume::add(std::span<const double> point) {
    Parts& parts = *parts_;
    if (point.size() != parts.reference.size() || point.empty() ||
        !isBelow(point.data(), parts.reference.data(), point.size()))
        return 0;
    const double gain = point.size() == 2   ? parts.staircase.add(point[0], point[1])
                        : point.size() == 3 ? parts.forest->add({point[0], point[1], point[2]})
                                            : parts.addToFront(point);
    parts.total += gain;
    return gain;
}

double GrowingHypervolume::total() const {
    return parts_->total;
}

double hypervolume(std::span<const double> values, std::size_t objectives, std::span<const double> reference) {
    if (objectives == 0) return 0;
    Rows rows{.objectives = objectives};
    for (std::size_t i = 0; i + objectives <= values.size(); i += objectives)
        if (isBelow(&values[i], reference.data(), objectives))
            rows.values.insert(rows.values.end(), &values[i], &values[i] + objectives);
    return volumeOf(objectives > 3 ? withoutDominated(rows) : rows, reference.data());
}

std::vector<double> hypervolumeAfterEach(std::span<const double> values, std::size_t objectives,
                                         std::span<const double> reference) {
    GrowingHypervolume growing({reference.begin(), reference.end()});
    std::vector<double> totals;
    totals.reserve(objectives > 0 ? values.size() / objectives : 0);
    for (std::size_t i = 0; objectives > 0 && i + objectives <= values.size(); i += objectives) {
        growing.add(values.subspan(i, objectives));
        totals.push_back(growing.total());
    }
    return totals;
}

}  // namespace tessera::explore
