#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/hardware/library.h"
#include "core/plan/problem.h"

namespace tessera::plan {

/// Model, dimensions and software of a run that a plan is asked for.
inline physical::TrainingRun planRun(const std::string& model, std::map<std::string, std::string, std::less<>> dims,
                                     const std::string& software = "Megatron-LM") {
    return {
        .set = "mine", .id = "1", .model = model, .dims = std::move(dims), .optimizer = "adam", .software = software};
}

inline const hardware::Accelerator& bundledAccelerator(const std::string& name) {
    static std::map<std::string, hardware::Accelerator> known;
    const auto found = known.find(name);
    if (found != known.end()) return found->second;
    return known.emplace(name, hardware::loadBundledAccelerator(name)).first->second;
}

/// Nodes of bundled accelerators; the last one may lack some.
inline hardware::Group planGroup(const std::string& accelerator, std::int64_t count, int perNode = 8,
                                 double networkRate = 50e9) {
    const std::int64_t nodes = (count + perNode - 1) / perNode;
    hardware::Group group{.name = accelerator,
                          .accelerator = bundledAccelerator(accelerator),
                          .count = count,
                          .network = {},
                          .reference = accelerator};
    group.levels.push_back({.name = "links", .size = perNode, .bandwidth = group.accelerator.network});
    if (const auto peers = group.accelerator.networkPeers; peers && *peers < perNode) {
        group.levels.back().kind = hardware::LevelKind::mesh;
        group.levels.back().peers = peers;
    }
    if (nodes > 1) group.levels.push_back({.name = "network", .size = nodes, .bandwidth = BytesPerSecond{networkRate}});
    return group;
}

/// A fleet of groups that are linked at a rate.
inline hardware::Fleet planFleet(std::vector<hardware::Group> groups, double betweenRate = 50e9) {
    hardware::Fleet fleet;
    fleet.name = "test fleet";
    for (std::size_t a = 0; a < groups.size(); ++a) {
        groups[a].name = groups[a].reference + "-" + std::to_string(a);
        for (std::size_t b = 0; b < a; ++b)
            fleet.links.push_back({groups[b].name, groups[a].name, {betweenRate}, {5e-6}});
    }
    fleet.groups = std::move(groups);
    return fleet;
}

/// Sets the memory of a group's accelerators, whatever their description says.
inline void setMemory(PlanGroup& group, double bytes) {
    for (GroupVariant& variant : group.variants) variant.setting.device.memory = bytes;
}

/// Ten transformers of all families.
inline std::vector<physical::TrainingRun> planModels() {
    using Dims = std::map<std::string, std::string, std::less<>>;
    const auto dense = [](const char* layers, const char* hidden, const char* heads, const char* keys, const char* ffn,
                          const char* sequence) {
        return Dims{{"layers", layers}, {"hidden", hidden},     {"heads", heads},        {"kv_heads", keys},
                    {"ffn", ffn},       {"sequence", sequence}, {"vocabulary", "128256"}};
    };
    const auto routed = [](Dims dims, const char* experts, const char* perToken, const char* ffn) {
        dims.insert({{"experts", experts}, {"experts_per_token", perToken}, {"expert_ffn", ffn}});
        return dims;
    };
    const Dims gpt{
        {"layers", "24"}, {"hidden", "2048"}, {"heads", "16"}, {"sequence", "2048"}, {"vocabulary", "51200"}};
    const Dims large{
        {"layers", "96"}, {"hidden", "12288"}, {"heads", "96"}, {"sequence", "2048"}, {"vocabulary", "51200"}};
    return {planRun("zoo:gpt", gpt),
            planRun("zoo:gpt", large, "Megatron-DeepSpeed"),
            planRun("zoo:gpt", gpt, "PyTorch eager"),
            planRun("zoo:llama", dense("32", "4096", "32", "8", "14336", "8192")),
            planRun("zoo:llama", dense("32", "4096", "32", "32", "11008", "4096"), "torchtitan"),
            planRun("zoo:llama", dense("80", "8192", "64", "8", "28672", "8192")),
            planRun("zoo:llama", dense("126", "16384", "128", "8", "53248", "8192")),
            planRun("zoo:bert", {{"layers", "24"}, {"hidden", "1024"}, {"heads", "16"}, {"sequence", "512"}}),
            planRun("zoo:moe", routed(dense("32", "4096", "32", "8", "14336", "4096"), "8", "2", "14336")),
            planRun("zoo:moe", routed(dense("48", "2048", "32", "4", "6144", "4096"), "128", "8", "768"))};
}

/// A seeded stream of numbers for problems.
class PlanRandom {
public:
    explicit PlanRandom(unsigned seed) : engine_(seed) {}
    int below(int most) { return std::uniform_int_distribution(0, most - 1)(engine_); }
    int within(int least, int most) { return std::uniform_int_distribution(least, most)(engine_); }
    bool isOneOf(int most) { return below(most) == 0; }
    double between(double least, double most) { return std::uniform_real_distribution(least, most)(engine_); }
    template <typename T>
    const T& oneOf(const std::vector<T>& all) {
        return all[static_cast<std::size_t>(below(static_cast<int>(all.size())))];
    }

private:
    std::mt19937 engine_;
};

}  // namespace tessera::plan
