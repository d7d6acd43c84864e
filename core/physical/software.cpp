#include "core/physical/software.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iterator>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/hardware/library.h"

namespace tessera::physical {
namespace {

constexpr std::string_view kSoftwareFolder = "software", kBundledStacks = "stacks";
constexpr const char* kSoftwareSchema = "tessera.software/1";
constexpr std::size_t kMaxStacks = 1'000, kMaxWords = 100, kLongestSentence = 1'000;

std::vector<std::string> stackWords(const JsonNode& node) {
    std::vector<std::string> words;
    for (const JsonNode& each : node.elements(kMaxWords)) {
        words.push_back(each.text());
        if (words.back().empty() || words.back() != lowered(words.back())) each.fail("a word in lower case");
    }
    if (words.empty()) node.fail("at least one word");
    return words;
}

SoftwareStack readSoftwareStack(const JsonNode& node) {
    node.allowOnly({"id", "words", "with", "profile", "does", "source", "attention", "kernels", "host", "hops",
                    "sharding", "gradient_buckets_bytes", "loss", "selective", "constants", "memory"});
    SoftwareStack stack{.id = node.at("id").text(),
                        .words = stackWords(node.at("words")),
                        .profile = node.at("profile").oneOf(kSoftwareProfileNames),
                        .does = node.at("does").text(kLongestSentence)};
    if (stack.id.empty()) node.at("id").fail("a name");
    node.at("source").text(kLongestSentence);
    if (node.has("attention")) stack.attention = node.at("attention").oneOf(kStackAttentionNames);
    stack.fusedKernels = stack.profile != SoftwareProfile::eager;
    if (node.has("kernels")) stack.fusedKernels = node.at("kernels").oneOf({"separate", "fused"}) == "fused";
    if (node.has("host")) stack.hostWaits = node.at("host").oneOf({"waits", "runs ahead"}) == "waits";
    stack.hidesHops = stack.profile == SoftwareProfile::tuned;
    if (node.has("hops")) stack.hidesHops = node.at("hops").oneOf({"wait", "beside chunks"}) == "beside chunks";
    if (node.has("with")) stack.with = stackWords(node.at("with"));
    if (node.has("sharding")) stack.sharding = node.at("sharding").oneOf(kStackShardingNames);
    if (node.has("gradient_buckets_bytes")) {
        constexpr std::int64_t kMaxBuckets = 1'000'000'000'000;
        stack.gradientBuckets = static_cast<double>(node.at("gradient_buckets_bytes").whole(0, kMaxBuckets));
    }
    if (node.has("loss")) stack.lossInParts = node.at("loss").oneOf({"fused", "in parts"}) == "in parts";
    if (node.has("selective"))
        stack.keepsEverySecond = node.at("selective").oneOf({"attention", "every second product"}) != "attention";
    stack.constants = node.textOr("constants", "");
    stack.memory = node.textOr("memory", "");
    return stack;
}

/// Read once for all runs of the process, so it is no input of one of them.
std::vector<SoftwareStack> readStackFile(const std::filesystem::path& path) {
    constexpr std::uintmax_t kLargestStackFile = std::uintmax_t{1} << 20;
    return readSoftwareStacks(JsonDocument::parse(readFromDisk(path, kLargestStackFile), path.string()).root());
}

std::vector<SoftwareStack> readLibraryStacks() {
    std::vector<SoftwareStack> stacks, bundled;
    for (const auto& [id, path] : hardware::libraryFiles(kSoftwareFolder, "\"tessera.software/")) {
        std::vector<SoftwareStack> read = readStackFile(path);
        std::ranges::move(read, std::back_inserter(id == kBundledStacks ? bundled : stacks));
    }
    std::ranges::move(bundled, std::back_inserter(stacks));
    return stacks;
}

}  // namespace

std::vector<SoftwareStack> readSoftwareStacks(const JsonNode& node) {
    node.allowOnly({"schema", "name", "profiles", "stacks"});
    node.at("schema").oneOf({kSoftwareSchema});
    std::vector<SoftwareStack> stacks;
    for (const JsonNode& each : node.at("stacks").elements(kMaxStacks)) stacks.push_back(readSoftwareStack(each));
    return stacks;
}

std::span<const SoftwareStack> softwareStacks() {
    static const std::vector<SoftwareStack> stacks = readLibraryStacks();
    return stacks;
}

const SoftwareStack* softwareStackOf(std::string_view text) {
    const std::string lower = lowered(text);
    const auto isNamed = [&](const std::string& word) { return lower.find(word) != std::string::npos; };
    const auto isAnyOf = [&](const std::vector<std::string>& words) { return std::ranges::any_of(words, isNamed); };
    for (const SoftwareStack& stack : softwareStacks())
        if (isAnyOf(stack.words) && (stack.with.empty() || isAnyOf(stack.with))) return &stack;
    return nullptr;
}

}  // namespace tessera::physical
