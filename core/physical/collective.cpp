#include "core/physical/collective.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/base/elementary.h"
#include "core/physical/collective_model.h"

namespace tessera::physical {

namespace {

/// A measured row as its neighbours see it.
struct CollectiveNeighbour {
    double logBytes = 0;
    double logAccelerators = 0;
    double logRatio = 0;  ///< of measured over model
    const CollectiveSeries* series = nullptr;
};

CollectiveNeighbour collectiveNeighbour(const CollectiveRow& row, double logRatio) {
    return {elementary::log(row.sample.bytes), elementary::log(row.series->accelerators), logRatio, row.series};
}

/// The rows of a fabric: what predictions run through, and apart from it what judging needs.
struct CollectiveEvidence {
    std::vector<CollectiveNeighbour> neighbours;
    std::vector<CollectiveRow> rows;
    std::vector<CollectiveEffect> effects;
};

CollectiveEvidence collectiveEvidence(std::size_t fabric) {
    CollectiveEvidence evidence;
    evidence.rows = rowsOfFabric(fabric);
    for (const CollectiveRow& row : evidence.rows) {
        evidence.effects.push_back(collectiveEffect(collectiveFabrics()[fabric], row));
        evidence.neighbours.push_back(collectiveNeighbour(row, evidence.effects.back().residual));
    }
    return evidence;
}

/// By fabric, made at first use.
const std::vector<CollectiveEvidence>& collectiveEvidences() {
    static const std::vector<CollectiveEvidence> all = [] {
        std::vector<CollectiveEvidence> made;
        for (std::size_t i = 0; i < collectiveFabrics().size(); ++i) made.push_back(collectiveEvidence(i));
        return made;
    }();
    return all;
}

/// Index of the fabric of a system, of the source where that measured it; nothing where nobody did.
std::optional<std::size_t> collectiveFabricOf(const CollectiveRequest& request) {
    std::optional<std::size_t> first;
    for (std::size_t i = 0; i < collectiveFabrics().size(); ++i) {
        if (collectiveFabrics()[i].system != request.system) continue;
        if (collectiveFabrics()[i].source == request.source) return i;
        if (!first) first = i;
    }
    return first;
}

/// Squares of the steps between operations, in units of a factor of four in bytes: gathering, scattering and
/// broadcasting move alike.
constexpr double kAlike = 0.49, kUnlike = 4;
constexpr std::array<std::array<double, 6>, 6> kOperationSquares{{
    {0, kUnlike, kUnlike, kUnlike, kUnlike, kUnlike},
    {kUnlike, 0, kAlike, kUnlike, kUnlike, kAlike},
    {kUnlike, kAlike, 0, kUnlike, kUnlike, kAlike},
    {kUnlike, kUnlike, kUnlike, 0, kUnlike, kUnlike},
    {kUnlike, kUnlike, kUnlike, kUnlike, 0, kUnlike},
    {kUnlike, kAlike, kAlike, kUnlike, kUnlike, 0},
}};

/// Square of the distance beyond which a row says nothing.
constexpr double kFarCollective = 9;
constexpr double kLogFour = 1.3862943611198906;
constexpr double kLogTwo = 0.69314718055994531;

/// What near rows say of log(measured / model): a mean with weights of the inverse third power of the distance, held
/// to 0 by a weight of 0.3, so that it fades beyond what was measured. The constants are class assumed.
class CollectiveCorrection {
public:
    explicit CollectiveCorrection(const CollectiveRequest& request)
        : request_(request),
          logBytes_(elementary::log(std::max(request.bytes, 1.0))),
          logAccelerators_(elementary::log(request.accelerators)) {}

    void add(const CollectiveNeighbour& neighbour) {
        const double square = squareTo(neighbour);
        if (square > kFarCollective) return;
        nearest_ = std::min(nearest_, square);
        const double softened = square + 0.02, weight = 1 / (softened * std::sqrt(softened));
        sum_ += weight * neighbour.logRatio;
        weights_ += weight;
    }
    double logRatio() const { return sum_ / weights_; }
    /// Distance of the nearest row in factors of four; 3 where none is nearer.
    double nearest() const { return std::sqrt(nearest_); }

private:
    /// Square of the distance; what happens between nodes says nothing of what happens inside.
    double squareTo(const CollectiveNeighbour& neighbour) const {
        const CollectiveSeries& series = *neighbour.series;
        if ((series.accelerators > series.perNode) != (request_.accelerators > request_.perNode))
            return 2 * kFarCollective;
        const double size = (neighbour.logBytes - logBytes_) / kLogFour;
        const double group = 2 * (neighbour.logAccelerators - logAccelerators_) / kLogTwo;
        const double operation =
            kOperationSquares[static_cast<std::size_t>(series.operation)][static_cast<std::size_t>(request_.operation)];
        const bool otherNodes = series.accelerators == request_.accelerators && series.perNode != request_.perNode;
        return size * size + group * group + operation + (otherNodes ? 1 : 0);
    }

    const CollectiveRequest& request_;
    double logBytes_;
    double logAccelerators_;
    double sum_ = 0;
    double weights_ = 0.3;
    double nearest_ = kFarCollective;
};

/// `linked` as of a fabric.
double collectiveSpread(const CollectiveSpread& spread, int linked, const CollectiveRequest& request) {
    const int inner = linked > 0 ? std::min(linked, request.perNode) : request.perNode;
    if (request.accelerators > inner) return spread.outer;
    if (request.bytes >= kLongestCollective) return spread.longer;
    return request.bytes >= kLongCollective ? spread.middle : spread.shorter;
}

Prediction collectivePrediction(double seconds, double logHalfWidth) {
    const double factor = elementary::exp(logHalfWidth);
    return {.estimate = Estimate{.value = seconds, .low = seconds / factor, .high = seconds * factor}};
}

double collectiveModelOf(const CollectiveFabric& fabric, const CollectiveRequest& request) {
    return collectiveModel(fabric, request.operation, request.accelerators, request.perNode, request.bytes);
}

/// The spread holds to a factor of four from a row, and widens as much again with each further one.
Prediction correctedPrediction(const CollectiveFabric& fabric, const CollectiveRequest& request,
                               const CollectiveCorrection& correction) {
    const double seconds = collectiveModelOf(fabric, request) * elementary::exp(correction.logRatio());
    return collectivePrediction(
        seconds, collectiveSpread(fabric.spread, fabric.linked, request) * std::max(1.0, correction.nearest()));
}

Prediction measuredPrediction(std::size_t fabric, const CollectiveRequest& request) {
    CollectiveCorrection correction(request);
    for (const CollectiveNeighbour& neighbour : collectiveEvidences()[fabric].neighbours) correction.add(neighbour);
    return correctedPrediction(collectiveFabrics()[fabric], request, correction);
}

/// Half-widths where parameters are transferred. Of rows of one generation's switched nodes judged by the other's they
/// hold 97 % from 1 MB and 98 % below where only the rate of the links is told.
constexpr CollectiveSpread kTransferredSpread{.shorter = 1.0, .middle = 0.8, .longer = 0.35, .outer = 1.6};

/// Geometric means of the parameters of fabrics, as much of `other` as `share` says.
CollectiveParameters blended(const CollectiveParameters& one, const CollectiveParameters& other, double share) {
    CollectiveParameters mean;
    for (double CollectiveParameters::*field : kCollectiveFields)
        mean.*field = elementary::pow(one.*field, 1 - share) * elementary::pow(other.*field, share);
    return mean;
}

/// A ramp is that of bytes in flight, so its seconds are kept in proportion to those a byte takes.
void scaleRamps(CollectiveParameters& p, double factor) {
    for (double* ramp : {&p.ramp, &p.exchangeRamp, &p.sendRamp}) *ramp *= factor;
}

/// Start-up times follow that of the shortest all-reduce.
void scaleLatencies(CollectiveParameters& p, double latency) {
    const double factor = latency / p.sumLatency;
    for (double* start : {&p.sumLatency, &p.moveLatency, &p.exchangeLatency, &p.sendLatency}) *start *= factor;
}

/// The share of a network's rate that collectives between nodes reach (class assumed).
constexpr double kNetworkShare = 0.8;

CollectiveFabric interconnected(CollectiveFabric fabric, const Interconnect& links) {
    CollectiveParameters& p = fabric.parameters;
    scaleRamps(p, fabric.linkBytesPerSecond / links.linkBytesPerSecond);
    if (links.latencySeconds > 0) scaleLatencies(p, links.latencySeconds);
    if (links.networkLatencySeconds > 0) p.outerLatency = p.outerSend = links.networkLatencySeconds;
    if (links.networkBytesPerSecond > 0) p.outerRate = kNetworkShare * links.networkBytesPerSecond;
    p.outerGrowth = 0;
    fabric.linkBytesPerSecond = links.linkBytesPerSecond;
    fabric.switchAdds = links.switchAdds;
    fabric.linked = 0;
    return fabric;
}

/// A fabric made of those that join a whole node by a switch, of one source and without a generation.
std::optional<CollectiveFabric> transferredFabric(std::string_view source, std::string_view without,
                                                  const Interconnect& links) {
    std::optional<CollectiveFabric> made;
    double count = 0;
    for (const CollectiveFabric& fabric : collectiveFabrics()) {
        if (fabric.source != source || fabric.generation == without || fabric.linked > 0) continue;
        const CollectiveFabric scaled = interconnected(fabric, links);
        count += 1;
        if (!made)
            made = scaled;
        else
            made->parameters = blended(made->parameters, scaled.parameters, 1 / count);
    }
    return made;
}

Prediction transferredPrediction(const CollectiveRequest& request, std::string_view without) {
    if (!request.interconnect || !(request.interconnect->linkBytesPerSecond > 0))
        return {.refused = fmt::format("nobody measured collectives of '{}', and the rate of its links is not given",
                                       request.system)};
    const bool between = request.accelerators > request.perNode;
    if (between && !(request.interconnect->networkBytesPerSecond > 0))
        return {.refused = fmt::format("the rate of the network of '{}' is not given", request.system)};
    std::optional<CollectiveFabric> fabric = transferredFabric(request.source, without, *request.interconnect);
    // Only that source measured between nodes; the other one is the more careful inside.
    if (!fabric)
        fabric = transferredFabric(between ? "vidur-network" : "aiconfigurator-nccl", without, *request.interconnect);
    return collectivePrediction(collectiveModelOf(*fabric, request), collectiveSpread(kTransferredSpread, 0, request));
}

/// Why a request has no answer, empty where it has one.
std::string collectiveProblem(const CollectiveRequest& request) {
    if (request.accelerators < 1 || request.perNode < 1)
        return fmt::format("{} accelerators, {} in a node; expected numbers above 0", request.accelerators,
                           request.perNode);
    if (!(request.bytes >= 0) || std::isinf(request.bytes))
        return fmt::format("a collective of {} bytes; expected a number of at least 0", request.bytes);
    return {};
}

/// The answer to requests of which nothing need be known.
std::optional<Prediction> plainPrediction(const CollectiveRequest& request) {
    if (std::string problem = collectiveProblem(request); !problem.empty())
        return Prediction{.refused = std::move(problem)};
    if (request.accelerators == 1) return Prediction{.estimate = Estimate{}};
    return std::nullopt;
}

bool isOmitted(const CollectiveRow& row, const CollectiveRequest& request, CollectiveOmission omitted) {
    if (row.sample.bytes != request.bytes) return false;
    const CollectiveSeries& series = *row.series;
    return omitted == CollectiveOmission::size ||
           (series.operation == request.operation && series.accelerators == request.accelerators &&
            series.perNode == request.perNode);
}

Prediction judgedPrediction(std::size_t index, const CollectiveRequest& request, CollectiveOmission omitted) {
    const CollectiveEvidence& evidence = collectiveEvidences()[index];
    std::vector<CollectiveEffect> effects;
    std::vector<CollectiveRow> kept;
    for (std::size_t i = 0; i < evidence.rows.size(); ++i) {
        if (isOmitted(evidence.rows[i], request, omitted)) continue;
        effects.push_back(evidence.effects[i]);
        kept.push_back(evidence.rows[i]);
    }
    const CollectiveFabric fabric = collectiveStep(collectiveFabrics()[index], effects);
    CollectiveCorrection correction(request);
    for (const CollectiveRow& row : kept) correction.add(collectiveNeighbour(row, collectiveResidual(fabric, row)));
    return correctedPrediction(fabric, request, correction);
}

}  // namespace

Prediction predictCollective(const CollectiveRequest& request) {
    if (const std::optional<Prediction> plain = plainPrediction(request)) return *plain;
    const std::optional<std::size_t> fabric = collectiveFabricOf(request);
    return fabric ? measuredPrediction(*fabric, request) : transferredPrediction(request, {});
}

bool isMeasuredSystem(std::string_view system) {
    const auto isOf = [&](const CollectiveFabric& fabric) { return fabric.system == system; };
    return std::any_of(collectiveFabrics().begin(), collectiveFabrics().end(), isOf);
}

std::string_view measuredSystemOf(std::string_view accelerator, double linkBytesPerSecond) {
    constexpr double kAlikeRate = 0.05;
    std::string_view system, kind = accelerator.substr(0, accelerator.find('-'));
    if (kind == "h200") kind = "h100";  // one board: HGX H200 has the links and switches of HGX H100
    for (const CollectiveFabric& fabric : collectiveFabrics()) {
        if (fabric.linked > 0 || kind != fabric.system) continue;
        if (std::fabs(fabric.linkBytesPerSecond / linkBytesPerSecond - 1) < kAlikeRate) system = fabric.system;
    }
    return system;
}

Prediction judgeCollective(const CollectiveRequest& request, CollectiveOmission omitted) {
    if (const std::optional<Prediction> plain = plainPrediction(request)) return *plain;
    const std::optional<std::size_t> fabric = collectiveFabricOf(request);
    if (!fabric) return transferredPrediction(request, {});
    if (omitted == CollectiveOmission::system)
        return transferredPrediction(request, collectiveFabrics()[*fabric].generation);
    return judgedPrediction(*fabric, request, omitted);
}

}  // namespace tessera::physical
