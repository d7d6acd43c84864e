#include "core/report/platform_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/draw/drawing.h"
#include "core/report/hardware_pictures.h"

namespace tessera::report {

namespace {

constexpr double kSlot = 136;  // of a core
constexpr double kGap = 12;
constexpr double kLetters = 54;  // lines of text in a core
constexpr double kTallest = 72;  // of an array
constexpr double kMemory = 30;   // bar above everything
constexpr double kBus = 18;      // from one row of cores up to the line that joins them
constexpr double kTrunk = 14;    // left of the cores, from memory down
constexpr std::size_t kMaxCores = 48;

/// Draws memory as a bar, and below it rows of cores on lines that a trunk joins to it.
class PlatformDrawer {
public:
    PlatformDrawer(const hardware::Platform& platform, double width)
        : platform_(platform), width_(std::max(width, kNarrowestPage)), cores_(hardware::coresOf(platform)) {
        for (const hardware::SubAccelerator& core : platform.subAccelerators)
            longest_ = std::max({longest_, static_cast<double>(core.height), static_cast<double>(core.width)});
    }

    Drawing draw() {
        drawing_.width = width_;
        drawing_.title = platform_.name;
        label({0, 18}, fitted(platform_.name, width_, 16, true, estimatedWidth), "text", 16, true);
        const std::size_t shown = std::min(cores_.size(), kMaxCores);
        perRow_ = static_cast<std::size_t>(std::max(1.0, std::floor((width_ - kTrunk + kGap) / (kSlot + kGap))));
        perRow_ = std::min(perRow_, shown);
        memory();
        const std::vector<std::string> names = hardware::coreNames(platform_);
        for (std::size_t i = 0; i < shown; ++i) core(i, names[i]);
        const std::size_t rows = (shown + perRow_ - 1) / perRow_;
        for (std::size_t row = 0; row < rows; ++row) bus(row, std::min(perRow_, shown - row * perRow_));
        double bottom = rowTop(rows) - kBus;
        if (shown < cores_.size()) {
            label({kTrunk, bottom + 12}, fmt::format("and {} more cores", cores_.size() - shown));
            bottom += 20;
        }
        drawing_.height = bottom + 4;
        return std::move(drawing_);
    }

private:
    void label(Point at, std::string text, const std::string& colour = "secondary", int size = 11,
               bool strong = false) {
        drawing_.shapes.push_back(
            Label{.at = at, .text = std::move(text), .colour = colour, .size = size, .strong = strong});
    }

    double rowTop(std::size_t row) const {
        return 34 + kMemory + kBus + static_cast<double>(row) * (kLetters + kTallest + 14 + kGap + kBus);
    }
    Rect slot(std::size_t index) const {
        const auto column = static_cast<double>(index % perRow_);
        return {kTrunk + column * (kSlot + kGap), rowTop(index / perRow_), kSlot, kLetters + kTallest + 14};
    }

    void memory() {
        const auto columns = static_cast<double>(perRow_);
        const double wide = std::max(std::min(width_, 240.0), kTrunk + columns * (kSlot + kGap) - kGap);
        const std::string text =
            fmt::format("Memory: {}, {} B/cycle", formatQuantity(platform_.bandwidth.value, Measure::bytesPerSecond),
                        formatCount(hardware::bytesPerCycle(platform_)));
        drawing_.shapes.push_back(
            Box{.area = {0, 30, wide, kMemory - 4}, .fill = "raised", .stroke = "border", .radius = 6});
        label({10, 47}, fitted(text, wide - 20, 11, true, estimatedWidth), "text", 11, true);
    }

    void core(std::size_t index, const std::string& name) {
        const std::size_t row = cores_[index];
        const hardware::SubAccelerator& core = platform_.subAccelerators[row];
        const Rect box = slot(index);
        const double inside = box.width - 16;
        drawing_.shapes.push_back(Box{.area = box, .fill = "raised", .stroke = "border", .radius = 6});
        const auto line = [&](double y, const std::string& text, const char* colour, int size, bool strong) {
            label({box.x + 8, box.y + y}, fitted(escaped(text, 80), inside, size, strong, estimatedWidth), colour, size,
                  strong);
        };
        line(17, name, "text", 12, true);
        line(32, fmt::format("{} × {}{}", core.height, core.width, core.flexible ? ", flexible" : ""), "secondary", 11,
             false);
        line(46, core.dataflow.name, "secondary", 11, false);
        // Sides to the square root, so that small arrays stay visible beside large ones.
        const auto side = [&](std::int64_t length) {
            return std::max(6.0, std::sqrt(static_cast<double>(length) / longest_) * kTallest);
        };
        drawing_.shapes.push_back(Box{.area = {box.x + 8, box.y + kLetters + 4, side(core.width), side(core.height)},
                                      .fill = std::string(kCategories.at(row % kCategories.size())),
                                      .radius = 2,
                                      .opacity = core.flexible ? 0.5 : 0.9});
    }

    /// The line above a row of cores, its drops, and the trunk from the line above it.
    void bus(std::size_t row, std::size_t count) {
        const double y = rowTop(row) - kBus / 2;
        const double above = row == 0 ? 30 + kMemory - 4 : rowTop(row - 1) - kBus / 2;
        const Rect last = slot(row * perRow_ + count - 1);
        const auto line = [&](std::vector<Point> points) {
            drawing_.shapes.push_back(Path{.points = std::move(points), .stroke = "control", .width = 1.5});
        };
        line({{kTrunk / 2, above}, {kTrunk / 2, y}, {last.x + last.width / 2, y}});
        for (std::size_t i = 0; i < count; ++i) {
            const Rect box = slot(row * perRow_ + i);
            line({{box.x + box.width / 2, y}, {box.x + box.width / 2, box.y}});
        }
    }

    const hardware::Platform& platform_;
    double width_;
    std::vector<std::size_t> cores_;
    double longest_ = 1;  ///< side of an array
    std::size_t perRow_ = 1;
    Drawing drawing_;
};

}  // namespace

std::string platformDrawing(const hardware::Platform& platform, const Theme& theme, double width) {
    return toSvg(PlatformDrawer(platform, width).draw(), theme);
}

}  // namespace tessera::report
