#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/base/random.h"

namespace tessera::explore {

/// A normal distribution that adapts to where good points lie: the CMA-ES of Hansen, "The CMA Evolution Strategy: A
/// Tutorial", 2016, with its default constants, over genomes of real numbers. It knows no objective: whoever searches
/// draws moves, orders them, and has the distribution adapt to the better half.
class CovarianceAdaptation {
public:
    /// What it has learnt, to be kept and resumed.
    struct State {
        std::int64_t generation = 0;
        double sigma = 0;
        std::vector<double> mean = {}, path = {}, evenPath = {};
        std::vector<double> covariance = {};  ///< column by column; the diagonal alone of many genes
        std::vector<double> axes = {};        ///< column by column; none of many genes
        std::vector<double> lengths = {};     ///< of the axes
    };

    /// Genes up to which all pairs are learnt; above, a turn of the axes takes longer than a request to stop may wait,
    /// and only the axes' lengths are. Ros, Hansen: "A simple modification in CMA-ES achieving linear time and space
    /// complexity", 2008.
    static constexpr std::size_t kMaxDense = 240;

    /// Moves of a generation are `children`, at least 2. The axes follow the covariance every `generationsPerTurn`.
    CovarianceAdaptation(std::size_t genes, std::size_t children, std::int64_t generationsPerTurn);
    CovarianceAdaptation(CovarianceAdaptation&&) noexcept;
    CovarianceAdaptation& operator=(CovarianceAdaptation&&) noexcept;
    ~CovarianceAdaptation();

    /// Starts around a mean, with the same standard deviation everywhere.
    void begin(std::span<const double> mean, double sigma);
    /// Goes on from a state; false, and nothing happens, where it is not one of this many genes.
    bool resume(const State& state);
    State state() const;

    std::int64_t generation() const;
    /// Standard deviation along the longest and the shortest axis.
    std::pair<double, double> deviations() const;
    /// A random move from the mean, in standard deviations.
    std::vector<double> move(NormalStream& normal) const;
    /// Where a move leads: genes may be any numbers.
    std::vector<double> genomeAt(std::span<const double> move) const;
    /// Moves the mean to the better half of a generation, and the distribution towards the moves that led there.
    /// `order` has the numbers of the moves, the best first.
    void adapt(const std::vector<std::vector<double>>& moves, std::span<const std::size_t> order);

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

/// A gene as a number from 0 to below 1: what lies beyond is folded back at the ends, what is no number is 0.
double folded(double gene);

}  // namespace tessera::explore
