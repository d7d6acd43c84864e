#include "ui/views/graph/graph_scene.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/base/number.h"
#include "ui/models/background.h"
#include "ui/views/graph/graph_painter.h"

namespace tessera::ui {

namespace {

constexpr std::size_t kMaxLayouts = 64;
constexpr int kQuietTime = 250;  // ms before a wait is mentioned

/// Layouts by the text that was laid out, the last ones.
class LayoutCache {
public:
    std::shared_ptr<const report::Layout> find(const std::string& text) const {
        const auto found = layouts_.find(text);
        return found == layouts_.end() ? nullptr : found->second;
    }
    void add(const std::string& text, std::shared_ptr<const report::Layout> layout) {
        if (layouts_.size() >= kMaxLayouts) layouts_.clear();
        layouts_[text] = std::move(layout);
    }

private:
    std::unordered_map<std::string, std::shared_ptr<const report::Layout>> layouts_;
};

LayoutCache& layoutCache() {
    static LayoutCache cache;
    return cache;
}

}  // namespace

GraphScene::GraphScene(QObject* parent) : QObject(parent) {
    wait_.setSingleShot(true);
    connect(&wait_, &QTimer::timeout, this, [this] {
        waiting_ = true;
        emit waited();
    });
}

GraphScene::~GraphScene() {
    stop_.request_stop();
}

bool GraphScene::setContents(std::shared_ptr<const ModelContents> contents) {
    const bool isSame = contents_ && contents &&
                        contents_->hierarchy.nodes.size() == contents->hierarchy.nodes.size() &&
                        contents_->key == contents->key;
    contents_ = std::move(contents);
    if (!contents_) return isSame;
    if (!isSame) {
        open_ = model::firstExpanded(contents_->hierarchy);
        picture_ = {};
        visible_ = {};
        cards_.clear();
        frames_.clear();
        named_.clear();
    }
    colouring_ = colouringOf(*contents_, by_, overlay_);
    return isSame;
}

void GraphScene::setColours(ColourBy by, const GraphOverlay& overlay) {
    by_ = by;
    overlay_ = overlay;
    if (!contents_) return;
    colouring_ = colouringOf(*contents_, by_, overlay_);
    recolour();
    emit recoloured();
}

void GraphScene::openGroup(int node) {
    open_.insert(node);
    makeRoom(node);
}

void GraphScene::openAround(int node) {
    for (std::int32_t up = contents_->node(node).parent; up > 0; up = contents_->node(up).parent) open_.insert(up);
    makeRoom(node);
}

/// How many nodes show inside an open group.
std::size_t GraphScene::shownIn(int node) const {
    std::size_t shown = 0;
    for (const std::int32_t child : contents_->node(node).children) shown += isOpen(child) ? shownIn(child) : 1;
    return shown;
}

bool GraphScene::openAll() {
    bool isComplete = true;
    std::size_t shown = model::visibleNodes(contents_->hierarchy, open_);
    std::vector<std::int32_t> level(contents_->hierarchy.nodes.front().children);
    while (!level.empty()) {
        std::vector<std::int32_t> next;
        for (const std::int32_t node : level) {
            const std::vector<std::int32_t>& children = contents_->node(node).children;
            if (children.empty()) continue;
            if (!isOpen(node)) {
                const std::size_t more = shownIn(node) - 1;
                if (shown + more > toIndex(kMaxVisibleNodes)) {
                    isComplete = false;
                    continue;
                }
                open_.insert(node);
                shown += more;
            }
            next.insert(next.end(), children.begin(), children.end());
        }
        level = std::move(next);
    }
    return isComplete;
}

/// Folds the largest groups elsewhere until so many nodes fit.
void GraphScene::makeRoom(int node) {
    Open path;
    for (std::int32_t up = node; up > 0; up = contents_->node(up).parent) path.insert(up);
    while (model::visibleNodes(contents_->hierarchy, open_) > toIndex(kMaxVisibleNodes)) {
        std::int32_t largest = -1;
        for (const std::int32_t group : open_) {
            if (path.contains(group)) continue;
            if (largest < 0 || contents_->node(group).count > contents_->node(largest).count) largest = group;
        }
        if (largest < 0) break;
        open_.erase(largest);
    }
}

void GraphScene::layOut() {
    if (!contents_) return;
    stop_.request_stop();
    stop_ = std::stop_source();
    const int request = ++generation_;
    auto graph = std::make_shared<model::VisibleGraph>(model::visibleGraph(contents_->hierarchy, open_));
    auto next = std::make_shared<report::GraphPicture>();
    auto plan = std::make_shared<report::LayoutRequest>();
    prepare(*graph, *next, *plan);
    const std::string text = report::dotText(*plan);
    if (const auto known = layoutCache().find(text)) {
        accept(std::move(*graph), std::move(*next), *known);
        return;
    }
    busy_ = true;
    wait_.start(kQuietTime);
    inBackground(
        this, [plan, token = stop_.get_token()] { return report::layOut(*plan, token); },
        [this, request, graph, next, text](report::Layout layout) {
            const auto kept = std::make_shared<const report::Layout>(std::move(layout));
            if (kept->note.empty()) layoutCache().add(text, kept);
            if (request == generation_) accept(std::move(*graph), std::move(*next), *kept);
        },
        [this, request](const QString& problem) {
            if (request != generation_) return;
            busy_ = false;
            wait_.stop();
            emit noted(problem);
        });
}

report::Card GraphScene::cardFor(std::int32_t node) const {
    const NodeTexts texts = textsOf(*contents_, node);
    const model::HierarchyNode& shown = contents_->node(node);
    report::Card card;
    card.title = texts.title.toStdString();
    card.subtitle = texts.subtitle.toStdString();
    card.caption = texts.caption.toStdString();
    card.badge = texts.badge.toStdString();
    if (!shown.children.empty()) card.behind = shown.kind == model::HierarchyKind::repeat ? 2 : 1;
    const auto isEnd = [&](std::int32_t item) {
        return contents_->hierarchy.items[toIndex(item)].source != model::ItemSource::operation;
    };
    card.pill = isEnd(shown.first) && isEnd(shown.first + shown.count - 1);
    return card;
}

void GraphScene::prepare(const model::VisibleGraph& graph, report::GraphPicture& next,
                         report::LayoutRequest& plan) const {
    next.title = shownName(contents_->model.name).toStdString();
    plan.leftToRight = leftToRight_;
    std::unordered_map<std::int32_t, std::int32_t> frames;
    std::unordered_map<std::int32_t, std::size_t> cards;
    const auto frameAround = [&](std::int32_t node) {
        const auto found = frames.find(contents_->node(node).parent);
        return found == frames.end() ? -1 : found->second;
    };
    for (const std::int32_t node : graph.open) {
        const NodeTexts texts = textsOf(*contents_, node);
        report::CardFrame frame;
        frame.title = texts.title.toStdString();
        frame.badge = texts.badge.toStdString();
        plan.frames.push_back({frameAround(node), frameHeadWidth(frame)});
        frames.emplace(node, static_cast<std::int32_t>(next.frames.size()));
        next.frames.push_back(std::move(frame));
    }
    for (const std::int32_t node : graph.nodes) {
        report::Card card = cardFor(node);
        const QSizeF size = cardSize(card);
        plan.nodes.push_back({size.width(), size.height(), frameAround(node)});
        cards.emplace(node, next.cards.size());
        next.cards.push_back(std::move(card));
    }
    for (const model::VisibleEdge& edge : graph.edges) {
        plan.edges.push_back({cards.at(edge.from), cards.at(edge.to), edge.data});
        const double bytes = bytesOf(*contents_, edge.links);
        const double thick = bytes > 0 ? std::clamp((std::log10(bytes) - 3) * 0.35, 0.0, 2.0) : 0.0;
        next.arrows.push_back({cards.at(edge.from), cards.at(edge.to), {}, 1 + thick, !edge.data});
    }
}

void GraphScene::accept(model::VisibleGraph graph, report::GraphPicture next, const report::Layout& layout) {
    busy_ = false;
    waiting_ = false;
    wait_.stop();
    next.width = layout.width;
    next.height = layout.height;
    for (std::size_t i = 0; i < next.cards.size(); ++i) next.cards[i].place = layout.nodes[i];
    for (std::size_t i = 0; i < next.frames.size(); ++i) next.frames[i].place = layout.frames[i];
    for (std::size_t i = 0; i < next.arrows.size(); ++i) next.arrows[i].points = layout.edges[i];
    const bool isFirst = isEmpty();
    picture_ = std::move(next);
    visible_ = std::move(graph);
    cards_.clear();
    frames_.clear();
    named_.clear();
    for (std::size_t i = 0; i < visible_.nodes.size(); ++i) {
        cards_[visible_.nodes[i]] = static_cast<int>(i);
        named_.emplace(contents_->node(visible_.nodes[i]).name, visible_.nodes[i]);
    }
    for (std::size_t i = 0; i < visible_.open.size(); ++i) frames_[visible_.open[i]] = static_cast<int>(i);
    recolour();
    note_ = QString::fromStdString(layout.note);
    if (!note_.isEmpty()) emit noted(note_);
    emit laidOut(isFirst);
}

void GraphScene::recolour() {
    if (!contents_ || colouring_.nodes.empty()) return;
    for (std::size_t i = 0; i < picture_.cards.size(); ++i) {
        report::Card& card = picture_.cards[i];
        if (card.pill) continue;
        const NodeColour& look = colouring_.nodes[toIndex(visible_.nodes[i])];
        card.colour = look.colour;
        card.fill = look.fill;
        card.stripes = look.stripes;
    }
    for (std::size_t i = 0; i < picture_.frames.size(); ++i) {
        const NodeColour& look = colouring_.nodes[toIndex(visible_.open[i])];
        picture_.frames[i].colour = look.fill >= 0.5 ? std::string("secondary") : look.colour;
    }
    picture_.legendTitle = colouring_.legendTitle.toStdString();
    picture_.legend = colouring_.legend;
}

int GraphScene::cardOf(int node) const {
    const auto found = cards_.find(node);
    return found == cards_.end() ? -1 : found->second;
}

int GraphScene::frameOf(int node) const {
    const auto found = frames_.find(node);
    return found == frames_.end() ? -1 : found->second;
}

QRectF GraphScene::rectOf(int node) const {
    if (const int card = cardOf(node); card >= 0) return toRect(report::frontOf(picture_.cards[toIndex(card)]));
    if (const int frame = frameOf(node); frame >= 0) return toRect(picture_.frames[toIndex(frame)].place);
    return {};
}

int GraphScene::shownBy(int item) const {
    return model::visibleNodeOf(contents_->hierarchy, open_, item);
}

int GraphScene::visibleNamed(const std::string& name) const {
    const auto found = named_.find(name);
    return found == named_.end() ? -1 : found->second;
}

int GraphScene::cardAt(const QPointF& point) const {
    for (std::size_t i = picture_.cards.size(); i-- > 0;)
        if (toRect(picture_.cards[i].place).contains(point)) return static_cast<int>(i);
    return -1;
}

int GraphScene::headAt(const QPointF& point, double zoom) const {
    constexpr double kSmallestHead = 18;  // pixels of the screen
    const double head = std::max(report::kFrameHead, kSmallestHead / zoom);
    for (std::size_t i = picture_.frames.size(); i-- > 0;) {
        const QRectF rect = toRect(picture_.frames[i].place);
        if (QRectF(rect.topLeft(), QSizeF(rect.width(), std::min(rect.height(), head))).contains(point))
            return visible_.open[i];
    }
    return -1;
}

int GraphScene::nodeAt(const QPointF& point, double zoom) const {
    if (const int card = cardAt(point); card >= 0) return visible_.nodes[toIndex(card)];
    return headAt(point, zoom);
}

int GraphScene::neighbour(int node, GraphStep step) const {
    if (const int frame = frameOf(node); frame >= 0) {
        const std::int32_t first = contents_->node(node).first;
        const bool back = step == GraphStep::up || step == GraphStep::left;
        return shownBy(back ? first + contents_->node(node).count - 1 : first);
    }
    const int card = cardOf(node);
    if (card < 0) return -1;
    const bool forward = step == (leftToRight_ ? GraphStep::right : GraphStep::down);
    const bool backward = step == (leftToRight_ ? GraphStep::left : GraphStep::up);
    const int next = forward || backward ? alongEdge(card, forward)
                                         : beside(card, step == (leftToRight_ ? GraphStep::down : GraphStep::right));
    return next < 0 ? -1 : visible_.nodes[toIndex(next)];
}

/// The nearest neighbour that data goes to (or comes from); one that only shapes go to where there is no other.
int GraphScene::alongEdge(int card, bool forward) const {
    int best = -1;
    double min = std::numeric_limits<double>::max();
    const QPointF here = toPoint(picture_.cards[toIndex(card)].place.centre());
    for (const report::Arrow& arrow : picture_.arrows) {
        const int from = static_cast<int>(arrow.from);
        const int to = static_cast<int>(arrow.to);
        if ((forward ? from : to) != card) continue;
        const int other = forward ? to : from;
        const QPointF step = toPoint(picture_.cards[toIndex(other)].place.centre()) - here;
        const double distance = std::hypot(step.x(), step.y()) + (arrow.dashed ? 1e6 : 0);
        if (distance < min) {
            min = distance;
            best = other;
        }
    }
    return best;
}

/// The nearest card to the side, on about the same row.
int GraphScene::beside(int card, bool later) const {
    int best = -1;
    double min = std::numeric_limits<double>::max();
    const QPointF here = toPoint(picture_.cards[toIndex(card)].place.centre());
    for (std::size_t i = 0; i < picture_.cards.size(); ++i) {
        QPointF step = toPoint(picture_.cards[i].place.centre()) - here;
        if (leftToRight_) step = {step.y(), step.x()};
        const double ahead = later ? step.x() : -step.x();
        if (ahead <= 1 || std::abs(step.y()) > 1.5 * ahead + 40) continue;
        const double distance = ahead + 3 * std::abs(step.y());
        if (distance < min) {
            min = distance;
            best = static_cast<int>(i);
        }
    }
    return best;
}

}  // namespace tessera::ui
