#include "core/reproduce/search_cache.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/pacer.h"
#include "core/base/sha256.h"
#include "core/cost/core_cost.h"
#include "core/cost/tensor_core.h"
#include "core/study/codesign/document.h"
#include "core/study/codesign/outcome.h"
#include "core/study/study.h"

namespace tessera::study {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = "tessera.cache/1 ";
/// Between two checkpoints pass at least these seconds, and so many times what writing the last one took: a long search
/// has much to write.
constexpr Pacer::Rule kBetweenCheckpoints{.minPause = std::chrono::seconds{2}, .pauseOverCost = 40};
/// Raised where searches come to other results from the same inputs, so that kept ones no longer count.
constexpr std::int64_t kSearchVersion = 1;

/// What an estimator says of a model's operators on an architecture, and what its layers weigh.
void addWorkload(const codesign::Workload& workload, const cost::Estimator& estimator,
                 const hardware::Architecture& architecture, const hardware::Rates& rates, Json& into) {
    Json estimates = Json::array(), slices = Json::array();
    for (const cost::CoreWork& work : workload.works) {
        const cost::MinTimes min = estimator.min(work, architecture, rates);
        const cost::OperatorCost cost = estimator.estimate(work, architecture, rates);
        estimates.push_back({min.oneCore.value, min.allCores.value, cost.oneCore.latency.value,
                             cost.allCores.latency.value, cost.oneCore.energy.value, cost.allCores.energy.value});
    }
    const auto operators = [](const codesign::LayerPhase& phase) {
        Json list = Json::array();
        for (const codesign::LayerOperator& op : phase.operators)
            list.push_back({static_cast<int>(op.kind), op.reduced ? Json(op.reduced->value) : Json(op.work)});
        return Json{list, phase.edges};
    };
    for (const codesign::Slice& slice : workload.slices) {
        Json kinds = Json::array();
        for (const codesign::LayerKind& kind : slice.kinds)
            kinds.push_back({kind.weights.value, kind.activations.value, kind.macs, operators(kind.forward),
                             operators(kind.backward), operators(kind.update)});
        Json edges = Json::array();
        for (const Bytes bytes : slice.edges) edges.push_back(bytes.value);
        slices.push_back({slice.microBatch, slice.degree, kinds, slice.kindOf, edges});
    }
    into.push_back({workload.name, workload.sha256, estimates, slices});
}

}  // namespace

// Files ---------------------------------------------------------------------------------------------------------------

std::optional<std::string> CacheFolder::read(const std::string& name) const {
    if (folder_.empty()) return std::nullopt;
    try {
        std::string bytes = readFile(folder_ / name);
        const std::size_t line = bytes.find('\n');
        if (line == std::string::npos || !bytes.starts_with(kMark)) return std::nullopt;
        const std::string hash = bytes.substr(kMark.size(), line - kMark.size());
        bytes.erase(0, line + 1);
        if (sha256(bytes) != hash) return std::nullopt;
        return bytes;
    } catch (const std::runtime_error&) {
        return std::nullopt;
    }
}

void CacheFolder::write(const std::string& name, std::string_view content) const {
    if (folder_.empty()) return;
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error) return;
    try {
        writeFile(folder_ / name, fmt::format("{}{}\n{}", kMark, sha256(content), content));
    } catch (const FileError&) {
        return;  // the result is there all the same
    }
}

void CacheFolder::remove(const std::string& name) const {
    std::error_code error;
    if (!folder_.empty()) fs::remove(folder_ / name, error);
}

fs::path searchCacheFolder() {
    const auto folder = [](const char* variable) -> fs::path {
        const char* const value = std::getenv(variable);
        return value != nullptr && *value == '/' ? fs::path(value) : fs::path();
    };
    if (const fs::path cache = folder("XDG_CACHE_HOME"); !cache.empty()) return cache / "tessera" / "searches";
    if (const fs::path home = folder("HOME"); !home.empty()) return home / ".cache" / "tessera" / "searches";
    return {};
}

// Searches ------------------------------------------------------------------------------------------------------------

std::string SearchCache::keyOf(const std::vector<const codesign::Workload*>& workloads, const hardware::Template& space,
                               const codesign::Options& options) {
    const cost::Estimator& estimator = *cost::estimatorNamed(options.estimator);
    Json key = {{"version", kSearchVersion},
                {"program", TESSERA_VERSION},
                {"template", hardware::toJson(space)},
                {"accelerators", options.accelerators},
                {"global_batch", options.globalBatch},
                {"weights", options.weights},
                {"objective", codesign::nameOf(options.objective)},
                {"search", codesign::nameOf(options.search)},
                {"hysteresis", options.hysteresis},
                {"bucket", options.bucket.value},
                {"samples", options.samples},
                {"seed", options.seed},
                {"estimator", options.estimator},
                {"optimizer", codesign::nameOf(options.optimizer)},
                {"bandwidth", options.bandwidth.value},
                {"area_limit", options.areaLimit ? Json(options.areaLimit->value) : Json(nullptr)},
                {"schedule_states", options.scheduleStates},
                {"spotlight", options.spotlight},
                {"most_traced", options.maxTraced}};
    Json& models = key["models"] = Json::array();
    const hardware::Architecture architecture =
        space.reference ? hardware::architectureOf(space, *space.reference) : hardware::architectures(space).front();
    for (const codesign::Workload* workload : workloads)
        addWorkload(*workload, estimator, architecture, space.rates, models);
    return sha256(key.dump());
}

std::string SearchCache::textOf(const codesign::Progress& progress) {
    return progressJson(progress).dump();
}

codesign::Result SearchCache::resultOf(const std::vector<const codesign::Workload*>& workloads,
                                       const hardware::Template& space, const codesign::Options& options,
                                       const Search& search) const {
    if (!folder_.keeps()) return search({}, [](const codesign::Progress& /*progress*/) {});
    const std::string key = keyOf(workloads, space, options);
    const std::string whole = key + ".json", begun = key + ".begun.json";
    const auto parsed = [&](const std::string& name, const auto& read) {
        using Read = decltype(read(std::declval<JsonNode>()));
        const std::optional<std::string> text = folder_.read(name);
        if (!text) return std::optional<Read>();
        try {
            const JsonDocument document = JsonDocument::parse(*text, name);
            return std::optional<Read>(read(document.root()));
        } catch (const std::runtime_error&) {
            return std::optional<Read>();  // of another program
        }
    };
    const auto known = parsed(whole, [&](const JsonNode& root) {
        Result result = readCodesignResult(root, newStudy("codesign"));
        codesign::Result found = std::move(result.outcome.get<CodesignOutcome>().result);
        found.assumptions = std::move(result.assumptions);
        found.warnings = std::move(result.warnings);
        return found;
    });
    if (known) return *known;
    const std::optional<codesign::Progress> from =
        parsed(begun, [&](const JsonNode& root) { return readProgress(root, workloads.size()); });
    Pacer pacer(kBetweenCheckpoints, Pacer::Clock::now());
    const auto checkpoint = [&](const codesign::Progress& progress) {
        if (pacer.isDue()) pacer.timed([&] { folder_.write(begun, textOf(progress)); });
    };
    codesign::Result found = search(from, checkpoint);
    Result result;
    result.study = newStudy("codesign");
    result.assumptions = found.assumptions;
    result.warnings = found.warnings;
    result.outcome = CodesignOutcome{found};
    std::string text;
    writeCodesignJson(result, [&](std::string_view part) { text += part; });
    folder_.write(whole, text);
    folder_.remove(begun);
    return found;
}

}  // namespace tessera::study
