#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/mapping/mapping.h"
#include "core/reproduce/reproduce_figures.h"

/// Common parts of the experiments of Kao, Krishna: "MAGMA", HPCA 2022, section VI: cases, the two readings of each,
/// and searches on them.
namespace tessera::study {

/// A cell of the paper's experiments: a task on a platform of Table III under a bandwidth.
struct Case {
    std::string_view workload;
    std::string_view platform;
    double bandwidth = 16;   ///< GB/s, as the paper writes it
    std::uint64_t seed = 1;  ///< of the group of jobs: another seed is another group
};

/// Reading of a case: `published`, as the published code does, or `corrected`, as physics does.
struct PaperSetting {
    std::string_view suffix;  ///< of an item
    std::string_view variant;
    std::string_view bandwidthDefinition;
    double bytesPerSecond = 0;  ///< of one "GB/s" of the paper
};
/// The published code compares its GB/s with bytes per cycle as they are: of a clock of 200 MHz, a fifth.
inline constexpr std::array<PaperSetting, 2> kReadings{PaperSetting{"", "published", "tile", 200e6},
                                                       PaperSetting{" (corrected)", "corrected", "streaming", 1e9}};

/// "mix S2 16", or "mix S2 16 (corrected)".
std::string itemOf(const Case& cell, const PaperSetting& reading);
/// "mix S2 16" by any reading, and where a claim of the paper about it is looked for.
std::string nameOf(const Case& cell);
std::string_view placeOf(const PaperSetting& reading);

/// A case, read.
struct Prepared {
    Case cell;
    const PaperSetting* reading = nullptr;
    mapping::Problem problem;
    std::vector<Input> inputs;
    std::vector<std::string> assumptions;
    bool isCut = false;  ///< see `cut`

    std::string item() const { return name() + std::string(reading->suffix); }
    std::string name() const { return nameOf(cell) + (isCut ? ", cut" : ""); }
    std::string_view place() const { return placeOf(*reading); }
};

/// Makes a case with long jobs cut into smaller mini-batches of equal parts, until none takes more than a quarter of
/// what every core has to do: no single job is then the bound, and mappings can differ.
Prepared cut(const Prepared& whole);

/// A search of an experiment.
struct Searcher {
    std::string_view metric;
    std::string_view algorithm;
    double share = 1;                             ///< of the experiment's samples: less where a sample is dear
    std::map<std::string, double> settings = {};  ///< "magma.mutation" → 0.1
};

/// One figure on its way: reads cases and runs parts side by side.
class Experiment : public Recomputation {
public:
    Experiment(const Figure& figure, const ReproductionOptions& options, const RunControl& control);

    /// Every case by every reading, readings next to each other; what they rest on goes into the result.
    std::vector<Prepared> prepare(const std::vector<Case>& cells, std::int64_t groupSize = 100);
    /// Calls part(0) … part(count-1) side by side and reports how many are done. Throws InterruptedError.
    void each(std::string_view what, std::size_t count, const std::function<void(std::size_t)>& part);

    /// Part of the paper's samples: `share` of them, and fewer where a caller has a smaller budget.
    std::int64_t samples(double papers, double share = 1) const;
    /// Searches side by side with as many samples each; of each as many as `explored` are kept.
    mapping::Result runPortfolio(const mapping::Problem& problem, const std::vector<Searcher>& searchers,
                                 std::int64_t samples, std::size_t explored) const;
    /// One search by one algorithm; `warm` are mappings that its first generation begins with.
    mapping::Run search(const mapping::Problem& problem, const Searcher& searcher, std::int64_t samples,
                        std::uint64_t seed = 1, std::vector<mapping::Mapping> warm = {}) const;

private:
    const ReproductionOptions& options_;
    const RunControl& control_;
};

/// The searchers whose algorithm the engine has.
std::vector<Searcher> known(const std::vector<Searcher>& searchers);

/// Best so far after `samples`; infinite before the first point.
double bestAfter(const mapping::Run& run, std::int64_t samples);
/// Billions of operations per second at 200 MHz, two to a multiply-accumulate.
double gflops(const mapping::Problem& problem, double makespan);

/// More by what a bar of a figure could show: a thousandth.
constexpr bool exceeds(double a, double b) {
    return a > b * 1.001;
}

Recompute magmaFigure7, magmaFigure8, magmaFigure9, magmaFigure10, magmaFigure11, magmaFigure12, magmaFigure13,
    magmaFigure14, magmaFigure15, magmaFigure16, magmaFigure17, magmaTable5;

inline const Searcher kMagma{.metric = "magma", .algorithm = "magma"};

/// Samples of every search (section VI-B): about a hundred generations of a hundred.
inline constexpr double kSamples = 10'000;

}  // namespace tessera::study
