#include "core/calibrate/host.h"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>

#include "core/base/text.h"

namespace tessera::calibrate {

namespace {

constexpr int kMaxCaches = 16;
constexpr double kKibi = 1024;

std::string firstLine(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return std::string(trimmed(line));
}

/// The value of the first line that starts with the key: "model name : AMD EPYC".
std::string valueOf(const std::string& path, const std::string& key) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);)
        if (const std::size_t colon = line.find(':'); line.starts_with(key) && colon != std::string::npos)
            return std::string(trimmed(std::string_view(line).substr(colon + 1)));
    return "";
}

/// 0 where the text starts with no number.
double numberAtStart(const std::string& text) {
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

std::vector<Cache> cachesOf(const std::string& root) {
    std::vector<Cache> caches;
    for (int i = 0; i < kMaxCaches; ++i) {
        const std::string folder = fmt::format("{}/sys/devices/system/cpu/cpu0/cache/index{}", root, i);
        const std::string type = firstLine(folder + "/type");
        if (type != "Data" && type != "Unified") continue;
        const std::string sharers = firstLine(folder + "/shared_cpu_list");
        const Cache cache{.level = static_cast<int>(numberAtStart(firstLine(folder + "/level"))),
                          .bytes = cacheBytes(firstLine(folder + "/size")),
                          .shared = sharers.find_first_of(",-") != std::string::npos};
        if (cache.level > 0 && cache.bytes > 0) caches.push_back(cache);
    }
    std::sort(caches.begin(), caches.end(), [](const Cache& a, const Cache& b) { return a.bytes < b.bytes; });
    return caches;
}

/// The caches of a core as the C library knows them: virtual machines often hide their caches from /sys. The last level
/// is left out, since what is said of it is the sum of all that the processor has.
std::vector<Cache> cachesOfACore() {
    std::vector<Cache> caches;
    for (const auto& [level, name] : {std::pair(1, _SC_LEVEL1_DCACHE_SIZE), std::pair(2, _SC_LEVEL2_CACHE_SIZE)})
        if (const long bytes = sysconf(name); bytes > 0)
            caches.push_back({.level = level, .bytes = static_cast<double>(bytes)});
    return caches;
}

}  // namespace

double cacheBytes(const std::string& text) {
    const double value = numberAtStart(text);
    if (text.ends_with('K')) return value * kKibi;
    if (text.ends_with('M')) return value * kKibi * kKibi;
    if (text.ends_with('G')) return value * kKibi * kKibi * kKibi;
    return value;
}

Host hostOf(const std::string& root) {
    Host host;
    host.processor = valueOf(root + "/proc/cpuinfo", "model name");
    if (host.processor.empty()) host.processor = "unknown processor";
    host.cores = std::max(1U, std::thread::hardware_concurrency());
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0)
        host.cores = std::max(1U, static_cast<unsigned>(CPU_COUNT(&allowed)));
    host.caches = cachesOf(root);
    if (host.caches.empty() && root == "/") host.caches = cachesOfACore();
    host.memory = numberAtStart(valueOf(root + "/proc/meminfo", "MemTotal")) * kKibi;
    const double limit = numberAtStart(firstLine(root + "/sys/fs/cgroup/memory.max"));  // "max" where there is none
    if (limit > 0) host.memory = host.memory > 0 ? std::min(host.memory, limit) : limit;
    host.load = numberAtStart(firstLine(root + "/proc/loadavg"));
    return host;
}

}  // namespace tessera::calibrate
