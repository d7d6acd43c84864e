#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/study/result.h"

namespace tessera::study {

/// What happens when: the one format that all engines' schedules share. Events of one track never overlap.
struct Timeline {
    struct Track {
        std::string name;   ///< "v3 · compute"
        std::string group;  ///< tracks of one group stand together: "v3 (128)"
    };
    struct Event {
        std::int32_t track = 0;
        double start = 0;      ///< seconds
        double duration = 0;   ///< seconds
        std::string name;      ///< "layer3.0.conv2"
        std::string category;  ///< "compute", "intra", "inter"; decides the colour
        std::vector<std::pair<std::string, std::string>> details = {};  ///< shown on hover: "level" → "0"
    };
    std::string title;
    std::vector<Track> tracks;
    std::vector<Event> events;  ///< sorted by track, then start
    double length = 0;          ///< seconds
    std::vector<std::string> notes = {};
};

/// The step timeline of one strategy's plan: per kind of accelerator a compute track and one track of transfers per
/// level, layer after layer (with `overlap: comm` transfers run beside compute). Throws UsageError where the result has
/// no such strategy.
Timeline timelineOf(const Result& result, const std::string& strategy);

/// `tessera.timeline/1`, in seconds.
Json toJson(const Timeline& timeline);

}  // namespace tessera::study
