#include "core/codesign/schedule/schedule_symmetry.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace tessera::codesign {

namespace {

constexpr std::size_t kMaxTries = 5'000;

/// Classes of operators that look alike: by kind, latencies, and the classes around them, refined until it is stable.
std::vector<std::size_t> classesOf(const Piece& piece) {
    using Look = std::tuple<int, double, double, bool>;
    std::map<Look, std::size_t> looks;
    std::vector<std::size_t> classes(piece.size());
    for (std::size_t i = 0; i < piece.size(); ++i)
        classes[i] =
            looks
                .emplace(Look{static_cast<int>(piece.kinds[i]), piece.single[i], piece.serial[i], piece.exclusive[i]},
                         looks.size())
                .first->second;
    using Around = std::tuple<std::size_t, std::vector<std::size_t>, std::vector<std::size_t>>;
    for (std::size_t count = looks.size();;) {
        std::map<Around, std::size_t> refined;
        std::vector<std::size_t> next(piece.size());
        const auto sortedClasses = [&](const std::vector<std::size_t>& operators) {
            std::vector<std::size_t> found;
            for (const std::size_t i : operators) found.push_back(classes[i]);
            std::sort(found.begin(), found.end());
            return found;
        };
        for (std::size_t i = 0; i < piece.size(); ++i)
            next[i] = refined
                          .emplace(Around{classes[i], sortedClasses(piece.predecessors[i]),
                                          sortedClasses(piece.successors[i])},
                                   refined.size())
                          .first->second;
        classes = std::move(next);
        if (refined.size() == count) return classes;
        count = refined.size();
    }
}

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

/// Finds what has to be swapped along when two operators are: their neighbours that they do not share, and so on.
class Swap {
public:
    Swap(const Piece& piece, const std::vector<std::size_t>& classes)
        : piece_(piece), classes_(classes), image_(piece.size()) {}

    /// Pairs (of the block of `a`, of the block of `b`) in ascending order of the first; empty where there is no swap.
    std::optional<Pairs> find(std::size_t a, std::size_t b) {
        std::iota(image_.begin(), image_.end(), std::size_t{0});
        pairs_.clear();
        if (!match(a, b)) return std::nullopt;
        for (std::size_t next = 0; next < pairs_.size();) {  // matching adds further pairs
            const auto [x, y] = pairs_[next++];
            if (!matchAll(piece_.predecessors[x], piece_.predecessors[y]) ||
                !matchAll(piece_.successors[x], piece_.successors[y]))
                return std::nullopt;
        }
        for (const auto& [x, y] : pairs_)
            if (!keepsEdges(x) || !keepsEdges(y)) return std::nullopt;
        std::sort(pairs_.begin(), pairs_.end());
        return pairs_;
    }

private:
    bool match(std::size_t x, std::size_t y) {
        if (image_[x] == y) return true;
        if (image_[x] != x || image_[y] != y || classes_[x] != classes_[y]) return false;
        image_[x] = y;
        image_[y] = x;
        pairs_.emplace_back(x, y);
        return true;
    }

    bool matchAll(const std::vector<std::size_t>& xs, const std::vector<std::size_t>& ys) {
        std::vector<std::size_t> mine, theirs;
        for (const std::size_t x : xs)
            if (image_[x] == x && std::find(ys.begin(), ys.end(), x) == ys.end()) mine.push_back(x);
        for (const std::size_t y : ys)
            if (image_[y] == y && std::find(xs.begin(), xs.end(), y) == xs.end()) theirs.push_back(y);
        if (mine.size() != theirs.size()) return false;
        const auto byClass = [&](std::size_t x, std::size_t y) {
            return std::pair(classes_[x], x) < std::pair(classes_[y], y);
        };
        std::sort(mine.begin(), mine.end(), byClass);
        std::sort(theirs.begin(), theirs.end(), byClass);
        for (std::size_t i = 0; i < mine.size(); ++i)
            if (!match(mine[i], theirs[i])) return false;
        return true;
    }

    bool keepsEdges(std::size_t x) const {
        const auto mapped = [&](const std::vector<std::size_t>& operators) {
            std::vector<std::size_t> images;
            for (const std::size_t i : operators) images.push_back(image_[i]);
            std::sort(images.begin(), images.end());
            return images;
        };
        const auto sorted = [](std::vector<std::size_t> operators) {
            std::sort(operators.begin(), operators.end());
            return operators;
        };
        return mapped(piece_.predecessors[x]) == sorted(piece_.predecessors[image_[x]]) &&
               mapped(piece_.successors[x]) == sorted(piece_.successors[image_[x]]);
    }

    const Piece& piece_;
    const std::vector<std::size_t>& classes_;
    std::vector<std::size_t> image_;
    Pairs pairs_;
};

std::set<std::size_t> operatorsOf(const Symmetry& symmetry) {
    std::set<std::size_t> all;
    for (const std::vector<std::size_t>& block : symmetry.blocks) all.insert(block.begin(), block.end());
    return all;
}

bool meets(const std::set<std::size_t>& a, const std::vector<std::size_t>& b) {
    return std::any_of(b.begin(), b.end(), [&](std::size_t i) { return a.contains(i); });
}

bool liesInABlock(const std::set<std::size_t>& inner, const Symmetry& outer) {
    return std::any_of(outer.blocks.begin(), outer.blocks.end(), [&](const std::vector<std::size_t>& block) {
        const std::set<std::size_t> members(block.begin(), block.end());
        return std::includes(members.begin(), members.end(), inner.begin(), inner.end());
    });
}

bool fits(const Symmetry& made, const std::vector<Symmetry>& others) {
    const std::set<std::size_t> mine = operatorsOf(made);
    return std::all_of(others.begin(), others.end(), [&](const Symmetry& other) {
        const std::set<std::size_t> theirs = operatorsOf(other);
        const bool apart = std::none_of(theirs.begin(), theirs.end(), [&](std::size_t i) { return mine.contains(i); });
        return apart || liesInABlock(mine, other) || liesInABlock(theirs, made);
    });
}

bool joinsAlready(const std::vector<Symmetry>& symmetries, std::size_t a, std::size_t b) {
    return std::any_of(symmetries.begin(), symmetries.end(), [&](const Symmetry& symmetry) {
        for (std::size_t place = 0; place < symmetry.blocks.front().size(); ++place) {
            bool hasA = false, hasB = false;
            for (const std::vector<std::size_t>& block : symmetry.blocks) {
                hasA = hasA || block[place] == a;
                hasB = hasB || block[place] == b;
            }
            if (hasA && hasB) return true;
        }
        return false;
    });
}

}  // namespace

std::vector<Symmetry> symmetriesOf(const Piece& piece) {
    const std::vector<std::size_t> classes = classesOf(piece);
    Swap swap(piece, classes);
    std::vector<Symmetry> found;
    std::size_t tries = 0;
    for (std::size_t a = 0; a < piece.size(); ++a) {
        // Blocks of the swaps that move the same operators along with `a`, by those operators.
        std::map<std::vector<std::size_t>, Symmetry> byBlock;
        for (std::size_t b = a + 1; b < piece.size() && tries < kMaxTries; ++b) {
            if (classes[a] != classes[b]) continue;
            ++tries;
            if (joinsAlready(found, a, b)) continue;
            const auto pairs = swap.find(a, b);
            if (!pairs) continue;
            std::vector<std::size_t> mine, theirs;
            for (const auto& [x, y] : *pairs) {
                mine.push_back(x);
                theirs.push_back(y);
            }
            Symmetry& symmetry = byBlock[mine];
            if (symmetry.blocks.empty()) symmetry.blocks.push_back(mine);
            const std::vector<std::size_t>& last = symmetry.blocks.back();
            bool ascends = !meets(operatorsOf(symmetry), theirs);
            for (std::size_t i = 0; i < theirs.size(); ++i) ascends = ascends && last[i] < theirs[i];
            if (ascends) symmetry.blocks.push_back(theirs);
        }
        for (const auto& [block, symmetry] : byBlock)
            if (symmetry.blocks.size() > 1 && fits(symmetry, found)) found.push_back(symmetry);
    }
    std::stable_sort(found.begin(), found.end(), [](const Symmetry& a, const Symmetry& b) {
        return a.blocks.front().size() < b.blocks.front().size();
    });
    return found;
}

}  // namespace tessera::codesign
