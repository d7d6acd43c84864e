#pragma once

#include <span>
#include <vector>

#include "core/physical/collective_table.h"

namespace tessera::physical {

/// Returns the seconds of a collective by the parameters alone: the fastest of ring, tree between nodes, and switch
/// that adds up (Thakur et al. 2005 for ring and tree; Graham et al. 2020 for adding in the switch); beyond the links
/// hierarchical, inside first. Each level takes latency + hops + x + kappa^(1 - gamma) x^gamma, x the seconds that its
/// bytes take at the full rate; the last term is the ramp of short messages. More bytes or a lower rate are never
/// faster, and more accelerators only where the switch adds up.
double collectiveModel(const CollectiveFabric& fabric, Collective operation, int accelerators, int perNode,
                       double bytes);

/// A row that a fit uses: a sample of a series.
struct CollectiveRow {
    const CollectiveSeries* series = nullptr;
    CollectiveSample sample;
};

/// Returns log(measured / model) of a row.
double collectiveResidual(const CollectiveFabric& fabric, const CollectiveRow& row);

/// What a fit knows of a row: log(measured / model), and the slope of the logarithm of the model in that of each
/// parameter.
struct CollectiveEffect {
    double residual = 0;
    std::array<double, kCollectiveParameters> slope = {};
};
/// Returns the effect of a row at the parameters of the fabric.
CollectiveEffect collectiveEffect(const CollectiveFabric& fabric, const CollectiveRow& row);

/// Returns the fabric after one Gauss-Newton step upon those effects (Huber's weights, kCollectivePrior as a weak
/// row for each parameter). From the fitted parameters and without a few rows that is the fit without them, to second
/// order.
CollectiveFabric collectiveStep(const CollectiveFabric& fabric, std::span<const CollectiveEffect> effects,
                                double damping = 0);

/// Returns the parameters that bring the logarithms of model and measurement nearest (Levenberg-Marquardt, Huber's
/// loss), starting at those of the fabric.
CollectiveParameters fitCollectives(CollectiveFabric fabric, std::span<const CollectiveRow> rows);

/// Returns all measured rows of a fabric, by its index.
std::vector<CollectiveRow> rowsOfFabric(std::size_t fabric);

}  // namespace tessera::physical
