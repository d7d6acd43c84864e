#include "core/study/result.h"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <string_view>
#include <utility>

namespace tessera::study {

namespace {

/// 512 rather than 512.0.
Json wholeWherePossible(double value) {
    if (value == std::floor(value) && std::fabs(value) < 0x1p53) return static_cast<std::int64_t>(value);
    return value;
}

Json layerJson(const partition::LayerPlan& plan, const std::vector<std::string>& names) {
    return {{"name", names.at(static_cast<std::size_t>(plan.layer))},
            {"type", partition::nameOf(plan.type)},
            {"compute_s", plan.compute.value},
            {"intra_s", plan.intra.value},
            {"inter_s", plan.inter.value}};
}

Json joinJson(const partition::JoinPlan& plan, const std::vector<std::string>& names) {
    return {{"name", names.at(static_cast<std::size_t>(plan.layer))},
            {"layout", partition::nameOf(plan.layout)},
            {"compute_s", plan.compute.value},
            {"inter_s", plan.inter.value}};
}

Json levelJson(const partition::LevelPlan& plan, const std::vector<std::string>& names) {
    Json json = {{"level", plan.level},
                 {"group", plan.group},
                 {"accelerators", plan.accelerators},
                 {"occurrences", plan.occurrences},
                 {"ratio", plan.ratio},
                 {"objective_s", plan.objective.value},
                 {"side_i_s", plan.sideI.value},
                 {"side_j_s", plan.sideJ.value},
                 {"lower_bound_s", plan.lowerBound.value}};
    Json& layers = json["layers"] = Json::array();
    for (const partition::LayerPlan& layer : plan.layers) layers.push_back(layerJson(layer, names));
    Json& joins = json["joins"] = Json::array();
    for (const partition::JoinPlan& join : plan.joins) joins.push_back(joinJson(join, names));
    return json;
}

Json shareJson(const partition::AcceleratorShare& share) {
    Json json = {{"kind", share.kind},
                 {"count", share.count},
                 {"compute_s", share.compute.value},
                 {"communication_s", share.communication.value},
                 {"memory_bytes", share.memory.value}};
    if (share.capacity) json["capacity_bytes"] = share.capacity->value;
    json["fits"] = share.fits;
    return json;
}

/// Fields of a plan that stand before its levels.
Json planHead(const partition::Plan& plan) {
    return {{"step_time_s", plan.stepTime.value},
            {"throughput_samples_per_s", plan.throughput},
            {"speedup_over_dp", plan.speedupOverDp},
            {"cost_s", plan.cost.value},
            {"lower_bound_s", plan.lowerBound.value},
            {"bounds", plan.boundsCost ? "cost_s" : "step_time_s"},
            {"gap", plan.gap},
            {"optimal", plan.optimal},
            {"ended_by", plan.endedBy},
            {"fits", plan.fits}};
}

/// And those that follow them.
Json planTail(const partition::Plan& plan) {
    Json json = Json::object();
    Json& shares = json["per_accelerator"] = Json::array();
    for (const partition::AcceleratorShare& share : plan.shares) shares.push_back(shareJson(share));
    Json& without = json["without_group"] = Json::object();
    for (const partition::WithoutGroup& other : plan.without)
        without[other.group] = {{"step_time_s", other.stepTime.value},
                                {"speedup_over_dp", other.speedupOverDp},
                                {"faster", other.stepTime < plan.stepTime}};
    return json;
}

Json partitionHead(const Result& result, const PartitionOutcome& outcome) {
    Json json = documentHead("tessera.partition-result/1", "partition", result.inputs, result.study.seed);
    if (!result.study.name.empty()) json["name"] = result.study.name;
    json["model"] = outcome.model;
    json["fleet"] = outcome.fleet;
    json["accelerators"] = outcome.accelerators;
    json["batch"] = wholeWherePossible(outcome.result.batch);
    json["dtype"] = result.study.parameters.value("dtype", "bf16");
    json["parameters"] = result.study.parameters;
    const std::vector<partition::Plan>& plans = outcome.result.plans;
    // With one strategy there is one cost, and scripts that solve a single split look for it here.
    if (plans.size() == 1) json["cost_s"] = plans[0].cost.value;
    return json;
}

/// Writes nested JSON in parts, in the layout of `toText`: a result of a deep network has millions of values, which
/// never stand in memory together.
class JsonWriter {
public:
    explicit JsonWriter(const TextSink& write) : write_(write) {}

    void key(const std::string& name) {
        separate();
        write_(Json(name).dump(-1, ' ', false, kReplace) + ": ");
    }
    void open(char bracket) {
        write_(std::string(1, bracket));
        empty_.push_back(true);
    }
    void close(char bracket) {
        const bool empty = empty_.back();
        empty_.pop_back();
        write_((empty ? "" : "\n" + margin()) + bracket);
    }
    void element(const Json& value) {
        separate();
        put(value);
    }
    void members(const Json& object) {
        for (const auto& [name, value] : object.items()) {
            key(name);
            put(value);
        }
    }

private:
    static constexpr Json::error_handler_t kReplace = Json::error_handler_t::replace;

    std::string margin() const { return fmt::format("{:{}}", "", 2 * empty_.size()); }
    void separate() {
        write_((empty_.back() ? "\n" : ",\n") + margin());
        empty_.back() = false;
    }
    /// A dump has line breaks between values only, so they can be indented.
    void put(const Json& value) {
        const std::string text = value.dump(2, ' ', false, kReplace);
        const std::string next = "\n" + margin();
        std::string indented;
        indented.reserve(text.size() * 2);
        for (const char c : text) {
            if (c == '\n')
                indented += next;
            else
                indented += c;
        }
        write_(indented);
    }

    const TextSink& write_;
    std::vector<bool> empty_;  ///< of every open bracket: whether it holds nothing yet
};

void writePartition(const Result& result, const PartitionOutcome& outcome, const TextSink& write) {
    JsonWriter writer(write);
    writer.open('{');
    writer.members(partitionHead(result, outcome));
    writer.key("strategies");
    writer.open('{');
    for (const partition::Plan& plan : outcome.result.plans) {
        writer.key(plan.strategy);
        writer.open('{');
        writer.members(planHead(plan));
        writer.key("levels");
        writer.open('[');
        for (const partition::LevelPlan& level : plan.levels) writer.element(levelJson(level, outcome.result.names));
        writer.close(']');
        writer.members(planTail(plan));
        writer.close('}');
    }
    writer.close('}');
    Json tail = Json::object();
    finishDocument(tail, result.assumptions, result.warnings);
    writer.members(tail);
    writer.close('}');
    write("\n");
}

}  // namespace

Json documentHead(const std::string& schema, const std::string& command, const std::vector<Input>& inputs,
                  std::optional<std::uint64_t> seed) {
    Json json = {{"schema", schema}, {"tool_version", TESSERA_VERSION}, {"command", command}};
    if (seed) json["seed"] = *seed;
    Json& list = json["inputs"] = Json::array();
    for (const Input& input : inputs) list.push_back({{"name", input.name}, {"sha256", input.sha256}});
    return json;
}

void finishDocument(Json& document, const std::vector<std::string>& assumptions,
                    const std::vector<std::string>& warnings) {
    document["assumptions"] = assumptions;
    document["warnings"] = warnings;
}

void addOnce(std::vector<std::string>& sentences, const std::vector<std::string>& more) {
    std::set<std::string_view> seen(sentences.begin(), sentences.end());
    std::vector<std::string> added;
    for (const std::string& sentence : more)
        if (seen.insert(sentence).second) added.push_back(sentence);
    sentences.insert(sentences.end(), added.begin(), added.end());
}

void writeJson(const Result& result, const TextSink& write) {
    std::visit([&](const auto& outcome) { writePartition(result, outcome, write); }, result.outcome);
}

Json toJson(const Result& result) {
    std::string text;
    writeJson(result, [&](std::string_view part) { text += part; });
    return Json::parse(text);
}

}  // namespace tessera::study
