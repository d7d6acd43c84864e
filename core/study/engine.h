#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/input_files.h"
#include "core/base/json.h"
#include "core/base/run_control.h"
#include "core/base/timeline.h"
#include "core/explore/point_table.h"
#include "core/study/estimate.h"
#include "core/study/explanation.h"
#include "core/study/metric.h"
#include "core/study/parameter.h"
#include "core/study/result.h"

/// Engine: one row, made in its own folder, from which menus, `--help`, study files, forms, documents, the history,
/// comparisons and progress follow.
namespace tessera::ranks {
class Conductor;
}

namespace tessera::study {

struct Comparison;

/// Control of a study's run, and its input files.
struct RunContext : ResumableControl<Json, HeldJson> {
    /// Inputs of the run, which may have been registered instead of lying on the disk, so that a run can be repeated
    /// from the history after its files are gone; null = its own.
    std::shared_ptr<InputFiles> files = {};
    /// Receives points that a search has evaluated, for pictures that follow it: each time new ones with the same
    /// columns, from one thread at a time. Empty = nobody looks. Never changes a result.
    std::function<void(explore::PointTable points)> evaluated = {};
    /// Other processes that do parts of the work of engines that share it; null = there are none. Never changes a
    /// result.
    std::shared_ptr<ranks::Conductor> ranks = {};
};

/// Number of inputs of a sort that a study takes.
enum class InputArity : std::uint8_t { none, atMostOne, one, many };

/// A file that a study rests on besides its models.
struct InputFile {
    bool hardware = false;  ///< else of the workload
    std::string name;       ///< as the study, or the file that names it, names it
    std::string path;
};

/// Objective that an engine reports while it runs.
struct ProgressObjective {
    std::string_view id;     ///< as the parameter `objective` says it; empty where there is one alone
    std::string_view title;  ///< "Step time": of the axis on which it is drawn
    std::string (*text)(double value);
    bool rises = false;  ///< more is better
};

/// A metric that a line about a run shows.
struct KeyMetric {
    std::string_view name;
    Measure measure = Measure::count;
    bool uncertain = false;  ///< carries an error of some per cent
};

/// A metric by which runs are compared, and how it is said who is ahead: of runs that are alike, of a baseline that is
/// ahead itself, of another run.
struct DecidingMetric {
    std::string_view name;
    bool time = false;  ///< comparable only where all runs do the same work
    std::string_view alike, baseline, other;
};

/// Work of a step of a run's best result, and the hardware that does it. Times of unequal work are not comparable;
/// where work is counted in samples, what a step takes is compared by the sample or by the token.
struct AmountOfWork {
    std::string amount = {};   ///< equal for equal work
    std::int64_t devices = 0;  ///< that do it; 0 = not counted
    double samples = 0;        ///< of all devices together; 0 = work is not counted in samples
    double tokens = 0;         ///< of a sample; 0 = not known, or there are none
    double seconds = 0;        ///< that the step takes; 0 = not known
};

/// A part of a run's best result, which comparisons set beside the part of that name in other runs.
struct ComparedPart {
    std::string name;  ///< "stage 1", "conv2d_1"
    std::string what;  ///< how it is done, in words: "layers 1 to 8 on 8 h100"; may be empty
    double value = 0;  ///< what it takes
    std::string text;  ///< of the value: "213 ms"
};

/// Parts of a run's best result, in their order.
struct ComparedParts {
    std::string title;  ///< "Stages"
    std::vector<ComparedPart> parts;
};

/// A fact about what a result is of, as comparisons list it.
struct InputFact {
    std::string section;  ///< "Model", "Workload", "Hardware"
    std::string field;    ///< "name", "groups[1].count"
    std::string value;
};

/// Task after which an engine goes on with another one, whose length is known only once it works.
struct LaterTask {
    std::string_view task, then;
};

/// A compact form of results of many rows; see Engine::rowCount.
struct PackedForm {
    std::string (*pack)(const Result& result) = nullptr;
    Result (*unpack)(std::string_view bytes, const Study& study, const std::string& file) = nullptr;
};

/// An engine: what it takes, how it works, and how its results are written, read, named and compared. Functions that
/// are null have the default that is said. A `result` is always one of the engine's own.
struct Engine {
    std::string_view id;  ///< "partition"; written to files, never changes
    std::string_view title;
    std::string_view description;
    std::string_view command = {};  ///< of the command line: "map"; empty = its id

    // What a study of it takes.
    std::string_view hardwareKind;               ///< what `hardware` names: "fleet"
    std::string_view workloadKind = "workload";  ///< what `workloads` names
    InputArity models = InputArity::one;
    InputArity workloads = InputArity::none;
    InputArity hardware = InputArity::one;
    bool loadsAtBatch = false;  ///< its models are read with the samples of the parameter `batch`, else with their own
    bool drawsNumbers = false;  ///< has a seed
    bool measures = false;      ///< its results are measurements: the same study gives other numbers each time
    bool checkpoints = false;   ///< keeps checkpoints, from which an interrupted run is resumed; else it starts over
    bool shares = false;        ///< its work is done by several processes where there are such (RunContext::ranks)
    const std::vector<Parameter>& (*parameters)() = nullptr;
    /// Sets parameters whose defaults follow from the study's inputs; null = there are none. Throws what reading the
    /// inputs throws.
    void (*infer)(Study& study) = nullptr;
    /// Names of parameters that came when studies were kept already: at its default each leaves a study's hash alone.
    std::vector<std::string_view> laterParameters = {};
    /// The files behind a study's names besides its models, read as this thread's InputFiles say, and those that they
    /// name. Throws FileError, DataError, UsageError.
    std::vector<InputFile> (*files)(const Study& study) = nullptr;
    /// Kind of study files beside `tessera.study/1`, which have the parameters as members of their own.
    std::string_view studySchema = {};
    /// The studies that a study runs, whose inputs are its own: one for each choice of inputs that it makes. Null = it
    /// is the only one. May throw what reading the study throws.
    std::vector<Study> (*inner)(const Study& study) = nullptr;

    // How it works.
    Result (*run)(const Study& study, const RunContext& context) = nullptr;
    Estimate (*estimate)(const Study& study) = nullptr;  ///< may throw: its error is then the study's problem
    std::vector<ProgressObjective> objectives = {};      ///< the first where the study names none
    bool spansDecades = false;                           ///< progress is drawn on a logarithmic axis
    std::string_view samplesParameter = {};              ///< how many samples each algorithm of a portfolio is to draw
    std::vector<LaterTask> laterTasks = {};

    // Its output document.
    std::string_view resultSchema;   ///< "tessera.partition-result/1"
    Json (*jsonSchema)() = nullptr;  ///< of the document, as data/schemas has it; null = it has none
    void (*write)(const Result& result, const TextSink& write) = nullptr;
    Result (*read)(const JsonNode& document, const Study& study) = nullptr;  ///< throws DataError
    std::size_t (*rowCount)(const Result& result) = nullptr;                 ///< of layers; null = never packed
    PackedForm packed = {};

    // What its results say.
    std::string (*titleOf)(const Result& result) = nullptr;  ///< "mix on S2"; null = the study's
    std::string (*headline)(const Result& result) = nullptr;
    std::vector<Metric> (*metrics)(const Result& result) = nullptr;
    /// Reason why a result is no solution: the sentence with which a command ends; null or empty = it is one.
    std::string (*misfit)(const Result& result) = nullptr;
    /// Formats a metric's value by the last part of its name; empty for names that the engine does not own.
    std::optional<std::string> (*metricText)(std::string_view name, double value) = nullptr;
    std::optional<Explanation> (*explain)(const Result& result, const std::string& path) = nullptr;  ///< see explain
    std::vector<KeyMetric> keyMetrics = {};  ///< the first that a run has is shown; none = the headline's beginning
    /// The metrics of an objective that rises and of its bound, whose ratio is the gap; empty = the metric "gap".
    std::string_view objectiveMetric = {}, boundMetric = {};
    /// Timeline of a strategy, algorithm or model; null = there is none. Throws UsageError.
    Timeline (*timeline)(const Result& result, const std::string& choice) = nullptr;
    /// Choice whose timeline is stored with a run; empty where it is too long or does not exist.
    std::optional<std::string> (*keptTimeline)(const Result& result) = nullptr;

    // How results are compared.
    std::vector<InputFact> (*facts)(const Result& result) = nullptr;
    std::vector<DecidingMetric> deciding = {};
    AmountOfWork (*work)(const Result& result) = nullptr;
    /// Metrics of a step that grow with its work, so that they are not comparable where that differs.
    std::vector<std::string_view> ofWork = {};
    /// What is compared part by part; null = nothing is.
    ComparedParts (*parts)(const Result& result) = nullptr;
    /// Adds to a comparison what of its results is compared besides metrics and parts; null = nothing is. Results may
    /// be of other engines.
    void (*addToComparison)(Comparison& comparison, const std::vector<const Result*>& results) = nullptr;
    /// True if the error intervals of two results leave open which of them is faster, at rates of which more is better;
    /// null = never.
    bool (*tooCloseToCall)(const Result& a, double rateOfA, const Result& b, double rateOfB) = nullptr;
    /// The question that a result answers; "{}" = the title of the run. Empty: "What came out of {}?"
    std::string_view question = {};
};

/// Every engine, in the order in which they are listed.
const std::vector<Engine>& engines();
/// Adds an engine to those there are, for programs that bring their own. Before anything is looked up.
void addEngine(Engine engine);
/// Null where this program has no such engine: a history may hold runs of another program's.
const Engine* findEngine(std::string_view id);
/// Throws UsageError, with a hint, where there is no such engine.
const Engine& engineNamed(std::string_view id);
/// The command that runs an engine: "map".
std::string_view commandOf(const Engine& engine);
/// The engine of a result.
const Engine& engineOf(const Result& result);
/// The studies whose inputs are those of a study: itself, or what it runs; none where that cannot be read.
std::vector<Study> partsOf(const Study& study);

/// The rows of a timeline, or of the result that it is made from, up to which it is kept with a run.
inline constexpr std::size_t kMaxRowsOfTimeline = 200'000;

}  // namespace tessera::study
