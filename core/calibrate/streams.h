#pragma once

#include <cstddef>
#include <functional>

#include "core/base/run_control.h"

namespace tessera::calibrate {

/// Seconds, never falling.
using Clock = std::function<double()>;

/// Bytes per second, read and written together, of b[i] = s·a[i] on arrays that take so many bytes in all, by so many
/// threads with arrays of their own (the copy of McCalpin's STREAM with a factor). The median of repetitions within
/// about `seconds`. Throws InterruptedError.
double streamRate(std::size_t bytes, unsigned threads, double seconds, const Clock& now, const RunControl& control);

/// Multiply-adds of 4-byte or 8-byte floats in registers, two operations each, by so many threads: the best of
/// repetitions within about `seconds`, in operations per second. Throws InterruptedError.
double peakRate(std::size_t bytesEach, unsigned threads, double seconds, const Clock& now, const RunControl& control);

}  // namespace tessera::calibrate
