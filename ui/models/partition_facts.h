#pragma once

#include "ui/models/facts.h"
#include "ui/models/partition_tables.h"

namespace tessera::ui {

/// One layer at the chosen split: type, times, shares, where from.
Facts layerFacts(const PartitionChoice& choice, int layer);
/// The chosen split: ratio, sides, bound.
Facts splitFacts(const PartitionChoice& choice);
/// The chosen strategy's plan.
Facts planFacts(const PartitionChoice& choice);
/// One kind of accelerator under the chosen strategy.
Facts acceleratorFacts(const PartitionChoice& choice, int kind);

}  // namespace tessera::ui
