#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/names.h"
#include "core/mapping/searches.h"

namespace tessera::mapping {

namespace {

constexpr std::string_view kTable4 = "Kao, Krishna: MAGMA, HPCA 2022, Table IV";

constexpr Setting kPopulation{
    .name = "population",
    .fallback = 0,
    .min = 0,
    .max = 10'000,
    .whole = true,
    .help = "mappings per generation; 0 = as many as there are jobs, fewer of more than 1,000"};

Setting rate(std::string_view name, double fallback, std::string_view help) {
    return {.name = name, .fallback = fallback, .help = help};
}

const Setting kFirstSteps{.name = "sigma",
                          .fallback = 0.3,
                          .min = 1e-6,
                          .max = 10,
                          .help = "width of the first steps, as a share of a gene's range; not in the table"};

/// Settings of a particle swarm; the best of all and a mapping's own best pull alike.
std::vector<Setting> swarmSettings(double pull, double momentum, std::string_view momentumHelp,
                                   std::string_view speedHelp) {
    return {kPopulation,
            {.name = "global-best", .fallback = pull, .max = 4, .help = "pull of the best of all"},
            {.name = "parent-best", .fallback = pull, .max = 4, .help = "pull of a mapping's own best"},
            {.name = "momentum", .fallback = momentum, .max = 2, .help = momentumHelp},
            {.name = "speed", .fallback = 0.5, .min = 1e-6, .max = 1, .help = speedHelp}};
}

std::vector<Algorithm> makeAlgorithms() {
    return {
        {.id = "tessera",
         .title = "Tessera",
         .description =
             "Ours: assignments annealed on loads and bytes alone, then orders and assignments on a relaxation of "
             "schedules, which takes no samples, and on schedules of which only what a change touches is recomputed; "
             "from several starts of which the better go on; all schedules of up to 12 jobs; ends when the bound "
             "proves the best.",
         .settings = {},
         .source = "Tessera",
         .colour = 0,
         .baseline = false,
         .start = startTessera},
        {.id = "magma",
         .title = "MAGMA",
         .description = "Genetic search whose crossovers keep what belongs together: one genome, a range of jobs, or "
                        "the schedule of a core.",
         .settings = {kPopulation,
                      rate("first-by-speed", 0.5,
                           "share of the first generation in which a job's core is drawn by its speed; 0 = none, as in "
                           "the paper"),
                      rate("elites", 0.05, "share of a generation that lives on unchanged"),
                      rate("parents", 0.1, "share of a generation, the best, that has children"),
                      rate("crossover-gen", 0.9,
                           "chance that children exchange genes of one genome; the three crossovers exclude each "
                           "other, and chances of more than 1 together are shares"),
                      rate("crossover-rg", 0.05, "chance that children exchange a range of both genomes"),
                      rate("crossover-accel", 0.05, "chance that children exchange the schedule of a core"),
                      rate("mutation", 0.05, "chance of every job to be resampled, on average over the children")},
         .source = "Kao, Krishna: MAGMA, HPCA 2022, section V-B",
         .colour = 1,
         .baseline = false,
         .start = startMagma},
        {.id = "magma-published",
         .title = "MAGMA (published code)",
         .description = "The operators and rates of the code that was published, whose crossovers copy one way.",
         .settings = {kPopulation, rate("elites", 0.05, "share of a generation that lives on, and is evaluated again"),
                      rate("parents", 0.1, "share of a generation, the best, that has children"),
                      rate("crossover-gen", 0.1, "chance that a part of one genome is copied"),
                      rate("crossover-rg", 0.1, "chance that a range of both genomes is copied"),
                      rate("crossover-accel", 0.1, "chance that the schedule of a core is copied"),
                      rate("mutation", 0.1, "chance of every gene to be resampled")},
         .source = "the code published with Kao, Krishna: MAGMA, HPCA 2022",
         .colour = 6,
         .start = startMagmaPublished},
        {.id = "stdga",
         .title = "Standard GA",
         .description = "Genetic search with one crossover point in the whole genome, as pagmo has it.",
         .settings = {kPopulation, rate("crossover", 0.1, "chance of a gene to begin an exchange"),
                      rate("mutation", 0.1, "chance of every gene to be resampled")},
         .source = kTable4,
         .colour = 2,
         .start = startStandardGenetic},
        {.id = "de",
         .title = "Differential evolution",
         .description =
             "Adds differences of mappings, the best one's among them, to mappings (pagmo, rand-to-best/1/bin).",
         .settings = {kPopulation, rate("weight", 0.8, "weight of the local and of the global difference"),
                      rate("crossover", 0.5, "chance of every gene to be the new one; not in the table")},
         .source = kTable4,
         .colour = 3,
         .start = startDifferentialEvolution},
        {.id = "cmaes",
         .title = "CMA-ES",
         .description = "Learns which genes move together from the better half of every generation.",
         .settings = {kPopulation, kFirstSteps},
         .source = kTable4,
         .colour = 4,
         .start = startCovarianceAdaptation},
        {.id = "pso",
         .title = "Particle swarm",
         .description = "Mappings fly towards their own best and the best of all, slowing down as they meet.",
         .settings = swarmSettings(1.49618, 0.7298, "share of the speed that is kept",
                                   "greatest speed, as a share of a gene's range"),
         .source = "Clerc, Kennedy: The particle swarm - explosion, stability, and convergence in a multidimensional "
                   "complex space, IEEE Transactions on Evolutionary Computation 6(1), 2002",
         .colour = 6,
         .start = startParticleSwarm},
        {.id = "pso-published",
         .title = "Particle swarm (Table IV)",
         .description =
             "With a momentum above 1 mappings never slow down: they fly from border to border, and may find "
             "less than random ones.",
         .settings = swarmSettings(
             0.8, 1.6, "share of the speed that is kept; above 1 only the greatest speed holds mappings back",
             "greatest speed, as a share of a gene's range; not in the table"),
         .source = kTable4,
         .colour = 7,
         .start = startParticleSwarm},
        {.id = "tbpsa",
         .title = "TBPSA",
         .description = "Evolution strategy that doubles its population whenever a test finds no progress.",
         .settings = {{.name = "population",
                       .fallback = 50,
                       .min = 4,
                       .max = 4096,
                       .whole = true,
                       .help = "mappings of the first generations, and at least"},
                      kFirstSteps},
         .source = kTable4,
         .colour = 7,
         .start = startTestBased},
        {.id = "random",
         .title = "Random search",
         .description = "Mappings drawn uniformly: what every search must beat.",
         .settings = {kPopulation},
         .source = "Kao, Krishna: MAGMA, HPCA 2022, section VI",
         .colour = 5,
         .start = startRandom},
        {.id = "a2c",
         .title = "RL A2C",
         .description = "A policy network maps job after job and learns from the mapping's value against a critic's "
                        "expectation.",
         .settings = {rate("discount", 0.99, "discount of a reward per step"),
                      rate("learning-rate", 0.0007, "of RMSProp")},
         .source = kTable4,
         .colour = 3,
         .start = startActorCritic},
        {.id = "ppo2",
         .title = "RL PPO2",
         .description = "As A2C, but with several careful steps per batch: what a decision's likelihood changes by is "
                        "clipped.",
         .settings = {rate("discount", 0.99, "discount of a reward per step"),
                      rate("learning-rate", 0.00025, "of Adam"),
                      rate("clipping", 0.2, "by which a likelihood may change per batch")},
         .source = kTable4,
         .colour = 4,
         .start = startProximalPolicy},
        {.id = "herald-like",
         .title = "Herald-like",
         .description = "Every job, as they come, to the core where it would end first by latency alone. One sample.",
         .settings = {},
         .source = kTable4,
         .colour = 7,
         .start = startHeraldLike},
        {.id = "ai-mt-like",
         .title = "AI-MT-like",
         .description = "Runs memory- and compute-bound jobs side by side, taking all cores for the same. One sample.",
         .settings = {},
         .source = kTable4,
         .colour = 6,
         .start = startAiMtLike},
    };
}

std::vector<Algorithm>& all() {
    static std::vector<Algorithm> rows = makeAlgorithms();
    return rows;
}

}  // namespace

const std::vector<Algorithm>& algorithms() {
    return all();
}

void addAlgorithm(Algorithm algorithm) {
    all().push_back(std::move(algorithm));
}

const Algorithm* findAlgorithm(std::string_view id) {
    return findRow(algorithms(), id);
}

}  // namespace tessera::mapping
