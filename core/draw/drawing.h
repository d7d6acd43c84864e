#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/draw/theme.h"

/// Vector picture: a list of shapes in pixels. Layouts make it; `toSvg` writes it and the window paints it, so that
/// both look the same. Colours are "#RRGGBB" or the name of a token.
namespace tessera::report {

/// A place, in pixels from the left and from the top.
struct Point {
    double x = 0, y = 0;
};

/// A rectangle of pixels, without a look.
struct Rect {
    double x = 0, y = 0, width = 0, height = 0;
    double right() const { return x + width; }
    double bottom() const { return y + height; }
    bool contains(Point point) const { return point.x >= x && point.x < right() && point.y >= y && point.y < bottom(); }
};

/// A filled or outlined rectangle.
struct Box {
    Rect area;
    std::string fill = {};    ///< empty = none
    std::string stroke = {};  ///< empty = none
    double radius = 0;
    double opacity = 1;
    int print = 0;         ///< 1, 2, …: hatching that repeats the colour's meaning on paper; 0 = none
    bool hatched = false;  ///< lines in the colour of `fill` instead of a plain fill
    std::string tip = {};  ///< shown on hover
};

/// A line through points, or an area inside them.
struct Path {
    std::vector<Point> points;
    std::string stroke = {};  ///< empty = none
    double width = 1;
    bool dashed = false;
    std::string fill = {};  ///< empty = none
    bool hatched = false;   ///< lines in the colour of `fill` instead of a plain fill
    double opacity = 1;
};

/// Very many straight lines of one look: a line from each point at an even place to the next one.
struct Segments {
    std::vector<Point> points = {};
    std::string stroke = {};
    double width = 1;
    double opacity = 1;
};

/// Shape of a marker.
enum class MarkerShape : std::uint8_t { circle, square, diamond, triangle, star, cross };

/// Returns the corners of a shape of this radius about a place; empty for a circle.
std::vector<Point> cornersOf(MarkerShape shape, Point at, double radius);

/// A small shape about a place.
struct Marker {
    Point at;
    MarkerShape shape = MarkerShape::circle;
    double radius = 3.5;
    std::string fill = {};
    double opacity = 1;
    std::string tip = {};
};

/// Which part of a text its place is.
enum class Anchor : std::uint8_t { start, middle, end };

/// A text on one line.
struct Label {
    Point at;  ///< on the base line
    std::string text;
    std::string colour = "secondary";
    Anchor anchor = Anchor::start;
    int size = 11;
    bool strong = false;
    double angle = 0;       ///< degrees, clockwise
    bool halo = false;      ///< a rim in the colour of the ground, so that it can be read on marks
    std::string full = {};  ///< the whole text where `text` was cut; shown on hover
};

/// Clips all that follows to the inside of `area`; empty ends that.
struct Clip {
    std::optional<Rect> area;
};

using Shape = std::variant<Box, Path, Segments, Marker, Label, Clip>;

/// A picture: its size in pixels, and its shapes from the back to the front.
struct Drawing {
    double width = 0, height = 0;
    std::string title;  ///< for readers who do not see it
    std::vector<Shape> shapes;
};

/// Returns a picture as an SVG document that stands alone: the same bytes every time.
std::string toSvg(const Drawing& drawing, const Theme& theme);

/// Returns an SVG as browsers print it: with hatches that repeat the meaning of colours. For converters that know no
/// media.
std::string asPrinted(std::string svg);

/// Reduces an SVG for readers of SVG Tiny: what is nested is moved to its place and not clipped;
/// hatches and the rims of letters are left out.
std::string withoutNesting(std::string_view svg);

/// Measures the pixels that a text takes. The window measures with its font; `estimatedWidth` is on the safe side of
/// the fonts that readers of an SVG usually have.
using TextWidth = std::function<double(std::string_view text, int size, bool strong)>;
double estimatedWidth(std::string_view text, int size, bool strong);

/// Returns a text on one line that fits into `width`, cut with an ellipsis; empty where not even one letter fits.
std::string fitted(std::string_view text, double width, int size, bool strong, const TextWidth& measure);
/// Returns the label with its text cut to a width; all of it is shown on hover where it is cut.
Label fitted(Label label, double width, const TextWidth& measure);
/// Fits a text into a width by cutting it in the middle: names of layers differ at their ends.
std::string fittedInTheMiddle(std::string_view text, double width, int size, bool strong, const TextWidth& measure);
/// Fits a name among others: the beginning that it shares with its neighbours is cut first where the rest would look
/// alike.
std::string fittedApart(std::string_view name, const std::vector<std::string_view>& neighbours, double width, int size,
                        const TextWidth& measure);
/// Sentences in lines that fit into `width`.
std::vector<std::string> wrapped(std::string_view text, double width, int size, const TextWidth& measure);

/// Light or dark letters, whichever are easier to read on a colour of data "#RRGGBB"; "text" on a token.
std::string lettersOn(std::string_view colour);

}  // namespace tessera::report
