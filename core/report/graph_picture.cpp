#include "core/report/graph_picture.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/character.h"
#include "core/base/escape.h"
#include "core/base/text.h"
#include "core/draw/drawing.h"
#include "core/draw/table.h"

namespace tessera::report {

namespace {

constexpr double kRadius = 6;
constexpr double kStripe = 4;
constexpr double kMargin = 24;
constexpr double kLegendRow = 20;
constexpr double kTitleRow = 34;
constexpr double kPadding = 12;

std::string colourOf(const std::string& colour, const Theme& theme) {
    return colour.starts_with('#') ? colour : theme(colour);
}

std::string textElement(double x, double y, double size, const std::string& colour, const std::string& text,
                        std::string_view more = {}) {
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{}\" fill=\"{}\"{}>{}</text>\n", x, y, size, colour,
                       more, htmlEscaped(text));
}

std::string box(const Rectangle& place, double radius, const std::string& attributes) {
    return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"{:.1f}\" {}/>\n",
                       place.x, place.y, place.width, place.height, radius, attributes);
}

Rectangle shifted(const Rectangle& place, double by) {
    return {place.x + by, place.y + by, place.width, place.height};
}

std::string svgOf(const CardFrame& frame, const Theme& theme) {
    const std::string colour = colourOf(frame.colour, theme);
    std::string text = box(frame.place, kRadius + 2,
                           fmt::format(R"(fill="{0}" fill-opacity="0.05" stroke="{0}" stroke-opacity="0.45")", colour));
    text += textElement(frame.place.x + kPadding, frame.place.y + 18, 12, theme("text"), frame.title,
                        " font-weight=\"600\"");
    if (!frame.badge.empty())
        text += textElement(frame.place.right() - kPadding, frame.place.y + 18, 11, theme("secondary"), frame.badge,
                            " text-anchor=\"end\"");
    return text;
}

std::string svgOf(const Arrow& arrow, const Theme& theme) {
    if (arrow.points.size() < 4) return {};
    std::string path = fmt::format("M{:.1f},{:.1f}", arrow.points[0].x, arrow.points[0].y);
    for (std::size_t i = 1; i + 2 < arrow.points.size(); i += 3)
        path += fmt::format(" C{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}", arrow.points[i].x, arrow.points[i].y,
                            arrow.points[i + 1].x, arrow.points[i + 1].y, arrow.points[i + 2].x, arrow.points[i + 2].y);
    return fmt::format(
        "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:.1f}\"{} marker-end=\"url(#tip)\"/>\n", path,
        theme("disabled"), arrow.width, arrow.dashed ? " stroke-dasharray=\"4 3\"" : "");
}

std::string svgStripes(const Card& card, const Rectangle& front, const Theme& theme) {
    std::string text;
    double y = front.y + kRadius;
    for (const Stripe& stripe : card.stripes) {
        const double height = stripe.share * (front.height - 2 * kRadius);
        text += box({front.x + 4, y, kStripe, height}, 1, fmt::format("fill=\"{}\"", colourOf(stripe.colour, theme)));
        y += height;
    }
    return text;
}

std::string svgOf(const Card& card, const Theme& theme) {
    const Rectangle front = frontOf(card);
    const std::string colour = colourOf(card.colour, theme);
    const double radius = card.pill ? front.height / 2 : kRadius;
    std::string text;
    for (int i = card.behind; i >= 0; --i) {
        const Rectangle place = shifted(front, i * kCardOffset);
        text += box(place, radius, fmt::format("fill=\"{}\"", theme("surface")));
        text += box(place, radius,
                    fmt::format(R"(fill="{}" fill-opacity="{:.2f}" stroke="{}" stroke-opacity="0.7")", colour,
                                card.fill, card.fill > 0.55 ? theme("surface") : colour));
    }
    text += svgStripes(card, front, theme);
    const auto [main, side] = inkOf(card, theme);
    const CardLines lines = linesOf(card);
    const double x = front.centre().x;
    constexpr std::string_view kMiddle = " text-anchor=\"middle\"";
    text += textElement(x, front.y + lines.title, 13, main, card.title, R"( text-anchor="middle" font-weight="600")");
    if (!card.subtitle.empty()) text += textElement(x, front.y + lines.subtitle, 11, side, card.subtitle, kMiddle);
    if (!card.caption.empty()) text += textElement(x, front.y + lines.caption, 11, side, card.caption, kMiddle);
    if (!card.badge.empty())
        text += textElement(front.right() - 8, front.y + 14, 11, main, card.badge,
                            R"( text-anchor="end" font-weight="600")");
    return text;
}

std::string svgLegend(const GraphPicture& picture, double y, const Theme& theme) {
    if (picture.legend.empty()) return {};
    double x = 0;
    std::string text = textElement(x, y, 11, theme("secondary"), picture.legendTitle);
    x += 8.0 * static_cast<double>(displayWidth(picture.legendTitle));
    for (const LegendEntry& entry : picture.legend) {
        text += box({x, y - 9, 11, 11}, 2,
                    fmt::format(R"(fill="{}" fill-opacity="{:.2f}")", colourOf(entry.colour, theme), entry.fill));
        text += textElement(x + 17, y, 11, theme("text"), entry.name);
        x += 36 + 7.0 * static_cast<double>(displayWidth(entry.name));
    }
    return text;
}

double legendWidth(const GraphPicture& picture) {
    double width = 8.0 * static_cast<double>(displayWidth(picture.legendTitle));
    for (const LegendEntry& entry : picture.legend) width += 36 + 7.0 * static_cast<double>(displayWidth(entry.name));
    return picture.legend.empty() ? 0 : width;
}

/// Text inside a Graphviz string: shown as it stands, whatever it holds.
std::string quoted(const std::string& text) {
    std::string result;
    for (const char c : escaped(text)) {
        if (c == '"' || c == '\\') result += '\\';
        result += c;
    }
    return result;
}

bool isInside(const Rectangle& inner, const Rectangle& outer) {
    constexpr double kSlack = 0.5;
    return inner.x >= outer.x - kSlack && inner.right() <= outer.right() + kSlack && inner.y >= outer.y - kSlack &&
           inner.bottom() <= outer.bottom() + kSlack;
}

/// The last frame of those before `end` that holds the place, else `end`.
std::size_t frameAround(const GraphPicture& picture, const Rectangle& place, std::size_t end) {
    for (std::size_t i = end; i-- > 0;)
        if (isInside(place, picture.frames[i].place)) return i;
    return end;
}

void writeDotFrame(std::string& text, const GraphPicture& picture, const Theme& theme, std::size_t frame,
                   const std::vector<std::size_t>& ofFrames, const std::vector<std::size_t>& ofCards) {
    for (std::size_t i = 0; i < picture.cards.size(); ++i) {
        if (ofCards[i] != frame) continue;
        const Card& card = picture.cards[i];
        std::string label = quoted(card.title + (card.badge.empty() ? "" : " " + card.badge));
        for (const std::string& line : {card.subtitle, card.caption})
            if (!line.empty()) label += "\\n" + quoted(line);
        const std::string colour = colourOf(card.colour, theme);
        text += fmt::format("  n{} [label=\"{}\", color=\"{}\", fillcolor=\"{}{:02X}\"{}];\n", i, label, colour, colour,
                            static_cast<int>(255 * std::clamp(card.fill, 0.0, 1.0)),
                            card.behind > 0 ? ", peripheries=2" : "");
    }
    for (std::size_t i = 0; i < picture.frames.size(); ++i) {
        if (ofFrames[i] != frame) continue;
        text += fmt::format("  subgraph cluster_{} {{ label=\"{}\"; color=\"{}\";\n", i,
                            quoted(picture.frames[i].title), colourOf(picture.frames[i].colour, theme));
        writeDotFrame(text, picture, theme, i, ofFrames, ofCards);
        text += "  }\n";
    }
}

}  // namespace

Rectangle frontOf(const Card& card) {
    const double behind = card.behind * kCardOffset;
    return {card.place.x, card.place.y, card.place.width - behind, card.place.height - behind};
}

CardInk inkOf(const Card& card, const Theme& theme) {
    constexpr double kMuch = 0.55;
    if (card.fill < kMuch || !card.colour.starts_with('#')) return {theme("text"), theme("secondary")};
    const std::string ink = lettersOn(card.colour);
    return {ink, ink};
}

double cardHeight(int lines) {
    constexpr double kFirst = 30;
    constexpr double kNext = 15;
    return kFirst + kNext * (lines - 1);
}

CardLines linesOf(const Card& card) {
    CardLines lines;
    constexpr double kNext = 15;
    lines.title = 20;
    lines.subtitle = lines.title + kNext;
    lines.caption = card.subtitle.empty() ? lines.subtitle : lines.subtitle + kNext;
    return lines;
}

std::string toSvg(const GraphPicture& picture, const Theme& theme) {
    const double width = std::max(picture.width, legendWidth(picture)) + 2 * kMargin;
    const double below = picture.legend.empty() ? 0 : kLegendRow + 8;
    const double height = picture.height + 2 * kMargin + kTitleRow + below;
    std::string text = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
        "{1:.0f}\" "
        "font-family=\"system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif\">\n<defs><marker id=\"tip\" viewBox=\"0 0 8 "
        "8\" "
        "refX=\"7\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" "
        "orient=\"auto\"><path "
        "d=\"M0,0.5 L8,4 L0,7.5 z\" fill=\"{2}\"/></marker></defs>\n",
        width, height, theme("disabled"));
    text += fmt::format("<rect width=\"{:.0f}\" height=\"{:.0f}\" fill=\"{}\"/>\n", width, height, theme("surface"));
    text += textElement(kMargin, kMargin + 10, 16, theme("text"), picture.title, " font-weight=\"600\"");
    text += fmt::format("<g transform=\"translate({:.1f},{:.1f})\">\n",
                        kMargin + (width - 2 * kMargin - picture.width) / 2, kMargin + kTitleRow);
    for (const CardFrame& frame : picture.frames) text += svgOf(frame, theme);
    for (const Arrow& arrow : picture.arrows) text += svgOf(arrow, theme);
    for (const Card& card : picture.cards) text += svgOf(card, theme);
    text += "</g>\n";
    text += fmt::format("<g transform=\"translate({:.1f},0)\">\n", kMargin);
    text += svgLegend(picture, height - kMargin + 4, theme);
    return text + "</g>\n</svg>\n";
}

std::string toDot(const GraphPicture& picture, const Theme& theme) {
    std::vector<std::size_t> ofFrames;
    std::vector<std::size_t> ofCards;
    const std::size_t outside = picture.frames.size();
    for (std::size_t i = 0; i < picture.frames.size(); ++i) {
        const std::size_t around = frameAround(picture, picture.frames[i].place, i);
        ofFrames.push_back(around == i ? outside : around);
    }
    for (const Card& card : picture.cards) ofCards.push_back(frameAround(picture, card.place, outside));
    std::string text = fmt::format(
        "digraph \"{}\" {{\n  rankdir=TB;\n  node [shape=box, style=\"rounded,filled\", fontname=\"sans-serif\", "
        "fontsize=11];\n  edge [color=\"{}\", arrowsize=0.6];\n",
        quoted(picture.title), theme("secondary"));
    writeDotFrame(text, picture, theme, outside, ofFrames, ofCards);
    for (const Arrow& arrow : picture.arrows)
        text += fmt::format("  n{} -> n{}{};\n", arrow.from, arrow.to, arrow.dashed ? " [style=dashed]" : "");
    return text + "}\n";
}

}  // namespace tessera::report
