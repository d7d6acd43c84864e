#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/enum_names.h"
#include "core/base/json.h"
#include "core/hardware/field.h"
#include "core/hardware/library.h"
#include "core/hardware/numbers.h"
#include "core/model/jobs.h"
#include "core/model/model.h"

namespace tessera::cost {

/// A model whose layers are jobs of a workload.
struct WorkloadSource {
    std::string model;  ///< as users name it: "zoo:resnet50", or a file's path relative to the workload's file
    std::string kind;   ///< "vision", "language", "recommendation", or another word; empty = none
    std::int64_t batch = 1;
    std::map<std::string, std::int64_t> dimensions = {};  ///< values of symbolic dimensions

    bool operator==(const WorkloadSource&) const = default;
};

/// Rule by which a group is drawn from the jobs of all sources.
enum class DrawRule : std::uint8_t {
    /// Every job: a kind, then a model of that kind, then a layer of that model, each with equal chances, with
    /// replacement (jobs of a group are independent mini-batches).
    balanced,
    layers,   ///< every job: a layer of all models, each with equal chances, with replacement
    inOrder,  ///< the jobs of all models one after the other; a group takes up where the one before it ended
};
inline constexpr EnumNames<DrawRule> kDrawRuleNames{"balanced", "layers", "in-order"};  ///< in files
constexpr std::string_view nameOf(DrawRule rule) {
    return kDrawRuleNames.of(rule);
}

/// Workload of a multi-tenant accelerator (`tessera.workload/1`). Kao, Krishna: "MAGMA", HPCA 2022, section VI-A.
struct Workload {
    std::string id;    ///< the file's stem, such as "mix"; empty where it is no file of its own
    std::string file;  ///< where it was read from, for errors and relative paths
    std::string path;  ///< of the workload in that file, for errors; empty = the whole file
    std::string name;
    std::string description = {};
    std::vector<WorkloadSource> sources;
    DrawRule draw = DrawRule::balanced;
    std::int64_t groupSize = 100;  ///< jobs of a group; 0 = all jobs, in order (`inOrder` only)
    hardware::ProvenanceMap provenance = {};

    bool operator==(const Workload&) const = default;
};

/// One job of a group.
struct Job {
    model::LayerJob layer;
    std::string model;  ///< the name of its model
    std::string kind;   ///< of its source

    bool operator==(const Job&) const = default;
};

/// Limits; each is named in the error.
inline constexpr std::size_t kMaxSources = 1000;
inline constexpr std::int64_t kLargestGroup = 100'000;
inline constexpr std::size_t kMaxPooledJobs = 1'000'000;

/// The table of its fields.
const hardware::Kind& workloadKind();
/// Reads a workload; models are named, not loaded. Throws DataError; several faults of a file as Faults.
Workload readWorkload(const JsonNode& given);
/// The document that reads back as the same workload.
Json toJson(const Workload& workload);

/// A workload as users name it: a `tessera.workload/1` file, a name of the library (`data/workloads`), or else a MODEL
/// (`zoo:NAME`, or a file of any format that models are read from, M3E job tables among them), all of whose layers
/// become jobs, in order. `options` hold for a MODEL only. Throws FileError, DataError, UsageError (unknown, with a
/// hint).
Workload loadWorkload(const std::string& name, const model::LoadOptions& options = {});

/// The workloads of the data folders, sorted by id; the first folder that has an id wins.
std::vector<hardware::LibraryEntry> workloadEntries();

/// The jobs that groups are drawn from, by source.
struct JobPool {
    Workload workload;
    std::vector<std::vector<Job>> jobs;      ///< by source, in the order of the model's layers
    std::vector<std::string> warnings = {};  ///< of the models, each with its name where there are several
};

/// Loads the models of a workload. Throws FileError, DataError (also for a job with a size above `kMaxLayerExtent`),
/// UsageError (also for a model without any job).
JobPool jobPool(const Workload& workload);

/// Group number `instance` of a workload: `groupSize` jobs (0 = the workload's own size). The n-th job of a group
/// depends on the seed, the instance and n alone. Throws
/// UsageError for a size above the limit or a negative one.
std::vector<Job> drawGroup(const JobPool& pool, std::int64_t groupSize, std::uint64_t seed, std::uint64_t instance = 0);
/// Draws a group from a workload, whose models it loads. Throws as `jobPool` does, too.
std::vector<Job> drawGroup(const Workload& workload, std::int64_t groupSize, std::uint64_t seed,
                           std::uint64_t instance = 0);

/// Display name of a job: its model and its layer, "resnet50/layer1.0.conv2".
std::string nameOf(const Job& job);

/// Number of jobs of a group by name of their kind; "" where a source names none.
std::map<std::string, std::int64_t> countsByKind(const std::vector<Job>& jobs);

}  // namespace tessera::cost
