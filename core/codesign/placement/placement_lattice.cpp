#include "core/codesign/placement/placement_lattice.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/base/error.h"

namespace tessera::codesign {

namespace {

/// What a lattice may hold besides its cuts: layers whose edges cross a cut, and stage counts behind it.
constexpr std::size_t kMaxCrossings = std::size_t{1} << 24;
constexpr std::size_t kMaxCounts = std::size_t{1} << 26;

using Bits = std::vector<Word>;

struct BitsHash {
    std::size_t operator()(const Bits& bits) const {
        return std::hash<std::string_view>{}({reinterpret_cast<const char*>(bits.data()), bits.size() * sizeof(Word)});
    }
};

}  // namespace

CutLattice::CutLattice(LayerGraph graph, std::size_t maxCuts, const RunControl& control) : graph_(std::move(graph)) {
    check();
    sortLayers();
    path_ = true;
    for (std::uint32_t i = 0; i + 1 < layers(); ++i)
        path_ = path_ && std::find(after_[i].begin(), after_[i].end(), i + 1) != after_[i].end();
    allCuts_ = path_ || findAllCuts(maxCuts, control);
    if (path_ || !allCuts_) takePrefixes();
    if (!findCrossings(kMaxCrossings) && words_ != 0) {
        allCuts_ = false;
        takePrefixes();
        findCrossings(kMaxCrossings);
    }
}

void CutLattice::check() const {
    if (graph_.layers == 0) throw UsageError("a graph to place has at least one layer");
    for (const LayerEdge& edge : graph_.edges)
        if (edge.from >= graph_.layers || edge.to >= graph_.layers)
            throw UsageError("an edge of a graph to place leads to a layer that is not there");
}

/// In the given order as far as the edges allow: of the layers that nothing keeps back, the first.
void CutLattice::sortLayers() {
    const std::size_t count = graph_.layers;
    std::vector<std::vector<std::uint32_t>> next(count);
    std::vector<std::uint32_t> waiting(count, 0);
    for (const LayerEdge& edge : graph_.edges) {
        next[edge.from].push_back(static_cast<std::uint32_t>(edge.to));
        ++waiting[edge.to];
    }
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
    for (std::uint32_t i = 0; i < count; ++i)
        if (waiting[i] == 0) ready.push(i);
    positions_.assign(count, 0);
    while (!ready.empty()) {
        const std::uint32_t layer = ready.top();
        ready.pop();
        positions_[layer] = static_cast<std::uint32_t>(order_.size());
        order_.push_back(layer);
        for (const std::uint32_t to : next[layer])
            if (--waiting[to] == 0) ready.push(to);
    }
    if (order_.size() != count) throw UsageError("the graph to place has a cycle");
    before_.resize(count);
    after_.resize(count);
    for (const LayerEdge& edge : graph_.edges) {
        before_[positions_[edge.to]].push_back(positions_[edge.from]);
        after_[positions_[edge.from]].push_back(positions_[edge.to]);
    }
}

/// Set by set, in order of size. False where there are more than allowed.
bool CutLattice::findAllCuts(std::size_t maxCuts, const RunControl& control) {
    const std::size_t count = layers();
    words_ = wordsFor(count);
    members_.assign(words_, 0);
    sizes_ = {0};
    stepStarts_ = {0};
    std::unordered_map<Bits, std::uint32_t, BitsHash> larger;
    std::size_t counts = 0;
    for (std::uint32_t cut = 0; cut < sizes_.size(); ++cut) {
        control.throwIfCancelled(kPlacement);
        if (cut > 0 && sizes_[cut] != sizes_[cut - 1]) larger.clear();
        Bits bits(members_.begin() + static_cast<std::ptrdiff_t>(cut * words_),
                  members_.begin() + static_cast<std::ptrdiff_t>((cut + 1) * words_));
        counts += count - sizes_[cut];
        for (std::uint32_t i = 0; i < count; ++i) {
            const auto held = [&](std::uint32_t u) { return has(bits.data(), u); };
            if (held(i) || !std::all_of(before_[i].begin(), before_[i].end(), held)) continue;
            insertBit(bits.data(), i);
            const auto [found, isNew] = larger.try_emplace(bits, static_cast<std::uint32_t>(sizes_.size()));
            if (isNew) {
                members_.insert(members_.end(), bits.begin(), bits.end());
                sizes_.push_back(sizes_[cut] + 1);
            }
            steps_.push_back({i, found->second});
            eraseBit(bits.data(), i);
        }
        stepStarts_.push_back(steps_.size());
        if (sizes_.size() > maxCuts || counts > kMaxCounts) return false;
    }
    return true;
}

void CutLattice::takePrefixes() {
    const auto count = static_cast<std::uint32_t>(layers());
    words_ = 0;
    members_ = {};
    sizes_.clear();
    steps_.clear();
    stepStarts_ = {0};
    for (std::uint32_t size = 0; size <= count; ++size) {
        sizes_.push_back(size);
        if (size < count) steps_.push_back({size, size + 1});
        stepStarts_.push_back(steps_.size());
    }
}

bool CutLattice::findCrossings(std::size_t max) {
    crossing_.clear();
    crossingStarts_ = {0};
    for (std::uint32_t cut = 0; cut < cuts(); ++cut) {
        for (std::uint32_t i = 0; i < layers(); ++i) {
            if (!contains(cut, i)) continue;
            const auto outside = [&](std::uint32_t to) { return !contains(cut, to); };
            if (std::any_of(after_[i].begin(), after_[i].end(), outside)) crossing_.push_back(i);
        }
        crossingStarts_.push_back(crossing_.size());
        if (words_ != 0 && crossing_.size() > max) return false;
    }
    return true;
}

}  // namespace tessera::codesign
