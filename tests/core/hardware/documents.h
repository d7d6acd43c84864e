#pragma once

#include <functional>
#include <string>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/hardware/fleet.h"

namespace tessera::test {

/// A fleet that uses every field, with an inline accelerator that does too. All numbers read back exactly.
inline const char* const kFullFleet = R"({
 "schema": "tessera.fleet/2", "name": "full \u00e9",
 "groups": [
  {"name": "a", "count": {"value": 3, "source": "counted", "class": "measured"}, "network_bits_per_s": 5e9,
   "levels": [{"name": "ring", "size": 3, "kind": "ring", "bandwidth_bytes_per_s": {"value": 1e9, "source": "l"}}],
   "accelerator": {
    "schema": "tessera.accelerator/1", "name": "one", "vendor": "somebody",
    "peak_flops": {"bf16": 1.5e14, "fp32": {"value": 0.1, "source": "guess", "class": "assumed"}},
    "compute_units": {"value": 108, "source": "sheet"}, "efficiency": {"gemm": 0.9},
    "memory": [{"name": "SRAM", "capacity_bytes": 1024, "bandwidth_bytes_per_s": 9e12, "on_chip": true},
               {"name": "HBM", "capacity_bytes": {"value": 8e9, "source": "sheet"}, "bandwidth_bytes_per_s": 1e12}],
    "network_bits_per_s": 3.3e9, "host_bandwidth_bytes_per_s": 16e9, "power_watts": 450, "price_per_hour_usd": 8.25,
    "placement": {"policy": "off-chip"}, "kernels": "kernels.csv", "launch_overhead_s": 1e-6,
    "kernel_fits": [{"family": "elementwise", "dtype": "fp16", "rows": 12, "sources": "mine.csv",
                     "parameters": {"launch_us": 4.5, "memory_bytes": 1.25, "cache_bytes": 0}, "spread": 0.125,
                     "class": "fitted"}]}},
  {"name": "b", "accelerator": "tpu-v3-board"},
  {"name": "c", "accelerator": {"name": "least", "peak_flops": {"bf16": 1}}, "count": 1000000}],
 "links": [{"between": ["b", "a"], "bits_per_s": {"value": 8e9, "class": "datasheet"}, "latency_s": 1e-6},
           {"between": ["c", "a"], "bits_per_s": 1}],
 "topology": {"node": ["c", {"node": ["a", {"node": ["b"]}], "bits_per_s": 4e9, "latency_s": {"value": 0, "source": "s"}}],
              "bits_per_s": {"value": 2e9, "source": "t", "class": "assumed"}}
})";

template <typename Action>
std::string messageOf(const Action& action) {
    try {
        action();
    } catch (const DataError& error) {
        return error.what();
    }
    return "no error";
}

inline std::string acceleratorRefusal(const std::string& text) {
    return messageOf([&] { hardware::readAccelerator(JsonDocument::parse(text, "a.json").root()); });
}

inline std::string fleetRefusal(const std::string& text) {
    return messageOf([&] { hardware::readFleet(JsonDocument::parse(text, "f.json").root()); });
}

}  // namespace tessera::test
