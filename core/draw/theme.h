#pragma once

#include <tessera/tokens.h>  // kTokens, kCategories, kPartitionTypes, ramps and sizes: made from resources/theme/tokens.txt

#include <string>
#include <string_view>

namespace tessera::report {

enum class ThemeKind { light, dark, css };

/// Resolves tokens to colours: fixed ones for a chart that stands alone, CSS variables inside a report that follows
/// the reader's light or dark setting.
class Theme {
public:
    explicit Theme(ThemeKind kind) : kind_(kind) {}
    ThemeKind kind() const { return kind_; }
    std::string operator()(std::string_view token) const;

private:
    ThemeKind kind_;
};

/// The colour of a class of operators ("matrix", "vector", "memory", "communication", "embedding", "normalisation");
/// that of memory for an unknown one.
std::string_view operatorColour(std::string_view operatorClass);

/// The colour "#RRGGBB" of a quantity on a perceptually even ramp: 0 = nothing, 1 = most. Shares outside are clamped.
std::string quantityColour(double share);
/// The colour of a difference: -1 = much worse (rose), 0 = the same (grey), 1 = much better (green).
std::string differenceColour(double difference);

/// Pixels of a named length or height of letters ("padding", "row", "caption"); throws std::logic_error.
int sizeOf(std::string_view name);

/// WCAG 2.1 contrast ratio of two "#RRGGBB" colours.
double contrast(std::string_view one, std::string_view other);

}  // namespace tessera::report
