#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/calibrate/measuring.h"
#include "core/model/model.h"
#include "core/model/training.h"
#include "core/predict/workload.h"

namespace tessera::calibrate {

/// The shapes that every calibration measures: of each kernel sizes a power of two apart, so that prediction can
/// interpolate between them. `quick`: fewer.
std::vector<Request> standardGrid(bool quick);

/// Exactly the kernels that prediction looks up for a training step, at each batch size, each once; those with the most
/// bytes moved first.
std::vector<Request> requestsOf(const predict::Workload& workload, const std::vector<std::int64_t>& batches);

/// Kernels of a model's training step in fp32, for calibration. Throws DataError where the model is no graph of
/// operators or a shape is unknown.
std::vector<Request> requestsOf(const model::Model& model, model::Optimizer optimizer,
                                const std::vector<std::int64_t>& batches);
inline constexpr std::int64_t kMaxBatch = 1'000'000'000;  ///< the largest batch size

/// Floating-point operations of a product or convolution; 0 for other kernels, whose time is that of their bytes.
double operationsOf(const Request& request);

/// Appends the requests that `to` does not have yet.
void addRequests(std::vector<Request>& to, const std::vector<Request>& more);

/// Returns the requests with another data type.
std::vector<Request> inType(std::vector<Request> requests, const std::string& dtype);

}  // namespace tessera::calibrate
