#include "core/study/placement/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/base/error.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/physical/training_run.h"
#include "core/study/document_schema.h"

namespace tessera::study {

namespace {

constexpr double kMaxAccelerators = 1e9, kLargestBatch = 1e12, kLongestSequence = 1 << 24;
constexpr std::int64_t kHighestNumber = 1'000'000'000;

constexpr std::array<std::string_view, 7> kOfModels{"sequence",      "dtype",     "software", "widths",
                                                    "micro_batches", "recompute", "zero"};
constexpr std::array<std::string_view, 2> kOfFiles{"optimizer_memory", "branches"};

}  // namespace

const OptionTable<PlacementSettings>& placementTable() {
    using Settings = PlacementSettings;
    static const OptionTable<Settings> kTable{
        {"accelerators", "--accelerators K", &Settings::accelerators, Values::whole(1, kMaxAccelerators),
         "accelerators; without it, the file's maxDevices, or those of the fleet"},
        {"global_batch", "--global-batch N", &Settings::globalBatch, Values::whole(1, kLargestBatch),
         "samples of a batch: of a model's step, 1,024 without it; of layers of a file, for the throughput"},
        {"optimizer_memory", "--optimizer-memory RULE", &Settings::rule,
         Values::word(codesign::kOptimizerMemoryNames.all()),
         "how the optimizer's state of layers of a file is counted: as the published program counts, exactly in the "
         "weights' type, or for mixed precision, with Adam 16 bytes for each parameter in all"},
        {"branches", "--branches RULE", &Settings::serialBranches, Values::word({"parallel", "serial"}),
         "how layers of a file run in a stage where they do not depend on each other; the paper's rule is parallel"},
        {"sequence", "--sequence S", &Settings::sequence, Values::whole(1, kLongestSequence),
         "tokens of a sample of a transformer; without it, the model's own"},
        {"dtype", "--dtype TYPE", &Settings::dtype, Values::text().labelled("Data type"),
         "data type of the products of a model"},
        {"software", "--software STACK", &Settings::software, Values::text(),
         "software that trains a model: eager, fused or tuned, or a stack's name such as 'Megatron-LM'"},
        {"widths", "--widths LIST", wholeNumbersInto(&Settings::widths, "--widths", kHighestNumber), Values::text(),
         "tensor-parallel degrees of a transformer to choose from; without it, all that divide its heads"},
        {"micro_batches", "--micro-batches LIST",
         wholeNumbersInto(&Settings::microBatches, "--micro-batches", kHighestNumber), Values::text(),
         "samples of a micro-batch of a model to choose from; without it, all that divide the batch"},
        {"recompute", "--recompute LIST", &Settings::recomputes,
         Values::words(physical::kRecomputeNames.all()).byDefault(Json({"none", "selective", "full"})),
         "what of a model's activations may be computed again in the backward pass"},
        {"zero", "--zero STAGE", &Settings::zero, Values::whole(0, 1),
         "stage of ZeRO in which replicas of a model share the optimizer's state"},
        {"plan", "--plan PLAN", &Settings::plan, Values::text(),
         "evaluate a user-supplied plan beside the fastest: stages, tensor-parallel degree and replicas such as "
         "8,4,16, "
         "'file' for what the layers' file fixes (both cut as well as they can be), or a result of this "
         "command as a file"},
        {"plan_file", "--plan-file FILE", &Settings::planFile,
         Values::document(givenPlanJson).shapedAs(givenPlanSchema),
         "a result of this command whose plan is evaluated beside the fastest"},
    };
    return kTable;
}

void checkPlacementParameters(const Study& study, bool isModel) {
    const auto refuse = [&](const auto& names, std::string_view of) {
        for (const std::string_view name : names) {
            const Parameter& row = *findParameter(placementTable().parameters(), name);
            const auto given = study.parameters->find(std::string(name));
            if (given != study.parameters->end() && *given != defaultOf(row))
                throw UsageError(fmt::format("option '{}' is of {}", row.option, of));
        }
    };
    if (isModel)
        refuse(kOfFiles, "files of layers, and the layers are those of a model");
    else
        refuse(kOfModels, "models, and the layers are those of a file");
}

void refusePlan(const std::string& text) {
    throw UsageError(fmt::format(
        "option '--plan' is {}; expected stages, tensor-parallel degree and replicas such as 8,4,16, '{}' for "
        "what the layers' file fixes, or a result of this command as a file",
        inQuotes(text), kPlanOfFile));
}

std::optional<codesign::Degrees> degreesNamed(const std::string& text) {
    std::vector<std::int64_t> read;
    for (const std::string_view part : split(text, ',')) {
        std::int64_t value = 0;
        const std::string_view digits = trimmed(part);
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (error != std::errc{} || end != digits.data() + digits.size() || value < 1 || value > kHighestNumber)
            return std::nullopt;
        read.push_back(value);
    }
    if (read.size() != 3) return std::nullopt;
    return codesign::Degrees{.pipeline = read[0], .tensorParallel = read[1], .data = read[2]};
}

codesign::Plan readGivenPlan(const JsonNode& root, const PlacedLayers& layers) {
    const std::vector<std::int64_t>& ids = layers.ids;
    std::map<std::int64_t, std::size_t> numbers;
    for (std::size_t i = 0; i < ids.size(); ++i) numbers[ids[i]] = i;
    std::vector<bool> seen(ids.size(), false);
    const JsonNode degreeNode = root.at("tensor"), stagesNode = root.at("stages");
    codesign::Plan plan{.timePerBatch = {},
                        .tensorParallel = degreeNode.whole(1, kHighestNumber),
                        .data = root.at("data").whole(1, kHighestNumber),
                        .stages = {}};
    if (std::find(layers.degrees.begin(), layers.degrees.end(), plan.tensorParallel) == layers.degrees.end())
        degreeNode.fail("a tensor-parallel degree that the layers have costs for");
    for (const JsonNode& stageNode : stagesNode.elements(ids.size())) {
        codesign::PlacedStage& stage = plan.stages.emplace_back();
        const JsonNode layersNode = stageNode.at("layers");
        for (const JsonNode& node : layersNode.elements(ids.size())) {
            const auto found = numbers.find(node.whole(-kHighestNumber, kHighestNumber));
            if (found == numbers.end()) node.fail("the id of a layer");
            if (seen[found->second]) node.fail("a layer that is in no other stage");
            seen[found->second] = true;
            stage.layers.push_back(found->second);
        }
        if (stage.layers.empty()) layersNode.fail("at least one layer", "an empty list");
    }
    const auto missing = std::find(seen.begin(), seen.end(), false);
    if (missing != seen.end())
        stagesNode.fail(
            fmt::format("layer {} in one of the stages", ids[static_cast<std::size_t>(missing - seen.begin())]),
            "a plan without it");
    // By stage, so that no edge leads back.
    std::vector<std::size_t> stageOf(ids.size(), 0);
    for (std::size_t s = 0; s < plan.stages.size(); ++s)
        for (const std::size_t layer : plan.stages[s].layers) stageOf[layer] = s;
    for (const codesign::LayerEdge& edge : layers.graph.edges)
        if (stageOf[edge.from] > stageOf[edge.to])
            stagesNode.fail(
                fmt::format("layer {} in no later stage than layer {}, which reads it", ids[edge.from], ids[edge.to]),
                fmt::format("stages {} and {}", stageOf[edge.from] + 1, stageOf[edge.to] + 1));
    return plan;
}

Json givenPlanJson(const JsonDocument& file) {
    const JsonNode root = file.root();
    Json plan = {{"file", file.file()}, {"sha256", sha256(file.text())}};
    plan["tensor"] = root.at("tensor").json();
    plan["data"] = root.at("data").json();
    Json& stages = plan["stages"] = Json::array();
    for (const JsonNode& stage : root.at("stages").elements(codesign::kMaxPlacedLayers))
        stages.push_back({{"layers", stage.at("layers").json()}});
    return plan;
}

Json givenPlanSchema() {
    return DocumentSchema::ofObject([](DocumentSchema& doc) {
        doc({"file", "As the user named it."}, std::string());
        doc({"sha256", "Of its bytes."}, std::string());
        doc({"tensor", "Tensor-parallel degree."}, std::int64_t(), 1);
        doc({"data", "Replicas."}, std::int64_t(), 1);
        doc.list({"stages", "From the model's input to its output."}, std::vector<codesign::PlacedStage>(),
                 [](DocumentSchema& row, const codesign::PlacedStage& /*stage*/) {
                     row({"layers", "Ids of the layers' file; of a model from 0.", kSomeEntries},
                         std::vector<std::int64_t>(), std::numeric_limits<std::int64_t>::min());
                 });
    });
}

std::optional<GivenPlan> givenPlanOf(const PlacementSettings& settings) {
    if (settings.planFile->is_null()) return std::nullopt;
    if (!settings.plan.empty())
        throw UsageError("options --plan and --plan-file both give a plan; expected one of them");
    GivenPlan given{.document = JsonDocument::parse(settings.planFile->dump(), "the plan"), .input = {}};
    const JsonNode root = given.document.root();
    constexpr std::size_t kLongestPath = 4096;
    given.input = {root.at("file").text(kLongestPath), root.at("sha256").text()};
    return given;
}

}  // namespace tessera::study
