#include "core/study/stored_form.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace tessera::study {

namespace {

/// A whole number that a double stands for exactly.
bool isWhole(const Json& value) {
    const double number = value.get<double>();
    return number == std::floor(number) && std::fabs(number) < 0x1p53;
}

}  // namespace

Json storedForm(const Parameter& parameter, Json value) {
    switch (parameter.kind) {
        case ParameterKind::number:
        case ParameterKind::wordOrNumber:
            return value.is_number() ? Json(value.get<double>()) : value;
        case ParameterKind::whole:
            return value.is_number_float() && isWhole(value) ? Json(static_cast<std::int64_t>(value.get<double>()))
                                                             : value;
        case ParameterKind::numbers:
        case ParameterKind::namedNumbers:
        case ParameterKind::wordNumbers:
            if (value.is_structured())
                for (Json& number : value)
                    if (number.is_number()) number = number.get<double>();
            return value;
        default:
            return value;
    }
}

}  // namespace tessera::study
