#pragma once

#include "core/physical/collective.h"

namespace tessera::physical {

/// Returns the seconds of a collective of a system that nobody measured, by what its name says: the accelerator that
/// the name is or begins with ("b200", "l40s", "a40-pairwise-nvlink"; ids of the library). Its description gives the
/// links of a node (without links: the host's), "pairwise" in the name joins two by links and pairs by the host, and
/// the network between nodes is that of the first fleet of the library with this accelerator and nodes. A sibling with
/// the same links and switches stands in where it was measured. Parameters are transferred and the interval is wide.
/// Refused with a sentence where no accelerator is named so, or a crossed level's bandwidth is not known. Reading is
/// safe from several threads.
Prediction predictNamedSystem(const CollectiveRequest& request);

}  // namespace tessera::physical
