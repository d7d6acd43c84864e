#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/units.h"
#include "core/study/field.h"
#include "core/study/plan/outcome.h"

/// What a plan's result says, each number once: documents, metrics, explanations, tables and pictures are made of these
/// rows, and of `plan::axes` for what a configuration consists of.
namespace tessera::study {

/// What a plan may be chosen by, as outputs have it.
struct ObjectiveRow {
    plan::Objective objective;
    std::string_view key;    ///< "step_time_s": of documents, metrics and exact tables
    std::string_view title;  ///< "Step time"
    std::string_view head;   ///< "Step": over columns
    std::string_view about;  ///< a sentence for the schema of documents
    Measure measure = Measure::count;
    std::string_view unit = {};  ///< of a count: "$", before it
};
/// In the order of `plan::Objective`.
inline constexpr std::array<ObjectiveRow, plan::kObjectives> kObjectiveRows{
    {{plan::Objective::time, "step_time_s", "Step time", "Step", "Seconds of a step.", Measure::seconds},
     {plan::Objective::price, "price_usd", "Price of a step", "Price", "Of a step; 0 where a price is not known.",
      Measure::count, "$"},
     {plan::Objective::energy, "energy_j", "Energy of a step", "Energy", "Of a step.", Measure::joules},
     {plan::Objective::accelerators, "accelerators", "Accelerators in use", "Accelerators", "In use."},
     {plan::Objective::memory, "memory_bytes", "Peak memory of an accelerator", "Memory",
      "Of the fullest accelerator; 0 where it is not asked for.", Measure::bytes}}};
constexpr const ObjectiveRow& rowOf(plan::Objective objective) {
    return kObjectiveRows[static_cast<std::size_t>(objective)];
}

/// A rate of a configuration that was evaluated in full; more is better.
struct RateRow {
    std::string_view key;    ///< of documents, metrics and exact tables
    std::string_view title;  ///< "Model FLOPs utilisation"
    std::string_view head;   ///< "MFU": over columns
    std::string_view about;  ///< a sentence for the schema of documents
    double plan::Evaluated::*value;
};
inline constexpr RateRow kThroughput{"tokens_per_s", "Throughput", "Throughput", "Of all accelerators.",
                                     &plan::Evaluated::tokensPerSecond};
inline constexpr RateRow kUtilisation{"model_flops_utilisation", "Model FLOPs utilisation", "MFU",
                                      "FLOP of the model over what the accelerators in use can do.",
                                      &plan::Evaluated::utilisation};

/// A part of a step's seconds.
struct StepTimeTerm {
    std::string_view key;    ///< "tensor_s": of documents
    std::string_view title;  ///< "Tensor parallelism"
    std::string_view about;  ///< a sentence for the schema of documents
    double plan::TimeShares::*seconds;
    std::string_view bar;  ///< "tensor": of pictures, in which neighbours of one id are one
};
inline constexpr std::array kStepTimeTerms{
    StepTimeTerm{"compute_s", "Compute", "Kernels, and waiting for their launch.", &plan::TimeShares::compute,
                 "compute"},
    StepTimeTerm{"tensor_s", "Tensor parallelism", "Exposed collectives of tensor parallelism.",
                 &plan::TimeShares::tensor, "tensor"},
    StepTimeTerm{"context_s", "Context parallelism", "Of context parallelism.", &plan::TimeShares::context, "context"},
    StepTimeTerm{"expert_s", "Expert parallelism", "Of experts.", &plan::TimeShares::expert, "expert"},
    StepTimeTerm{"pipeline_s", "Between stages", "Between stages.", &plan::TimeShares::pipeline, "pipeline"},
    StepTimeTerm{"bubble_s", "Bubble", "Idle in the pipeline, and waiting for the slowest stage.",
                 &plan::TimeShares::bubble, "bubble"},
    StepTimeTerm{"data_s", "Gradients and parameters", "Exposed reduction of gradients and gathering of parameters.",
                 &plan::TimeShares::data, "data"},
    StepTimeTerm{"optimizer_s", "Optimizer", "The update.", &plan::TimeShares::optimizer, "update"},
    StepTimeTerm{"start_s", "Start of the step", "Of the step beside all else.", &plan::TimeShares::start, "update"}};

/// A part of a step as pictures and sentences show it.
struct StepTimePart {
    std::string id, title;
    double seconds = 0;
};
/// What takes a step's seconds, in the order of `kStepTimeTerms`.
std::vector<StepTimePart> stepTimeParts(const plan::TimeShares& time);
/// By how much each part of a step is longer than the other's; negative where it is shorter.
std::vector<StepTimePart> stepTimeDifferences(const plan::TimeShares& time, const plan::TimeShares& other);

/// A part of the memory of a stage's accelerators, in bytes.
struct StageMemoryTerm {
    std::string_view key;                          ///< "parameters_bytes": of documents and exact tables
    std::string_view title;                        ///< "Weights, gradients, optimizer"
    std::string_view head;                         ///< over columns, where it is shorter
    std::string_view about;                        ///< a sentence for the schema of documents
    double physical::StepMemory::*part = nullptr;  ///< of the model; null: what the framework takes
    /// Its bytes in a `plan::EvaluatedStage` or a `plan::Shortage`.
    constexpr auto& of(auto& stage) const { return part != nullptr ? stage.memory.*part : stage.allowance; }
};
inline constexpr std::array kStageMemoryTerms{
    StageMemoryTerm{"parameters_bytes", "Weights, gradients, optimizer", "", "Weights, gradients, optimizer.",
                    &physical::StepMemory::parameters},
    StageMemoryTerm{"activations_bytes", "Activations in flight", "Activations", "Of the micro-batches in flight.",
                    &physical::StepMemory::activations},
    StageMemoryTerm{"working_bytes", "Layer or head at work", "At work", "Of the layer or head at work.",
                    &physical::StepMemory::working},
    StageMemoryTerm{"software_bytes", "Framework overhead", "Software",
                    "What the framework takes besides the model, as fitted to measured peaks."}};

/// Numbers of the result as a whole.
const std::vector<Field<PlanOutcome>>& trainingPlanFields();

/// A configuration of the list, from 0.
struct PlanConfigurationRow {
    const PlanOutcome* outcome;
    const plan::Evaluated* its;
    std::size_t number;
};
const std::vector<Field<PlanConfigurationRow>>& planConfigurationFields();
std::vector<PlanConfigurationRow> planConfigurationRows(const PlanOutcome& outcome);

/// A stage of a configuration, from 0.
struct PlanStageRow {
    const PlanOutcome* outcome;
    const plan::Evaluated* of;
    std::size_t number;
    const plan::EvaluatedStage& its() const { return of->stages[number]; }
};
const std::vector<Field<PlanStageRow>>& planStageFields();
/// Those of the configuration of a rank, as `PlanOutcome::ranked`.
std::vector<PlanStageRow> planStageRows(const PlanOutcome& outcome, const std::string& rank);

/// The best on another number of accelerators, and on the fleet itself, where that is known.
struct PlanSizeRow {
    const PlanOutcome* outcome;
    const ScaledPlan* its;
    const ScaledPlan* whole;
};
const std::vector<Field<PlanSizeRow>>& planSizeFields();
std::vector<PlanSizeRow> planSizeRows(const PlanOutcome& outcome);

/// The best configuration, or a published run.
struct PlanBesideRow {
    const PlanOutcome* outcome;
    const MeasuredBeside* its;  ///< null: the best
    const plan::Evaluated& best() const { return *outcome->best(); }
};
const std::vector<Field<PlanBesideRow>>& planBesideFields();
/// The best first, then the runs; none where nobody measured any.
std::vector<PlanBesideRow> planBesideRows(const PlanOutcome& outcome);

/// Characters of what a source wrote that are shown.
inline constexpr std::size_t kMaxQuoted = 60;

/// The stage whose accelerators hold most.
const plan::EvaluatedStage& fullestStage(const plan::Evaluated& evaluated);

}  // namespace tessera::study
