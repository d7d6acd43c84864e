#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/text.h"
#include "core/model/readers/hf_config_parts.h"

/// Names of architectures: those that are read, and those that are refused with the reason.
namespace tessera::model {

namespace {

/// Without what spellings differ in.
std::string plainName(std::string_view name) {
    std::string plain;
    for (const char c : lowered(std::string(name)))
        if (c != '_' && c != '-' && c != ' ') plain += c;
    return plain;
}

/// Architectures that people have and that this reader does not read, by what it does not know.
struct ConfigRefusal {
    const char* names;
    const char* with;
};

constexpr std::array<ConfigRefusal, 11> kConfigRefusals{{
    {"mamba mamba2 falcon_mamba jamba bamba zamba zamba2 nemotron_h falcon_h1 plamo2", "layers of a state space"},
    {"rwkv rwkv5 rwkv6 rwkv7 xlstm retnet recurrent_gemma", "recurrent layers"},
    {"qwen3_next qwen3_5 qwen3_5_text qwen3_5_moe qwen3_5_moe_text kimi_linear", "layers of the gated delta rule"},
    {"lfm2 lfm2_moe", "convolutions in place of attention"},
    {"deepseek_v32 deepseek_v4 glm_moe_dsa", "an index that chooses the keys of attention"},
    {"mllama mllama_text_model", "attention to images between its layers"},
    {"gemma3n gemma3n_text", "an embedding of every layer"},
    {"deci nemotron-nas decilm", "layers of different sizes"},
    {"albert", "layers that share their values"},
    {"deberta deberta-v2", "attention to distances by matrices of their own"},
    {"bart mbart pegasus marian whisper umt5", "an encoder and a decoder that are not those of T5"},
}};

/// Models of several parts, of which one is a language model.
constexpr const char* kConfigWholes =
    "llama4 qwen3_vl qwen3_vl_moe mistral3 llava llava_next paligemma idefics3 smolvlm aya_vision internvl";

void addNames(std::vector<std::string>& out, const ConfigRow& row) {
    for (const std::string_view name : split(row.names, ' ')) out.emplace_back(name);
}

template <typename Use>
void forEachRow(const Use& use) {
    for (const auto& rows : {configDecoderRows(), configMixtureRows(), configOtherRows()})
        for (const ConfigRow& row : rows) use(row);
}

}  // namespace

bool hasName(const char* names, std::string_view name) {
    const std::string plain = plainName(name);
    const std::vector<std::string_view> all = split(names, ' ');
    return !plain.empty() &&
           std::any_of(all.begin(), all.end(), [&](std::string_view each) { return plainName(each) == plain; });
}

const ConfigRow* configRowOf(std::string_view name) {
    const ConfigRow* found = nullptr;
    forEachRow([&](const ConfigRow& row) {
        if (found == nullptr && hasName(row.names, name)) found = &row;
    });
    return found;
}

std::string configRefusalOf(std::string_view name) {
    for (const ConfigRefusal& refusal : kConfigRefusals)
        if (hasName(refusal.names, name))
            return fmt::format("an architecture that is read, not one with {}", refusal.with);
    if (hasName(kConfigWholes, name)) return "an object 'text_config' beside it, with the language model's fields";
    return {};
}

std::string expectedArchitecture(std::string_view name) {
    std::vector<std::string> all, first;
    forEachRow([&](const ConfigRow& row) {
        addNames(all, row);
        first.emplace_back(split(row.names, ' ').front());
    });
    return withClosest("an architecture that is read; did you mean {}?", name, all, "one of " + joined(first, ", "));
}

}  // namespace tessera::model
