#include "core/study/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <compare>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "core/study/partition/metrics.h"
#include "core/study/partition/outcome.h"

namespace tessera::study {

namespace {

using Runs = std::vector<const Result*>;

/// The plans of a partition; none of another engine's result.
const std::vector<partition::Plan>& plansOf(const Result& result) {
    static const std::vector<partition::Plan> kNone;
    const auto* outcome = result.outcome.as<PartitionOutcome>();
    return outcome == nullptr ? kNone : outcome->result.plans;
}

/// A split as the runs have it in common: its depth, and its group's name (with a number for equal ones) where some run
/// has several groups at that depth.
struct SplitKey {
    std::string_view strategy;
    int level = 0;
    std::string_view group;
    int number = 0;
    auto operator<=>(const SplitKey&) const = default;
};

/// Types of every run's plans by strategy, split and layer.
class LayerRows {
public:
    explicit LayerRows(const Runs& runs) : runs_(&runs) {
        for (const Result* run : runs) count(*run);
        for (std::size_t r = 0; r < runs.size(); ++r) take(r);
        nameGroups();
    }

    /// Rows of which at least two runs have something to say.
    std::vector<Comparison::LayerRow> take() && {
        std::erase_if(rows_, [](Comparison::LayerRow& row) {
            const auto absent = std::count(row.types.begin(), row.types.end(), "");
            const std::set<std::string_view> types(row.types.begin(), row.types.end());
            row.same = types.size() - types.count("") == 1;
            return std::ssize(row.types) - absent < 2;
        });
        return std::move(rows_);
    }

    /// What is not compared because only one run has it; empty where nothing is.
    std::vector<std::string> notes() const {
        // A strategy that only one run tried says nothing about splits.
        std::map<std::string_view, std::set<std::size_t>> tried;
        for (const auto& [key, split] : splits_) tried[key.strategy].insert(split.runs.begin(), split.runs.end());
        const auto alone =
            static_cast<std::size_t>(std::count_if(splits_.begin(), splits_.end(), [&](const auto& entry) {
                return entry.second.runs.size() < 2 && tried.at(entry.first.strategy).size() >= 2;
            }));
        const bool renamed = std::any_of(splits_.begin(), splits_.end(),
                                         [](const auto& entry) { return entry.second.names.size() > 1; });
        if (alone == 0 && !renamed) return {};
        std::string note = "The runs split their accelerators differently";
        if (renamed) note += ": where each has one group at a level, those are compared whatever they are called";
        if (alone > 0)
            note += fmt::format("{} {} of {} splits that only one run has {} left out", renamed ? ", and" : ":", alone,
                                splits_.size(), alone == 1 ? "is" : "are");
        return {note + ". The shares of types speak of all splits."};
    }

private:
    /// Maximum number of groups of any run at a depth of a strategy.
    void count(const Result& run) {
        for (const partition::Plan& plan : plansOf(run)) {
            std::map<int, int> groups;
            for (const partition::LevelPlan& level : plan.levels) ++groups[level.level];
            for (const auto& [level, groupCount] : groups) {
                int& max = groups_[{plan.strategy, level}];
                max = std::max(max, groupCount);
            }
        }
    }

    void take(std::size_t run) {
        const auto* outcome = (*runs_)[run]->outcome.as<PartitionOutcome>();
        if (outcome == nullptr) return;
        const partition::Result& result = outcome->result;
        for (const partition::Plan& plan : result.plans) {
            std::map<std::pair<int, std::string_view>, int> met;
            for (const partition::LevelPlan& level : plan.levels) {
                SplitKey key{.strategy = plan.strategy, .level = level.level, .group = {}, .number = 0};
                if (groups_.at({plan.strategy, level.level}) > 1) {
                    key.group = level.group;
                    key.number = met[{level.level, level.group}]++;
                }
                Split& split = splits_[key];
                split.runs.insert(run);
                split.names.insert(level.group);
                for (const partition::LayerPlan& layer : level.layers)
                    rowOf(key, split, result.names.at(static_cast<std::size_t>(layer.layer))).types[run] =
                        partition::nameOf(layer.type);
            }
        }
    }

    void nameGroups() {
        for (const auto& [key, split] : splits_)
            for (const auto& [layer, row] : split.rows)
                rows_[row].group = joined({split.names.begin(), split.names.end()}, " / ");
    }

    struct Split {
        std::set<std::size_t> runs;
        std::set<std::string> names;
        std::map<std::string_view, std::size_t> rows;  ///< by layer
    };

    Comparison::LayerRow& rowOf(const SplitKey& key, Split& split, std::string_view layer) {
        const auto [place, added] = split.rows.try_emplace(layer, rows_.size());
        if (added) {
            rows_.push_back({.strategy = std::string(key.strategy),
                             .level = key.level,
                             .group = {},
                             .layer = std::string(layer),
                             .types = std::vector<std::string>(runs_->size()),
                             .same = false});
        }
        return rows_[place->second];
    }

    const Runs* runs_;
    std::map<std::pair<std::string_view, int>, int> groups_;
    std::map<SplitKey, Split> splits_;
    std::vector<Comparison::LayerRow> rows_;
};

std::vector<Comparison::ShareRow> shareRows(const Runs& runs) {
    constexpr std::array kTypes{partition::Type::I, partition::Type::II, partition::Type::III};
    std::vector<Comparison::ShareRow> rows;
    std::map<std::string_view, std::size_t> places;  // of a strategy's first row
    for (std::size_t r = 0; r < runs.size(); ++r)
        for (const partition::Plan& plan : plansOf(*runs[r])) {
            std::array<double, kTypes.size()> counts{};
            double sum = 0;
            for (const partition::LevelPlan& level : plan.levels)
                for (const partition::LayerPlan& layer : level.layers) {
                    const auto occurrences = static_cast<double>(level.occurrences);
                    counts.at(static_cast<std::size_t>(layer.type)) += occurrences;
                    sum += occurrences;
                }
            const auto [place, added] = places.try_emplace(plan.strategy, rows.size());
            for (std::size_t t = 0; t < kTypes.size(); ++t) {
                if (added)
                    rows.push_back({.strategy = plan.strategy,
                                    .type = std::string(partition::nameOf(kTypes.at(t))),
                                    .shares = std::vector<std::optional<double>>(runs.size()),
                                    .same = false});
                if (sum > 0) rows[place->second + t].shares[r] = counts.at(t) / sum;
            }
        }
    for (Comparison::ShareRow& row : rows)
        row.same = std::all_of(row.shares.begin(), row.shares.end(),
                               [&](const auto& share) { return share == row.shares.front(); });
    return rows;
}

}  // namespace

void addPartitionsToComparison(Comparison& comparison, const std::vector<const Result*>& results) {
    LayerRows layers(results);
    for (std::string& note : layers.notes()) comparison.notes.push_back(std::move(note));
    comparison.layers = std::move(layers).take();
    comparison.shares = shareRows(results);
}

}  // namespace tessera::study
