#include "core/hardware/field_place.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/hardware/fleet.h"
#include "core/hardware/platform.h"
#include "core/hardware/template.h"
#include "tests/support/paths.h"

namespace tessera::hardware {
namespace {

Json bundled(const std::string& file) {
    return JsonDocument::load(test::sourcePath("data/" + file).string()).json();
}

const FieldPlace* find(const std::vector<FieldPlace>& places, const std::string& path) {
    const auto found =
        std::find_if(places.begin(), places.end(), [&](const FieldPlace& place) { return isAt(place, path); });
    return found == places.end() ? nullptr : &*found;
}

TEST(FieldPlaces, areFoundByNumbersAndByNames) {
    const Json fleet = bundled("fleets/dgx-h100x8.json");
    const std::vector<FieldPlace> places = fieldPlaces(fleetKind(), fleet);
    const FieldPlace* rate = find(places, "groups[0].levels[1].bandwidth_bytes_per_s");
    ASSERT_NE(rate, nullptr);
    EXPECT_EQ(rate->label, "h100 InfiniBand bandwidth");
    EXPECT_EQ(rate->value, 50e9) << "without its source";
    EXPECT_EQ(rate->row->measure, Measure::bytesPerSecond);
    EXPECT_EQ(rate->path, "groups[0].levels[1].bandwidth_bytes_per_s");
    EXPECT_EQ(find(places, "groups[h100].levels[InfiniBand].bandwidth_bytes_per_s"), rate);
    EXPECT_EQ(find(places, "groups[0].levels[infiniband].bandwidth_bytes_per_s"), rate);
    for (const char* wrong :
         {"groups[0].levels[2].bandwidth_bytes_per_s", "groups[0].levels[1].bandwidth",
          "groups[0].levels[1].bandwidth_bytes_per_second", "groups[0]levels[1].size", "groups", ""})
        EXPECT_EQ(find(places, wrong), nullptr) << wrong;
}

TEST(FieldPlaces, includeWhatIsLeftOut) {
    Json fleet = bundled("fleets/dgx-h100x8.json");
    const std::vector<FieldPlace> places = fieldPlaces(fleetKind(), fleet);
    const FieldPlace* shared = find(places, "groups[0].levels[0].shared_by");
    ASSERT_NE(shared, nullptr);
    EXPECT_TRUE(shared->value.is_null());
    valueAt(fleet, *shared) = 2;
    EXPECT_EQ(fleet["groups"][0]["levels"][0]["shared_by"], 2);
    EXPECT_EQ(find(places, "topology")->value, "flat");
}

TEST(FieldPlaces, ofMapsGroupsRangesAndWordsAreThere) {
    const std::vector<FieldPlace> of = fieldPlaces(acceleratorKind(), bundled("accelerators/h100.json"));
    EXPECT_EQ(find(of, "peak_flops.bf16")->value, 989.4e12);
    EXPECT_EQ(find(of, "memory[HBM3].capacity_bytes")->label, "HBM3 capacity");
    EXPECT_EQ(find(of, "peak_flops.fp4"), nullptr);
    const std::vector<FieldPlace> space = fieldPlaces(templateKind(), bundled("templates/phaze.json"));
    EXPECT_EQ(find(space, "parameters.glb_bytes")->row->holds, Holds::range);
    EXPECT_EQ(find(space, "clock_hz")->row->measure, Measure::hertz);
    const std::vector<FieldPlace> platform = fieldPlaces(platformKind(), bundled("platforms/s2.json"));
    EXPECT_EQ(find(platform, "sub_accelerators[LB].dataflow")->value, "shidiannao");
    EXPECT_EQ(find(platform, "sub_accelerators[1].flexible")->row->holds, Holds::flag);
}

TEST(FieldPlaces, ofAnAcceleratorInsideOfAFleetAreItsOwn) {
    Json fleet = bundled("fleets/dgx-h100x8.json");
    fleet["groups"][0]["accelerator"] = bundled("accelerators/h100.json");
    const std::vector<FieldPlace> places = fieldPlaces(fleetKind(), fleet);
    EXPECT_EQ(find(places, "groups[0].accelerator.memory[HBM3].bandwidth_bytes_per_s")->value, 3.35e12);
    EXPECT_EQ(find(places, "groups[0].accelerator"), nullptr);
}

/// Every value that is read by a path alone is what `tessera hardware show` says of it.
TEST(FieldPlaces, haveEveryValueThatIsShown) {
    for (const auto& [kind, file] :
         {std::pair(&fleetKind(), "fleets/accpar-heterogeneous.json"),
          std::pair(&acceleratorKind(), "accelerators/gaudi2.json"), std::pair(&platformKind(), "platforms/s4.json"),
          std::pair(&templateKind(), "templates/phaze-bandwidths.json")}) {
        const Json document = bundled(file);
        const std::vector<FieldPlace> places = fieldPlaces(*kind, document);
        std::size_t compared = 0;
        for (const ShownValue& shown : shownValues(kind->fields, document)) {
            if (shown.exact.empty()) continue;
            const FieldPlace* place = find(places, shown.path);
            ASSERT_NE(place, nullptr) << shown.path;
            EXPECT_EQ(exactNumber(place->value.get<double>()), shown.exact) << shown.path;
            ++compared;
        }
        EXPECT_GE(compared, 2U) << file;
    }
}

}  // namespace
}  // namespace tessera::hardware
