#include "core/hardware/area.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/base/elementary.h"

namespace tessera::hardware {

namespace {

constexpr double kSquareMicrometres = 1e-6;  // in square millimetres

/// The power law through two entries. PHAZE's own entries grow by 1.8 to 2.0 for each doubling from 2 MB up.
double alongPower(Bytes size, const BufferArea& small, const BufferArea& large) {
    const double exponent = elementary::log(large.squareMicrometres / small.squareMicrometres) /
                            elementary::log(ratio(large.size, small.size));
    return small.squareMicrometres * elementary::pow(ratio(size, small.size), exponent);
}

}  // namespace

BufferEstimate bufferArea(Bytes size, const std::vector<BufferArea>& table) {
    assert(table.size() >= 2);
    const auto above = std::lower_bound(table.begin(), table.end(), size,
                                        [](const BufferArea& entry, Bytes wanted) { return entry.size < wanted; });
    if (above != table.end() && above->size == size) return {above->squareMicrometres, false};
    const auto large = std::clamp(above, table.begin() + 1, table.end() - 1);
    return {alongPower(size, *(large - 1), *large), true};
}

double unitsFor(const Interface& joined, BytesPerSecond bandwidth) {
    constexpr double kRounding = 1 - 1e-12;
    return std::ceil(ratio(bandwidth, joined.rate) * kRounding);
}

Area areaOf(const Architecture& architecture, const AreaModel& model) {
    const auto tensorCores = static_cast<double>(architecture.tensorCores);
    const auto vectorCores = static_cast<double>(architecture.vectorCores);
    const auto width = static_cast<double>(architecture.width);
    const auto height = static_cast<double>(architecture.height);
    const BufferEstimate tensorL2 = bufferArea(architecture.tensorL2, model.l2);
    const BufferEstimate vectorL2 = bufferArea(architecture.vectorL2, model.l2);
    const BufferEstimate global = bufferArea(architecture.globalBuffer, model.globalBuffer);
    const auto area = [](double squareMicrometres) {
        return SquareMillimetres{squareMicrometres * kSquareMicrometres};
    };
    return {.tensorCores = area(tensorCores * width * height * model.tensorElement),
            .vectorCores = area(vectorCores * width * model.vectorLane),
            .l2 = area(tensorCores * tensorL2.squareMicrometres + vectorCores * vectorL2.squareMicrometres),
            .globalBuffer = area(global.squareMicrometres),
            .l2Estimated = tensorL2.estimated || vectorL2.estimated,
            .globalBufferEstimated = global.estimated};
}

std::vector<std::string> areaNotes(const Architecture& architecture, const Area& area) {
    std::vector<std::string> notes;
    if (area.l2Estimated)
        notes.push_back(
            fmt::format("The area model gives no L2 of {} and {}: estimated from the nearest sizes that it "
                        "gives.",
                        bufferSize(architecture.tensorL2), bufferSize(architecture.vectorL2)));
    if (area.globalBufferEstimated)
        notes.push_back(
            fmt::format("The area model gives no global buffer of {}: estimated from the nearest sizes that it gives.",
                        bufferSize(architecture.globalBuffer)));
    return notes;
}

}  // namespace tessera::hardware
