#include "core/draw/parallel_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/draw/colour_key.h"

namespace tessera::report {

namespace {

constexpr double kTitleRoom = 30;
constexpr double kNameRoom = 34;  ///< an axis' title and its largest value
constexpr double kNameLine = 14;  ///< a second line of titles
constexpr double kFoot = 18;
constexpr double kBundledRoom = 14;  ///< below it: how many lines are bundled
constexpr double kSide = 56;
/// From this ratio of the largest to the smallest value on, an axis is logarithmic.
constexpr double kManyfold = 50;
constexpr std::size_t kMaxLines = 600;  ///< of one group that are drawn one by one
constexpr std::size_t kStretches = 26;  ///< of an axis, between which lines are bundled
constexpr std::size_t kStrengths = 5;   ///< of bundles
constexpr std::size_t kMaxWords = 16;   ///< of an axis of categories that are written beside it

/// The values of an axis from the least to the most.
struct Extent {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
};

Extent extentOf(const std::vector<double>& values) {
    Extent extent;
    for (const double value : values) {
        if (!std::isfinite(value)) continue;
        extent.low = std::min(extent.low, value);
        extent.high = std::max(extent.high, value);
    }
    return extent;
}

/// But for the pixels.
Scale scaleOf(const ParallelPicture::Line& line) {
    Extent extent = extentOf(line.values);
    if (!line.axis.categories.empty()) extent = {0, static_cast<double>(line.axis.categories.size() - 1)};
    const bool manyfold = extent.low > 0 && extent.high > kManyfold * extent.low;
    Scale scale{.logarithmic = line.axis.categories.empty() && extent.low > 0 && (line.axis.logarithmic || manyfold),
                .stretch = {},
                .from = 0,
                .to = 1};
    const double low = scale.coordinate(extent.low), high = scale.coordinate(extent.high);
    scale.stretch = low < high           ? Stretch{low, high}
                    : std::isfinite(low) ? Stretch{low - 0.5, low + 0.5}
                                         : Stretch{0, 1};
    return scale;
}

/// The stretch of an axis that each row lies in; `kStretches` = nowhere.
std::vector<std::uint8_t> stretchesOf(const std::vector<double>& values, const Scale& scale) {
    std::vector<std::uint8_t> places(values.size());
    const double perStretch = static_cast<double>(kStretches) / scale.stretch.length();
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double place = (scale.coordinate(values[i]) - scale.stretch.low) * perStretch;
        places[i] = !std::isfinite(place)
                        ? static_cast<std::uint8_t>(kStretches)
                        : static_cast<std::uint8_t>(std::clamp(place, 0.0, static_cast<double>(kStretches) - 1));
    }
    return places;
}

/// The line of a row that is seen above all others, with a dot on each axis.
std::vector<Shape> strongerLine(const ParallelLayout& layout, const ParallelPicture& picture, std::size_t row,
                                bool selected) {
    const std::string colour = selected ? "text" : "secondary";
    Path line{.points = {}, .stroke = colour, .width = 2, .dashed = !selected};
    for (const std::size_t axis : layout.order) {
        const double value = picture.axes[axis].values[row];
        if (std::isfinite(value)) line.points.push_back({layout.x[axis], layout.scales[axis].pixel(value)});
    }
    std::vector<Shape> shapes;
    for (const Point& at : line.points) shapes.emplace_back(Marker{.at = at, .radius = 3.5, .fill = colour});
    shapes.emplace_back(std::move(line));
    return shapes;
}

class Drawer {
public:
    Drawer(const ParallelPicture& picture, const ParallelView& view, Size size, const TextWidth& measure)
        : picture_(picture),
          view_(view),
          size_(size),
          measure_(measure),
          places_(view.places != nullptr ? *view.places : own_) {}

    ParallelLayout draw() {
        out_.drawing.width = size_.width;
        out_.drawing.height = size_.height;
        out_.drawing.title = picture_.title;
        title();
        order();
        nameAxes();
        out_.top = kTitleRoom + kNameRoom + moreNames_;
        out_.head = kTitleRoom;
        const double foot = kFoot + (picture_.rows > kMaxLines ? kBundledRoom : 0);
        out_.bottom = std::max(out_.top + 10, size_.height - foot);
        out_.empty = picture_.rows == 0 || out_.order.size() < 2;
        if (out_.empty) {
            label({0, 44}, picture_.empty, size_.width, "secondary", 13, false, Anchor::start);
            return std::move(out_);
        }
        place();
        std::vector<std::uint8_t> shown = view_.shown.empty() ? brushed(picture_, view_) : view_.shown;
        shown.resize(picture_.rows, 1);
        const bool brushes = std::find(shown.begin(), shown.end(), 0) != shown.end();
        group(shown, false, brushes);
        group(shown, true, brushes);
        if (bundled_ > 0)
            label({size_.width, size_.height - 4}, fmt::format("{} lines, bundled", formatCount(bundled_)),
                  size_.width / 3, "secondary", 11, false, Anchor::end);
        out_.behind = out_.drawing.shapes.size();
        for (std::size_t i = 0; i < out_.order.size(); ++i) axisAt(i);
        changeStronger(out_, picture_, view_);
        return std::move(out_);
    }

private:
    /// The key stands at its right, where both have room.
    void title() {
        std::vector<bool> used(picture_.key.palette.size(), isRamp());
        for (std::size_t row = 0; row < picture_.rows; ++row)
            if (const std::size_t tone = toneOf(row); tone < used.size()) used[tone] = true;
        // What nothing tells apart needs no key.
        const bool plain = !isRamp() && std::count(used.begin(), used.end(), true) < 2;
        const double wanted = plain || picture_.key.palette.empty() ? 0 : widthOf(picture_.key, measure_, used);
        const double room = size_.width - (wanted > 0 ? std::min(wanted, size_.width / 2) + 2 * kSide / 4 : 0);
        label({0, 17}, picture_.title, room, "text", 16, true, Anchor::start);
        if (wanted > 0)
            drawColourKey(out_.drawing, picture_.key, {std::max(size_.width - wanted, size_.width / 2), 17},
                          size_.width / 2, measure_, used);
    }

    void order() {
        for (const std::size_t axis : view_.order)
            if (axis < picture_.axes.size()) out_.order.push_back(axis);
        if (!view_.order.empty()) return;
        out_.order.resize(picture_.axes.size());
        std::iota(out_.order.begin(), out_.order.end(), 0);
    }

    bool isEnd(std::size_t position) const { return position == 0 || position + 1 == out_.order.size(); }
    double roomOfName(std::size_t position) const { return isEnd(position) ? kSide + between_ / 2 - 8 : between_ - 12; }

    /// The titles of the axes, in two lines where they have no room in one.
    void nameAxes() {
        between_ = std::max(1.0, size_.width - 2 * kSide) / std::max(1.0, static_cast<double>(out_.order.size()) - 1);
        for (std::size_t i = 0; i < out_.order.size(); ++i) {
            const std::size_t axis = out_.order[i];
            const bool inverted = axis < view_.inverted.size() && view_.inverted[axis];
            names_.push_back(inTwo(picture_.axes[axis].axis.title + (inverted ? " ↓" : ""), roomOfName(i)));
            if (!names_.back().second.empty()) moreNames_ = kNameLine;
        }
    }

    double widthOfName(const std::string& text) const { return measure_(text, 11, true); }

    /// Parts of a text that is wider than its room, of which the wider one is as narrow as can be.
    std::pair<std::string, std::string> inTwo(const std::string& text, double room) const {
        std::pair<std::string, std::string> best{text, {}};
        double narrowest = widthOfName(text);
        if (narrowest <= room) return best;
        for (std::size_t at = text.find(' '); at != std::string::npos; at = text.find(' ', at + 1)) {
            const std::string first = text.substr(0, at), second = text.substr(at + 1);
            const double width = std::max(widthOfName(first), widthOfName(second));
            if (width >= narrowest) continue;
            narrowest = width;
            best = {first, second};
        }
        return best;
    }

    void place() {
        out_.x.assign(picture_.axes.size(), std::numeric_limits<double>::quiet_NaN());
        places_.stretches.resize(picture_.axes.size());
        for (std::size_t axis = places_.scales.size(); axis < picture_.axes.size(); ++axis)
            places_.scales.push_back(scaleOf(picture_.axes[axis]));
        out_.scales = places_.scales;
        for (std::size_t axis = 0; axis < picture_.axes.size(); ++axis) {
            const bool inverted = axis < view_.inverted.size() && view_.inverted[axis];
            out_.scales[axis].from = inverted ? out_.top : out_.bottom;
            out_.scales[axis].to = inverted ? out_.bottom : out_.top;
        }
        for (std::size_t i = 0; i < out_.order.size(); ++i)
            out_.x[out_.order[i]] = kSide + between_ * static_cast<double>(i);
    }

    Label& label(Point at, const std::string& text, double room, const char* colour, int size, bool strong,
                 Anchor anchor) {
        out_.drawing.shapes.push_back(
            fitted(Label{.at = at, .text = text, .colour = colour, .anchor = anchor, .size = size, .strong = strong},
                   room, measure_));
        return std::get<Label>(out_.drawing.shapes.back());
    }

    /// The size of the palette for one without a tone.
    std::size_t toneOf(std::size_t row) const {
        return row < picture_.tones.size() ? std::min<std::size_t>(picture_.tones[row], picture_.key.palette.size())
                                           : 0;
    }
    /// Whether lines of the first tone are the many behind all others.
    bool hasBackground() const {
        return picture_.key.palette.empty() || (!isRamp() && picture_.key.palette[0] == kBackgroundLines);
    }
    bool isRamp() const { return picture_.key.names.empty() && !picture_.key.low.empty(); }

    /// All lines that are shown, or all others.
    void group(const std::vector<std::uint8_t>& shown, bool front, bool brushes) {
        std::vector<std::vector<std::size_t>> byTone(picture_.key.palette.size() + 1);
        std::vector<std::size_t> all;
        for (std::size_t row = 0; row < picture_.rows; ++row) {
            if ((shown[row] != 0) != front) continue;
            all.push_back(row);
            byTone[front ? toneOf(row) : 0].push_back(row);
        }
        if (!front) return lines(all, "border");
        if (isRamp() && all.size() > kMaxLines) return bundles(all, {});
        if (!picture_.key.palette.empty()) lines(byTone.back(), colourOf(picture_.key, kNoTone));
        for (std::size_t tone = 0; tone < std::max<std::size_t>(1, picture_.key.palette.size()); ++tone) {
            const bool plain = tone == 0 && hasBackground();
            const std::string colour =
                plain ? (brushes ? "secondary" : std::string(kBackgroundLines)) : picture_.key.palette[tone];
            lines(byTone[tone], colour, plain ? 1 : 1.5);
        }
    }

    /// One by one where they are few.
    void lines(const std::vector<std::size_t>& rows, const std::string& colour, double width = 1) {
        if (rows.size() > kMaxLines) return bundles(rows, colour);
        Segments drawn{.stroke = colour, .width = width};
        for (std::size_t i = 1; i < out_.order.size(); ++i) {
            const std::size_t a = out_.order[i - 1], b = out_.order[i];
            for (const std::size_t row : rows) {
                const double from = picture_.axes[a].values[row], to = picture_.axes[b].values[row];
                if (!std::isfinite(from) || !std::isfinite(to)) continue;
                drawn.points.push_back({out_.x[a], out_.scales[a].pixel(from)});
                drawn.points.push_back({out_.x[b], out_.scales[b].pixel(to)});
            }
        }
        if (!drawn.points.empty()) out_.drawing.shapes.push_back(std::move(drawn));
    }

    const std::vector<std::uint8_t>& stretches(std::size_t axis) {
        std::vector<std::uint8_t>& its = places_.stretches[axis];
        if (its.empty()) its = stretchesOf(picture_.axes[axis].values, places_.scales[axis]);
        return its;
    }

    /// Lines by the stretches that they join, the rare ones first. Without a colour each has the mean of its tones.
    void bundles(const std::vector<std::size_t>& rows, const std::string& colour) {
        bundled_ += rows.size();
        for (std::size_t i = 1; i < out_.order.size(); ++i) {
            const std::vector<std::uint8_t>&from = stretches(out_.order[i - 1]), &to = stretches(out_.order[i]);
            std::vector<double> all(kStretches * kStretches);
            TonesOfPlaces tones(picture_.key, colour.empty() ? all.size() : 0);
            for (const std::size_t row : rows) {
                if (from[row] == kStretches || to[row] == kStretches) continue;
                const std::size_t bundle = from[row] * kStretches + to[row];
                all[bundle] += 1;
                if (colour.empty()) tones.add(bundle, toneOf(row));
            }
            between(out_.order[i - 1], out_.order[i], all, tones, colour);
        }
    }

    void between(std::size_t a, std::size_t b, const std::vector<double>& all, const TonesOfPlaces& tonesOf,
                 const std::string& colour) {
        double max = 1;
        for (const double rows : all) max = std::max(max, rows);
        const std::size_t tones = colour.empty() ? picture_.key.palette.size() + 1 : 1;
        std::vector<Segments> drawn(kStrengths * tones);
        const auto middle = [&](std::size_t axis, std::size_t stretch) {
            const Scale& scale = out_.scales[axis];
            const double share = (static_cast<double>(stretch) + 0.5) / static_cast<double>(kStretches);
            return Point{out_.x[axis], scale.from + share * (scale.to - scale.from)};
        };
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (all[i] == 0) continue;
            const double share = max > 1 ? std::log(all[i]) / std::log(max) : 1;
            const auto strength = std::min(kStrengths - 1, static_cast<std::size_t>(share * kStrengths));
            const std::size_t tone = colour.empty() ? tonesOf.of(i) : 0;
            Segments& its = drawn[strength * tones + std::min(tone, tones - 1)];
            its.points.push_back(middle(a, i / kStretches));
            its.points.push_back(middle(b, i % kStretches));
        }
        for (std::size_t strength = 0; strength < kStrengths; ++strength)
            for (std::size_t tone = 0; tone < tones; ++tone) {
                Segments& its = drawn[strength * tones + tone];
                if (its.points.empty()) continue;
                its.stroke = colour.empty() ? colourOf(picture_.key, tone) : colour;
                its.opacity = (static_cast<double>(strength) + 1) / kStrengths;
                its.width = 1 + 0.5 * static_cast<double>(strength);
                out_.drawing.shapes.push_back(std::move(its));
            }
    }

    std::string textOf(std::size_t axis, double value) const {
        const ParallelPicture::Line& its = picture_.axes[axis];
        return its.text ? its.text(value) : tickText(value, its.axis);
    }

    void axisAt(std::size_t position) {
        const std::size_t axis = out_.order[position];
        const double x = out_.x[axis];
        const ParallelPicture::Line& its = picture_.axes[axis];
        const Scale& scale = out_.scales[axis];
        out_.drawing.shapes.push_back(
            Path{.points = {{x, out_.top}, {x, out_.bottom}}, .stroke = "control", .width = 1.5});
        const bool first = position == 0, last = position + 1 == out_.order.size();
        const Anchor anchor = first ? Anchor::start : last ? Anchor::end : Anchor::middle;
        const double at = first ? x - kSide : last ? x + kSide : x;
        const double room = roomOfName(position), y = kTitleRoom + 10 + moreNames_;
        const auto& [name, rest] = names_[position];
        label({at, rest.empty() ? y : y - moreNames_}, name, room, "text", 11, true, anchor);
        if (!rest.empty()) label({at, y}, rest, room, "text", 11, true, anchor);
        if (!its.axis.categories.empty()) {
            words(axis, x, last);
        } else {
            label({at, y + 16}, textOf(axis, scale.value(out_.top)), room, "secondary", 11, false, anchor);
            label({at, out_.bottom + 14}, textOf(axis, scale.value(out_.bottom)) + (scale.logarithmic ? ", log" : ""),
                  room, "secondary", 11, false, anchor);
        }
        if (axis < view_.brushes.size() && view_.brushes[axis]) brush(axis, x);
    }

    /// The words of categories beside their places, those that have room.
    void words(std::size_t axis, double x, bool left) {
        const std::vector<std::string>& all = picture_.axes[axis].axis.categories;
        const std::size_t every = (all.size() + kMaxWords - 1) / kMaxWords;
        // The last two axes have theirs between them.
        const std::size_t last = out_.order.back(), beside = out_.order[out_.order.size() - 2];
        const auto hasWords = [this](std::size_t of) { return !picture_.axes[of].axis.categories.empty(); };
        const bool shared = (axis == last || axis == beside) && hasWords(last) && hasWords(beside);
        const double room = shared ? between_ / 2 - 10 : between_ * 0.6;
        for (std::size_t i = 0; i < all.size(); i += std::max<std::size_t>(1, every)) {
            const double y = out_.scales[axis].pixel(static_cast<double>(i));
            label({left ? x - 6 : x + 6, y + 4}, all[i], room, "secondary", 11, false,
                  left ? Anchor::end : Anchor::start)
                .halo = true;
        }
    }

    /// The brush of an axis, with how many rows lie in it.
    void brush(std::size_t axis, double x) {
        const Scale& scale = out_.scales[axis];
        const Stretch& its = *view_.brushes[axis];
        const auto pixel = [&](double value, double otherwise) {
            const double at = scale.pixel(value);
            return std::clamp(std::isfinite(at) ? at : otherwise, out_.top, out_.bottom);
        };
        const double from = pixel(its.low, scale.from), to = pixel(its.high, scale.to);
        const Rect area{x - 7, std::min(from, to) - 1, 14, std::fabs(from - to) + 2};
        out_.drawing.shapes.push_back(Box{.area = area, .fill = "accent", .radius = 3, .opacity = 0.25});
        out_.drawing.shapes.push_back(Box{.area = area, .stroke = "accent", .radius = 3});
        const std::vector<double>& values = picture_.axes[axis].values;
        const auto count = std::count_if(values.begin(), values.end(),
                                         [&](double value) { return value >= its.low && value <= its.high; });
        // Where no words of categories are.
        const bool last = axis == out_.order.back();
        const bool left = last == picture_.axes[axis].axis.categories.empty();
        label({left ? x - 11 : x + 11, area.y + area.height / 2 + 4}, formatCount(count), kSide, "accent", 11, true,
              left ? Anchor::end : Anchor::start)
            .halo = true;
    }

    const ParallelPicture& picture_;
    const ParallelView& view_;
    Size size_;
    const TextWidth& measure_;
    ParallelPlaces own_;
    ParallelPlaces& places_;
    ParallelLayout out_;
    std::vector<std::pair<std::string, std::string>> names_;  ///< of the axes from the left, by lines
    double moreNames_ = 0;                                    ///< pixels of a second line
    double between_ = 0;
    std::size_t bundled_ = 0;
};

}  // namespace

std::vector<std::uint8_t> brushed(const ParallelPicture& picture, const ParallelView& view) {
    std::vector<std::uint8_t> inside(picture.rows, 1);
    for (std::size_t axis = 0; axis < std::min(view.brushes.size(), picture.axes.size()); ++axis) {
        if (!view.brushes[axis]) continue;
        const std::vector<double>& values = picture.axes[axis].values;
        for (std::size_t row = 0; row < picture.rows; ++row)
            if (!(values[row] >= view.brushes[axis]->low && values[row] <= view.brushes[axis]->high)) inside[row] = 0;
    }
    return inside;
}

ParallelLayout layOut(const ParallelPicture& picture, const ParallelView& view, Size size, const TextWidth& measure) {
    return Drawer(picture, view, size, measure).draw();
}

void changeStronger(ParallelLayout& layout, const ParallelPicture& picture, const ParallelView& view) {
    if (layout.empty) return;
    std::vector<Shape> lines;
    for (const std::optional<std::size_t>& row : {view.pinned, view.selected}) {
        if (!row || *row >= picture.rows) continue;
        std::vector<Shape> its = strongerLine(layout, picture, *row, row == view.selected);
        std::move(its.begin(), its.end(), std::back_inserter(lines));
    }
    std::vector<Shape>& shapes = layout.drawing.shapes;
    const auto first = shapes.begin() + static_cast<std::ptrdiff_t>(layout.behind);
    const auto rest = shapes.erase(first, first + static_cast<std::ptrdiff_t>(layout.stronger));
    layout.stronger = lines.size();
    shapes.insert(rest, std::make_move_iterator(lines.begin()), std::make_move_iterator(lines.end()));
}

std::string toSvg(const ParallelPicture& picture, const ParallelView& view, const Theme& theme, Size size) {
    return toSvg(layOut(picture, view, size, estimatedWidth).drawing, theme);
}

std::string toSvg(const ParallelPicture& picture, const Theme& theme, Size size) {
    return toSvg(picture, {}, theme, size);
}

}  // namespace tessera::report
