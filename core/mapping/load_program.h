#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace tessera::mapping {

/// A linear program of fractional choice: every item takes shares of its options, option o of item j uses
/// use[(j * options + o) * rows + r] of resource r, and the fullest resource is to be as empty as possible:
///   min T  subject to  Σ_o x_jo = 1,  Σ_jo use_jor x_jo ≤ T for every r,  x ≥ 0.
/// Its dual is max over weights w ≥ 0, Σ w = 1, of Σ_j min_o Σ_r w_r use_jor: whatever the weights, the sum is a lower
/// bound, which is how `value` is made, so that it is safe however far the simplex method came.
struct LoadProgram {
    std::size_t items = 0, options = 0, rows = 0;
    std::vector<double> use;            ///< 0 or more
    std::vector<std::uint8_t> allowed;  ///< by item and option; at least one of every item
};

struct LoadSolution {
    double value = 0;                  ///< lower bound, by the weights
    std::vector<double> weights;       ///< by row
    std::vector<std::int32_t> option;  ///< by item: the one with the greatest share
    std::vector<std::uint8_t> split;   ///< by item: takes shares of several
    bool exact = false;                ///< the method came to its end
    double work = 0;                   ///< elementary operations, about
};

/// Revised simplex method with generalised upper bounds (Dantzig, Van Slyke: "Generalized upper bounding techniques",
/// J. Computer and System Sciences 1, 1967): one key option per item, and a working basis of `rows` columns. Ends early
/// after `max` elementary operations.
/// `start`: weights of a program alike, where known. `isEnough` is called after every exchange of the basis and ends
/// the method with what it has; it may throw.
LoadSolution solveLoad(const LoadProgram& program, double max, const std::vector<double>& start = {},
                       const std::function<bool()>& isEnough = {});

/// The lower bound that weights prove, rounded down.
double loadValue(const LoadProgram& program, const std::vector<double>& weights);

}  // namespace tessera::mapping
