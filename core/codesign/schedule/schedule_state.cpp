#include "core/codesign/schedule/schedule_state.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <numeric>
#include <utility>

namespace tessera::codesign {

namespace {

/// Words of 64 bits that stand for the state of an operator in the text that blocks are sorted by.
enum Stage : Word { notStarted, keptConcurrent, runs, finished };

}  // namespace

double State::drained() const {
    double longest = 0;
    for (const Running& each : running) longest = std::max(longest, each.left);
    return time + longest;
}

std::size_t State::progress() const {
    std::size_t count = 0;
    for (const Word word : started) count += static_cast<std::size_t>(std::popcount(word));
    return 2 * count - running.size();
}

StateSpace::StateSpace(const Piece& piece)
    : piece_(piece),
      words_(wordsFor(piece.size())),
      prices_(pricesFor(piece)),
      concurrentLoad_(piece.size()),
      minLoad_(piece.size()),
      symmetries_(symmetriesOf(piece)),
      done_(words_),
      twin_(piece.size(), false) {
    for (Prices& prices : prices_) evenOut(prices, symmetries_);
    for (std::size_t i = 0; i < piece.size(); ++i)
        for (std::size_t k = 0; k < prices_.size(); ++k) {
            concurrentLoad_[i][k] = piece.single[i] * prices_[k][i];
            minLoad_[i][k] = minCost(piece, prices_[k], i);
        }
    countCores();
    rankSlots();
}

void StateSpace::countCores() {
    std::array<std::int64_t, 3> count{};  // of operators that may run beside others
    for (std::size_t i = 0; i < piece_.size(); ++i)
        if (!piece_.exclusive[i]) ++count[static_cast<std::size_t>(piece_.kinds[i])];
    const auto [tensor, vector, fused] = count;
    const std::int64_t pairs = piece_.pairs();
    const Cores& cores = piece_.cores;
    const bool tensorFits = cores.tensor - pairs >= tensor, vectorFits = cores.vector - pairs >= vector;
    if (fused <= pairs && tensor + fused <= cores.tensor && vector + fused <= cores.vector)
        sharing_ = Sharing::ample;
    else if (fused == 0)
        sharing_ = Sharing::none;
    else if (vectorFits && cores.tensor == pairs)
        sharing_ = Sharing::vectorApart;
    else if (tensorFits && cores.vector == pairs)
        sharing_ = Sharing::tensorApart;
    else
        sharing_ = Sharing::pairs;
    tensorAmple_ = sharing_ == Sharing::ample || sharing_ == Sharing::tensorApart ||
                   (sharing_ == Sharing::none && tensor <= cores.tensor);
    vectorAmple_ = sharing_ == Sharing::ample || sharing_ == Sharing::vectorApart ||
                   (sharing_ == Sharing::none && vector <= cores.vector);
    if (sharing_ != Sharing::ample) return;
    std::array<std::int64_t, 3> next{fused, fused, 0};
    for (std::size_t i = 0; i < piece_.size(); ++i) {
        CorePool::Taken own;
        if (!piece_.exclusive[i]) {
            const std::int64_t core = ++next[static_cast<std::size_t>(piece_.kinds[i])];
            own = {.tensor = piece_.usesTensor(i) ? core : 0, .vector = piece_.usesVector(i) ? core : 0};
        }
        ownCores_.push_back(own);
    }
}

void StateSpace::rankSlots() {
    rank_.resize(piece_.size());
    std::iota(rank_.begin(), rank_.end(), std::size_t{0});
    // Counterparts get the lowest rank among them; again, until symmetries that lie in each other agree.
    for (bool changed = true; changed;) {
        changed = false;
        for (const Symmetry& symmetry : symmetries_)
            for (std::size_t place = 0; place < symmetry.blocks.front().size(); ++place) {
                std::size_t min = piece_.size();
                for (const auto& block : symmetry.blocks) min = std::min(min, rank_[block[place]]);
                for (const auto& block : symmetry.blocks) {
                    changed = changed || rank_[block[place]] != min;
                    rank_[block[place]] = min;
                }
            }
    }
    order_.resize(piece_.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return rank_[a] < rank_[b]; });
}

StateSpace::Trace StateSpace::newTrace() const {
    Trace trace{.actual = std::vector<Slot>(piece_.size()),
                .schedule = {},
                .pool = CorePool(piece_.cores),
                .taken = std::vector<CorePool::Taken>(piece_.size())};
    std::iota(trace.actual.begin(), trace.actual.end(), Slot{0});
    trace.schedule.runs.resize(piece_.size());
    return trace;
}

State StateSpace::root(Trace* trace) {
    State state;
    state.started.assign(words_, 0);
    state.concurrent.assign(words_, 0);
    state.serialLeft = piece_.serialSum();
    for (std::size_t i = 0; i < piece_.size(); ++i)
        for (std::size_t k = 0; k < prices_.size(); ++k) state.load[k] += minLoad_[i][k];
    normaliseState(state, trace);
    sortBlocks(state, trace);
    return state;
}

void StateSpace::findReady(const State& state) {
    done_ = state.started;
    for (const Running& each : state.running) eraseBit(done_.data(), each.slot);
    ready_.clear();
    for (const std::size_t i : order_) {
        if (has(state.started.data(), i)) continue;
        const Word* const before = piece_.before[i];
        bool waits = false;
        for (std::size_t w = 0; w < words_ && !waits; ++w) waits = (before[w] & ~done_[w]) != 0;
        if (!waits) ready_.push_back(i);
    }
}

void StateSpace::keepConcurrent(State& state, std::size_t slot) const {
    if (has(state.concurrent.data(), slot)) return;
    insertBit(state.concurrent.data(), slot);
    for (std::size_t k = 0; k < prices_.size(); ++k) state.load[k] += concurrentLoad_[slot][k] - minLoad_[slot][k];
}

void StateSpace::runExclusively(State& state, std::size_t slot, Trace* trace) const {
    if (trace != nullptr) trace->schedule.runs[trace->actual[slot]] = {.start = state.time};
    insertBit(state.started.data(), slot);
    state.time += piece_.serial[slot];
    state.serialLeft -= piece_.serial[slot];
    for (std::size_t k = 0; k < prices_.size(); ++k) state.load[k] -= minLoad_[slot][k];
}

CorePool::Taken StateSpace::coresFor(const Move& move, Trace& trace) const {
    const CoreKind kind = piece_.kinds[move.slot];
    using CorePreference = CorePool::CorePreference;
    switch (sharing_) {
        case Sharing::ample:
            return ownCores_[trace.actual[move.slot]];
        case Sharing::vectorApart:
            return trace.pool.acquire(kind, kind == CoreKind::vector ? CorePreference::unpaired : CorePreference::any);
        case Sharing::tensorApart:
            return trace.pool.acquire(kind, kind == CoreKind::tensor ? CorePreference::unpaired : CorePreference::any);
        case Sharing::none:
            return trace.pool.acquire(kind);
        case Sharing::pairs:
            break;
    }
    if (kind == CoreKind::fused) return trace.pool.acquire(kind);
    if (move.place == kApart) return trace.pool.acquire(kind, CorePreference::unpaired);
    if (move.place == kWhole) return trace.pool.acquire(kind, CorePreference::whole);
    const CorePool::Taken& partner = trace.taken[trace.actual[move.place]];
    return trace.pool.acquire(kind, CorePreference::partner,
                              kind == CoreKind::tensor ? partner.vector : partner.tensor);
}

void StateSpace::runConcurrently(State& state, const Move& move, Trace* trace) const {
    const std::size_t slot = move.slot;
    if (trace != nullptr) {
        const CorePool::Taken taken = coresFor(move, *trace);
        const Slot actual = trace->actual[slot];
        trace->taken[actual] = taken;
        trace->schedule.runs[actual] = {
            .start = state.time, .concurrent = true, .tensorCore = taken.tensor, .vectorCore = taken.vector};
    }
    const bool kept = has(state.concurrent.data(), slot);
    for (std::size_t k = 0; k < prices_.size(); ++k)
        state.load[k] -= kept ? concurrentLoad_[slot][k] : minLoad_[slot][k];
    eraseBit(state.concurrent.data(), slot);
    insertBit(state.started.data(), slot);
    state.serialLeft -= piece_.serial[slot];
    if (move.kind != Move::Kind::atOnce) state.rank = rank_[slot];
    if (move.place != kApart && move.place != kWhole)
        for (Running& each : state.running)
            if (each.slot == move.place) each.place = move.slot;
    const Running made{.left = piece_.single[slot], .slot = move.slot, .place = move.place};
    const auto at = std::lower_bound(state.running.begin(), state.running.end(), made,
                                     [](const Running& a, const Running& b) { return a.slot < b.slot; });
    state.running.insert(at, made);
}

void StateSpace::advance(State& state, Trace* trace) const {
    double step = state.running.front().left;
    for (const Running& each : state.running) step = std::min(step, each.left);
    state.time += step;
    state.rank = 0;
    std::size_t kept = 0;
    for (std::size_t r = 0; r < state.running.size(); ++r) {
        Running each = state.running[r];
        each.left -= step;
        if (each.left > 0) {
            state.running[kept++] = each;
            continue;
        }
        if (trace != nullptr) trace->pool.release(trace->taken[trace->actual[each.slot]]);
        if (each.place == kApart || each.place == kWhole) continue;
        for (Running& other : state.running)
            if (other.place == each.slot) other.place = kWhole;
    }
    state.running.resize(kept);
}

void StateSpace::normaliseState(State& state, Trace* trace) {
    bool changed = state.resting();
    while (changed) {
        changed = false;
        findReady(state);
        for (const std::size_t slot : ready_)
            if (piece_.exclusive[slot]) {
                runExclusively(state, slot, trace);
                changed = true;
            }
    }
}

const Running* StateSpace::runningAt(const State& state, std::size_t slot) const {
    const auto at = std::lower_bound(state.running.begin(), state.running.end(), slot,
                                     [](const Running& each, std::size_t wanted) { return each.slot < wanted; });
    return at != state.running.end() && at->slot == slot ? &*at : nullptr;
}

void StateSpace::describe(const State& state, const std::vector<std::size_t>& block, std::vector<Word>& text) const {
    text.clear();
    for (const std::size_t slot : block) {
        if (!has(state.started.data(), slot)) {
            text.push_back(has(state.concurrent.data(), slot) ? keptConcurrent : notStarted);
        } else if (const Running* const running = runningAt(state, slot); running != nullptr) {
            text.push_back(runs);
            text.push_back(std::bit_cast<Word>(running->left));
            // An operator beside another one is unique: the partner's place distinguishes them.
            text.push_back(running->place);
        } else {
            text.push_back(finished);
        }
    }
}

void StateSpace::permute(State& state, const std::vector<Slot>& source, Trace* trace) const {
    std::vector<Word> started(words_, 0), concurrent(words_, 0);
    std::vector<Slot> target(source.size());
    for (std::size_t slot = 0; slot < source.size(); ++slot) {
        target[source[slot]] = static_cast<Slot>(slot);
        if (has(state.started.data(), source[slot])) insertBit(started.data(), slot);
        if (has(state.concurrent.data(), source[slot])) insertBit(concurrent.data(), slot);
    }
    state.started = std::move(started);
    state.concurrent = std::move(concurrent);
    for (Running& each : state.running) {
        each.slot = target[each.slot];
        if (each.place != kApart && each.place != kWhole) each.place = target[each.place];
    }
    std::sort(state.running.begin(), state.running.end(),
              [](const Running& a, const Running& b) { return a.slot < b.slot; });
    if (trace == nullptr) return;
    const std::vector<Slot> actual = trace->actual;
    for (std::size_t slot = 0; slot < source.size(); ++slot) trace->actual[slot] = actual[source[slot]];
}

void StateSpace::sortBlocks(State& state, Trace* trace) {
    for (const Symmetry& symmetry : symmetries_) {
        const std::size_t count = symmetry.blocks.size();
        if (texts_.size() < count) texts_.resize(count);
        bool sorted = true;
        for (std::size_t b = 0; b < count; ++b) {
            describe(state, symmetry.blocks[b], texts_[b]);
            sorted = sorted && (b == 0 || texts_[b - 1] >= texts_[b]);
        }
        if (sorted) continue;
        sorted_.resize(count);
        std::iota(sorted_.begin(), sorted_.end(), std::size_t{0});
        // What is furthest first.
        std::stable_sort(sorted_.begin(), sorted_.end(),
                         [&](std::size_t a, std::size_t b) { return texts_[a] > texts_[b]; });
        source_.resize(piece_.size());
        std::iota(source_.begin(), source_.end(), Slot{0});
        for (std::size_t b = 0; b < count; ++b)
            for (std::size_t place = 0; place < symmetry.blocks[b].size(); ++place)
                source_[symmetry.blocks[b][place]] = static_cast<Slot>(symmetry.blocks[sorted_[b]][place]);
        permute(state, source_, trace);
    }
}

void StateSpace::findTwins(const State& state) {
    twin_.assign(piece_.size(), false);
    if (texts_.size() < 2) texts_.resize(2);
    for (const Symmetry& symmetry : symmetries_) {
        for (std::size_t b = 1; b < symmetry.blocks.size(); ++b) {
            describe(state, symmetry.blocks[b - 1], texts_[0]);
            describe(state, symmetry.blocks[b], texts_[1]);
            if (texts_[0] != texts_[1]) continue;
            for (const std::size_t slot : symmetry.blocks[b]) twin_[slot] = true;
        }
    }
}

void StateSpace::findPlaces(const State& state, std::size_t slot) {
    places_.clear();
    std::int64_t tensor = 0, vector = 0, pairs = 0, tensorApart = 0, vectorApart = 0;
    for (const Running& each : state.running) {
        tensor += piece_.usesTensor(each.slot) ? 1 : 0;
        vector += piece_.usesVector(each.slot) ? 1 : 0;
        const CoreKind kind = piece_.kinds[each.slot];
        if (kind == CoreKind::fused || each.place == kWhole)
            pairs += 2;
        else if (each.place == kApart)
            (kind == CoreKind::tensor ? tensorApart : vectorApart) += 1;
        else
            pairs += 1;  // its partner adds the other half
    }
    pairs /= 2;
    const CoreKind kind = piece_.kinds[slot];
    const Cores& cores = piece_.cores;
    const bool tensorFree = !piece_.usesTensor(slot) || tensorAmple_ || tensor < cores.tensor;
    const bool vectorFree = !piece_.usesVector(slot) || vectorAmple_ || vector < cores.vector;
    if (sharing_ == Sharing::ample) {
        places_.push_back(kApart);
    } else if (sharing_ == Sharing::vectorApart) {
        if (tensorFree) places_.push_back(kApart);
    } else if (sharing_ == Sharing::tensorApart) {
        if (vectorFree) places_.push_back(kApart);
    } else if (sharing_ == Sharing::none) {
        if (tensorFree && vectorFree) places_.push_back(kApart);
    } else if (kind == CoreKind::fused) {
        if (pairs < piece_.pairs()) places_.push_back(kWhole);
    } else {
        const bool isTensor = kind == CoreKind::tensor;
        if ((isTensor ? tensorApart : vectorApart) < (isTensor ? cores.tensor : cores.vector) - piece_.pairs())
            places_.push_back(kApart);
        for (const Running& each : state.running)
            if (each.place == kWhole && piece_.kinds[each.slot] != CoreKind::fused && piece_.kinds[each.slot] != kind)
                places_.push_back(each.slot);
        if (pairs < piece_.pairs()) places_.push_back(kWhole);
    }
}

void StateSpace::addStarts(const State& state, std::size_t slot, std::vector<Move>& moves) {
    findPlaces(state, slot);
    for (const Slot place : places_)
        moves.push_back({.kind = Move::Kind::concurrent, .slot = static_cast<Slot>(slot), .place = place});
}

/// A ready operator that takes a core that no other operator needs and is over before the block is: starting it now
/// only helps.
std::optional<std::size_t> StateSpace::startsAtOnce(const State& state) const {
    const double left = state.drained() - state.time;
    for (const std::size_t slot : ready_) {
        const CoreKind kind = piece_.kinds[slot];
        const bool ample = kind == CoreKind::tensor   ? tensorAmple_
                           : kind == CoreKind::vector ? vectorAmple_
                                                      : sharing_ == Sharing::ample;
        if (ample && !piece_.exclusive[slot] && piece_.single[slot] <= left) return slot;
    }
    return std::nullopt;
}

void StateSpace::findMovesAtRest(const State& state, std::vector<Move>& moves) {
    for (const std::size_t slot : ready_)
        if (!has(state.concurrent.data(), slot) && !twin_[slot])
            moves.push_back({.kind = Move::Kind::exclusive, .slot = static_cast<Slot>(slot)});
    // From here on all that is ready is kept; which of it is in the same state is seen without that difference.
    State kept = state;
    for (const std::size_t slot : ready_) insertBit(kept.concurrent.data(), slot);
    findTwins(kept);
    for (const std::size_t slot : ready_)
        if (!twin_[slot]) addStarts(state, slot, moves);
}

void StateSpace::look(const State& state) {
    findReady(state);
    seen_ = ready_;
}

void StateSpace::findMoves(const State& state, std::vector<Move>& moves) {
    moves.clear();
    look(state);
    if (!state.resting()) {
        if (const auto slot = startsAtOnce(state)) {
            moves.push_back({.kind = Move::Kind::atOnce, .slot = static_cast<Slot>(*slot)});
            return;
        }
    }
    findTwins(state);
    if (state.resting()) {
        findMovesAtRest(state, moves);
        return;
    }
    for (const std::size_t slot : ready_)
        if (!piece_.exclusive[slot] && !twin_[slot] && rank_[slot] >= state.rank) addStarts(state, slot, moves);
    moves.push_back({});
}

void StateSpace::apply(State& state, const Move& move, Trace* trace) {
    // Between blocks, what comes before the one that runs alone was left out; where a block begins, all of it was.
    if (state.resting())
        for (const std::size_t slot : seen_) {
            if (slot == move.slot && move.kind == Move::Kind::exclusive) break;
            keepConcurrent(state, slot);
        }
    if (move.kind == Move::Kind::advance)
        advance(state, trace);
    else if (move.kind == Move::Kind::exclusive)
        runExclusively(state, move.slot, trace);
    else
        runConcurrently(state, move, trace);
    normaliseState(state, trace);
}

double StateSpace::bound(const State& state, double enough) const {
    std::array<double, kMaxPrices> energy = state.load;
    double min = 0;
    for (std::size_t k = 0; k < prices_.size(); ++k) {
        for (const Running& each : state.running) energy[k] += each.left * prices_[k][each.slot];
        min = std::max(min, energy[k]);
    }
    for (std::size_t k = 0; k < prices_.size(); ++k)
        for (const Running& each : state.running) {
            if (state.time + min >= enough) return state.time + min;
            if (each.left + state.load[k] <= min) continue;
            // While it runs, only what is incomparable can: the rest comes after it.
            double after = state.load[k];
            const Word* const concurrent = piece_.concurrent[each.slot];
            for (std::size_t w = 0; w < words_; ++w)
                forEachBit(concurrent[w] & ~state.started[w], w * kWordBits, [&](std::size_t i) {
                    if (!piece_.exclusive[i])
                        after -= has(state.concurrent.data(), i) ? concurrentLoad_[i][k] : minLoad_[i][k];
                });
            min = std::max(min, each.left + after);
        }
    return state.time + min;
}

void StateSpace::finish(State& state, Trace& trace) {
    while (!state.resting()) advance(state, &trace);
    for (std::size_t i = 0; i < piece_.size(); ++i) {
        // By the names of the operators, which are in topological order.
        const auto slot = static_cast<std::size_t>(
            std::find(trace.actual.begin(), trace.actual.end(), static_cast<Slot>(i)) - trace.actual.begin());
        if (!has(state.started.data(), slot)) runExclusively(state, slot, &trace);
    }
    trace.schedule.makespan = state.time;
}

}  // namespace tessera::codesign
