#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::calibrate {

/// One level of the processor's caches for data.
struct Cache {
    int level = 1;
    double bytes = 0;
    bool shared = false;  ///< by several cores
};

/// Processor, memory and operating system of this machine.
struct Host {
    std::string processor;      ///< "AMD EPYC"; "unknown processor" where the system does not say
    unsigned cores = 1;         ///< that this process may use
    std::vector<Cache> caches;  ///< from the smallest; those that the system names
    double memory = 0;          ///< bytes that this process may use; 0 = unknown
    double load = 0;            ///< processes that wanted to run in the last minute
};

/// Reads /proc and /sys below `root` (a folder for tests; "/" is this machine, whose C library names the caches of a
/// core where /sys names none). What is missing or cannot be understood is left out.
Host hostOf(const std::string& root = "/");

/// "32K" as in /sys: bytes; 0 where it is no size.
double cacheBytes(const std::string& text);

}  // namespace tessera::calibrate
