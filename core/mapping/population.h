#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/base/json.h"
#include "core/base/random.h"
#include "core/mapping/search.h"

namespace tessera::mapping {

/// A mapping drawn uniformly.
Mapping randomMapping(std::size_t jobs, std::size_t cores, RandomStream& random);

/// Population of a genetic search: mappings, objective values, generation number; the whole state of the search, whose
/// random streams are numbered by generation and child.
struct Population {
    std::int64_t generation = 0;
    std::vector<Mapping> members;
    std::vector<double> values;

    /// Best first; equals stay in order.
    void sort();
    Json state() const;
    static Population from(const Json& json, std::size_t jobs, std::size_t cores);
};

/// Draws a mapping of the first generation.
using FirstDraw = std::function<Mapping(RandomStream& random)>;

/// The first generation, evaluated: the mappings to start from, then drawn ones, `size` in all; uniformly where
/// nothing else is given.
Population firstGeneration(Trial& trial, std::size_t size, const FirstDraw& draw = {});

/// The stream of a child of a generation.
RandomStream streamOf(const Trial& trial, std::int64_t generation, std::size_t child);

/// The setting `population`; where it is 0, as many as there are jobs. At least `min`.
std::size_t populationSize(const Trial& trial, std::size_t min);

}  // namespace tessera::mapping
