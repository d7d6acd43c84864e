#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/timeline.h"
#include "core/base/units.h"
#include "core/draw/theme.h"

/// Pictures as values: what is shown, not how. The window draws them interactively, `toSvg` for exports and reports,
/// and `toCsv` writes the numbers behind them. Colours are "#RRGGBB" (data) or the name of a token ("accent",
/// "secondary").
namespace tessera::report {

/// Values from one to another.
struct Range {
    double low = 0, high = 0;
};

struct Axis {
    std::string title = {};  ///< without the unit: "Step time"
    Measure measure = Measure::count;
    bool logarithmic = false;
    std::vector<std::string> categories = {};  ///< names at 0, 1, 2, …; empty = a continuous axis
    bool fromZero = false;
    std::optional<Range> focus =
        {};  ///< what the question is about: shown first; what lies outside is there to zoom to
};

enum class Mark : std::uint8_t {
    line,
    steps,
    points,
    bars,         ///< side by side per category
    stackedBars,  ///< on top of each other per category
    band,         ///< the area between `low` and `y`, light
    bound,        ///< a thin dark line with a label; the region beyond is lightly hatched: "cannot be"
};

struct Series {
    std::string id = {};  ///< stable: "accpar"
    std::string name = {};
    Mark mark = Mark::line;
    std::string colour = {};
    std::vector<double> x = {}, y = {};  ///< of one length; x of bars is the category's index
    bool dashed = false;
    bool dimmed = false;                       ///< background points: grey at 35 %
    std::vector<double> low = {}, high = {};   ///< error bars, empty = none
    std::vector<std::string> valueTexts = {};  ///< printed at bars or points; empty = formatted values
    std::vector<std::string> labels = {};      ///< shorter texts that are printed at points instead
    std::vector<double> radii = {};            ///< of points, pixels; empty = all alike
    bool cannotBeBelow = true;                 ///< for a bound: which side is hatched
    double opacity = 1;                        ///< of points that lie on each other
    int shape = -1;                            ///< of markers: as of the series at this place; -1 = at its own
    bool reference = false;                    ///< of a line: to compare with, so without markers and values of its own
    bool edgeArrows = false;                   ///< points out of sight are marked by a named arrow at the edge
    std::vector<std::uint8_t> tones = {};      ///< of points: places in the key's palette, instead of the colour
    bool crowds = false;                       ///< of points: very many in sight are counted in hexagons instead
    bool asPoint = false;  ///< of bars: a marker at the value with its error stands for the bar, which is not drawn
};

/// The tone of what has none, as a point without the value that colours are of.
inline constexpr std::uint8_t kNoTone = 255;

/// What the colours of points mean that have tones. What has a tone beyond the palette, as `kNoTone`, is grey.
struct ColourKey {
    std::string title = {};
    std::vector<std::string> palette = {};  ///< that tones are places in
    std::vector<std::string> names = {};    ///< of the palette's colours; empty = they are a ramp
    std::string low = {}, high = {};        ///< values at the ends of the ramp
};

/// Values over an area, which lie below all else: a grid of cells, row by row from the lowest y, and lines of equal
/// value. On a logarithmic axis the cells are of equal ratios.
struct Field {
    Range x = {}, y = {};  ///< middles of the first and the last cell, in the axes' values
    std::size_t columns = 0, rows = 0;
    std::vector<double> values = {};  ///< NaN = not known
    Axis axis = {};                   ///< of the values
};

struct Chart {
    std::string id = {};     ///< for file names: "step-time"
    std::string title = {};  ///< the finding or the quantity
    Axis x = {}, y = {};
    std::vector<Series> series = {};
    bool horizontal = false;  ///< bars run to the right, categories downwards
    std::string empty = {};   ///< what to do so that something appears here; nothing is said while this is not known
    std::vector<std::string> notes = {};
    /// Text at the end of each category's stack instead of its sum, or in place of bars that there are none of.
    std::vector<std::string> endTexts = {};
    ColourKey key = {};
    std::optional<Field> field = {};
};

/// A grid of cells of a few categories: layers × splits by type.
struct HeatMap {
    struct Category {
        std::string name;  ///< "Type I: batch"
        std::string mark;  ///< printed in a cell that is large enough: "I"
        std::string colour;
    };
    std::string id, title;
    std::string rowTitle, columnTitle;
    std::vector<std::string> rows, columns;
    std::vector<std::string> rowNotes = {};   ///< at the right end of each row: "0.31"
    std::string rowNoteTitle = {};            ///< what the notes are: "ratio"
    std::vector<std::string> rowGroups = {};  ///< per row; a small gap stands between rows of different groups
    std::vector<Category> categories;
    std::vector<std::int16_t> cells;        ///< row by row; index into `categories`, -1 = nothing
    std::vector<std::string> details = {};  ///< hover text per cell, or empty
    std::vector<std::string> texts = {};    ///< printed in cells that are large enough, instead of the category's mark
    std::string empty;                      ///< as of a Chart
};

struct Size {
    double width = 960;
    double height = 420;
};

/// SVG text that stands alone: the same bytes every time.
std::string toSvg(const Chart& chart, const Theme& theme, Size size = {});
std::string toSvg(const HeatMap& map, const Theme& theme);
std::string toSvg(const Timeline& timeline, const Theme& theme, Size size = {});

/// RFC 4180, full precision, base units in the header.
std::string toCsv(const Chart& chart);
std::string toCsv(const HeatMap& map);
std::string toCsv(const Timeline& timeline);
/// Chrome trace events, which Perfetto opens: times in microseconds, one thread per track, one process per group.
std::string toChromeTrace(const Timeline& timeline);

/// Engineering ticks of an axis from `low` to `high`: at most `max`, at steps of 1, 2 or 5 (or decades).
std::vector<double> ticks(double low, double high, bool logarithmic, int max = 5);
/// "36.2 ms": a value on an axis.
std::string tickText(double value, const Axis& axis);

}  // namespace tessera::report
