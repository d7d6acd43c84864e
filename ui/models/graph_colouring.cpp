#include "ui/models/graph_colouring.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <unordered_map>

#include "core/base/number.h"
#include "core/base/units.h"
#include "core/study/partition/outcome.h"
#include "ui/models/partition_run.h"
#include "ui/models/text.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr double kTint = 0.10;

/// Of the classes of operators, in their order.
constexpr std::array<const char*, model::kOperatorClasses> kClassTitles{
    "matrix", "vector", "normalisation", "embedding", "memory and reshape", "communication", "control"};

std::string classColour(std::size_t index) {
    return std::string(report::operatorColour(model::nameOf(static_cast<model::OperatorClass>(index))));
}

constexpr std::array<const char*, 3> kTypeTitles{"I: batch", "II: input channels", "III: output channels"};

Colouring byClass(const ModelContents& contents) {
    Colouring colouring;
    colouring.legendTitle = u"Operators"_s;
    for (const model::NodeTotals& totals : contents.totals) {
        NodeColour& node = colouring.nodes.emplace_back();
        if (totals.operators == 0) continue;
        node.colour = classColour(static_cast<std::size_t>(totals.mainClass()));
        node.fill = kTint;
        for (std::size_t i = 0; i < model::kOperatorClasses; ++i)
            if (totals.operatorsByClass.at(i) > 0)
                node.stripes.push_back({classColour(i), static_cast<double>(totals.operatorsByClass.at(i)) /
                                                            static_cast<double>(totals.operators)});
    }
    for (std::size_t i = 0; i < model::kOperatorClasses; ++i)
        if (contents.totals.front().operatorsByClass.at(i) > 0)
            colouring.legend.push_back({QString::fromUtf8(kClassTitles.at(i)).toStdString(), classColour(i), 1});
    return colouring;
}

/// Values on the ramp of quantities; the square root, so that small ones can still be distinguished.
Colouring byValue(const ModelContents& contents, const QString& title, Measure measure,
                  const std::function<double(std::int32_t)>& valueOf) {
    Colouring colouring;
    colouring.legendTitle = title;
    std::vector<double> values;
    double max = 0;
    for (std::size_t i = 0; i < contents.hierarchy.nodes.size(); ++i) {
        values.push_back(valueOf(static_cast<std::int32_t>(i)));
        if (i > 0) max = std::max(max, values.back());
    }
    for (const double value : values) {
        const double share = max > 0 && value > 0 ? std::min(1.0, std::sqrt(value / max)) : 0;
        colouring.nodes.push_back({report::quantityColour(share), 1, {}});
    }
    for (const double share : {0.0, 0.25, 1.0})
        colouring.legend.push_back({formatQuantity(share * max, measure), report::quantityColour(std::sqrt(share)), 1});
    return colouring;
}

const partition::Plan* overlayPlan(const GraphOverlay& overlay) {
    if (overlay.result == nullptr) return nullptr;
    const auto* outcome = overlay.result->outcome.as<study::PartitionOutcome>();
    if (outcome == nullptr) return nullptr;
    const std::string strategy = overlay.strategy.toStdString();
    for (const partition::Plan& plan : outcome->result.plans)
        if (plan.strategy == strategy || strategy.empty()) return &plan;
    return nullptr;
}

/// What the plan says about each layer of the model, by the layer's name.
struct LayerFate {
    int type = -1;
    double seconds = 0;
};
std::vector<LayerFate> fatesOf(const ModelContents& contents, const GraphOverlay& overlay) {
    std::vector<LayerFate> fates;
    if (!contents.layers) return fates;
    fates.resize(contents.layers->layers.size());
    const partition::Plan* plan = overlayPlan(overlay);
    if (plan == nullptr) return fates;
    std::unordered_map<std::string, std::size_t> known;
    for (std::size_t i = 0; i < fates.size(); ++i) known.emplace(contents.layers->layers[i].name, i);
    const auto& names = overlay.result->outcome.get<study::PartitionOutcome>().result.names;
    const auto fateOf = [&](std::int32_t layer) -> LayerFate* {
        if (layer < 0 || toIndex(layer) >= names.size()) return nullptr;
        const auto found = known.find(names[toIndex(layer)]);
        return found == known.end() ? nullptr : &fates[found->second];
    };
    if (overlay.split < 0 || toIndex(overlay.split) >= plan->levels.size()) return fates;
    const partition::LevelPlan& split = plan->levels[toIndex(overlay.split)];
    for (const partition::LayerPlan& layer : split.layers)
        if (LayerFate* fate = fateOf(layer.layer)) {
            fate->type = static_cast<int>(layer.type);
            fate->seconds = layer.compute.value + layer.intra.value + layer.inter.value;
        }
    for (const partition::JoinPlan& join : split.joins)
        if (LayerFate* fate = fateOf(join.layer)) fate->seconds = join.compute.value + join.inter.value;
    return fates;
}

/// The layers below a node, each once.
template <class Use>
void forLayers(const ModelContents& contents, const model::HierarchyNode& node, const Use& use) {
    std::vector<std::int32_t> seen;
    for (std::int32_t item = node.first; item < node.first + node.count; ++item) {
        const std::int32_t layer = contents.layerOfItem[toIndex(item)];
        if (layer >= 0) seen.push_back(layer);
    }
    std::sort(seen.begin(), seen.end());
    seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
    for (const std::int32_t layer : seen) use(toIndex(layer));
}

Colouring byType(const ModelContents& contents, const GraphOverlay& overlay) {
    Colouring colouring;
    colouring.legendTitle = u"Partition types"_s;
    const std::vector<LayerFate> fates = fatesOf(contents, overlay);
    for (const model::HierarchyNode& node : contents.hierarchy.nodes) {
        NodeColour& look = colouring.nodes.emplace_back();
        std::array<double, 3> counts{};
        double sum = 0;
        if (!fates.empty())
            forLayers(contents, node, [&](std::size_t layer) {
                if (fates[layer].type < 0) return;
                counts.at(static_cast<std::size_t>(fates[layer].type)) += 1;
                sum += 1;
            });
        if (sum == 0) continue;
        const auto max = static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
        look.colour = std::string(report::kPartitionTypes.at(max));
        look.fill = counts.at(max) == sum ? 0.22 : 0.08;
        for (std::size_t i = 0; i < counts.size(); ++i)
            if (counts.at(i) > 0)
                look.stripes.push_back({std::string(report::kPartitionTypes.at(i)), counts.at(i) / sum});
    }
    for (std::size_t i = 0; i < kTypeTitles.size(); ++i)
        colouring.legend.push_back(
            {QString::fromUtf8(kTypeTitles.at(i)).toStdString(), std::string(report::kPartitionTypes.at(i)), 1});
    return colouring;
}

Colouring byTime(const ModelContents& contents, const GraphOverlay& overlay) {
    const std::vector<LayerFate> fates = fatesOf(contents, overlay);
    return byValue(contents, u"Time at this split"_s, Measure::seconds, [&](std::int32_t index) {
        double seconds = 0;
        if (!fates.empty())
            forLayers(contents, contents.node(index), [&](std::size_t layer) { seconds += fates[layer].seconds; });
        return seconds;
    });
}

/// What became of a layer, and how that looks.
struct ChangeLook {
    model::LayerDifference::Kind kind;
    const char* title;
    const char* colour;
};
constexpr std::array kChanges{ChangeLook{model::LayerDifference::Kind::added, "only here", "good"},
                              ChangeLook{model::LayerDifference::Kind::removed, "gone", "bad"},
                              ChangeLook{model::LayerDifference::Kind::changed, "changed", "warning"}};

Colouring byChange(const ModelContents& contents, const GraphOverlay& overlay) {
    Colouring colouring;
    colouring.legendTitle = u"Layers"_s;
    std::array<double, kChanges.size()> all{};
    for (const model::HierarchyNode& node : contents.hierarchy.nodes) {
        NodeColour& look = colouring.nodes.emplace_back();
        std::array<double, kChanges.size()> counts{};
        double layers = 0;
        if (overlay.changes && contents.layers)
            forLayers(contents, node, [&](std::size_t layer) {
                layers += 1;
                const auto found = overlay.changes->find(contents.layers->layers[layer].name);
                if (found == overlay.changes->end()) return;
                for (std::size_t i = 0; i < kChanges.size(); ++i)
                    if (kChanges.at(i).kind == found->second) counts.at(i) += 1;
            });
        const auto max = static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
        for (std::size_t i = 0; i < counts.size(); ++i) {
            all.at(i) += counts.at(i);
            if (counts.at(i) > 0) look.stripes.push_back({kChanges.at(i).colour, counts.at(i) / layers});
        }
        if (counts.at(max) == 0) continue;
        look.colour = kChanges.at(max).colour;
        look.fill = counts.at(max) == layers ? 0.22 : kTint;
    }
    for (std::size_t i = 0; i < kChanges.size(); ++i)
        if (all.at(i) > 0)
            colouring.legend.push_back(
                {QString::fromUtf8(kChanges.at(i).title).toStdString(), kChanges.at(i).colour, 1});
    colouring.legend.push_back({u"the same"_s.toStdString(), "secondary", 0.4});
    return colouring;
}

}  // namespace

const QVector<ColouringKind>& colouringKinds() {
    static const QVector<ColouringKind> kKinds{
        {ColourBy::operatorClass, "class", "operator class", false},
        {ColourBy::flops, "flops", "FLOPs", false},
        {ColourBy::memory, "memory", "memory", false},
        {ColourBy::partitionType, "type", "partition type", true},
        {ColourBy::time, "time", "time", true},
    };
    return kKinds;
}

QString titleOf(const ColouringKind& kind) {
    return QString::fromUtf8(kind.title);
}

Colouring colouringOf(const ModelContents& contents, ColourBy by, const GraphOverlay& overlay) {
    switch (by) {
        case ColourBy::operatorClass:
            break;
        case ColourBy::flops:
            return byValue(contents, u"FLOPs"_s, Measure::flops,
                           [&](std::int32_t node) { return contents.total(node).flops.value_or(0); });
        case ColourBy::memory:
            return byValue(contents, u"Parameters and activations"_s, Measure::bytes, [&](std::int32_t node) {
                return contents.total(node).parameterBytes.value_or(0) +
                       contents.total(node).activationBytes.value_or(0);
            });
        case ColourBy::partitionType:
            return byType(contents, overlay);
        case ColourBy::time:
            return byTime(contents, overlay);
        case ColourBy::change:
            return byChange(contents, overlay);
    }
    return byClass(contents);
}

QStringList strategiesOf(const GraphOverlay& overlay) {
    QStringList strategies;
    if (overlay.result == nullptr) return strategies;
    if (const auto* outcome = overlay.result->outcome.as<study::PartitionOutcome>())
        for (const partition::Plan& plan : outcome->result.plans) strategies << toQt(plan.strategy);
    return strategies;
}

QStringList splitsOf(const GraphOverlay& overlay) {
    QStringList splits;
    const partition::Plan* plan = overlayPlan(overlay);
    if (plan == nullptr) return splits;
    const PartitionRun run(overlay.result);
    const int index = run.planNamed(toQt(plan->strategy));
    for (std::size_t split = 0; split < plan->levels.size(); ++split)
        splits << run.splitTitle(index, static_cast<int>(split));
    return splits;
}

}  // namespace tessera::ui
