#include "core/codesign/schedule/schedule_list.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <set>
#include <utility>

#include "core/base/elementary.h"
#include "core/base/poll.h"
#include "core/base/random.h"
#include "core/codesign/schedule/schedule_cores.h"

namespace tessera::codesign {

namespace {

class Lister {
public:
    Lister(const Piece& piece, const ListRule& rule) : piece_(piece), rule_(rule), ready_(Later{&rule.priority}) {
        schedule_.runs.resize(piece.size());
        for (std::size_t i = 0; i < piece.size(); ++i) {
            waiting_.push_back(piece.predecessors[i].size());
            if (waiting_[i] == 0) ready_.insert(i);
        }
    }

    PieceSchedule make() {
        while (!ready_.empty()) {
            const auto lone =
                std::find_if(ready_.begin(), ready_.end(), [&](std::size_t i) { return rule_.exclusive[i]; });
            if (lone == ready_.end()) {
                runBlock();
                continue;
            }
            const std::size_t i = *lone;
            ready_.erase(lone);
            runExclusively(i);
            finish(i);
        }
        return std::move(schedule_);
    }

private:
    /// Greater priorities first.
    struct Later {
        const std::vector<double>* priority;
        bool operator()(std::size_t a, std::size_t b) const {
            return (*priority)[a] != (*priority)[b] ? (*priority)[a] > (*priority)[b] : a < b;
        }
    };

    void runExclusively(std::size_t i) {
        schedule_.runs[i] = {.start = schedule_.makespan};
        schedule_.makespan += piece_.serial[i];
    }

    void finish(std::size_t i) {
        for (const std::size_t next : piece_.successors[i])
            if (--waiting_[next] == 0) ready_.insert(next);
    }

    /// Runs what can run beside each other until nothing runs; in a row instead, where that is not longer.
    void runBlock() {
        const double begin = schedule_.makespan;
        CorePool pool(piece_.cores);
        std::vector<std::size_t> members;
        std::vector<CorePool::Taken> taken(piece_.size());
        using Event = std::pair<double, std::size_t>;
        std::priority_queue<Event, std::vector<Event>, std::greater<>> running;
        double now = begin, end = begin;
        do {
            startReady(now, end, pool, taken, members, running);
            now = running.top().first;
            while (!running.empty() && running.top().first == now) {
                const std::size_t i = running.top().second;
                running.pop();
                pool.release(taken[i]);
                finish(i);
                poll();
            }
        } while (!running.empty());
        double row = 0;
        for (const std::size_t i : members) row += piece_.serial[i];
        schedule_.makespan = end;
        if (end - begin < row) return;
        schedule_.makespan = begin;
        for (const std::size_t i : members) runExclusively(i);
    }

    template <typename Queue>
    void startReady(double now, double& end, CorePool& pool, std::vector<CorePool::Taken>& taken,
                    std::vector<std::size_t>& members, Queue& running) {
        bool full[3] = {false, false, false};
        bool waits = false;  // what runs alone, more urgent than all that follows
        for (auto at = ready_.begin(); at != ready_.end() && !(full[0] && full[1] && full[2]);) {
            const std::size_t i = *at;
            const auto kind = static_cast<std::size_t>(piece_.kinds[i]);
            const bool fills = rule_.onlyFill || (rule_.drains && waits);
            const bool outlasts = fills && !members.empty() && now + piece_.single[i] > end;
            waits = waits || rule_.exclusive[i];
            if (rule_.exclusive[i] || full[kind] || outlasts) {
                ++at;
                continue;
            }
            taken[i] = pool.acquire(piece_.kinds[i]);
            if (taken[i].tensor == 0 && taken[i].vector == 0) {
                full[kind] = true;
                ++at;
                continue;
            }
            schedule_.runs[i] = {
                .start = now, .concurrent = true, .tensorCore = taken[i].tensor, .vectorCore = taken[i].vector};
            running.emplace(now + piece_.single[i], i);
            end = std::max(end, now + piece_.single[i]);
            members.push_back(i);
            at = ready_.erase(at);
        }
    }

    const Piece& piece_;
    const ListRule& rule_;
    std::vector<std::size_t> waiting_;
    std::set<std::size_t, Later> ready_;
    PieceSchedule schedule_;
};

/// Looks for a shorter schedule by at most so many lists.
class Improvement {
public:
    Improvement(const Piece& piece, double bound, std::size_t lists, PieceSchedule& best, Budget& budget)
        : piece_(piece),
          enough_(bound + piece.tolerance()),
          lists_(lists),
          best_(best),
          budget_(budget),
          rule_{.exclusive = piece.exclusive, .priority = tails(piece, piece.exclusive), .onlyFill = false} {}

    /// Operators run alone where prices, or nearly these, say that this is cheaper.
    void byPrices(const std::vector<Prices>& all) {
        constexpr std::pair<bool, bool> kFills[]{{false, false}, {true, false}, {false, true}};
        for (const double favour : {1.0, 0.8, 1.25, 0.9, 1.1, 0.6, 1.6})
            for (const Prices& prices : all)
                for (const auto& [onlyFill, drains] : kFills) {
                    if (ended()) return;
                    ListRule rule{
                        .exclusive = formsAt(prices, favour), .priority = {}, .onlyFill = onlyFill, .drains = drains};
                    rule.priority = tails(piece_, rule.exclusive);
                    PieceSchedule made = list(rule);
                    if (made.makespan >= best_.makespan) continue;
                    best_ = std::move(made);
                    rule_ = std::move(rule);
                }
    }

    /// From the best rule on: a few operators run the other way, or come in another order. What is a little longer is
    /// followed, too, ever less of it (simulated annealing).
    void byChance() {
        constexpr std::uint64_t kSeed = 1, kMaxFlips = 3, kMaxShifts = 4, kFills = 8;
        constexpr double kWarmest = 0.002;  // of the makespan
        constexpr double kShift = 0.5;
        RandomStream random(kSeed);
        double reached = best_.makespan;
        const auto lists = static_cast<double>(lists_);
        std::vector<double> urgency(piece_.size(), 1);  // of each operator, over its tail
        while (!ended()) {
            ListRule next = rule_;
            std::vector<double> shifted = urgency;
            for (std::uint64_t flips = random.below(kMaxFlips); flips > 0; --flips) {
                const std::size_t i = random.below(piece_.size());
                if (!piece_.exclusive[i]) next.exclusive[i] = !next.exclusive[i];
            }
            for (std::uint64_t shifts = random.below(kMaxShifts); shifts > 0; --shifts)
                shifted[random.below(piece_.size())] = 1 + kShift * (2 * random.uniform() - 1);
            next.priority = tails(piece_, next.exclusive);
            for (std::size_t i = 0; i < shifted.size(); ++i) next.priority[i] *= shifted[i];
            if (random.below(kFills) == 0) next.onlyFill = !next.onlyFill;
            if (random.below(kFills) == 0) next.drains = !next.drains;
            PieceSchedule made = list(next);
            const double warmth = kWarmest * best_.makespan * static_cast<double>(lists_) / lists;
            if (made.makespan > reached - warmth * elementary::log(1 - random.uniform())) continue;
            reached = made.makespan;
            rule_ = std::move(next);
            urgency = std::move(shifted);
            if (made.makespan < best_.makespan) best_ = std::move(made);
        }
    }

private:
    bool ended() { return lists_ == 0 || best_.makespan <= enough_ || budget_.spent(); }

    PieceSchedule list(const ListRule& rule) {
        --lists_;
        return scheduleBy(piece_, rule);
    }

    std::vector<bool> formsAt(const Prices& prices, double favour) const {
        std::vector<bool> exclusive = piece_.exclusive;
        for (std::size_t i = 0; i < piece_.size(); ++i)
            if (piece_.serial[i] < favour * piece_.single[i] * prices[i]) exclusive[i] = true;
        return exclusive;
    }

    const Piece& piece_;
    double enough_;
    std::size_t lists_;
    PieceSchedule& best_;
    Budget& budget_;
    ListRule rule_;
};

}  // namespace

std::vector<double> tails(const Piece& piece, const std::vector<bool>& exclusive) {
    std::vector<double> tail(piece.size(), 0);
    for (std::size_t i = piece.size(); i-- > 0;) {
        for (const std::size_t next : piece.successors[i]) tail[i] = std::max(tail[i], tail[next]);
        tail[i] += exclusive[i] ? piece.serial[i] : piece.single[i];
    }
    return tail;
}

PieceSchedule scheduleBy(const Piece& piece, const ListRule& rule) {
    return Lister(piece, rule).make();
}

PieceSchedule listSchedule(const Piece& piece) {
    PieceSchedule best = serialSchedule(piece);
    const std::vector<bool> all(piece.size(), true);
    for (const std::vector<bool>& path : {piece.exclusive, all})
        for (const bool onlyFill : {false, true}) {
            PieceSchedule made =
                scheduleBy(piece, {.exclusive = piece.exclusive, .priority = tails(piece, path), .onlyFill = onlyFill});
            if (made.makespan < best.makespan) best = std::move(made);
        }
    return best;
}

void improveByLists(const Piece& piece, const std::vector<Prices>& prices, double bound, std::size_t lists,
                    PieceSchedule& best, Budget& budget) {
    Improvement improvement(piece, bound, lists, best, budget);
    improvement.byPrices(prices);
    improvement.byChance();
}

}  // namespace tessera::codesign
