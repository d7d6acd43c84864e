#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/mapping/mapping.h"

/// Trace of a run; not for users of the engine.
namespace tessera::mapping {

/// Mean and spread of numbers that come one by one. Welford: "Note on a method for calculating corrected sums of
/// squares and products", Technometrics 4(3), 1962; merging after Chan, Golub, LeVeque.
struct Moments {
    std::int64_t count = 0;
    double mean = 0;
    double squares = 0;  ///< sum of squared differences from the mean

    void add(double number, std::int64_t times = 1);
    void merge(const Moments& other);
    double spread() const;
};

/// A convergence curve of at most 2,000 points: where it grows longer, neighbours become one. The same generations
/// give the same curve.
class Curve {
public:
    void add(std::int64_t samples, double best, const Moments& generation);
    std::vector<ConvergencePoint> points() const;

    Json toJson() const;
    static Curve from(const Json& json);

private:
    struct Point {
        std::int64_t samples = 0;
        double best = 0;
        Moments moments;
    };
    static constexpr std::size_t kMax = 2000;

    std::vector<Point> points_;
    std::int64_t perPoint_ = 1;  ///< generations in a whole point
    std::int64_t inLast_ = 0;    ///< generations in the last point
};

/// Samples to look at: every k-th, where k doubles whenever there would be more than the limit.
class KeptSamples {
public:
    KeptSamples() = default;
    KeptSamples(std::size_t max, std::size_t jobs, std::size_t cores);

    /// `index` counts the run's samples from 0, and never falls.
    void consider(std::int64_t index, const Mapping& mapping, double value) {
        if (index >= next_ && max_ > 0) keep(index, mapping, value);
    }
    std::size_t size() const { return index_.size(); }
    std::size_t genesPerSample() const { return 2 * jobs_; }
    /// Row-major: per sample the cores, as numbers in [0, 1), then the priorities.
    const std::vector<float>& genes() const { return genes_; }
    /// All but the plane's coordinates.
    std::vector<ExploredPoint> points() const;

    Json toJson() const;
    void load(const Json& json);

private:
    void keep(std::int64_t index, const Mapping& mapping, double value);
    void thin();

    std::size_t max_ = 0, jobs_ = 0, cores_ = 0;
    std::int64_t stride_ = 1, next_ = 0;
    std::vector<std::int64_t> index_;
    std::vector<double> value_;
    std::vector<float> genes_;
};

/// Mappings of which none is better than another in both objectives; of more than 200 the most crowded is left out.
class Front {
public:
    void add(const FrontPoint& point);
    const std::vector<FrontPoint>& points() const { return points_; }

    Json toJson() const;
    void load(const Json& json, const Problem& problem);

private:
    static constexpr std::size_t kMax = 200;

    std::vector<FrontPoint> points_;  ///< by `first`, rising
};

/// All that a run knows, in a form that checkpoints keep.
struct Record {
    Record(const Problem& problem, const Options& options);

    std::int64_t samples = 0;
    Mapping best = {};  ///< of Options::objective
    double value = std::numeric_limits<double>::infinity();
    std::int64_t bestAfter = 0;
    std::optional<EndedBy> endedBy = {};  ///< nothing while it works
    Moments generation = {};              ///< of the samples since the curve's last point
    Curve curve = {};
    KeptSamples kept;
    Front front = {};

    Json toJson() const;
    void load(const Json& json, const Problem& problem);
};

/// Writes the coordinates of all runs' explored points: the plane of the two principal components of all kept samples
/// (principal component analysis); the greatest part of either component is positive.
void project(const std::vector<const KeptSamples*>& kept, const std::vector<std::vector<ExploredPoint>*>& points);

}  // namespace tessera::mapping
