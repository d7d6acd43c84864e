#include "ui/views/graph_view.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QElapsedTimer>
#include <QHelpEvent>
#include <QJsonArray>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QPointer>
#include <QTimer>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stop_token>
#include <unordered_map>

#include "core/report/graph_layout.h"
#include "ui/models/background.h"
#include "ui/theme/theme.h"
#include "ui/views/graph_painter.h"

namespace tessera::ui {

namespace {

constexpr double kSmallestZoom = 0.02;
constexpr double kLargestZoom = 4;
constexpr double kReadableZoom = 0.9;
constexpr double kLegibleZoom = 0.78;  ///< a picture that fits at this scale is shown whole
constexpr double kFitMargin = 28;
constexpr int kMostStates = 100;
constexpr std::size_t kMostLayouts = 64;
constexpr int kQuietTime = 250;  // ms before a wait is mentioned
constexpr QSizeF kOverview(168, 128);
constexpr double kOverviewGap = 12;

std::size_t at(int value) {
    return static_cast<std::size_t>(value);
}

/// Layouts by the text that was laid out, the last ones.
class LayoutCache {
public:
    std::shared_ptr<const report::Layout> find(const std::string& text) const {
        const auto found = layouts_.find(text);
        return found == layouts_.end() ? nullptr : found->second;
    }
    void add(const std::string& text, std::shared_ptr<const report::Layout> layout) {
        if (layouts_.size() >= kMostLayouts) layouts_.clear();
        layouts_[text] = std::move(layout);
    }

private:
    std::unordered_map<std::string, std::shared_ptr<const report::Layout>> layouts_;
};

LayoutCache& layoutCache() {
    static LayoutCache cache;
    return cache;
}

/// What back and forward return to.
struct ViewState {
    std::set<std::int32_t> expanded;
    int selected = -1;
    double zoom = 1;
    QPointF centre;  ///< of the widget, in the picture
};

bool sameView(const ViewState& one, const ViewState& other) {
    return one.expanded == other.expanded && one.selected == other.selected;
}

}  // namespace

struct GraphView::Implementation {
    explicit Implementation(GraphView* view) : q(view) {
        wait.setSingleShot(true);
        QObject::connect(&wait, &QTimer::timeout, q, [this] {
            showsWait = true;
            q->update();
        });
    }

    GraphView* q;
    std::shared_ptr<const ModelContents> contents;
    ColourBy by = ColourBy::operatorClass;
    GraphOverlay overlay;
    Colouring colouring;
    bool leftToRight = false;

    std::set<std::int32_t> expanded;
    int selected = -1;

    // What is on the screen: the folded graph with its layout.
    model::FoldedGraph folded;
    std::unordered_map<std::int32_t, int> cardOf, frameOf;  ///< by node
    report::GraphPicture picture;
    GraphPainter painter;
    QString note;

    // What is being laid out.
    std::stop_source stop;
    int generation = 0;
    bool busy = false;
    bool showsWait = false;
    QTimer wait;

    double zoom = 1;
    QPointF origin;      ///< of the picture on the widget
    bool fitted = true;  ///< follows the widget's size until the user moves

    // The node that stays in place through the next layout.
    int anchor = -1;
    QPointF anchorPlace;
    std::optional<ViewState> arriving;  ///< view to take up after the next layout
    int revealing = -1;

    std::vector<ViewState> past, future;

    std::vector<std::int32_t> found;  ///< items
    int foundAt = -1;
    QString foundText;

    QPointF pressed;
    QPointF pressedOrigin;
    bool panning = false;
    bool moved = false;
    bool inOverview = false;
    int hovered = -1;  ///< card

    // --- coordinates ---
    QPointF toPicture(const QPointF& point) const { return (point - origin) / zoom; }
    QRectF toWidget(const QRectF& rect) const { return {rect.topLeft() * zoom + origin, rect.size() * zoom}; }
    QRectF visible() const { return {toPicture({0, 0}), QSizeF(q->size()) / zoom}; }
    QRectF bounds() const { return {0, 0, picture.width, picture.height}; }

    // --- layout ---
    report::Card cardFor(std::int32_t node) const {
        const NodeTexts texts = textsOf(*contents, node);
        const model::FoldNode& fold = contents->node(node);
        report::Card card;
        card.title = texts.title.toStdString();
        card.subtitle = texts.subtitle.toStdString();
        card.caption = texts.caption.toStdString();
        card.badge = texts.badge.toStdString();
        if (!fold.children.empty()) card.behind = fold.kind == model::FoldKind::repeat ? 2 : 1;
        const auto isEnd = [&](std::int32_t item) {
            return contents->fold.items[at(item)].source != model::FoldSource::operation;
        };
        card.pill = isEnd(fold.first) && isEnd(fold.first + fold.count - 1);
        return card;
    }

    void requestLayout() {
        if (!contents) return;
        stop.request_stop();
        stop = std::stop_source();
        const int request = ++generation;
        auto graph = std::make_shared<model::FoldedGraph>(model::foldedGraph(contents->fold, expanded));
        auto next = std::make_shared<report::GraphPicture>();
        auto plan = std::make_shared<report::LayoutRequest>();
        prepare(*graph, *next, *plan);
        const std::string text = report::dotText(*plan);
        if (const auto known = layoutCache().find(text)) {
            accept(*graph, *next, *plan, *known);
            return;
        }
        busy = true;
        wait.start(kQuietTime);
        inBackground(
            q, [plan, token = stop.get_token()] { return report::layOut(*plan, token); },
            [this, request, graph, next, plan, text](report::Layout layout) {
                const auto kept = std::make_shared<const report::Layout>(std::move(layout));
                if (kept->note.empty()) layoutCache().add(text, kept);
                if (request == generation) accept(*graph, *next, *plan, *kept);
            },
            [this, request](const QString& problem) {
                if (request != generation) return;
                busy = false;
                wait.stop();
                emit q->noted(problem);
            });
    }

    void prepare(const model::FoldedGraph& graph, report::GraphPicture& next, report::LayoutRequest& plan) const {
        next.title = shownName(contents->model.name).toStdString();
        plan.leftToRight = leftToRight;
        std::unordered_map<std::int32_t, std::int32_t> frames;
        std::unordered_map<std::int32_t, std::size_t> cards;
        const auto frameAround = [&](std::int32_t node) {
            const auto found_ = frames.find(contents->node(node).parent);
            return found_ == frames.end() ? -1 : found_->second;
        };
        for (const std::int32_t node : graph.open) {
            const NodeTexts texts = textsOf(*contents, node);
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
        for (const model::FoldedEdge& edge : graph.edges) {
            plan.edges.push_back({cards.at(edge.from), cards.at(edge.to), edge.data});
            const double bytes = bytesOf(*contents, edge.links);
            const double thick = bytes > 0 ? std::clamp((std::log10(bytes) - 3) * 0.35, 0.0, 2.0) : 0.0;
            next.arrows.push_back({cards.at(edge.from), cards.at(edge.to), {}, 1 + thick, !edge.data});
        }
    }

    void accept(model::FoldedGraph graph, report::GraphPicture next, const report::LayoutRequest& /*plan*/,
                const report::Layout& layout) {
        busy = false;
        showsWait = false;
        wait.stop();
        next.width = layout.width;
        next.height = layout.height;
        for (std::size_t i = 0; i < next.cards.size(); ++i) next.cards[i].place = layout.nodes[i];
        for (std::size_t i = 0; i < next.frames.size(); ++i) next.frames[i].place = layout.frames[i];
        for (std::size_t i = 0; i < next.arrows.size(); ++i) next.arrows[i].points = layout.edges[i];
        const bool isFirst = picture.cards.empty();
        picture = std::move(next);
        folded = std::move(graph);
        painter.setPicture(&picture);
        cardOf.clear();
        frameOf.clear();
        for (std::size_t i = 0; i < folded.nodes.size(); ++i) cardOf[folded.nodes[i]] = static_cast<int>(i);
        for (std::size_t i = 0; i < folded.open.size(); ++i) frameOf[folded.open[i]] = static_cast<int>(i);
        hovered = -1;
        recolour();
        note = QString::fromStdString(layout.note);
        if (!note.isEmpty()) emit q->noted(note);
        placeView(isFirst);
        emit q->laidOut();
        emit q->viewChanged();
        q->update();
    }

    /// After a layout: keep the anchor, take up a former view, or show the beginning.
    void placeView(bool isFirst) {
        if (arriving) {
            zoom = arriving->zoom;
            centreOn(arriving->centre);
            arriving.reset();
        } else if (revealing >= 0) {
            showNode(revealing);
        } else if (anchor >= 0 && !rectOf(anchor).isNull()) {
            const QRectF rect = rectOf(anchor);
            origin += anchorPlace - toWidget(QRectF(QPointF(rect.center().x(), rect.top()), QSizeF())).topLeft();
        } else if (isFirst || fitted) {
            showBeginning();
        }
        anchor = -1;
        revealing = -1;
    }

    void keepInPlace(int node) {
        anchor = node;
        const QRectF rect = rectOf(node);
        if (rect.isNull()) {
            anchor = -1;
            return;
        }
        anchorPlace = toWidget(QRectF(QPointF(rect.center().x(), rect.top()), QSizeF())).topLeft();
        fitted = false;
    }

    /// In the picture; null where the node is hidden.
    QRectF rectOf(int node) const {
        if (const auto card = cardOf.find(node); card != cardOf.end())
            return toRect(report::frontOf(picture.cards[at(card->second)]));
        if (const auto frame = frameOf.find(node); frame != frameOf.end())
            return toRect(picture.frames[at(frame->second)].place);
        return {};
    }

    double fitZoom() const {
        if (picture.width <= 0 || picture.height <= 0) return 1;
        const double wide = (q->width() - 2 * kFitMargin) / picture.width;
        const double high = (q->height() - 2 * kFitMargin - legendHeight()) / picture.height;
        return std::clamp(std::min(wide, high), kSmallestZoom, 1.25);
    }
    double legendHeight() const { return 28; }

    void fit() {
        zoom = fitZoom();
        const QSizeF space(q->width(), q->height() - legendHeight());
        origin = QPointF((space.width() - picture.width * zoom) / 2, (space.height() - picture.height * zoom) / 2);
    }

    /// Everything where that can be read, else the first part of it.
    void showBeginning() {
        fit();
        if (zoom >= kLegibleZoom) return;
        zoom = kReadableZoom;
        const double wide = picture.width * zoom;
        const double high = picture.height * zoom;
        origin.setX(wide + 2 * kFitMargin <= q->width() || !leftToRight ? (q->width() - wide) / 2 : kFitMargin);
        origin.setY(leftToRight && high + 2 * kFitMargin <= q->height() ? (q->height() - high) / 2 : kFitMargin);
        if (!leftToRight && wide > q->width() && !picture.cards.empty()) {
            const QRectF first = toRect(picture.cards.front().place);
            origin.setX(q->width() / 2.0 - first.center().x() * zoom);
        }
    }

    void centreOn(const QPointF& point) { origin = QPointF(q->width() / 2.0, q->height() / 2.0) - point * zoom; }

    void showNode(int node) {
        const QRectF rect = rectOf(node);
        if (rect.isNull()) return;
        if (zoom < 0.5) zoom = kReadableZoom;
        const QRectF onWidget = toWidget(rect);
        const QRectF inside =
            QRectF(q->rect()).adjusted(kFitMargin, kFitMargin, -kFitMargin, -kFitMargin - legendHeight());
        if (!inside.contains(onWidget))
            centreOn(QPointF(rect.center().x(), std::min(rect.center().y(), rect.top() + 200)));
        fitted = false;
    }

    void zoomAt(const QPointF& place, double factor) {
        const double next = std::clamp(zoom * factor, kSmallestZoom, kLargestZoom);
        origin = place - (place - origin) * (next / zoom);
        zoom = next;
        fitted = false;
        emit q->viewChanged();
        q->update();
    }

    // --- history ---
    ViewState stateNow() const { return {expanded, selected, zoom, toPicture(QRectF(q->rect()).center())}; }

    void remember() {
        if (!contents) return;
        ViewState now = stateNow();
        if (!past.empty() && sameView(past.back(), now)) past.pop_back();
        past.push_back(std::move(now));
        if (past.size() > at(kMostStates)) past.erase(past.begin());
        future.clear();
        emit q->viewChanged();
    }

    void go(std::vector<ViewState>& from, std::vector<ViewState>& to) {
        if (from.empty() || !contents) return;
        to.push_back(stateNow());
        const ViewState state = from.back();
        from.pop_back();
        selected = state.selected;
        fitted = false;
        if (state.expanded == expanded) {
            zoom = state.zoom;
            centreOn(state.centre);
        } else {
            expanded = state.expanded;
            arriving = state;
            requestLayout();
        }
        emit q->viewChanged();
        q->update();
    }

    // --- colours ---
    void recolour() {
        if (!contents || colouring.nodes.empty()) return;
        for (std::size_t i = 0; i < picture.cards.size(); ++i) {
            report::Card& card = picture.cards[i];
            if (card.pill) continue;
            const NodeColour& look = colouring.nodes[at(folded.nodes[i])];
            card.colour = look.colour;
            card.fill = look.fill;
            card.stripes = look.stripes;
        }
        for (std::size_t i = 0; i < picture.frames.size(); ++i) {
            const NodeColour& look = colouring.nodes[at(folded.open[i])];
            picture.frames[i].colour = look.fill >= 0.5 ? std::string("secondary") : look.colour;
        }
        picture.legendTitle = colouring.legendTitle.toStdString();
        picture.legend = colouring.legend;
    }

    // --- finding things ---
    int cardAt(const QPointF& place) const {
        const QPointF point = toPicture(place);
        for (std::size_t i = picture.cards.size(); i-- > 0;)
            if (toRect(picture.cards[i].place).contains(point)) return static_cast<int>(i);
        return -1;
    }
    /// The frame whose title is there.
    int headAt(const QPointF& place) const {
        const QPointF point = toPicture(place);
        const double head = std::max(report::kFrameHead, 18 / zoom);
        for (std::size_t i = picture.frames.size(); i-- > 0;) {
            const QRectF rect = toRect(picture.frames[i].place);
            if (QRectF(rect.topLeft(), QSizeF(rect.width(), std::min(rect.height(), head))).contains(point))
                return static_cast<int>(i);
        }
        return -1;
    }
    int nodeAt(const QPointF& place) const {
        if (const int card = cardAt(place); card >= 0) return folded.nodes[at(card)];
        if (const int frame = headAt(place); frame >= 0) return folded.open[at(frame)];
        return -1;
    }

    bool canExpand(int node) const { return node > 0 && !contents->node(node).children.empty(); }

    /// Folds the groups opened longest ago elsewhere until so many more nodes fit.
    void makeRoom(int node) {
        std::set<std::int32_t> path;
        for (std::int32_t up = node; up > 0; up = contents->node(up).parent) path.insert(up);
        while (model::visibleNodes(contents->fold, expanded) > at(kMostVisibleNodes)) {
            std::int32_t largest = -1;
            for (const std::int32_t open : expanded) {
                if (path.contains(open)) continue;
                if (largest < 0 || contents->node(open).count > contents->node(largest).count) largest = open;
            }
            if (largest < 0) break;
            expanded.erase(largest);
        }
    }

    GraphHighlight highlight() const {
        GraphHighlight result;
        result.hovered = hovered;
        if (const auto card = cardOf.find(selected); card != cardOf.end()) result.card = card->second;
        if (const auto frame = frameOf.find(selected); frame != frameOf.end()) result.frame = frame->second;
        if (contents)
            for (const std::int32_t item : found) {
                const std::int32_t node = model::visibleNodeOf(contents->fold, expanded, item);
                if (const auto card = cardOf.find(node); card != cardOf.end()) result.found.insert(card->second);
            }
        return result;
    }

    QRectF overviewRect() const {
        return {q->width() - kOverview.width() - kOverviewGap, q->height() - kOverview.height() - kOverviewGap,
                kOverview.width(), kOverview.height()};
    }
    bool showsOverview() const {
        return contents && picture.width > 0 && q->width() > 480 && q->height() > 320 &&
               !visible().adjusted(-4, -4, 4, 4).contains(bounds());
    }
    double overviewZoom() const {
        return std::min((kOverview.width() - 12) / picture.width, (kOverview.height() - 12) / picture.height);
    }
    QPointF overviewOrigin() const {
        const double scale = overviewZoom();
        return overviewRect().center() - QPointF(picture.width * scale / 2, picture.height * scale / 2);
    }
    void moveOverview(const QPointF& place) {
        centreOn((place - overviewOrigin()) / overviewZoom());
        fitted = false;
        q->update();
    }

    // --- walking ---
    void walk(int key) {
        const auto here = cardOf.find(selected);
        if (here == cardOf.end()) {
            if (const auto frame = frameOf.find(selected); frame != frameOf.end()) {
                walkFromFrame(folded.open[at(frame->second)], key);
            } else if (!folded.nodes.empty()) {
                q->select(folded.nodes.front());
                showNode(selected);
            }
            q->update();
            return;
        }
        const bool forward = key == (leftToRight ? Qt::Key_Right : Qt::Key_Down);
        const bool backward = key == (leftToRight ? Qt::Key_Left : Qt::Key_Up);
        const int card = here->second;
        const int next = forward || backward ? alongEdge(card, forward)
                                             : beside(card, key == (leftToRight ? Qt::Key_Down : Qt::Key_Right));
        if (next < 0) return;
        q->select(folded.nodes[at(next)]);
        showNode(selected);
        q->update();
    }

    void walkFromFrame(int node, int key) {
        const std::int32_t first = contents->node(node).first;
        const std::int32_t last = first + contents->node(node).count - 1;
        const bool back = key == Qt::Key_Up || key == Qt::Key_Left;
        q->select(model::visibleNodeOf(contents->fold, expanded, back ? last : first));
        showNode(selected);
    }

    /// The neighbour that most data goes to (or comes from), nearest first.
    int alongEdge(int card, bool forward) const {
        int best = -1;
        double least = std::numeric_limits<double>::max();
        const QPointF here = toPoint(picture.cards[at(card)].place.centre());
        for (const report::Arrow& arrow : picture.arrows) {
            const int from = static_cast<int>(arrow.from);
            const int to = static_cast<int>(arrow.to);
            if ((forward ? from : to) != card) continue;
            const int other = forward ? to : from;
            const QPointF step = toPoint(picture.cards[at(other)].place.centre()) - here;
            const double distance = std::hypot(step.x(), step.y()) + (arrow.dashed ? 1e6 : 0);
            if (distance < least) {
                least = distance;
                best = other;
            }
        }
        return best;
    }

    /// The nearest card to the side, on about the same row.
    int beside(int card, bool later) const {
        int best = -1;
        double least = std::numeric_limits<double>::max();
        const QPointF here = toPoint(picture.cards[at(card)].place.centre());
        for (std::size_t i = 0; i < picture.cards.size(); ++i) {
            QPointF step = toPoint(picture.cards[i].place.centre()) - here;
            if (leftToRight) step = {step.y(), step.x()};
            const double ahead = later ? step.x() : -step.x();
            if (ahead <= 1 || std::abs(step.y()) > 1.5 * ahead + 40) continue;
            const double distance = ahead + 3 * std::abs(step.y());
            if (distance < least) {
                least = distance;
                best = static_cast<int>(i);
            }
        }
        return best;
    }

    // --- painting ---
    void paintOverview(QPainter& p) const {
        const QRectF place = overviewRect();
        p.setPen(theme().colour("border"));
        QColor ground = theme().colour("raised");
        ground.setAlphaF(0.94F);
        p.setBrush(ground);
        p.drawRoundedRect(place, theme().radius(), theme().radius());
        p.save();
        p.setClipRect(place.adjusted(1, 1, -1, -1));
        p.translate(overviewOrigin());
        p.scale(overviewZoom(), overviewZoom());
        painter.paintOverview(p);
        p.restore();
        QRectF view = visible().intersected(bounds().adjusted(-40, -40, 40, 40));
        view = QRectF(view.topLeft() * overviewZoom() + overviewOrigin(), view.size() * overviewZoom());
        p.setPen(QPen(theme().colour("accent"), 1.5));
        QColor tint = theme().colour("accent");
        tint.setAlphaF(0.10F);
        p.setBrush(tint);
        p.drawRoundedRect(view.intersected(place.adjusted(2, 2, -2, -2)), 2, 2);
    }

    void paintLegend(QPainter& p) const {
        if (colouring.legend.empty()) return;
        const QFont font = theme().font(Theme::Text::caption);
        const QFontMetricsF metrics(font);
        p.setFont(font);
        const double row = 24;
        double width = metrics.horizontalAdvance(colouring.legendTitle) + 20;
        for (const report::LegendEntry& entry : colouring.legend)
            width += metrics.horizontalAdvance(QString::fromStdString(entry.name)) + 30;
        const QRectF place(kOverviewGap, q->height() - row - kOverviewGap, width, row);
        QColor ground = theme().colour("raised");
        ground.setAlphaF(0.94F);
        p.setPen(theme().colour("border"));
        p.setBrush(ground);
        p.drawRoundedRect(place, theme().radius(), theme().radius());
        double x = place.left() + 10;
        const auto text = [&](const QString& words, const char* token) {
            p.setPen(theme().colour(token));
            p.drawText(QRectF(x, place.top(), width, row), Qt::AlignLeft | Qt::AlignVCenter, words);
            x += metrics.horizontalAdvance(words);
        };
        text(colouring.legendTitle, "secondary");
        for (const report::LegendEntry& entry : colouring.legend) {
            x += 14;
            p.setPen(Qt::NoPen);
            QColor colour = theme().dataColour(entry.colour);
            colour.setAlphaF(static_cast<float>(entry.fill));
            p.setBrush(colour);
            p.drawRoundedRect(QRectF(x, place.center().y() - 5, 10, 10), 2, 2);
            x += 15;
            text(QString::fromStdString(entry.name), "text");
            x += 1;
        }
    }

    void paintSentence(QPainter& p, const QString& sentence) const {
        p.setFont(theme().font());
        p.setPen(theme().colour("secondary"));
        p.drawText(QRectF(q->rect()).adjusted(40, 40, -40, -40), Qt::AlignCenter | Qt::TextWordWrap, sentence);
    }

    void describe() {
        const QString words = selected >= 0 && contents ? hoverTextOf(*contents, selected) : QString();
        q->setAccessibleDescription(words);
    }
};

GraphView::GraphView(QWidget* parent) : QWidget(parent), d_(new Implementation(this)) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(tr("Model graph"));
    setMinimumSize(240, 160);
    connect(&theme(), &Theme::changed, this, [this] {
        if (d_->contents) d_->requestLayout();
        update();
    });
}

GraphView::~GraphView() {
    d_->stop.request_stop();
}

void GraphView::setContents(std::shared_ptr<const ModelContents> contents) {
    const bool isSame = d_->contents && contents && d_->contents->fold.nodes.size() == contents->fold.nodes.size() &&
                        d_->contents->key == contents->key;
    d_->contents = std::move(contents);
    if (!d_->contents) return;
    if (!isSame) {
        d_->expanded = model::firstExpanded(d_->contents->fold);
        d_->selected = -1;
        d_->past.clear();
        d_->future.clear();
        d_->fitted = true;
        d_->picture = {};
        d_->painter.setPicture(nullptr);
        d_->cardOf.clear();
        d_->frameOf.clear();
        d_->folded = {};
    }
    d_->found.clear();
    d_->foundAt = -1;
    d_->colouring = colouringOf(*d_->contents, d_->by, d_->overlay);
    d_->requestLayout();
    update();
}

void GraphView::setColourBy(ColourBy by) {
    d_->by = by;
    if (!d_->contents) return;
    d_->colouring = colouringOf(*d_->contents, by, d_->overlay);
    d_->recolour();
    update();
}
ColourBy GraphView::colourBy() const {
    return d_->by;
}

void GraphView::setOverlay(const GraphOverlay& overlay) {
    d_->overlay = overlay;
    setColourBy(d_->by);
}

void GraphView::setLeftToRight(bool leftToRight) {
    if (d_->leftToRight == leftToRight) return;
    d_->leftToRight = leftToRight;
    d_->fitted = true;
    d_->requestLayout();
}
bool GraphView::isLeftToRight() const {
    return d_->leftToRight;
}

void GraphView::expand(int node) {
    if (!d_->contents || !d_->canExpand(node) || isExpanded(node)) return;
    d_->remember();
    d_->keepInPlace(node);
    d_->expanded.insert(node);
    d_->makeRoom(node);
    d_->requestLayout();
}

void GraphView::collapse(int node) {
    if (!d_->contents || !isExpanded(node)) return;
    d_->remember();
    d_->keepInPlace(node);
    d_->expanded.erase(node);
    for (std::int32_t up = d_->selected; up > 0; up = d_->contents->node(up).parent)
        if (up == node && d_->selected != node) {
            select(node);
            break;
        }
    d_->requestLayout();
}

void GraphView::expandAll() {
    if (!d_->contents) return;
    d_->remember();
    bool isComplete = true;
    std::vector<std::int32_t> level(d_->contents->fold.nodes.front().children);
    while (!level.empty()) {
        std::vector<std::int32_t> next;
        for (const std::int32_t node : level) {
            const std::vector<std::int32_t>& children = d_->contents->node(node).children;
            if (children.empty()) continue;
            d_->expanded.insert(node);
            if (model::visibleNodes(d_->contents->fold, d_->expanded) > at(kMostVisibleNodes)) {
                d_->expanded.erase(node);
                isComplete = false;
            } else {
                next.insert(next.end(), children.begin(), children.end());
            }
        }
        level = std::move(next);
    }
    if (!isComplete)
        emit noted(tr("Only so much of the graph is open that %1 nodes show; open more where you look.")
                       .arg(kMostVisibleNodes));
    d_->fitted = true;
    d_->requestLayout();
}

void GraphView::collapseAll() {
    if (!d_->contents) return;
    d_->remember();
    d_->expanded.clear();
    d_->fitted = true;
    if (d_->selected > 0 && !d_->contents->fold.nodes.empty())
        select(model::visibleNodeOf(d_->contents->fold, d_->expanded, d_->contents->node(d_->selected).first));
    d_->requestLayout();
}

bool GraphView::isExpanded(int node) const {
    return d_->expanded.contains(node);
}

void GraphView::select(int node) {
    if (!d_->contents || node >= static_cast<int>(d_->contents->fold.nodes.size())) return;
    if (d_->selected == node) return;
    d_->selected = node;
    d_->describe();
    update();
    if (node >= 0) emit nodeSelected(node);
}
int GraphView::selected() const {
    return d_->selected;
}

void GraphView::reveal(int node) {
    if (!d_->contents || node <= 0 || node >= static_cast<int>(d_->contents->fold.nodes.size())) return;
    std::set<std::int32_t> open = d_->expanded;
    for (std::int32_t up = d_->contents->node(node).parent; up > 0; up = d_->contents->node(up).parent) open.insert(up);
    select(node);
    if (open == d_->expanded && !d_->busy) {
        d_->showNode(node);
        update();
        return;
    }
    d_->remember();
    d_->expanded = std::move(open);
    d_->makeRoom(node);
    d_->revealing = node;
    d_->requestLayout();
}

int GraphView::search(const QString& text) {
    d_->found.clear();
    d_->foundAt = -1;
    QString wanted = text.trimmed().toLower();
    d_->foundText = wanted;
    if (d_->contents && !wanted.isEmpty()) {
        // Shapes are typed with the letter x.
        QString shape = wanted;
        for (qsizetype i = 1; i + 1 < shape.size(); ++i)
            if (shape[i] == QLatin1Char('x') && shape[i - 1].isDigit() && shape[i + 1].isDigit())
                shape[i] = QChar(0x00D7);
        for (std::size_t i = 0; i < d_->contents->searchTexts.size(); ++i) {
            const QString& candidate = d_->contents->searchTexts[i];
            if (candidate.contains(wanted) || (shape != wanted && candidate.contains(shape)))
                d_->found.push_back(static_cast<std::int32_t>(i));
        }
    }
    if (!d_->found.empty()) searchNext(1);
    emit viewChanged();
    update();
    return static_cast<int>(d_->found.size());
}

void GraphView::searchNext(int step) {
    const int count = static_cast<int>(d_->found.size());
    if (count == 0) return;
    d_->foundAt = ((d_->foundAt < 0 && step < 0 ? 0 : d_->foundAt) + step + count) % count;
    reveal(d_->contents->fold.leaves[at(d_->found[at(d_->foundAt)])]);
    emit viewChanged();
}
int GraphView::searchPosition() const {
    return d_->foundAt + 1;
}

void GraphView::fit() {
    d_->fit();
    d_->fitted = true;
    emit viewChanged();
    update();
}
void GraphView::zoomBy(double factor) {
    d_->zoomAt(QRectF(rect()).center(), factor);
}
double GraphView::zoom() const {
    return d_->zoom;
}
void GraphView::back() {
    d_->go(d_->past, d_->future);
}
void GraphView::forward() {
    d_->go(d_->future, d_->past);
}
bool GraphView::canGoBack() const {
    return !d_->past.empty();
}
bool GraphView::canGoForward() const {
    return !d_->future.empty();
}
bool GraphView::isLaidOut() const {
    return d_->contents && !d_->busy && !d_->picture.cards.empty();
}
int GraphView::visibleCount() const {
    return static_cast<int>(d_->folded.nodes.size());
}
QString GraphView::note() const {
    return d_->note;
}
QRectF GraphView::nodeRect(int node) const {
    const QRectF rect = d_->rectOf(node);
    return rect.isNull() ? rect : d_->toWidget(rect);
}
const report::GraphPicture& GraphView::picture() const {
    return d_->picture;
}

Exportable GraphView::exportable() const {
    Exportable result;
    QString stem;
    for (const QChar c : QString::fromStdString(d_->picture.title))
        stem += c.isLetterOrNumber() || c == QLatin1Char('-') || c == QLatin1Char('_') ? c : QChar(QLatin1Char('-'));
    result.name = (stem.isEmpty() ? QStringLiteral("model") : stem.left(60)) + QStringLiteral("-graph");
    if (d_->picture.cards.empty()) return result;
    const auto picture = std::make_shared<const report::GraphPicture>(d_->picture);
    result.svg = [picture](const report::Theme& colours) { return report::toSvg(*picture, colours); };
    result.dot = [picture] { return report::toDot(*picture, report::Theme(report::ThemeKind::light)); };
    return result;
}

QJsonObject GraphView::saveView() const {
    QJsonObject view;
    for (const ColouringKind& kind : colouringKinds())
        if (kind.by == d_->by) view[QStringLiteral("colour")] = QLatin1String(kind.id);
    view[QStringLiteral("leftToRight")] = d_->leftToRight;
    if (!d_->contents) return view;
    QJsonArray open;
    for (const std::int32_t node : d_->expanded) open.append(node);
    view[QStringLiteral("open")] = open;
    view[QStringLiteral("nodes")] = static_cast<int>(d_->contents->fold.nodes.size());
    view[QStringLiteral("selected")] = d_->selected;
    view[QStringLiteral("fitted")] = d_->fitted;
    view[QStringLiteral("zoom")] = d_->zoom;
    const QPointF centre = d_->toPicture(QRectF(rect()).center());
    view[QStringLiteral("x")] = centre.x();
    view[QStringLiteral("y")] = centre.y();
    return view;
}

void GraphView::restoreView(const QJsonObject& view) {
    for (const ColouringKind& kind : colouringKinds())
        if (!kind.needsRun && view[QStringLiteral("colour")].toString() == QLatin1String(kind.id)) setColourBy(kind.by);
    d_->leftToRight = view[QStringLiteral("leftToRight")].toBool(d_->leftToRight);
    if (!d_->contents) return;
    const int count = static_cast<int>(d_->contents->fold.nodes.size());
    if (view[QStringLiteral("nodes")].toInt(-1) != count) return;
    std::set<std::int32_t> open;
    for (const QJsonValue& value : view[QStringLiteral("open")].toArray()) {
        const int node = value.toInt(-1);
        if (node > 0 && node < count && d_->canExpand(node)) open.insert(node);
    }
    if (model::visibleNodes(d_->contents->fold, open) > at(kMostVisibleNodes)) return;
    d_->expanded = std::move(open);
    const int chosen = view[QStringLiteral("selected")].toInt(-1);
    if (chosen >= 0 && chosen < count) select(chosen);
    if (!view[QStringLiteral("fitted")].toBool(true)) {
        ViewState state;
        state.zoom = std::clamp(view[QStringLiteral("zoom")].toDouble(1), kSmallestZoom, kLargestZoom);
        state.centre = {std::clamp(view[QStringLiteral("x")].toDouble(), -1e6, 1e6),
                        std::clamp(view[QStringLiteral("y")].toDouble(), -1e6, 1e6)};
        d_->arriving = state;
        d_->fitted = false;
    }
    d_->requestLayout();
}

QSize GraphView::sizeHint() const {
    return {900, 600};
}

void GraphView::paintEvent(QPaintEvent* /*event*/) {
    QPainter p(this);
    p.fillRect(rect(), theme().colour("surface"));
    p.setRenderHint(QPainter::Antialiasing);
    if (!d_->contents) {
        d_->paintSentence(p, tr("Open a model from the library to see its graph."));
        return;
    }
    if (!d_->picture.cards.empty()) {
        p.save();
        p.translate(d_->origin);
        p.scale(d_->zoom, d_->zoom);
        d_->painter.paint(p, d_->visible(), d_->zoom, d_->highlight());
        p.restore();
        d_->paintLegend(p);
        if (d_->showsOverview()) d_->paintOverview(p);
    } else if (d_->showsWait) {
        d_->paintSentence(p, tr("Drawing the graph…"));
    }
    if (hasFocus() && d_->selected < 0) {
        p.setPen(QPen(theme().colour("accent"), 1));
        p.setBrush(Qt::NoBrush);
        p.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
    }
}

void GraphView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    if (d_->picture.cards.empty()) return;
    if (d_->fitted)
        d_->showBeginning();
    else if (event->oldSize().isValid())
        d_->origin += QPointF(event->size().width() - event->oldSize().width(),
                              event->size().height() - event->oldSize().height()) /
                      2;
}

void GraphView::wheelEvent(QWheelEvent* event) {
    if (event->modifiers() & Qt::ShiftModifier) {
        d_->origin.rx() += event->angleDelta().y() + event->angleDelta().x();
        d_->fitted = false;
        update();
    } else {
        d_->zoomAt(event->position(), std::pow(1.0015, event->angleDelta().y()));
    }
    event->accept();
}

void GraphView::mousePressEvent(QMouseEvent* event) {
    d_->pressed = event->position();
    d_->pressedOrigin = d_->origin;
    d_->moved = false;
    if (event->button() == Qt::BackButton) {
        back();
        return;
    }
    if (event->button() == Qt::ForwardButton) {
        forward();
        return;
    }
    if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton) return;
    if (d_->showsOverview() && d_->overviewRect().contains(event->position())) {
        d_->inOverview = true;
        d_->moveOverview(event->position());
        return;
    }
    d_->panning = true;
}

void GraphView::mouseMoveEvent(QMouseEvent* event) {
    if (d_->inOverview) {
        d_->moveOverview(event->position());
        return;
    }
    if (d_->panning) {
        const QPointF step = event->position() - d_->pressed;
        if (!d_->moved && std::hypot(step.x(), step.y()) < QApplication::startDragDistance()) return;
        d_->moved = true;
        d_->fitted = false;
        d_->origin = d_->pressedOrigin + step;
        setCursor(Qt::ClosedHandCursor);
        update();
        return;
    }
    const bool onOverview = d_->showsOverview() && d_->overviewRect().contains(event->position());
    const int card = onOverview ? -1 : d_->cardAt(event->position());
    setCursor(card >= 0 || (!onOverview && d_->headAt(event->position()) >= 0) ? Qt::PointingHandCursor
                                                                               : Qt::ArrowCursor);
    if (card != d_->hovered) {
        d_->hovered = card;
        update();
    }
}

void GraphView::mouseReleaseEvent(QMouseEvent* event) {
    const bool wasClick = d_->panning && !d_->moved && event->button() == Qt::LeftButton;
    d_->panning = false;
    d_->inOverview = false;
    setCursor(Qt::ArrowCursor);
    if (!wasClick) return;
    const int node = d_->nodeAt(event->position());
    if (node < 0)
        select(-1);
    else
        select(node);
}

void GraphView::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    const int node = d_->nodeAt(event->position());
    if (node < 0) return;
    d_->panning = false;
    select(node);
    if (isExpanded(node))
        collapse(node);
    else if (d_->canExpand(node))
        expand(node);
    else
        emit nodeActivated(node);
}

void GraphView::keyPressEvent(QKeyEvent* event) {
    if (!d_->contents) {
        QWidget::keyPressEvent(event);
        return;
    }
    const bool alt = event->modifiers() & Qt::AltModifier;
    switch (event->key()) {
        case Qt::Key_Left:
        case Qt::Key_Right:
            if (alt) {
                event->key() == Qt::Key_Left ? back() : forward();
                break;
            }
            [[fallthrough]];
        case Qt::Key_Up:
        case Qt::Key_Down:
            d_->walk(event->key());
            break;
        case Qt::Key_Return:
        case Qt::Key_Enter:
        case Qt::Key_Space:
            if (d_->selected < 0) break;
            if (isExpanded(d_->selected))
                collapse(d_->selected);
            else if (d_->canExpand(d_->selected))
                expand(d_->selected);
            else
                emit nodeActivated(d_->selected);
            break;
        case Qt::Key_Backspace: {
            if (d_->selected < 0) break;
            const int group = isExpanded(d_->selected) ? d_->selected : d_->contents->node(d_->selected).parent;
            if (group > 0) {
                select(group);
                collapse(group);
            }
            break;
        }
        case Qt::Key_Home:
        case Qt::Key_End:
            if (!d_->folded.nodes.empty()) {
                select(event->key() == Qt::Key_Home ? d_->folded.nodes.front() : d_->folded.nodes.back());
                d_->showNode(d_->selected);
            }
            break;
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            zoomBy(1.25);
            break;
        case Qt::Key_Minus:
            zoomBy(0.8);
            break;
        case Qt::Key_0:
            fit();
            break;
        case Qt::Key_Escape:
            select(-1);
            search({});
            break;
        default:
            QWidget::keyPressEvent(event);
            return;
    }
    event->accept();
}

void GraphView::contextMenuEvent(QContextMenuEvent* event) {
    if (!d_->contents) return;
    const int node = event->reason() == QContextMenuEvent::Keyboard ? d_->selected : d_->nodeAt(event->pos());
    QMenu menu(this);
    if (node >= 0) {
        select(node);
        if (isExpanded(node))
            menu.addAction(theme().icon(QStringLiteral("collapse")), tr("Fold"), this,
                           [this, node] { collapse(node); });
        else if (d_->canExpand(node))
            menu.addAction(theme().icon(QStringLiteral("expand")), tr("Open"), this, [this, node] { expand(node); });
        menu.addAction(theme().icon(QStringLiteral("copy")), tr("Copy name"), this,
                       [this, node] { QApplication::clipboard()->setText(nameOf(*d_->contents, node)); });
        menu.addSeparator();
    }
    menu.addAction(theme().icon(QStringLiteral("fit")), tr("Fit"), this, [this] { fit(); });
    menu.addAction(theme().icon(QStringLiteral("expand")), tr("Open all"), this, [this] { expandAll(); });
    menu.addAction(theme().icon(QStringLiteral("collapse")), tr("Fold all"), this, [this] { collapseAll(); });
    menu.addSeparator();
    addExportActions(menu, *this, [this] { return exportable(); });
    menu.exec(event->globalPos());
}

void GraphView::leaveEvent(QEvent* event) {
    QWidget::leaveEvent(event);
    if (d_->hovered < 0) return;
    d_->hovered = -1;
    update();
}

bool GraphView::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip || !d_->contents) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    QString text;
    if (const int node = d_->nodeAt(help->pos()); node >= 0) {
        text = hoverTextOf(*d_->contents, node);
    } else if (const int arrow = d_->painter.arrowAt(d_->toPicture(help->pos()), 5 / d_->zoom); arrow >= 0) {
        text = tensorsOf(*d_->contents, d_->folded.edges[at(arrow)].links).join(QLatin1Char('\n'));
    }
    if (text.isEmpty())
        QToolTip::hideText();
    else  // names are text from strangers: never read as markup
        QToolTip::showText(help->globalPos(),
                           QStringLiteral("<p style='white-space:pre'>%1</p>").arg(text.toHtmlEscaped()), this);
    return true;
}

}  // namespace tessera::ui
