#include "core/draw/drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <utility>

#include "core/base/escape.h"
#include "core/base/text.h"
#include "core/draw/table.h"

namespace tessera::report {

namespace {

constexpr std::string_view kPaperRules = "<style>@media print{";
constexpr std::string_view kPaperRulesEnd = "}</style>";

constexpr std::string_view kFont = R"(font-family="system-ui, sans-serif" font-variant-numeric="tabular-nums")";

/// Coordinates with at most two decimals.
std::string coordinate(double value) {
    std::string text = fmt::format("{:.2f}", std::clamp(value, -1e7, 1e7));
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text == "-0" ? "0" : text;
}

std::string resolved(const std::string& colour, const Theme& theme) {
    return colour.starts_with('#') ? colour : theme(colour);
}

std::string letters(const std::string& colour) {
    std::string name;
    for (const char letter : colour)
        if (letter != '#') name += letter;
    return name;
}

std::string attribute(std::string_view name, double value, double usual) {
    return value == usual ? "" : fmt::format(" {}=\"{}\"", name, coordinate(value));
}

/// Writes shapes and remembers the patterns that they need. Patterns are named by what they look like, so that several
/// drawings may stand in one document.
class Writer {
public:
    explicit Writer(const Theme& theme) : theme_(theme) {}

    void operator()(const Box& box) {
        std::string style = box.print > 0 ? fmt::format(" class=\"{}\"", printed(box)) : "";
        style += fmt::format(" fill=\"{}\"", filling(box.fill, box.hatched));
        if (!box.stroke.empty()) style += fmt::format(" stroke=\"{}\"", resolved(box.stroke, theme_));
        text_ += fmt::format(R"(<rect x="{}" y="{}" width="{}" height="{}"{}{}{})", coordinate(box.area.x),
                             coordinate(box.area.y), coordinate(box.area.width), coordinate(box.area.height),
                             attribute("rx", box.radius, 0), style, attribute("opacity", box.opacity, 1));
        close("rect", box.tip);
    }

    void operator()(const Path& path) {
        if (path.points.empty()) return;
        std::string line;
        for (const Point& point : path.points)
            line += fmt::format("{}{},{}", line.empty() ? "" : " ", coordinate(point.x), coordinate(point.y));
        const bool area = !path.fill.empty();
        std::string style = fmt::format(" fill=\"{}\"", filling(path.fill, path.hatched));
        if (!path.stroke.empty())
            style += fmt::format(R"( stroke="{}"{} stroke-linejoin="round")", resolved(path.stroke, theme_),
                                 attribute("stroke-width", path.width, 1));
        if (path.dashed) style += " stroke-dasharray=\"6 4\"";
        text_ += fmt::format("<{} points=\"{}\"{}{}/>\n", area ? "polygon" : "polyline", line, style,
                             attribute("opacity", path.opacity, 1));
    }

    void operator()(const Segments& segments) {
        std::string lines;
        for (std::size_t i = 1; i < segments.points.size(); i += 2)
            lines +=
                fmt::format("M{} {}L{} {}", coordinate(segments.points[i - 1].x), coordinate(segments.points[i - 1].y),
                            coordinate(segments.points[i].x), coordinate(segments.points[i].y));
        if (!lines.empty())
            text_ += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\"{}{}/>\n", lines,
                                 resolved(segments.stroke, theme_), attribute("stroke-width", segments.width, 1),
                                 attribute("opacity", segments.opacity, 1));
    }

    void operator()(const Marker& marker) {
        const std::string style =
            fmt::format(" fill=\"{}\"{}", resolved(marker.fill, theme_), attribute("opacity", marker.opacity, 1));
        const double x = marker.at.x;
        const double y = marker.at.y;
        const double r = marker.radius;
        if (marker.shape == MarkerShape::circle) {
            text_ +=
                fmt::format(R"(<circle cx="{}" cy="{}" r="{}"{})", coordinate(x), coordinate(y), coordinate(r), style);
            return close("circle", marker.tip);
        }
        std::string outline;
        for (const Point& corner : cornersOf(marker.shape, marker.at, r))
            outline += fmt::format("{}{} {}", outline.empty() ? "M" : "L", coordinate(corner.x), coordinate(corner.y));
        text_ += fmt::format(R"(<path d="{}z"{})", outline, style);
        close("path", marker.tip);
    }

    void operator()(const Label& label) {
        if (label.text.empty()) return;
        constexpr std::array<std::string_view, 3> kAnchors{"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
        std::string style = fmt::format(" fill=\"{}\"{}", resolved(label.colour, theme_),
                                        kAnchors.at(static_cast<std::size_t>(label.anchor)));
        if (label.size != 11) style += fmt::format(" font-size=\"{}\"", label.size);
        if (label.strong) style += " font-weight=\"600\"";
        if (label.halo)
            style += fmt::format(R"( stroke="{}" stroke-width="3" stroke-linejoin="round" paint-order="stroke")",
                                 resolved("surface", theme_));
        if (label.angle != 0)
            style += fmt::format(" transform=\"rotate({} {} {})\"", coordinate(label.angle), coordinate(label.at.x),
                                 coordinate(label.at.y));
        const std::string tip =
            label.full.empty() || label.full == label.text ? "" : "<title>" + htmlEscaped(label.full) + "</title>";
        text_ += fmt::format("<text x=\"{}\" y=\"{}\"{}>{}{}</text>\n", coordinate(label.at.x), coordinate(label.at.y),
                             style, tip, htmlEscaped(label.text));
    }

    /// A nested drawing cuts off what lies outside, and needs no name.
    void operator()(const Clip& clip) {
        if (clip.area)
            text_ += fmt::format("<svg x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{3}\" viewBox=\"{0} {1} {2} {3}\">\n",
                                 coordinate(clip.area->x), coordinate(clip.area->y), coordinate(clip.area->width),
                                 coordinate(clip.area->height));
        else
            text_ += "</svg>\n";
    }

    std::string definitions() const {
        if (patterns_.empty()) return "";
        std::string text = "<defs>\n";
        for (const std::string& pattern : patterns_) text += pattern;
        if (!printed_.empty()) {
            text += kPaperRules;
            for (const std::string& name : printed_) text += fmt::format(".{0}{{fill:url(#{0})}}", name);
            text += kPaperRulesEnd;
            text += '\n';
        }
        return text + "</defs>\n";
    }
    const std::string& text() const { return text_; }

private:
    void close(std::string_view element, const std::string& tip) {
        text_ += tip.empty() ? "/>\n" : fmt::format("><title>{}</title></{}>\n", htmlEscaped(tip), element);
    }

    std::string filling(const std::string& fill, bool hatched) {
        if (fill.empty()) return "none";
        if (!hatched) return resolved(fill, theme_);
        const std::string name = "lines-" + letters(fill);
        patterns_.insert(fmt::format(
            "<pattern id=\"{}\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\"><path d=\"M-1 1L1 -1M0 7L7 "
            "0M6 8L8 6\" stroke=\"{}\" fill=\"none\"/></pattern>\n",
            name, resolved(fill, theme_)));
        return fmt::format("url(#{})", name);
    }

    std::string printed(const Box& box) {
        constexpr std::array<std::string_view, 4> kStrokes{"M0 6L6 0", "M0 0L6 6M0 6L6 0", "M0 3H6", "M3 0V6"};
        const std::size_t index = static_cast<std::size_t>(box.print - 1) % kStrokes.size();
        const std::string name = fmt::format("print{}-{}", index, letters(box.fill));
        if (printed_.insert(name).second)
            patterns_.insert(fmt::format(
                "<pattern id=\"{}\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"><rect width=\"6\" "
                "height=\"6\" fill=\"{}\"/><path d=\"{}\" stroke=\"{}\"/></pattern>\n",
                name, resolved(box.fill, theme_), kStrokes.at(index), Theme(ThemeKind::light)("surface")));
        return name;
    }

    const Theme& theme_;
    std::string text_;
    std::set<std::string> patterns_;
    std::set<std::string> printed_;
};

/// The start of the character after the one at `at`.
std::size_t nextCharacter(std::string_view text, std::size_t at) {
    for (++at; at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;) ++at;
    return at;
}

/// Width of a character in the wider of the usual sans-serif fonts, in ems.
double characterWidth(std::string_view character) {
    const auto first = static_cast<unsigned char>(character[0]);
    if (first >= 0xE3 && character != "…" && character.size() >= 3) return 1.05;  // East Asian and pictures
    if (first >= 0x80) return first < 0xE2 ? 0.65 : 0.9;
    constexpr std::string_view kNarrow = "ijl|'.,:;!I()[]{}/\\ ft-r\"";
    constexpr std::string_view kWide = "mwMW@%";
    if (kNarrow.find(character[0]) != std::string_view::npos) return 0.4;
    if (kWide.find(character[0]) != std::string_view::npos) return 0.98;
    return first >= 'A' && first <= 'Z' ? 0.72 : 0.62;
}

}  // namespace

std::vector<Point> cornersOf(MarkerShape shape, Point at, double radius) {
    std::vector<Point> corners;
    const auto add = [&](double x, double y) { corners.push_back({at.x + radius * x, at.y + radius * y}); };
    switch (shape) {
        case MarkerShape::circle:
            break;
        case MarkerShape::square:
            for (const auto& [x, y] : {std::pair(-1, -1), {1, -1}, {1, 1}, {-1, 1}}) add(x, y);
            break;
        case MarkerShape::diamond:
            for (const auto& [x, y] : {std::pair(0.0, -1.3), {1.3, 0.0}, {0.0, 1.3}, {-1.3, 0.0}}) add(x, y);
            break;
        case MarkerShape::triangle:
            for (const auto& [x, y] : {std::pair(0.0, -1.2), {1.2, 1.0}, {-1.2, 1.0}}) add(x, y);
            break;
        case MarkerShape::cross: {
            constexpr double kReach = 1.3, kArm = 0.45;  // an upright one turned by 45°
            constexpr double kTurn = 0.7071067811865476;
            const std::array<std::pair<double, double>, 12> kOutline{{{-kArm, -kReach},
                                                                      {kArm, -kReach},
                                                                      {kArm, -kArm},
                                                                      {kReach, -kArm},
                                                                      {kReach, kArm},
                                                                      {kArm, kArm},
                                                                      {kArm, kReach},
                                                                      {-kArm, kReach},
                                                                      {-kArm, kArm},
                                                                      {-kReach, kArm},
                                                                      {-kReach, -kArm},
                                                                      {-kArm, -kArm}}};
            for (const auto& [x, y] : kOutline) add(kTurn * (x - y), kTurn * (x + y));
            break;
        }
        case MarkerShape::star: {
            constexpr int kCorners = 10;
            constexpr double kPi = 3.14159265358979323846, kOuter = 1.5, kInner = 0.65;
            for (int i = 0; i < kCorners; ++i) {
                const double angle = kPi * (2.0 * i / kCorners - 0.5);
                const double reach = i % 2 == 0 ? kOuter : kInner;
                add(reach * std::cos(angle), reach * std::sin(angle));
            }
            break;
        }
    }
    return corners;
}

std::string asPrinted(std::string svg) {
    for (std::size_t from = svg.find(kPaperRules); from != std::string::npos; from = svg.find(kPaperRules, from + 1)) {
        svg.replace(from, kPaperRules.size(), "<style>");
        const std::size_t end = svg.find(kPaperRulesEnd, from);
        if (end == std::string::npos) break;
        svg.replace(end, kPaperRulesEnd.size(), "</style>");
    }
    return svg;
}

namespace {

/// The numbers of an attribute of a tag, such as viewBox="0 0 10 20"; empty where it has none.
std::vector<double> attributeNumbers(std::string_view tag, std::string_view name) {
    std::vector<double> numbers;
    const std::string wanted = fmt::format(" {}=\"", name);
    const std::size_t at = tag.find(wanted);
    if (at == std::string_view::npos) return numbers;
    const std::string_view value = tag.substr(at + wanted.size());
    for (const std::string_view part : split(value.substr(0, value.find('"')), ' ')) {
        double number = 0;
        std::from_chars(part.data(), part.data() + part.size(), number);
        numbers.push_back(number);
    }
    return numbers;
}

/// A nested drawing's tag as a group that stands where it stood.
std::string groupFor(std::string_view tag) {
    const auto one = [&](std::string_view name, double otherwise) {
        const std::vector<double> numbers = attributeNumbers(tag, name);
        return numbers.empty() ? otherwise : numbers.front();
    };
    const std::vector<double> box = attributeNumbers(tag, "viewBox");
    if (box.size() != 4 || !(box[2] > 0) || !(box[3] > 0)) return "<g>";
    return fmt::format("<g transform=\"translate({} {}) scale({} {}) translate({} {})\" font-size=\"11\">", one("x", 0),
                       one("y", 0), one("width", box[2]) / box[2], one("height", box[3]) / box[3], -box[0], -box[1]);
}

void erase(std::string& tag, std::string_view from, char until) {
    for (std::size_t at = tag.find(from); at != std::string::npos; at = tag.find(from)) {
        const std::size_t end = tag.find(until, at + from.size());
        if (end == std::string::npos) return;
        tag.erase(at, end + 1 - at);
    }
}

}  // namespace

std::string withoutNesting(std::string_view svg) {
    std::string text;
    int depth = 0;
    while (!svg.empty()) {
        const std::size_t begin = svg.find('<');
        const std::size_t end = begin == std::string_view::npos ? begin : svg.find('>', begin);
        if (end == std::string_view::npos) return text + std::string(svg);
        text += svg.substr(0, begin);
        std::string tag(svg.substr(begin, end + 1 - begin));
        svg.remove_prefix(end + 1);
        if (tag.starts_with("<svg ") && depth++ > 0) {
            text += groupFor(tag);
        } else if (tag == "</svg>" && --depth > 0) {
            text += "</g>";
        } else {
            if (tag.find(" paint-order=") != std::string::npos)
                for (const char* attribute :
                     {" stroke=\"", " stroke-width=\"", " stroke-linejoin=\"", " paint-order=\""})
                    erase(tag, attribute, '"');
            if (const std::size_t fill = tag.find("fill=\"url("); fill != std::string::npos)
                tag.replace(fill, tag.find('"', fill + 6) + 1 - fill, "fill=\"none\"");
            text += tag;
        }
    }
    return text;
}

std::string toSvg(const Drawing& drawing, const Theme& theme) {
    Writer writer(theme);
    for (const Shape& shape : drawing.shapes) std::visit(writer, shape);
    // A drawing that stands alone brings its ground and a margin; inside a report both are the page's.
    const bool alone = theme.kind() != ThemeKind::css;
    const double margin = alone ? sizeOf("padding") : 0;
    const double width = drawing.width + 2 * margin;
    const double height = drawing.height + 2 * margin;
    std::string text = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{0} {0} {1} {2}\" width=\"{1}\" height=\"{2}\" "
        "role=\"img\" {3} font-size=\"11\">\n<title>{4}</title>\n",
        coordinate(-margin), coordinate(width), coordinate(height), kFont, htmlEscaped(drawing.title));
    if (alone)
        text += fmt::format(R"(<rect x="{0}" y="{0}" width="{1}" height="{2}" fill="{3}"/>)", coordinate(-margin),
                            coordinate(width), coordinate(height), theme("surface")) +
                "\n";
    return text + writer.definitions() + writer.text() + "</svg>\n";
}

double estimatedWidth(std::string_view text, int size, bool strong) {
    double ems = 0;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t next = nextCharacter(text, i);
        ems += characterWidth(text.substr(i, next - i));
        i = next;
    }
    return ems * size * (strong ? 1.08 : 1);
}

Label fitted(Label label, double width, const TextWidth& measure) {
    std::string shown = fitted(label.text, width, label.size, label.strong, measure);
    if (shown != label.text) label.full = std::exchange(label.text, std::move(shown));
    return label;
}

std::string fitted(std::string_view text, double width, int size, bool strong, const TextWidth& measure) {
    const std::string line = escaped(text);
    if (measure(line, size, strong) <= width) return line;
    std::vector<std::size_t> ends;
    for (std::size_t i = 0; i < line.size();) ends.push_back(i = nextCharacter(line, i));
    std::size_t fits = 0;
    for (std::size_t low = 1, high = ends.size(); low <= high;) {
        const std::size_t middle = (low + high) / 2;
        if (measure(line.substr(0, ends[middle - 1]) + "…", size, strong) <= width) {
            fits = middle;
            low = middle + 1;
        } else {
            high = middle - 1;
        }
    }
    return fits == 0 ? "" : std::string(trimmed(line.substr(0, ends[fits - 1]))) + "…";
}

std::string fittedInTheMiddle(std::string_view text, double width, int size, bool strong, const TextWidth& measure) {
    const std::string line = escaped(text);
    if (measure(line, size, strong) <= width) return line;
    std::vector<std::size_t> ends{0};
    for (std::size_t i = 0; i < line.size();) ends.push_back(i = nextCharacter(line, i));
    const std::size_t characters = ends.size() - 1;
    const auto cut = [&](std::size_t kept) {
        return line.substr(0, ends[(kept + 1) / 2]) + "…" + line.substr(ends[characters - kept / 2]);
    };
    std::size_t fits = 0;
    for (std::size_t low = 1, high = characters; low <= high;) {
        const std::size_t middle = (low + high) / 2;
        const bool does = measure(cut(middle), size, strong) <= width;
        if (does) fits = middle;
        (does ? low : high) = does ? middle + 1 : middle - 1;
    }
    return fits == 0 ? "" : cut(fits);
}

std::string fittedApart(std::string_view name, const std::vector<std::string_view>& neighbours, double width, int size,
                        const TextWidth& measure) {
    const std::string cut = fittedInTheMiddle(name, width, size, false, measure);
    const bool alike = std::any_of(neighbours.begin(), neighbours.end(), [&](std::string_view other) {
        return other != name && fittedInTheMiddle(other, width, size, false, measure) == cut;
    });
    if (!alike) return cut;
    std::size_t start = 0;  // where the name differs from the neighbour that is most like it
    for (const std::string_view other : neighbours) {
        const auto* const end = std::mismatch(name.begin(), name.end(), other.begin(), other.end()).first;
        if (other != name) start = std::max(start, static_cast<std::size_t>(end - name.begin()));
    }
    // Neither a number nor a letter of several bytes is torn apart.
    const auto isTorn = [&](std::size_t at) {
        const auto isDigit = [&](std::size_t i) { return i < name.size() && name[i] >= '0' && name[i] <= '9'; };
        return (isDigit(at - 1) && isDigit(at)) ||
               (at < name.size() && (static_cast<unsigned char>(name[at]) & 0xC0U) == 0x80U);
    };
    while (start > 0 && isTorn(start)) --start;
    const auto from = [&](std::size_t at) { return "…" + escaped(name.substr(at)); };
    if (measure(from(start), size, false) > width)
        return "…" + fitted(name.substr(start), width - measure("…", size, false), size, false, measure);
    for (std::size_t at = start; at > 0 && measure(from(at), size, false) <= width; --at)
        if (!isTorn(at)) start = at;
    return from(start);
}

std::vector<std::string> wrapped(std::string_view text, double width, int size, const TextWidth& measure) {
    std::vector<std::string> lines;
    std::string line;
    const std::string whole = escaped(text, 2000);
    for (const std::string_view word : split(whole, ' ')) {
        const std::string longer = line.empty() ? std::string(word) : line + " " + std::string(word);
        if (line.empty() || measure(longer, size, false) <= width) {
            line = longer;
            continue;
        }
        lines.push_back(line);
        line = std::string(word);
    }
    if (!line.empty()) lines.push_back(line);
    for (std::string& one : lines) one = fitted(one, width, size, false, measure);
    return lines;
}

std::string lettersOn(std::string_view colour) {
    if (!colour.starts_with('#') || colour.size() != 7) return "text";
    // Colours of data are the same in both themes.
    const Theme theme(ThemeKind::light);
    const std::string light = theme("on-accent");
    const std::string dark = theme("text");
    return contrast(colour, light) >= contrast(colour, dark) ? light : dark;
}

}  // namespace tessera::report
