#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/explore/hypervolume.h"
#include "core/explore/method.h"
#include "core/study/exploration/outcome.h"

/// What the points of an exploration say together.
namespace tessera::study {

/// The points so far that no other beats in all objectives, each the smaller the better.
class FrontSoFar {
public:
    /// `tellsGain`: `gain` is asked for, which takes as long again as `add`.
    explicit FrontSoFar(bool tellsGain) : tellsGain_(tellsGain) {}

    /// True where the point is on the front now, and adds to what it dominates: by more than rounding does. Takes about
    /// as long as GrowingHypervolume::add; beyond `kMostOfHypervolume` objectives a comparison with the whole front.
    bool add(const std::vector<double>& objectives);
    /// What the front dominates up to the worst of the first points, as a multiple of what those did; 0 while the first
    /// points are not there yet, and where they dominated nothing.
    double gain() const;

private:
    using Points = std::vector<std::vector<double>>;

    /// What the front dominates of a box, whose objectives are from 0 to 1 each, without those in which nothing
    /// differs.
    class Volume {
    public:
        Volume(const std::vector<double>& from, const std::vector<double>& to, const Points& front);
        /// By how much it grows.
        double add(const std::vector<double>& point);
        double total() const { return grown_.total(); }
        bool isInside(const std::vector<double>& worst) const;
        /// Volume of the box between these values.
        double between(const std::vector<double>& ideal, const std::vector<double>& worst) const;
        std::size_t objectives() const { return objectives_.size(); }

    private:
        std::vector<double> from_, to_;
        std::vector<std::size_t> objectives_;
        explore::GrowingHypervolume grown_;
    };

    bool addByComparison(const std::vector<double>& objectives);
    void keepFront();

    bool tellsGain_;
    Points front_;                       ///< and points that were on it
    std::vector<double> ideal_, worst_;  ///< of all points
    std::size_t count_ = 0;
    std::optional<Volume> volume_ = {};  ///< up to beyond the worst points
    std::optional<Volume> live_ = {};    ///< up to the worst of the first points
    double begun_ = 0;                   ///< of it when these were there
};

/// Objectives up to which hypervolumes are reckoned: beyond, they take too long.
inline constexpr std::size_t kMostOfHypervolume = 6;

/// Adds front, knee, the chosen point, hypervolume, reasons and effects to an outcome whose points are complete.
/// `asked` are its points in the order in which the method asked for them, those asked for again, too.
void addFindings(ExplorationOutcome& outcome, const explore::MethodProblem& problem,
                 const std::vector<std::size_t>& asked);

/// The objectives of a point, each the smaller the better; empty where it is no solution.
std::vector<double> minimised(const ExplorationOutcome& outcome, const ExploredPoint& point);

}  // namespace tessera::study
