#include "core/codesign/schedule/schedule_search.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "core/base/number.h"
#include "core/codesign/schedule/schedule_state.h"

namespace tessera::codesign {

namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFF;
/// Of the states that wait, and of the history of those that do not.
constexpr std::size_t kMaxBytes = std::size_t{512} << 20;

std::uint64_t mixed(std::uint64_t hash, Word word) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15U;
    return hash ^ (hash >> 29);
}

/// Where a state comes from: an expanded state and the move from there.
struct Origin {
    std::uint32_t parent = kNone;
    Move move;
};

/// The states of one level, packed one after the other, with a table of those that have the same operators started.
class Level {
public:
    struct Head {
        double time, serialLeft, bound, drained;
        std::array<double, kMaxPrices> load;
        std::size_t words;    ///< where its words begin: started, beside
        std::size_t running;  ///< where its running operators begin
        std::uint32_t next;   ///< with the same hash
        std::uint32_t rank;
        std::uint16_t runs;
        Origin origin;
    };

    std::size_t bytes() const {
        return heads_.size() * sizeof(Head) + words_.size() * sizeof(Word) + running_.size() * sizeof(Running);
    }
    const Head& head(std::size_t i) const { return heads_[i]; }
    bool alive(std::size_t i) const { return heads_[i].bound < kInfinity; }

    /// Adds a state unless one is there that dominates it; drops those that it dominates.
    void add(const State& state, double bound, const Origin& origin) {
        if (heads_.size() + 1 > table_.size() / 2) grow();
        const std::uint64_t hash = hashOf(state.started.data(), state.started.size());
        std::uint32_t& bucket = table_[hash & (table_.size() - 1)];
        for (std::uint32_t at = bucket; at != kNone; at = heads_[at].next) {
            if (!alive(at) || !sameStarted(at, state)) continue;
            if (dominates(at, state)) return;
            if (isDominated(at, state)) heads_[at].bound = kInfinity;
        }
        Head made{.time = state.time,
                  .serialLeft = state.serialLeft,
                  .bound = bound,
                  .drained = state.drained(),
                  .load = state.load,
                  .words = words_.size(),
                  .running = running_.size(),
                  .next = bucket,
                  .rank = static_cast<std::uint32_t>(state.rank),
                  .runs = static_cast<std::uint16_t>(state.running.size()),
                  .origin = origin};
        words_.insert(words_.end(), state.started.begin(), state.started.end());
        words_.insert(words_.end(), state.concurrent.begin(), state.concurrent.end());
        running_.insert(running_.end(), state.running.begin(), state.running.end());
        bucket = static_cast<std::uint32_t>(heads_.size());
        heads_.push_back(made);
    }

    void unpack(std::size_t i, std::size_t words, State& state) const {
        const Head& from = heads_[i];
        const auto at = words_.begin() + static_cast<std::ptrdiff_t>(from.words);
        state.started.assign(at, at + static_cast<std::ptrdiff_t>(words));
        state.concurrent.assign(at + static_cast<std::ptrdiff_t>(words), at + static_cast<std::ptrdiff_t>(2 * words));
        const auto run = running_.begin() + static_cast<std::ptrdiff_t>(from.running);
        state.running.assign(run, run + from.runs);
        state.time = from.time;
        state.serialLeft = from.serialLeft;
        state.load = from.load;
        state.rank = from.rank;
    }

    /// The states that are left, the most promising first; all but `max` are dropped. Returns the minimum bound of
    /// those.
    double choose(std::size_t max, double below, std::vector<std::uint32_t>& chosen) const {
        chosen.clear();
        for (std::size_t i = 0; i < heads_.size(); ++i)
            if (heads_[i].bound < below) chosen.push_back(static_cast<std::uint32_t>(i));
        const auto better = [&](std::uint32_t a, std::uint32_t b) {
            const Head &x = heads_[a], &y = heads_[b];
            if (x.bound != y.bound) return x.bound < y.bound;
            const double xEnd = x.drained + x.serialLeft, yEnd = y.drained + y.serialLeft;
            return xEnd != yEnd ? xEnd < yEnd : a < b;
        };
        if (chosen.size() <= max) {
            std::sort(chosen.begin(), chosen.end(), better);
            return kInfinity;
        }
        const auto middle = chosen.begin() + static_cast<std::ptrdiff_t>(max);
        std::nth_element(chosen.begin(), middle, chosen.end(), better);
        const double dropped = heads_[*middle].bound;
        chosen.erase(middle, chosen.end());
        std::sort(chosen.begin(), chosen.end(), better);
        return dropped;
    }

    double minBound(double below) const {
        double min = kInfinity;
        for (const Head& each : heads_)
            if (each.bound < below) min = std::min(min, each.bound);
        return min;
    }

private:
    static std::uint64_t hashOf(const Word* words, std::size_t count) {
        std::uint64_t hash = 0x243F6A8885A308D3U;
        for (std::size_t w = 0; w < count; ++w) hash = mixed(hash, words[w]);
        return mixed(hash, hash >> 32);
    }

    void grow() {
        constexpr std::size_t kFirst = 64;
        table_.assign(std::max(kFirst, 2 * table_.size()), kNone);
        const std::size_t words = heads_.empty() ? 0 : wordCount();
        for (std::size_t i = 0; i < heads_.size(); ++i) {
            const std::uint64_t hash = hashOf(words_.data() + heads_[i].words, words);
            std::uint32_t& bucket = table_[hash & (table_.size() - 1)];
            heads_[i].next = bucket;
            bucket = static_cast<std::uint32_t>(i);
        }
    }
    /// Of one set: every state has two.
    std::size_t wordCount() const { return words_.size() / heads_.size() / 2; }

    bool sameStarted(std::size_t i, const State& state) const {
        return std::equal(state.started.begin(), state.started.end(),
                          words_.begin() + static_cast<std::ptrdiff_t>(heads_[i].words));
    }

    /// The same operators run at the same places, none of the stored ones longer (`sign` 1) or shorter (-1).
    bool runsAlike(const Head& stored, const State& state, double sign) const {
        if (stored.runs != state.running.size()) return false;
        for (std::size_t r = 0; r < state.running.size(); ++r) {
            const Running &mine = running_[stored.running + r], &theirs = state.running[r];
            if (mine.slot != theirs.slot || mine.place != theirs.place) return false;
            if (sign * (stored.time + mine.left) > sign * (state.time + theirs.left)) return false;
        }
        return true;
    }

    bool dominates(std::size_t i, const State& state) const {
        const Head& stored = heads_[i];
        if (stored.time > state.time || stored.rank > state.rank || !runsAlike(stored, state, 1)) return false;
        const Word* const concurrent = words_.data() + stored.words + state.started.size();
        for (std::size_t w = 0; w < state.concurrent.size(); ++w)
            if ((concurrent[w] & ~state.concurrent[w]) != 0) return false;
        return true;
    }

    bool isDominated(std::size_t i, const State& state) const {
        const Head& stored = heads_[i];
        if (stored.time < state.time || stored.rank < state.rank || !runsAlike(stored, state, -1)) return false;
        const Word* const concurrent = words_.data() + stored.words + state.started.size();
        for (std::size_t w = 0; w < state.concurrent.size(); ++w)
            if ((state.concurrent[w] & ~concurrent[w]) != 0) return false;
        return true;
    }

    std::vector<Head> heads_;
    std::vector<Word> words_;
    std::vector<Running> running_;
    std::vector<std::uint32_t> table_;
};

}  // namespace

class PieceSearch::Implementation {
public:
    Implementation(const Piece& piece, PieceSchedule first)
        : piece_(piece),
          space_(piece),
          best_(std::move(first)),
          bound_(std::min(quickBound(piece), best_.makespan)),
          tolerance_(piece.tolerance()) {}

    void visit(std::size_t width, Budget& budget) {
        if (proved() || exhausted_) return;
        history_.clear();
        bytes_ = 0;
        levels_.clear();
        levels_.resize(2 * piece_.size() + 1);
        dropped_ = kInfinity;
        State state = space_.root();
        consider(state, {});
        bool ended = false;
        for (Level& level : levels_) {
            ended = ended || expand(level, width, budget);
            if (ended) dropped_ = std::min(dropped_, level.minBound(limit()));
            bytes_ -= level.bytes();
            level = Level();
        }
        bound_ = std::max(bound_, std::min(dropped_, best_.makespan));
    }

    bool proved() const { return bound_ >= limit(); }
    double bound() const { return proved() ? best_.makespan : bound_; }
    const PieceSchedule& best() const { return best_; }

private:
    /// A state whose bound is not below it cannot lead to anything better.
    double limit() const { return best_.makespan - tolerance_; }

    /// True where the budget has ended; what was not expanded is then left in the level.
    bool expand(Level& level, std::size_t width, Budget& budget) {
        dropped_ = std::min(dropped_, level.choose(width, limit(), chosen_));
        State state, next;
        for (const std::uint32_t i : chosen_) {
            if (!(level.head(i).bound < limit())) break;
            if (budget.spend()) return true;
            if (bytes_ + history_.size() * sizeof(Origin) > kMaxBytes) return exhausted_ = true;
            level.unpack(i, space_.words(), state);
            const auto self = static_cast<std::uint32_t>(history_.size());
            history_.push_back(level.head(i).origin);
            space_.findMoves(state, moves_);
            for (const Move& move : moves_) {
                next = state;
                space_.apply(next, move);
                consider(next, {self, move});
            }
        }
        return false;
    }

    void consider(State& state, const Origin& origin) {
        // Whatever the state, the rest can be run one after the other.
        const double end = state.drained() + state.serialLeft;
        if (end < limit()) keep(origin);
        constexpr double kEnough = 1 + 1e-10;  // above what rounding may take off again
        const double bound = piece_.safely(space_.bound(state, limit() * kEnough));
        if (!(bound < limit())) return;
        space_.sortBlocks(state);
        Level& level = levels_[state.progress()];
        bytes_ -= level.bytes();
        level.add(state, bound, origin);
        bytes_ += level.bytes();
    }

    void keep(const Origin& origin) {
        std::vector<Move> path;
        for (Origin at = origin; at.parent != kNone; at = history_[at.parent]) path.push_back(at.move);
        std::reverse(path.begin(), path.end());
        StateSpace::Trace trace = space_.newTrace();
        State state = space_.root(&trace);
        for (const Move& move : path) {
            space_.look(state);
            space_.apply(state, move, &trace);
            space_.sortBlocks(state, &trace);
        }
        space_.finish(state, trace);
        best_ = std::move(trace.schedule);
    }

    const Piece& piece_;
    StateSpace space_;
    PieceSchedule best_;
    double bound_;
    double tolerance_;
    std::size_t bytes_ = 0;       ///< of all levels
    bool exhausted_ = false;      ///< a visit needed too much memory
    double dropped_ = kInfinity;  ///< the minimum bound of what a visit left out
    std::vector<Level> levels_;
    std::vector<Origin> history_;
    std::vector<std::uint32_t> chosen_;
    std::vector<Move> moves_;
};

PieceSearch::PieceSearch(const Piece& piece, PieceSchedule first)
    : implementation_(std::make_unique<Implementation>(piece, std::move(first))) {}
PieceSearch::PieceSearch(PieceSearch&&) noexcept = default;
PieceSearch& PieceSearch::operator=(PieceSearch&&) noexcept = default;
PieceSearch::~PieceSearch() = default;

void PieceSearch::visit(std::size_t width, Budget& budget) {
    implementation_->visit(width, budget);
}
bool PieceSearch::proved() const {
    return implementation_->proved();
}
double PieceSearch::bound() const {
    return implementation_->bound();
}
const PieceSchedule& PieceSearch::best() const {
    return implementation_->best();
}

}  // namespace tessera::codesign
