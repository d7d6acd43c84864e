#pragma once

#include <QString>
#include <QStringList>
#include <QVector>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/model/counts.h"
#include "core/model/graph_hierarchy.h"
#include "core/model/memory.h"
#include "core/model/model.h"
#include "ui/models/facts.h"

namespace tessera::ui {

/// Bytes of training that go with a model, by what they hold.
struct MemoryClass {
    QString name;
    QString help;
    std::optional<double> bytes;
    model::MemoryUse use = model::MemoryUse::weights;
};

/// A loaded model with all that its views show. Made on a worker thread, then only read.
struct ModelContents {
    QString key;
    model::LoadOptions options;
    model::Model model;
    model::Summary summary;
    model::GraphHierarchy hierarchy;
    std::vector<model::NodeTotals> totals;     ///< by hierarchy node
    std::optional<model::LayerGraph> layers;   ///< empty where a shape that it needs is unknown
    QString layersProblem;                     ///< why it is empty, a sentence
    std::vector<std::int32_t> nodeOfOperator;  ///< leaf of the hierarchy, by operator of the graph
    std::vector<std::int32_t> layerOfItem;     ///< index into `layers`, by hierarchy item; -1 = none
    std::vector<QString> searchTexts;          ///< name, type and shapes in lower case, by hierarchy item
    std::vector<std::string> unbound;          ///< symbolic dimensions that nothing bound
    QVector<MemoryClass> memory;

    const model::Graph* graph() const { return model.graph(); }
    const model::HierarchyNode& node(std::int32_t index) const { return hierarchy.node(index); }
    const model::NodeTotals& total(std::int32_t index) const { return totals[static_cast<std::size_t>(index)]; }
    /// The operator of an item, nullptr for inputs, outputs and layer tables.
    const model::Operator* operation(std::int32_t item) const;
    /// The layer of an item of a layer table, else nullptr.
    const model::Layer* tableLayer(std::int32_t item) const;
};

/// Fills in everything that follows from `model` and `options`.
void completeContents(ModelContents& contents);
/// Loads and counts; takes as long as the model is large. Throws like model::loadModel.
std::shared_ptr<const ModelContents> loadContents(const QString& key, const model::LoadOptions& options);

/// Names and shapes are text from strangers: one line, cut.
QString shownName(const std::string& name);
/// "1×64×112×112".
QString shownShape(const model::Shape& shape);

/// "25.6 M", "9,408": a number of things.
QString shownCount(double count);

/// Texts on a node's card.
struct NodeTexts {
    QString title, subtitle, caption, badge;
};
NodeTexts textsOf(const ModelContents& contents, std::int32_t index);
/// The name of a node in full.
QString nameOf(const ModelContents& contents, std::int32_t index);
/// Tensors along an edge: "layer1.0.add: 1×256×56×56 float32 (3.06 MB)", one line per tensor, at most eight.
QStringList tensorsOf(const ModelContents& contents, const std::vector<std::int32_t>& links);
/// Bytes that flow along an edge, each tensor once; unknown shapes count nothing.
double bytesOf(const ModelContents& contents, const std::vector<std::int32_t>& links);
/// Shapes that go in and come out, for hovering.
QString hoverTextOf(const ModelContents& contents, std::int32_t index);
/// The layer that a node belongs to or stands for; empty where it holds several or none.
QString layerOfNode(const ModelContents& contents, std::int32_t index);
/// The smallest node that holds a layer; -1 where there is no such layer.
std::int32_t nodeOfLayer(const ModelContents& contents, const QString& layer);
/// Everything about a node, for the Inspector.
Facts factsOf(const ModelContents& contents, std::int32_t index);

/// "25.6 M parameters · 4.09 G MACs · 8.24 GFLOP · 11.1 M activations · 175 operators · 54 weighted layers".
QString headlineOf(const ModelContents& contents);

}  // namespace tessera::ui
