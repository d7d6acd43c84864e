#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/quantity.h"
#include "core/hardware/architecture.h"

namespace tessera::hardware {

/// The area of a buffer of one size.
struct BufferArea {
    Bytes size;
    double squareMicrometres = 0;

    bool operator==(const BufferArea&) const = default;
};

/// Interface of an accelerator to its HBM or to others, in whole units such as stacks or links.
struct Interface {
    std::string unit;                       ///< what one is, for people: "HBM2 stack"
    BytesPerSecond rate;                    ///< of one
    std::optional<SquareMillimetres> area;  ///< of one, on the accelerator; none: not known
    std::optional<Watts> power;             ///< of one at its full rate, with what is at its other end; none: not known

    bool operator==(const Interface&) const = default;
};
/// Minimum number of units that have a bandwidth together.
double unitsFor(const Interface& joined, BytesPerSecond bandwidth);

/// Areas of the parts of an accelerator in one technology, in square micrometres as published. A part's L1 is in it.
struct AreaModel {
    double tensorElement = 0;              ///< one multiplier of a tensor core with its L1
    double vectorLane = 0;                 ///< one lane of a vector core with its L1
    std::vector<BufferArea> l2;            ///< from small to large, at least two
    std::vector<BufferArea> globalBuffer;  ///< from small to large, at least two

    bool operator==(const AreaModel&) const = default;
};

/// Area of an accelerator by part. Each part is what the published model adds up: num_tc * (PE_x * PE_y * element + L2)
/// + num_vc * (PE_x * lane + L2) + GLB; and interfaces, which it has none of.
struct Area {
    SquareMillimetres tensorCores;                         ///< the arrays, without their L2
    SquareMillimetres vectorCores;                         ///< the lanes, without their L2
    SquareMillimetres l2;                                  ///< of all cores
    SquareMillimetres globalBuffer;                        ///< the GLB
    SquareMillimetres hbmInterface{}, networkInterface{};  ///< where the template gives their areas
    bool l2Estimated = false;                              ///< a size of L2 that the model does not give
    bool globalBufferEstimated = false;

    SquareMillimetres total() const {
        return tensorCores + vectorCores + l2 + globalBuffer + hbmInterface + networkInterface;
    }
    bool operator==(const Area&) const = default;
};

/// The area of a buffer: as given where the table has its size; else between (or beyond) the two nearest sizes, as the
/// power of the size that joins them, which is an estimate of our own.
struct BufferEstimate {
    double squareMicrometres = 0;
    bool estimated = false;
};
BufferEstimate bufferArea(Bytes size, const std::vector<BufferArea>& table);

/// Area of all but the interfaces.
Area areaOf(const Architecture& architecture, const AreaModel& model);

/// Estimated parts of the area, as sentences for a result's assumptions; empty where all of it is given.
std::vector<std::string> areaNotes(const Architecture& architecture, const Area& area);

}  // namespace tessera::hardware
