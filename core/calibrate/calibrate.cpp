#include "core/calibrate/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <map>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/calibrate/all_reduce.h"
#include "core/calibrate/grid.h"
#include "core/calibrate/host.h"
#include "core/calibrate/kernels.h"
#include "core/calibrate/measuring.h"
#include "core/calibrate/streams.h"
#include "core/hardware/library.h"
#include "core/predict/kernels.h"
#include "core/predict/machine.h"

namespace tessera::calibrate {

namespace {

namespace fs = std::filesystem;

constexpr double kStreamsShare = 0.1;     // of the time
constexpr double kAllReducesShare = 0.1;  // likewise
constexpr double kMinForOneSum = 2;       // seconds, where others use the machine
constexpr double kBeforeKernels = 0.5;    // of it, at most, where other things use the machine
constexpr double kMinKernels = 0.05;      // of it, also where none is left
constexpr double kLongestKernel = 0.5;    // seconds at the peak rate: a stop is answered behind it
constexpr double kMebi = 1024.0 * 1024;
constexpr double kLargestPool = 1024 * kMebi;
constexpr double kUnknownCache = 32 * kMebi;
constexpr const char* kPeakTask = "peak rate";
constexpr const char* kBandwidthTask = "bandwidth";
constexpr const char* kAllReduceTask = "all-reduce between processes";

double clockSeconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// "2026-11-22", in UTC.
std::string today() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

/// One calibration while it is made.
class Work {
public:
    Work(const Options& options, const RunControl& control) : options_(options), control_(control), host_(hostOf()) {
        threads_ = options.threads == 0 ? host_.cores : options.threads;
        seconds_ = limitOf(options);
    }

    Calibration run() && {
        made_.measuredBy = fmt::format("measured by tessera calibrate on {}, {}, {}, {}", today(), host_.processor,
                                       KernelLibrary::version(), formatCounted(threads_, "thread", "threads"));
        hardware::Accelerator& accelerator = made_.accelerator;
        accelerator.name = options_.name;
        accelerator.vendor = host_.processor;
        accelerator.placementPolicy = "off-chip";
        measureRates();
        measureAllReduces();
        measureKernels();
        finish();
        made_.seconds = clockSeconds() - started_;
        return std::move(made_);
    }

private:
    double left() const { return std::max(0.0, seconds_ - (clockSeconds() - started_)); }

    void report(const char* task, std::size_t done, std::size_t total) const {
        control_.throwIfCancelled(kCalibration);
        control_.reportProgress(task, static_cast<double>(done), static_cast<double>(total));
    }

    void setSource(const std::string& path, std::vector<hardware::Alternative> alternatives = {}) {
        made_.accelerator.provenance[path] = {
            .source = made_.measuredBy, .reliability = "measured", .alternatives = std::move(alternatives)};
    }

    // Rates ---------------------------------------------------------------------------------------------------------

    /// Of those that are named; where none is shared, there may be one that is not.
    double largestCache() const {
        if (host_.caches.empty()) return kUnknownCache;
        const Cache& last = host_.caches.back();
        return last.shared ? last.bytes : std::max(last.bytes, kUnknownCache);
    }
    double memory() const { return host_.memory > 0 ? host_.memory : 16 * largestCache(); }

    void measureRates() {
        const std::size_t steps = host_.caches.size() + 3;
        const double duration = kStreamsShare * seconds_ / static_cast<double>(steps);
        std::size_t done = 0;
        hardware::Accelerator& accelerator = made_.accelerator;
        const auto peak = [&](const char* dtype, std::size_t bytes) {
            accelerator.peakFlops[dtype] = FlopsPerSecond{peakRate(bytes, threads_, duration, clockSeconds, control_)};
            report(kPeakTask, ++done, steps);
        };
        peak("fp32", sizeof(float));
        peak("fp64", sizeof(double));
        for (const Cache& cache : host_.caches) {
            if (cache.bytes >= memory()) continue;  // of a container that may use less than the machine's cache
            // A shared cache is divided between the threads; half of it, since other things lie there, too.
            const double share = cache.bytes / 2 / (cache.shared ? threads_ : 1);
            addLevel(fmt::format("L{}", cache.level), cache.bytes, true, share, duration);
            report(kBandwidthTask, ++done, steps);
        }
        const double beyond = std::min(std::max(4 * largestCache(), 64 * kMebi), memory() / 4);
        addLevel("DRAM", host_.memory, false, beyond / threads_, duration);
        report(kBandwidthTask, ++done, steps);
        orderLevels();
        accelerator.hostBandwidth = accelerator.memory.back().bandwidth;
        setSource("host_bandwidth_bytes_per_s");
    }

    /// Levels run from the fastest: one that seemed slower than the next has that one's bandwidth, since what disturbs
    /// a measurement only ever makes it slower.
    void orderLevels() {
        std::vector<hardware::MemoryLevel>& levels = made_.accelerator.memory;
        for (std::size_t i = levels.size() - 1; i-- > 0;)
            levels[i].bandwidth->value = std::max(levels[i].bandwidth->value, levels[i + 1].bandwidth->value);
    }

    /// A level of memory with its bandwidth.
    void addLevel(const std::string& name, double capacity, bool onChip, double workingSet, double seconds) {
        std::vector<hardware::MemoryLevel>& levels = made_.accelerator.memory;
        const std::string path = fmt::format("memory[{}]", levels.size());
        const double rate = streamRate(static_cast<std::size_t>(workingSet), threads_, seconds, clockSeconds, control_);
        hardware::MemoryLevel& level = levels.emplace_back();
        level.name = name;
        level.onChip = onChip;
        level.bandwidth = BytesPerSecond{rate};
        setSource(path + ".bandwidth_bytes_per_s");
        if (capacity <= 0) return;
        level.capacity = Bytes{capacity};
        setSource(path + ".capacity_bytes");
    }

    // All-reduce between processes
    // ----------------------------------------------------------------------------------------

    void measureAllReduces() {
        std::vector<unsigned> counts{2};
        for (unsigned count = 4; count <= host_.cores / threads_ && count <= 8; count *= 2) counts.push_back(count);
        constexpr std::array<std::size_t, 4> kBytes{4096, std::size_t{1} << 20U, std::size_t{16} << 20U,
                                                    std::size_t{128} << 20U};  // the longest last
        const std::size_t steps = counts.size() * kBytes.size() * transports().size();
        const double each = kAllReducesShare * seconds_ / static_cast<double>(steps);
        // Twice its share where others use the machine, as long as half of the time is left for the kernels.
        const double end =
            std::min(clockSeconds() + 2 * kAllReducesShare * seconds_, started_ + kBeforeKernels * seconds_);
        std::size_t done = 0;
        for (const unsigned processes : counts)
            for (const std::size_t bytes : kBytes) {
                if (static_cast<double>(bytes) * 2 * processes > memory() / 4) continue;
                std::map<std::string_view, double> times;
                for (const Transport& transport : transports()) {
                    if (transport.id == "tcp" && !options_.tcp) continue;
                    // One sum is measured in any case: without it no prediction for several devices can be made.
                    const double min = made_.accelerator.allReduce.empty() && times.empty() ? kMinForOneSum : 0;
                    const double rest = std::max(end - clockSeconds(), min);
                    if (rest <= 0) break;
                    const auto time = allReduceTime({.bytes = bytes,
                                                     .processes = processes,
                                                     .transport = transport.id,
                                                     .seconds = each,
                                                     .limit = std::min(10 * each + 2, rest)},
                                                    control_);
                    report(kAllReduceTask, ++done, steps);
                    if (time) times[transport.id] = *time;
                }
                addAllReduce(processes, bytes, times);
            }
        if (made_.accelerator.allReduce.empty())
            made_.warnings.emplace_back(
                "No all-reduce between processes could be measured: predictions for several devices "
                "will say what they need.");
    }

    /// By the first transport that works, the others stand beside it.
    void addAllReduce(unsigned processes, std::size_t bytes, const std::map<std::string_view, double>& times) {
        const std::vector<Transport>& all = transports();
        const auto used =
            std::find_if(all.begin(), all.end(), [&](const Transport& each) { return times.contains(each.id); });
        if (used == all.end()) return;
        const auto size = static_cast<double>(bytes);
        const double time = times.at(used->id);
        hardware::Accelerator& accelerator = made_.accelerator;
        if (bytes == 4096) {
            if (processes != 2) return;
            accelerator.networkLatency = Seconds{time / 2};  // two messages, one after the other
            setSource("network_latency_s");
            return;
        }
        const std::string path = fmt::format("all_reduce[{}]", accelerator.allReduce.size());
        accelerator.allReduce.push_back(
            {.bytes = Bytes{size}, .devices = processes, .bandwidth = BytesPerSecond{size / time}});
        setSource(path + ".bytes");
        setSource(path + ".devices");
        const auto by = [&](const Transport& transport) {
            return fmt::format("{}: by {}", made_.measuredBy, transport.title);
        };
        std::vector<hardware::Alternative> alternatives;
        for (const Transport& other : all)
            if (other.id != used->id && times.contains(other.id))
                alternatives.push_back({size / times.at(other.id), by(other)});
        setSource(path + ".bandwidth_bytes_per_s", std::move(alternatives));
        accelerator.provenance[path + ".bandwidth_bytes_per_s"].source = by(*used);
        if (processes != 2) return;
        // A ring of two sends and receives every byte once.
        accelerator.network = BytesPerSecond{size / time};
        setSource("network_bits_per_s");
    }

    // Kernels -------------------------------------------------------------------------------------------------------

    static Request smallest() { return {.kernel = "relu", .sizes = {16}}; }
    static Request product(const char* dtype) {
        return {.kernel = "gemm", .dtype = dtype, .sizes = {1024, 1024, 1024}};
    }

    std::vector<Request> requests(KernelLibrary& library) {
        std::vector<Request> list{smallest(), product("fp32")};
        for (const char* dtype : {"bf16", "int8"})
            if (library.multiplies(dtype)) list.push_back(product(dtype));
        std::vector<std::string> dtypes = options_.dtypes;
        if (dtypes.empty())
            for (const char* dtype : {"fp32", "bf16"})
                if (KernelLibrary::hasInstructionsFor(dtype)) dtypes.emplace_back(dtype);
        for (const std::string& dtype : dtypes) addRequests(list, inType(options_.kernels, dtype));
        for (const std::string& dtype : dtypes)
            if (options_.grid) addRequests(list, inType(standardGrid(options_.quick), dtype));
        const double max = kLongestKernel * made_.accelerator.peakFlops["fp32"].value;
        const std::size_t all = list.size();
        std::erase_if(list, [&](const Request& request) { return operationsOf(request) > max; });
        if (const std::size_t left = all - list.size(); left > 0)
            made_.warnings.push_back(fmt::format("{} left out: they take more than {} s each.",
                                                 formatCounted(left, "kernel was", "kernels were"), kLongestKernel));
        return list;
    }

    void measureKernels() {
        const double pool = std::min(kLargestPool, memory() / 4);
        KernelLibrary library(threads_, static_cast<std::size_t>(pool),
                              static_cast<std::size_t>(std::min(2 * largestCache(), pool / 2)));
        if (!library.threadsSet())
            made_.warnings.emplace_back("oneDNN's number of threads could not be set: it used its own.");
        const std::vector<Request> list = requests(library);
        const Tools tools{.now = clockSeconds,
                          .prepare = [&](const Request& request) { return library.prepare(request); }};
        made_.kernels = measureTwice(list, tools, std::max(left(), kMinKernels * seconds_), control_);
        made_.agreement = agreementOf(made_.kernels.measured);
    }

    /// What follows from kernels, and what is to be said of them.
    void finish() {
        hardware::Accelerator& accelerator = made_.accelerator;
        double best = 0;
        for (const Measured& one : made_.kernels.measured) {
            const double rate = operationsOf(one.request) / one.seconds();
            if (one.request == smallest()) {
                accelerator.launchOverhead = Seconds{one.seconds()};
                setSource("launch_overhead_s");
            } else if (one.request.kernel == "gemm" && one.request.dtype == "fp32") {
                best = std::max(best, rate);
            } else if (one.request.kernel == "gemm") {
                FlopsPerSecond& peak = accelerator.peakFlops[one.request.dtype];
                peak.value = std::max(peak.value, rate);
            }
        }
        FlopsPerSecond& peak = accelerator.peakFlops["fp32"];
        peak.value = std::max(peak.value, best);
        if (best > 0) {
            accelerator.efficiency["gemm"] = best / peak.value;
            setSource("efficiency.gemm");
        }
        accelerator.hostPeak = peak;
        setSource("host_peak_flops");
        for (const auto& [dtype, rate] : accelerator.peakFlops) setSource("peak_flops." + dtype);
        if (made_.agreement.noisy) {
            made_.warnings.push_back(made_.agreement.sentence);
            for (auto& [path, provenance] : accelerator.provenance)
                provenance.source += fmt::format("; {}", predict::kNoisySource);
        }
        if (!made_.kernels.outOfTime.empty())
            made_.warnings.push_back(fmt::format(
                "{} of {} kernels were not reached in {:.0f} s.", made_.kernels.outOfTime.size(),
                made_.kernels.outOfTime.size() + made_.kernels.measured.size() + made_.kernels.unknown.size(),
                seconds_));
    }

    const Options& options_;
    const RunControl& control_;
    Host host_;
    unsigned threads_ = 1;
    double seconds_ = kSeconds;
    double started_ = clockSeconds();
    Calibration made_;
};

bool isIn(const fs::path& path, const fs::path& folder) {
    const fs::path relative = path.lexically_normal().lexically_relative(folder.lexically_normal());
    return !relative.empty() && *relative.begin() != "..";
}

void makeFolder(const fs::path& folder) {
    std::error_code error;
    const std::optional<fs::path> own = hardware::ownDataFolder();
    if (own && isIn(folder, *own)) fs::create_directories(folder, error);
    if (error) throw FileError(fmt::format("{}: the folder cannot be made: {}", folder.string(), error.message()));
    if (!folder.empty() && !fs::is_directory(folder, error))
        throw FileError(fmt::format("there is no folder {} for the calibration", inQuotes(folder.string(), 1024)));
}

}  // namespace

double limitOf(const Options& options) {
    return options.seconds.value_or(options.quick ? kQuickSeconds : kSeconds);
}

const std::vector<std::string_view>& tasks() {
    static const std::vector<std::string_view> kTasks{kPeakTask, kBandwidthTask, kAllReduceTask, "kernels"};
    return kTasks;
}

Calibration calibrate(const Options& options, const RunControl& control) {
    return Work(options, control).run();
}

std::string kernelCsv(const Calibration& calibration) {
    const Outcome& kernels = calibration.kernels;
    std::string text = fmt::format(
        "# {}.\n# {}\n# Medians of {} repetitions in two passes, of which {} were left out as outliers. Operands lie "
        "row-major\n# in memory and not in a cache; bringing them into other layouts and back is part of the time.\n",
        calibration.measuredBy, calibration.agreement.sentence, kernels.repetitions, kernels.dropped);
    if (calibration.agreement.compared > 0)
        text += fmt::format("{}{:.4f}\n", predict::kNoiseMark, calibration.agreement.difference);
    std::map<std::string, std::vector<double>> spreads;
    for (const Measured& one : kernels.measured) spreads[one.request.kernel].push_back(one.spread());
    text += "# Spread (half of the range between the quartiles, of the median), as the median and most over shapes:\n";
    for (auto& [kernel, values] : spreads) {
        std::sort(values.begin(), values.end());
        text += fmt::format("# {}: {:.1f} %, {:.1f} % ({})\n", kernel, 100 * values[values.size() / 2],
                            100 * values.back(), formatCounted(values.size(), "shape", "shapes"));
    }
    text += "kernel,shape,dtype,seconds\n";
    for (const Measured& one : kernels.measured)
        text += fmt::format("{},{},{},{:.9g}\n", one.request.kernel, shapeText(one.request.sizes), one.request.dtype,
                            one.seconds());
    return text;
}

std::vector<Rate> ratesOf(const hardware::Accelerator& accelerator) {
    std::vector<Rate> rates;
    for (const auto& [dtype, rate] : accelerator.peakFlops)
        rates.push_back({.name = "peak " + dtype, .value = rate.value, .measure = Measure::flopsPerSecond});
    for (const hardware::MemoryLevel& level : accelerator.memory)
        if (level.bandwidth)
            rates.push_back({.name = level.name, .value = level.bandwidth->value, .capacity = level.capacity});
    for (const hardware::MeasuredCollective& each : accelerator.allReduce)
        rates.push_back(
            {.name = fmt::format("all-reduce of {}, {} processes", formatQuantity(each.bytes.value, Measure::bytes),
                                 each.devices.value_or(0)),
             .value = each.bandwidth.value});
    return rates;
}

Files filesAt(const fs::path& accelerator) {
    Files files{.accelerator = accelerator, .kernels = accelerator};
    files.kernels.replace_extension(".csv");
    if (files.kernels == files.accelerator) files.kernels += ".kernels.csv";
    return files;
}

Files filesInLibrary(const std::string& name) {
    const std::optional<fs::path> own = hardware::ownDataFolder();
    if (!own) throw FileError("neither XDG_DATA_HOME nor HOME is set; name a file for it instead");
    return {.accelerator = *own / "accelerators" / (name + ".json"), .kernels = *own / "kernels" / (name + ".csv")};
}

void makeFolders(const Files& files) {
    makeFolder(files.accelerator.parent_path());
    makeFolder(files.kernels.parent_path());
}

std::vector<std::pair<fs::path, std::string>> contents(const Calibration& calibration, const Files& files) {
    hardware::Accelerator accelerator = calibration.accelerator;
    accelerator.kernels = files.kernels.lexically_relative(files.accelerator.parent_path()).string();
    return {{files.kernels, kernelCsv(calibration)}, {files.accelerator, toText(hardware::toJson(accelerator))}};
}

void write(const Calibration& calibration, const Files& files) {
    makeFolders(files);
    for (const auto& [path, bytes] : contents(calibration, files)) writeFile(path, bytes);
}

}  // namespace tessera::calibrate
