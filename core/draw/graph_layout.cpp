#include "core/draw/graph_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/number.h"
#include "core/base/process.h"
#include "core/base/text.h"

namespace tessera::report {

namespace {

constexpr double kPointsPerInch = 72;
constexpr double kNodeGap = 26;
constexpr double kLevelGap = 34;
constexpr std::chrono::milliseconds kLongestDot{2000};

/// Frames inside frames, and the nodes directly in each; the last entry is the outside.
struct Nesting {
    explicit Nesting(const LayoutRequest& request)
        : frames(request.frames.size() + 1), nodes(request.frames.size() + 1) {
        for (std::size_t i = 0; i < request.frames.size(); ++i) frames[placeOf(request.frames[i].parent)].push_back(i);
        for (std::size_t i = 0; i < request.nodes.size(); ++i) nodes[placeOf(request.nodes[i].frame)].push_back(i);
    }
    std::size_t placeOf(std::int32_t frame) const { return frame < 0 ? frames.size() - 1 : toIndex(frame); }
    std::size_t outside() const { return frames.size() - 1; }

    std::vector<std::vector<std::size_t>> frames;
    std::vector<std::vector<std::size_t>> nodes;
};

void writeFrame(std::string& text, const LayoutRequest& request, const Nesting& nesting, std::size_t frame) {
    for (const std::size_t node : nesting.nodes[frame])
        text += fmt::format("n{} [width={:.4f},height={:.4f}];\n", node, request.nodes[node].width / kPointsPerInch,
                            request.nodes[node].height / kPointsPerInch);
    for (const std::size_t inner : nesting.frames[frame]) {
        // An empty table of fixed size keeps room for the title.
        text += fmt::format(
            "subgraph cluster_{} {{ margin={}; label=<<TABLE BORDER=\"0\" FIXEDSIZE=\"TRUE\" WIDTH=\"{:.0f}\" "
            "HEIGHT=\"{:.0f}\"><TR><TD></TD></TR></TABLE>>;\n",
            inner, kFrameMargin, request.frames[inner].headWidth, kFrameHead - 8);
        writeFrame(text, request, nesting, inner);
        text += "}\n";
    }
}

/// Numbers separated by anything else: "e,1.5,2 3,4".
std::vector<double> numbersOf(std::string_view text) {
    std::vector<double> numbers;
    const char* place = text.data();
    const char* const end = place + text.size();
    while (place < end) {
        double value = 0;
        const auto [next, error] = std::from_chars(place, end, value);
        if (error == std::errc{}) {
            numbers.push_back(value);
            place = next;
        } else {
            ++place;
        }
    }
    return numbers;
}

[[noreturn]] void failUnreadable() {
    throw FileError("the program 'dot' wrote a layout that cannot be read; another version of Graphviz may help");
}

std::vector<double> numbersOf(const Json& object, const char* key, std::size_t min) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_string()) failUnreadable();
    std::vector<double> numbers = numbersOf(found->get_ref<const std::string&>());
    if (numbers.size() < min) failUnreadable();
    return numbers;
}

/// "n12" and "cluster_12": the number, where the name begins with `start`.
std::int64_t indexAfter(std::string_view start, const std::string& name, std::size_t count) {
    if (!name.starts_with(start)) return -1;
    std::size_t index = 0;
    const auto [next, error] = std::from_chars(name.data() + start.size(), name.data() + name.size(), index);
    return error == std::errc{} && index < count ? static_cast<std::int64_t>(index) : -1;
}

/// "e,X,Y X,Y X,Y X,Y X,Y": the tip, then the curve.
std::vector<Point> curveOf(const Json& edge, double height) {
    const std::vector<double> numbers = numbersOf(edge, "pos", 10);
    std::vector<Point> points;
    for (std::size_t i = 2; i + 1 < numbers.size(); i += 2) points.push_back({numbers[i], height - numbers[i + 1]});
    points.resize(1 + (points.size() - 1) / 3 * 3);
    const Point tip{numbers[0], height - numbers[1]};
    const Point last = points.back();
    points.insert(points.end(), {last, tip, tip});
    return points;
}

Layout readLayout(const std::string& text, const LayoutRequest& request) {
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object()) failUnreadable();
    Layout layout;
    const std::vector<double> box = numbersOf(json, "bb", 4);
    layout.width = box[2];
    layout.height = box[3];
    layout.nodes.resize(request.nodes.size());
    layout.frames.resize(request.frames.size());
    layout.edges.resize(request.edges.size());
    const Json none = Json::array();
    const auto listOf = [&](const char* key) -> const Json& {
        const auto found = json.find(key);
        return found == json.end() ? none : *found;
    };
    for (const Json& object : listOf("objects")) {
        const std::string name = object.value("name", "");
        if (const auto node = indexAfter("n", name, request.nodes.size()); node >= 0) {
            const std::vector<double> centre = numbersOf(object, "pos", 2);
            const LayoutRequest::Node& size = request.nodes[static_cast<std::size_t>(node)];
            layout.nodes[static_cast<std::size_t>(node)] = {
                centre[0] - size.width / 2, layout.height - centre[1] - size.height / 2, size.width, size.height};
        } else if (const auto frame = indexAfter("cluster_", name, request.frames.size()); frame >= 0) {
            const std::vector<double> corners = numbersOf(object, "bb", 4);
            layout.frames[static_cast<std::size_t>(frame)] = {corners[0], layout.height - corners[3],
                                                              corners[2] - corners[0], corners[3] - corners[1]};
        }
    }
    for (const Json& edge : listOf("edges")) {
        const std::string id = edge.value("id", "");
        const auto index = indexAfter("e", id, request.edges.size());
        if (index >= 0) layout.edges[static_cast<std::size_t>(index)] = curveOf(edge, layout.height);
    }
    return layout;
}

/// Lays out one frame after the other, inner ones first.
class Rows {
public:
    explicit Rows(const LayoutRequest& request) : request_(request), nesting_(request) {
        layout_.nodes.resize(request.nodes.size());
        layout_.frames.resize(request.frames.size());
    }

    Layout run() && {
        const auto [width, height] = place(nesting_.outside());
        layout_.width = width;
        layout_.height = height;
        shift(nesting_.outside(), 0, 0);
        for (const LayoutRequest::Edge& edge : request_.edges) layout_.edges.push_back(curve(edge));
        if (request_.leftToRight) transpose();
        return std::move(layout_);
    }

private:
    struct Part {
        bool isFrame = false;
        std::size_t index = 0;
    };

    Rectangle& rectangleOf(const Part& part) {
        return part.isFrame ? layout_.frames[part.index] : layout_.nodes[part.index];
    }

    /// The part of `frame` that holds the node; empty where it lies elsewhere.
    std::int64_t partOf(std::size_t frame, std::size_t node,
                        const std::map<std::pair<bool, std::size_t>, std::size_t>& known) const {
        std::pair<bool, std::size_t> key(false, node);
        std::int32_t around = request_.nodes[node].frame;
        while (nesting_.placeOf(around) != frame) {
            if (around < 0) return -1;
            key = {true, toIndex(around)};
            around = request_.frames[toIndex(around)].parent;
        }
        const auto found = known.find(key);
        return found == known.end() ? -1 : static_cast<std::int64_t>(found->second);
    }

    /// Positions relative to the frame's corner; returns its size.
    std::pair<double, double> place(std::size_t frame) {
        std::vector<std::pair<std::size_t, Part>> byOrder;
        for (const std::size_t node : nesting_.nodes[frame]) {
            layout_.nodes[node] = {0, 0, sizeOf(node).first, sizeOf(node).second};
            byOrder.push_back({node, {false, node}});
        }
        for (const std::size_t inner : nesting_.frames[frame]) {
            const auto [width, height] = place(inner);
            layout_.frames[inner] = {0, 0, width, height};
            byOrder.push_back({firstNode(inner), {true, inner}});
        }
        std::sort(byOrder.begin(), byOrder.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        std::vector<Part> parts;
        for (const auto& [first, part] : byOrder) parts.push_back(part);
        return stack(frame, parts, ranksOf(frame, parts));
    }

    std::vector<std::size_t> ranksOf(std::size_t frame, const std::vector<Part>& parts) const {
        std::map<std::pair<bool, std::size_t>, std::size_t> known;
        for (std::size_t i = 0; i < parts.size(); ++i) known[{parts[i].isFrame, parts[i].index}] = i;
        std::vector<std::pair<std::size_t, std::size_t>> arrows;
        for (const LayoutRequest::Edge& edge : request_.edges) {
            const auto from = partOf(frame, edge.from, known);
            const auto to = partOf(frame, edge.to, known);
            if (from >= 0 && to >= 0 && from < to)
                arrows.emplace_back(static_cast<std::size_t>(from), static_cast<std::size_t>(to));
        }
        std::sort(arrows.begin(), arrows.end());
        std::vector<std::size_t> ranks(parts.size(), 0);
        for (const auto& [from, to] : arrows) ranks[to] = std::max(ranks[to], ranks[from] + 1);
        return ranks;
    }

    std::pair<double, double> stack(std::size_t frame, const std::vector<Part>& parts,
                                    const std::vector<std::size_t>& ranks) {
        const bool isOutside = frame == nesting_.outside();
        std::map<std::size_t, std::vector<Part>> rows;
        for (std::size_t i = 0; i < parts.size(); ++i) rows[ranks[i]].push_back(parts[i]);
        const auto widthOf = [&](const std::vector<Part>& row) {
            double width = -kNodeGap;
            for (const Part& part : row) width += rectangleOf(part).width + kNodeGap;
            return width;
        };
        double inside = isOutside ? 0 : headOf(frame);
        for (const auto& [rank, row] : rows) inside = std::max(inside, widthOf(row));
        const double margin = isOutside ? 4 : kFrameMargin;
        double y = isOutside ? margin : kFrameHead + margin / 2;
        for (auto& [rank, row] : rows) {
            double x = margin + (inside - widthOf(row)) / 2;
            double tallest = 0;
            for (const Part& part : row) {
                Rectangle& rectangle = rectangleOf(part);
                rectangle.x = x;
                rectangle.y = y;
                x += rectangle.width + kNodeGap;
                tallest = std::max(tallest, rectangle.height);
            }
            y += tallest + kLevelGap;
        }
        return {inside + 2 * margin, y - (rows.empty() ? 0 : kLevelGap) + margin};
    }

    std::pair<double, double> sizeOf(std::size_t node) const {
        const LayoutRequest::Node& size = request_.nodes[node];
        return request_.leftToRight ? std::pair(size.height, size.width) : std::pair(size.width, size.height);
    }
    double headOf(std::size_t frame) const { return request_.frames[frame].headWidth; }

    std::size_t firstNode(std::size_t frame) const {
        std::size_t first = request_.nodes.size();
        if (!nesting_.nodes[frame].empty()) first = nesting_.nodes[frame].front();
        for (const std::size_t inner : nesting_.frames[frame]) first = std::min(first, firstNode(inner));
        return first;
    }

    void shift(std::size_t frame, double x, double y) {
        for (const std::size_t node : nesting_.nodes[frame]) {
            layout_.nodes[node].x += x;
            layout_.nodes[node].y += y;
        }
        for (const std::size_t inner : nesting_.frames[frame]) {
            Rectangle& rectangle = layout_.frames[inner];
            rectangle.x += x;
            rectangle.y += y;
            shift(inner, rectangle.x, rectangle.y);
        }
    }

    /// Straight down to a near neighbour; around the side of what stands between.
    std::vector<Point> curve(const LayoutRequest::Edge& edge) const {
        const Rectangle& from = layout_.nodes[edge.from];
        const Rectangle& to = layout_.nodes[edge.to];
        const Point start{from.centre().x, from.bottom()};
        const Point end{to.centre().x, to.y};
        const double fall = end.y - start.y;
        const double bend = std::max(12.0, fall / 2);
        double aside = 0;
        if (fall > 2.5 * kLevelGap) aside = std::max(from.width, to.width) / 2 + std::min(120.0, fall / 8);
        return {start,
                {start.x + aside, start.y + std::min(bend, 80.0)},
                {end.x + aside, end.y - std::min(bend, 80.0)},
                end};
    }

    void transpose() {
        const auto turn = [](Rectangle& rectangle) {
            std::swap(rectangle.x, rectangle.y);
            std::swap(rectangle.width, rectangle.height);
        };
        std::swap(layout_.width, layout_.height);
        for (Rectangle& node : layout_.nodes) turn(node);
        for (Rectangle& frame : layout_.frames) turn(frame);
        for (std::vector<Point>& points : layout_.edges)
            for (Point& point : points) std::swap(point.x, point.y);
    }

    const LayoutRequest& request_;
    Nesting nesting_;
    Layout layout_;
};

}  // namespace

std::string dotText(const LayoutRequest& request) {
    std::string text = fmt::format(
        "digraph g {{\nrankdir={};\nnodesep={:.4f};\nranksep={:.4f};\nlabeljust=l;\nnode [shape=box,label=\"\","
        "fixedsize=true];\nedge [arrowsize=0.6];\n",
        request.leftToRight ? "LR" : "TB", kNodeGap / kPointsPerInch, kLevelGap / kPointsPerInch);
    constexpr std::size_t kMany = 150;
    if (request.nodes.size() > kMany) text += "nslimit=2;\nnslimit1=2;\nmclimit=0.5;\n";
    const Nesting nesting(request);
    writeFrame(text, request, nesting, nesting.outside());
    for (std::size_t i = 0; i < request.edges.size(); ++i) {
        const LayoutRequest::Edge& edge = request.edges[i];
        text += fmt::format("n{} -> n{} [id=e{}{}];\n", edge.from, edge.to, i, edge.data ? ",weight=4" : "");
    }
    return text + "}\n";
}

Layout layoutByDot(const LayoutRequest& request, std::chrono::milliseconds limit, const std::stop_token& stop) {
    ProcessLimits limits;
    limits.time = limit;
    limits.output = std::size_t{64} << 20;
    const ProcessResult drawn = runProcess({"dot", "-Tjson0"}, dotText(request), limits, stop);
    if (drawn.exitCode != 0)
        throw FileError(fmt::format("the program 'dot' failed with code {}: {}", drawn.exitCode,
                                    escaped(trimmed(drawn.errors), 200)));
    return readLayout(drawn.output, request);
}

Layout layoutInRows(const LayoutRequest& request) {
    return Rows(request).run();
}

Layout layOut(const LayoutRequest& request, const std::stop_token& stop) {
    if (request.nodes.empty()) return {};
    const auto start = std::chrono::steady_clock::now();
    try {
        return layoutByDot(request, kLongestDot, stop);
    } catch (const FileError& error) {
        Layout layout = layoutInRows(request);
        const bool wasSlow = std::chrono::steady_clock::now() - start >= kLongestDot;
        layout.note = wasSlow ? "Graphviz took more than 2 s for this picture, so it is drawn in plain rows; collapse "
                                "some groups for a better one."
                              : fmt::format("The graph is drawn in plain rows: {}.", error.what());
        return layout;
    }
}

}  // namespace tessera::report
