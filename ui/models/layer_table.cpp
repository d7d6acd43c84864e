#include "ui/models/layer_table.h"

#include <utility>

#include "core/base/number.h"
#include "core/base/units.h"
#include "ui/models/text.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

using Column = TableModel::Column;
using Value = std::optional<double>;

QString valueText(const Value& value, Measure measure) {
    if (!value) return u"–"_s;
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
        return texts.join(u", "_s);
    };
    return {
        textColumn(u"Operator"_s, [op](int row) { return shownName(op(row).name); }),
        textColumn(u"Type"_s, [op](int row) { return shownName(op(row).type); }),
        textColumn(u"Layer"_s, [op](int row) { return shownName(op(row).layer); }),
        textColumn(
            u"Reads"_s, [shapes](int row) { return shapes(row, false); }, u"shapes of what flows in"_s),
        textColumn(
            u"Makes"_s, [shapes](int row) { return shapes(row, true); }, u"shapes of the outputs"_s),
        numberColumn(
            u"Parameters"_s, Measure::count, [totals](int row) { return totals(row).parameters; }, true,
            u"trained elements; one that several operators read counts at the first"_s),
        numberColumn(
            u"MACs"_s, Measure::count, [totals](int row) { return totals(row).macs; }, true,
            u"multiply-accumulates of the forward pass"_s),
        numberColumn(
            u"FLOPs"_s, Measure::flops, [totals](int row) { return totals(row).flops; }, true,
            u"2 per MAC, plus element-wise work"_s),
        numberColumn(
            u"Activations"_s, Measure::bytes, [totals](int row) { return totals(row).activationBytes; }, true,
            u"bytes of float outputs that depend on an input"_s),
        numberColumn(
            u"FLOP/B"_s, Measure::count, [totals](int row) { return totals(row).intensity(); }, false,
            u"arithmetic intensity: FLOPs over bytes read and written"_s),
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
        return sizes.area() == 1
                   ? text
                   : u"%1×%2×%3"_s.arg(text, toQt(exactNumber(sizes.height)), toQt(exactNumber(sizes.width)));
    };
    const auto batch = [source] { return static_cast<double>(source->contents->summary.batch); };
    const auto bytes = [layer, batch](int row) {
        constexpr double kBytes = 4;
        return kBytes * (batch() * (inElements(layer(row)) + outElements(layer(row))) + layer(row).parameters);
    };
    return {
        textColumn(u"Layer"_s, [layer](int row) { return shownName(layer(row).name); }),
        textColumn(u"Kind"_s, [layer](int row) { return toQt(std::string(nameOf(layer(row).kind))); }),
        textColumn(
            u"Reads"_s, [layer, map](int row) { return map(layer(row).inChannels, layer(row).in); },
            u"channels × height × width, per sample"_s),
        textColumn(u"Kernel"_s,
                   [layer](int row) {
                       const model::Map& kernel = layer(row).kernel;
                       return kernel.area() == 1
                                  ? QString()
                                  : u"%1×%2"_s.arg(toQt(exactNumber(kernel.height)), toQt(exactNumber(kernel.width)));
                   }),
        textColumn(
            u"Hands on"_s, [layer, map](int row) { return map(layer(row).outChannels, layer(row).out); },
            u"channels × height × width, after pooling, per sample"_s),
        numberColumn(
            u"Parameters"_s, Measure::count, [layer](int row) -> Value { return layer(row).parameters; }, true,
            u"weights, bias and the normalisation that follows"_s),
        numberColumn(
            u"MACs"_s, Measure::count, [layer, batch](int row) -> Value { return batch() * macsPerSample(layer(row)); },
            true, u"multiply-accumulates of the forward pass, of the whole batch"_s),
        numberColumn(
            u"FLOPs"_s, Measure::flops,
            [layer, batch](int row) -> Value { return 2 * batch() * macsPerSample(layer(row)); }, true, u"2 per MAC"_s),
        numberColumn(
            u"Activations"_s, Measure::count,
            [layer, batch](int row) -> Value { return batch() * layer(row).activations; }, true,
            u"elements kept for the backward pass, of the whole batch"_s),
        numberColumn(
            u"FLOP/B"_s, Measure::count,
            [layer, batch, bytes](int row) -> Value {
                return bytes(row) > 0 ? Value(2 * batch() * macsPerSample(layer(row)) / bytes(row)) : Value();
            },
            false, u"arithmetic intensity: FLOPs over bytes read and written, 4 bytes per element"_s),
    };
}

QVector<Column> memoryColumns(const std::shared_ptr<ModelTableSource>& source) {
    const auto row = [source](int index) -> const MemoryClass& { return source->contents->memory.at(index); };
    return {
        textColumn(u"What"_s, [row](int index) { return row(index).name; }),
        numberColumn(
            u"Bytes"_s, Measure::bytes, [row](int index) { return row(index).bytes; }, true,
            u"for one training step on one device, unsplit"_s),
        textColumn(u"How it is counted"_s, [row](int index) { return row(index).help; }),
    };
}

}  // namespace tessera::ui
