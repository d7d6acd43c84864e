#pragma once

#include <QString>
#include <memory>

#include "core/report/catalogue.h"
#include "core/study/mapping/outcome.h"
#include "core/study/mapping/schedule.h"
#include "ui/models/engine_run.h"

namespace tessera::ui {

/// A finished mapping run with at least one run of an algorithm.
class MappingRun : public EngineRun<study::MappingOutcome> {
public:
    using EngineRun::EngineRun;

    const mapping::Problem& problem() const { return outcome().problem; }
    const mapping::Run& run(int index) const;
    int runCount() const;
    int bestRun() const;
    QString algorithm(int run) const;
    int jobCount() const;
    int coreCount() const;
    /// "MAGMA": what people call an algorithm, where the engine knows it.
    QString algorithmTitle(int run) const;
    QString algorithmHelp(int run) const;
    QString jobName(int job) const;
    QString coreName(int core) const;
    /// "9.5 ms", or cycles where the clock is not known.
    QString time(double cycles) const;
    /// "1.2 GB/s", or bytes per cycle.
    QString bandwidth(double bytesPerCycle) const;
};

/// Choice shared by the parts of a mapping view, so that one choice moves all.
struct MappingChoice {
    MappingRun run;
    int algorithm = 0;  ///< index of its run
    int job = -1;
    study::JobColour colour = study::JobColour::kind;
    std::vector<study::CoreUse> uses = {};  ///< of the chosen algorithm's cores

    const mapping::Run& chosen() const { return run.run(algorithm); }
    /// Selection for the catalogue of pictures.
    report::Selection selection() const {
        if (run.isEmpty()) return {};
        return {.choice = chosen().algorithm, .colouring = static_cast<std::size_t>(colour)};
    }
};

using SharedMappingChoice = std::shared_ptr<MappingChoice>;

}  // namespace tessera::ui
