#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/base/units.h"

namespace tessera::hardware {

/// Another value that a source gives for the same number, where sources contradict each other.
struct Alternative {
    double value = 0;
    std::string source;
    bool operator==(const Alternative&) const = default;
};

/// The class of a number that a user set by hand, whatever stood there before.
inline constexpr const char* kOwnNumber = "yours";

/// The number that a user replaced by one of their own, with what was said about it.
struct Former {
    double value = 0;
    std::string source = {};
    std::string reliability = {};
    std::vector<Alternative> alternatives = {};
    bool operator==(const Former&) const = default;
};

/// Source and reliability of a number.
struct Provenance {
    std::string source;       ///< where it comes from, in words
    std::string reliability;  ///< one of `reliabilities()`, or empty; the file calls it "class"
    std::vector<Alternative> alternatives = {};
    std::optional<Former> was = {};  ///< of one's own numbers, where they replaced one that named its source
    bool operator==(const Provenance&) const = default;
};

/// The words of a number's class: "measured", "datasheet", "assumed", "yours".
const std::vector<std::string>& reliabilities();

/// The source, and what a number of one's own replaced: "set by hand on 2026-11-23; was 200000000000, datasheet: ...".
std::string sourceText(const Provenance& provenance);
/// Class and source of a number: "datasheet: NVIDIA A100 datasheet". Empty where neither is given.
std::string whereFrom(const Provenance& provenance);

/// Provenance by JSON path relative to the accelerator or fleet, such as "peak_flops.bf16" or "groups[1].count".
using ProvenanceMap = std::map<std::string, Provenance>;

/// Valid range of a number in a file.
struct Bounds {
    double min = 0;
    double max = 1e30;
    bool minExcluded = true;  ///< above `min`, not equal to it
    bool whole = false;
    bool powerOfTwo = false;
    bool operator==(const Bounds&) const = default;
};
inline constexpr Bounds kPositive{};
inline constexpr Bounds kNotNegative{.minExcluded = false};
inline constexpr Bounds kFraction{.max = 1};
/// A whole number from 1 to `max`.
constexpr Bounds wholeUpTo(std::int64_t max, std::int64_t min = 1) {
    return {.min = static_cast<double>(min), .max = static_cast<double>(max), .minExcluded = false, .whole = true};
}

/// The number alone, or a text with a unit of the measure. Values above 0 lie in 1e-30 ... 1e30, so that no product or
/// quotient of a few of them is infinite or zero. Throws DataError.
double readNumber(const JsonNode& node, const Bounds& bounds, Measure measure);
/// True if texts with units are accepted for such a number.
bool acceptsUnits(const Bounds& bounds, Measure measure);

/// Reads what a number of one's own replaced. Throws DataError.
Former readFormer(const JsonNode& node, Measure measure = Measure::count);
/// Reads the members of a number's long form beside its value: `source`, `class`, `alternatives`, `was`. Throws
/// DataError.
Provenance readProvenance(const JsonNode& node, Measure measure);
/// Writes it beside the value, as `readProvenance` reads it; what is empty is left out.
void writeProvenance(Json& object, const Provenance& provenance);

/// Writes a number as it was read: with its provenance where `provenance` has its path. Whole numbers below 2^53 are
/// written without a fraction.
Json numberJson(double value, const std::string& path, const ProvenanceMap& provenance);

/// Returns a number of a file as its owner sets it by hand: `value` with `source` as where it comes from, and what it
/// replaces where that named its source. The number that stood there before, set again, gets its source back. Null
/// where `value` is.
Json ownNumber(const Json& before, const Json& value, const std::string& source);

/// A name from a file: a text that is not blank, of at most 256 characters.
std::string nameIn(const JsonNode& node);

/// Bytes of a name of another file.
inline constexpr std::size_t kLongestReference = 4096;

}  // namespace tessera::hardware
