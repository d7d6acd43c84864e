// The closed form of the schedule, against the reference's records and against an event loop, whole and by changes.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/number.h"
#include "core/mapping/evaluator.h"
#include "tests/core/mapping/tables.h"

using namespace tessera;
using namespace tessera::mapping;

namespace {

void expectClose(double value, double expected, double relative = 1e-12) {
    EXPECT_LE(std::abs(value - expected), relative * std::abs(expected)) << value << " for " << expected;
}

std::size_t checkRecords(const std::filesystem::path& file) {
    std::size_t count = 0;
    std::string name;
    Problem problem;
    for (const Json& record : Json::parse(readFile(file))) {
        if (record.at("table") != name) {
            name = record.at("table");
            problem = test::magmaTable(name, 1);
        }
        problem.bandwidth = record.at("bw");
        const Mapping mapping{record.at("accel_sel"), record.at("prio")};
        const double makespan = record.at("makespan");
        expectClose(evaluate(problem, mapping).makespan, makespan);
        expectClose(schedule(problem, mapping).makespan, makespan);
        ++count;
    }
    return count;
}

TEST(Schedule, agreesWithRecordsOfTheReference) {
    EXPECT_EQ(checkRecords(test::sourcePath("tests/data/magma/schedule_oracle.json")), 18U);
}

TEST(Schedule, agreesWithEveryRecordOfTheReference) {
    TESSERA_NEEDS_SHARED("magma/schedule_oracle.json");
    EXPECT_EQ(checkRecords(test::sharedPath("magma/schedule_oracle.json")), 450U);
}

/// Algorithm 1 of the paper as it is written: at every event the bandwidth is shared anew and the rest of every running
/// job shrinks by what it got.
struct EventLoop {
    std::vector<double> finish;
    double makespan = 0;

    EventLoop(const Problem& problem, const Mapping& mapping) : finish(problem.jobs.size()) {
        const std::size_t cores = problem.cores.size();
        std::vector<std::vector<std::size_t>> queue(cores);
        for (std::size_t j = 0; j < finish.size(); ++j) queue[static_cast<std::size_t>(mapping.core[j])].push_back(j);
        for (auto& jobs : queue) {
            std::stable_sort(jobs.begin(), jobs.end(),
                             [&](std::size_t a, std::size_t b) { return mapping.priority[a] < mapping.priority[b]; });
            std::reverse(jobs.begin(), jobs.end());
        }
        std::vector<double> rest(cores);
        const auto start = [&](std::size_t k) {
            if (!queue[k].empty()) rest[k] = problem.latency[problem.pair(queue[k].back(), k)];
        };
        for (std::size_t k = 0; k < cores; ++k) start(k);
        for (std::size_t left = finish.size(); left > 0;) {
            double asked = 0, next = kInfinity;
            for (std::size_t k = 0; k < cores; ++k) {
                if (queue[k].empty()) continue;
                asked += problem.requiredBandwidth[problem.pair(queue[k].back(), k)];
                next = std::min(next, rest[k]);
            }
            makespan += next * std::max(1.0, asked / problem.bandwidth);
            for (std::size_t k = 0; k < cores; ++k) {
                if (queue[k].empty()) continue;
                const double latency = problem.latency[problem.pair(queue[k].back(), k)];
                rest[k] -= next;
                if (rest[k] > 1e-13 * latency) continue;
                finish[queue[k].back()] = makespan;
                queue[k].pop_back();
                --left;
                start(k);
            }
        }
    }
};

TEST(Schedule, agreesWithAnEventLoopOnRandomTables) {
    RandomStream random(3);
    for (int n = 0; n < 4000; ++n) {
        const Problem problem = test::randomTable(random, 1 + random.below(40), 1 + random.below(20));
        const Mapping mapping = test::randomMapping(random, problem);
        const EventLoop loop(problem, mapping);
        const Schedule schedule = mapping::schedule(problem, mapping);
        const Values values = evaluate(problem, mapping);
        ASSERT_EQ(values.makespan, schedule.makespan);
        expectClose(schedule.makespan, loop.makespan, 1e-11);
        double sum = 0, energy = 0;
        for (std::size_t j = 0; j < loop.finish.size(); ++j) {
            expectClose(schedule.jobs[j].finish, loop.finish[j], 1e-10);
            sum += schedule.jobs[j].finish;
            energy += problem.energy[problem.pair(j, static_cast<std::size_t>(mapping.core[j]))];
        }
        expectClose(values.latency, sum / static_cast<double>(loop.finish.size()));
        expectClose(values.energy.value(), energy);
        if (HasFailure()) break;
    }
}

TEST(Schedule, conservesBytesAndNeverExceedsTheBandwidth) {
    RandomStream random(4);
    for (int n = 0; n < 300; ++n) {
        const Problem problem = test::randomTable(random, 1 + random.below(30), 1 + random.below(9));
        const Mapping mapping = test::randomMapping(random, problem);
        const Schedule schedule = mapping::schedule(problem, mapping);
        double moved = 0, bytes = 0;
        ASSERT_FALSE(schedule.bandwidth.empty());
        EXPECT_EQ(schedule.bandwidth.front().time, 0);
        for (std::size_t s = 0; s < schedule.bandwidth.size(); ++s) {
            const Schedule::Step& step = schedule.bandwidth[s];
            const double end = s + 1 < schedule.bandwidth.size() ? schedule.bandwidth[s + 1].time : schedule.makespan;
            EXPECT_LT(step.time, end);
            ASSERT_EQ(step.bytes.size(), problem.cores.size());
            const double rate = std::accumulate(step.bytes.begin(), step.bytes.end(), 0.0);
            EXPECT_LE(rate, problem.bandwidth * (1 + 1e-12));
            moved += rate * (end - step.time);
        }
        std::vector<std::vector<Schedule::Job>> byCore(problem.cores.size());
        for (std::size_t j = 0; j < problem.jobs.size(); ++j) {
            const auto core = static_cast<std::size_t>(mapping.core[j]);
            const std::size_t pair = problem.pair(j, core);
            bytes += problem.latency[pair] * problem.requiredBandwidth[pair];
            EXPECT_EQ(schedule.jobs[j].core, mapping.core[j]);
            EXPECT_GE(schedule.jobs[j].finish - schedule.jobs[j].start, problem.latency[pair] * (1 - 1e-9));
            byCore[core].push_back(schedule.jobs[j]);
        }
        EXPECT_NEAR(moved, bytes, 1e-9 * bytes + 1e-12);
        for (auto& jobs : byCore) {
            std::sort(jobs.begin(), jobs.end(), [](const auto& a, const auto& b) { return a.order < b.order; });
            for (std::size_t i = 0; i < jobs.size(); ++i) {
                EXPECT_EQ(jobs[i].order, static_cast<std::int32_t>(i));
                EXPECT_EQ(jobs[i].start, i == 0 ? 0 : jobs[i - 1].finish);
            }
        }
        if (HasFailure()) break;
    }
}

TEST(Schedule, tiesOfPriorityGoToTheLowerJob) {
    RandomStream random(5);
    const Problem problem = test::randomTable(random, 60, 1);
    Mapping mapping{std::vector<std::int32_t>(60, 0), std::vector<double>(60, 0.25)};
    mapping.priority[7] = 0.125;
    const Schedule schedule = mapping::schedule(problem, mapping);
    EXPECT_EQ(schedule.jobs[7].order, 0);
    EXPECT_EQ(schedule.jobs[0].order, 1);
    EXPECT_EQ(schedule.jobs[6].order, 7);
    EXPECT_EQ(schedule.jobs[8].order, 8);
}

/// Random changes, one in three kept; every value must be that of the changed mapping to the last bit.
TEST(Evaluator, changesHaveTheValuesOfTheChangedMapping) {
    RandomStream random(6);
    for (int n = 0; n < 120; ++n) {
        const Problem problem = test::randomTable(random, 2 + random.below(70), 1 + random.below(19));
        const std::uint64_t jobs = problem.jobs.size();
        Evaluator evaluator(problem), other(problem);
        evaluator.hold(test::randomMapping(random, problem));
        for (int change = 0; change < 60; ++change) {
            std::vector<std::vector<std::int32_t>> orders;
            for (std::size_t k = 0; k < problem.cores.size(); ++k)
                orders.emplace_back(evaluator.order(k).begin(), evaluator.order(k).end());
            const auto job = static_cast<std::int32_t>(random.below(jobs));
            auto& source = orders[static_cast<std::size_t>(evaluator.coreOf(job))];
            ASSERT_EQ(source[static_cast<std::size_t>(evaluator.positionOf(job))], job);
            const double limit = random.below(3) == 0 ? evaluator.values().makespan : kInfinity;
            Values values;
            if (random.below(2) == 0) {
                const auto core = static_cast<std::int32_t>(random.below(problem.cores.size()));
                source.erase(source.begin() + evaluator.positionOf(job));
                auto& target = orders[static_cast<std::size_t>(core)];
                const auto position = static_cast<std::int32_t>(random.below(target.size() + 1));
                target.insert(target.begin() + position, job);
                values = evaluator.tryMove({job, core, position}, {limit});
            } else {
                const auto second = static_cast<std::int32_t>(random.below(jobs));
                auto& target = orders[static_cast<std::size_t>(evaluator.coreOf(second))];
                std::swap(source[static_cast<std::size_t>(evaluator.positionOf(job))],
                          target[static_cast<std::size_t>(evaluator.positionOf(second))]);
                values = evaluator.trySwap({job, second}, {limit});
            }
            const Values expected = other.hold(orders);
            if (values.makespan == kInfinity) {
                ASSERT_GT(expected.makespan, limit);
                continue;
            }
            ASSERT_EQ(values.makespan, expected.makespan);
            ASSERT_EQ(values.latency, expected.latency);
            expectClose(values.energy.value(), expected.energy.value());
            if (random.below(3) != 0) continue;
            evaluator.keep();
            ASSERT_EQ(evaluator.values(), expected);
            ASSERT_EQ(evaluate(problem, evaluator.mapping()), expected);
        }
    }
}

std::string refusal(const Problem& problem, const Mapping& mapping) {
    try {
        evaluate(problem, mapping);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "no error";
}

TEST(Schedule, refusesMappingsThatAreNone) {
    RandomStream random(7);
    const Problem problem = test::randomTable(random, 3, 2);
    EXPECT_EQ(refusal(problem, {{0, 1}, {0, 0, 0}}),
              "a mapping of 2 cores and 3 priorities; expected one of each for 3 jobs");
    EXPECT_EQ(refusal(problem, {{0, 1, 2}, {0, 0, 0}}),
              "sub-accelerator of job 2 is 2; expected a whole number from 0 to 1");
    EXPECT_EQ(refusal(problem, {{0, 1, 1}, {0, 0, 1}}),
              "priority of job 2 is 1; expected a number from 0 up to, but not, 1");
    EXPECT_EQ(refusal(problem, {{0, 1, 1}, {std::nan(""), 0, 0}}),
              "priority of job 0 is nan; expected a number from 0 up to, but not, 1");
}

TEST(Problems, ofTablesAreNamed) {
    RandomStream random(8);
    const Problem whole = test::randomTable(random, 3, 2);
    EXPECT_TRUE(problems(whole).empty());
    const auto only = [&](const auto& spoil) {
        Problem problem = whole;
        spoil(problem);
        const std::vector<std::string> found = problems(problem);
        return found.size() == 1 ? found.front() : std::to_string(found.size()) + " problems";
    };
    EXPECT_EQ(only([](Problem& p) { p.latency[3] = 0; }),
              "latency of job 'j1' on core 'c1' is 0; expected a number above 0");
    EXPECT_EQ(only([](Problem& p) { p.latency[3] = -1; }),
              "latency of job 'j1' on core 'c1' is -1; expected a number above 0");
    EXPECT_EQ(only([](Problem& p) { p.latency[0] = std::nan(""); }),
              "latency of job 'j0' on core 'c0' is nan; expected a number above 0");
    EXPECT_EQ(only([](Problem& p) { p.requiredBandwidth[5] = -0.5; }),
              "demand of job 'j2' on core 'c1' is -0.5; expected a number of 0 or more");
    EXPECT_EQ(only([](Problem& p) { p.requiredBandwidth[5] = kInfinity; }),
              "demand of job 'j2' on core 'c1' is inf; expected a number of 0 or more");
    EXPECT_EQ(only([](Problem& p) { p.requiredBandwidth.pop_back(); }),
              "demand has 5 entries; expected 6, one for each of 3 jobs on each of 2 cores");
    EXPECT_EQ(only([](Problem& p) { p.energy[1] = std::nan(""); }),
              "energy of job 'j0' on core 'c1' is nan; expected a number of 0 or more");
    EXPECT_EQ(only([](Problem& p) { p.macs.resize(2); }), "macs has 2 entries; expected 3, one for each job");
    EXPECT_EQ(only([](Problem& p) { p.bandwidth = 0; }), "bandwidth is 0; expected a number above 0");
    EXPECT_EQ(only([](Problem& p) { p.latency[2] = 1e70; }),
              "latency of job 'j1' on core 'c0' is 1e+70; expected at most 1e60");
    EXPECT_EQ(problems(Problem{}).size(), 3U);
}

TEST(Problems, areCountedBeyondALimit) {
    RandomStream random(9);
    Problem problem = test::randomTable(random, 100, 3);
    std::fill(problem.latency.begin(), problem.latency.end(), -1);
    const std::vector<std::string> found = problems(problem);
    ASSERT_EQ(found.size(), 21U);
    EXPECT_EQ(found.back(), "and 280 more of the same kinds");
}

}  // namespace
