#include "core/codesign/schedule/schedule_ilp.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/process.h"
#include "core/base/run_control.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/codesign/bits.h"
#include "core/codesign/schedule/schedule_cores.h"

namespace tessera::codesign {

namespace fs = std::filesystem;

namespace {

/// What precedes what, for all operators.
class Order {
public:
    explicit Order(const OperatorGraph& graph) : before_(graph.operators.size()) {
        for (const std::size_t i : topologicalOrder(graph.operators.size(), graph.edges))
            for (const auto& [from, to] : graph.edges)
                if (to == i) {
                    for (std::size_t w = 0; w < before_.words(); ++w) before_[i][w] |= before_[from][w];
                    insertBit(before_[i], from);
                }
    }
    bool precedes(std::size_t a, std::size_t b) const { return has(before_[b], a); }
    bool comparable(std::size_t a, std::size_t b) const { return precedes(a, b) || precedes(b, a); }

private:
    BitRows before_;
};

/// Writes the program row by row.
class ProgramWriter {
public:
    ProgramWriter(const OperatorGraph& graph, const Cores& cores, const CoreVariables& variables)
        : graph_(graph), count_(graph.operators.size()), order_(graph), variables_(variables) {
        // No more cores than operators are ever used.
        tensor_ = std::min<std::size_t>(static_cast<std::size_t>(cores.tensor), count_);
        vector_ = std::min<std::size_t>(static_cast<std::size_t>(cores.vector), count_);
        for (const Operator& each : graph.operators) horizon_ += std::max(each.latency, each.allCoresLatency);
    }

    std::string write() {
        text_ = "Minimize\n obj: T\nSubject To\n";
        for (std::size_t i = 0; i < count_; ++i) rowsOf(i);
        for (const auto& [from, to] : graph_.edges)  // (7)
            row("- t{} {} y{} + t{} >= {}", from + 1, minusDifference(from), from + 1, to + 1, latency(from));
        for (std::size_t i = 0; i < count_; ++i)
            for (std::size_t j = i + 1; j < count_; ++j)
                if (!order_.comparable(i, j)) rowsOf(i, j);
        writeTriangles();
        text_ += "Binaries\n" + binaries_ + "End\n";
        return std::move(text_);
    }

private:
    template <typename... Values>
    void row(fmt::format_string<Values...> format, Values&&... values) {
        text_ += fmt::format(" r{}: ", ++rows_);
        fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
        text_ += '\n';
    }

    std::string latency(std::size_t i) const { return exactNumber(graph_.operators[i].latency); }
    /// Minus what all cores take longer than one, as it stands before y: the format knows no "- -3".
    std::string minusDifference(std::size_t i) const {
        const double difference = graph_.operators[i].allCoresLatency - graph_.operators[i].latency;
        return fmt::format("{} {}", difference < 0 ? '+' : '-', exactNumber(std::fabs(difference)));
    }
    bool usesTensor(std::size_t i) const { return graph_.operators[i].kind != CoreKind::vector; }
    bool usesVector(std::size_t i) const { return graph_.operators[i].kind != CoreKind::tensor; }
    std::size_t tensorCores(std::size_t i) const { return usesVector(i) ? std::min(tensor_, vector_) : tensor_; }
    std::size_t vectorCores(std::size_t i) const { return usesTensor(i) ? std::min(tensor_, vector_) : vector_; }

    void rowsOf(std::size_t i) {
        row("T - t{} {} y{} >= {}", i + 1, minusDifference(i), i + 1, latency(i));  // (1), (2)
        binaries_ += fmt::format(" y{}\n", i + 1);
        // (10) to (13); unpaired cores of fused operators are left out.
        if (variables_.tensor && usesTensor(i)) assignment(i, "ztc", tensorCores(i));
        if (variables_.vector && usesVector(i)) assignment(i, "zvc", vectorCores(i));
        if (variables_.tensor && variables_.vector && usesTensor(i) && usesVector(i))  // (14)
            for (std::size_t c = 1; c <= tensorCores(i); ++c) row("ztc{0}_{1} - zvc{0}_{1} = 0", i + 1, c);
    }

    void assignment(std::size_t i, std::string_view name, std::size_t cores) {
        std::string sum;
        for (std::size_t c = 1; c <= cores; ++c) {
            sum += fmt::format("\n + {}{}_{}", name, i + 1, c);
            binaries_ += fmt::format(" {}{}_{}\n", name, i + 1, c);
        }
        row("y{}{} = 1", i + 1, sum);
    }

    void rowsOf(std::size_t i, std::size_t j) {
        const std::string there = fmt::format("x{}_{}", i + 1, j + 1), back = fmt::format("x{}_{}", j + 1, i + 1);
        binaries_ += fmt::format(" {}\n {}\n", there, back);
        row("{} + {} <= 1", there, back);  // (3)
        for (const auto& [a, b, x] : {std::tuple(i, j, there), std::tuple(j, i, back)}) {
            row("- t{} {} y{} + t{} - {} {} >= {}", a + 1, minusDifference(a), a + 1, b + 1, exactNumber(horizon_), x,
                exactNumber(graph_.operators[a].latency - horizon_));  // (8)
            row("{} + {} - y{} >= 0", there, back, a + 1);             // (9)
        }
        if (variables_.tensor && usesTensor(i) && usesTensor(j))  // (15)
            for (std::size_t c = 1; c <= std::min(tensorCores(i), tensorCores(j)); ++c)
                row("{0} + {1} - ztc{2}_{4} - ztc{3}_{4} >= -1", there, back, i + 1, j + 1, c);
        if (variables_.vector && usesVector(i) && usesVector(j))  // (16)
            for (std::size_t c = 1; c <= std::min(vectorCores(i), vectorCores(j)); ++c)
                row("{0} + {1} - zvc{2}_{4} - zvc{3}_{4} >= -1", there, back, i + 1, j + 1, c);
    }

    /// A variable x or, where the operators depend on each other, its value.
    struct Term {
        bool known = false;
        bool value = false;
    };
    Term termOf(std::size_t i, std::size_t j) const {
        if (order_.precedes(i, j)) return {.known = true, .value = true};
        return {.known = order_.precedes(j, i), .value = false};
    }

    /// (4): x_ik >= x_ij + x_jk - 1, where it says anything.
    void writeTriangles() {
        for (std::size_t i = 0; i < count_; ++i)
            for (std::size_t j = 0; j < count_; ++j)
                for (std::size_t k = 0; k < count_; ++k)
                    if (i != j && j != k && i != k) triangle(i, j, k);
    }

    void triangle(std::size_t i, std::size_t j, std::size_t k) {
        const Term ij = termOf(i, j), jk = termOf(j, k), ik = termOf(i, k);
        const bool idle = (ij.known && !ij.value) || (jk.known && !jk.value) || (ik.known && ik.value);
        if (idle || (ij.known && jk.known && ik.known)) return;
        int right = -1;
        std::string left;
        const auto add = [&](const Term& term, int sign, std::size_t a, std::size_t b) {
            if (term.known)
                right -= term.value ? sign : 0;
            else
                left += fmt::format(" {} x{}_{}", sign > 0 ? '+' : '-', a + 1, b + 1);
        };
        add(ik, 1, i, k);
        add(ij, -1, i, j);
        add(jk, -1, j, k);
        row("{} >= {}", trimmed(left), right);
    }

    const OperatorGraph& graph_;
    std::size_t count_;
    Order order_;
    CoreVariables variables_;
    std::size_t tensor_ = 0, vector_ = 0;
    double horizon_ = 0;  ///< H: the sum of all latencies
    std::string text_, binaries_;
    std::size_t rows_ = 0;
};

/// What CBC found.
struct Answer {
    bool solved = false;   ///< there is a solution
    bool optimal = false;  ///< and it is proved
    double bound = 0;
    std::map<std::string, double> values;  ///< of the variables that are not 0
};

double numberAfter(const std::string& text, std::string_view label, double fallback) {
    const std::size_t at = text.rfind(label);
    if (at == std::string::npos) return fallback;
    std::istringstream stream(text.substr(at + label.size()));
    double value = fallback;
    return stream >> value ? value : fallback;
}

/// The solution file: a line such as "Optimal - objective value 26.0", then "index name value reduced-cost" for every
/// variable that is not 0, with "**" before those that break a bound.
Answer readAnswer(const std::string& solution, const std::string& log) {
    Answer answer;
    std::istringstream lines(solution);
    std::string line;
    std::getline(lines, line);
    answer.optimal = line.starts_with("Optimal");
    while (std::getline(lines, line)) {
        std::istringstream words(line);
        std::string index, name;
        double value = 0;
        words >> index;
        if (index == "**") words >> index;
        if (words >> name >> value) answer.values[name] = value;
    }
    answer.solved = answer.optimal || answer.values.contains("T");
    answer.bound = numberAfter(log, "Lower bound:", 0);
    if (answer.optimal) answer.bound = numberAfter(solution, "objective value", answer.bound);
    return answer;
}

Answer runCbc(const std::string& program, const ScheduleOptions& options, std::chrono::milliseconds time,
              const std::stop_token& stop) {
    const TemporaryFolder folder;
    const std::string model = (folder.path() / "program.lp").string();
    const std::string solution = (folder.path() / "solution.txt").string();
    writeFile(model, program);
    // CBC looks at the clock between steps: it is asked to end a little earlier than it is made to.
    const double seconds = std::max(0.1, static_cast<double>(time.count()) / 1000 - 0.5);
    std::vector<std::string> command{
        "cbc",       model, "-timeMode",     "elapsed", "-seconds", fmt::format("{:.2f}", seconds),
        "-ratioGap", "0",   "-allowableGap", "0"};
    if (options.nodes) command.insert(command.end(), {"-maxNodes", fmt::format("{}", *options.nodes)});
    command.insert(command.end(), {"-solve", "-solution", solution});
    const ProcessResult result = runProcess(command, "", {.time = time}, stop);
    std::error_code ignored;
    if (!fs::exists(solution, ignored))
        throw FileError(fmt::format("cbc wrote no solution: {}", escaped(trimmed(result.output + result.errors))));
    return readAnswer(readFromDisk(solution), result.output);
}

/// The schedule that values mean: each operator as early as the order of x and the edges allow.
class Reading {
public:
    Reading(const OperatorGraph& graph, const Cores& cores, const Answer& answer)
        : graph_(graph), cores_(cores), answer_(answer) {
        const std::size_t count = graph.operators.size();
        std::vector<std::pair<std::size_t, std::size_t>> edges = graph.edges;
        for (std::size_t i = 0; i < count; ++i)
            for (std::size_t j = 0; j < count; ++j)
                if (i != j && isOne(fmt::format("x{}_{}", i + 1, j + 1))) edges.emplace_back(i, j);
        schedule_.operators.resize(count);
        const std::vector<std::size_t> order = topologicalOrder(count, edges);
        if (order.size() != count) throw FileError("the solution of cbc orders operators in a circle");
        std::vector<std::vector<std::size_t>> next(count);
        for (const auto& [from, to] : edges) next[from].push_back(to);
        for (const std::size_t i : order) {
            OperatorSlot& placed = schedule_.operators[i];
            placed.allCores = isOne(fmt::format("y{}", i + 1));
            placed.finish =
                placed.start + (placed.allCores ? graph.operators[i].allCoresLatency : graph.operators[i].latency);
            schedule_.makespan = std::max(schedule_.makespan, placed.finish);
            for (const std::size_t to : next[i])
                schedule_.operators[to].start = std::max(schedule_.operators[to].start, placed.finish);
        }
    }

    /// Gives the operators cores as z says where both kinds have variables, else cores that are free. What is missing
    /// comes back: the kinds of which too many are used at once.
    CoreVariables giveCores(const CoreVariables& variables) {
        if (variables.tensor && variables.vector) {
            readCores();
            return {};
        }
        const CoreVariables missing{.tensor = tooMany(CoreKind::vector, cores_.tensor),
                                    .vector = tooMany(CoreKind::tensor, cores_.vector)};
        if (missing.tensor || missing.vector) return missing;
        return takeFreeCores() ? CoreVariables{} : CoreVariables{.tensor = true, .vector = true};
    }

    const Schedule& schedule() const { return schedule_; }

private:
    bool isOne(const std::string& name) const {
        const auto found = answer_.values.find(name);
        return found != answer_.values.end() && found->second > 0.5;
    }

    /// Operators by their start; what finishes comes before what starts at the same time.
    std::vector<std::pair<std::size_t, bool>> events() const {
        std::vector<std::pair<std::size_t, bool>> all;
        for (std::size_t i = 0; i < schedule_.operators.size(); ++i) {
            const OperatorSlot& placed = schedule_.operators[i];
            if (placed.allCores) continue;
            all.emplace_back(i, false);
            all.emplace_back(i, true);
        }
        const auto key = [&](const std::pair<std::size_t, bool>& event) {
            const auto [i, ends] = event;
            const OperatorSlot& placed = schedule_.operators[i];
            // One that takes no time comes and goes between those that finish and those that start.
            const bool instant = placed.start == placed.finish;
            return std::tuple(ends ? placed.finish : placed.start,
                              instant ? 1
                              : ends  ? 0
                                      : 2,
                              instant ? i : 0, ends, i);
        };
        std::sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
        return all;
    }

    /// Whether more operators that are not of the kind `other` run at once than there are cores.
    bool tooMany(CoreKind other, std::int64_t cores) const {
        std::int64_t busy = 0;
        for (const auto& [i, ends] : events()) {
            if (graph_.operators[i].kind == other) continue;
            busy += ends ? -1 : 1;
            if (busy > cores) return true;
        }
        return false;
    }

    bool takeFreeCores() {
        CorePool pool(cores_);
        std::vector<CorePool::Taken> taken(schedule_.operators.size());
        for (const auto& [i, ends] : events()) {
            if (ends) {
                pool.release(taken[i]);
                continue;
            }
            taken[i] = pool.acquire(graph_.operators[i].kind);
            if (taken[i].tensor == 0 && taken[i].vector == 0) return false;
            OperatorSlot& placed = schedule_.operators[i];
            if (taken[i].tensor > 0) placed.tensorCore = taken[i].tensor;
            if (taken[i].vector > 0) placed.vectorCore = taken[i].vector;
        }
        return true;
    }

    void readCores() {
        const auto coreNamed = [&](std::string_view name, std::size_t i, std::int64_t cores) {
            std::optional<std::int64_t> found;
            for (std::int64_t c = 1; c <= cores && !found; ++c)
                if (isOne(fmt::format("{}{}_{}", name, i + 1, c))) found = c;
            return found;
        };
        const auto max = static_cast<std::int64_t>(schedule_.operators.size());
        for (std::size_t i = 0; i < schedule_.operators.size(); ++i) {
            OperatorSlot& placed = schedule_.operators[i];
            if (placed.allCores) continue;
            placed.tensorCore = coreNamed("ztc", i, std::min(cores_.tensor, max));
            placed.vectorCore = coreNamed("zvc", i, std::min(cores_.vector, max));
        }
    }

    const OperatorGraph& graph_;
    const Cores& cores_;
    const Answer& answer_;
    Schedule schedule_;
};

class Stages {
public:
    Stages(const OperatorGraph& graph, const Cores& cores, const ScheduleOptions& options, const RunControl& control)
        : graph_(graph), cores_(cores), options_(options), control_(control), deadline_(workingTime() + options.time) {
        ScheduleOptions list = options;
        list.method = "list";
        result_ = scheduleOperators(graph, cores, list, control);
        result_.optimal = false;
        result_.ended = EndedBy::time;
    }

    ScheduleResult solve() {
        CoreVariables variables;
        for (int stage = 1;; ++stage) {
            const std::optional<Answer> answer = answerTo(variables, stage);
            if (!answer) break;
            result_.lowerBound = std::max(result_.lowerBound, std::min(answer->bound, result_.schedule.makespan));
            if (!answer->solved) break;
            Reading reading(graph_, cores_, *answer);
            const CoreVariables missing = reading.giveCores(variables);
            if (missing == CoreVariables{}) {
                acceptAnswer(reading.schedule(), *answer);
                break;
            }
            variables = {.tensor = variables.tensor || missing.tensor, .vector = variables.vector || missing.vector};
        }
        return std::move(result_);
    }

private:
    std::optional<Answer> answerTo(const CoreVariables& variables, int stage) {
        control_.reportProgress(fmt::format("scheduling by cbc, stage {}", stage));
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - workingTime());
        if (left.count() <= 0) return std::nullopt;
        try {
            return runCbc(scheduleProgram(graph_, cores_, variables), options_, left, control_.finish);
        } catch (const InterruptedError&) {
            result_.ended = EndedBy::stop;
        } catch (const FileError&) {
            if (workingTime() < deadline_) throw;  // else it did not end by itself
        }
        return std::nullopt;
    }

    void acceptAnswer(const Schedule& schedule, const Answer& answer) {
        // What CBC calls optimal is so within its tolerances; the schedule itself is exact.
        constexpr double kTolerance = 1e-6;
        const bool better = schedule.makespan <= result_.schedule.makespan;
        if (better) result_.schedule = schedule;
        if (answer.optimal && better && schedule.makespan <= answer.bound * (1 + kTolerance) + kTolerance) {
            result_.optimal = true;
            result_.lowerBound = schedule.makespan;
            result_.ended = EndedBy::proof;
        } else if (options_.nodes && workingTime() < deadline_) {
            result_.ended = EndedBy::nodes;
        }
    }

    const OperatorGraph& graph_;
    const Cores& cores_;
    const ScheduleOptions& options_;
    const RunControl& control_;
    std::chrono::steady_clock::time_point deadline_;
    ScheduleResult result_;
};

}  // namespace

std::string scheduleProgram(const OperatorGraph& graph, const Cores& cores, const CoreVariables& variables) {
    return ProgramWriter(graph, cores, variables).write();
}

ScheduleResult solveByIlp(const OperatorGraph& graph, const Cores& cores, const ScheduleOptions& options,
                          const RunControl& control) {
    if (graph.operators.size() > kMaxInProgram)
        throw UsageError(fmt::format("method 'ilp' takes at most {} operators and the file has {}; 'exact' takes them",
                                     kMaxInProgram, graph.operators.size()));
    return Stages(graph, cores, options, control).solve();
}

}  // namespace tessera::codesign
