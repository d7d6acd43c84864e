#include "core/physical/software.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "core/base/file.h"
#include "core/physical/step_parameters.h"
#include "tests/support/paths.h"
#include "tests/support/schema.h"

namespace tessera::physical {
namespace {

using testing::HasSubstr;

std::string stackNamedBy(std::string_view text) {
    const SoftwareStack* stack = softwareStackOf(text);
    return stack == nullptr ? "" : stack->id;
}

std::string stackError(const std::string& stack) {
    try {
        const std::string text = R"({"schema": "tessera.software/1", "stacks": [)" + stack + "]}";
        readSoftwareStacks(JsonDocument::parse(text, "mine.json").root());
    } catch (const DataError& error) {
        return error.what();
    }
    return "";
}

TEST(Software, ofTheLibraryMeetsItsSchemaAndHasAWordForEachProfile) {
    const std::string text = readFile(test::sourcePath("data/software/stacks.json"));
    EXPECT_EQ(test::schemaErrors(nlohmann::json::parse(text), "software.schema.json"), "");
    for (const std::string_view profile : kSoftwareProfileNames.all()) {
        const SoftwareStack* stack = softwareStackOf(profile);
        ASSERT_NE(stack, nullptr) << profile;
        EXPECT_EQ(kSoftwareProfileNames.of(stack->profile), profile);
    }
    std::set<std::string> ids;
    for (const SoftwareStack& stack : softwareStacks()) EXPECT_TRUE(ids.insert(stack.id).second) << stack.id;
    EXPECT_GE(ids.size(), 20U);
}

TEST(Software, isNamedByTheMostSpecialOfItsWordsWhateverTheCase) {
    EXPECT_EQ(stackNamedBy("Megatron-DeepSpeed, PyTorch 1.10"), "megatron-deepspeed");
    EXPECT_EQ(stackNamedBy("NeMo Megatron"), "nemo");
    EXPECT_EQ(stackNamedBy("MXNet NVIDIA Release 21.05"), "nvidia-release");
    EXPECT_EQ(stackNamedBy("TensorFlow XLA"), "tensorflow-xla");
    EXPECT_EQ(stackNamedBy("TF2 2.4"), "tensorflow");
    EXPECT_EQ(stackNamedBy("PyTorch, fused by torch.compile"), "torch-compile");
    EXPECT_EQ(stackNamedBy("something new"), "");
}

TEST(Software, constantsThatAStackNamesAreFitted) {
    std::set<std::string_view> fitted;
    for (const StepFit& fit : stepFits()) fitted.insert(fit.stack);
    for (const SoftwareStack& stack : softwareStacks())
        EXPECT_TRUE(stack.constants.empty() || fitted.contains(stack.constants)) << stack.id;
}

TEST(Software, traitsFollowTheEntryTheDeviceAndTheDataType) {
    const Device volta{.vendor = "NVIDIA", .peaks = {{"fp16", 125e12}}};
    const Device hopper{.vendor = "NVIDIA", .peaks = {{"bf16", 989e12}, {"fp8", 1979e12}}};
    const StackTraits old = stackTraitsOf("Megatron-LM", volta, "fp16", false);
    EXPECT_FALSE(old.fusedAttention);
    EXPECT_TRUE(old.alternates);
    EXPECT_EQ(old.fit, "megatron-lm-volta");
    const StackTraits recent = stackTraitsOf("Megatron-LM", hopper, "bf16", false);
    EXPECT_TRUE(recent.fusedAttention);
    EXPECT_EQ(recent.fit, "megatron-lm");
    EXPECT_FALSE(stackTraitsOf("llm-foundry", hopper, "fp32", false).fusedAttention);
    EXPECT_EQ(stackTraitsOf("PyTorch", hopper, "fp8", false).profile, SoftwareProfile::tuned);
    EXPECT_EQ(stackTraitsOf("something new", hopper, "bf16", false).id, "fused");
    EXPECT_FALSE(stackTraitsOf("TensorFlow", hopper, "bf16", false).fusedKernels);
    EXPECT_TRUE(stackTraitsOf("Megatron-DeepSpeed", hopper, "bf16", false).fusedKernels);
    EXPECT_EQ(stackTraitsOf("Megatron-DeepSpeed", hopper, "bf16", false).gradientBuckets, 2e9);
    EXPECT_EQ(recent.gradientBuckets, 0);
}

TEST(Software, mayBeNamedByTwoWords) {
    ASSERT_NE(softwareStackOf("torchtitan with torch.compile"), nullptr);
    EXPECT_EQ(softwareStackOf("torchtitan with torch.compile")->id, "torchtitan");
    EXPECT_EQ(softwareStackOf("TorchTitan 0.1")->id, "torchtitan-eager");
    EXPECT_EQ(softwareStackOf("PyTorch, torch.compile")->id, "torch-compile");
    const Device hopper{.vendor = "NVIDIA", .peaks = {{"bf16", 989e12}, {"fp8", 1979e12}}};
    const StackTraits eager = stackTraitsOf("torchtitan", hopper, "bf16", false);
    EXPECT_FALSE(eager.fusedKernels);
    EXPECT_EQ(eager.sharding, StackSharding::fsdp2);
    EXPECT_TRUE(eager.lossInParts && eager.keepsEverySecond);
    EXPECT_TRUE(stackTraitsOf("torchtitan, compiled", hopper, "bf16", false).fusedKernels);
    EXPECT_EQ(stackTraitsOf("Megatron-LM", hopper, "bf16", false).sharding, StackSharding::zero);
}

TEST(Software, thatMeansNothingIsAnsweredWithItsPlace) {
    const std::string rest = R"(, "does": "runs", "source": "me"})";
    EXPECT_EQ(stackError(R"({"id": "a", "words": ["a"], "profile": "eager")" + rest), "");
    EXPECT_THAT(stackError(R"({"id": "a", "words": ["A"], "profile": "eager")" + rest), HasSubstr("lower case"));
    EXPECT_THAT(stackError(R"({"id": "a", "words": [], "profile": "eager")" + rest), HasSubstr("at least one word"));
    EXPECT_THAT(stackError(R"({"id": "a", "words": ["a"], "profile": "quick")" + rest), HasSubstr("profile"));
    EXPECT_THAT(stackError(R"({"id": "a", "words": ["a"], "profile": "eager", "host": "sleeps")" + rest),
                HasSubstr("stacks[0].host"));
    EXPECT_THAT(stackError(R"({"id": "a", "words": ["a"], "profile": "eager", "speed": 9)" + rest), HasSubstr("speed"));
    EXPECT_THAT(stackError(R"({"id": "a", "words": ["a"], "profile": "eager", "sharding": "some")" + rest),
                HasSubstr("stacks[0].sharding"));
    EXPECT_THAT(stackError(R"({"id": "a", "words": ["a"], "profile": "eager", "gradient_buckets_bytes": -1)" + rest),
                HasSubstr("stacks[0].gradient_buckets_bytes"));
    EXPECT_THAT(stackError(R"({"id": "a", "words": ["a"], "with": ["B"], "profile": "eager")" + rest),
                HasSubstr("lower case"));
}

}  // namespace
}  // namespace tessera::physical
