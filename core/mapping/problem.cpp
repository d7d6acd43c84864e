#include <fmt/format.h>

#include <cmath>

#include "core/mapping/mapping.h"

namespace tessera::mapping {
namespace {

constexpr std::size_t kMaxSentences = 20;
/// Beyond this, sums and products of a table would leave the range of doubles.
constexpr double kMaxNumber = 1e60;

/// Sentences up to a limit; what is beyond is counted.
struct Problems {
    std::vector<std::string> list;
    std::size_t more = 0;

    void add(std::string sentence) {
        if (list.size() < kMaxSentences)
            list.push_back(std::move(sentence));
        else
            ++more;
    }
};

struct Rule {
    std::string_view what;
    bool zero;  ///< allowed
};

bool holds(const Rule& rule, double value) {
    if (!std::isfinite(value) || value > kMaxNumber) return false;
    return rule.zero ? value >= 0 : value >= 1 / kMaxNumber;
}

std::string wrong(const Rule& rule, const std::string& where, double value) {
    std::string_view expected = rule.zero ? "a number of 0 or more" : "a number above 0";
    if (std::isfinite(value) && value > kMaxNumber) expected = "at most 1e60";
    if (!rule.zero && value > 0 && value < 1 / kMaxNumber) expected = "at least 1e-60";
    return fmt::format("{}{} is {}; expected {}", rule.what, where, value, expected);
}

void checkPairs(const Problem& problem, const Rule& rule, const std::vector<double>& table, Problems& sentences) {
    const std::size_t pairs = problem.jobs.size() * problem.cores.size();
    if (table.size() != pairs) {
        sentences.add(fmt::format("{} has {} entries; expected {}, one for each of {} jobs on each of {} cores",
                                  rule.what, table.size(), pairs, problem.jobs.size(), problem.cores.size()));
        return;
    }
    for (std::size_t p = 0; p < pairs; ++p)
        if (!holds(rule, table[p]))
            sentences.add(wrong(rule,
                                fmt::format(" of job '{}' on core '{}'", problem.jobs[p / problem.cores.size()],
                                            problem.cores[p % problem.cores.size()]),
                                table[p]));
}

}  // namespace

std::vector<std::string> problems(const Problem& problem) {
    Problems sentences;
    if (problem.jobs.empty()) sentences.add("the table has no jobs; expected at least one");
    if (problem.cores.empty()) sentences.add("the table has no cores; expected at least one");
    checkPairs(problem, {"latency", false}, problem.latency, sentences);
    checkPairs(problem, {"demand", true}, problem.requiredBandwidth, sentences);
    if (!problem.energy.empty()) checkPairs(problem, {"energy", true}, problem.energy, sentences);
    if (!problem.macs.empty() && problem.macs.size() != problem.jobs.size())
        sentences.add(fmt::format("macs has {} entries; expected {}, one for each job", problem.macs.size(),
                                  problem.jobs.size()));
    else
        for (std::size_t j = 0; j < problem.macs.size(); ++j)
            if (const Rule rule{"macs", true}; !holds(rule, problem.macs[j]))
                sentences.add(wrong(rule, fmt::format(" of job '{}'", problem.jobs[j]), problem.macs[j]));
    if (const Rule rule{"bandwidth", false}; !holds(rule, problem.bandwidth))
        sentences.add(wrong(rule, "", problem.bandwidth));
    if (const Rule rule{"clock", false}; problem.clock && !holds(rule, problem.clock->value))
        sentences.add(wrong(rule, "", problem.clock->value));
    if (sentences.more > 0) sentences.list.push_back(fmt::format("and {} more of the same kinds", sentences.more));
    return sentences.list;
}

}  // namespace tessera::mapping
