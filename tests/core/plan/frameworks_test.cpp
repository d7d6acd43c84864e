#include "core/plan/frameworks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/names.h"
#include "tests/support/golden.h"
#include "tests/support/scratch_folder.h"

namespace tessera::plan {
namespace {

using physical::PipelineSchedule;
using testing::ElementsAre;
using testing::HasSubstr;

/// Plans that the tests begin with. Replicas, micro-batches and machines follow from the rest.
struct PlanCase {
    std::string name;
    FrameworkPlan plan;
};

physical::Transformer llama(double layers, double hidden, double heads, double ffn) {
    return {.layers = layers,
            .hidden = hidden,
            .heads = heads,
            .keyHeads = 8,
            .headSize = 128,
            .ffn = ffn,
            .sequence = 8192,
            .vocabulary = 128256,
            .gated = true,
            .biased = false,
            .tied = false};
}

physical::Transformer mixtral() {
    physical::Transformer shape = llama(32, 4096, 32, 14336);
    shape.sequence = 4096;
    shape.vocabulary = 32000;
    shape.experts = 8;
    shape.expertsPerToken = 2;
    shape.expertFfn = 14336;
    return shape;
}

/// Latent attention, shared experts and first layers without experts.
physical::Transformer deepseek() {
    physical::Transformer shape = llama(61, 7168, 128, 18432);
    shape.keyHeads = 128;
    shape.headSize = 192;
    shape.experts = 256;
    shape.expertsPerToken = 8;
    shape.expertFfn = 2048;
    shape.sharedExperts = 1;
    shape.denseLayers = 3;
    shape.latent = physical::LatentAttention();
    return shape;
}

/// With one part on nodes of 8 H100, and the micro-batches that the global batch gives.
FrameworkPlan planOf(const std::string& model, const physical::Transformer& shape, Configuration configuration,
                     std::vector<int> layers, double globalBatch) {
    const int micro = static_cast<int>(globalBatch) / (configuration.data * configuration.micro);
    configuration.parts = {{0, configuration.pipeline, configuration.data, micro}};
    return {.model = model,
            .fleet = "H100 cluster",
            .shape = shape,
            .globalBatch = globalBatch,
            .dtype = "bf16",
            .configuration = configuration,
            .layers = std::move(layers),
            .machines = {{"h100", configuration.accelerators(), 8}}};
}

FrameworkPlan interleaved(int zero) {
    std::vector<int> layers(16, 8);
    layers.front() = layers.back() = 7;
    return planOf("llama3.1-405b", llama(126, 16384, 128, 53248),
                  {.tensor = 8,
                   .pipeline = 16,
                   .data = 8,
                   .chunks = 8,
                   .micro = 1,
                   .schedule = PipelineSchedule::interleaved,
                   .zero = zero},
                  layers, 1024);
}

FrameworkPlan experts(int tensor, int zero) {
    return planOf("mixtral-8x7b", mixtral(), {.tensor = tensor, .data = 32, .expert = 8, .micro = 2, .zero = zero},
                  {32}, 256);
}

FrameworkPlan sharded() {
    return planOf("llama3.1-70b", llama(80, 8192, 64, 28672),
                  {.data = 64, .micro = 1, .recompute = Recomputation::full, .zero = 3}, {80}, 256);
}

FrameworkPlan uneven(std::vector<int> layers, int zero = 1) {
    return planOf("llama3.1-8b", llama(32, 4096, 32, 14336), {.pipeline = 4, .data = 4, .micro = 2, .zero = zero},
                  std::move(layers), 256);
}

/// Every stage recomputes so many of its layers.
FrameworkPlan recomputing(std::vector<int> layers, const std::vector<RecomputedLayers>& recomputed) {
    FrameworkPlan plan = uneven(std::move(layers));
    plan.configuration.recompute = Recomputation::perStage;
    plan.recomputed = recomputed;
    return plan;
}

FrameworkPlan neighbouring() {
    FrameworkPlan plan = uneven({8, 8, 8, 8});
    plan.configuration.order = physical::RankOrder::dataLast;
    return plan;
}

std::vector<PlanCase> cases() {
    FrameworkPlan latent =
        planOf("deepseek-v3", deepseek(), {.pipeline = 16, .data = 64, .expert = 64, .micro = 1, .zero = 1},
               {4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 1}, 1024);
    latent.dtype = "fp8";
    FrameworkPlan replicated = planOf("llama3.1-8b", llama(32, 4096, 32, 14336), {.data = 8, .micro = 1}, {32}, 64);
    FrameworkPlan longContext = planOf("llama3.1-8b", llama(32, 4096, 32, 14336),
                                       {.tensor = 2, .data = 2, .context = 4, .micro = 1, .zero = 2}, {32}, 64);
    FrameworkPlan whole = experts(2, 1);
    whole.configuration.wholeExperts = true;
    return {{"interleaved", interleaved(1)},
            {"experts-whole", whole},
            {"neighbouring", neighbouring()},
            {"block", recomputing({8, 8, 8, 8}, std::vector<RecomputedLayers>(4, {.selective = 0, .full = 3}))},
            {"interleaved-sharded", interleaved(2)},
            {"experts", experts(2, 1)},
            {"experts-sharded", experts(1, 3)},
            {"sharded", sharded()},
            {"uneven", uneven({9, 8, 8, 7})},
            {"latent", latent},
            {"replicated", replicated},
            {"context", longContext}};
}

const Framework& framework(const std::string& id) {
    return *findRow(frameworks(), id);
}
std::string textOf(const std::string& id, const FrameworkPlan& plan) {
    return exported(plan, framework(id));
}
std::string misfitOf(const std::string& id, const FrameworkPlan& plan) {
    return framework(id).misfit(plan);
}

/// The words of the array as bash reads the file.
std::vector<std::string> argumentsOf(const FrameworkPlan& plan) {
    const test::ScratchFolder folder;
    std::ofstream(folder / "args.sh") << textOf("megatron-lm", plan);
    const std::string line =
        "bash -euc 'source " + (folder / "args.sh").string() + "; printf \"%s\\n\" \"${PLAN_ARGS[@]}\"'";
    FILE* pipe = popen(line.c_str(), "r");
    if (pipe == nullptr) throw std::runtime_error("bash does not run");
    std::string output;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) output += static_cast<char>(c);
    EXPECT_EQ(pclose(pipe), 0) << plan.model;
    std::vector<std::string> words;
    std::istringstream lines(output);
    for (std::string word; std::getline(lines, word);) words.push_back(word);
    return words;
}

/// Values by flag; "" of a flag without one.
std::map<std::string, std::string> flagsOf(const FrameworkPlan& plan) {
    std::map<std::string, std::string> flags;
    std::string last;
    for (const std::string& word : argumentsOf(plan)) {
        if (word.starts_with("--")) {
            EXPECT_TRUE(flags.emplace(word, "").second) << word << " twice";
            last = word;
        } else {
            EXPECT_EQ(flags[last], "") << last << " has two values";
            flags[last] = word;
        }
    }
    return flags;
}

/// Values by key of a text of lines "key=value".
std::map<std::string, std::string> overridesOf(const FrameworkPlan& plan) {
    std::map<std::string, std::string> values;
    std::istringstream lines(textOf("nemo", plan));
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with('#')) continue;
        const std::size_t sign = line.find('=');
        EXPECT_NE(sign, std::string::npos) << line;
        EXPECT_TRUE(values.emplace(line.substr(0, sign), line.substr(sign + 1)).second) << line << " twice";
        EXPECT_EQ(line.find_first_of(" '\""), std::string::npos) << line;
    }
    return values;
}

/// Values by "section.key" of a TOML of numbers, strings and lists; lists as JSON, whose grammar theirs is but for the
/// last comma.
std::map<std::string, nlohmann::json> tomlOf(const FrameworkPlan& plan) {
    std::map<std::string, nlohmann::json> values;
    std::set<std::string> sections;
    std::istringstream lines(textOf("torchtitan", plan));
    std::string section;
    for (std::string line; std::getline(lines, line);) {
        if (line.empty() || line.starts_with('#')) continue;
        if (line.starts_with('[')) {
            section = line.substr(1, line.size() - 2);
            EXPECT_TRUE(sections.insert(section).second) << section << " twice";
            continue;
        }
        const std::size_t sign = line.find(" = ");
        EXPECT_NE(sign, std::string::npos) << line;
        const std::string key = section + "." + line.substr(0, sign);
        std::string value = line.substr(sign + 3);
        while (value.starts_with('[') && !value.ends_with(']')) {
            std::getline(lines, line);
            value += line;
            if (line == "]") break;
        }
        if (value.ends_with(",]")) value.erase(value.size() - 2, 1);
        EXPECT_TRUE(values.emplace(key, nlohmann::json::parse(value)).second) << key << " twice";
    }
    return values;
}

int number(const std::map<std::string, std::string>& values, const std::string& key) {
    const auto found = values.find(key);
    return found == values.end() ? 1 : std::stoi(found->second);
}
int number(const std::map<std::string, nlohmann::json>& values, const std::string& key) {
    const auto found = values.find(key);
    return found == values.end() ? 1 : found->second.get<int>();
}

TEST(Frameworks, writeWhatIsAccepted) {
    std::size_t written = 0;
    for (const PlanCase& each : cases())
        for (const Framework& framework : frameworks()) {
            if (!framework.misfit(each.plan).empty()) continue;
            ++written;
            test::expectGolden(
                framework.text(each.plan),
                "tests/data/frameworks/" + each.name + "-" + std::string(framework.id) + std::string(framework.suffix));
        }
    EXPECT_EQ(written, 29U);
}

TEST(Frameworks, haveNamesSuffixesAndSentences) {
    std::set<std::string_view> ids;
    for (const Framework& each : frameworks()) {
        EXPECT_TRUE(ids.insert(each.id).second);
        EXPECT_TRUE(each.suffix.starts_with('.'));
        EXPECT_FALSE(each.title.empty() || each.about.empty());
    }
    EXPECT_THROW(exported(interleaved(1), framework("deepspeed")), UsageError);
}

TEST(Frameworks, ofMegatronUseTheAcceleratorsOfThePlan) {
    for (const PlanCase& each : cases()) {
        if (!misfitOf("megatron-lm", each.plan).empty()) continue;
        const auto flags = flagsOf(each.plan);
        const Configuration& configuration = each.plan.configuration;
        const int model = number(flags, "--tensor-model-parallel-size") *
                          number(flags, "--pipeline-model-parallel-size") * number(flags, "--context-parallel-size");
        EXPECT_EQ(configuration.accelerators() % model, 0) << each.name;
        EXPECT_EQ(configuration.accelerators() / model, configuration.data) << each.name;
        EXPECT_EQ(flags.contains("--sequence-parallel"), configuration.tensor > 1);
        EXPECT_EQ(number(flags, "--global-batch-size") % (configuration.data * number(flags, "--micro-batch-size")), 0);
        EXPECT_EQ(flags.contains("--use-distributed-optimizer"), configuration.zero == 1);
        EXPECT_EQ(flags.contains("--use-megatron-fsdp"), configuration.zero > 1);
        // NeMo says the same of it.
        const auto overrides = overridesOf(each.plan);
        EXPECT_EQ(number(overrides, "model.tensor_model_parallel_size"), configuration.tensor);
        EXPECT_EQ(number(overrides, "model.pipeline_model_parallel_size"), configuration.pipeline);
        EXPECT_EQ(number(overrides, "model.context_parallel_size"), configuration.context);
        EXPECT_EQ(number(overrides, "model.expert_model_parallel_size"), configuration.expert);
        EXPECT_EQ(number(overrides, "model.expert_tensor_parallel_size"),
                  number(flags, "--expert-tensor-parallel-size"));
        EXPECT_EQ(overrides.contains("dist.use_tp_pp_dp_mapping"), flags.contains("--use-tp-pp-dp-mapping"));
        EXPECT_EQ(overrides.at("model.recompute_num_layers") == "null", !flags.contains("--recompute-num-layers"));
        EXPECT_EQ(number(overrides, "train.global_batch_size"), each.plan.globalBatch);
        EXPECT_EQ(overrides.at("model.virtual_pipeline_model_parallel_size"),
                  configuration.chunks > 1 ? std::to_string(configuration.chunks) : "null");
    }
}

TEST(Frameworks, ofMegatronSayWholeExpertsAndOrder) {
    FrameworkPlan whole = experts(2, 1);
    EXPECT_EQ(flagsOf(whole).at("--expert-tensor-parallel-size"), "2");
    whole.configuration.wholeExperts = true;
    EXPECT_EQ(flagsOf(whole).at("--expert-tensor-parallel-size"), "1");
    FrameworkPlan ordered = neighbouring();
    EXPECT_TRUE(flagsOf(ordered).contains("--use-tp-pp-dp-mapping"));
    EXPECT_EQ(overridesOf(ordered).at("dist.use_tp_pp_dp_mapping"), "true");
    ordered.configuration.context = 2;
    EXPECT_EQ(misfitOf("megatron-lm", ordered), "");
    EXPECT_THAT(misfitOf("nemo", ordered), HasSubstr("tp-cp-pp-dp without context and expert parallelism"));
    for (const char* id : {"deepspeed", "torchtitan"}) {
        FrameworkPlan plan = neighbouring();
        plan.configuration.zero = 0;
        plan.dtype = "fp32";
        plan.configuration.data = 1;
        EXPECT_THAT(misfitOf(id, plan), HasSubstr("ranks in the order tp-cp-dp-pp, not tp-cp-pp-dp"));
    }
}

TEST(Frameworks, ofMegatronRecomputeEquallyManyLayersOfEveryStage) {
    using Layers = std::vector<RecomputedLayers>;
    const auto full = [](std::vector<int> counts) {
        Layers layers;
        for (const int each : counts) layers.push_back({.selective = 0, .full = each});
        return layers;
    };
    const auto saidOf = [](const FrameworkPlan& plan) {
        std::string said;
        for (const auto& [flag, value] : flagsOf(plan))
            if (flag.find("recompute") != std::string::npos) said += flag.substr(12) + " " + value + " ";
        return said;
    };
    EXPECT_EQ(saidOf(recomputing({8, 8, 8, 8}, full({3, 3, 3, 3}))), "granularity full method block num-layers 3 ");
    EXPECT_EQ(saidOf(recomputing({8, 8, 8, 7}, full({8, 8, 8, 7}))), "granularity full method uniform num-layers 1 ");
    EXPECT_EQ(saidOf(recomputing({8, 8, 8, 8}, full({0, 0, 0, 0}))), "");
    EXPECT_EQ(saidOf(recomputing({2, 2, 2, 2}, Layers(4, {.selective = 2, .full = 0}))), "granularity selective ");
    for (const char* id : {"megatron-lm", "nemo"}) {
        EXPECT_THAT(misfitOf(id, recomputing({8, 8, 8, 8}, full({4, 2, 1, 0}))),
                    HasSubstr("equally many layers of every stage; this plan recomputes 0 to 4"));
        EXPECT_THAT(misfitOf(id, recomputing({8, 8, 8, 8}, Layers(4, {.selective = 2, .full = 1}))),
                    HasSubstr("attention of all layers or of none"));
        FrameworkPlan pieces = recomputing({8, 8, 8, 8}, full({3, 3, 3, 3}));
        pieces.configuration.schedule = PipelineSchedule::interleaved;
        pieces.configuration.chunks = 2;
        EXPECT_THAT(misfitOf(id, pieces), HasSubstr("of each of 2 virtual stages, not 3 of a stage"));
        pieces.recomputed = full({4, 4, 4, 4});
        EXPECT_EQ(misfitOf(id, pieces), "");
        if (std::string(id) == "megatron-lm") {
            EXPECT_EQ(saidOf(pieces), "granularity full method block num-layers 2 ");
        }
    }
    FrameworkPlan other = recomputing({8, 8, 8, 8}, full({3, 3, 3, 3}));
    EXPECT_THAT(misfitOf("deepspeed", other), HasSubstr("recomputes all stages alike"));
    other.configuration.zero = 2;
    EXPECT_THAT(misfitOf("torchtitan", other), HasSubstr("recomputes all stages alike"));
    other.recomputed = full({8, 8, 8, 8});
    EXPECT_THAT(textOf("torchtitan", other), HasSubstr("mode = \"full\""));
}

TEST(Frameworks, ofTorchtitanShareWholeExpertsAmongTensorsToo) {
    FrameworkPlan plan = experts(2, 2);
    plan.configuration.wholeExperts = true;
    EXPECT_THAT(textOf("torchtitan", plan), HasSubstr("expert_tensor_parallel_degree = 1\n"));
    plan.configuration.context = 3;
    EXPECT_THAT(misfitOf("torchtitan", plan), HasSubstr("tensor x context parallelism divides: 6 does not 8"));
    plan.configuration.context = 1;
    plan.configuration.expert = 1;
    EXPECT_THAT(misfitOf("torchtitan", plan), HasSubstr("leaves experts whole only with expert parallelism"));
}

TEST(Frameworks, ofMegatronPlaceEmbeddingAndHeadAsLayers) {
    const auto flags = flagsOf(interleaved(1));
    EXPECT_EQ(flags.at("--num-virtual-stages-per-pipeline-rank"), "8");
    EXPECT_TRUE(flags.contains("--account-for-embedding-in-pipeline-split"));
    EXPECT_TRUE(flags.contains("--account-for-loss-in-pipeline-split"));
    EXPECT_FALSE(flags.contains("--pipeline-model-parallel-layout"));
    FrameworkPlan even = interleaved(1);
    even.shape.layers = 128;
    even.layers.assign(16, 8);
    EXPECT_FALSE(flagsOf(even).contains("--account-for-loss-in-pipeline-split"));
    EXPECT_EQ(flagsOf(even).at("--num-virtual-stages-per-pipeline-rank"), "8");
}

TEST(Frameworks, ofMegatronPlaceUnevenLayers) {
    const auto placed = [](std::vector<int> layers) {
        FrameworkPlan plan = uneven(std::move(layers));
        plan.configuration.pipeline = static_cast<int>(plan.layers.size());
        std::string said;
        for (const auto& [flag, value] : flagsOf(plan))
            if (flag.find("decoder-") != std::string::npos || flag.find("layout") != std::string::npos)
                said += flag + " " + value + " ";
        return said;
    };
    EXPECT_EQ(placed({8, 8, 8, 8}), "");
    EXPECT_EQ(placed({9, 8, 8, 7}), "--decoder-first-pipeline-num-layers 9 --decoder-last-pipeline-num-layers 7 ");
    EXPECT_EQ(placed({9, 9, 9, 5}), "--decoder-last-pipeline-num-layers 5 ");
    EXPECT_EQ(placed({17, 15}), "--decoder-first-pipeline-num-layers 17 ");
    EXPECT_EQ(placed({9, 8, 7, 8}), "--pipeline-model-parallel-layout Et*9|t*8|t*7|t*8L ");
    EXPECT_EQ(placed({1, 2, 2, 0}), "--pipeline-model-parallel-layout Et|t*2|t*2|L ");
}

TEST(Frameworks, ofMegatronSayTheModel) {
    const std::vector<PlanCase> all = cases();
    const auto latent =
        std::find_if(all.begin(), all.end(), [](const PlanCase& each) { return each.name == "latent"; });
    ASSERT_NE(latent, all.end());
    const auto flags = flagsOf(latent->plan);
    EXPECT_TRUE(flags.contains("--multi-latent-attention"));
    EXPECT_EQ(flags.at("--moe-layer-freq"), "([0]*3+[1]*58)");
    EXPECT_EQ(flags.at("--moe-shared-expert-intermediate-size"), "2048");
    EXPECT_EQ(flags.at("--fp8-format"), "hybrid");
    EXPECT_TRUE(flags.contains("--bf16"));
    FrameworkPlan bert = uneven({8, 8, 8, 8});
    bert.shape.causal = false;
    bert.shape.positions = 512;
    bert.shape.biased = true;
    EXPECT_THAT(textOf("megatron-lm", bert), HasSubstr("pretrain_bert.py"));
    EXPECT_EQ(flagsOf(bert).at("--position-embedding-type"), "learned_absolute");
    EXPECT_THAT(misfitOf("nemo", bert), HasSubstr("encoders"));
    EXPECT_THAT(misfitOf("torchtitan", bert), HasSubstr("encoders"));
}

TEST(Frameworks, ofMegatronSaySlidingWindows) {
    FrameworkPlan plan = sharded();
    plan.shape.window = physical::SlidingWindow{.size = 4096, .layers = 80, .every = 0};
    const Framework& megatron = framework("megatron-lm");
    // Its left border is beside the token itself, which our size counts.
    EXPECT_THAT(megatron.text(plan), HasSubstr("--window-size 4095,0"));
    EXPECT_THAT(megatron.text(plan), testing::Not(HasSubstr("skip-freq")));
    plan.shape.window = physical::SlidingWindow{.size = 128, .layers = 40, .every = 2};
    EXPECT_THAT(megatron.text(plan), HasSubstr("--window-attn-skip-freq 2"));
    EXPECT_EQ(megatron.misfit(plan), "");
    plan.shape.window->every = 0;
    EXPECT_EQ(megatron.misfit(plan),
              "Megatron-LM has sliding windows in all layers or in all but every so many, not in 40 of 80");
    EXPECT_EQ(framework("nemo").misfit(plan), "");
}

TEST(Frameworks, ofMegatronHaveNoChunksOfAttention) {
    FrameworkPlan plan = sharded();
    const Framework& megatron = framework("megatron-lm");
    const std::string all = megatron.text(plan);
    plan.shape.sequence = 16384;
    plan.shape.window = physical::SlidingWindow{.size = 8192, .layers = 60, .every = 4, .chunked = true};
    EXPECT_EQ(megatron.misfit(plan),
              "Megatron-LM has sliding windows of attention, not attention within chunks of 8192 tokens");
    for (const char* const other : {"nemo", "torchtitan"}) EXPECT_EQ(misfitOf(other, plan), "") << other;
    // Samples of one chunk have nothing to be said.
    plan.shape.sequence = sharded().shape.sequence;
    ASSERT_LE(plan.shape.sequence, 8192);
    EXPECT_EQ(megatron.misfit(plan), "");
    EXPECT_EQ(megatron.text(plan), all);
}

TEST(Frameworks, ofDeepSpeedAreJsonWhoseBatchesAgree) {
    int written = 0;
    for (const PlanCase& each : cases()) {
        if (!misfitOf("deepspeed", each.plan).empty()) continue;
        ++written;
        const auto document = nlohmann::json::parse(textOf("deepspeed", each.plan));
        EXPECT_EQ(document["train_batch_size"].get<int>(), document["train_micro_batch_size_per_gpu"].get<int>() *
                                                               document["gradient_accumulation_steps"].get<int>() *
                                                               each.plan.configuration.data)
            << each.name;
        EXPECT_EQ(document["zero_optimization"]["stage"], each.plan.configuration.zero);
        EXPECT_EQ(document["bf16"]["enabled"], true);
        EXPECT_EQ(document.contains("pipeline"), each.plan.configuration.pipeline > 1);
    }
    EXPECT_EQ(written, 2);
}

TEST(Frameworks, ofDeepSpeedSplitTensorsAndStages) {
    FrameworkPlan plan = sharded();
    plan.configuration.tensor = 4;
    EXPECT_THAT(misfitOf("deepspeed", plan), HasSubstr("sharded weights"));
    plan.configuration.zero = 2;
    EXPECT_EQ(nlohmann::json::parse(textOf("deepspeed", plan))["tensor_parallel"]["autotp_size"], 4);
    plan.configuration.pipeline = 2;
    plan.layers = {40, 40};
    EXPECT_THAT(misfitOf("deepspeed", plan), HasSubstr("ZeRO 2"));
    plan.configuration.zero = 1;
    EXPECT_THAT(misfitOf("deepspeed", plan), HasSubstr("Megatron-DeepSpeed"));
    plan.configuration.tensor = 1;
    EXPECT_EQ(nlohmann::json::parse(textOf("deepspeed", plan))["pipeline"]["activation_checkpoint_interval"], 1);
}

TEST(Frameworks, ofTorchtitanUseTheAcceleratorsOfThePlan) {
    int written = 0;
    for (const PlanCase& each : cases()) {
        if (!misfitOf("torchtitan", each.plan).empty()) continue;
        ++written;
        const auto values = tomlOf(each.plan);
        const auto degree = [&](const std::string& key) { return number(values, "parallelism." + key + "_degree"); };
        const int replicas = degree("data_parallel_replicate") * degree("data_parallel_shard");
        EXPECT_EQ(degree("tensor_parallel") * degree("context_parallel") * degree("pipeline_parallel") * replicas,
                  each.plan.configuration.accelerators())
            << each.name;
        EXPECT_EQ(degree("expert_parallel"), each.plan.configuration.expert);
        const int global = number(values, "training.global_batch_size"),
                  local = number(values, "training.local_batch_size");
        EXPECT_EQ(global, each.plan.globalBatch);
        EXPECT_EQ(global % (local * replicas), 0) << each.name;
    }
    EXPECT_EQ(written, 5);
}

TEST(Frameworks, ofTorchtitanNameTheModulesOfEveryPiece) {
    const auto modules = tomlOf(interleaved(2)).at("parallelism.module_fqns_per_model_part");
    ASSERT_EQ(modules.size(), 128U);
    std::vector<std::string> all;
    for (const auto& piece : modules)
        for (const auto& module : piece) all.push_back(module);
    ASSERT_EQ(all.size(), 129U);
    EXPECT_EQ(all.front(), "tok_embeddings");
    for (std::size_t i = 0; i < 126; ++i) EXPECT_EQ(all[i + 1], "layers." + std::to_string(i));
    EXPECT_EQ(modules.front().size(), 1U);
    EXPECT_THAT(modules.back().get<std::vector<std::string>>(), ElementsAre("norm", "output"));
}

TEST(Frameworks, ofTorchtitanRunDownAndUp) {
    FrameworkPlan plan = uneven({9, 8, 8, 7}, 2);
    plan.configuration.schedule = PipelineSchedule::zbV;
    const auto modules = tomlOf(plan).at("parallelism.module_fqns_per_model_part");
    std::vector<std::size_t> sizes;
    for (const auto& piece : modules) sizes.push_back(piece.size());
    // The first stage's 9 layers are 4 with the embedding and 5 with the head; the last one's 7 follow each other.
    EXPECT_THAT(sizes, ElementsAre(5, 4, 4, 4, 3, 4, 4, 7));
    EXPECT_THAT(misfitOf("megatron-lm", plan), HasSubstr("not as zb-v"));
}

TEST(Frameworks, sayWhyTheyCannotRunAPlan) {
    FrameworkPlan plan = uneven({8, 8, 8, 8});
    for (const auto& [schedule, name] :
         {std::pair{PipelineSchedule::zb1p, "zb-1p"}, {PipelineSchedule::zbH2, "zb-h2"}}) {
        plan.configuration.schedule = schedule;
        for (const Framework& each : frameworks()) EXPECT_THAT(each.misfit(plan), HasSubstr(name)) << each.id;
    }
    plan = uneven({8, 8, 8, 8}, 3);
    for (const char* id : {"megatron-lm", "nemo", "deepspeed"}) EXPECT_THAT(misfitOf(id, plan), HasSubstr("ZeRO 3"));
    EXPECT_EQ(misfitOf("torchtitan", plan), "");
    EXPECT_THAT(misfitOf("torchtitan", uneven({8, 8, 8, 8}, 1)), HasSubstr("ZeRO 1"));
    EXPECT_THAT(misfitOf("torchtitan", uneven({8, 8, 8, 8}, 0)), HasSubstr("ZeRO 0"));
    EXPECT_THAT(misfitOf("deepspeed", uneven({9, 9, 9, 5})), HasSubstr("5 to 9 layers"));
    plan = experts(1, 1);
    EXPECT_THAT(misfitOf("deepspeed", plan), HasSubstr("ep_size"));
    plan.dtype = "fp16";
    EXPECT_THAT(misfitOf("megatron-lm", plan), HasSubstr("fp16"));
    EXPECT_THAT(misfitOf("torchtitan", plan), HasSubstr("not in fp16"));
    plan = sharded();
    plan.configuration.tensor = 16;
    plan.shape.keyHeads = 12;
    EXPECT_THAT(misfitOf("nemo", plan), HasSubstr("12 heads of keys and values"));
    plan = sharded();
    plan.shape.embeddingWidth = 512;
    EXPECT_THAT(misfitOf("megatron-lm", plan), HasSubstr("not of 512"));
    plan = sharded();
    plan.dtype = "int8";
    for (const Framework& each : frameworks()) EXPECT_THAT(each.misfit(plan), HasSubstr("int8")) << each.id;
}

TEST(Frameworks, giveReplicasEquallyManyMicroBatches) {
    FrameworkPlan plan = sharded();
    plan.configuration.parts = {{0, 1, 32, 5}, {1, 1, 32, 3}};
    plan.machines = {{"h200", 32, 8}, {"h100", 32, 8}};
    for (const Framework& each : frameworks())
        EXPECT_THAT(each.misfit(plan), HasSubstr("gives some 5 and others 3")) << each.id;
    plan.configuration.parts[0].microBatches = plan.configuration.parts[1].microBatches = 4;
    EXPECT_THAT(textOf("megatron-lm", plan), HasSubstr("4 nodes of 8 h200, then 4 nodes of 8 h100"));
    EXPECT_THAT(textOf("megatron-lm", plan), HasSubstr("--nnodes 8 --nproc-per-node 8"));
}

TEST(Frameworks, writeNamesOfFilesOnOneLine) {
    FrameworkPlan plan = sharded();
    plan.fleet = "mine\nrm -rf /";
    for (const char* id : {"megatron-lm", "nemo", "torchtitan"})
        EXPECT_EQ(textOf(id, plan).find("\nrm"), std::string::npos) << id;
}

}  // namespace
}  // namespace tessera::plan
