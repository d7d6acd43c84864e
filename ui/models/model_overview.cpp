#include "ui/models/model_overview.h"

#include <QRegularExpression>
#include <algorithm>

#include "core/base/units.h"
#include "core/study/explain_model.h"
#include "ui/models/text.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t kMaxTensors = 8;

using Explain = std::function<std::optional<study::Explanation>()>;

void addCount(Facts::Section& section, const QString& label, const std::optional<std::int64_t>& count,
              const Explain& explain = {}) {
    if (!count) return;
    const auto value = static_cast<double>(*count);
    section.rows.append(
        {.label = label, .value = shownCount(value), .exact = QString::number(*count), .explain = explain});
}

study::CountedModel countedOf(const ModelContents& contents) {
    return {contents.model, contents.hierarchy, contents.totals, contents.summary.batch};
}

Facts::Section tensorFacts(const QString& title, const std::vector<model::Tensor>& tensors) {
    Facts::Section section{.title = title, .rows = {}};
    for (const model::Tensor& tensor : tensors) {
        if (static_cast<std::size_t>(section.rows.size()) == kMaxTensors) break;
        section.rows.append({.label = shownName(tensor.name), .value = shownShape(tensor.shape)});
    }
    return section;
}

/// True where the operator, or a tensor that it makes, has the name.
bool isNamed(const model::Graph& graph, const model::Operator& operation, const std::string& name) {
    return operation.name == name ||
           std::any_of(operation.outputs.begin(), operation.outputs.end(),
                       [&](std::int32_t tensor) { return tensor >= 0 && graph.tensor(tensor).name == name; });
}

}  // namespace

std::optional<study::Explanation> explainMemory(const ModelContents& contents, model::MemoryUse use) {
    return study::explainMemory(countedOf(contents), use);
}

Facts overviewOf(const std::shared_ptr<const ModelContents>& shared) {
    const ModelContents& contents = *shared;
    const model::Summary& summary = contents.summary;
    const auto explained = [&](const char* count) {
        return [shared, count] { return study::explainCount(countedOf(*shared), count); };
    };
    Facts facts;
    facts.subtitle = u"Model"_s;
    facts.icon = u"model"_s;
    Facts::Section size{.title = u"Size"_s, .rows = {}};
    addCount(size, u"Parameters"_s, summary.parameters, explained("parameters"));
    addCount(size, u"MACs"_s, summary.macs, explained("macs"));
    if (summary.flopsMatrix && summary.flopsVector) {
        const double flops = static_cast<double>(*summary.flopsMatrix) + static_cast<double>(*summary.flopsVector);
        size.rows.append({.label = u"Work"_s,
                          .value = toQt(formatQuantity(flops, Measure::flops)),
                          .exact = toQt(exactNumber(flops)),
                          .explain = explained("flops")});
    }
    addCount(size, u"Activations"_s, summary.activationElements, explained("activations"));
    if (contents.graph() != nullptr) addCount(size, u"Operators"_s, summary.operators);
    addCount(size, u"Weighted layers"_s, summary.weightedLayers);
    addCount(size, u"Batch"_s, summary.batch);
    facts.sections = {size, tensorFacts(u"Inputs"_s, summary.inputs), tensorFacts(u"Outputs"_s, summary.outputs)};
    facts.sections.removeIf([](const Facts::Section& section) { return section.rows.isEmpty(); });
    if (!contents.layersProblem.isEmpty()) facts.note = contents.layersProblem;
    return facts;
}

std::int32_t nodeNamedIn(const ModelContents& contents, const QString& sentence) {
    const model::Graph* graph = contents.graph();
    if (graph == nullptr) return -1;
    static const QRegularExpression kQuoted(u"'([^']+)'"_s);
    for (auto match = kQuoted.globalMatch(sentence); match.hasNext();) {
        const std::string name = match.next().captured(1).toStdString();
        for (std::size_t i = 0; i < graph->operators.size() && i < contents.nodeOfOperator.size(); ++i)
            if (isNamed(*graph, graph->operators[i], name)) return contents.nodeOfOperator[i];
    }
    return -1;
}

}  // namespace tessera::ui
