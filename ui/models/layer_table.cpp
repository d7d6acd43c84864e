#include "ui/models/layer_table.h"

#include <utility>

#include "core/base/number.h"
#include "core/base/units.h"
#include "ui/models/text.h"

namespace tessera::ui {

namespace {

using Column = TableModel::Column;
using Value = std::optional<double>;

QString valueText(const Value& value, Measure measure) {
    if (!value) return QStringLiteral("–");
    return measure == Measure::count ? shownCount(*value) : toQt(formatQuantity(*value, measure));
}

Column textColumn(const QString& title, std::function<QString(int)> text, const QString& help = {}) {
    return {.title = title, .text = std::move(text), .help = help};
}

/// A column of numbers; what is unknown sorts below everything and is empty in files.
Column numberColumn(const QString& title, Measure measure, const std::function<Value(int)>& value, bool summed,
                    const QString& help) {
    Column column{.title = title, .text = [value, measure](int row) { return valueText(value(row), measure); }};
    column.sort = [value](int row) {
        const Value number = value(row);
        return number ? QVariant(*number) : QVariant();
    };
    column.exact = [value](int row) {
        const Value number = value(row);
        return number ? toQt(exactNumber(*number)) : QString();
    };
    column.number = true;
    column.summed = summed;
    column.help = help;
    if (summed) column.sumText = [measure](double sum) { return valueText(sum, measure); };
    return column;
}

}  // namespace

int operatorRows(const ModelContents& contents) {
    return contents.graph() == nullptr ? 0 : static_cast<int>(contents.graph()->operators.size());
}

int nodeOfOperatorRow(const ModelContents& contents, int row) {
    return row < 0 || row >= operatorRows(contents) ? -1 : contents.nodeOfOperator[toIndex(row)];
}

int operatorRowOfNode(const ModelContents& contents, int node) {
    const model::HierarchyItem& item = contents.hierarchy.items[toIndex(contents.node(node).first)];
    const bool isOperator = contents.graph() != nullptr && contents.node(node).kind == model::HierarchyKind::leaf &&
                            item.source == model::ItemSource::operation;
    return isOperator ? item.index : -1;
}

QVector<Column> operatorColumns(const std::shared_ptr<ModelTableSource>& source) {
    const auto op = [source](int row) -> const model::Operator& {
        return source->contents->graph()->operators[toIndex(row)];
    };
    const auto totals = [source](int row) -> const model::NodeTotals& {
        return source->contents->total(source->contents->nodeOfOperator[toIndex(row)]);
    };
    const auto shapes = [source, op](int row, bool outputs) {
        QStringList texts;
        for (const model::TensorIndex tensor : outputs ? op(row).outputs : op(row).inputs) {
            if (tensor == model::kNoTensor) continue;
            const model::Tensor& found = source->contents->graph()->tensor(tensor);
            const bool isData = found.role == model::TensorRole::input || found.role == model::TensorRole::activation;
            if (outputs || isData) texts << shownShape(found.shape);
            if (texts.size() == 4) break;
        }
        return texts.join(QStringLiteral(", "));
    };
    return {
        textColumn(tr("Operator"), [op](int row) { return shownName(op(row).name); }),
        textColumn(tr("Type"), [op](int row) { return shownName(op(row).type); }),
        textColumn(tr("Layer"), [op](int row) { return shownName(op(row).layer); }),
        textColumn(
            tr("Reads"), [shapes](int row) { return shapes(row, false); }, tr("shapes of what flows in")),
        textColumn(
            tr("Makes"), [shapes](int row) { return shapes(row, true); }, tr("shapes of the outputs")),
        numberColumn(
            tr("Parameters"), Measure::count, [totals](int row) { return totals(row).parameters; }, true,
            tr("trained elements; one that several operators read counts at the first")),
        numberColumn(
            tr("MACs"), Measure::count, [totals](int row) { return totals(row).macs; }, true,
            tr("multiply-accumulates of the forward pass")),
        numberColumn(
            tr("FLOPs"), Measure::flops, [totals](int row) { return totals(row).flops; }, true,
            tr("2 per MAC, plus element-wise work")),
        numberColumn(
            tr("Activations"), Measure::bytes, [totals](int row) { return totals(row).activationBytes; }, true,
            tr("bytes of float outputs that depend on an input")),
        numberColumn(
            tr("FLOP/B"), Measure::count, [totals](int row) { return totals(row).intensity(); }, false,
            tr("arithmetic intensity: FLOPs over bytes read and written")),
    };
}

int layerRows(const ModelContents& contents) {
    return contents.layers ? static_cast<int>(contents.layers->layers.size()) : 0;
}

QVector<Column> layerColumns(const std::shared_ptr<ModelTableSource>& source) {
    const auto layer = [source](int row) -> const model::Layer& {
        return source->contents->layers->layers[toIndex(row)];
    };
    const auto map = [](double channels, const model::Map& sizes) {
        const QString text = toQt(exactNumber(channels));
        return sizes.area() == 1 ? text
                                 : QStringLiteral("%1×%2×%3")
                                       .arg(text, toQt(exactNumber(sizes.height)), toQt(exactNumber(sizes.width)));
    };
    const auto batch = [source] { return static_cast<double>(source->contents->summary.batch); };
    const auto bytes = [layer, batch](int row) {
        constexpr double kBytes = 4;
        return kBytes * (batch() * (inElements(layer(row)) + outElements(layer(row))) + layer(row).parameters);
    };
    return {
        textColumn(tr("Layer"), [layer](int row) { return shownName(layer(row).name); }),
        textColumn(tr("Kind"), [layer](int row) { return toQt(std::string(nameOf(layer(row).kind))); }),
        textColumn(
            tr("Reads"), [layer, map](int row) { return map(layer(row).inChannels, layer(row).in); },
            tr("channels × height × width, per sample")),
        textColumn(tr("Kernel"),
                   [layer](int row) {
                       const model::Map& kernel = layer(row).kernel;
                       return kernel.area() == 1 ? QString()
                                                 : QStringLiteral("%1×%2").arg(toQt(exactNumber(kernel.height)),
                                                                               toQt(exactNumber(kernel.width)));
                   }),
        textColumn(
            tr("Hands on"), [layer, map](int row) { return map(layer(row).outChannels, layer(row).out); },
            tr("channels × height × width, after pooling, per sample")),
        numberColumn(
            tr("Parameters"), Measure::count, [layer](int row) -> Value { return layer(row).parameters; }, true,
            tr("weights, bias and the normalisation that follows")),
        numberColumn(
            tr("MACs"), Measure::count,
            [layer, batch](int row) -> Value { return batch() * macsPerSample(layer(row)); }, true,
            tr("multiply-accumulates of the forward pass, of the whole batch")),
        numberColumn(
            tr("FLOPs"), Measure::flops,
            [layer, batch](int row) -> Value { return 2 * batch() * macsPerSample(layer(row)); }, true,
            tr("2 per MAC")),
        numberColumn(
            tr("Activations"), Measure::count,
            [layer, batch](int row) -> Value { return batch() * layer(row).activations; }, true,
            tr("elements kept for the backward pass, of the whole batch")),
        numberColumn(
            tr("FLOP/B"), Measure::count,
            [layer, batch, bytes](int row) -> Value {
                return bytes(row) > 0 ? Value(2 * batch() * macsPerSample(layer(row)) / bytes(row)) : Value();
            },
            false, tr("arithmetic intensity: FLOPs over bytes read and written, 4 bytes per element")),
    };
}

QVector<Column> memoryColumns(const std::shared_ptr<ModelTableSource>& source) {
    const auto row = [source](int index) -> const MemoryClass& { return source->contents->memory.at(index); };
    return {
        textColumn(tr("What"), [row](int index) { return row(index).name; }),
        numberColumn(
            tr("Bytes"), Measure::bytes, [row](int index) { return row(index).bytes; }, true,
            tr("for one training step on one device, unsplit")),
        textColumn(tr("How it is counted"), [row](int index) { return row(index).help; }),
    };
}

}  // namespace tessera::ui
