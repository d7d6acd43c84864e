#pragma once

#include "core/study/partition/outcome.h"
#include "core/study/result.h"
#include "core/study/study.h"

namespace tessera::test {

/// A small result made by hand: two layers, two splits, two strategies; the whole fleet is its best subset.
inline study::Result handMadeResult() {
    using namespace partition;
    study::Result result;
    result.study = study::newStudy("partition");
    result.study.models = {"zoo:two"};
    result.study.hardware = {"pair"};
    result.inputs = {{"zoo:two", std::string(64, 'a')}, {"pair", std::string(64, 'b')}};
    result.assumptions = {"Transfers and compute do not overlap."};
    result.warnings = {"The plan 'dp' does not fit."};

    LevelPlan root;
    root.group = "slow|fast";
    root.accelerators = 4;
    root.ratio = 0.25;
    root.objective = Seconds{0.5};
    root.sideI = Seconds{0.5};
    root.sideJ = Seconds{0.25};
    root.lowerBound = Seconds{0.5};
    root.layers = {
        {.layer = 0, .type = Type::I, .compute = Seconds{0.1}, .intra = Seconds{0.2}, .inter = Seconds{0}},
        {.layer = 1, .type = Type::III, .compute = Seconds{0.1}, .intra = Seconds{0.05}, .inter = Seconds{0.05}}};
    root.joins = {{.layer = 2, .layout = Layout::channels, .compute = Seconds{0}, .inter = Seconds{0.01}}};
    LevelPlan below = root;
    below.level = 1;
    below.group = "fast";
    below.accelerators = 2;
    below.occurrences = 2;
    below.layers.change(1, [](auto& row) { row.type = Type::I; });

    Plan best;
    best.strategy = "accpar";
    best.stepTime = Seconds{0.0362};
    best.throughput = 14143.6;
    best.speedupOverDp = 6.31;
    best.cost = Seconds{0.03};
    best.lowerBound = Seconds{0.0362};
    best.optimal = true;
    best.endedBy = EndedBy::proof;
    best.levels = {root, below};
    best.shares = {{.kind = "slow",
                    .count = 2,
                    .compute = Seconds{0.01},
                    .communication = Seconds{0.02},
                    .memory = Bytes{2e9},
                    .capacity = Bytes{64e9},
                    .fits = true},
                   {.kind = "fast",
                    .count = 2,
                    .compute = Seconds{0.01},
                    .communication = Seconds{0.02},
                    .memory = Bytes{2e9},
                    .capacity = std::nullopt,
                    .fits = true}};
    best.boundsSubsets = true;
    best.subsets = {{.idle = {},
                     .accelerators = 4,
                     .stepTime = Seconds{0.0362},
                     .speedupOverDp = 6.31,
                     .lowerBound = Seconds{0.0362}},
                    {.idle = {"slow"},
                     .accelerators = 2,
                     .stepTime = Seconds{0.0458},
                     .speedupOverDp = 4.99,
                     .lowerBound = Seconds{0.04}},
                    {.idle = {"fast"},
                     .accelerators = 2,
                     .stepTime = Seconds{0.1},
                     .speedupOverDp = 2.28,
                     .lowerBound = Seconds{0.1}}};
    Plan dp = best;
    dp.strategy = "dp";
    dp.stepTime = Seconds{0.228422};
    dp.speedupOverDp = 1;
    dp.optimal = false;
    dp.gap = 5.31;
    dp.fits = false;
    dp.subsets.clear();

    study::PartitionOutcome outcome;
    outcome.model = "two";
    outcome.fleet = "pair";
    outcome.accelerators = 4;
    outcome.result.batch = 512;
    outcome.result.names = {"cv1", "fc<1>", "join"};
    outcome.result.plans = {best, dp};
    result.outcome = outcome;
    return result;
}

}  // namespace tessera::test
