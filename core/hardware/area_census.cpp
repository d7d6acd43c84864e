#include "core/hardware/area_census.h"

#include "core/hardware/area.h"

namespace tessera::hardware {

AreaCensus areaCensus(const Template& space) {
    AreaCensus census{.bound = areaBound(space), .areas = {}};
    census.areas.reserve(architectureCount(space));
    for (const Architecture& architecture : architectures(space)) {
        const Area area = areaOf(architecture, space.area);
        census.areas.push_back(area.total().value);
        if (area.total() > census.bound) continue;
        ++census.within;
        if (area.l2Estimated || area.globalBufferEstimated) ++census.estimated;
    }
    return census;
}

}  // namespace tessera::hardware
