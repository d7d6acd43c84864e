#include "core/draw/matrix_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/text.h"
#include "core/draw/colour_key.h"
#include "core/draw/measures.h"

namespace tessera::report {

namespace {

constexpr double kMatrixTitle = 30;
constexpr double kMatrixFoot = 34;  ///< ticks and title below
constexpr double kMatrixLeft = 64;
constexpr double kBetween = 8;
constexpr double kInside = 5;             ///< pixels between a field's rim and its points
constexpr std::size_t kMaxMarked = 1500;  ///< points that are dots of their own
constexpr double kDot = 4;                ///< pixels of a place that dots share
constexpr std::size_t kDotStrengths = 4;
constexpr std::size_t kBars = 24;

Scale matrixScale(const Axis& axis, const Stretch& stretch, double length) {
    return {.logarithmic = axis.logarithmic, .stretch = stretch, .from = kInside, .to = length - kInside};
}

/// From the least to the greatest value.
Stretch matrixStretch(const MatrixPicture::Line& line) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const double value : line.values) {
        if (!isShown(value, line.axis)) continue;
        low = std::min(low, value);
        high = std::max(high, value);
    }
    const Scale scale{.logarithmic = line.axis.logarithmic, .stretch = {}};
    const double from = scale.coordinate(low), to = scale.coordinate(high);
    return from < to ? Stretch{from, to} : std::isfinite(from) ? Stretch{from - 0.5, from + 0.5} : Stretch{};
}

class MatrixDrawer {
public:
    MatrixDrawer(const MatrixPicture& picture, const MatrixView& view, Size size, const TextWidth& measure)
        : picture_(picture),
          view_(view),
          size_(size),
          measure_(measure),
          own_(view.shares == nullptr ? sharesOf(picture) : MatrixShares()),
          stretches_(view.shares == nullptr ? own_.stretches : view.shares->stretches),
          shares_(view.shares == nullptr ? own_.shares : view.shares->shares),
          correlations_(view.shares == nullptr ? own_.correlations : view.shares->correlations) {}

    MatrixLayout draw() {
        out_.drawing.width = size_.width;
        out_.drawing.height = size_.height;
        out_.drawing.title = picture_.title;
        const double key = picture_.key.palette.empty() ? 0 : widthOf(picture_.key, measure_);
        const double room = size_.width - (key > 0 ? std::min(key, size_.width / 2) + 24 : 0);
        text({0, 17}, picture_.title, room, "text", 16, true, Anchor::start);
        if (key > 0)
            drawColourKey(out_.drawing, picture_.key, {std::max(size_.width - key, size_.width / 2), 17},
                          size_.width / 2, measure_);
        const std::size_t count = picture_.axes.size();
        out_.empty = picture_.rows == 0 || count < 2;
        if (out_.empty) {
            text({0, 44}, picture_.empty, size_.width, "secondary", 13, false, Anchor::start);
            return std::move(out_);
        }
        const auto fields = static_cast<double>(count);
        out_.side = std::max(20.0, (size_.width - kMatrixLeft - kBetween * (fields - 1)) / fields);
        out_.height = std::max(20.0, (size_.height - kMatrixTitle - kMatrixFoot - kBetween * (fields - 1)) / fields);
        for (std::size_t axis = 0; axis < count; ++axis) {
            out_.across.push_back(matrixScale(picture_.axes[axis].axis, stretches_[axis], out_.side));
            out_.up.push_back(matrixScale(picture_.axes[axis].axis, stretches_[axis], out_.height));
        }
        for (std::size_t y = 0; y < count; ++y)
            for (std::size_t x = 0; x < count; ++x)
                if (x <= y)
                    cell(x, y);
                else
                    correlation(x, y);
        for (std::size_t axis = 0; axis < count; ++axis) names(axis);
        return std::move(out_);
    }

private:
    void text(Point at, const std::string& words, double room, const char* colour, int size, bool strong,
              Anchor anchor) {
        out_.drawing.shapes.push_back(
            fitted(Label{.at = at, .text = words, .colour = colour, .anchor = anchor, .size = size, .strong = strong},
                   room, measure_));
    }

    bool isRowShown(std::size_t row) const { return row >= picture_.shown.size() || picture_.shown[row] != 0; }

    Rect areaOf(std::size_t x, std::size_t y) const {
        return {kMatrixLeft + static_cast<double>(x) * (out_.side + kBetween),
                kMatrixTitle + static_cast<double>(y) * (out_.height + kBetween), out_.side, out_.height};
    }

    void cell(std::size_t x, std::size_t y) {
        const Rect area = areaOf(x, y);
        out_.cells.push_back({x, y, area});
        out_.drawing.shapes.push_back(Box{.area = area, .stroke = "grid-line"});
        if (x == y) return distribution(x, area);
        const bool single = picture_.rows <= kMaxMarked;
        for (const bool front : {false, true})
            if (single)
                dots(x, y, area, front);
            else
                cloud(x, y, area, front);
        for (const auto& [row, colour] : {std::pair(view_.hovered, "secondary"), std::pair(view_.selected, "text")})
            if (row && *row < picture_.rows) ring(x, y, area, *row, colour);
    }

    /// The stronger, the darker; words where they have room.
    void correlation(std::size_t x, std::size_t y) {
        const double r = correlations_[x][y];
        if (std::isnan(r)) return;
        const Rect area = areaOf(x, y);
        constexpr double kDarkest = 0.3;
        out_.drawing.shapes.push_back(Box{.area = area,
                                          .fill = "accent",
                                          .opacity = kDarkest * std::abs(r),
                                          .tip = fmt::format("{} and {}: correlation {}", picture_.axes[y].axis.title,
                                                             picture_.axes[x].axis.title, signedText(r))});
        text({area.x + area.width / 2, area.y + area.height / 2 + 5}, "r = " + signedText(r), area.width - 4, "text",
             area.height > 3 * kLine ? 13 : kCaption, false, Anchor::middle);
    }

    static std::string signedText(double r) { return fmt::format("{}{:.2f}", r < -0.005 ? "−" : "", std::abs(r)); }

    Point placed(std::size_t x, std::size_t y, const Rect& area, std::size_t row) const {
        return {area.x + kInside + static_cast<double>(shares_[x][row]) * (area.width - 2 * kInside),
                area.bottom() - kInside - static_cast<double>(shares_[y][row]) * (area.height - 2 * kInside)};
    }

    std::string colourOf(std::size_t row) const {
        if (row >= picture_.tones.size() || picture_.key.palette.empty()) return "accent";
        return report::colourOf(picture_.key, picture_.tones[row]);
    }

    void dots(std::size_t x, std::size_t y, const Rect& area, bool front) {
        for (std::size_t row = 0; row < picture_.rows; ++row) {
            if (isRowShown(row) != front || std::isnan(shares_[x][row]) || std::isnan(shares_[y][row])) continue;
            out_.drawing.shapes.push_back(Marker{.at = placed(x, y, area, row),
                                                 .radius = 1.8,
                                                 .fill = front ? colourOf(row) : "disabled",
                                                 .opacity = front ? 0.8 : 0.35});
        }
    }

    /// Places that hold points, by how many.
    void cloud(std::size_t x, std::size_t y, const Rect& area, bool front) {
        const auto columns = static_cast<std::size_t>((area.width - 2 * kInside) / kDot) + 1;
        const auto lines = static_cast<std::size_t>((area.height - 2 * kInside) / kDot) + 1;
        std::vector<float> counts(columns * lines);
        const bool toned = front && !picture_.tones.empty() && !picture_.key.palette.empty();
        TonesOfPlaces tones(picture_.key, toned ? counts.size() : 0);
        float max = 1;
        for (std::size_t row = 0; row < picture_.rows; ++row) {
            const float across = shares_[x][row], up = shares_[y][row];
            if (isRowShown(row) != front || std::isnan(across) || std::isnan(up)) continue;
            const auto column = static_cast<std::size_t>(std::lround(across * static_cast<float>(columns - 1)));
            const auto line = static_cast<std::size_t>(std::lround((1 - up) * static_cast<float>(lines - 1)));
            const std::size_t place = line * columns + column;
            max = std::max(max, counts[place] += 1);
            if (toned && row < picture_.tones.size()) tones.add(place, picture_.tones[row]);
        }
        for (std::size_t i = 0; i < counts.size(); ++i) {
            if (counts[i] == 0) continue;
            const double share = max > 1 ? std::log(counts[i]) / std::log(max) : 1;
            const double strength = std::ceil(share * kDotStrengths + 1e-9) / kDotStrengths;
            const std::size_t above = i / columns;
            const auto column = static_cast<double>(i % columns), line = static_cast<double>(above);
            out_.drawing.shapes.push_back(Box{.area = {area.x + kInside + column * kDot - kDot / 2,
                                                       area.y + kInside + line * kDot - kDot / 2, kDot, kDot},
                                              .fill = !front  ? "disabled"
                                                      : toned ? report::colourOf(picture_.key, tones.of(i))
                                                              : "accent",
                                              .opacity = (front ? 0.25 : 0.1) + (front ? 0.75 : 0.3) * strength});
        }
    }

    void ring(std::size_t x, std::size_t y, const Rect& area, std::size_t row, const char* colour) {
        if (std::isnan(shares_[x][row]) || std::isnan(shares_[y][row])) return;
        const Point at = placed(x, y, area, row);
        out_.drawing.shapes.push_back(Box{.area = {at.x - 4.5, at.y - 4.5, 9, 9}, .stroke = colour, .radius = 4.5});
    }

    /// How often values come: what is shown in front of all.
    void distribution(std::size_t axis, const Rect& area) {
        std::vector<double> all(kBars), shown(kBars);
        for (std::size_t row = 0; row < picture_.rows; ++row) {
            const float share = shares_[axis][row];
            if (std::isnan(share)) continue;
            const auto bar = std::min(kBars - 1, static_cast<std::size_t>(share * static_cast<float>(kBars)));
            all[bar] += 1;
            if (isRowShown(row)) shown[bar] += 1;
        }
        const double max = std::max(1.0, *std::max_element(all.begin(), all.end()));
        const double step = (area.width - 2 * kInside) / static_cast<double>(kBars);
        const double room = area.height - 2 * kInside - kLine;  // below its name
        for (const bool front : {false, true})
            for (std::size_t bar = 0; bar < kBars; ++bar) {
                const double count = front ? shown[bar] : all[bar];
                if (count == 0) continue;
                const double height = std::max(1.0, room * count / max);
                out_.drawing.shapes.push_back(
                    Box{.area = {area.x + kInside + step * static_cast<double>(bar), area.bottom() - kInside - height,
                                 std::max(1.0, step - 1), height},
                        .fill = front ? "accent" : "border",
                        .opacity = front ? 0.6 : 1});
            }
        text({area.x + area.width / 2, area.y + 13}, picture_.axes[axis].axis.title, area.width - kGap, "text",
             kCaption, true, Anchor::middle);
    }

    /// Ends of the values, below the lowest fields and left of the first ones.
    void names(std::size_t axis) {
        const Axis& its = picture_.axes[axis].axis;
        const Scale& scale = out_.across[axis];
        const auto end = [&](double place) {
            const double value = scale.logarithmic ? std::pow(10.0, place) : place;
            return tickText(value, its);
        };
        const Rect below = areaOf(axis, picture_.axes.size() - 1), left = areaOf(0, axis);
        const std::string low = end(scale.stretch.low), high = end(scale.stretch.high);
        const double half = below.width / 2 - 4;
        text({below.x + 2, below.bottom() + 13}, low, half, "secondary", kCaption, false, Anchor::start);
        text({below.right() - 2, below.bottom() + 13}, high, half, "secondary", kCaption, false, Anchor::end);
        text({below.x + below.width / 2, below.bottom() + 28}, its.title + (its.logarithmic ? " (log)" : ""),
             below.width, "text", kCaption, false, Anchor::middle);
        if (axis == 0) return;  // a distribution: it counts
        text({left.x - 4, left.bottom() - 2}, low, kMatrixLeft - 6, "secondary", kCaption, false, Anchor::end);
        if (left.height > 2.5 * kLine)
            text({left.x - 4, left.y + left.height / 2 + 4}, its.title, kMatrixLeft - 6, "text", kCaption, false,
                 Anchor::end);
        if (left.height > 1.5 * kLine)
            text({left.x - 4, left.y + 10}, high, kMatrixLeft - 6, "secondary", kCaption, false, Anchor::end);
    }

    const MatrixPicture& picture_;
    const MatrixView& view_;
    Size size_;
    const TextWidth& measure_;
    MatrixLayout out_;
    MatrixShares own_;
    const std::vector<Stretch>& stretches_;
    const std::vector<std::vector<float>>& shares_;
    const std::vector<std::vector<double>>& correlations_;
};

/// Pearson's coefficient of two values of each row that has both; NaN where one of them does not differ.
double correlationOf(const std::vector<float>& one, const std::vector<float>& other) {
    double count = 0, sumOne = 0, sumOther = 0, squareOne = 0, squareOther = 0, product = 0;
    for (std::size_t row = 0; row < one.size(); ++row) {
        if (std::isnan(one[row]) || std::isnan(other[row])) continue;
        // About the middle, so that little cancels.
        const double x = one[row] - 0.5, y = other[row] - 0.5;
        count += 1;
        sumOne += x;
        sumOther += y;
        squareOne += x * x;
        squareOther += y * y;
        product += x * y;
    }
    constexpr double kNone = 1e-12;
    const double varianceOne = count * squareOne - sumOne * sumOne,
                 varianceOther = count * squareOther - sumOther * sumOther;
    if (varianceOne <= kNone * count * count || varianceOther <= kNone * count * count)
        return std::numeric_limits<double>::quiet_NaN();
    return std::clamp((count * product - sumOne * sumOther) / std::sqrt(varianceOne * varianceOther), -1.0, 1.0);
}

}  // namespace

MatrixShares sharesOf(const MatrixPicture& picture) {
    MatrixShares its;
    for (const MatrixPicture::Line& line : picture.axes) {
        const Stretch stretch = matrixStretch(line);
        const Scale scale{.logarithmic = line.axis.logarithmic, .stretch = stretch};
        std::vector<float> shares(picture.rows, std::numeric_limits<float>::quiet_NaN());
        for (std::size_t row = 0; row < std::min(line.values.size(), picture.rows); ++row)
            if (isShown(line.values[row], line.axis))
                shares[row] = static_cast<float>((scale.coordinate(line.values[row]) - stretch.low) / stretch.length());
        its.stretches.push_back(stretch);
        its.shares.push_back(std::move(shares));
    }
    for (const std::vector<float>& one : its.shares) {
        std::vector<double>& line = its.correlations.emplace_back();
        for (const std::vector<float>& other : its.shares) {
            const std::size_t x = its.correlations.size() - 1, y = line.size();
            line.push_back(y < x ? its.correlations[y][x] : y == x ? 1 : correlationOf(one, other));
        }
    }
    return its;
}

MatrixLayout layOut(const MatrixPicture& picture, const MatrixView& view, Size size, const TextWidth& measure) {
    return MatrixDrawer(picture, view, size, measure).draw();
}

std::optional<Point> placeOf(const MatrixPicture& picture, const MatrixLayout& layout, const MatrixCell& cell,
                             std::size_t row) {
    if (row >= picture.rows || cell.x == cell.y) return std::nullopt;
    const double x = picture.axes[cell.x].values[row], y = picture.axes[cell.y].values[row];
    if (!isShown(x, picture.axes[cell.x].axis) || !isShown(y, picture.axes[cell.y].axis)) return std::nullopt;
    return Point{cell.area.x + layout.across[cell.x].pixel(x), cell.area.bottom() - layout.up[cell.y].pixel(y)};
}

std::string toSvg(const MatrixPicture& picture, const Theme& theme, Size size) {
    return toSvg(layOut(picture, {}, size, estimatedWidth).drawing, theme);
}

}  // namespace tessera::report
