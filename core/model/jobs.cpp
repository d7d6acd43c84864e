#include "core/model/jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/model/layer_sizes.h"
#include "core/model/operators/rule_context.h"

namespace tessera::model {

namespace {

/// Sizes are whole but where a graph's batch does not divide them.
std::int64_t whole(double size) {
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(std::min(size, 0x1p62))));
}

/// One axis of a convolution.
struct Axis {
    std::int64_t read = 1, made = 1, kernel = 1;
    std::int64_t stride = 1, dilation = 1, before = 0, after = 0;
};

std::int64_t madeBy(const Axis& axis) {
    const std::int64_t room = axis.read + axis.before + axis.after - axis.dilation * (axis.kernel - 1) - 1;
    return room < 0 ? 0 : room / axis.stride + 1;
}

/// Splits the padding that `made` windows need beyond the map, the odd element behind it.
void padFor(Axis& axis) {
    const std::int64_t reach = axis.dilation * (axis.kernel - 1) + 1;
    const std::int64_t total = std::max<std::int64_t>(0, (axis.made - 1) * axis.stride + reach - axis.read);
    axis.before = total / 2;
    axis.after = total - axis.before;
}

/// The minimum stride near the ratio of the maps, and the padding, that lead from the map read to the map made.
Axis deduced(double read, double made, double kernel) {
    Axis axis{.read = whole(read), .made = whole(made), .kernel = whole(kernel)};
    if (madeBy(axis) == axis.made) return axis;
    const std::int64_t room = std::max<std::int64_t>(0, axis.read - axis.kernel);
    axis.stride = std::max<std::int64_t>(
        {1, static_cast<std::int64_t>(std::llround(read / static_cast<double>(axis.made))), room / axis.made + 1});
    padFor(axis);
    return axis;
}

bool isDepthwise(const Layer& layer) {
    return layer.groups > 1 && layer.groups == layer.inChannels && layer.groups == layer.outChannels;
}

void setAxes(LayerJob& job, const Axis& y, const Axis& x) {
    job.d[2] = y.read;
    job.d[3] = x.read;
    job.d[4] = y.kernel;
    job.d[5] = x.kernel;
    job.strideY = y.stride;
    job.strideX = x.stride;
    job.dilationY = y.dilation;
    job.dilationX = x.dilation;
    job.padTop = y.before;
    job.padBottom = y.after;
    job.padLeft = x.before;
    job.padRight = x.after;
}

LayerJob convolutionJob(const Layer& layer, const Axis& y, const Axis& x, std::int64_t batch) {
    LayerJob job;
    job.name = layer.name;
    job.repeats = batch;
    if (isDepthwise(layer)) {
        job.kind = JobKind::dsconv;
        job.d[1] = whole(layer.inChannels);
    } else {
        job.kind = JobKind::conv;
        job.groups = whole(layer.groups);
        job.d[0] = whole(layer.outChannels);
        job.d[1] = whole(layer.inChannels / layer.groups);
    }
    setAxes(job, y, x);
    return job;
}

/// A matrix product of `rows` rows; one row is a fully connected layer on one sample.
LayerJob denseJob(std::string name, double rows, double outputs, double inputs, double repeats) {
    LayerJob job;
    job.name = std::move(name);
    job.repeats = whole(repeats);
    if (rows > 1) {
        job.kind = JobKind::gemm;
        job.d = {whole(rows), whole(outputs), whole(inputs), 1, 1, 1};
    } else {
        job.kind = JobKind::ffn;
        job.d = {whole(outputs), whole(inputs), 1, 1, 1, 1};
    }
    return job;
}

LayerJob denseJob(const Layer& layer, std::int64_t batch) {
    return denseJob(layer.name, layer.conv.area() * static_cast<double>(batch), layer.outChannels / layer.groups,
                    layer.inChannels / layer.groups, layer.groups);
}

/// Heads stand for a product's channels, its map is one head's result.
LayerJob productJob(const Layer& layer, std::int64_t batch) {
    const double results = layer.outChannels * layer.conv.area();
    LayerJob job;
    job.name = layer.name;
    job.kind = JobKind::gemm;
    job.d = {whole(layer.conv.height), whole(layer.conv.width), whole(results > 0 ? layer.macs / results : 1), 1, 1, 1};
    job.repeats = whole(layer.outChannels) * batch;
    return job;
}

// Operators, which know more than their layers ------------------------------------------------------------------------

std::int64_t entry(const std::optional<Integers>& values, std::size_t index, std::int64_t otherwise) {
    return values && index < values->size() ? (*values)[index] : otherwise;
}

/// Axis `index` of a convolution's `spatial` axes.
Axis statedAxis(const CountContext& op, std::size_t index, std::size_t spatial, double read, double made,
                double kernel) {
    Axis axis{.read = whole(read), .made = whole(made), .kernel = whole(kernel)};
    axis.stride = entry(op.integers("strides"), index, 1);
    axis.dilation = entry(op.integers("dilations"), index, 1);
    const std::string padding = op.text("auto_pad");
    if (padding.starts_with("SAME")) {
        padFor(axis);
        if (padding == "SAME_LOWER") std::swap(axis.before, axis.after);
    } else {
        axis.before = entry(op.integers("pads"), index, 0);
        axis.after = entry(op.integers("pads"), index + spatial, 0);
    }
    return axis;
}

/// A window per pixel of the map read: the convolution of stride 1 that multiplies as often.
LayerJob transposedJob(const Layer& layer, std::int64_t batch) {
    const auto axis = [](double pixels, double kernel) {
        return Axis{.read = whole(pixels + kernel - 1), .made = whole(pixels), .kernel = whole(kernel)};
    };
    return convolutionJob(layer, axis(layer.conv.height, layer.kernel.height),
                          axis(layer.conv.width, layer.kernel.width), batch);
}

/// Maps of one or two axes are stated by the operator; those of the layer form that stand for more are deduced.
LayerJob convolutionJob(const Graph& graph, const Operator& op, const Layer& layer, std::int64_t batch) {
    const std::vector<std::int64_t>& x = neededShape(graph, inputOf(op, 0));
    const std::size_t spatial = x.size() - 2;
    const bool folded = spatial > 2 || x.front() != graph.batch;
    const CountContext context(graph, op);
    const auto axis = [&](std::size_t index, double read, double made, double kernel) {
        return folded || index >= spatial ? deduced(read, made, kernel)
                                          : statedAxis(context, index, spatial, read, made, kernel);
    };
    return convolutionJob(layer, axis(0, layer.in.height, layer.conv.height, layer.kernel.height),
                          axis(1, layer.in.width, layer.conv.width, layer.kernel.width), batch);
}

bool isRecurrent(const Operator& op) {
    return isStandard(op) && (op.type == "LSTM" || op.type == "GRU" || op.type == "RNN");
}

/// The input's product has all steps of all samples as rows; the state's has those of one step.
void addRecurrent(std::vector<LayerJob>& jobs, const Graph& graph, const Layer& layer, const Operator& op,
                  std::int64_t batch) {
    const std::vector<std::int64_t>& weight = neededShape(graph, inputOf(op, 1));
    const auto samples = static_cast<double>(batch);
    const double steps = layer.conv.height;
    const auto directions = static_cast<double>(weight[0]), gates = static_cast<double>(weight[1]);
    const auto inputs = static_cast<double>(weight[2]);
    jobs.push_back(denseJob(layer.name + ".input", steps * samples, directions * gates, inputs, 1));
    jobs.push_back(denseJob(layer.name + ".state", samples, gates, layer.inChannels - inputs, steps * directions));
}

void addWeighted(std::vector<LayerJob>& jobs, const Graph& graph, const WeightedOperator& weighted,
                 std::int64_t batch) {
    const Operator& op = *weighted.op;
    Layer layer = sizesOf(graph, weighted);
    layer.name = op.name;
    if (isRecurrent(op))
        addRecurrent(jobs, graph, layer, op, batch);
    else if (layer.kind != LayerKind::conv)
        jobs.push_back(denseJob(layer, batch));
    else
        jobs.push_back(op.type == "ConvTranspose" ? transposedJob(layer, batch)
                                                  : convolutionJob(graph, op, layer, batch));
}

void checkBatch(std::int64_t batch) {
    if (batch < 1) throw UsageError(fmt::format("the batch is {}; expected a whole number above 0", batch));
}

Axis axisY(const LayerJob& job) {
    return {job.d[2], 1, job.d[4], job.strideY, job.dilationY, job.padTop, job.padBottom};
}

Axis axisX(const LayerJob& job) {
    return {job.d[3], 1, job.d[5], job.strideX, job.dilationX, job.padLeft, job.padRight};
}

bool slides(const LayerJob& job) {
    return job.kind == JobKind::conv || job.kind == JobKind::dsconv;
}

}  // namespace

std::int64_t outputY(const LayerJob& job) {
    return slides(job) ? madeBy(axisY(job)) : 1;
}

std::int64_t outputX(const LayerJob& job) {
    return slides(job) ? madeBy(axisX(job)) : 1;
}

double macs(const LayerJob& job) {
    auto product = static_cast<double>(job.repeats);
    if (!slides(job)) {
        for (const std::int64_t size : job.d) product *= static_cast<double>(size);
        return product;
    }
    for (const std::int64_t size : {job.d[0], job.d[1], job.d[4], job.d[5], outputY(job), outputX(job)})
        product *= static_cast<double>(size);
    return product;
}

std::vector<LayerJob> jobsOf(const Graph& graph, std::int64_t batch) {
    checkBatch(batch);
    std::vector<LayerJob> jobs;
    for (const Operator& op : graph.operators) {
        if (const auto weighted = weightedOperator(graph, op)) {
            addWeighted(jobs, graph, *weighted, batch);
        } else if (isProduct(graph, op)) {
            Layer layer = joinSizes(graph, op, LayerKind::product, 1);
            layer.name = op.name;
            jobs.push_back(productJob(layer, batch));
        }
    }
    return jobs;
}

std::optional<LayerJob> jobOf(const Layer& layer, std::int64_t batch) {
    checkBatch(batch);
    switch (layer.kind) {
        case LayerKind::conv:
            return convolutionJob(layer, deduced(layer.in.height, layer.conv.height, layer.kernel.height),
                                  deduced(layer.in.width, layer.conv.width, layer.kernel.width), batch);
        case LayerKind::fc:
            return denseJob(layer, batch);
        case LayerKind::product:
            return productJob(layer, batch);
        case LayerKind::embedding:
        case LayerKind::add:
        case LayerKind::concat:
            break;
    }
    return std::nullopt;
}

std::vector<LayerJob> jobsOf(const LayerGraph& layers, std::int64_t batch) {
    std::vector<LayerJob> jobs;
    for (const Layer& layer : layers.layers)
        if (std::optional<LayerJob> job = jobOf(layer, batch)) jobs.push_back(std::move(*job));
    return jobs;
}

}  // namespace tessera::model
