#include "ui/models/graph_contents.h"

#include <QSet>
#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "core/base/error.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/model/layer_sizes.h"
#include "core/model/memory.h"
#include "ui/models/text.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr int kMaxLines = 8;

QString unknown() {
    return u"unknown: a shape is not known"_s;
}

QString knownCountText(const std::optional<double>& value) {
    return value ? shownCount(*value) : unknown();
}
QString flopsText(const std::optional<double>& value) {
    return value ? toQt(formatQuantity(*value, Measure::flops)) : unknown();
}
QString bytesText(const std::optional<double>& value) {
    return value ? toQt(formatQuantity(*value, Measure::bytes)) : unknown();
}
QString exactText(const std::optional<double>& value) {
    return value ? toQt(exactNumber(*value)) : QString();
}

std::int32_t indexOf(std::size_t value) {
    return static_cast<std::int32_t>(value);
}
const model::HierarchyItem& itemOf(const ModelContents& contents, std::int32_t item) {
    return contents.hierarchy.items[toIndex(item)];
}

QString tensorText(const model::Tensor& tensor) {
    QString text = u"%1 %2"_s.arg(shownShape(tensor.shape), toQt(std::string(model::nameOf(tensor.type))));
    if (const auto bytes = bytesOf(tensor); bytes && *bytes > 0) text += u" (%1)"_s.arg(bytesText(bytes));
    return text;
}

QString mapText(double channels, const model::Map& map) {
    const QString text = countText(channels);
    if (map.area() == 1) return text;
    return u"%1×%2×%3"_s.arg(text, toQt(exactNumber(map.height)), toQt(exactNumber(map.width)));
}

/// "Conv 3×3, stride 2".
QString typeText(const model::Operator& op) {
    QString text = shownName(op.type);
    if (const auto* kernel = model::attributeAs<std::vector<std::int64_t>>(op.attributes, "kernel_shape");
        kernel != nullptr && kernel->size() <= 3) {
        QStringList sizes;
        for (const std::int64_t size : *kernel) sizes << QString::number(size);
        text += QLatin1Char(' ') + sizes.join(u"×"_s);
    }
    if (const auto* strides = model::attributeAs<std::vector<std::int64_t>>(op.attributes, "strides");
        strides != nullptr && !strides->empty() && strides->front() > 1)
        text += u", stride %1"_s.arg(strides->front());
    return text;
}

QString typeText(const model::Layer& layer) {
    QString text = toQt(std::string(model::nameOf(layer.kind)));
    if (layer.kernel.area() > 1)
        text += u" %1×%2"_s.arg(toQt(exactNumber(layer.kernel.height)), toQt(exactNumber(layer.kernel.width)));
    if (layer.groups > 1) text += u", %1 groups"_s.arg(toQt(exactNumber(layer.groups)));
    return text;
}

QString itemType(const ModelContents& contents, std::int32_t item) {
    if (const model::Operator* op = contents.operation(item)) return typeText(*op);
    if (const model::Layer* layer = contents.tableLayer(item)) return typeText(*layer);
    return itemOf(contents, item).source == model::ItemSource::input ? u"input"_s : u"output"_s;
}

/// The first output's shape.
QString itemShape(const ModelContents& contents, std::int32_t item) {
    if (const model::Layer* layer = contents.tableLayer(item)) return mapText(layer->outChannels, layer->out);
    const model::Graph& graph = *contents.graph();
    if (const model::Operator* op = contents.operation(item)) {
        for (const model::TensorIndex output : op->outputs)
            if (output != model::kNoTensor) return shownShape(graph.tensor(output).shape);
        return {};
    }
    return shownShape(graph.tensor(itemOf(contents, item).index).shape);
}

/// "Conv · BatchNormalization · Relu", or the first and how many more.
QString typesText(const ModelContents& contents, const model::HierarchyNode& node) {
    constexpr std::int32_t kMaxNamed = 3;
    constexpr qsizetype kLongest = 34;
    QStringList types;
    for (std::int32_t item = node.first; item < node.first + std::min(node.count, kMaxNamed); ++item) {
        const model::Operator* op = contents.operation(item);
        types << (op != nullptr ? shownName(op->type) : itemType(contents, item));
    }
    const QString all = types.join(u" · "_s);
    if (node.count <= kMaxNamed && all.size() <= kLongest) return all;
    return u"%1 and %2 more"_s.arg(itemType(contents, node.first)).arg(node.count - 1);
}

QString operatorsText(const ModelContents& contents, std::int64_t count) {
    const QString text = shownCount(static_cast<double>(count));
    if (contents.graph() == nullptr) return count == 1 ? u"1 layer"_s : u"%1 layers"_s.arg(text);
    return count == 1 ? u"1 operator"_s : u"%1 operators"_s.arg(text);
}

/// Tensors that pass into or out of a node, each once.
QVector<std::int32_t> boundaryOf(const ModelContents& contents, const model::HierarchyNode& node, bool incoming) {
    QVector<std::int32_t> links;
    QSet<std::int32_t> seen;
    const auto isInside = [&](std::int32_t item) { return item >= node.first && item < node.first + node.count; };
    for (std::size_t i = 0; i < contents.hierarchy.links.size(); ++i) {
        const model::HierarchyLink& link = contents.hierarchy.links[i];
        if (isInside(link.from) == isInside(link.to) || isInside(link.to) != incoming) continue;
        if (seen.contains(link.tensor)) continue;
        seen.insert(link.tensor);
        links.append(indexOf(i));
    }
    return links;
}

Facts::Section workSection(const ModelContents& contents, const model::NodeTotals& totals) {
    Facts::Section section{u"Work and memory"_s, {}};
    const auto add = [&](const QString& label, const QString& value, const std::optional<double>& exact,
                         const QString& whereFrom = {}) {
        section.rows.append(Facts::Row{label, value, exactText(exact), whereFrom});
    };
    add(u"MACs"_s, knownCountText(totals.macs), totals.macs, u"multiply-accumulates of the forward pass, no bias"_s);
    add(u"FLOPs"_s, flopsText(totals.flops), totals.flops, u"2 per MAC, plus element-wise work"_s);
    add(u"parameters"_s, knownCountText(totals.parameters), totals.parameters);
    add(u"parameter bytes"_s, bytesText(totals.parameterBytes), totals.parameterBytes,
        contents.graph() == nullptr ? u"4 bytes per element"_s : QString());
    add(u"activations"_s, knownCountText(totals.activations), totals.activations, u"elements of the outputs"_s);
    add(u"activation bytes"_s, bytesText(totals.activationBytes), totals.activationBytes);
    add(u"read and written"_s, bytesText(totals.traffic), totals.traffic, u"inputs, stored tensors and outputs"_s);
    const auto intensity = totals.intensity();
    add(u"arithmetic intensity"_s, intensity ? u"%1 FLOP per byte"_s.arg(countText(*intensity)) : unknown(), intensity,
        u"FLOPs over bytes read and written"_s);
    return section;
}

QString attributeText(const model::AttributeValue& value) {
    const auto listText = [](const auto& list, const auto& one) {
        QStringList parts;
        for (std::size_t i = 0; i < std::min<std::size_t>(list.size(), 16); ++i) parts << one(list[i]);
        if (list.size() > 16) parts << u"…"_s;
        return parts.join(u", "_s);
    };
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return QString::number(*whole);
    if (const auto* real = std::get_if<double>(&value)) return toQt(exactNumber(*real));
    if (const auto* text = std::get_if<std::string>(&value)) return shownName(*text);
    if (const auto* list = std::get_if<std::vector<std::int64_t>>(&value))
        return listText(*list, [](std::int64_t entry) { return QString::number(entry); });
    if (const auto* list = std::get_if<std::vector<double>>(&value))
        return listText(*list, [](double entry) { return toQt(exactNumber(entry)); });
    if (const auto* list = std::get_if<std::vector<std::string>>(&value))
        return listText(*list, [](const std::string& entry) { return shownName(entry); });
    return {};
}

QString roleText(model::TensorRole role) {
    switch (role) {
        case model::TensorRole::input:
            return u"input of the model"_s;
        case model::TensorRole::parameter:
            return u"trained"_s;
        case model::TensorRole::statistic:
            return u"running statistic"_s;
        case model::TensorRole::constant:
            return u"constant"_s;
        case model::TensorRole::activation:
            return u"activation"_s;
        case model::TensorRole::derived:
            return u"computed from shapes or stored values"_s;
    }
    return {};
}

Facts::Section tensorSection(const model::Graph& graph, const QString& title,
                             const std::vector<model::TensorIndex>& tensors) {
    Facts::Section section{title, {}};
    for (const model::TensorIndex index : tensors) {
        if (index == model::kNoTensor) continue;
        if (section.rows.size() >= qsizetype{4} * kMaxLines) {
            section.rows.append(Facts::Row{u"…"_s, u"and %1 more"_s.arg(tensors.size() - toIndex(4 * kMaxLines))});
            break;
        }
        const model::Tensor& tensor = graph.tensor(index);
        section.rows.append(Facts::Row{shownName(tensor.name), tensorText(tensor), {}, roleText(tensor.role)});
    }
    return section;
}

void addOperator(Facts& facts, const ModelContents& contents, const model::Operator& op) {
    const model::Graph& graph = *contents.graph();
    facts.subtitle = typeText(op);
    facts.sections.append(tensorSection(graph, u"Inputs"_s, op.inputs));
    facts.sections.append(tensorSection(graph, u"Outputs"_s, op.outputs));
    if (!op.attributes->empty()) {
        Facts::Section section{u"Attributes"_s, {}};
        for (const auto& [name, value] : op.attributes)
            section.rows.append(Facts::Row{shownName(name), attributeText(value)});
        facts.sections.append(section);
    }
    Facts::Section place{u"Belongs to"_s, {}};
    if (!op.layer.empty()) place.rows.append(Facts::Row{u"layer"_s, shownName(op.layer)});
    if (!op.block.empty()) place.rows.append(Facts::Row{u"block"_s, shownName(op.block)});
    if (!op.body.empty()) place.rows.append(Facts::Row{u"body of"_s, shownName(op.body)});
    if (!op.domain.empty()) place.rows.append(Facts::Row{u"operator domain"_s, shownName(op.domain)});
    if (!place.rows.isEmpty()) facts.sections.append(place);
    if (!op.opaque.empty()) facts.note = shownName(op.opaque);
}

void addLayer(Facts& facts, const model::Layer& layer) {
    facts.subtitle = typeText(layer);
    facts.sections.append(Facts::Section{u"Sizes per sample"_s,
                                         {Facts::Row{u"reads"_s, mapText(layer.inChannels, layer.in)},
                                          Facts::Row{u"makes"_s, mapText(layer.outChannels, layer.conv)},
                                          Facts::Row{u"hands on"_s, mapText(layer.outChannels, layer.out)}}});
}

void addGroup(Facts& facts, const ModelContents& contents, const model::HierarchyNode& node,
              const model::NodeTotals& totals) {
    facts.subtitle = operatorsText(contents, totals.operators);
    if (node.copies > 1) facts.subtitle += u" in %1 equal copies"_s.arg(node.copies);
    for (const bool incoming : {true, false}) {
        Facts::Section section{incoming ? u"Inputs"_s : u"Outputs"_s, {}};
        for (const std::int32_t link : boundaryOf(contents, node, incoming)) {
            if (section.rows.size() >= kMaxLines) break;
            if (contents.graph() == nullptr) continue;
            const model::Tensor& tensor = contents.graph()->tensor(contents.hierarchy.links[toIndex(link)].tensor);
            section.rows.append(Facts::Row{shownName(tensor.name), tensorText(tensor)});
        }
        if (!section.rows.isEmpty()) facts.sections.append(section);
    }
    Facts::Section kinds{u"Made of"_s, {}};
    for (std::size_t i = 0; i < model::kOperatorClasses; ++i)
        if (totals.operatorsByClass.at(i) > 0)
            kinds.rows.append(Facts::Row{toQt(std::string(model::nameOf(static_cast<model::OperatorClass>(i)))),
                                         operatorsText(contents, totals.operatorsByClass.at(i))});
    if (!kinds.rows.isEmpty()) facts.sections.append(kinds);
}

/// What a class of memory is called, and how it is counted.
struct MemoryText {
    model::MemoryUse use;
    const char* name;
    const char* help;
};
constexpr std::array kMemoryTexts{
    MemoryText{model::MemoryUse::weights, "Weights", "trained parameters as stored"},
    MemoryText{model::MemoryUse::gradients, "Gradients", "one per parameter, of the same type"},
    MemoryText{model::MemoryUse::optimizer, "Optimizer state (Adam)", "two 4-byte moments per parameter"},
    MemoryText{model::MemoryUse::activations, "Activations",
               "outputs that the backward pass reads; of a table of layers, all of them"},
    MemoryText{model::MemoryUse::inputs, "Inputs", "what one step reads"},
    MemoryText{model::MemoryUse::constants, "Constants and statistics", "stored, not trained"},
};

QVector<MemoryClass> memoryOf(const ModelContents& contents) {
    QVector<MemoryClass> classes;
    for (const model::MemoryPart& part : model::trainingMemory(contents.model, contents.totals.front())) {
        const MemoryText& text = kMemoryTexts.at(static_cast<std::size_t>(part.use));
        classes.append({QString::fromUtf8(text.name), QString::fromUtf8(text.help), part.bytes, part.use});
    }
    return classes;
}

QString searchTextOf(const ModelContents& contents, std::int32_t item) {
    QString text = itemType(contents, item) + QLatin1Char('\n') + itemShape(contents, item);
    if (const model::Operator* op = contents.operation(item))
        text += QLatin1Char('\n') + shownName(op->name) + QLatin1Char('\n') + shownName(op->layer);
    else if (const model::Layer* layer = contents.tableLayer(item))
        text += QLatin1Char('\n') + shownName(layer->name);
    else
        text += QLatin1Char('\n') + shownName(contents.graph()->tensor(itemOf(contents, item).index).name);
    return text.toLower();
}

void findLayers(ModelContents& contents) {
    contents.layerOfItem.assign(contents.hierarchy.items.size(), -1);
    try {
        contents.layers = model::layerGraph(contents.model);
    } catch (const DataError& error) {
        contents.layersProblem = QString::fromUtf8(error.what());
        return;
    }
    std::unordered_map<std::string, std::int32_t> known;
    for (std::size_t i = 0; i < contents.layers->layers.size(); ++i)
        for (const std::string& name : contents.layers->layers[i].operators) known.emplace(name, indexOf(i));
    for (std::size_t i = 0; i < contents.hierarchy.items.size(); ++i) {
        if (contents.graph() == nullptr) {
            contents.layerOfItem[i] = contents.hierarchy.items[i].index;
            continue;
        }
        const model::Operator* op = contents.operation(indexOf(i));
        if (op == nullptr) continue;
        const auto found = known.find(op->name);
        if (found != known.end()) contents.layerOfItem[i] = found->second;
    }
}

}  // namespace

const model::Operator* ModelContents::operation(std::int32_t item) const {
    const model::HierarchyItem& found = hierarchy.items[toIndex(item)];
    if (graph() == nullptr || found.source != model::ItemSource::operation) return nullptr;
    return &graph()->operators[toIndex(found.index)];
}

const model::Layer* ModelContents::tableLayer(std::int32_t item) const {
    const auto* table = std::get_if<model::LayerGraph>(&model.form);
    return table == nullptr ? nullptr : &table->layers[toIndex(hierarchy.items[toIndex(item)].index)];
}

void completeContents(ModelContents& contents) {
    const std::int64_t batch = contents.options.batch.value_or(1);
    if (const model::Graph* graph = contents.graph()) {
        contents.summary = model::summarise(*graph);
        contents.hierarchy = model::hierarchyOf(*graph);
        contents.totals = model::totalsOf(*graph, contents.hierarchy);
        contents.unbound = model::unboundDimensions(*graph);
    } else {
        const auto& layers = std::get<model::LayerGraph>(contents.model.form);
        contents.summary = model::summarise(layers, batch);
        contents.hierarchy = model::hierarchyOf(layers);
        contents.totals = model::totalsOf(layers, contents.hierarchy, static_cast<double>(batch));
    }
    findLayers(contents);
    contents.nodeOfOperator.assign(contents.hierarchy.items.size(), -1);
    contents.searchTexts.clear();
    for (std::size_t i = 0; i < contents.hierarchy.items.size(); ++i) {
        if (contents.hierarchy.items[i].source == model::ItemSource::operation)
            contents.nodeOfOperator[toIndex(contents.hierarchy.items[i].index)] = contents.hierarchy.leaves[i];
        contents.searchTexts.push_back(searchTextOf(contents, indexOf(i)));
    }
    contents.memory = memoryOf(contents);
}

std::shared_ptr<const ModelContents> loadContents(const QString& key, const model::LoadOptions& options) {
    auto contents = std::make_shared<ModelContents>();
    contents->key = key;
    contents->options = options;
    contents->model = model::loadModel(key.toStdString(), options);
    completeContents(*contents);
    return contents;
}

QString shownName(const std::string& name) {
    return toQt(escaped(name));
}

QString shownCount(double count) {
    if (count < 10'000) return countText(count);
    QString text = toQt(formatQuantity(count, Measure::bytes));
    text.chop(1);  // the unit's "B"
    return text.trimmed();
}

QString shownShape(const model::Shape& shape) {
    return toQt(escaped(model::toText(shape), 80)).replace(QLatin1Char('x'), u"×"_s);
}

NodeTexts textsOf(const ModelContents& contents, std::int32_t index) {
    const model::HierarchyNode& node = contents.node(index);
    NodeTexts texts;
    const std::int32_t last = node.first + node.count - 1;
    texts.title = shownName(node.label);
    if (node.kind == model::HierarchyKind::leaf) {
        const QString type = itemType(contents, node.first);
        if (texts.title.isEmpty())
            texts.title = type;
        else
            texts.subtitle = type == texts.title ? QString() : type;
        texts.caption = itemShape(contents, node.first);
        return texts;
    }
    const std::int64_t operators = contents.total(index).operators;
    if (node.kind == model::HierarchyKind::layer)
        texts.subtitle = typesText(contents, node);
    else if (node.kind == model::HierarchyKind::repeat)
        texts.subtitle = u"%1 each"_s.arg(operatorsText(contents, operators / std::max(1, node.copies)));
    else if (node.kind == model::HierarchyKind::shapes)
        texts.subtitle = u"%1 on shapes only"_s.arg(operatorsText(contents, operators));
    else if (operators > 0)
        texts.subtitle = operatorsText(contents, operators);
    else
        texts.subtitle = u"%1 tensors"_s.arg(node.count);
    if (node.kind == model::HierarchyKind::shapes) texts.title = u"shapes"_s;
    if (node.copies > 1) texts.badge = u"×%1"_s.arg(node.copies);
    if (node.kind != model::HierarchyKind::shapes && operators > 0) texts.caption = itemShape(contents, last);
    return texts;
}

QString nameOf(const ModelContents& contents, std::int32_t index) {
    const model::HierarchyNode& node = contents.node(index);
    if (node.kind != model::HierarchyKind::leaf) return shownName(node.name);
    if (const model::Operator* op = contents.operation(node.first)) return shownName(op->name);
    return shownName(node.name);
}

QStringList tensorsOf(const ModelContents& contents, const std::vector<std::int32_t>& links) {
    QStringList lines;
    QSet<std::int32_t> seen;
    for (const std::int32_t index : links) {
        const model::HierarchyLink& link = contents.hierarchy.links[toIndex(index)];
        if (seen.contains(link.tensor)) continue;
        seen.insert(link.tensor);
        if (lines.size() >= kMaxLines) continue;
        if (const model::Graph* graph = contents.graph()) {
            const model::Tensor& tensor = graph->tensor(link.tensor);
            lines << u"%1: %2"_s.arg(shownName(tensor.name), tensorText(tensor));
        } else {
            const auto& edge = std::get<model::LayerGraph>(contents.model.form).edges[toIndex(link.tensor)];
            lines << u"%1 elements per sample"_s.arg(countText(edge.elements));
        }
    }
    if (seen.size() > lines.size()) lines << u"and %1 more"_s.arg(seen.size() - lines.size());
    return lines;
}

double bytesOf(const ModelContents& contents, const std::vector<std::int32_t>& links) {
    double bytes = 0;
    QSet<std::int32_t> seen;
    for (const std::int32_t index : links) {
        const model::HierarchyLink& link = contents.hierarchy.links[toIndex(index)];
        if (seen.contains(link.tensor)) continue;
        seen.insert(link.tensor);
        if (const model::Graph* graph = contents.graph())
            bytes += bytesOf(graph->tensor(link.tensor)).value_or(0);
        else
            bytes += 4 * std::get<model::LayerGraph>(contents.model.form).edges[toIndex(link.tensor)].elements *
                     static_cast<double>(contents.summary.batch);
    }
    return bytes;
}

QString hoverTextOf(const ModelContents& contents, std::int32_t index) {
    const model::HierarchyNode& node = contents.node(index);
    QStringList lines{nameOf(contents, index)};
    for (const bool incoming : {true, false}) {
        const QVector<std::int32_t> links = boundaryOf(contents, node, incoming);
        if (links.isEmpty()) continue;
        lines << (incoming ? u"in"_s : u"out"_s);
        for (const QString& line : tensorsOf(contents, {links.begin(), links.end()})) lines << u"   "_s + line;
    }
    if (contents.total(index).operators > 0)
        lines << u"%1 · %2 parameters"_s.arg(flopsText(contents.total(index).flops),
                                             knownCountText(contents.total(index).parameters));
    return lines.join(QLatin1Char('\n'));
}

QString layerOfNode(const ModelContents& contents, std::int32_t index) {
    const model::HierarchyNode& node = contents.node(index);
    std::int32_t layer = -1;
    for (std::int32_t item = node.first; item < node.first + node.count; ++item) {
        const std::int32_t its = contents.layerOfItem[toIndex(item)];
        if (its < 0) continue;
        if (layer >= 0 && its != layer) return {};
        layer = its;
    }
    return layer < 0 ? QString() : shownName(contents.layers->layers[toIndex(layer)].name);
}

std::int32_t nodeOfLayer(const ModelContents& contents, const QString& layer) {
    if (!contents.layers) return -1;
    const auto& layers = contents.layers->layers;
    const auto found = std::find_if(layers.begin(), layers.end(),
                                    [&](const model::Layer& each) { return shownName(each.name) == layer; });
    const auto index = static_cast<std::int32_t>(found - layers.begin());
    const auto item = std::find(contents.layerOfItem.begin(), contents.layerOfItem.end(), index);
    if (found == layers.end() || item == contents.layerOfItem.end()) return -1;
    std::int32_t node =
        contents.hierarchy.leaves[toIndex(static_cast<std::int32_t>(item - contents.layerOfItem.begin()))];
    // Where all of the group around belongs to the layer, that group is it.
    for (std::int32_t up = contents.node(node).parent; up > 0; up = contents.node(up).parent) {
        if (layerOfNode(contents, up) != layer) break;
        node = up;
    }
    return node;
}

Facts factsOf(const ModelContents& contents, std::int32_t index) {
    const model::HierarchyNode& node = contents.node(index);
    Facts facts{.title = nameOf(contents, index), .icon = u"model"_s};
    const bool isLeaf = node.kind == model::HierarchyKind::leaf;
    if (const model::Operator* op = isLeaf ? contents.operation(node.first) : nullptr) {
        addOperator(facts, contents, *op);
    } else if (const model::Layer* layer = isLeaf ? contents.tableLayer(node.first) : nullptr) {
        addLayer(facts, *layer);
    } else if (isLeaf) {
        const model::Tensor& tensor = contents.graph()->tensor(itemOf(contents, node.first).index);
        facts.subtitle = itemType(contents, node.first);
        facts.sections.append(Facts::Section{u"Tensor"_s, {Facts::Row{u"shape and type"_s, tensorText(tensor)}}});
        return facts;
    } else {
        addGroup(facts, contents, node, contents.total(index));
    }
    facts.sections.insert(std::min<qsizetype>(1, facts.sections.size()), workSection(contents, contents.total(index)));
    return facts;
}

QString headlineOf(const ModelContents& contents) {
    const model::Summary& summary = contents.summary;
    const auto real = [](const std::optional<std::int64_t>& value) {
        return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
    };
    QStringList parts;
    const auto add = [&](const QString& unit, const std::optional<double>& value, Measure measure) {
        if (value) parts << unit.arg(measure == Measure::count ? knownCountText(value) : flopsText(value));
    };
    add(u"%1 parameters"_s, real(summary.parameters), Measure::count);
    add(u"%1 MACs"_s, real(summary.macs), Measure::count);
    if (summary.flopsMatrix && summary.flopsVector)
        add(u"%1"_s, static_cast<double>(*summary.flopsMatrix) + static_cast<double>(*summary.flopsVector),
            Measure::flops);
    add(u"%1 activations"_s, real(summary.activationElements), Measure::count);
    if (contents.graph() != nullptr) parts << u"%1 operators"_s.arg(shownCount(static_cast<double>(summary.operators)));
    parts << u"%1 weighted layers"_s.arg(summary.weightedLayers);
    // Lines break between the facts only.
    for (QString& part : parts) part.replace(QLatin1Char(' '), QChar(QChar::Nbsp));
    return parts.join(u" ·  "_s);
}

}  // namespace tessera::ui
