#include <algorithm>
#include <functional>
#include <queue>
#include <set>
#include <utility>

#include "core/base/poll.h"
#include "core/codesign/schedule_cores.h"
#include "core/codesign/schedule_piece.h"

namespace tessera::codesign {

namespace {

/// How one list schedule is made.
struct Style {
    bool pathOfSingles = true;  ///< the critical path counts latencies on one core, else the shorter ones
    bool onlyFill = false;      ///< what joins a block later must not outlast it
};

/// For each operator its own latency and the longest path behind it.
std::vector<double> tails(const Piece& piece, bool pathOfSingles) {
    std::vector<double> tail(piece.size(), 0);
    for (std::size_t i = piece.size(); i-- > 0;) {
        for (const std::size_t next : piece.successors[i]) tail[i] = std::max(tail[i], tail[next]);
        tail[i] += pathOfSingles && !piece.alone[i] ? piece.single[i] : piece.serial[i];
    }
    return tail;
}

class Lister {
public:
    Lister(const Piece& piece, const Style& style)
        : piece_(piece), style_(style), tail_(tails(piece, style.pathOfSingles)), ready_(Later{&tail_}) {
        schedule_.runs.resize(piece.size());
        for (std::size_t i = 0; i < piece.size(); ++i) {
            waiting_.push_back(piece.predecessors[i].size());
            if (waiting_[i] == 0) ready_.insert(i);
        }
    }

    PieceSchedule make() {
        while (!ready_.empty()) {
            const auto lone =
                std::find_if(ready_.begin(), ready_.end(), [&](std::size_t i) { return piece_.alone[i]; });
            if (lone == ready_.end()) {
                runBlock();
                continue;
            }
            const std::size_t i = *lone;
            ready_.erase(lone);
            runAlone(i);
            finish(i);
        }
        return std::move(schedule_);
    }

private:
    /// Longer tails first.
    struct Later {
        const std::vector<double>* tail;
        bool operator()(std::size_t a, std::size_t b) const {
            return (*tail)[a] != (*tail)[b] ? (*tail)[a] > (*tail)[b] : a < b;
        }
    };

    void runAlone(std::size_t i) {
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
        for (const std::size_t i : members) runAlone(i);
    }

    template <typename Queue>
    void startReady(double now, double& end, CorePool& pool, std::vector<CorePool::Taken>& taken,
                    std::vector<std::size_t>& members, Queue& running) {
        bool full[3] = {false, false, false};
        for (auto at = ready_.begin(); at != ready_.end() && !(full[0] && full[1] && full[2]);) {
            const std::size_t i = *at;
            const auto kind = static_cast<std::size_t>(piece_.kinds[i]);
            const bool outlasts = style_.onlyFill && !members.empty() && now + piece_.single[i] > end;
            if (piece_.alone[i] || full[kind] || outlasts) {
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
                .start = now, .beside = true, .tensorCore = taken[i].tensor, .vectorCore = taken[i].vector};
            running.emplace(now + piece_.single[i], i);
            end = std::max(end, now + piece_.single[i]);
            members.push_back(i);
            at = ready_.erase(at);
        }
    }

    const Piece& piece_;
    Style style_;
    std::vector<double> tail_;
    std::vector<std::size_t> waiting_;
    std::set<std::size_t, Later> ready_;
    PieceSchedule schedule_;
};

}  // namespace

PieceSchedule listSchedule(const Piece& piece) {
    PieceSchedule best = serialSchedule(piece);
    for (const bool pathOfSingles : {true, false})
        for (const bool onlyFill : {false, true}) {
            PieceSchedule made = Lister(piece, {pathOfSingles, onlyFill}).make();
            if (made.makespan < best.makespan) best = std::move(made);
        }
    return best;
}

}  // namespace tessera::codesign
