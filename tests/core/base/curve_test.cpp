#include "core/base/curve.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace tessera {
namespace {

TEST(CurveNames, areWrittenAndReadBack) {
    using enum CurveRole;
    const std::pair<CurveName, std::string> names[]{
        {{"magma", "", best}, "magma best"},
        {{"magma", "", value}, "magma"},
        {{"magma", "", spread}, "magma spread"},
        {{"", "", bound}, "bound"},
        {{"", "", value}, ""},
        {{"accpar", "step time", value}, "accpar: step time"},
        {{"accpar", "step time", bound}, "accpar: step time bound"},
        {{"accpar", "ratio search", best}, "accpar: ratio search best"},
        {{"", "architecture search", best}, ": architecture search best"},
    };
    for (const auto& [name, text] : names) {
        EXPECT_EQ(toText(name), text);
        EXPECT_EQ(curveNamed(text), name) << text;
    }
}

TEST(CurveNames, ofEarlierVersionsAndOfOthersAreRead) {
    using enum CurveRole;
    EXPECT_EQ(curveNamed("accpar: bound"), (CurveName{"accpar", "step time", bound}));
    EXPECT_EQ(curveNamed("magma: mean"), (CurveName{"magma", "", mean}));
    EXPECT_EQ(curveNamed("accpar root bound"), (CurveName{"accpar root", "", bound}));
    EXPECT_EQ(curveNamed("live"), CurveName{"live"});
    for (const std::string text : {"", " ", ": ", " best", "best best", ":", "a: b: c mean"})
        EXPECT_EQ(curveNamed(toText(curveNamed(text))), curveNamed(text)) << text;
}

}  // namespace
}  // namespace tessera
