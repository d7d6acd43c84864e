#pragma once

#include <QString>
#include <QVector>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/model/difference.h"
#include "core/report/graph_picture.h"
#include "core/study/result.h"
#include "ui/models/graph_contents.h"

namespace tessera::ui {

/// Meaning of the colours of a graph. `change` is for graphs side by side and in no menu.
enum class ColourBy { operatorClass, flops, memory, partitionType, time, change };

/// A row of the table of colourings: what menus and sessions list.
struct ColouringKind {
    ColourBy by;
    const char* id;     ///< in saved sessions; never changes
    const char* title;  ///< to be translated in the context "GraphColouring"
    bool needsRun;      ///< only where a partition of the model is given
};
const QVector<ColouringKind>& colouringKinds();
QString titleOf(const ColouringKind& kind);

/// Change of each layer between two models, by the layer's name.
using LayerChanges = std::map<std::string, model::LayerDifference::Kind>;

/// A partition whose types and times colour the graph, or what differs from another model.
struct GraphOverlay {
    std::shared_ptr<const study::Result> result;
    QString strategy;  ///< empty = the first
    int split = 0;     ///< of that strategy's plan
    std::shared_ptr<const LayerChanges> changes = {};
};

/// The look of one node.
struct NodeColour {
    std::string colour = "secondary";
    double fill = 0.1;
    std::vector<report::Stripe> stripes = {};
};

/// Colours of every node of the hierarchy, and what they mean.
struct Colouring {
    std::vector<NodeColour> nodes;
    QString legendTitle;
    std::vector<report::LegendEntry> legend;
};

/// Takes milliseconds for 10,000 operators.
Colouring colouringOf(const ModelContents& contents, ColourBy by, const GraphOverlay& overlay = {});

/// The strategies of the run, and the splits of the chosen one.
QStringList strategiesOf(const GraphOverlay& overlay);
QStringList splitsOf(const GraphOverlay& overlay);

}  // namespace tessera::ui
