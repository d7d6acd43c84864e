#include "core/study/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include "core/study/partition_document.h"

namespace tessera::study {

namespace {

/// 512 rather than 512.0.
Json wholeWherePossible(double value) {
    if (value == std::floor(value) && std::fabs(value) < 0x1p53) return static_cast<std::int64_t>(value);
    return value;
}

Json partitionHead(const Result& result, const PartitionOutcome& outcome) {
    Json json = documentHead("tessera.partition-result/1", "partition", result.inputs, result.study.seed);
    json["tool_version"] = result.version;
    if (!result.study.name.empty()) json["name"] = result.study.name;
    json["model"] = outcome.model;
    json["fleet"] = outcome.fleet;
    json["accelerators"] = outcome.accelerators;
    if (!outcome.groups.empty()) {
        Json& groups = json["groups"] = Json::array();
        for (const GroupNumbers& group : outcome.groups) groups.push_back(groupJson(group));
    }
    json["batch"] = wholeWherePossible(outcome.result.batch);
    json["dtype"] = result.study.parameters.value("dtype", "bf16");
    json["parameters"] = result.study.parameters;
    const std::vector<partition::Plan>& plans = outcome.result.plans;
    // With one strategy there is one cost, and scripts that solve a single split look for it here.
    if (plans.size() == 1) json["cost_s"] = plans[0].cost.value;
    json["layers"] = outcome.result.names;
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

const partition::Plan* fastestPlan(const PartitionOutcome& outcome) {
    const std::vector<partition::Plan>& plans = outcome.result.plans;
    const auto best =
        std::min_element(plans.begin(), plans.end(),
                         [](const partition::Plan& a, const partition::Plan& b) { return a.stepTime < b.stepTime; });
    return best == plans.end() ? nullptr : &*best;
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
