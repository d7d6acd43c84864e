#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/units.h"

namespace tessera {

/// Events on tracks over time: the format of all engines' schedules. Events of one track never overlap.
struct Timeline {
    struct Track {
        std::string name;   ///< "v3 · compute"
        std::string group;  ///< tracks of one group stand together: "v3 (128)"
    };
    struct Event {
        std::int32_t track = 0;
        double start = 0;      ///< in the timeline's unit
        double duration = 0;   ///< in the timeline's unit
        std::string name;      ///< "layer3.0.conv2"
        std::string category;  ///< "compute", "intra", "inter"; decides the colour
        std::vector<std::pair<std::string, std::string>> details = {};  ///< shown on hover: "level" → "0"
    };
    /// Shared resource of the tracks over time, such as bandwidth: drawn below them on the same axis, stacked.
    struct Usage {
        std::string title;  ///< "Bandwidth"
        Measure measure = Measure::bytesPerSecond;
        std::string unit = {};             ///< said after numbers without a unit of their own: "B/cycle"
        std::vector<double> times = {};    ///< when each step begins, rising; the last ends with the timeline
        std::vector<double> values = {};   ///< steps × tracks, row by row; 0 or more
        std::optional<double> limit = {};  ///< what the tracks share
        std::string limitName = {};        ///< "System bandwidth"
    };
    std::string title;
    std::vector<Track> tracks;
    std::vector<Event> events;  ///< sorted by track, then start
    double length = 0;          ///< in the timeline's unit
    std::vector<std::string> notes = {};
    std::string unit = "s";  ///< of times: "s", or "cycles" of hardware whose clock is not known
    /// Categories in the order of their colours, which related timelines share; empty = in order of appearance.
    std::vector<std::string> categories = {};
    std::optional<Usage> usage = {};
};

}  // namespace tessera
