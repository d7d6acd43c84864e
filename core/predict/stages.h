#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/quantity.h"
#include "core/hardware/accelerator.h"
#include "core/hardware/dataset.h"

/// The stages of a step beside computation, and what of them hides behind each other.
namespace tessera::predict {

// Communication -------------------------------------------------------------------------------------------------------

/// Bytes, devices and links of an all-reduce.
struct AllReduce {
    Bytes bytes;  ///< on each device
    std::int64_t devices = 1;
    std::optional<BytesPerSecond> rate;  ///< of one device
    Seconds latency;                     ///< of one message
    const std::vector<hardware::MeasuredCollective>* measured = nullptr;
};

/// All-reduce algorithm for gradients: a row of the table. Empty where a number that it needs is missing.
struct Collective {
    std::string_view id;
    std::string_view description;
    std::string_view needs;     ///< the accelerator's field
    bool asynchronous = false;  ///< may run behind the computation of the next step
    std::optional<Seconds> (*time)(const AllReduce& exchange);
};
const std::vector<Collective>& collectives();
/// Throws UsageError.
const Collective& collectiveNamed(std::string_view id);

/// Bytes over a measured rate.
Seconds measuredTime(Bytes bytes, BytesPerSecond rate);
/// The time of a sum by the measured ones of the nearest number of devices, and those that do not say theirs: between
/// two sizes its rate is interpolated in logarithms, beyond them it is that of the last, and no sum takes less time
/// than a smaller one. Of another number of devices a measured one counts as a ring, whose links each carry 2(n − 1)/n
/// of the bytes. Empty where nothing was measured.
std::optional<Seconds> measuredAllReduce(const std::vector<hardware::MeasuredCollective>& measured, Bytes bytes,
                                         std::int64_t devices);

/// Size of gradients on the wire: `bits` for each element that is sent, and where only a share `density` of them is,
/// 32 more for its place (4.3.3).
Bytes compressed(double elements, double bits, double density);

// Loading -------------------------------------------------------------------------------------------------------------

/// Seconds to load and to prepare one sample, scaled from the dataset's reference machine by the host's bandwidth and
/// its peak rate (4.3.1).
struct LoadingTime {
    Seconds load, prepare;
    std::vector<std::string> assumptions;
};
/// Throws DataError where the accelerator gives no bandwidth to its host.
LoadingTime loadingTime(const hardware::Dataset& dataset, const hardware::Accelerator& accelerator);

// Overlap -------------------------------------------------------------------------------------------------------------

/// The time of a step (4.3.4): loading hides behind the rest; communication behind computation where it is
/// asynchronous.
Seconds stepTime(Seconds load, Seconds compute, Seconds communication, bool asynchronous);

// Model parallelism ---------------------------------------------------------------------------------------------------

/// Cuts a chain of `weights` into `parts` stretches of which the heaviest is as light as can be; by item its stretch.
/// There may be fewer stretches than parts where there are fewer items.
std::vector<std::int32_t> cutChain(const std::vector<double>& weights, std::int64_t parts);

}  // namespace tessera::predict
