#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/draw/chart_layout.h"
#include "core/draw/drawing.h"
#include "core/draw/picture.h"

/// Parallel coordinates: an axis beside the other for each value, a line across them for each thing. Shared by the SVG
/// and the window, which adds brushes. Inselberg: "The plane with parallel coordinates", The Visual Computer 1, 1985.
namespace tessera::report {

/// The colour of the many lines in the background, which is stronger where others are filtered out.
inline constexpr std::string_view kBackgroundLines = "control";

struct ParallelPicture {
    struct Line {
        Axis axis;
        std::vector<double> values = {};               ///< by row, in the axis' base unit; NaN = none
        std::function<std::string(double)> text = {};  ///< of a value; without it, as on any axis
    };
    std::string id, title;
    std::vector<Line> axes;
    std::size_t rows = 0;
    /// By row: places in the key's palette, of which later ones lie above, beyond it grey below all. Empty = all are in
    /// the background.
    std::vector<std::uint8_t> tones = {};
    ColourKey key = {};  ///< where its palette begins with `kBackgroundLines`, its first tone is the background
    std::string empty = {};
};

/// What layouts of the same values have in common: kept by who lays them out often, empty at first, and filled by
/// need. Other colours, brushes, orders and sizes change nothing of it.
struct ParallelPlaces {
    std::vector<Scale> scales = {};                         ///< by axis, but for the pixels
    std::vector<std::vector<std::uint8_t>> stretches = {};  ///< by axis and row: where bundles run; empty = not yet
};

struct ParallelView {
    std::vector<std::size_t> order = {};               ///< of the axes from the left; empty = as they come
    std::vector<bool> inverted = {};                   ///< by axis: its values grow downwards
    std::vector<std::optional<Stretch>> brushes = {};  ///< by axis: values, ends included; empty = all of them
    /// By row: whether it is shown. Empty = where it lies in all brushes.
    std::vector<std::uint8_t> shown = {};
    /// Rows with a stronger line, above all others and below the axes.
    std::optional<std::size_t> selected = {}, pinned = {};
    ParallelPlaces* places = nullptr;  ///< of the picture's values; null = none are kept
};

struct ParallelLayout {
    Drawing drawing;
    std::size_t behind = 0;          ///< shapes that come first and are the same whichever rows are stronger
    std::size_t stronger = 0;        ///< shapes after those, of the stronger lines
    std::vector<Scale> scales;       ///< by axis
    std::vector<double> x;           ///< of the axes; NaN = not shown
    std::vector<std::size_t> order;  ///< the axes from the left
    double head = 0;                 ///< where the titles of the axes begin
    double top = 0, bottom = 0;
    bool empty = false;
};

/// Flags by row: true if it lies in all brushes.
std::vector<std::uint8_t> brushed(const ParallelPicture& picture, const ParallelView& view);
/// Lines of very many rows are drawn as bundles between stretches of neighbouring axes, the stronger the more rows run
/// there.
ParallelLayout layOut(const ParallelPicture& picture, const ParallelView& view, Size size, const TextWidth& measure);
/// Changes a layout of the picture to what it would be with the view's stronger lines.
void changeStronger(ParallelLayout& layout, const ParallelPicture& picture, const ParallelView& view);
std::string toSvg(const ParallelPicture& picture, const Theme& theme, Size size = {});
/// The same as it is looked at.
std::string toSvg(const ParallelPicture& picture, const ParallelView& view, const Theme& theme, Size size = {});

}  // namespace tessera::report
