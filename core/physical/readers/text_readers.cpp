#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/poll.h"
#include "core/base/text.h"
#include "core/physical/collective.h"
#include "core/physical/readers/table_maker.h"

namespace tessera::physical {
namespace {

constexpr double kMicroseconds = 1e-6;
constexpr std::size_t kSniffed = 65536;  // bytes by which a format is known

// DeepBench: tables of words between blanks, whose header names the columns, times as "time (usec)".

/// The columns of a header, "(usec)" left out; empty where the line is none.
std::vector<std::string_view> deepbenchColumns(std::string_view line) {
    if (line.find("time (usec)") == std::string_view::npos || line.find("precision") == std::string_view::npos)
        return {};
    std::vector<std::string_view> columns;
    for (const std::string_view word : wordsOf(line))
        if (word != "(usec)") columns.push_back(word);
    return columns;
}

/// A line of a table under its header.
struct DeepbenchLine {
    const std::vector<std::string_view>& columns;
    const std::vector<std::string_view>& words;

    std::string_view word(std::string_view column) const {
        const auto at = static_cast<std::size_t>(std::find(columns.begin(), columns.end(), column) - columns.begin());
        return at < std::min(columns.size(), words.size()) ? words[at] : std::string_view();
    }
    double number(std::string_view column) const { return measuredNumber(word(column)).value_or(0); }
    double seconds(std::string_view column) const { return number(column) * kMicroseconds; }
    bool has(std::string_view column) const {
        return std::find(columns.begin(), columns.end(), column) != columns.end();
    }
};

void addDeepbenchConvolution(KernelTableMaker& maker, const DeepbenchLine& line, std::int64_t number) {
    if (line.number("stride_w") != line.number("stride_h"))
        return maker.skip(number, "a convolution has strides that differ");
    const std::vector<double> shape{line.number("n"),
                                    line.number("c"),
                                    line.number("h") + 2 * line.number("pad_h"),
                                    line.number("w") + 2 * line.number("pad_w"),
                                    line.number("k"),
                                    line.number("f_h"),
                                    line.number("f_w"),
                                    line.number("stride_h"),
                                    1};
    const std::string dtype = dtypeOf(line.word("precision"));
    struct Pass {
        std::string_view column, kernel;
    };
    constexpr std::array<Pass, 3> kPasses{{{"fwd_time", "conv"},
                                           {"bwd_inputs_time", "conv_input_gradient"},
                                           {"bwd_params_time", "conv_weight_gradient"}}};
    for (const Pass& pass : kPasses)
        if (line.has(pass.column))
            maker.add({std::string(pass.kernel), shape, dtype}, line.seconds(pass.column), number);
}

void addDeepbenchLine(KernelTableMaker& maker, const DeepbenchLine& line, std::int64_t number) {
    if (line.has("a_t"))  // column-major: its n are rows here
        maker.add({"gemm", {line.number("n"), line.number("m"), line.number("k")}, dtypeOf(line.word("precision"))},
                  line.seconds("time"), number);
    else if (line.has("fwd_time") && line.has("f_w"))
        addDeepbenchConvolution(maker, line, number);
    else
        maker.skip(number, "a table has neither products nor convolutions");
}

// nccl-tests: lines of numbers below a header, comments that begin with '#'.

/// "#  Rank  0 Group  0 Pid 1887 on worker-1 device  0": counts devices and the hosts that they are in.
struct NcclRanks {
    int ranks = 0;
    std::set<std::string, std::less<>> hosts = {};

    void see(const std::vector<std::string_view>& words) {
        const auto rank = std::find(words.begin(), words.end(), "Rank");
        const auto on = std::find(words.begin(), words.end(), "on");
        if (rank == words.end() || rank - words.begin() > 1 || on == words.end() || on + 1 == words.end()) return;
        ++ranks;
        hosts.emplace(*(on + 1));
    }
};

/// A program of nccl-tests.
struct NcclTest {
    std::string_view word;
    Collective operation;
};
constexpr std::array<NcclTest, 6> kNcclTests{{{"all_reduce_perf", Collective::allReduce},
                                              {"all_gather_perf", Collective::allGather},
                                              {"reduce_scatter_perf", Collective::reduceScatter},
                                              {"alltoall_perf", Collective::allToAll},
                                              {"sendrecv_perf", Collective::sendReceive},
                                              {"broadcast_perf", Collective::broadcast}}};

/// The collective whose test's name stands in a text: "all_reduce_perf".
std::optional<Collective> ncclOperationIn(std::string_view text) {
    for (const NcclTest& test : kNcclTests)
        if (text.find(test.word) != std::string_view::npos) return test.operation;
    return std::nullopt;
}

/// The names of the programs, as a sentence has them.
std::string ncclTestNames() {
    std::vector<std::string> names;
    for (const NcclTest& test : kNcclTests) names.emplace_back(test.word);
    return "one of " + joined(names, ", ");
}

/// The place of "time" among the words of a header line "# size count type redop root time algbw busbw".
std::optional<std::size_t> ncclTimeColumn(std::vector<std::string_view> words) {
    if (!words.empty() && words.front() == "#") words.erase(words.begin());
    if (words.size() < 5 || words[0] != "size" || words[1] != "count") return std::nullopt;
    const auto time = std::find(words.begin(), words.end(), "time");
    if (time == words.end()) return std::nullopt;
    return static_cast<std::size_t>(time - words.begin());
}

/// A line of times.
struct NcclLine {
    double bytes, microseconds, ratio;  ///< of bus bandwidth to that of the algorithm; 0: not said
    bool reduces;
    std::int64_t number;
};

/// The collective that the ratio of both bandwidths tells, where no name does: an all-reduce counts bytes twice, and
/// what counts them once reduces or is a gather or an exchange.
std::optional<Collective> ncclOperationOf(const std::vector<NcclLine>& lines, int ranks) {
    constexpr double kRounded = 0.03;
    const double once = 1 - 1.0 / ranks;
    const auto isNear = [](double ratio, double expected) { return std::fabs(ratio / expected - 1) < kRounded; };
    for (std::size_t i = lines.size(); i-- > 0;) {
        const NcclLine& line = lines[i];
        if (isNear(line.ratio, 2 * once) && ranks > 2) return Collective::allReduce;
        if (isNear(line.ratio, once) && line.reduces) return Collective::reduceScatter;
    }
    return std::nullopt;
}

/// What a text of nccl-tests says.
class NcclText {
public:
    NcclText(std::string_view bytes, const std::string& file) : file_(file) {
        read_.format = "nccl-tests";
        read_.table = {.file = file,
                       .columns = {"system", "operation", "accelerators", "per_node", "bytes", "seconds"},
                       .rows = {}};
        std::int64_t number = 0;
        for (const std::string_view line : linesOf(bytes)) {
            poll();
            see(wordsOf(line), ++number);
        }
        if (lines_.empty()) return;
        if (ranks_.ranks < 2)
            throw DataError({.file = file, .line = lines_.front().number},
                            fmt::format("a time of {} ranks", ranks_.ranks), "two or more lines '# Rank' above it");
        std::optional<Collective> operation = ncclOperationIn(bytes.substr(0, kSniffed));
        if (!operation) operation = ncclOperationOf(lines_, ranks_.ranks);
        if (!operation) throw DataError({.file = file}, "no name of a test", ncclTestNames());
        for (const NcclLine& line : lines_) addLine(line, *operation);
    }

    ReadMeasurements done() { return std::move(read_); }

private:
    void see(const std::vector<std::string_view>& words, std::int64_t number) {
        ranks_.see(words);
        if (const auto time = ncclTimeColumn(words)) time_ = time;
        if (words.empty() || !time_ || !measuredNumber(words.front())) return;
        if (words.size() <= *time_ + 2) return skip(number, "a line is broken off");
        const auto numberAt = [&](std::size_t at) { return measuredNumber(words[at]).value_or(0); };
        const double algorithm = numberAt(*time_ + 1), bus = numberAt(*time_ + 2);
        const NcclLine line{numberAt(0), numberAt(*time_), algorithm > 0 ? bus / algorithm : 0,
                            words.size() > 3 && words[3] == "sum", number};
        if (!(line.bytes >= 1) || !(line.microseconds > 0)) return skip(number, "a size or a time is not above 0");
        lines_.push_back(line);
    }

    void addLine(const NcclLine& line, Collective operation) {
        const int nodes = std::max(1, static_cast<int>(ranks_.hosts.size()));
        read_.table.rows.push_back(
            {{std::filesystem::path(file_).stem().string(), std::string(kCollectiveNames.of(operation)),
              fmt::format("{}", ranks_.ranks), fmt::format("{}", std::max(1, ranks_.ranks / nodes)),
              fmt::format("{}", line.bytes), fmt::format("{}", line.microseconds * kMicroseconds)},
             "nccl-tests",
             line.number});
    }

    void skip(std::int64_t number, std::string_view why) {
        if (read_.skipped++ == 0) read_.firstSkipped = fmt::format("in line {} {}", number, why);
    }

    const std::string& file_;
    ReadMeasurements read_;
    std::vector<NcclLine> lines_;
    std::optional<std::size_t> time_;
    NcclRanks ranks_;
};

}  // namespace

bool knowsDeepbench(std::string_view bytes) {
    return std::ranges::any_of(linesOf(bytes.substr(0, kSniffed)),
                               [](std::string_view line) { return !deepbenchColumns(line).empty(); });
}

ReadMeasurements readDeepbench(std::string_view bytes, const std::string& file) {
    if (!isUtf8(bytes)) throw DataError({.file = file}, "bytes that are no text", "UTF-8");
    KernelTableMaker maker("deepbench", file);
    std::vector<std::string_view> columns;
    std::int64_t number = 0;
    for (const std::string_view line : linesOf(bytes)) {
        ++number;
        if (std::vector<std::string_view> header = deepbenchColumns(line); !header.empty()) columns = std::move(header);
        const std::vector<std::string_view> words = wordsOf(line);
        if (columns.empty() || words.size() < 2 || !measuredNumber(words.front())) continue;
        addDeepbenchLine(maker, {columns, words}, number);
    }
    return maker.done();
}

bool knowsNcclTests(std::string_view bytes) {
    return std::ranges::any_of(linesOf(bytes.substr(0, kSniffed)),
                               [](std::string_view line) { return ncclTimeColumn(wordsOf(line)).has_value(); });
}

ReadMeasurements readNcclTests(std::string_view bytes, const std::string& file) {
    if (!isUtf8(bytes)) throw DataError({.file = file}, "bytes that are no text", "UTF-8");
    return NcclText(bytes, file).done();
}

}  // namespace tessera::physical
