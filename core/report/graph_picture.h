#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/draw/graph_layout.h"
#include "core/draw/theme.h"

/// A drawn graph as a value: the window paints it, exports write it as SVG or Graphviz text, and both look the same.
/// Colours are "#RRGGBB" (data) or the name of a token.
namespace tessera::report {

/// A colour's share of the stripe at a card's left edge.
struct Stripe {
    std::string colour;
    double share = 1;
};

struct Card {
    Rectangle place;  ///< with the cards behind it
    std::string title;
    std::string subtitle = {};  ///< what it is: "Conv 3×3"
    std::string caption = {};   ///< what comes out: "64×56×56"
    std::string badge = {};     ///< "×24"
    int behind = 0;             ///< cards behind it: 1 for a folded group, 2 for a repeated one
    bool pill = false;          ///< an input or output of the model
    std::string colour = "secondary";
    double fill = 0.1;                 ///< opacity of `colour` over the surface
    std::vector<Stripe> stripes = {};  ///< from top to bottom
};

struct CardFrame {
    Rectangle place;
    std::string title;
    std::string badge = {};
    std::string colour = "secondary";
};

struct Arrow {
    std::size_t from = 0;       ///< card
    std::size_t to = 0;         ///< card
    std::vector<Point> points;  ///< as Layout::edges
    double width = 1.2;
    bool dashed = false;  ///< carries no data of the model, only shapes
};

struct LegendEntry {
    std::string name;
    std::string colour;
    double fill = 1;
};

struct GraphPicture {
    std::string title;
    double width = 0;
    double height = 0;
    std::vector<Card> cards;
    std::vector<CardFrame> frames;  ///< outer before inner
    std::vector<Arrow> arrows;
    std::string legendTitle = {};
    std::vector<LegendEntry> legend = {};
};

/// Offset in pixels between stacked cards.
inline constexpr double kCardOffset = 4;
/// The card in front, without those behind it.
Rectangle frontOf(const Card& card);
/// Colours of a card's title, and of the lines below it.
struct CardInk {
    std::string title, lines;
};
CardInk inkOf(const Card& card, const Theme& theme);

/// Lines of a card from its middle: baselines relative to the card's top. Titles are 13 px, the others 11 px.
struct CardLines {
    double title = 0;
    double subtitle = 0;
    double caption = 0;
};
CardLines linesOf(const Card& card);
/// Height of a card with so many lines of text, without cards behind it.
double cardHeight(int lines);

/// SVG text that stands alone: the same bytes every time.
std::string toSvg(const GraphPicture& picture, const Theme& theme);
/// Graphviz text with names, colours and frames, for other tools.
std::string toDot(const GraphPicture& picture, const Theme& theme);

}  // namespace tessera::report
