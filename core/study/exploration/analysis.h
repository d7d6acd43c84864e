#pragma once

#include <cstddef>
#include <vector>

#include "core/explore/method.h"
#include "core/study/exploration/outcome.h"

/// What the points of an exploration say together.
namespace tessera::study {

/// The points so far that no other beats in all objectives, each the smaller the better.
class FrontSoFar {
public:
    /// True where the point is on the front now, and adds to what it dominates: by more than rounding does.
    bool add(const std::vector<double>& objectives);
    /// What the front dominates up to the worst of the first points, as a multiple of what those did; 0 while the first points
    /// are not there yet.
    double gain() const;
    const std::vector<std::vector<double>>& points() const { return front_; }

private:
    std::vector<std::vector<double>> front_;
    std::vector<double> ideal_, worst_;      ///< of all points
    std::size_t count_ = 0;
    std::vector<double> firstIdeal_ = {}, reference_ = {};  ///< best and worst values of the first points
    double begun_ = 0;                                      ///< share of the box between them that these dominated
};

/// Adds front, knee, the chosen point, hypervolume, reasons and effects to an outcome whose points are complete.
/// `asked` are its points in the order in which the method asked for them, those asked for again, too.
void addFindings(ExplorationOutcome& outcome, const explore::MethodProblem& problem,
                 const std::vector<std::size_t>& asked);

/// The objectives of a point, each the smaller the better; empty where it is no solution.
std::vector<double> minimised(const ExplorationOutcome& outcome, const ExploredPoint& point);

}  // namespace tessera::study
