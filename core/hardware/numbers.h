#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"

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

/// How far a number can be trusted.
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
/// The same after its class: "datasheet: NVIDIA A100 datasheet". Empty where nothing is said.
std::string whereFrom(const Provenance& provenance);

/// By JSON path relative to the accelerator or fleet, such as "peak_flops.bf16" or "groups[1].count".
using ProvenanceMap = std::map<std::string, Provenance>;

/// Reads what a number of one's own replaced. Throws DataError.
Former readFormer(const JsonNode& node);
/// What a number's long form says beside its value: `source`, `class`, `alternatives`, `was`. Throws DataError.
Provenance readProvenance(const JsonNode& node);
/// Writes it beside the value, as `readProvenance` reads it; what is empty is left out.
void writeProvenance(Json& object, const Provenance& provenance);

/// Reads numbers that stand alone or as `{"value": x, "source": "...", "class": "measured|datasheet|assumed|yours",
/// "alternatives": [{"value": y, "source": "..."}], "was": {"value": z, "source": "...", "class": "..."}}`, and keeps
/// what the long form says. All functions throw DataError.
class NumberReader {
public:
    /// Paths are kept relative to `base`. Both must outlive the reader.
    NumberReader(const JsonNode& base, ProvenanceMap& provenance);

    /// Above 0. Values outside of 1e-30 ... 1e30 are refused, so that no product or quotient of a few of them is
    /// infinite or zero.
    double positive(const JsonNode& node) const;
    double notNegative(const JsonNode& node) const;
    /// Above 0 and at most 1.
    double fraction(const JsonNode& node) const;
    /// A whole number from 1 to `most`.
    std::int64_t count(const JsonNode& node, std::int64_t most) const;

private:
    JsonNode valueOf(const JsonNode& node) const;

    const JsonNode& base_;
    ProvenanceMap& provenance_;
};

/// Writes a number as it was read: with its provenance where `provenance` has its path. Whole numbers below 2^53 are
/// written without a fraction.
Json numberJson(double value, const std::string& path, const ProvenanceMap& provenance);

/// A name from a file: a text that is not blank, of at most 256 characters.
std::string nameIn(const JsonNode& node);

}  // namespace tessera::hardware
