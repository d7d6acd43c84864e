#pragma once

#include <QFont>
#include <QPainter>
#include <QPainterPath>
#include <QRectF>
#include <QVector>
#include <set>

#include "core/report/graph_picture.h"

namespace tessera::ui {

inline QRectF toRect(const report::Rectangle& place) {
    return {place.x, place.y, place.width, place.height};
}
inline QPointF toPoint(const report::Point& point) {
    return {point.x, point.y};
}

/// Emphasised parts while painting.
struct GraphHighlight {
    int card = -1;     ///< selected
    int frame = -1;    ///< selected
    int hovered = -1;  ///< card under the mouse
    std::set<int> found = {};
};

/// Fonts of cards at scale 1.
QFont cardTitleFont();
QFont cardLineFont();
/// Size of a card that holds its texts; long ones are cut.
QSizeF cardSize(const report::Card& card);
/// Width that the title of a frame needs.
double frameHeadWidth(const report::CardFrame& frame);

/// Paints a GraphPicture in its own coordinates; `scale` is the painter's, for the level of detail.
class GraphPainter {
public:
    /// Prepares paths of the arrows.
    void setPicture(const report::GraphPicture* picture);
    /// Paints what lies in `visible`.
    void paint(QPainter& painter, const QRectF& visible, double scale, const GraphHighlight& highlight) const;
    /// The small overview: boxes only.
    void paintOverview(QPainter& painter) const;
    /// The arrow near a point, -1 = none.
    int arrowAt(const QPointF& point, double reach) const;

private:
    void paintFrame(QPainter& painter, const report::CardFrame& frame, double scale, bool selected) const;
    void paintArrow(QPainter& painter, std::size_t index, const QColor& colour, double more) const;
    void paintCard(QPainter& painter, const report::Card& card, double scale, bool selected, bool hovered,
                   bool found) const;
    void paintTexts(QPainter& painter, const report::Card& card, double scale) const;

    const report::GraphPicture* picture_ = nullptr;
    QVector<QPainterPath> arrows_;
};

}  // namespace tessera::ui
