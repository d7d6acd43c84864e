#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/zoo/families.h"
#include "core/model/zoo/network.h"

/// Blocks of transformers that several networks of the zoo are made of. A tensor-parallel slice (one device of
/// `devices`) is that of Shoeybi, Patwary, Puri, LeGresley, Casper, Catanzaro: "Megatron-LM", arXiv:1909.08053, section
/// 3: the first product of an attention or feed-forward part is split by columns, the second by rows, with an AllReduce
/// of the sum in front of its bias; heads and look-up tables are split as well, with an AllReduce behind the look-up.
/// In front of the first product a Replicate, whose gradient is an AllReduce, marks what all devices hold alike (the
/// paper's f beside its g).
namespace tessera::model::zoo {

/// A normalisation of the last axis.
using Norming = std::string (*)(Network& net, const std::string& x);
std::string rootMeanSquareNorm(Network& net, const std::string& x);

/// Masks and positions that the scores of an attention take; empty ones are left out.
struct Attention {
    std::int64_t heads = 1;         ///< of all devices
    std::int64_t headSize = 1;      ///< features per head
    std::int64_t devices = 1;       ///< of the tensor-parallel group
    std::int64_t keyHeads = heads;  ///< of keys and values: each serves as many heads of queries
    bool bias = true;
    bool outputBias = bias;
    bool fused = false;           ///< query, key and value are one product (self-attention)
    bool scaled = true;           ///< scores are divided by the square root of the head's size
    Norming headNorm = nullptr;   ///< of queries and keys, of every head
    Norming wholeNorm = nullptr;  ///< the same over all heads together
    bool sinks = false;           ///< every head has a trained score that its softmax takes beside those of the keys
    std::string mask = {};        ///< boolean, broadcast to the scores
    std::string positions = {};   ///< added to the scores
    std::string cosine = {};      ///< rotary positions of query and key
    std::string sine = {};
};

/// y = x W, split by columns: every device makes its part of the features.
std::string columnLinear(Network& net, const std::string& x, const std::string& layer, std::int64_t features,
                         std::int64_t devices, bool bias);
/// y = x W, split by rows: every device has its part of x, sums are reduced over all.
std::string rowLinear(Network& net, const std::string& x, const std::string& layer, std::int64_t features,
                      std::int64_t devices, bool bias);
/// Rows of a vocabulary's table on one device: all where that is one, else padded like Megatron's to a multiple of 128
/// per device.
std::int64_t vocabularyRows(std::int64_t vocabulary, std::int64_t devices);
/// batch x steps x features -> batch x heads x steps x size.
std::string heads(Network& net, const std::string& x, std::int64_t headSize);
/// batch x heads x steps x size -> batch x steps x features.
std::string sideBySide(Network& net, const std::string& x);
/// x cos + (x turned by a quarter) sin, on the edge of the projection that made x. x itself without a cosine.
std::string rotated(Network& net, const std::string& x, const std::string& cosine, const std::string& sine);
/// Multi-head attention of `x` to `memory` (`x` itself in self-attention) with its projections, as layers
/// "NAME.query", "NAME.scores" and so on.
std::string attentionOf(Network& net, const std::string& x, const std::string& memory, const std::string& name,
                        const Attention& options);
/// Scores of queries against keys, in front of their softmax, as the layer "NAME.scores".
std::string scoresOf(Network& net, const std::string& query, const std::string& key, const std::string& name,
                     const Attention& options);
/// A feed-forward part of three products, whose first is activated and multiplied by the second.
struct GatedPart {
    std::string name;
    std::int64_t width = 1;
    std::int64_t devices = 1;
    bool bias = false;                 ///< of the first two products
    const char* activation = nullptr;  ///< none: x sigmoid(x)
};
/// What it makes on one device, before the sum over all.
std::string gatedPart(Network& net, const std::string& x, const GatedPart& part);

/// Experts in place of a feed-forward part.
struct Experts {
    std::int64_t count = 1;
    std::int64_t perToken = 1;
    std::int64_t width = 1;
    std::int64_t sharedWidth = 0;  ///< of all experts together that every token meets; 0: there are none
    std::int64_t devices = 1;
    bool bias = false;                 ///< of the products of experts
    const char* activation = nullptr;  ///< of experts; none: x sigmoid(x)
    int routerBiases = 0;              ///< trained vectors that are added to the router's scores
    bool sharedGate = false;           ///< the shared ones are weighted by a product of the token
};
/// Tokens go to their experts and come back, weighted and summed (Shazeer et al.: "Outrageously Large Neural Networks:
/// The Sparsely-Gated Mixture-of-Experts Layer", ICLR 2017); shared experts are one part of their width together.
std::string mixtureOf(Network& net, const std::string& whole, const Experts& size);

/// Ranks and parts of a head in latent attention; the parts are those of DeepSeek-AI: "DeepSeek-V3 Technical Report",
/// arXiv:2412.19437, section 4.2, where they are not given.
struct Latent {
    std::int64_t queryRank = 0;  ///< 0: queries are a product of x
    std::int64_t keyRank = 1;
    std::int64_t rotary = 64;
    std::int64_t plain = 128;
    std::int64_t value = 128;
    bool bias = false;  ///< of the products that are of x, and of the last
};
/// Queries, keys and values are products of vectors of low rank, and all heads share the part of the keys that has
/// positions (DeepSeek-AI: "DeepSeek-V2", arXiv:2405.04434, section 2.1).
std::string latentAttentionOf(Network& net, const std::string& x, const Latent& latent, const Attention& options);
/// Attention without a softmax, whose work is linear in the sequence (Qin, Sun, Li, Shen, Sun, Zhong: "Lightning
/// Attention-2", arXiv:2401.04658; its gate and norm as in MiniMax: "MiniMax-01", arXiv:2501.08313, section 2.2):
/// scores inside blocks of tokens, and between blocks a running sum of the products of keys and values. Causal.
std::string linearAttentionOf(Network& net, const std::string& x, std::int64_t heads, std::int64_t headSize);
/// Looks the tokens up in a table split over the devices.
std::string tokens(Network& net, const std::string& ids, const std::string& table, std::int64_t devices);
std::string causalMask(Network& net, std::int64_t sequence);

/// The sizes that the network's dimensions give; whether the head shares the table where they do not say. Throws
/// UsageError where they do not go together.
TransformerSize sizeIn(const Network& net, bool tied);

}  // namespace tessera::model::zoo
