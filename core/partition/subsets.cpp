#include "core/partition/subsets.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "core/base/poll.h"

namespace tessera::partition {

namespace {

/// Groups that can stand for one another, by number.
using Class = std::vector<std::size_t>;
/// By class, how many of its groups take part.
using Counts = std::vector<std::size_t>;

/// The numbers of groups of a class that are tried: all of them, or halves down to one.
std::vector<std::size_t> countsOf(std::size_t groups, bool all) {
    std::vector<std::size_t> counts;
    if (all) {
        for (std::size_t count = groups + 1; count-- > 0;) counts.push_back(count);
        return counts;
    }
    for (std::size_t count = groups; count > 0; count /= 2) counts.push_back(count);
    counts.push_back(0);
    return counts;
}

/// The number before `count` among the halves of `groups` down to one; 0 before the least.
std::size_t nextSmaller(std::size_t groups, std::size_t count) {
    while (groups >= count) groups /= 2;
    return groups;
}

/// Every choice of a number for each class, the whole fleet first; nothing where there are too many.
std::vector<Counts> combinations(const std::vector<Class>& classes, bool all) {
    std::vector<std::vector<std::size_t>> choices;
    double total = 1;
    for (const Class& members : classes) {
        choices.push_back(countsOf(members.size(), all));
        total *= static_cast<double>(choices.back().size());
    }
    if (total - 1 > static_cast<double>(kMaxSubsets)) return {};
    std::vector<Counts> found{{}};
    for (const std::vector<std::size_t>& counts : choices) {
        std::vector<Counts> longer;
        for (const Counts& before : found)
            for (const std::size_t count : counts) {
                longer.push_back(before);
                longer.back().push_back(count);
            }
        found = std::move(longer);
    }
    found.pop_back();  // no groups at all
    return found;
}

/// The whole fleet, the fastest sorts up to each, each alone, and all but each.
std::vector<Counts> fewOf(const std::vector<Class>& classes, const std::vector<Kind>& kinds) {
    const std::size_t sorts = classes.size();
    Counts whole;
    for (const Class& members : classes) whole.push_back(members.size());
    std::vector<std::size_t> fastest(sorts);
    std::iota(fastest.begin(), fastest.end(), std::size_t{0});
    std::stable_sort(fastest.begin(), fastest.end(), [&](std::size_t a, std::size_t b) {
        return kinds[classes[a].front()].flops > kinds[classes[b].front()].flops;
    });
    std::vector<Counts> found{whole};
    std::set<Counts> known{whole};
    const auto add = [&](const Counts& counts) {
        if (found.size() < kMaxSubsets && known.insert(counts).second) found.push_back(counts);
    };
    Counts growing(sorts, 0);
    for (const std::size_t c : fastest) {
        growing[c] = whole[c];
        add(growing);
    }
    for (const std::size_t c : fastest) {
        Counts alone(sorts, 0);
        alone[c] = whole[c];
        add(alone);
    }
    for (std::size_t k = sorts; k-- > 0;) {
        Counts without = whole;
        without[fastest[k]] = 0;
        add(without);
    }
    return found;
}

/// Numbers of groups of one sort after the other, of each alone, that are not there yet.
void addSorts(const std::vector<Class>& classes, std::vector<Counts>& chosen) {
    const std::set<Counts> known(chosen.begin(), chosen.end());
    for (std::size_t c = 0; c < classes.size(); ++c)
        for (std::size_t count = classes[c].size(); count > 0; --count) {
            Counts alone(classes.size(), 0);
            alone[c] = count;
            if (!known.contains(alone)) chosen.push_back(alone);
        }
}

Subset subsetOf(const hardware::Fleet& fleet, const std::string& dtype, const std::vector<Class>& classes,
                const Counts& counts) {
    std::vector<bool> kept(fleet.groups.size(), false);
    for (std::size_t c = 0; c < classes.size(); ++c)
        for (std::size_t k = 0; k < counts[c]; ++k) kept[classes[c][k]] = true;
    Subset subset;
    for (std::size_t g = 0; g < kept.size(); ++g) {
        if (kept[g])
            subset.accelerators += fleet.groups[g].count;
        else
            subset.idle.push_back(fleet.groups[g].name);
    }
    subset.array = makeArray(subset.idle.empty() ? fleet : restricted(fleet, kept), dtype);
    return subset;
}

}  // namespace

Subsets wholeFleet(const hardware::Fleet& fleet, const std::string& dtype) {
    Subsets subsets;
    subsets.list.push_back({{}, hardware::acceleratorCount(fleet), makeArray(fleet, dtype)});
    return subsets;
}

std::vector<SubsetRange> rangesOf(const hardware::Fleet& fleet, const std::string& dtype) {
    const std::vector<Class> classes = interchangeableGroups(fleet, dtype);
    std::vector<SubsetRange> ranges;
    for (const Counts& max : combinations(classes, false)) {
        poll();
        Counts min = max;
        std::size_t sorts = 0;
        for (std::size_t c = 0; c < max.size(); ++c) {
            if (max[c] == 0) continue;
            ++sorts;
            min[c] = max[c] == 1 ? 1 : nextSmaller(classes[c].size(), max[c]) + 1;
        }
        if (sorts < 2) continue;
        SubsetRange range{subsetOf(fleet, dtype, classes, min).array, subsetOf(fleet, dtype, classes, max).array};
        const Cluster& root = range.max.clusters[static_cast<std::size_t>(range.max.root)];
        range.alike = sorts == 2 && root.alike < 0 && !fleet.topology;
        ranges.push_back(std::move(range));
    }
    return ranges;
}

Subsets subsetsOf(const hardware::Fleet& fleet, const std::string& dtype) {
    Subsets subsets = wholeFleet(fleet, dtype);
    const std::vector<Class> classes = interchangeableGroups(fleet, dtype);
    std::vector<Counts> chosen = combinations(classes, true);
    subsets.complete = !chosen.empty();
    if (chosen.empty()) {
        chosen = combinations(classes, false);
        if (!chosen.empty()) {
            addSorts(classes, chosen);
            subsets.ranges = rangesOf(fleet, dtype);
        }
    }
    if (chosen.empty()) chosen = fewOf(classes, subsets.list.front().array.kinds);
    for (std::size_t k = 1; k < chosen.size(); ++k) {
        poll();
        subsets.list.push_back(subsetOf(fleet, dtype, classes, chosen[k]));
    }
    return subsets;
}

}  // namespace tessera::partition
