#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/draw/drawing.h"
#include "core/draw/picture.h"

/// Layout of a Timeline's events in pixels: shared by the SVG writer and the window.
namespace tessera::report {

struct TimelineView {
    double from = 0, to = 0;  ///< times; equal = everything
    double scrolled = 0;      ///< pixels that lanes are moved up
    bool tips = true;         ///< hover texts in the drawing
    bool fill = false;        ///< lanes stay inside the size, as in a window
    bool notes = true;        ///< below the picture; a window may say them elsewhere
    bool known = true;        ///< whether there is a timeline: about one still to come, nothing is said
};

struct TimelineLayout {
    struct Lane {
        std::size_t track = 0;
        double y = 0;
    };
    Drawing drawing;
    Rect plot;   ///< where lanes are
    Rect usage;  ///< where what the tracks use together is, on the same axis; no height = nothing is known of it
    double from = 0, to = 1;
    double laneHeight = 0;
    double contentHeight = 0;  ///< of all lanes and their groups' names
    std::vector<Lane> lanes;
    bool empty = false;

    double x(double seconds) const { return plot.x + (seconds - from) / (to - from) * plot.width; }
    double seconds(double pixel) const { return from + (pixel - plot.x) / plot.width * (to - from); }
};

/// The colour of a category: "compute", "intra" and "inter" have theirs, others take categories by their place.
std::string timelineColour(const Timeline& timeline, const std::string& category);
/// Index of the first event of each track, and the number of events at the end. Events must be sorted as Timeline says.
std::vector<std::size_t> trackStarts(const Timeline& timeline);
/// Events of a track that touch [from, to], as a range of indices.
std::pair<std::size_t, std::size_t> eventsIn(const Timeline& timeline, const std::vector<std::size_t>& starts,
                                             std::size_t track, double from, double to);
/// The end of everything.
double lengthOf(const Timeline& timeline);
/// The colour of a track where it is not its events that are coloured: in what the tracks use together.
std::string trackColour(const Timeline& timeline, std::size_t track);
/// Unit of a timeline's times: seconds, or a count of cycles.
Measure measureOf(const Timeline& timeline);
/// "36.2 ms", or cycles: a time of the timeline for people.
std::string timeText(const Timeline& timeline, double time);
/// "12.4 GB/s": an amount of what the tracks use together.
std::string usageText(const Timeline::Usage& usage, double amount);
/// Number of steps of the usage that are complete: those that have a time and an amount for every track.
std::size_t stepsOf(const Timeline& timeline);
/// The step of the usage that a time falls into; empty before the first.
std::optional<std::size_t> stepAt(const Timeline& timeline, double time);
/// Maximum that is used at once.
double peakOf(const Timeline& timeline);

TimelineLayout layOut(const Timeline& timeline, const TimelineView& view, Size size, const TextWidth& measure);

}  // namespace tessera::report
