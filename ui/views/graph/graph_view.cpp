#include "ui/views/graph/graph_view.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QJsonArray>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/base/number.h"
#include "core/draw/graph_layout.h"
#include "ui/models/partition_run.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/graph/graph_camera.h"
#include "ui/views/graph/graph_overview.h"
#include "ui/views/graph/graph_painter.h"
#include "ui/views/picture_alone.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr int kMaxStates = 100;

/// What back and forward return to.
struct ViewState {
    GraphScene::Open open;
    int selected = -1;
    double zoom = 1;
    QPointF centre;  ///< of the widget, in the picture
};

bool sameView(const ViewState& one, const ViewState& other) {
    return one.open == other.open && one.selected == other.selected;
}

/// Shapes are typed with the letter x: "1x64x7" is looked for as "1×64×7".
QString withTimesSigns(QString text) {
    for (qsizetype i = 1; i + 1 < text.size(); ++i)
        if (text[i] == QLatin1Char('x') && text[i - 1].isDigit() && text[i + 1].isDigit()) text[i] = QChar(0x00D7);
    return text;
}

}  // namespace

/// The scene as one person looks at it: camera, selection, history, search and what the mouse is about.
struct GraphView::Implementation {
    explicit Implementation(GraphView* view) : q(view) {}

    GraphView* q;
    GraphScene scene;
    GraphPainter painter;
    GraphCamera camera;
    GraphOverview overview{camera};
    bool fitted = true;  ///< follows the widget's size until the user moves
    int selected = -1;

    // The node that stays in place through the next layout.
    int anchor = -1;
    QPointF anchorPlace;
    std::optional<ViewState> arriving;  ///< view to take up after the next layout
    int revealing = -1;

    std::vector<ViewState> past, future;

    std::vector<std::int32_t> found;  ///< items
    std::set<int> foundCards;
    int foundAt = -1;

    QPointF pressed;
    QPointF pressedOrigin;
    bool panning = false;
    bool moved = false;
    bool inOverview = false;
    int hovered = -1;  ///< card

    const ModelContents& contents() const { return *scene.contents(); }
    bool hasContents() const { return scene.contents() != nullptr; }
    bool hasNode(int node) const { return node >= 0 && node < static_cast<int>(contents().hierarchy.nodes.size()); }

    /// The user moved the picture.
    void afterMove() {
        fitted = false;
        q->update();
        emit q->viewMoved();
    }

    /// After a layout: keep the anchor, take up a former view, or show the beginning.
    void placeView(bool isFirst) {
        camera.picture = {scene.picture().width, scene.picture().height};
        if (arriving) {
            camera.zoom = arriving->zoom;
            camera.centreOn(arriving->centre);
        } else if (revealing >= 0) {
            showNode(revealing);
        } else if (anchor >= 0 && !scene.rectOf(anchor).isNull()) {
            camera.origin += anchorPlace - headOf(anchor);
            if (scene.isOpen(anchor)) camera.bringWhole(scene.rectOf(anchor));
        } else if (isFirst || fitted) {
            showBeginning();
        }
        arriving.reset();
        anchor = -1;
        revealing = -1;
    }

    void accept(bool isFirst) {
        painter.setPicture(&scene.picture());
        hovered = -1;
        markFound();
        placeView(isFirst);
        emit q->laidOut();
        emit q->viewChanged();
        emit q->viewMoved();
        q->update();
    }

    /// The middle of the upper edge of a node, on the widget.
    QPointF headOf(int node) const {
        const QRectF rect = camera.toWidget(scene.rectOf(node));
        return {rect.center().x(), rect.top()};
    }

    void keepInPlace(int node) {
        anchor = scene.rectOf(node).isNull() ? -1 : node;
        if (anchor < 0) return;
        anchorPlace = headOf(node);
        fitted = false;
    }

    void showBeginning() {
        const auto& cards = scene.picture().cards;
        camera.showBeginning(cards.empty() ? QRectF() : toRect(cards.front().place), scene.isLeftToRight());
    }

    void showNode(int node) {
        const QRectF rect = scene.rectOf(node);
        if (rect.isNull()) return;
        camera.bring(rect);
        afterMove();
    }

    // --- history ---
    ViewState stateNow() const { return {scene.open(), selected, camera.zoom, camera.toPicture(camera.middle())}; }

    void remember() {
        if (!hasContents()) return;
        ViewState now = stateNow();
        if (!past.empty() && sameView(past.back(), now)) past.pop_back();
        past.push_back(std::move(now));
        if (past.size() > toIndex(kMaxStates)) past.erase(past.begin());
        future.clear();
        emit q->viewChanged();
    }

    void go(std::vector<ViewState>& from, std::vector<ViewState>& to) {
        if (from.empty() || !hasContents()) return;
        to.push_back(stateNow());
        const ViewState state = std::move(from.back());
        from.pop_back();
        selected = state.selected;
        fitted = false;
        if (state.open == scene.open()) {
            camera.zoom = state.zoom;
            camera.centreOn(state.centre);
            afterMove();
        } else {
            scene.setOpen(state.open);
            arriving = state;
            scene.layOut();
        }
        emit q->viewChanged();
        q->update();
    }

    // --- finding ---
    int nodeAt(const QPointF& place) const { return scene.nodeAt(camera.toPicture(place), camera.zoom); }
    bool isOnOverview(const QPointF& place) const { return overview.isUseful() && overview.place().contains(place); }

    /// Which cards hold what was searched for.
    void markFound() {
        foundCards.clear();
        for (const std::int32_t item : found)
            if (const int card = scene.cardOf(scene.shownBy(item)); card >= 0) foundCards.insert(card);
    }

    GraphHighlight highlight() const {
        return {
            .card = scene.cardOf(selected), .frame = scene.frameOf(selected), .hovered = hovered, .found = foundCards};
    }

    // --- moving ---
    void moveOverview(const QPointF& place) {
        camera.centreOn(overview.toPicture(place));
        afterMove();
    }

    void walk(GraphStep step) {
        int next = scene.neighbour(selected, step);
        const bool isLost = scene.cardOf(selected) < 0 && scene.frameOf(selected) < 0;
        if (isLost && !scene.visible().nodes.empty()) next = scene.visible().nodes.front();
        if (next < 0) return;
        q->select(next);
        showNode(next);
    }

    /// Opens a group or folds an open one; an operator is activated.
    void act(int node) const {
        if (scene.isOpen(node))
            q->collapse(node);
        else if (scene.canOpen(node))
            q->expand(node);
        else
            emit q->nodeActivated(node);
    }

    void collapseAround(int node) const {
        const int group = scene.isOpen(node) ? node : contents().node(node).parent;
        if (group <= 0) return;
        q->select(group);
        q->collapse(group);
    }

    void selectEnd(bool first) {
        const auto& nodes = scene.visible().nodes;
        if (nodes.empty()) return;
        q->select(first ? nodes.front() : nodes.back());
        showNode(selected);
    }

    void paintSentence(QPainter& painter_, const QString& sentence) const {
        const int margin = theme().spacing(10);
        painter_.setFont(theme().font());
        painter_.setPen(theme().colour("secondary"));
        painter_.drawText(QRectF(q->rect()).adjusted(margin, margin, -margin, -margin),
                          Qt::AlignCenter | Qt::TextWordWrap, sentence);
    }

    void describe() const {
        q->setAccessibleDescription(selected >= 0 && hasContents() ? hoverTextOf(contents(), selected) : QString());
    }
};

GraphView::GraphView(QWidget* parent) : QWidget(parent), d_(new Implementation(this)) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(u"Model graph"_s);
    setStandsAlone(*this);
    setMinimumSize(theme().spacing(60), theme().spacing(40));
    d_->camera.widget = size();
    connect(&d_->scene, &GraphScene::laidOut, this, [this](bool isFirst) { d_->accept(isFirst); });
    connect(&d_->scene, &GraphScene::recoloured, this, qOverload<>(&QWidget::update));
    connect(&d_->scene, &GraphScene::waited, this, qOverload<>(&QWidget::update));
    connect(&d_->scene, &GraphScene::noted, this, &GraphView::noted);
    connect(&theme(), &Theme::changed, this, [this] {
        d_->scene.layOut();
        update();
    });
}

GraphView::~GraphView() = default;

void GraphView::setContents(std::shared_ptr<const ModelContents> contents) {
    const bool isSame = d_->scene.setContents(std::move(contents));
    if (!d_->hasContents()) return;
    if (!isSame) {
        d_->selected = -1;
        d_->past.clear();
        d_->future.clear();
        d_->fitted = true;
        d_->painter.setPicture(nullptr);
    }
    d_->found.clear();
    d_->foundCards.clear();
    d_->foundAt = -1;
    d_->scene.layOut();
    update();
}

const std::shared_ptr<const ModelContents>& GraphView::contents() const {
    return d_->scene.contents();
}

void GraphView::setColourBy(ColourBy by) {
    d_->scene.setColours(by, d_->scene.overlay());
}
ColourBy GraphView::colourBy() const {
    return d_->scene.colouredBy();
}

void GraphView::setOverlay(const GraphOverlay& overlay) {
    d_->scene.setColours(d_->scene.colouredBy(), overlay);
}

void GraphView::setLeftToRight(bool leftToRight) {
    if (d_->scene.isLeftToRight() == leftToRight) return;
    d_->scene.setLeftToRight(leftToRight);
    d_->fitted = true;
    d_->scene.layOut();
}
bool GraphView::isLeftToRight() const {
    return d_->scene.isLeftToRight();
}

void GraphView::expand(int node) {
    if (!d_->hasContents() || !d_->hasNode(node) || !d_->scene.canOpen(node) || isExpanded(node)) return;
    d_->remember();
    d_->keepInPlace(node);
    d_->scene.openGroup(node);
    d_->scene.layOut();
}

void GraphView::collapse(int node) {
    if (!d_->hasContents() || !isExpanded(node)) return;
    d_->remember();
    d_->keepInPlace(node);
    d_->scene.collapse(node);
    for (std::int32_t up = d_->selected; up > 0; up = d_->contents().node(up).parent)
        if (up == node && d_->selected != node) {
            select(node);
            break;
        }
    d_->scene.layOut();
}

void GraphView::expandAll() {
    if (!d_->hasContents()) return;
    d_->remember();
    if (!d_->scene.openAll())
        emit noted(u"Opened only up to %1 visible nodes; expand further where needed."_s.arg(kMaxVisibleNodes));
    d_->fitted = true;
    d_->scene.layOut();
}

void GraphView::collapseAll() {
    if (!d_->hasContents()) return;
    d_->remember();
    d_->scene.setOpen({});
    d_->fitted = true;
    if (d_->selected > 0) select(d_->scene.shownBy(d_->contents().node(d_->selected).first));
    d_->scene.layOut();
}

bool GraphView::isExpanded(int node) const {
    return d_->scene.isOpen(node);
}

void GraphView::select(int node) {
    if (!d_->hasContents() || (node >= 0 && !d_->hasNode(node)) || d_->selected == node) return;
    d_->selected = node;
    d_->describe();
    update();
    if (node >= 0) emit nodeSelected(node);
}
int GraphView::selected() const {
    return d_->selected;
}

void GraphView::reveal(int node) {
    if (!d_->hasContents() || node <= 0 || !d_->hasNode(node)) return;
    select(node);
    if (!d_->scene.rectOf(node).isNull() && !d_->scene.isBusy()) {
        d_->showNode(node);
        return;
    }
    d_->remember();
    d_->scene.openAround(node);
    d_->revealing = node;
    d_->scene.layOut();
}

int GraphView::search(const QString& text) {
    d_->found.clear();
    d_->foundAt = -1;
    const QString wanted = text.trimmed().toLower();
    const QString shape = withTimesSigns(wanted);
    if (d_->hasContents() && !wanted.isEmpty()) {
        const std::vector<QString>& texts = d_->contents().searchTexts;
        for (std::size_t i = 0; i < texts.size(); ++i)
            if (texts[i].contains(wanted) || (shape != wanted && texts[i].contains(shape)))
                d_->found.push_back(static_cast<std::int32_t>(i));
    }
    if (d_->hasContents()) d_->markFound();
    if (!d_->found.empty()) searchNext(1);
    emit viewChanged();
    update();
    return static_cast<int>(d_->found.size());
}

void GraphView::searchNext(int step) {
    const int count = static_cast<int>(d_->found.size());
    if (count == 0) return;
    d_->foundAt = ((d_->foundAt < 0 && step < 0 ? 0 : d_->foundAt) + step + count) % count;
    reveal(d_->contents().hierarchy.leaves[toIndex(d_->found[toIndex(d_->foundAt)])]);
    emit viewChanged();
}
int GraphView::searchPosition() const {
    return d_->foundAt + 1;
}

void GraphView::fit() {
    d_->camera.fit();
    d_->afterMove();
    d_->fitted = true;
    emit viewChanged();
}
void GraphView::zoomBy(double factor) {
    d_->camera.zoomAt(d_->camera.middle(), factor);
    d_->afterMove();
    emit viewChanged();
}
double GraphView::zoom() const {
    return d_->camera.zoom;
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

void GraphView::followView(const GraphView& other) {
    if (!isLaidOut() || !other.isLaidOut()) return;
    // The node nearest to the middle there that shows here too lies at the same place of both widgets.
    const QPointF middle = other.d_->camera.toPicture(other.d_->camera.middle());
    double min = std::numeric_limits<double>::max();
    std::optional<std::pair<QPointF, QPointF>> pair;
    for (const std::int32_t node : other.d_->scene.visible().nodes) {
        const QRectF there = other.d_->scene.rectOf(node);
        const QPointF step = there.center() - middle;
        const double distance = std::hypot(step.x(), step.y());
        if (distance >= min) continue;
        const int twin = d_->scene.visibleNamed(other.d_->contents().node(node).name);
        if (twin < 0) continue;
        min = distance;
        pair = {there.center(), d_->scene.rectOf(twin).center()};
    }
    d_->camera.zoom = other.zoom();
    d_->fitted = false;
    if (pair)
        d_->camera.origin = other.d_->camera.origin + (pair->first - pair->second) * other.zoom();
    else
        d_->camera.origin = other.d_->camera.origin;
    update();
}

bool GraphView::isLaidOut() const {
    return d_->hasContents() && !d_->scene.isBusy() && !d_->scene.isEmpty();
}
int GraphView::visibleCount() const {
    return static_cast<int>(d_->scene.visible().nodes.size());
}
QString GraphView::note() const {
    return d_->scene.note();
}
QRectF GraphView::nodeRect(int node) const {
    const QRectF rect = d_->scene.rectOf(node);
    return rect.isNull() ? rect : d_->camera.toWidget(rect);
}
QRectF GraphView::overviewRect() const {
    return d_->hasContents() && d_->overview.isUseful() ? d_->overview.place() : QRectF();
}
const report::GraphPicture& GraphView::picture() const {
    return d_->scene.picture();
}

Exportable GraphView::exportable() const {
    Exportable result;
    result.name = fileStem(toQt(picture().title.empty() ? "model" : picture().title)) + u"-graph"_s;
    if (d_->scene.isEmpty()) return result;
    const auto shown = std::make_shared<const report::GraphPicture>(picture());
    result.svg = [shown](const report::Theme& colours) { return report::toSvg(*shown, colours); };
    result.dot = [shown] { return report::toDot(*shown, report::Theme(report::ThemeKind::light)); };
    return result;
}

QJsonObject GraphView::saveView() const {
    QJsonObject view;
    for (const ColouringKind& kind : colouringKinds())
        if (kind.by == colourBy()) view[u"colour"_s] = QLatin1String(kind.id);
    view[u"leftToRight"_s] = isLeftToRight();
    if (!d_->hasContents()) return view;
    QJsonArray open;
    for (const std::int32_t node : d_->scene.open()) open.append(node);
    view[u"open"_s] = open;
    view[u"nodes"_s] = static_cast<int>(d_->contents().hierarchy.nodes.size());
    view[u"selected"_s] = d_->selected;
    view[u"fitted"_s] = d_->fitted;
    view[u"zoom"_s] = d_->camera.zoom;
    const QPointF centre = d_->camera.toPicture(d_->camera.middle());
    view[u"x"_s] = centre.x();
    view[u"y"_s] = centre.y();
    return view;
}

void GraphView::restoreView(const QJsonObject& view) {
    for (const ColouringKind& kind : colouringKinds())
        if (!kind.needsRun && view[u"colour"_s].toString() == QLatin1String(kind.id)) setColourBy(kind.by);
    d_->scene.setLeftToRight(view[u"leftToRight"_s].toBool(isLeftToRight()));
    if (!d_->hasContents()) return;
    const int count = static_cast<int>(d_->contents().hierarchy.nodes.size());
    if (view[u"nodes"_s].toInt(-1) != count) return;
    GraphScene::Open open;
    for (const QJsonValue value : view[u"open"_s].toArray())
        if (const int node = value.toInt(-1); d_->hasNode(node) && d_->scene.canOpen(node)) open.insert(node);
    if (model::visibleNodes(d_->contents().hierarchy, open) > toIndex(kMaxVisibleNodes)) return;
    d_->scene.setOpen(std::move(open));
    if (const int chosen = view[u"selected"_s].toInt(-1); d_->hasNode(chosen)) select(chosen);
    if (!view[u"fitted"_s].toBool(true)) {
        constexpr double kFarthest = 1e6;
        ViewState state;
        state.zoom = std::clamp(view[u"zoom"_s].toDouble(1), GraphCamera::kSmallestZoom, GraphCamera::kLargestZoom);
        state.centre = {std::clamp(view[u"x"_s].toDouble(), -kFarthest, kFarthest),
                        std::clamp(view[u"y"_s].toDouble(), -kFarthest, kFarthest)};
        d_->arriving = state;
        d_->fitted = false;
    }
    d_->scene.layOut();
}

QSize GraphView::sizeHint() const {
    return {900, 600};
}

void GraphView::paintEvent(QPaintEvent* /*event*/) {
    QPainter p(this);
    p.fillRect(rect(), theme().colour("surface"));
    p.setRenderHint(QPainter::Antialiasing);
    if (!d_->hasContents()) {
        d_->paintSentence(p, u"Open a model from the library to see its graph."_s);
        return;
    }
    if (!d_->scene.isEmpty()) {
        const double room = (d_->overview.isUseful() ? d_->overview.place().left() : width()) - theme().spacing(6);
        p.save();
        p.setClipRect(QRectF(rect()).adjusted(0, 0, 0, -legendHeight(picture(), room)));  // it covers no node
        p.translate(d_->camera.origin);
        p.scale(d_->camera.zoom, d_->camera.zoom);
        d_->painter.paint(p, d_->camera.visible(), d_->camera.zoom, d_->highlight());
        p.restore();
        paintLegend(p, picture(), size(), room);
        if (d_->overview.isUseful()) d_->overview.paint(p, d_->painter);
    } else if (d_->scene.isWaiting()) {
        d_->paintSentence(p, u"Drawing the graph…"_s);
    }
    if (hasFocus() && d_->selected < 0) {
        p.setPen(QPen(theme().colour("accent"), 1));
        p.setBrush(Qt::NoBrush);
        p.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
    }
}

void GraphView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    const QSizeF before = std::exchange(d_->camera.widget, QSizeF(size()));
    if (d_->scene.isEmpty()) return;
    if (d_->fitted)
        d_->showBeginning();
    else
        d_->camera.origin += d_->camera.middle() - QPointF(before.width() / 2, before.height() / 2);
}

void GraphView::wheelEvent(QWheelEvent* event) {
    event->accept();
    const QPoint turn = event->angleDelta();
    if (event->modifiers() & Qt::ShiftModifier) {
        d_->camera.origin.rx() += turn.x() + turn.y();
    } else {
        d_->camera.zoomAt(event->position(), std::pow(1.0015, turn.y()));
        emit viewChanged();
    }
    d_->afterMove();
}

void GraphView::mousePressEvent(QMouseEvent* event) {
    d_->pressed = event->position();
    d_->pressedOrigin = d_->camera.origin;
    d_->moved = false;
    if (event->button() == Qt::BackButton) {
        back();
    } else if (event->button() == Qt::ForwardButton) {
        forward();
    } else if (event->button() == Qt::LeftButton || event->button() == Qt::MiddleButton) {
        d_->inOverview = d_->hasContents() && d_->isOnOverview(event->position());
        d_->panning = !d_->inOverview;
        if (d_->inOverview) d_->moveOverview(event->position());
    }
}

void GraphView::mouseMoveEvent(QMouseEvent* event) {
    if (!d_->hasContents()) return;
    if (d_->inOverview) {
        d_->moveOverview(event->position());
        return;
    }
    if (d_->panning) {
        const QPointF step = event->position() - d_->pressed;
        if (!d_->moved && std::hypot(step.x(), step.y()) < QApplication::startDragDistance()) return;
        d_->moved = true;
        d_->camera.origin = d_->pressedOrigin + step;
        setCursor(Qt::ClosedHandCursor);
        d_->afterMove();
        return;
    }
    const bool onOverview = d_->isOnOverview(event->position());
    const QPointF point = d_->camera.toPicture(event->position());
    const int card = onOverview ? -1 : d_->scene.cardAt(point);
    const bool isHot = card >= 0 || (!onOverview && d_->scene.headAt(point, d_->camera.zoom) >= 0);
    setCursor(isHot ? Qt::PointingHandCursor : Qt::ArrowCursor);
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
    if (wasClick && d_->hasContents()) select(d_->nodeAt(event->position()));
}

void GraphView::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !d_->hasContents() || d_->isOnOverview(event->position())) return;
    const int node = d_->nodeAt(event->position());
    d_->panning = false;
    if (node < 0) return toggleAlone(*this);
    select(node);
    d_->act(node);
}

bool GraphView::walkByKey(const QKeyEvent& event) {
    const bool alt = event.modifiers() & Qt::AltModifier;
    switch (event.key()) {
        case Qt::Key_Left:
            alt ? back() : d_->walk(GraphStep::left);
            return true;
        case Qt::Key_Right:
            alt ? forward() : d_->walk(GraphStep::right);
            return true;
        case Qt::Key_Up:
            d_->walk(GraphStep::up);
            return true;
        case Qt::Key_Down:
            d_->walk(GraphStep::down);
            return true;
        case Qt::Key_Home:
        case Qt::Key_End:
            d_->selectEnd(event.key() == Qt::Key_Home);
            return true;
        default:
            return false;
    }
}

bool GraphView::actByKey(const QKeyEvent& event) {
    switch (event.key()) {
        case Qt::Key_Return:
        case Qt::Key_Enter:
        case Qt::Key_Space:
            if (d_->selected >= 0) d_->act(d_->selected);
            return true;
        case Qt::Key_Backspace:
            if (d_->selected >= 0) d_->collapseAround(d_->selected);
            return true;
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            zoomBy(1.25);
            return true;
        case Qt::Key_Minus:
            zoomBy(0.8);
            return true;
        case Qt::Key_0:
            fit();
            return true;
        case Qt::Key_F:
            if (event.modifiers() != Qt::NoModifier) return false;
            toggleAlone(*this);
            return true;
        case Qt::Key_Escape:
            select(-1);
            search({});
            return true;
        default:
            return false;
    }
}

void GraphView::keyPressEvent(QKeyEvent* event) {
    if (d_->hasContents() && (walkByKey(*event) || actByKey(*event)))
        event->accept();
    else
        QWidget::keyPressEvent(event);
}

void GraphView::fillMenu(QMenu& menu, int node) {
    if (node >= 0) {
        if (isExpanded(node))
            menu.addAction(theme().icon(u"collapse"_s), u"Fold"_s, this, [this, node] { collapse(node); });
        else if (d_->scene.canOpen(node))
            menu.addAction(theme().icon(u"expand"_s), u"Unfold"_s, this, [this, node] { expand(node); });
        menu.addAction(theme().icon(u"copy"_s), u"Copy name"_s, this,
                       [this, node] { copyText(nameOf(d_->contents(), node)); });
        menu.addSeparator();
    }
    menu.addAction(theme().icon(u"fit"_s), u"Fit"_s, this, [this] { fit(); });
    menu.addAction(theme().icon(u"expand"_s), u"Unfold all"_s, this, [this] { expandAll(); });
    menu.addAction(theme().icon(u"collapse"_s), u"Fold all"_s, this, [this] { collapseAll(); });
    menu.addAction(isAlone(*this) ? u"Back to the page"_s : u"Show alone"_s, this, [this] { toggleAlone(*this); })
        ->setShortcut(QKeySequence(Qt::Key_F));
    menu.addSeparator();
    addExportActions(menu, *this, [this] { return exportable(); });
}

void GraphView::contextMenuEvent(QContextMenuEvent* event) {
    if (!d_->hasContents()) return;
    const int node = event->reason() == QContextMenuEvent::Keyboard ? d_->selected : d_->nodeAt(event->pos());
    if (node >= 0) select(node);
    QMenu menu(this);
    fillMenu(menu, node);
    menu.exec(event->globalPos());
}

void GraphView::leaveEvent(QEvent* event) {
    QWidget::leaveEvent(event);
    if (std::exchange(d_->hovered, -1) >= 0) update();
}

QString GraphView::hoverTextAt(const QPoint& place) const {
    if (!d_->hasContents() || d_->isOnOverview(place)) return {};
    if (const int node = d_->nodeAt(place); node >= 0) return hoverTextOf(d_->contents(), node);
    constexpr double kReach = 5;  // pixels of the screen
    const int arrow = d_->painter.arrowAt(d_->camera.toPicture(place), kReach / d_->camera.zoom);
    if (arrow < 0) return {};
    return tensorsOf(d_->contents(), d_->scene.visible().edges[toIndex(arrow)].links).join(QLatin1Char('\n'));
}

bool GraphView::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const QString text = hoverTextAt(help->pos());
    if (text.isEmpty())
        QToolTip::hideText();
    else  // names are text from strangers: never read as markup
        QToolTip::showText(help->globalPos(), u"<p style='white-space:pre'>%1</p>"_s.arg(text.toHtmlEscaped()), this);
    return true;
}

}  // namespace tessera::ui
