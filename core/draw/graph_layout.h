#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "core/draw/drawing.h"

/// Layout of the boxes and arrows of a graph: by Graphviz, or in plain rows.
namespace tessera::report {

/// Pixels, y downwards.
struct Rectangle {
    double x = 0;
    double y = 0;
    double width = 0;
    double height = 0;

    double right() const { return x + width; }
    double bottom() const { return y + height; }
    Point centre() const { return {x + width / 2, y + height / 2}; }
};

/// Sizes and connections to lay out, nothing about looks.
struct LayoutRequest {
    struct Node {
        double width = 0;
        double height = 0;
        std::int32_t frame = -1;  ///< the frame around it, -1 = none
    };
    struct Frame {
        std::int32_t parent = -1;  ///< stands before this one
        double headWidth = 0;      ///< that its title needs
    };
    struct Edge {
        std::size_t from = 0;
        std::size_t to = 0;
        bool data = true;  ///< what data flows along is kept straighter
    };
    std::vector<Node> nodes;  ///< in topological order
    std::vector<Frame> frames;
    std::vector<Edge> edges;
    bool leftToRight = false;
};

struct Layout {
    double width = 0;
    double height = 0;
    std::vector<Rectangle> nodes;
    std::vector<Rectangle> frames;
    /// Curve of every edge: a start, then three points per cubic Bézier piece; the last is the arrow's tip.
    std::vector<std::vector<Point>> edges;
    std::string note;  ///< a sentence where Graphviz could not be used; empty otherwise
};

/// Height of the title of a frame.
inline constexpr double kFrameHead = 26;
/// Free space inside a frame.
inline constexpr double kFrameMargin = 14;

/// Graphviz text of the request: the same bytes for the same request.
std::string dotText(const LayoutRequest& request);

/// Lays out with the program `dot`. Throws FileError where it is missing, fails or takes longer than `limit`, and
/// InterruptedError on a stop request; the child process is killed.
Layout layoutByDot(const LayoutRequest& request, std::chrono::milliseconds limit, const std::stop_token& stop = {});

/// Lays nodes out in rows by distance from the inputs, frame by frame; takes milliseconds for thousands of nodes.
Layout layoutInRows(const LayoutRequest& request);

/// Lays out with `dot` within two seconds, else in rows with a note that says why. Throws InterruptedError.
Layout layOut(const LayoutRequest& request, const std::stop_token& stop = {});

}  // namespace tessera::report
