#include "core/cost/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/poll.h"
#include "core/base/random.h"
#include "core/base/text.h"
#include "core/cost/job_analysis.h"
#include "core/cost/layer_size.h"
#include "core/hardware/numbers.h"
#include "core/model/readers/readers.h"
#include "core/model/zoo/zoo.h"
#include "core/model/zoo/zoo_name.h"

namespace tessera::cost {

namespace fs = std::filesystem;

namespace {

constexpr std::uintmax_t kLargestWorkloadFile = std::uintmax_t{16} << 20;
constexpr std::string_view kFolder = "workloads";
constexpr std::string_view kSchemaMark = "\"tessera.workload/";
constexpr std::int64_t kLargestSize = 1'000'000'000;  // of a batch or dimension

hardware::Fields sourceFields() {
    using F = hardware::FieldsOf<WorkloadSource>;
    constexpr std::size_t kLongestPath = 4096;
    return {F::other(
                "model", "Model", "zoo:NAME, or the path of a model's file relative to this file.",
                Json{{"type", "string"}, {"minLength", 1}, {"maxLength", kLongestPath}, {"pattern", R"([^ \t\r\n])"}},
                [](WorkloadSource& source, const JsonNode& node, hardware::Reading&) {
                    source.model = node.text(kLongestPath);
                    if (trimmed(source.model).empty()) node.fail("'zoo:NAME', or the path of a model's file");
                },
                [](const WorkloadSource& source, const std::string&, const hardware::Writing&) {
                    return Json(source.model);
                }),
            F::name(&WorkloadSource::kind, "kind", "Kind",
                    "What the model is for, such as vision, language or recommendation.")
                .otherwise("none"),
            F::number(&WorkloadSource::batch, "batch", "Batch", Measure::count, hardware::wholeUpTo(kLargestSize),
                      "Samples of a mini-batch.")
                .otherwise("1", Json(1))
                .alwaysWritten(),
            F::map(&WorkloadSource::dimensions, "dimensions", "Dimensions", "dimension",
                   F::valueOf("Size", Measure::count, hardware::wholeUpTo(kLargestSize, 0), "The size."),
                   "Values of the model's symbolic dimensions, such as sequence=128, tensor_parallel=2.",
                   "Without an entry, no dimension is set.", 0)
                .otherwise("none", Json::object())};
}

hardware::Fields workloadFields() {
    using F = hardware::FieldsOf<Workload>;
    constexpr std::size_t kLongestDescription = 4000;
    return {
        F::name(&Workload::name, "name", "Name", "The name shown to people."),
        F::text(&Workload::description, "description", "Description", "What the workload stands for.",
                kLongestDescription)
            .otherwise("not said", Json("")),
        F::word(&Workload::draw, "draw", "Draw", kDrawRuleNames,
                "How a group is made. balanced: every job is a kind, then a model of that kind, then a layer of that "
                "model, each with equal chances, with replacement. layers: every job is a layer of all models with "
                "equal chances, with replacement. in-order: the layers of all models one after the other; a group "
                "takes up where the one before it ended.")
            .otherwise("balanced", Json("balanced"))
            .alwaysWritten(),
        F::number(&Workload::groupSize, "group_size", "Group size", Measure::count,
                  hardware::wholeUpTo(kLargestGroup, 0), "Jobs of a group; 0, where in order, is all layers.")
            .otherwise("100, where in order all layers"),
        F::list(&Workload::sources, "models", "Models, whose layers are the jobs", "model", sourceFields(),
                "The models.", "Add a model of the zoo, or a file beside this one.", 1, kMaxSources)};
}

Workload loadFile(const std::string& path) {
    return readWorkload(JsonDocument::parse(readFile(path, kLargestWorkloadFile), path).root());
}

/// True where the file says that it is a workload; another file is a model.
bool isWorkloadFile(const std::string& path) {
    std::error_code ignored;
    const std::uintmax_t size = fs::file_size(path, ignored);
    if (!ignored && size > kLargestWorkloadFile) return false;
    return model::schemaIn(readFile(path)).starts_with("tessera.workload/");
}

/// All layers of a model as jobs.
Workload workloadOfModel(const std::string& name, const model::LoadOptions& options) {
    Workload workload;
    workload.name = name;
    workload.sources.push_back(
        {.model = name, .kind = {}, .batch = options.batch.value_or(1), .dimensions = options.dimensions});
    workload.draw = DrawRule::inOrder;
    workload.groupSize = 0;
    return workload;
}

/// The model as `loadModel` takes it: a path of a workload's file is relative to that file.
std::string modelName(const WorkloadSource& source, const Workload& workload) {
    if (model::isZooName(source.model) || workload.file.empty()) return source.model;
    const fs::path path = fs::path(workload.file).parent_path() / source.model;
    if (isFile(path)) return path.string();
    throw FileError(fmt::format("cannot read the model {} of the workload {}: there is no such file beside {}",
                                inQuotes(source.model), inQuotes(workload.name), inQuotes(workload.file)));
}

bool isInZoo(std::string_view id) {
    const std::vector<model::ZooEntry>& entries = model::zooEntries();
    return std::any_of(entries.begin(), entries.end(), [&](const model::ZooEntry& entry) { return entry.id == id; });
}

/// Says what is wrong with a source of a file.
[[noreturn]] void failAt(const Workload& workload, std::size_t index, const std::string& problem) {
    const WorkloadSource& source = workload.sources[index];
    const bool unknown = model::isZooName(source.model) && !isInZoo(source.model.substr(model::kZooPrefix.size()));
    const std::string_view field = unknown || source.dimensions.empty() ? "model" : "dimensions";
    Place place{
        .file = workload.file,
        .field = fmt::format("{}{}models[{}].{}", workload.path, workload.path.empty() ? "" : ".", index, field)};
    if (isFile(workload.file)) place.line = JsonDocument::load(workload.file).lineOf(place.field);
    throw DataError(place, field == "model" ? inQuotes(source.model) : "not of the model " + inQuotes(source.model),
                    fmt::format("{} that can be read ({})", field == "model" ? "a model" : "dimensions", problem));
}

std::shared_ptr<const model::Model> modelOf(const Workload& workload, std::size_t index) {
    const WorkloadSource& source = workload.sources[index];
    try {
        return model::sharedModel(modelName(source, workload), {.batch = {}, .dimensions = source.dimensions});
    } catch (const UsageError& error) {
        if (workload.file.empty()) throw;
        failAt(workload, index, error.what());
    }
}

/// Refuses a job with a size that the dataflow model cannot take: at the layer of a model's file, else where the
/// workload's file asks for the model.
void checkSizes(const Workload& workload, std::size_t index, const model::Model& model, const model::LayerJob& job) {
    const std::optional<NamedSize> odd = oddSizeOf(layerOf(job, Variant::corrected));
    if (!odd) return;
    const std::string found = fmt::format("a job with {} of {}", odd->name, odd->value);
    const std::string expected = fmt::format("sizes from {} to {}", odd->min, kMaxLayerExtent);
    const WorkloadSource& source = workload.sources[index];
    const bool isFile = !model::isZooName(source.model);
    if (isFile) throw DataError({.file = model.source, .where = "layer " + inQuotes(job.name)}, found, expected);
    const std::string problem = fmt::format("layer {}: {}; expected {}", inQuotes(job.name), found, expected);
    if (workload.file.empty()) throw UsageError(fmt::format("{}: {}", inQuotes(source.model), problem));
    failAt(workload, index, problem);
}

std::vector<Job> jobsOf(const Workload& workload, std::size_t index, std::vector<std::string>& warnings) {
    const WorkloadSource& source = workload.sources[index];
    const std::shared_ptr<const model::Model> shared = modelOf(workload, index);
    const model::Model& model = *shared;
    for (const std::string& sentence : model.warnings)
        warnings.push_back(workload.sources.size() > 1 ? fmt::format("{}: {}", escaped(model.name), sentence)
                                                       : sentence);
    std::vector<model::LayerJob> layers = model::jobsOf(model, source.batch);
    if (layers.empty())
        throw DataError({.file = model.source}, "no layer that multiplies", "layers that make a job each");
    std::vector<Job> jobs;
    jobs.reserve(layers.size());
    for (model::LayerJob& layer : layers) {
        checkSizes(workload, index, model, layer);
        jobs.push_back({std::move(layer), model.name, source.kind});
    }
    return jobs;
}

std::size_t below(RandomStream& stream, std::size_t bound) {
    return static_cast<std::size_t>(stream.below(bound));
}

/// Indices of sources by kind, kinds in order of their first source.
std::vector<std::vector<std::size_t>> sourcesByKind(const Workload& workload) {
    std::vector<std::string> kinds;
    std::vector<std::vector<std::size_t>> sources;
    for (std::size_t i = 0; i < workload.sources.size(); ++i) {
        const std::string& kind = workload.sources[i].kind;
        const auto known = std::find(kinds.begin(), kinds.end(), kind);
        const auto at = static_cast<std::size_t>(known - kinds.begin());
        if (known == kinds.end()) {
            kinds.push_back(kind);
            sources.emplace_back();
        }
        sources[at].push_back(i);
    }
    return sources;
}

/// What is drawn from, in each of the ways.
class Drawing {
public:
    explicit Drawing(const JobPool& pool) : pool_(pool), byKind_(sourcesByKind(pool.workload)) {
        for (const std::vector<Job>& jobs : pool.jobs)
            for (const Job& job : jobs) all_.push_back(&job);
    }

    std::size_t size() const { return all_.size(); }

    const Job& balanced(RandomStream& stream) const {
        const std::vector<std::size_t>& sources = byKind_[below(stream, byKind_.size())];
        const std::vector<Job>& jobs = pool_.jobs[sources[below(stream, sources.size())]];
        return jobs[below(stream, jobs.size())];
    }
    const Job& anyLayer(RandomStream& stream) const { return *all_[below(stream, all_.size())]; }
    const Job& inOrder(std::size_t index) const { return *all_[index % all_.size()]; }

private:
    const JobPool& pool_;
    std::vector<std::vector<std::size_t>> byKind_;
    std::vector<const Job*> all_;
};

std::int64_t checkedSize(const JobPool& pool, std::int64_t groupSize, std::size_t available) {
    if (groupSize < 0)
        throw UsageError(fmt::format("the group size is {}; expected a whole number above 0", groupSize));
    std::int64_t size = groupSize > 0 ? groupSize : pool.workload.groupSize;
    if (size == 0) size = static_cast<std::int64_t>(available);
    if (size > kLargestGroup)
        throw UsageError(fmt::format("the group has {} jobs; expected at most {}", size, kLargestGroup));
    return size;
}

}  // namespace

const hardware::Kind& workloadKind() {
    static const hardware::Kind kKind{
        .id = "workload",
        .title = "Workload",
        .history = {.kind = "tessera.workload"},
        .about =
            "What a multi-tenant accelerator is given to do: models whose layers are jobs, and how groups of jobs "
            "are drawn from them. Beyond this schema, models that are named exist and have the dimensions given.",
        .fields = workloadFields()};
    return kKind;
}

Workload readWorkload(const JsonNode& given) {
    auto workload = hardware::readDocument<Workload>(
        given, workloadKind(), [](Workload& read, const JsonNode& node, hardware::Reading& reading) {
            if (read.draw == DrawRule::inOrder) {
                if (!node.has("group_size")) read.groupSize = 0;
            } else if (read.groupSize == 0) {
                reading.attempt(
                    [&] { node.at("group_size").fail("a whole number above 0, but where jobs are drawn in order"); });
            }
        });
    workload.path = given.path();
    return workload;
}

Json toJson(const Workload& workload) {
    return hardware::documentJson(workload, workloadKind());
}

Workload loadWorkload(const std::string& name, const model::LoadOptions& options) {
    if (model::isZooName(name)) return workloadOfModel(name, options);
    if (namesFile(name, model::modelSuffixes()))
        return isWorkloadFile(name) ? loadFile(name) : workloadOfModel(name, options);
    return loadFile(
        hardware::libraryPath(kFolder, kSchemaMark, "there is no workload", name, ", 'zoo:NAME', or a file"));
}

std::vector<hardware::LibraryEntry> workloadEntries() {
    return hardware::libraryEntries("workload", kFolder, kSchemaMark,
                                    [](const std::string& path) { return loadFile(path).name; });
}

JobPool jobPool(const Workload& workload) {
    JobPool pool{.workload = workload, .jobs = {}, .warnings = {}};
    std::size_t count = 0;
    for (std::size_t i = 0; i < workload.sources.size(); ++i) {
        pool.jobs.push_back(jobsOf(workload, i, pool.warnings));
        count += pool.jobs.back().size();
        if (count > kMaxPooledJobs)
            throw UsageError(fmt::format("the models of the workload {} have more than {} layers in all",
                                         inQuotes(workload.name), kMaxPooledJobs));
    }
    if (count == 0) throw UsageError(fmt::format("the workload {} names no model", inQuotes(workload.name)));
    return pool;
}

std::vector<Job> drawGroup(const JobPool& pool, std::int64_t groupSize, std::uint64_t seed, std::uint64_t instance) {
    const Drawing drawing(pool);
    const auto size = static_cast<std::size_t>(checkedSize(pool, groupSize, drawing.size()));
    const std::size_t all = drawing.size();
    const std::size_t start = static_cast<std::size_t>(instance % all) * (size % all) % all;
    std::vector<Job> group;
    group.reserve(size);
    RandomStream stream(seed, instance);
    for (std::size_t n = 0; n < size; ++n) {
        poll();
        stream.seek(3 * n);  // a kind, a model, a layer
        switch (pool.workload.draw) {
            case DrawRule::balanced:
                group.push_back(drawing.balanced(stream));
                break;
            case DrawRule::layers:
                group.push_back(drawing.anyLayer(stream));
                break;
            case DrawRule::inOrder:
                group.push_back(drawing.inOrder(start + n));
                break;
        }
    }
    return group;
}

std::vector<Job> drawGroup(const Workload& workload, std::int64_t groupSize, std::uint64_t seed,
                           std::uint64_t instance) {
    return drawGroup(jobPool(workload), groupSize, seed, instance);
}

std::string nameOf(const Job& job) {
    return fmt::format("{}/{}", job.model, job.layer.name);
}

std::map<std::string, std::int64_t> countsByKind(const std::vector<Job>& jobs) {
    std::map<std::string, std::int64_t> counts;
    for (const Job& job : jobs) ++counts[job.kind];
    return counts;
}

}  // namespace tessera::cost
