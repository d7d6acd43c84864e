#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/base/random.h"
#include "core/mapping/mapping.h"

namespace tessera::mapping {

/// Assignment of jobs to cores without an order: what the load and the bytes alone say about it. No schedule is made,
/// so that a change costs a few additions.
class Assignment {
public:
    /// `tolls`: see bound.h; of more than `kMaxTolls` the first.
    Assignment(const Problem& problem, Objective objective, const Weights& weights, const Bound& bound,
               const std::vector<std::vector<double>>& tolls);

    void hold(std::vector<std::int32_t> core);
    const std::vector<std::int32_t>& core() const { return core_; }
    /// Minimum makespan of any order of the held assignment.
    double minMakespan() const;
    /// The objective with it.
    double objectiveValue() const { return value(minMakespan(), sums_.energy); }

    /// Every job, longest first, to where it ends first.
    void build(RandomStream& random, double noise);
    /// Weight of the fullest core against the others in the annealed objective; `fullest`: it alone.
    enum class Norm : std::uint8_t { blunt, sharp, fullest };
    /// Anneals over moves and exchanges of jobs, from a temperature relative to the makespan down to nothing; holds the
    /// best. Calls `poll`, which may throw, every fraction of a millisecond.
    void anneal(RandomStream& random, std::int64_t proposals, double temperature, Norm norm,
                const std::function<void()>& poll);

private:
    static constexpr std::size_t kMaxTolls = 8;
    struct Sums {
        double extraLoad = 0, bytes = 0, energy = 0;
        std::array<double, kMaxTolls> tolls{};
    };
    /// Maximum of the bounds that do not depend on the order: bytes and tolls.
    double maxOf(const Sums& sums) const;
    double smooth(const Sums& sums, Norm norm) const;
    double value(double makespan, double energy) const;
    void rebuildLoads();

    const Problem& problem_;
    Objective objective_;
    Weights weights_;
    const Bound& bound_;
    std::size_t jobs_, cores_;
    std::vector<double> extraLoad_, bytes_;
    std::size_t tollCount_;
    std::vector<double> tolls_;  ///< by pair and toll
    std::vector<std::int32_t> core_, best_;
    std::vector<double> load_;
    Sums sums_;
};

}  // namespace tessera::mapping
