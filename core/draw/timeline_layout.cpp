#include "core/draw/timeline_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/draw/axis.h"
#include "core/draw/measures.h"

namespace tessera::report {

namespace {

constexpr double kWidestTrackName = 168;  ///< beyond which it is cut
constexpr double kTitleHeight = 30;
constexpr double kLaneGap = 4;
constexpr double kGroupHeight = 22;
constexpr double kUsageShare = 0.34;  ///< of a window's height, for what the tracks use together
constexpr double kUsageHeight = 120;  ///< of it where height is not scarce
constexpr double kMinUsage = 56;
constexpr double kUsageGap = 34;  ///< between the lanes and it, for its title
constexpr double kSwatch = 8;

bool isPlaced(const Timeline::Event& event, std::size_t tracks) {
    return event.track >= 0 && static_cast<std::size_t>(event.track) < tracks && std::isfinite(event.start) &&
           std::isfinite(event.duration) && event.duration >= 0 && std::fabs(event.start) < 1e301 &&
           event.duration < 1e301;
}

std::vector<std::string> categoriesOf(const Timeline& timeline) {
    std::vector<std::string> found = timeline.categories;
    if (found.size() > 16) found.resize(16);
    for (const Timeline::Event& event : timeline.events)
        if (found.size() < 16 && (found.empty() || found.back() != event.category) &&
            std::find(found.begin(), found.end(), event.category) == found.end())
            found.push_back(event.category);
    return found;
}

struct Meaning {
    std::string_view category, title;
};
constexpr std::array kMeanings{Meaning{"compute", "compute"}, Meaning{"intra", "transfer inside a layer"},
                               Meaning{"inter", "transfer between layers"}};

std::string titleOf(const std::string& category) {
    for (const Meaning& meaning : kMeanings)
        if (meaning.category == category) return std::string(meaning.title);
    return escaped(category);
}

/// How events of a category are drawn, on the screen and on paper.
struct Look {
    std::string colour;
    int print = 0;
};

class TimelineBuilder {
public:
    TimelineBuilder(const Timeline& timeline, const TimelineView& view, Size size, const TextWidth& measure)
        : timeline_(timeline),
          view_(view),
          size_(size),
          measure_(measure),
          starts_(trackStarts(timeline)),
          length_(lengthOf(timeline)),
          hasUsage_(stepsOf(timeline) > 0 && peakOf(timeline) > 0) {
        int print = 0;
        for (const std::string& category : categoriesOf(timeline))
            looks_.emplace(category, Look{timelineColour(timeline, category), print++});
    }

    TimelineLayout build() {
        out_.drawing.width = size_.width;
        out_.drawing.title = timeline_.title;
        if (!timeline_.title.empty())
            text({0, 18}, fitted(timeline_.title, size_.width, 16, true, measure_), "text", Anchor::start, 16, true);
        if (timeline_.tracks.empty() || timeline_.events.empty() || length_ <= 0) return nothing();
        place();
        ruler();
        out_.drawing.shapes.push_back(Clip{Rect{0, out_.plot.y, size_.width, out_.plot.height}});
        names();
        out_.drawing.shapes.push_back(Clip{});
        out_.drawing.shapes.push_back(Clip{out_.plot});
        for (const TimelineLayout::Lane& lane : out_.lanes)
            if (lane.y + out_.laneHeight >= out_.plot.y && lane.y <= out_.plot.bottom()) drawLane(lane);
        out_.drawing.shapes.push_back(Clip{});
        if (hasUsage_) usage();
        legend();
        return std::move(out_);
    }

private:
    void text(Point at, std::string line, const std::string& colour = "secondary", Anchor anchor = Anchor::start,
              int size = kCaption, bool strong = false) {
        out_.drawing.shapes.push_back(Label{
            .at = at, .text = std::move(line), .colour = colour, .anchor = anchor, .size = size, .strong = strong});
    }
    double width(const std::string& line) const { return measure_(line, kCaption, false); }

    TimelineLayout nothing() {
        out_.empty = true;
        out_.drawing.height = view_.fill ? size_.height : 80;
        if (!view_.known) return std::move(out_);
        text({size_.width / 2, out_.drawing.height / 2 + 8},
             fitted("Run a study to see here what happens when.", size_.width, 13, false, measure_), "secondary",
             Anchor::middle, 13);
        return std::move(out_);
    }

    /// Few lanes are as high as there is room for, so that their names can be read; none is lower than usual.
    double laneHeight(double room) const {
        constexpr double kHighest = 56;
        const double usual = sizeOf("lane");
        if (!view_.fill || hasUsage_) return usual;
        std::size_t groups = 0;
        for (std::size_t t = 0; t < timeline_.tracks.size(); ++t)
            if (!timeline_.tracks[t].group.empty() &&
                (t == 0 || timeline_.tracks[t - 1].group != timeline_.tracks[t].group))
                ++groups;
        const auto lanes = static_cast<double>(timeline_.tracks.size());
        return std::clamp((room - kGroupHeight * static_cast<double>(groups)) / lanes - kLaneGap, usual, kHighest);
    }

    void place() {
        double names = 0;
        for (const Timeline::Track& track : timeline_.tracks) names = std::max(names, width(escaped(track.name)) + 2);
        if (hasUsage_) {
            names += kSwatch + 6;
            for (const std::string& label : usageTexts()) names = std::max(names, width(label));
        }
        Rect& plot = out_.plot;
        plot.x = std::min(names, std::min(kWidestTrackName, size_.width * 0.3)) + kGap;
        plot.y = (timeline_.title.empty() ? 0 : kTitleHeight) + kLine + 4;
        plot.width = std::max(20.0, size_.width - plot.x - 8);
        out_.from = view_.to > view_.from ? view_.from : std::min(0.0, earliest());
        out_.to = view_.to > view_.from ? view_.to : length_;
        const double legend = kLine + (hasUsage_ ? 18 : 12);
        if (view_.notes) notes_ = noteLines();
        out_.laneHeight = laneHeight(size_.height - plot.y - legend - kLine * static_cast<double>(notes_.size()));
        double y = 0;
        const std::string* group = nullptr;
        for (std::size_t t = 0; t < timeline_.tracks.size(); ++t) {
            const std::string& its = timeline_.tracks[t].group;
            if (!its.empty() && (group == nullptr || *group != its)) y += kGroupHeight;
            group = &its;
            out_.lanes.push_back({t, y + plot.y - view_.scrolled});
            y += out_.laneHeight + kLaneGap;
        }
        out_.contentHeight = y;
        // Where they would hide lanes the notes give way; exports have room for both.
        if (view_.fill && plot.y + y + legend + kLine * static_cast<double>(notes_.size()) > size_.height)
            notes_.clear();
        const double below = legend + kLine * static_cast<double>(notes_.size());
        const double room = size_.height - plot.y - below;
        double used = 0;
        if (hasUsage_) {
            used = view_.fill ? std::max(room * kUsageShare, room - y - kUsageGap) - kUsageGap : kUsageHeight;
            used = kUsageGap + std::max(kMinUsage, used);
        }
        plot.height = view_.fill ? std::max(20.0, room - used) : y;
        out_.usage = {plot.x, plot.bottom() + kUsageGap, plot.width, std::max(0.0, used - kUsageGap)};
        out_.drawing.height = view_.fill ? size_.height : plot.y + y + used + below;
    }

    double earliest() const {
        double start = 0;
        for (const Timeline::Event& event : timeline_.events)
            if (isPlaced(event, timeline_.tracks.size())) start = std::min(start, event.start);
        return start;
    }

    std::vector<std::string> noteLines() const {
        std::vector<std::string> lines;
        for (const std::string& note : timeline_.notes)
            for (std::string& line : wrapped(note, size_.width, kCaption, measure_)) lines.push_back(std::move(line));
        return lines;
    }

    void ruler() {
        const Rect& plot = out_.plot;
        const Axis times{.title = "", .measure = measureOf(timeline_)};
        const auto max = static_cast<int>(std::clamp(plot.width / 110, 1.0, 5.0));
        const std::vector<double> values = ticks(out_.from, out_.to, false, max);
        std::vector<std::string> labels = tickTexts(values, times);
        if (measureOf(timeline_) == Measure::count && !labels.empty()) labels.back() += " cycles";
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double at = out_.x(values[i]);
            out_.drawing.shapes.push_back(
                Path{.points = {{at, plot.y - 4}, {at, plot.bottom()}}, .stroke = "grid-line"});
            if (hasUsage_)
                out_.drawing.shapes.push_back(
                    Path{.points = {{at, out_.usage.y}, {at, out_.usage.bottom()}}, .stroke = "grid-line"});
            std::string& label = labels[i];
            const double half = width(label) / 2;
            text({std::clamp(at, plot.x + half - 4, size_.width - half), plot.y - 9}, std::move(label), "secondary",
                 Anchor::middle);
        }
    }

    void names() {
        const std::string* group = nullptr;
        for (const TimelineLayout::Lane& lane : out_.lanes) {
            const Timeline::Track& track = timeline_.tracks[lane.track];
            if (!track.group.empty() && (group == nullptr || *group != track.group))
                text({0, lane.y - 7}, fitted(track.group, size_.width, kCaption, true, measure_), "text", Anchor::start,
                     kCaption, true);
            group = &track.group;
            const double middle = lane.y + out_.laneHeight / 2;
            const double swatch = hasUsage_ ? kSwatch + 6 : 0;
            if (hasUsage_)
                out_.drawing.shapes.push_back(
                    Box{.area = {out_.plot.x - kGap - kSwatch, middle - kSwatch / 2, kSwatch, kSwatch},
                        .fill = trackColour(timeline_, lane.track),
                        .radius = 2});
            out_.drawing.shapes.push_back(
                Label{.at = {out_.plot.x - kGap - swatch, middle + 4},
                      .text = fitted(track.name, out_.plot.x - kGap - swatch, kCaption, false, measure_),
                      .anchor = Anchor::end,
                      .full = escaped(track.name)});
        }
    }

    // ---- what the tracks use together ----

    double usageTop() const {
        const double limit = timeline_.usage->limit.value_or(0);
        return std::max(peakOf(timeline_), std::isfinite(limit) ? limit : 0) * 1.05;
    }

    std::vector<double> usageTicks() const { return ticks(0, usageTop(), false, 3); }

    std::vector<std::string> usageTexts() const {
        return tickTexts(usageTicks(), {.title = "", .measure = timeline_.usage->measure});
    }

    double usageY(double amount) const { return out_.usage.bottom() - amount / usageTop() * out_.usage.height; }

    void usage() {
        const Timeline::Usage& its = *timeline_.usage;
        const Rect& area = out_.usage;
        const std::string unit = its.unit.empty() ? "" : " (" + its.unit + ")";
        text({0, area.y - 12}, fitted(its.title + unit, size_.width * 0.6, kCaption, true, measure_), "text",
             Anchor::start, kCaption, true);
        const std::vector<double> values = usageTicks();
        const std::vector<std::string> labels = usageTexts();
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double y = usageY(values[i]);
            out_.drawing.shapes.push_back(Path{.points = {{area.x, y}, {area.right(), y}}, .stroke = "grid-line"});
            text({area.x - kGap, y + 4}, labels[i], "secondary", Anchor::end);
        }
        out_.drawing.shapes.push_back(Clip{area});
        stacks();
        out_.drawing.shapes.push_back(Clip{});
        if (its.limit && std::isfinite(*its.limit) && *its.limit > 0) limitLine(*its.limit);
    }

    void limitLine(double limit) {
        const Rect& area = out_.usage;
        const double y = usageY(limit);
        out_.drawing.shapes.push_back(Path{.points = {{area.x, y}, {area.right(), y}}, .stroke = "text", .width = 1.2});
        const std::string line = timeline_.usage->limitName + " " + usageText(*timeline_.usage, limit);
        text({area.right(), area.y - 12 > y - 5 ? area.y - 12 : y - 5},
             fitted(line, area.width * 0.6, kCaption, false, measure_), "text", Anchor::end);
    }

    /// A column of what the tracks use from `from` to `to` pixels.
    struct Column {
        double from = 0, to = 0;
        std::vector<double> amounts;
    };

    /// The steps in sight; where there are more than pixels, their means over each pixel.
    std::vector<Column> columns() const {
        const std::size_t tracks = timeline_.tracks.size();
        const std::vector<double>& times = timeline_.usage->times;
        const std::size_t steps = stepsOf(timeline_);
        const std::size_t first = stepAt(timeline_, out_.from).value_or(0);
        std::size_t last = first;
        while (last < steps && times[last] <= out_.to) ++last;
        const auto end = [&](std::size_t step) { return step + 1 < steps ? times[step + 1] : length_; };
        const auto amount = [&](std::size_t step, std::size_t track) {
            const double value = timeline_.usage->values[step * tracks + track];
            return std::isfinite(value) && value > 0 ? value : 0;
        };
        std::vector<Column> found;
        if (static_cast<double>(last - first) <= out_.plot.width) {
            for (std::size_t step = first; step < last; ++step) {
                Column column{std::max(out_.x(times[step]), out_.plot.x - 2),
                              std::min(out_.x(end(step)), out_.plot.right() + 2), std::vector<double>(tracks)};
                for (std::size_t track = 0; track < tracks; ++track) column.amounts[track] = amount(step, track);
                if (column.to > column.from) found.push_back(std::move(column));
            }
            return found;
        }
        std::size_t step = first;
        for (double pixel = out_.plot.x; pixel < out_.plot.right(); ++pixel) {
            Column column{pixel, pixel + 1, std::vector<double>(tracks)};
            const double from = out_.seconds(pixel);
            const double to = out_.seconds(pixel + 1);
            while (step + 1 < last && end(step) <= from) ++step;
            for (std::size_t i = step; i < last && times[i] < to; ++i) {
                const double share = (std::min(end(i), to) - std::max(times[i], from)) / (to - from);
                if (!(share > 0)) continue;
                for (std::size_t track = 0; track < tracks; ++track) column.amounts[track] += share * amount(i, track);
            }
            found.push_back(std::move(column));
        }
        return found;
    }

    void stacks() {
        const std::vector<Column> all = columns();
        if (all.empty()) return;
        std::vector<double> below(all.size(), 0);
        for (std::size_t track = 0; track < timeline_.tracks.size(); ++track) {
            std::vector<Point> upper, lower;
            for (std::size_t i = 0; i < all.size(); ++i) {
                const double foot = usageY(below[i]);
                below[i] += all[i].amounts[track];
                const double head = usageY(below[i]);
                upper.insert(upper.end(), {{all[i].from, head}, {all[i].to, head}});
                lower.insert(lower.end(), {{all[i].from, foot}, {all[i].to, foot}});
            }
            upper.insert(upper.end(), lower.rbegin(), lower.rend());
            out_.drawing.shapes.push_back(Path{.points = std::move(upper), .fill = trackColour(timeline_, track)});
        }
    }

    /// Events of one lane; those that are too narrow to be told apart become one box in the colour of the longest.
    void drawLane(const TimelineLayout::Lane& lane) {
        idle(lane);
        const auto [first, last] = eventsIn(timeline_, starts_, lane.track, out_.from, out_.to);
        for (std::size_t i = first; i < last;) {
            const Timeline::Event& event = timeline_.events[i];
            if (!isPlaced(event, timeline_.tracks.size())) {
                ++i;
                continue;
            }
            const double left = out_.x(event.start);
            double right = out_.x(event.start + event.duration);
            if (right - left >= 1.5) {
                ++i;
                const double next = i < last && isPlaced(timeline_.events[i], timeline_.tracks.size())
                                        ? out_.x(timeline_.events[i].start)
                                        : out_.plot.right();
                wide(event, {left, lane.y, right - left, out_.laneHeight}, std::min(next, out_.plot.right()));
                continue;
            }
            std::size_t longest = i;
            const double column = std::floor(left);
            for (++i; i < last; ++i) {
                const Timeline::Event& next = timeline_.events[i];
                if (!isPlaced(next, timeline_.tracks.size())) continue;
                const double end = out_.x(next.start + next.duration);
                if (out_.x(next.start) >= column + 1.5 || end - out_.x(next.start) >= 1.5) break;
                if (next.duration > timeline_.events[longest].duration) longest = i;
                right = std::max(right, end);
            }
            const Look& look = lookOf(timeline_.events[longest]);
            out_.drawing.shapes.push_back(Box{.area = {left, lane.y, std::max(0.6, right - left), out_.laneHeight},
                                              .fill = look.colour,
                                              .print = look.print});
        }
    }

    /// Where a lane does nothing: light hatching over its whole length, behind the events.
    void idle(const TimelineLayout::Lane& lane) {
        const double left = std::max(out_.plot.x, out_.x(0));
        const double right = std::min(out_.plot.right(), out_.x(length_));
        if (right <= left) return;
        const Rect area{left, lane.y, right - left, out_.laneHeight};
        out_.drawing.shapes.push_back(Box{.area = area, .fill = "grid-line", .hatched = true});
    }

    /// An event with its name inside, else beside it before `next` begins, else as much of it as fits inside.
    void wide(const Timeline::Event& event, Rect area, double next) {
        const double left = std::max(area.x, out_.plot.x - 4);
        const double right = std::min(area.right(), out_.plot.right() + 4);
        area = {left, area.y, std::max(0.6, right - left), area.height};
        const Look& look = lookOf(event);
        out_.drawing.shapes.push_back(
            Box{.area = {area.x, area.y, area.width > 3 ? area.width - 0.7 : area.width, area.height},
                .fill = look.colour,
                .radius = area.width > 8 ? 2.0 : 0.0,
                .print = look.print,
                .tip = view_.tips ? tip(event) : ""});
        constexpr double kMin = 48;  // of a part of a name that still says something
        constexpr std::size_t kLongest = 80;
        const std::string name = escaped(event.name, kLongest);
        const double base = area.y + area.height / 2 + 4;
        if (width(name) + 8 <= area.width)
            return text({area.x + area.width / 2, base}, name, lettersOn(look.colour), Anchor::middle);
        if (area.right() + 4 + width(name) + 4 <= next) return text({area.right() + 4, base}, name, "text");
        if (area.width < kMin) return;
        out_.drawing.shapes.push_back(Label{.at = {area.x + area.width / 2, base},
                                            .text = fittedInTheMiddle(name, area.width - 8, kCaption, false, measure_),
                                            .colour = lettersOn(look.colour),
                                            .anchor = Anchor::middle,
                                            .full = name});
    }

    std::string tip(const Timeline::Event& event) const {
        return escaped(event.name) + ": " + timeText(timeline_, event.duration) + " " + titleOf(event.category) +
               " from " + timeText(timeline_, event.start);
    }

    const Look& lookOf(const Timeline::Event& event) const {
        static const Look kOther{std::string(kCategories[5]), 0};
        const auto found = looks_.find(event.category);
        return found == looks_.end() ? kOther : found->second;
    }

    void legend() {
        double x = 0;
        const double y = hasUsage_ ? out_.usage.bottom() + 24 : out_.plot.bottom() + 18;
        for (const std::string& category : categoriesOf(timeline_)) {
            const std::string name = fitted(titleOf(category), 200, kCaption, false, measure_);
            if (x + 18 + width(name) > size_.width) break;
            const Look& look = looks_.at(category);
            out_.drawing.shapes.push_back(
                Box{.area = {x, y - 10, 12, 12}, .fill = look.colour, .radius = 2, .print = look.print});
            text({x + 18, y}, name);
            x += 18 + width(name) + 16;
        }
        if (x + 18 + width("idle") <= size_.width) {
            out_.drawing.shapes.push_back(Box{.area = {x, y - 10, 12, 12}, .fill = "border", .hatched = true});
            out_.drawing.shapes.push_back(Box{.area = {x, y - 10, 12, 12}, .stroke = "border", .radius = 2});
            text({x + 18, y}, "idle");
        }
        double below = y + kLine;
        for (const std::string& line : notes_) {
            text({0, below}, line);
            below += kLine;
        }
    }

    const Timeline& timeline_;
    const TimelineView& view_;
    Size size_;
    const TextWidth& measure_;
    std::vector<std::size_t> starts_;
    double length_;
    bool hasUsage_;
    std::map<std::string, Look> looks_;
    std::vector<std::string> notes_;
    TimelineLayout out_;
};

}  // namespace

std::string timelineColour(const Timeline& timeline, const std::string& category) {
    if (category == "compute") return std::string(operatorColour("matrix"));
    if (category == "intra") return std::string(operatorColour("communication"));
    if (category == "inter") return std::string(kCategories[7]);
    const std::vector<std::string> all = categoriesOf(timeline);
    const auto place = static_cast<std::size_t>(std::find(all.begin(), all.end(), category) - all.begin());
    return std::string(kCategories.at(place % kCategories.size()));
}

std::vector<std::size_t> trackStarts(const Timeline& timeline) {
    std::vector<std::size_t> starts;
    starts.reserve(timeline.tracks.size() + 1);
    std::size_t at = 0;
    for (std::size_t track = 0; track < timeline.tracks.size(); ++track) {
        while (at < timeline.events.size() && timeline.events[at].track < static_cast<std::int32_t>(track)) ++at;
        starts.push_back(at);
    }
    while (at < timeline.events.size() && timeline.events[at].track < static_cast<std::int32_t>(timeline.tracks.size()))
        ++at;
    starts.push_back(at);
    return starts;
}

std::pair<std::size_t, std::size_t> eventsIn(const Timeline& timeline, const std::vector<std::size_t>& starts,
                                             std::size_t track, double from, double to) {
    using Event = Timeline::Event;
    const auto begin = timeline.events.begin();
    const auto first = begin + static_cast<std::ptrdiff_t>(starts[track]);
    const auto last = begin + static_cast<std::ptrdiff_t>(starts[track + 1]);
    const auto low =
        std::partition_point(first, last, [&](const Event& event) { return event.start + event.duration < from; });
    const auto high = std::partition_point(low, last, [&](const Event& event) { return event.start <= to; });
    return {static_cast<std::size_t>(low - begin), static_cast<std::size_t>(high - begin)};
}

double lengthOf(const Timeline& timeline) {
    double end = std::isfinite(timeline.length) ? timeline.length : 0;
    for (const Timeline::Event& event : timeline.events)
        if (isPlaced(event, timeline.tracks.size())) end = std::max(end, event.start + event.duration);
    return end;
}

std::string trackColour(const Timeline& timeline, std::size_t track) {
    // From light to dark, so that neighbours can be told apart and no kind of event has the same.
    constexpr double kLightest = 0.12, kDarkest = 0.88;
    const double max = static_cast<double>(std::max<std::size_t>(timeline.tracks.size(), 2)) - 1;
    return quantityColour(kLightest + (kDarkest - kLightest) * static_cast<double>(track) / max);
}

Measure measureOf(const Timeline& timeline) {
    return timeline.unit == "cycles" ? Measure::count : Measure::seconds;
}

std::string timeText(const Timeline& timeline, double time) {
    if (measureOf(timeline) == Measure::seconds) return formatSeconds(time);
    return formatCount(std::round(time)) + " cycles";
}

std::string usageText(const Timeline::Usage& usage, double amount) {
    return formatQuantity(amount, usage.measure) + (usage.unit.empty() ? "" : " " + usage.unit);
}

std::size_t stepsOf(const Timeline& timeline) {
    if (!timeline.usage || timeline.tracks.empty()) return 0;
    return std::min(timeline.usage->times.size(), timeline.usage->values.size() / timeline.tracks.size());
}

std::optional<std::size_t> stepAt(const Timeline& timeline, double time) {
    const std::size_t steps = stepsOf(timeline);
    if (steps == 0) return std::nullopt;
    const auto begin = timeline.usage->times.begin();
    const auto after = std::upper_bound(begin, begin + static_cast<std::ptrdiff_t>(steps), time);
    if (after == begin) return std::nullopt;
    return static_cast<std::size_t>(after - begin) - 1;
}

double peakOf(const Timeline& timeline) {
    double peak = 0;
    const std::size_t tracks = timeline.tracks.size();
    for (std::size_t step = 0; step < stepsOf(timeline); ++step) {
        double sum = 0;
        for (std::size_t track = 0; track < tracks; ++track) sum += timeline.usage->values[step * tracks + track];
        if (std::isfinite(sum)) peak = std::max(peak, sum);
    }
    return peak;
}

TimelineLayout layOut(const Timeline& timeline, const TimelineView& view, Size size, const TextWidth& measure) {
    return TimelineBuilder(timeline, view, size, measure).build();
}

}  // namespace tessera::report
