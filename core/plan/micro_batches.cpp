#include "core/plan/micro_batches.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>

namespace tessera::plan {

namespace {

/// Most micro-batches that a pipeline ends within some seconds, at least 1 and at most `all`.
int microBatchesWithin(double seconds, const SharingPipelines& pipeline, int all) {
    return static_cast<int>(std::clamp((seconds - pipeline.start) / pipeline.each, 1.0, static_cast<double>(all)));
}

/// Shares micro-batches among replicas of pipelines.
class Sharing {
public:
    Sharing(int all, int replicas, const std::vector<SharingPipelines>& pipelines)
        : all_(all),
          pipelines_(pipelines),
          spare_(replicas - static_cast<int>(pipelines.size())),
          order_(pipelines.size()) {
        shares_.replicas.assign(pipelines.size(), 1);
        shares_.microBatches.assign(pipelines.size(), 1);
        std::iota(order_.begin(), order_.end(), std::size_t{0});
    }

    Shares share() {
        double low = 0, high = 0;
        for (const SharingPipelines& pipeline : pipelines_) high = std::max(high, pipeline.seconds(all_ + 1));
        constexpr int kHalvings = 60;
        for (int i = 0; i < kHalvings; ++i) {
            const double middle = (low + high) / 2;
            (isEnough(middle) ? high : low) = middle;
        }
        isEnough(high);
        // The slowest gives up what the others hold anyway.
        std::int64_t surplus = microBatches() - all_;
        for (;;) {
            const std::size_t slowest = slowestThatGives(surplus);
            if (slowest == pipelines_.size()) return std::move(shares_);
            --shares_.microBatches[slowest];
            surplus -= shares_.replicas[slowest];
        }
    }

private:
    /// Takes what each ends within some seconds: those that end most have most replicas.
    bool isEnough(double seconds) {
        std::vector<int>& each = shares_.microBatches;
        for (std::size_t i = 0; i < each.size(); ++i) each[i] = microBatchesWithin(seconds, pipelines_[i], all_);
        if (spare_ < mostSpare()) {
            std::sort(order_.begin(), order_.end(),
                      [&](std::size_t a, std::size_t b) { return each[a] != each[b] ? each[a] > each[b] : a < b; });
        }
        int spare = spare_;
        for (const std::size_t i : order_) {
            const int more = std::min(spare, pipelines_[i].replicas - 1);
            shares_.replicas[i] = 1 + more;
            spare -= more;
        }
        return microBatches() >= all_;
    }

    int mostSpare() const {
        int sum = 0;
        for (const SharingPipelines& pipeline : pipelines_) sum += pipeline.replicas - 1;
        return sum;
    }

    std::int64_t microBatches() const {
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < pipelines_.size(); ++i)
            sum += std::int64_t{shares_.microBatches[i]} * shares_.replicas[i];
        return sum;
    }

    /// The slowest of the pipelines that can do with one less; their number where none can.
    std::size_t slowestThatGives(std::int64_t surplus) const {
        const auto secondsOf = [&](std::size_t i) { return pipelines_[i].seconds(shares_.microBatches[i]); };
        std::size_t slowest = pipelines_.size();
        for (std::size_t i = 0; i < pipelines_.size(); ++i) {
            if (shares_.microBatches[i] < 2 || shares_.replicas[i] > surplus) continue;
            if (slowest == pipelines_.size() || secondsOf(i) > secondsOf(slowest)) slowest = i;
        }
        return slowest;
    }

    int all_;
    const std::vector<SharingPipelines>& pipelines_;
    int spare_;  // replicas beside the first of each pipeline
    std::vector<std::size_t> order_;
    Shares shares_;
};

}  // namespace

Shares bestShares(int all, int replicas, const std::vector<SharingPipelines>& pipelines) {
    return Sharing(all, replicas, pipelines).share();
}

double fastestRate(std::vector<ReplicaRate> pipelines, int replicas) {
    std::sort(pipelines.begin(), pipelines.end(),
              [](const ReplicaRate& a, const ReplicaRate& b) { return a.rate > b.rate; });
    double rate = 0;
    int spare = replicas - static_cast<int>(pipelines.size());
    for (const ReplicaRate& each : pipelines) {
        const int more = std::min(spare, each.replicas - 1);
        rate += (1 + more) * each.rate;
        spare -= more;
    }
    return rate;
}

}  // namespace tessera::plan
