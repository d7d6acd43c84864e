#include "core/model/zoo/transformer_rows.h"

#include <string>
#include <utility>

#include "core/model/zoo/families.h"
#include "core/model/zoo/network.h"

namespace tessera::model::zoo {

namespace {

constexpr const char* kTransformer = "transformer";
constexpr const char* kGptFamily = "zoo:gpt";
constexpr const char* kBertFamily = "zoo:bert";
constexpr const char* kLlamaFamily = "zoo:llama";

ZooDimension sequence(std::int64_t value, std::int64_t max) {
    return {"sequence", "tokens per sample", value, max};
}

ZooDimension tensorParallel(std::int64_t heads) {
    return {"tensor_parallel",
            "devices that share every layer by Megatron-LM's column and row split; the model is the slice of one",
            1,
            heads,
            heads,
            "heads"};
}

constexpr const char* kMegatron =
    "Shoeybi, Patwary, Puri, LeGresley, Casper, Catanzaro: \"Megatron-LM: Training Multi-Billion Parameter Language "
    "Models Using Model Parallelism\", arXiv:1909.08053, 2019";
constexpr const char* kGpt2 =
    "Radford, Wu, Child, Luan, Amodei, Sutskever: \"Language Models are Unsupervised Multitask Learners\", OpenAI, "
    "2019";
constexpr const char* kBert =
    "Devlin, Chang, Lee, Toutanova: \"BERT: Pre-training of Deep Bidirectional Transformers for Language "
    "Understanding\", NAACL 2019";
constexpr const char* kT5 =
    "Raffel, Shazeer, Roberts, Lee, Narang, Matena, Zhou, Li, Liu: \"Exploring the Limits of Transfer Learning with a "
    "Unified Text-to-Text Transformer\", JMLR 2020";

/// What lists say of a network.
struct Labels {
    std::string id, title, source, description;
};

using Sizes = std::map<std::string, std::int64_t>;
using Build = Graph (*)(Network net);

/// A network of a family: the row of the zoo, its graph and its specification come from the same sizes.
ZooEntry rowOf(Labels labels, Build build, const std::string& family, Sizes sizes, const ZooDimension& tokens) {
    const auto keyHeads = sizes.find("kv_heads");
    const std::int64_t split = keyHeads == sizes.end() ? sizes.at("heads") : keyHeads->second;
    return {.id = std::move(labels.id),
            .title = std::move(labels.title),
            .family = kTransformer,
            .source = std::move(labels.source),
            .description = std::move(labels.description),
            .build = build,
            .dimensions = {tokens, tensorParallel(split)},
            .transformer = {.family = family, .sizes = std::move(sizes)}};
}

/// A table of positions bounds the sequence.
ZooEntry gptRow(Labels labels, std::int64_t layers, std::int64_t heads, std::int64_t hidden,
                std::int64_t positions = 1024, std::int64_t vocabulary = 50257) {
    return rowOf(std::move(labels), gpt, kGptFamily,
                 {{"layers", layers},
                  {"heads", heads},
                  {"hidden", hidden},
                  {"positions", positions},
                  {"vocabulary", vocabulary}},
                 sequence(positions, positions));
}

ZooEntry bertRow(Labels labels, Build build, std::int64_t layers, std::int64_t heads, std::int64_t hidden,
                 std::int64_t vocabulary) {
    constexpr std::int64_t kPositions = 512;
    return rowOf(std::move(labels), build, kBertFamily,
                 {{"layers", layers},
                  {"heads", heads},
                  {"hidden", hidden},
                  {"positions", kPositions},
                  {"vocabulary", vocabulary}},
                 sequence(kPositions, kPositions));
}

}  // namespace

std::vector<ZooEntry> transformerRows() {
    return {
        {"vit-b-16",
         "ViT-B/16",
         kTransformer,
         "Dosovitskiy, Beyer, Kolesnikov, Weissenborn, Zhai, Unterthiner, Dehghani, Minderer, Heigold, Gelly, "
         "Uszkoreit, Houlsby: \"An Image is Worth 16x16 Words: Transformers for Image Recognition at Scale\", ICLR "
         "2021; as in torchvision",
         "12 encoder blocks of width 768 on 196 patches of 224x224 and a class token.",
         vitB16,
         {tensorParallel(12)}},
        bertRow({"bert-base", "BERT-base", kBert, "12 encoder blocks of width 768 with the pooler, without a head."},
                bert, 12, 12, 768, 30522),
        bertRow({"bert-large", "BERT-large", kBert, "24 encoder blocks of width 1024 with the pooler, without a head."},
                bert, 24, 16, 1024, 30522),
        bertRow({"megatron-bert", "Megatron-BERT", kMegatron,
                 "BERT-large with normalisations in front of its parts and 29,056 words; with the pooler, without a "
                 "head."},
                megatronBert, 24, 16, 1024, 29056),
        gptRow({"gpt2", "GPT-2 small", kGpt2, "12 decoder blocks of width 768; logits of all tokens."}, 12, 12, 768),
        gptRow({"gpt2-medium", "GPT-2 medium", kGpt2, "24 decoder blocks of width 1024; logits of all tokens."}, 24, 16,
               1024),
        gptRow({"gpt2-large", "GPT-2 large", kGpt2, "36 decoder blocks of width 1280; logits of all tokens."}, 36, 20,
               1280),
        gptRow({"gpt2-xl", "GPT-2 XL (1.5B)", kGpt2, "48 decoder blocks of width 1600; logits of all tokens."}, 48, 25,
               1600),
        gptRow({"megatron-gpt-2.5b", "Megatron GPT-2 2.5B", kMegatron,
                "54 decoder blocks of width 1920, 20 heads; 51,200 words, as padded for up to 8 devices."},
               54, 20, 1920, 1024, 51200),
        gptRow({"megatron-gpt-8.3b", "Megatron GPT-2 8.3B", kMegatron,
                "72 decoder blocks of width 3072, 32 heads; 51,200 words, as padded for up to 8 devices."},
               72, 32, 3072, 1024, 51200),
        gptRow({"gpt3-175b", "GPT-3 175B",
                "Brown et al.: \"Language Models are Few-Shot Learners\", NeurIPS 2020; as in Narayanan et al.: "
                "\"Efficient Large-Scale Language Model Training on GPU Clusters Using Megatron-LM\", SC 2021",
                "96 decoder blocks of width 12288 with dense attention; 51,200 words, as padded for up to 8 devices."},
               96, 96, 12288, 2048, 51200),
        {"opt-350m",
         "OPT-350M",
         kTransformer,
         "Zhang, Roller, Goyal, Artetxe, Chen, Chen, Dewan, Diab, Li, Lin et al.: \"OPT: Open Pre-trained Transformer "
         "Language Models\", arXiv:2205.01068, 2022; as in Hugging Face transformers",
         "24 decoder blocks of width 1024 with normalisations behind the sums; words of width 512.",
         opt350m,
         {sequence(2048, 2048), tensorParallel(16)}},
        rowOf({"llama2-7b", "Llama 2 7B",
               "Touvron, Martin, Stone et al.: \"Llama 2: Open Foundation and Fine-Tuned Chat Models\", "
               "arXiv:2307.09288, 2023",
               "32 decoder blocks of width 4096 with rotary positions and gated feed-forward parts."},
              llama, kLlamaFamily,
              {{"layers", 32}, {"heads", 32}, {"hidden", 4096}, {"ffn", 11008}, {"vocabulary", 32000}},
              sequence(4096, kAnyLength)),
        {"t5-small",
         "T5 small",
         kTransformer,
         kT5,
         "6 encoder and 6 decoder blocks of width 512; a shared table.",
         [](Network net) { return t5(std::move(net), false); },
         {{"sequence", "tokens of the source per sample", 512, kAnyLength},
          {"target", "tokens of the target per sample", 114, kAnyLength},
          tensorParallel(8)}},
        {"t5-base",
         "T5 base",
         kTransformer,
         kT5,
         "12 encoder and 12 decoder blocks of width 768; a shared table.",
         [](Network net) { return t5(std::move(net), true); },
         {{"sequence", "tokens of the source per sample", 512, kAnyLength},
          {"target", "tokens of the target per sample", 114, kAnyLength},
          tensorParallel(12)}},
        {"transformer-xl",
         "Transformer-XL (12 layers)",
         kTransformer,
         "Dai, Yang, Yang, Carbonell, Le, Salakhutdinov: \"Transformer-XL: Attentive Language Models beyond a "
         "Fixed-Length Context\", ACL 2019; the 41M model of characters",
         "12 decoder blocks of width 512 that also read a memory; encodings of distances are an input.",
         transformerXl,
         {sequence(512, kAnyLength), {"memory", "earlier steps that every block reads", 512, kAnyLength}}},
    };
}

}  // namespace tessera::model::zoo
