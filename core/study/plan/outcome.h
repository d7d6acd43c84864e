#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/physical/transformer.h"
#include "core/plan/axes.h"
#include "core/plan/frameworks.h"
#include "core/plan/search.h"
#include "core/plan/sensitivity.h"

namespace tessera::study {

/// A group of the fleet, as a plan's result says it.
struct PlannedGroup {
    std::string name;
    std::string accelerator;
    std::int64_t count = 1;
    std::int64_t perNode = 1;                 ///< accelerators of a node
    double capacity = 0;                      ///< bytes of an accelerator; 0: not known, so anything fits
    double peak = 0;                          ///< FLOP/s of an accelerator in the first data type
    double linkRate = 0;                      ///< bytes/s of one accelerator inside its node, per direction; 0: none
    double networkRate = 0;                   ///< bytes/s of one accelerator beyond its node, per direction; 0: none
    std::optional<double> pricePerHour = {};  ///< USD of an accelerator

    std::int64_t nodes() const { return (count + perNode - 1) / perNode; }
};

/// What joins two groups of the fleet.
struct PlannedLink {
    std::size_t from = 0, to = 0;  ///< of the groups, from 0
    double rate = 0;               ///< bytes/s of one accelerator of either, per direction
};

/// The best on another number of the fleet's accelerators.
struct ScaledPlan {
    double times = 1;                       ///< of those of each group
    std::int64_t accelerators = 0;          ///< that there are
    std::optional<plan::Scores> best = {};  ///< none where nothing fits
    double low = 0, high = 0;               ///< 90 % interval of the step's seconds
    double tokensPerSecond = 0;             ///< of all accelerators
    std::string configuration = {};         ///< as `plan::shortText`; empty where nothing fits
    std::string misfit = {};                ///< why nothing does

    /// Tokens per second of each accelerator in use; 0 where nothing fits.
    double perAccelerator() const { return best ? tokensPerSecond / best->of(plan::Objective::accelerators) : 0; }
};

/// A published run of the model on accelerators of the fleet, in a data type of the study. What its source leaves open
/// is 0 or empty.
struct MeasuredBeside {
    std::string id, source, software;  ///< of its row, of the table of sources, in the words of the source
    std::string accelerator, dtype;
    std::int64_t accelerators = 1;
    double globalBatch = 0, microBatch = 0;              ///< samples
    std::array<std::int64_t, plan::kAxes> degrees = {};  ///< by axis
    double tokensPerSecond = 0;                          ///< of one accelerator
    std::optional<double> predicted = {};  ///< the same by a model that has not seen it, for this very run

    std::int64_t& degree(plan::Axis axis) { return degrees[static_cast<std::size_t>(axis)]; }
    /// Its number of an axis, the micro-batch among them; 0 where its source does not say it.
    double of(plan::Axis axis) const {
        return axis == plan::Axis::micro ? microBatch : static_cast<double>(degrees[static_cast<std::size_t>(axis)]);
    }
};

/// Published runs of the model on accelerators of the fleet in a data type that is none of the study.
struct MeasuredElsewhere {
    std::string dtype;
    std::int64_t runs = 0;
};

/// A point of the front: a configuration that is non-dominated (Pareto-optimal) in both values.
struct FrontPoint {
    std::string text;  ///< as `plan::shortText`
    double first = 0, second = 0;
    plan::Scores scores = {};
};

/// The configuration that a study asks about, beside the best.
struct AskedConfiguration {
    std::string given;
    std::string misfit = {};                        ///< why it cannot be; empty where it can
    std::optional<plan::Evaluated> evaluated = {};  ///< the best of what `given` leaves open
};

/// Answer to a question about one configuration.
struct PlanAnswer {
    AskedConfiguration asked;
    /// Where it does not fit the memory: the stage that lacks most, of the closest of what `given` leaves open.
    std::optional<std::pair<plan::Configuration, plan::Shortage>> closest = {};
};

/// A fleet that a study compares, and the best that it gives.
struct ComparedFleet {
    std::string name;
    std::int64_t accelerators = 0;
    std::optional<plan::Scores> best = {};  ///< none where nothing fits
    std::string configuration = {};         ///< as `plan::shortText`; empty where nothing fits
};

/// Why nothing fits, and what would.
struct PlanShortage {
    std::string reason;                         ///< a sentence
    std::optional<double> memory = {};          ///< bytes of an accelerator with which the closest configuration fits
    std::optional<int> timesAccelerators = {};  ///< of all groups, with which some fits: a power of two
    std::optional<double> step = {};            ///< s of the fastest configuration, where all are too late
};

/// Result of the plan engine, with what is needed to read it alone.
struct PlanOutcome {
    std::string model;
    std::string fleet;
    double parameters = 0, activeParameters = 0;
    std::int64_t layers = 1;
    double sequence = 1, globalBatch = 1;
    std::string software;  ///< id of the stack or profile whose constants count
    std::vector<std::string> dtypes;
    std::vector<PlannedGroup> groups;
    std::string objective;
    std::pair<plan::Objective, plan::Objective> frontOf;
    std::optional<double> tokens = {};            ///< to train on
    std::optional<double> deadline = {};          ///< s for all of them
    std::vector<plan::Evaluated> configurations;  ///< best first; empty where nothing fits
    std::vector<ComparedFleet> fleets;  ///< those of the study, where there are several; the best one is `fleet`
    std::vector<FrontPoint> front;
    plan::Counted counted;
    EndedBy ended = EndedBy::proof;
    std::vector<plan::Sensitivity> sensitivities;
    std::vector<PlannedLink> links = {};        ///< between groups, those of smaller numbers first
    std::vector<ScaledPlan> scaling = {};       ///< rising, the fleet itself among them; empty where nothing fits it
    std::vector<MeasuredBeside> measured = {};  ///< those nearest to the best in their number of accelerators first
    std::vector<MeasuredElsewhere> measuredElsewhere = {};
    std::optional<plan::Limits> limits = {};
    std::optional<AskedConfiguration> asked = {};
    std::optional<PlanShortage> shortage = {};
    std::optional<physical::Transformer> shape = {};  ///< of the model; none in results of older versions

    /// What is minimised; throughput counts as time.
    plan::Objective goal() const { return plan::kObjectiveNames.named(objective).value_or(plan::Objective::time); }
    const plan::Evaluated* best() const { return configurations.empty() ? nullptr : &configurations.front(); }
    /// The configuration of a rank, from "1"; the best where there is no such one, null where nothing fits.
    const plan::Evaluated* ranked(const std::string& rank) const;
    /// Steps that the tokens take.
    std::optional<double> steps() const;
    std::optional<double> trainingSeconds() const;
    /// USD of the training, or of a step where no tokens are given; none where a price is not known.
    std::optional<double> price() const;
    std::optional<double> trainingPrice() const;
    /// Time of the configuration that is asked about over that of the best.
    std::optional<double> timesTheBest() const;
    /// Whether its configurations have a value of an objective: prices are those of all groups or none, and what the
    /// layers of networks draw is not known.
    bool knows(plan::Objective value) const;
    double accelerators() const;  ///< of all groups
    /// What `tokensPerSecond` counts: "tokens", or "samples" of a network whose samples have none.
    std::string_view unit() const { return hasTokens() ? "tokens" : "samples"; }
    /// The model is a transformer; of results of older versions, all are.
    bool hasTokens() const { return shape || sequence > 1; }
    /// Tokens per second of each accelerator that a configuration uses.
    static double perAccelerator(const plan::Evaluated& its);
    /// Whether all of a configuration lies on one kind of accelerator; its name.
    std::optional<std::string> acceleratorOf(const plan::Configuration& configuration) const;
};

/// The configuration of a rank, from "1", as frameworks are told of it; the best where there is no such one. Throws
/// UsageError where nothing fits, or where the result is of a version that did not keep the model's shape.
plan::FrameworkPlan frameworkPlanOf(const PlanOutcome& outcome, const std::string& rank);

}  // namespace tessera::study
