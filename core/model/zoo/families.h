#pragma once

#include <cstdint>
#include <string>

#include "core/model/graph.h"
#include "core/model/zoo/network.h"

/// The build functions of the zoo, one file per family; zoo.cpp lists them.
namespace tessera::model::zoo {

// perceptrons.cpp
Graph mlp(Network net);

// classic.cpp
Graph lenet5(Network net);
Graph accparLenet(Network net);
Graph alexnet(Network net);
Graph accparAlexnet(Network net);
/// `depth` is 11, 13, 16 or 19.
Graph vgg(Network net, int depth);

// residual.cpp
/// `depth` is 18, 34, 50, 101 or 152.
Graph resnet(Network net, int depth);
Graph resnext50(Network net);

// mobile.cpp
Graph mobilenetV2(Network net);
Graph squeezenet(Network net);
Graph shufflenetV2(Network net);
Graph mnasnet(Network net);
Graph efficientnetB0(Network net);

// concatenating.cpp
Graph googlenet(Network net);
Graph densenet121(Network net);
Graph unet(Network net);

// transformers.cpp
/// Sizes of a transformer, by which the families of any size are built.
struct TransformerSize {
    std::int64_t layers, heads, hidden;
    std::int64_t positions = 1024;  ///< rows of the table of positions; 0: there is none
    std::int64_t vocabulary = 50257;
    std::int64_t headSize = hidden / heads;
    std::int64_t feedForward = 4 * hidden;
    std::int64_t keyHeads = heads;  ///< of keys and values
    bool tied = true;               ///< the head shares the embedding's table
    bool headNorms = false;         ///< queries and keys of every head are normalised
    bool gated = false;             ///< feed-forward of three matrices, where the family has both kinds
    std::int64_t experts = 0;       ///< of a layer, from which a router chooses; 0: none
    std::int64_t expertsPerToken = 0;
    std::int64_t expertFfn = 0;
    std::int64_t sharedExperts = 0;  ///< beside them, for every token
    std::int64_t denseLayers = 0;    ///< first ones, without experts
    std::int64_t queryRank = 0;      ///< of latent attention
    std::int64_t keyRank = 0;        ///< 0: attention is not latent
};
/// A decoder with learned positions in the order of GPT-2: normalisations in front, a head that shares the embedding.
Graph gpt(Network net, const TransformerSize& size);

// The following read their sizes from the network's dimensions: "layers", "hidden", "heads", ...
// transformers.cpp
Graph gpt(Network net);
/// BERT without a head: normalisations behind the sums.
Graph bert(Network net);
/// The same with normalisations in front of the parts.
Graph megatronBert(Network net);
/// GPT-2's order with three projections and ReLU.
Graph opt(Network net);
/// GPT-2's order with biases of the scores by distance in place of positions, and a normalised embedding.
Graph bloom(Network net);
// gated_transformers.cpp
/// Root mean square normalisations in front, rotary positions, feed-forward parts of three products, no biases.
Graph llama(Network net);
/// The same with experts in place of feed-forward parts, and with latent attention where it has a rank.
Graph mixture(Network net);

// transformers.cpp
Graph opt350m(Network net);
Graph vitB16(Network net);
/// Encoder and decoder blocks with trained offsets of the scores by distance; gated as in T5 1.1 where the sizes say
/// so.
Graph t5(Network net);
Graph transformerXl(Network net);

// recurrent.cpp
Graph gnmt(Network net);
Graph deepSpeech2(Network net);

// recommendation.cpp
Graph wideAndDeep(Network net);
Graph dlrm(Network net);
Graph neuMf(Network net);
Graph din(Network net);

// scientific.cpp
Graph candleUno(Network net);
Graph braggNn(Network net);

}  // namespace tessera::model::zoo
