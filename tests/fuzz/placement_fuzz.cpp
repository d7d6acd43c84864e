// Seeds: tests/data/phaze/dp_cases/small/*.in.json
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "core/base/error.h"
#include "core/codesign/placement/placement_file.h"

/// Any bytes as layers to place: a plan that has the time it says, or a reason for having none, or a DataError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tessera;
    using namespace tessera::codesign;
    try {
        const PlacementFile file =
            readPlacementFile(JsonDocument::parse(std::string(reinterpret_cast<const char*>(data), size), "input"));
        constexpr std::size_t kFewCuts = 500;
        const Placement placement = Placer(file.graph, kFewCuts).place(file.problem, {.explain = true});
        if (placement.plan.has_value() == placement.shortage.has_value()) std::abort();
        if (placement.plan && evaluate(file.graph, file.problem, *placement.plan) != *placement.plan) std::abort();
    } catch (const DataError&) {
        return 0;
    }
    return 0;
}
