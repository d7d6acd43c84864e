#include <fmt/format.h>

#include <cmath>
#include <initializer_list>

#include "core/base/names.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/cost/dataflow.h"
#include "core/cost/layer_size.h"

namespace tessera::cost {

namespace {

std::optional<NamedSize> oddSizeIn(std::initializer_list<NamedSize> sizes) {
    for (const NamedSize& size : sizes)
        if (size.value < size.min || size.value > kMaxLayerExtent) return size;
    return std::nullopt;
}

std::string problemOf(const NamedSize& size) {
    return fmt::format("{} is {}; it must be from {} to {}", size.name, size.value, size.min, kMaxLayerExtent);
}

std::string problemOfSizes(std::initializer_list<NamedSize> sizes) {
    const std::optional<NamedSize> odd = oddSizeIn(sizes);
    return odd ? problemOf(*odd) : "";
}

std::optional<std::int64_t> whole(double value) {
    if (!(value >= 0) || value > static_cast<double>(kMaxLayerExtent) || value != std::floor(value))
        return std::nullopt;
    return static_cast<std::int64_t>(value);
}

}  // namespace

std::optional<NamedSize> oddSizeOf(const Layer& layer) {
    return oddSizeIn({{"K", layer.k},
                      {"C", layer.c},
                      {"Y", layer.y},
                      {"X", layer.x},
                      {"R", layer.r},
                      {"S", layer.s},
                      {"the row stride", layer.strideY},
                      {"the column stride", layer.strideX},
                      {"the row padding", layer.padY, 0},
                      {"the column padding", layer.padX, 0},
                      {"the number of groups", layer.groups},
                      {"the batch", layer.batch}});
}

std::string problemOf(const Layer& layer) {
    if (const std::optional<NamedSize> odd = oddSizeOf(layer)) return problemOf(*odd);
    if (layer.r > layer.y + layer.padY)
        return fmt::format("the kernel has {} rows and the map only {}", layer.r, layer.y + layer.padY);
    if (layer.s > layer.x + layer.padX)
        return fmt::format("the kernel has {} columns and the map only {}", layer.s, layer.x + layer.padX);
    if (layer.kind == LayerKind::conv && (layer.k % layer.groups != 0 || layer.c % layer.groups != 0))
        return fmt::format("{} groups do not divide {} output and {} input channels", layer.groups, layer.k, layer.c);
    return {};
}

std::int64_t outputRows(const Layer& layer) {
    return (layer.y + layer.padY - layer.r) / layer.strideY + 1;
}

std::int64_t outputColumns(const Layer& layer) {
    return (layer.x + layer.padX - layer.s) / layer.strideX + 1;
}

double trueMacs(const Layer& layer) {
    const double perOutput = layer.kind == LayerKind::dsconv ? 1 : real(layer.c) / real(layer.groups);
    return outputElements(layer) * perOutput * real(layer.r) * real(layer.s);
}

double inputElements(const Layer& layer) {
    return real(layer.batch) * real(layer.c) * real(layer.y) * real(layer.x);
}

double weightElements(const Layer& layer) {
    const double channels = layer.kind == LayerKind::dsconv ? 1 : real(layer.k) / real(layer.groups);
    return channels * real(layer.c) * real(layer.r) * real(layer.s);
}

double outputElements(const Layer& layer) {
    const double channels = real(layer.kind == LayerKind::dsconv ? layer.c : layer.k);
    return real(layer.batch) * channels * real(outputRows(layer)) * real(outputColumns(layer));
}

std::optional<Layer> layerOfJob(std::int64_t type, const std::array<std::int64_t, 6>& sizes) {
    const auto [d0, d1, d2, d3, d4, d5] = sizes;
    switch (type) {
        case 0:
            return Layer{.k = d0, .c = d1};
        case 1:
            return Layer{.k = d0, .c = d1, .y = d2, .x = d3, .r = d4, .s = d5};
        case 2:
            return Layer{.kind = LayerKind::dsconv, .k = d0, .c = d1, .y = d2, .x = d3, .r = d4, .s = d5};
        case 3:
            return Layer{.k = d1, .c = d2, .y = d0};
        default:
            return std::nullopt;
    }
}

std::optional<Layer> layerOf(const model::Layer& layer, std::int64_t batch) {
    if (layer.kind != model::LayerKind::fc && layer.kind != model::LayerKind::conv) return std::nullopt;
    const std::array sizes{whole(layer.outChannels), whole(layer.inChannels),    whole(layer.in.height),
                           whole(layer.in.width),    whole(layer.kernel.height), whole(layer.kernel.width),
                           whole(layer.conv.height), whole(layer.conv.width),    whole(layer.groups)};
    for (const std::optional<std::int64_t>& size : sizes)
        if (!size || *size == 0) return std::nullopt;
    Layer made{.k = *sizes[0],
               .c = *sizes[1],
               .y = *sizes[2],
               .x = *sizes[3],
               .r = *sizes[4],
               .s = *sizes[5],
               .groups = *sizes[8],
               .batch = batch};
    // The stride is what brings the map read down to the map made, the padding what the last window then needs.
    const auto fit = [](std::int64_t in, std::int64_t window, std::int64_t out, std::int64_t& stride,
                        std::int64_t& padding) {
        stride = out > 1 ? std::max<std::int64_t>(1, (in + out / 2) / out) : std::max<std::int64_t>(1, in);
        padding = std::max<std::int64_t>(0, (out - 1) * stride + window - in);
        while (stride > 1 && (in + padding - window) / stride + 1 != out) {
            --stride;
            padding = std::max<std::int64_t>(0, (out - 1) * stride + window - in);
        }
    };
    fit(made.y, made.r, *sizes[6], made.strideY, made.padY);
    fit(made.x, made.s, *sizes[7], made.strideX, made.padX);
    if (made.groups > 1 && made.groups == made.c && made.k == made.c) {
        made.kind = LayerKind::dsconv;
        made.groups = 1;
    }
    return problemOf(made).empty() ? std::optional(made) : std::nullopt;
}

std::string problemOf(const Array& array) {
    return problemOfSizes({{"the number of processing elements", array.pes},
                           {"the cluster size", array.clusterSize},
                           {"the bandwidth on chip", array.nocBandwidth},
                           {"the number of hops", array.nocHops, 0},
                           {"the latency of a hop", array.nocHopLatency, 0},
                           {"the bandwidth off chip", array.offchipBandwidth},
                           {"the number of lanes", array.simdLanes}});
}

const Dataflow& dataflowFor(const Layer& layer, const Dataflow& style, const Dataflow& depthwise) {
    return layer.kind == LayerKind::dsconv ? depthwise : style;
}

double requiredBandwidth(const LayerCost& cost, BandwidthDefinition definition) {
    if (definition == BandwidthDefinition::streaming)
        return cost.cycles > 0 ? cost.offChipBytes / static_cast<double>(cost.cycles) : 0;
    // In the published code's order, so that its numbers come out to the last bit.
    const std::int64_t after = cost.cycles == 1 ? 1 : cost.cycles - 1;
    return static_cast<double>(cost.l2Bytes) / 2 / static_cast<double>(after);
}

}  // namespace tessera::cost
