#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/enum_names.h"

namespace tessera {

/// Meaning of a curve's values.
enum class CurveRole : std::uint8_t {
    value,   ///< what was found, as it was found
    best,    ///< the best so far
    mean,    ///< of a generation
    spread,  ///< of a generation, about its mean
    bound,   ///< proven: nothing is better
};
inline constexpr EnumNames<CurveRole> kCurveRoleNames{"", "best", "mean", "spread", "bound"};

/// Name of a convergence curve.
struct CurveName {
    std::string owner = {};     ///< the algorithm or strategy that works; empty = the whole search
    std::string quantity = {};  ///< "ratio search", "step time"; empty = the objective of a portfolio
    CurveRole role = CurveRole::value;
    bool operator==(const CurveName&) const = default;
};

/// Text of a name, as histories keep it: "OWNER: QUANTITY ROLE", and without a quantity "OWNER ROLE". Every part may be
/// missing: "magma best", "accpar: step time", ": architecture search best", "bound".
std::string toText(const CurveName& name);
/// The name that a text stands for; any text is one.
CurveName curveNamed(std::string_view text);

/// Work done and value, in order.
using CurvePoints = std::vector<std::pair<double, double>>;

/// A convergence curve of a search.
struct Curve {
    CurveName name;
    CurvePoints points;
    std::string run = {};  ///< title of the run that it is of, where several are compared
};

}  // namespace tessera
