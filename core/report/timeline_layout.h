#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/report/drawing.h"
#include "core/report/picture.h"

/// Where the events of a study::Timeline stand: shared by the SVG and the window.
namespace tessera::report {

struct TimelineView {
    double from = 0, to = 0;  ///< seconds; equal = everything
    double scrolled = 0;      ///< pixels that lanes are moved up
    bool tips = true;         ///< hover texts in the drawing
    bool fill = false;        ///< lanes stay inside the size, as in a window
    bool known = true;        ///< whether there is a timeline: about one still to come, nothing is said
};

struct TimelineLayout {
    struct Lane {
        std::size_t track = 0;
        double y = 0;
    };
    Drawing drawing;
    Rect plot;  ///< where lanes are
    double from = 0, to = 1;
    double laneHeight = 0;
    double contentHeight = 0;  ///< of all lanes and their groups' names
    std::vector<Lane> lanes;
    bool empty = false;

    double x(double seconds) const { return plot.x + (seconds - from) / (to - from) * plot.width; }
    double seconds(double pixel) const { return from + (pixel - plot.x) / plot.width * (to - from); }
};

/// The colour of a category: "compute", "intra" and "inter" have theirs, others take categories by their place.
std::string timelineColour(const study::Timeline& timeline, const std::string& category);
/// Index of the first event of each track, and the number of events at the end. Events must be sorted as Timeline says.
std::vector<std::size_t> trackStarts(const study::Timeline& timeline);
/// Events of a track that touch [from, to], as a range of indices.
std::pair<std::size_t, std::size_t> eventsIn(const study::Timeline& timeline, const std::vector<std::size_t>& starts,
                                             std::size_t track, double from, double to);
/// The end of everything in seconds.
double lengthOf(const study::Timeline& timeline);

TimelineLayout layOut(const study::Timeline& timeline, const TimelineView& view, Size size, const TextWidth& measure);

}  // namespace tessera::report
