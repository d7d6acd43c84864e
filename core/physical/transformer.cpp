#include "core/physical/transformer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/text.h"

namespace tessera::physical {
namespace {

/// A family of the zoo with what its name says of it; 0: the run gives it.
struct TransformerFamily {
    std::string_view model;
    double layers = 0, hidden = 0, heads = 0, vocabulary = 0, sequence = 0;
    bool gated = false, encoder = false;
};
constexpr std::array<TransformerFamily, 7> kTransformerFamilies{{
    {"zoo:gpt", 0, 0, 0, 50257, 2048, false, false},
    {"zoo:llama", 0, 0, 0, 32000, 4096, true, false},
    {"zoo:moe", 0, 0, 0, 32000, 4096, true, false},
    {"zoo:bert", 24, 1024, 16, 30522, 512, false, true},
    {"zoo:bert-large", 24, 1024, 16, 30522, 512, false, true},
    {"zoo:bert-base", 12, 768, 12, 30522, 512, false, true},
    {"zoo:gpt2-large", 36, 1280, 20, 50257, 1024, false, false},
}};

const TransformerFamily* transformerFamily(std::string_view model) {
    const auto* found = std::find_if(kTransformerFamilies.begin(), kTransformerFamilies.end(),
                                     [&](const TransformerFamily& family) { return family.model == model; });
    return found == kTransformerFamilies.end() ? nullptr : &*found;
}

/// Positions of which pre-training of BERT predicts the token (Devlin et al. 2019: 15 %, 76 of 512, 20 of 128).
constexpr double kMaskedShare = 0.15;

/// A dimension that may be 0.
double countOr(const TrainingRun& run, std::string_view name, double otherwise) {
    const auto found = run.dims.find(name);
    if (found == run.dims.end()) return otherwise;
    return measuredNumber(found->second) == 0 ? 0 : run.dimOr(name, 0);
}

/// No share of the tokens where the task has no head over the vocabulary: what is inferred by an encoder is a class, a
/// span or an embedding (NeuSight, neusight/Tracing/trace.py: sequence classification).
double headShareOf(const TrainingRun& run, bool encoder) {
    if (countOr(run, "head", 1) == 0) return 0;
    if (!encoder) return 1;
    if (!run.training || lowered(run.software).find("squad") != std::string::npos) return 0;
    return run.training && !run.optimizer.empty() ? kMaskedShare : 1;
}

/// Where the run says them.
void addRest(Transformer& model, const TrainingRun& run) {
    if (!run.dims.contains("attention_rest")) return;
    model.rest = RestParameters{.attention = countOr(run, "attention_rest", 0),
                                .feedForward = countOr(run, "ffn_rest", 0),
                                .mixture = countOr(run, "mixture_rest", 0),
                                .expert = countOr(run, "expert_rest", 0),
                                .ends = countOr(run, "end_rest", 0)};
}

void addExperts(Transformer& model, const TrainingRun& run) {
    model.experts = run.dimOr("experts", 0);
    if (model.experts < 1) return;
    model.expertsPerToken = std::min(run.dimOr("experts_per_token", 2), model.experts);
    model.expertFfn = run.dimOr("expert_ffn", model.ffn);
    model.sharedExperts = countOr(run, "shared_experts", 0);
    model.denseLayers = std::min(countOr(run, "dense_layers", 0), model.layers);
}

void addWindow(Transformer& model, const TrainingRun& run) {
    const double size = countOr(run, "window", 0);
    if (size < 1) return;
    model.window = SlidingWindow{.size = size,
                                 .layers = std::min(countOr(run, "windowed_layers", model.layers), model.layers),
                                 .every = countOr(run, "window_every", 0),
                                 .chunked = countOr(run, "window_chunked", 0) > 0};
}

void addLatent(Transformer& model, const TrainingRun& run) {
    const auto attention = run.dims.find("attention");
    if (attention == run.dims.end() || attention->second != "mla") return;
    LatentAttention latent;
    latent.queryRank = countOr(run, "query_rank", latent.queryRank);
    latent.keyRank = run.dimOr("key_rank", latent.keyRank);
    latent.plainSize = run.dimOr("plain_size", latent.plainSize);
    latent.rotarySize = run.dimOr("rotary_size", latent.rotarySize);
    latent.valueSize = run.dimOr("value_size", latent.valueSize);
    model.latent = latent;
    model.headSize = latent.plainSize + latent.rotarySize;
}

std::string dimensionsRefusal(const Transformer& model) {
    for (const double size : {model.layers, model.hidden, model.heads, model.keyHeads, model.headSize, model.ffn,
                              model.sequence, model.vocabulary})
        if (!(size >= 1) || size > 1e9) return "a dimension of the transformer is below 1 or above a billion";
    if (model.layers > 1e5) return "more than 100,000 layers";
    if (model.keyHeads > model.heads) return "more heads of keys than of queries";
    return {};
}

}  // namespace

bool isTransformer(std::string_view model) {
    return transformerFamily(model) != nullptr;
}

std::optional<Transformer> transformerOf(const TrainingRun& run, std::string& refusal) {
    const TransformerFamily* family = transformerFamily(run.model);
    if (family == nullptr) {
        refusal = fmt::format("the model {} is no transformer that is known", inQuotes(run.model));
        return std::nullopt;
    }
    Transformer model;
    model.layers = run.dimOr("layers", family->layers);
    model.hidden = run.dimOr("hidden", family->hidden);
    model.heads = run.dimOr("heads", family->heads);
    if (!(model.layers > 0) || !(model.hidden > 0) || !(model.heads > 0)) {
        refusal = fmt::format("{} needs layers, hidden and heads among its dimensions", run.model);
        return std::nullopt;
    }
    model.keyHeads = run.dimOr("kv_heads", model.heads);
    model.headSize = run.dimOr("head_size", model.hidden / model.heads);
    model.gated = family->gated;
    model.biased = !family->gated;
    model.causal = !family->encoder;
    model.tied = countOr(run, "tied", family->gated ? 0 : 1) > 0;
    model.headNorms = countOr(run, "qk_norm", 0) > 0;
    model.embeddingNorm = countOr(run, "embedding_norm", 0) > 0;
    model.segments = countOr(run, "segments", family->encoder ? 2 : 0);
    model.ffn = run.dimOr("ffn", 4 * model.hidden);
    model.sequence = run.dimOr("sequence", family->sequence);
    model.vocabulary = run.dimOr("vocabulary", family->vocabulary);
    model.embeddingWidth = countOr(run, "embedding_width", 0);
    model.positions = countOr(run, "positions", model.biased ? model.sequence : 0);
    model.headShare = headShareOf(run, family->encoder);
    addExperts(model, run);
    addWindow(model, run);
    addLatent(model, run);
    addRest(model, run);
    refusal = dimensionsRefusal(model);
    if (!refusal.empty()) return std::nullopt;
    return model;
}

namespace {

double attentionMatricesOf(const Transformer& model) {
    const double h = model.hidden, a = model.heads;
    if (!model.latent) return h * (2 * a + 2 * model.keyHeads) * model.headSize;
    const LatentAttention& latent = *model.latent;
    const double inner = latent.queryRank > 0 ? latent.queryRank : h;
    return h * latent.queryRank + inner * a * model.headSize + h * (latent.keyRank + latent.rotarySize) +
           latent.keyRank * a * (latent.plainSize + latent.valueSize) + a * latent.valueSize * h;
}

double feedForwardMatricesOf(const Transformer& model, double ffn) {
    return (model.gated ? 3 : 2) * model.hidden * ffn;
}

/// Those of the family: biases of all products and normalisations with two vectors, or one vector a normalisation.
RestParameters familyRestOf(const Transformer& model) {
    const double h = model.hidden, rows = (model.heads + 2 * model.keyHeads) * model.headSize;
    RestParameters rest;
    rest.attention = (model.biased ? 4 : 2) * h + (model.headNorms ? 2 * model.headSize : 0);
    if (model.latent)
        rest.attention += model.latent->queryRank + model.latent->keyRank;
    else if (model.biased)
        rest.attention += rows + h;
    rest.feedForward = model.biased ? model.ffn + h : 0;
    rest.expert = model.biased ? model.expertFfn + h : 0;
    rest.mixture = model.sharedExperts * rest.expert;
    rest.ends = (model.embeddingNorm ? 2 : 1) * (model.biased ? 2 : 1) * h;
    if (model.segments > 0) rest.ends += h * h + h;
    return rest;
}

/// Of a layer with a window or with chunks shorter than the sequence.
double keysWithin(const SlidingWindow& window, bool causal, double sequence) {
    const double w = window.size;
    if (window.chunked) {
        // The last chunk has what is left.
        const double chunks = std::floor(sequence / w), rest = sequence - chunks * w;
        return (chunks * w * w + rest * rest) / sequence / (causal ? 2 : 1);
    }
    // Under a causal mask the first tokens have fewer than a window before them.
    return causal ? w * (1 - w / 2 / sequence) : w;
}

}  // namespace

double keysOf(const Transformer& model) {
    const double all = model.causal ? model.sequence / 2 : model.sequence;
    if (!model.window || model.window->size >= model.sequence) return all;
    const double within = keysWithin(*model.window, model.causal, model.sequence);
    const double share = model.window->layers / model.layers;
    return share * within + (1 - share) * all;
}

double widthProductOf(const Transformer& model) {
    return model.embeddingWidth > 0 && model.embeddingWidth != model.hidden ? model.embeddingWidth * model.hidden : 0;
}

TransformerParameters parametersOf(const Transformer& model) {
    TransformerParameters parameters;
    const double h = model.hidden, table = model.vocabulary * model.tableWidth();
    const RestParameters rest = model.rest ? *model.rest : familyRestOf(model);
    parameters.embedding = table + 2 * widthProductOf(model) + (model.positions + model.segments) * h + rest.ends;
    parameters.head = model.tied ? 0 : table;
    parameters.attention = attentionMatricesOf(model) + rest.attention;
    parameters.feedForward = feedForwardMatricesOf(model, model.ffn) + rest.feedForward;
    const double expert = feedForwardMatricesOf(model, model.expertFfn) + rest.expert;
    // Shared ones together are a whole number of features wide.
    const double shared = feedForwardMatricesOf(model, std::round(model.sharedExperts * model.expertFfn));
    parameters.shared = model.experts > 0 ? shared + model.experts * h + rest.mixture : 0;
    parameters.experts = model.experts * expert;
    const double dense = model.experts > 0 ? model.denseLayers : model.layers, routed = model.layers - dense;
    const double common = parameters.embedding + parameters.head + model.layers * parameters.attention +
                          dense * parameters.feedForward + routed * parameters.shared;
    parameters.total = common + routed * parameters.experts;
    parameters.active = common + routed * model.expertsPerToken * expert;
    return parameters;
}

double tokensOf(const Transformer& model, const LayerShare& share) {
    return share.samples * model.sequence / share.context;
}

Product inputGradientOf(const Product& product) {
    return {product.batch, product.m, product.k, product.n, product.inputBytes, product.outputBytes};
}

Product weightGradientOf(const Product& product) {
    return {product.batch, product.n, product.k, product.m, product.inputBytes, product.outputBytes};
}

namespace {

/// Products, attention and bytes of a layer put together part by part.
class LayerBuilder {
public:
    LayerBuilder(const Transformer& model, const LayerShare& share)
        : model_(model), share_(share), tokens_(tokensOf(model, share)), parameters_(parametersOf(model)) {}

    LayerWork build(bool withExperts) {
        addAttentionProducts();
        addScores();
        if (withExperts)
            addRoutedExperts();
        else
            addFeedForward(model_.ffn);
        addCommonBytes();
        const double held = parameters_.attention + (withExperts ? parameters_.shared : parameters_.feedForward);
        work_.expertParameters = withExperts ? parameters_.experts / (share_.expert * expertTensor()) : 0;
        work_.parameters = held / share_.tensor + work_.expertParameters;
        return work_;
    }

private:
    void addProduct(double batch, double m, double n, double k) {
        work_.products.push_back(
            {batch, std::max(m, 1.0), std::max(n, 1.0), std::max(k, 1.0), share_.inputBytes, share_.activationBytes});
    }
    /// Bytes of vectors of `width` for every token.
    void addBytes(double width, double forward, double backward) {
        const double bytes = tokens_ * width * share_.activationBytes;
        work_.forwardBytes += bytes * forward;
        work_.backwardBytes += bytes * backward;
    }

    void addAttentionProducts() {
        const double t = share_.tensor, h = model_.hidden, a = model_.heads;
        if (model_.latent) {
            const LatentAttention& latent = *model_.latent;
            addProduct(1, tokens_, latent.queryRank + latent.keyRank + latent.rotarySize, h);
            addProduct(1, tokens_, a * model_.headSize / t, latent.queryRank > 0 ? latent.queryRank : h);
            addProduct(1, tokens_, a * (latent.plainSize + latent.valueSize) / t, latent.keyRank);
            addProduct(1, tokens_, h, a * latent.valueSize / t);
        } else {
            const double keyHeads = std::max(model_.keyHeads / t, 1.0);
            addProduct(1, tokens_, (a / t + 2 * keyHeads) * model_.headSize, h);
            addProduct(1, tokens_, h, a * model_.headSize / t);
        }
        // Queries, keys and values are turned or laid out anew, and the result back.
        addBytes((a + 2 * std::min(a, std::max(model_.keyHeads, t))) * model_.headSize / t, 2, 2);
    }

    /// Two products of queries with keys and of weights with values for each head.
    void addScores() {
        const double heads = std::max(model_.heads / share_.tensor, 1.0), own = model_.sequence / share_.context;
        const double values = model_.latent ? model_.latent->valueSize : model_.headSize;
        if (share_.fusedAttention) {
            work_.attentionFlop = 2 * share_.samples * heads * own * keysOf(model_) * (model_.headSize + values);
            return;
        }
        const double batch = share_.samples * heads, w = share_.activationBytes;
        work_.scores.push_back({batch, own, model_.sequence, model_.headSize, w, w});
        work_.scores.push_back({batch, own, values, model_.sequence, w, w});
        // Scale, mask, softmax and dropout, each reading and writing, or one kernel of the first three.
        const double elements = batch * own * model_.sequence * w;
        work_.scoreForwardBytes = elements * (share_.fusedKernels ? 4.5 : 6);
        work_.scoreBackwardBytes = elements * (share_.fusedKernels ? 5.5 : 6);
    }

    void addFeedForward(double ffn) {
        const double t = share_.tensor;
        addProduct(1, tokens_, (model_.gated ? 2 : 1) * ffn / t, model_.hidden);
        addProduct(1, tokens_, model_.hidden, ffn / t);
        addBytes(ffn / t, model_.gated ? 3 : 2, model_.gated ? 5 : 4);
    }

    /// Devices that split the tensors of an expert.
    double expertTensor() const { return share_.wholeExperts ? 1 : share_.tensor; }

    /// Tokens are spread evenly: each device works on as many pairs of token and expert as its own tokens have. Devices
    /// that split tensors have a part of the tokens each, which they gather where they split those of experts, too.
    void addRoutedExperts() {
        const double t = expertTensor(), all = tokens_ * model_.expertsPerToken, own = all / share_.tensor;
        const double pairs = share_.wholeExperts ? own : all;
        const double held = std::max(model_.experts / share_.expert, 1.0), each = pairs / held;
        addProduct(1, tokens_, model_.experts, model_.hidden);
        addProduct(held, each, (model_.gated ? 2 : 1) * model_.expertFfn / t, model_.hidden);
        addProduct(held, each, model_.hidden, model_.expertFfn / t);
        addBytes(model_.expertsPerToken * model_.expertFfn / share_.tensor, 3, 5);
        // Sorted and sorted back, each read and written.
        work_.permutedBytes = 4 * pairs * model_.hidden * share_.activationBytes;
        work_.exchangedBytes = share_.expert > 1 ? own * model_.hidden * share_.activationBytes : 0;
        if (model_.sharedExperts > 0) addFeedForward(model_.sharedExperts * model_.expertFfn);
    }

    /// Normalisation, residuals and dropout on the whole width: 11 reads and writes of GPT, 8 without dropout.
    void addCommonBytes() {
        const double split = share_.sequenceParallel ? share_.tensor : 1;
        const double passes = (model_.biased ? 11 : 8) + (share_.fusedKernels ? 0 : 4);
        addBytes(model_.hidden, passes / split + 2 / share_.tensor, passes / split + 2 / share_.tensor);
    }

    const Transformer& model_;
    const LayerShare& share_;
    double tokens_;
    TransformerParameters parameters_;
    LayerWork work_ = {};
};

}  // namespace

LayerWork layerWorkOf(const Transformer& model, const LayerShare& share, bool withExperts) {
    return LayerBuilder(model, share).build(withExperts);
}

}  // namespace tessera::physical
