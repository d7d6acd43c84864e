#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/json.h"
#include "core/codesign/search/search.h"
#include "core/hardware/numbers.h"
#include "core/mapping/mapping.h"
#include "core/partition/partition.h"
#include "core/predict/prediction.h"

namespace tessera::study {

/// Inputs, parameters and seed of one run: a value that can be compared, stored and hashed.
struct Study {
    std::string engine;
    std::string name;                   ///< for people; may be empty
    std::vector<std::string> models;    ///< MODEL as users name it: a file or "zoo:NAME"
    std::vector<std::string> hardware;  ///< a file or a bundled name
    /// A bundled name or a file: a workload, jobs as a table of layers, or, where no hardware is named, a table of what
    /// every job takes on every core.
    std::vector<std::string> workloads = {};
    std::map<std::string, std::int64_t> dimensions;  ///< values of symbolic dimensions
    HeldJson parameters = HeldJson::object();  ///< every parameter that has a value, in the order of the engine's table
    std::optional<std::uint64_t> seed;         ///< where the engine draws random numbers

    bool operator==(const Study&) const = default;
};

/// `tessera.study/1`.
Json toJson(const Study& study);

/// A file or generated model that a result rests on.
struct Input {
    std::string name;    ///< as the user named it
    std::string sha256;  ///< of its bytes
    bool operator==(const Input&) const = default;
};

/// The numbers of one group of the fleet that partitioning used, kept so that a stored result can be explained alone.
struct GroupNumbers {
    std::string name;
    std::string accelerator;
    std::int64_t count = 0;
    FlopsPerSecond peak;  ///< of one accelerator in the study's data type
    double efficiency = 1;
    BytesPerSecond rate;  ///< of one accelerator's network
    std::optional<Bytes> capacity;
    /// Where the numbers come from, by the field of the result: "peak_flops", "network_bytes_per_s", …
    hardware::ProvenanceMap sources;
};

/// What the partition engine found.
struct PartitionOutcome {
    std::string model;
    std::string fleet;
    std::int64_t accelerators = 0;
    std::vector<GroupNumbers> groups;  ///< in file order; empty in results of older programs
    partition::Result result;
};

/// The fastest plan, which headlines are about; ties go to the one asked for first. Null where there is no plan.
const partition::Plan* fastestPlan(const PartitionOutcome& outcome);

/// One sub-accelerator as mapping used it, kept so that a stored result can be explained alone.
struct CoreNumbers {
    std::string name;
    std::string dataflow;     ///< "nvdla"; empty where a table of jobs says nothing about it
    std::int64_t height = 0;  ///< of the array of processing elements; 0 = not known
    std::int64_t width = 0;
    bool flexible = false;  ///< the array's shape is chosen for every job
    Bytes local;            ///< SL: the buffer of one processing element
    Bytes shared;           ///< SG: the buffer that all of them share
    std::optional<Hertz> clock;
    /// Where the numbers come from, by the field of the result: "dataflow", "clock_hz", …
    hardware::ProvenanceMap sources;
};

/// What the mapping engine found, and what it was asked, so that a stored result can be read alone.
struct MappingOutcome {
    std::string platform;  ///< empty for a table of jobs
    std::string workload;  ///< empty for a table of jobs
    std::string jobTable;  ///< the table's name; empty otherwise
    std::vector<CoreNumbers> cores;
    std::string variant;              ///< of the cost model; empty for a table of jobs
    std::string bandwidthDefinition;  ///< of the required bandwidth; empty for a table of jobs
    mapping::Problem problem;
    mapping::Objective objective = mapping::Objective::throughput;
    mapping::Weights weights;
    std::int64_t samples = 0;  ///< that each algorithm was allowed
    std::optional<std::pair<mapping::Objective, mapping::Objective>> pareto;
    bool evaluated = false;              ///< a given mapping was scored, nothing was searched
    std::int64_t differingRows = 0;      ///< of the problem's table, on which the variants of the cost model differ
    std::vector<std::string> jobModels;  ///< by job: the network that it is of; empty where not known
    std::vector<std::string> jobKinds;   ///< by job: "conv", "dsconv", "gemm"; empty where not known
    mapping::Result result;
};

/// The run with the least value of the objective; ties go to the one asked for first. Null where there is none.
const mapping::Run* bestRun(const MappingOutcome& outcome);

/// What the co-design engine found. Of the template only what the output document tells is there in a result that was
/// read back.
struct CodesignOutcome {
    codesign::Result result;
};

/// What the prediction engine found.
struct PredictionOutcome {
    std::string model;
    std::string dtype;
    std::string dataset;  ///< empty where loading is not counted
    double parameters = 0;
    double flopsPerSample = 0;  ///< of one step: forward, backward and update at the batch of one sample
    std::vector<predict::Prediction> predictions;  ///< by accelerator, then number of devices, as asked
    std::vector<predict::Ranking> ranking;
};

/// The prediction of the highest throughput, which headlines are about; ties go to the one asked for first. Null where
/// nothing fits.
const predict::Prediction* fastestPrediction(const PredictionOutcome& outcome);

/// What a run yields, with the provenance of every assumption. Holds no time of day and no address.
struct Result {
    Study study;
    std::vector<Input> inputs;
    std::variant<PartitionOutcome, MappingOutcome, CodesignOutcome, PredictionOutcome> outcome;
    std::vector<std::string> assumptions;
    std::vector<std::string> warnings;
    std::string version = TESSERA_VERSION;  ///< of the program that computed it
};

/// Receives a text in parts.
using TextSink = std::function<void(std::string_view)>;

/// Writes the output document of a result, by its engine's schema (`tessera.partition-result/1`), part by part, so that
/// even the result of a very deep network takes little memory.
void writeJson(const Result& result, const TextSink& write);
/// The same as a value.
Json toJson(const Result& result);

/// Reads an output document back, as the history stores it, exactly: `toJson(readResult(toJson(r), study)) ==
/// toJson(r)`. Throws DataError.
Result readResult(const JsonNode& document, const Study& study);

/// How every output document begins: schema, tool_version, command, seed where there is one, inputs.
Json documentHead(const std::string& schema, const std::string& command, const std::vector<Input>& inputs,
                  std::optional<std::uint64_t> seed = std::nullopt);
/// And how it ends: assumptions, warnings.
void finishDocument(Json& document, const std::vector<std::string>& assumptions,
                    const std::vector<std::string>& warnings);

/// Sentences in order, each once.
void addOnce(std::vector<std::string>& sentences, const std::vector<std::string>& more);

}  // namespace tessera::study
