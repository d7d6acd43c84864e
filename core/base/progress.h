#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/base/curve.h"

namespace tessera {

/// Progress event of an engine. Events never change a result.
struct ProgressEvent {
    enum class Kind { progress, incumbent, point, log };
    Kind kind = Kind::progress;
    std::string task = {};  ///< what is being worked on, a short phrase
    double done = 0;        ///< of `total`, in the task's own unit
    double total = 0;       ///< 0 = unknown
    CurveName curve = {};   ///< for `point` and `incumbent`
    double x = 0, y = 0;
    std::string text = {};  ///< for `log`
};

/// Receives events, possibly from several threads at once. Empty = no observer.
using ProgressSink = std::function<void(const ProgressEvent&)>;

}  // namespace tessera
