#pragma once

#include <span>
#include <vector>

#include "core/base/random.h"
#include "core/mapping/search.h"

/// Mappings as points of a box of real numbers, for searches that know nothing else.
namespace tessera::mapping {

/// The cores, then the priorities, all in [0, 1]; what lies beyond is folded back, what is no number is 0.
Mapping mappingOfUnit(std::span<const double> genome, std::size_t cores);
/// Genome of a mapping: numbers in the middle of the cores' ranges.
std::vector<double> unitOf(const Mapping& mapping, std::size_t cores);

/// Normally distributed numbers by the polar method. Marsaglia, Bray: "A convenient method for generating normal
/// variables", SIAM Review 6(3), 1964.
class NormalStream {
public:
    explicit NormalStream(RandomStream random) : random_(random) {}
    double next();

private:
    RandomStream random_;
    double second_ = 0;
    bool hasSecond_ = false;
};

/// Eigen cuts products into blocks by the caches that it finds, which changes the order of sums from machine to
/// machine. Fixes their sizes once and for all; to be called before Eigen's products.
void initialiseEigen();

inline constexpr double kBelowOne = 0x1.fffffffffffffp-1;  ///< the largest number below 1

}  // namespace tessera::mapping
