#include "core/calibrate/measuring.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/error.h"
#include "core/base/statistics.h"

namespace tessera::calibrate {

namespace {

constexpr std::size_t kMin = 3;
constexpr std::size_t kMax = 25;
constexpr double kFirstPass = 0.5;   // of the time
constexpr double kOutlier = 5;       // median absolute deviations
constexpr double kNormal = 1.4826;   // of them in a standard deviation
constexpr double kMinOutlier = 0.1;  // of the median
constexpr double kMaxDifference = 0.1;
constexpr double kMinRank = 0.9;
constexpr std::size_t kMinRanked = 5;

/// Linear between the two nearest of rising values.
double quantile(const std::vector<double>& rising, double share) {
    const double at = share * static_cast<double>(rising.size() - 1);
    const auto low = static_cast<std::size_t>(at);
    const std::size_t high = std::min(low + 1, rising.size() - 1);
    return rising[low] + (at - static_cast<double>(low)) * (rising[high] - rising[low]);
}

/// Place of each value among the others, equal ones in the middle of theirs.
std::vector<double> ranksOf(const std::vector<double>& values) {
    std::vector<double> ranks;
    for (const double value : values) {
        double rank = 0;
        for (const double other : values) rank += other < value ? 1 : other == value ? 0.5 : 0;
        ranks.push_back(rank);
    }
    return ranks;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
    const auto count = static_cast<double>(a.size());
    const double meanA = std::accumulate(a.begin(), a.end(), 0.0) / count;
    const double meanB = std::accumulate(b.begin(), b.end(), 0.0) / count;
    double both = 0, onlyA = 0, onlyB = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        both += (a[i] - meanA) * (b[i] - meanB);
        onlyA += (a[i] - meanA) * (a[i] - meanA);
        onlyB += (b[i] - meanB) * (b[i] - meanB);
    }
    return onlyA > 0 && onlyB > 0 ? both / std::sqrt(onlyA * onlyB) : 1;
}

/// Repetitions of one kernel, within about so many seconds; fewer than the fewest only where the pass ends. The first
/// run finds code and memory, and counts only where it alone takes longer than the time.
std::vector<double> repeat(const Kernel& kernel, const Tools& tools, double seconds, double end,
                           const RunControl& control) {
    const double started = tools.now();
    kernel();
    std::vector<double> times;
    if (const double first = tools.now() - started; first > seconds) times.push_back(first);
    while (times.size() < kMax) {
        // None is begun that would not end in time, but for the fewest, which may take more than their share.
        const double limit = times.size() < kMin ? end : std::min(end, started + seconds);
        if (!times.empty() && tools.now() + times.back() > limit) break;
        control.throwIfCancelled(kCalibration);
        const double before = tools.now();
        kernel();
        times.push_back(tools.now() - before);
    }
    return times;
}

/// One of the two passes over what can be measured.
class Pass {
public:
    Pass(const Tools& tools, double seconds, const RunControl& control)
        : tools_(tools), end_(tools.now() + seconds), control_(control) {}

    /// Empty where the time is over or there is no such kernel.
    std::vector<double> time(const Request& request, std::size_t left, bool& known) {
        control_.throwIfCancelled(kCalibration);
        known = true;
        if (tools_.now() >= end_) return {};
        const Kernel kernel = tools_.prepare(request);
        known = static_cast<bool>(kernel);
        if (!known) return {};
        const double share = std::max(0.0, end_ - tools_.now()) / static_cast<double>(left);
        return repeat(kernel, tools_, share, end_, control_);
    }

    void report(const std::string& task, std::size_t done, std::size_t total) const {
        control_.reportProgress(task, static_cast<double>(done), static_cast<double>(total));
    }

private:
    const Tools& tools_;
    double end_;
    const RunControl& control_;
};

void count(Outcome& outcome, const Timing& timing) {
    outcome.repetitions += timing.kept + timing.dropped;
    outcome.dropped += timing.dropped;
}

}  // namespace

std::string shapeText(const predict::KernelTable::Sizes& sizes) {
    std::string text;
    for (const double size : sizes) text += fmt::format("{}{:.0f}", text.empty() ? "" : "x", size);
    return text;
}

Timing summarise(std::vector<double> seconds) {
    Timing timing;
    if (seconds.empty()) return timing;
    std::sort(seconds.begin(), seconds.end());
    const double middle = quantile(seconds, 0.5);
    std::vector<double> deviations;
    for (const double value : seconds) deviations.push_back(std::fabs(value - middle));
    const double limit = middle + std::max(kOutlier * kNormal * medianOf(std::move(deviations)), kMinOutlier * middle);
    const std::size_t all = seconds.size();
    seconds.erase(std::upper_bound(seconds.begin(), seconds.end(), limit), seconds.end());
    timing.kept = seconds.size();
    timing.dropped = all - timing.kept;
    timing.seconds = quantile(seconds, 0.5);
    if (timing.seconds > 0) timing.spread = (quantile(seconds, 0.75) - quantile(seconds, 0.25)) / 2 / timing.seconds;
    return timing;
}

double Measured::seconds() const {
    double sum = 0;
    for (const Timing& pass : passes) sum += pass.seconds;
    return sum / static_cast<double>(passes.size());
}

double Measured::spread() const {
    double max = 0;
    for (const Timing& pass : passes) max = std::max(max, pass.spread);
    return max;
}

Agreement agreementOf(const std::vector<Measured>& measured) {
    Agreement agreement;
    std::vector<double> first, second, differences;
    for (const Measured& one : measured) {
        if (one.passes.size() < 2 || !(one.seconds() > 0)) continue;
        first.push_back(one.passes[0].seconds);
        second.push_back(one.passes[1].seconds);
        differences.push_back(std::fabs(first.back() - second.back()) / one.seconds());
    }
    agreement.compared = first.size();
    if (first.empty()) {
        agreement.noisy = true;
        agreement.sentence = "No kernel was measured twice in the time: how noisy this machine is is not known.";
        return agreement;
    }
    agreement.difference = medianOf(differences);
    if (first.size() >= kMinRanked) agreement.rank = correlation(ranksOf(first), ranksOf(second));
    agreement.noisy = agreement.difference > kMaxDifference || agreement.rank < kMinRank;
    agreement.sentence = fmt::format(
        "{}: two passes over {} kernels differ by {:.1f} % in the median (at most 10 % is quiet), with a rank "
        "correlation of {:.3f} (at least 0.9).",
        agreement.noisy ? "This machine was noisy, so that these times are not to be relied on"
                        : "This machine was quiet",
        agreement.compared, 100 * agreement.difference, agreement.rank);
    return agreement;
}

Outcome measureTwice(const std::vector<Request>& requests, const Tools& tools, double seconds,
                     const RunControl& control) {
    Outcome outcome;
    const double started = tools.now();
    const std::size_t total = 2 * requests.size();
    Pass first(tools, seconds * kFirstPass, control);
    for (std::size_t i = 0; i < requests.size(); ++i) {
        bool known = true;
        std::vector<double> times = first.time(requests[i], requests.size() - i, known);
        first.report("kernels", i + 1, total);
        if (times.empty()) {
            (known ? outcome.outOfTime : outcome.unknown).push_back(requests[i]);
            continue;
        }
        outcome.measured.push_back({.request = requests[i], .passes = {summarise(std::move(times))}});
        count(outcome, outcome.measured.back().passes.back());
    }
    Pass second(tools, seconds - (tools.now() - started), control);
    for (std::size_t i = 0; i < outcome.measured.size(); ++i) {
        bool known = true;
        std::vector<double> times = second.time(outcome.measured[i].request, outcome.measured.size() - i, known);
        second.report("kernels", requests.size() + i + 1, requests.size() + outcome.measured.size());
        if (times.empty()) continue;
        outcome.measured[i].passes.push_back(summarise(std::move(times)));
        count(outcome, outcome.measured[i].passes.back());
    }
    return outcome;
}

}  // namespace tessera::calibrate
