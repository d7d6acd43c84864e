#include <fmt/format.h>

#include <set>
#include <utility>

#include "core/cost/dataflow.h"
#include "core/cost/levels.h"

namespace tessera::cost {

namespace {

bool hasTwoSpatialMaps(const Dataflow& dataflow) {
    int spatial = 0;
    for (const Directive& directive : dataflow.directives) {
        if (directive.kind == DirectiveKind::cluster) spatial = 0;
        if (directive.kind == DirectiveKind::spatial && ++spatial == 2) return true;
    }
    return false;
}

/// The whole factors of a number that are at most `limit`.
void addFactors(std::set<std::int64_t>& factors, std::int64_t number, std::int64_t limit) {
    for (std::int64_t factor = 1; factor * factor <= number; ++factor) {
        if (number % factor != 0) continue;
        if (factor <= limit) factors.insert(factor);
        if (number / factor <= limit) factors.insert(number / factor);
    }
}

/// Extents over which the dataflow puts elements side by side; outputs for rows and columns.
std::set<std::int64_t> spreadExtents(const Layer& layer, const Dataflow& dataflow) {
    std::set<std::int64_t> extents;
    for (const Directive& directive : dataflow.directives) {
        if (directive.kind != DirectiveKind::spatial) continue;
        Dimension dimension = directive.dimension;
        if (dimension == Dimension::y) dimension = Dimension::outY;
        if (dimension == Dimension::x) dimension = Dimension::outX;
        extents.insert(extentOf(layer, dimension));
    }
    return extents;
}

}  // namespace

Analysis analyse(const Layer& layer, const Dataflow& dataflow, const Array& array, Variant variant) {
    if (std::string problem = problemOf(array); !problem.empty()) return {{}, std::move(problem)};
    if (std::string problem = problemOf(layer); !problem.empty()) return {{}, std::move(problem)};
    try {
        LayerCost cost = variant == Variant::published ? publishedCost(layer, dataflow, array)
                                                       : correctedCost(layer, dataflow, array);
        cost.throughput = static_cast<double>(cost.macs) / static_cast<double>(cost.cycles);
        cost.utilisation = cost.throughput / (static_cast<double>(array.pes) * static_cast<double>(array.simdLanes));
        return {cost, {}};
    } catch (const NoCost& reason) {
        return {{}, reason.why};
    }
}

std::vector<std::string> differences(const Layer& layer, const Dataflow& dataflow, const Array& array) {
    const Analysis published = analyse(layer, dataflow, array, Variant::published);
    const Analysis corrected = analyse(layer, dataflow, array, Variant::corrected);
    if (!published.ok() && !corrected.ok()) return {};
    if (!published.ok()) return {fmt::format("The published model has no cost: {}.", published.problem)};
    if (!corrected.ok()) return {fmt::format("The corrected model has no cost: {}.", corrected.problem)};
    const LayerCost& was = published.cost;
    const LayerCost& is = corrected.cost;
    std::vector<std::string> reasons;
    if (was.macs != is.macs)
        reasons.push_back(
            fmt::format("The published model counts {} multiply-accumulates of {}: partial rows and "
                        "remainders of windows are wrong.",
                        was.macs, is.macs));
    if (was.cycles < is.cycles && hasTwoSpatialMaps(dataflow))
        reasons.push_back(fmt::format("{} cycles become {}: two spatial maps of one level each took all its elements.",
                                      was.cycles, is.cycles));
    else if (was.cycles != is.cycles)
        reasons.push_back(
            fmt::format("{} cycles become {}: edges of tiles, operands fetched again and the bandwidth off "
                        "chip count as they are.",
                        was.cycles, is.cycles));
    if (was.l2Bytes != is.l2Bytes)
        reasons.push_back(
            fmt::format("The shared buffer needs {} bytes, not {}: windows are cut off at the layer's edge "
                        "and every element's outputs count.",
                        is.l2Bytes, was.l2Bytes));
    if (was.l1Bytes != is.l1Bytes)
        reasons.push_back(
            fmt::format("A local buffer needs {} bytes, not {}: outputs take no window, and nothing is "
                        "larger than the layer.",
                        is.l1Bytes, was.l1Bytes));
    return reasons;
}

FlexibleArray flexibleArray(const Layer& layer, const Dataflow& dataflow, const Array& array, Variant variant,
                            const BufferLimits& limits) {
    FlexibleArray best{array, analyse(layer, dataflow, array, variant)};
    if (!problemOf(layer).empty() || !problemOf(array).empty()) return best;
    const auto fits = [&](const Analysis& analysis) {
        return analysis.ok() && analysis.cost.l1Bytes <= limits.l1Bytes && analysis.cost.l2Bytes <= limits.l2Bytes &&
               analysis.cost.cycles > 0;
    };
    std::set<std::int64_t> factors;
    for (const std::int64_t extent : spreadExtents(layer, dataflow)) addFactors(factors, extent, array.pes);
    std::set<std::int64_t> widths = factors;
    for (const std::int64_t factor : factors) widths.insert(array.pes / factor);
    bool found = fits(best.analysis);
    for (const std::int64_t width : widths) {
        Array shaped = array;
        shaped.clusterSize = width;
        Analysis analysis = analyse(layer, dataflow, shaped, variant);
        if (!fits(analysis) || (found && analysis.cost.cycles >= best.analysis.cost.cycles)) continue;
        best = {shaped, std::move(analysis)};
        found = true;
    }
    if (!found && best.analysis.ok())
        best.analysis.problem =
            fmt::format("no shape of the array keeps within {} bytes of local and {} of shared buffer", limits.l1Bytes,
                        limits.l2Bytes);
    return best;
}

}  // namespace tessera::cost
