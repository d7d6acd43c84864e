#include "core/hardware/area_census.h"

#include "core/hardware/area.h"

namespace tessera::hardware {

AreaCensus areaCensus(const Template& space) {
    AreaCensus census{.bound = areaBound(space), .areas = {}};
    census.areas.reserve(architectureCount(space));
    for (std::size_t i = 0; i < architectureCount(space); ++i) {
        const Area area = areaOf(architectureAt(space, i), space);
        census.areas.push_back(area.total().value);
        if (area.total() > census.bound) continue;
        ++census.within;
        if (area.l2Estimated || area.globalBufferEstimated) ++census.estimated;
    }
    return census;
}

}  // namespace tessera::hardware
