#pragma once

#include <QObject>
#include <QPointF>
#include <QRectF>
#include <QString>
#include <QTimer>
#include <cstdint>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/draw/graph_layout.h"
#include "core/model/graph_hierarchy.h"
#include "core/report/graph_picture.h"
#include "ui/models/graph_colouring.h"
#include "ui/models/graph_contents.h"

namespace tessera::ui {

/// Layouts may show so many nodes.
inline constexpr int kMaxVisibleNodes = 500;

/// Direction of a step between nodes, as seen on the picture.
enum class GraphStep { up, down, left, right };

/// Content of a graph view: the groups that are open, the picture of them and the positions in it, in the picture's own
/// coordinates. Layouts are made on a worker thread; the picture stays until the next one is there.
class GraphScene : public QObject {
    Q_OBJECT

public:
    using Open = std::set<std::int32_t>;

    explicit GraphScene(QObject* parent = nullptr);
    ~GraphScene() override;

    /// Says whether it is the model that was there before, with other shapes: then what is open stays.
    bool setContents(std::shared_ptr<const ModelContents> contents);
    const std::shared_ptr<const ModelContents>& contents() const { return contents_; }
    void setColours(ColourBy by, const GraphOverlay& overlay);
    ColourBy colouredBy() const { return by_; }
    const GraphOverlay& overlay() const { return overlay_; }
    void setLeftToRight(bool leftToRight) { leftToRight_ = leftToRight; }
    bool isLeftToRight() const { return leftToRight_; }

    const Open& open() const { return open_; }
    void setOpen(Open open) { open_ = std::move(open); }
    bool isOpen(int node) const { return open_.contains(node); }
    bool canOpen(int node) const { return node > 0 && !contents_->node(node).children.empty(); }
    void openGroup(int node);  ///< and folds others elsewhere until so many more nodes fit
    void collapse(int node) { open_.erase(node); }
    /// Opens the groups around a node.
    void openAround(int node);
    /// Opens all groups, level by level, as long as they fit; says whether all did.
    bool openAll();

    /// Requests a picture of what is open; `laidOut` follows, at once where the layout is known.
    void layOut();
    bool isBusy() const { return busy_; }        ///< a layout is under way
    bool isWaiting() const { return waiting_; }  ///< and has been for so long that the user should be informed
    const report::GraphPicture& picture() const { return picture_; }
    const model::VisibleGraph& visible() const { return visible_; }
    bool isEmpty() const { return picture_.cards.empty(); }
    QString note() const { return note_; }  ///< why the picture is not by Graphviz; empty otherwise

    int cardOf(int node) const;                       ///< of the picture; -1 = hidden
    int frameOf(int node) const;                      ///< of the picture; -1 = folded or hidden
    QRectF rectOf(int node) const;                    ///< null where the node is hidden
    int shownBy(int item) const;                      ///< the visible node that holds an item of the hierarchy
    int visibleNamed(const std::string& name) const;  ///< the visible node of that full name; -1 = none
    int cardAt(const QPointF& point) const;
    int nodeAt(const QPointF& point, double zoom) const;
    /// The node of the frame whose title is there. Titles do not shrink below a size on the screen.
    int headAt(const QPointF& point, double zoom) const;
    /// Next node in a direction: along the edges, or to the side; -1 = none.
    int neighbour(int node, GraphStep step) const;

signals:
    void laidOut(bool isFirst);  ///< a new picture
    void recoloured();
    void waited();
    void noted(const QString& sentence);

private:
    report::Card cardFor(std::int32_t node) const;
    void prepare(const model::VisibleGraph& graph, report::GraphPicture& next, report::LayoutRequest& plan) const;
    void accept(model::VisibleGraph graph, report::GraphPicture next, const report::Layout& layout);
    void recolour();
    void makeRoom(int node);
    std::size_t shownIn(int node) const;
    int alongEdge(int card, bool forward) const;
    int beside(int card, bool later) const;

    std::shared_ptr<const ModelContents> contents_;
    ColourBy by_ = ColourBy::operatorClass;
    GraphOverlay overlay_;
    Colouring colouring_;
    bool leftToRight_ = false;
    Open open_;

    model::VisibleGraph visible_;
    report::GraphPicture picture_;
    std::unordered_map<std::int32_t, int> cards_, frames_;  ///< by node
    std::unordered_map<std::string, int> named_;            ///< visible nodes
    QString note_;

    std::stop_source stop_;
    int generation_ = 0;
    bool busy_ = false;
    bool waiting_ = false;
    QTimer wait_;
};

}  // namespace tessera::ui
