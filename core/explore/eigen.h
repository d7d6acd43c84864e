#pragma once

namespace tessera::explore {

/// Eigen cuts products into blocks by the caches that it finds, which changes the order of sums from machine to
/// machine. Fixes their sizes once and for all; to be called before Eigen's products.
void initialiseEigen();

}  // namespace tessera::explore
