#pragma once

#include <optional>
#include <string>
#include <utility>

#include "core/hardware/accelerator.h"
#include "core/hardware/library.h"
#include "core/model/model.h"
#include "core/predict/predict.h"

namespace tessera::predict::test {

inline hardware::Accelerator accelerator(const std::string& text) {
    const JsonDocument document = JsonDocument::parse(text, "chip.json");
    return hardware::readAccelerator(document.root());
}

/// 100 TFLOP/s, 1 TB/s, a memory of so many bytes off the chip.
inline hardware::Accelerator plain(double capacity, const std::string& more = "") {
    return accelerator(R"({"schema": "tessera.accelerator/1", "name": "plain", "peak_flops": {"fp16": 100e12},
        "memory": [{"name": "RAM", "capacity_bytes": )" +
                       std::to_string(capacity) + R"(, "bandwidth_bytes_per_s": 1e12}])" + more + "}");
}

inline Machine machine(hardware::Accelerator of, KernelTable kernels = {}) {
    return machineOf(std::move(of), std::move(kernels), "fp16");
}

inline Workload workload(const std::string& model, const std::string& dtype = "fp16",
                         model::Optimizer optimizer = model::Optimizer::adam) {
    return workloadOf(model::loadModel(model), precisionOf(dtype), optimizer);
}

/// The whole message of the error that `work` ends with.
template <typename Error, typename Work>
std::string refusal(const Work& work) {
    try {
        work();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

}  // namespace tessera::predict::test
