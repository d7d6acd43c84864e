#pragma once

#include <optional>
#include <string>

namespace tessera::physical {

/// A predicted value and its 90 % interval, in the unit of what is predicted.
struct Estimate {
    double value = 0;
    double low = 0;
    double high = 0;
};

/// An estimate, or a sentence that says why there is none.
struct Prediction {
    std::optional<Estimate> estimate = {};
    std::string refused = {};
};

}  // namespace tessera::physical
