#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/json.h"
#include "core/mapping/mapping.h"

/// Number format of checkpoints: exact to the last bit, and short.
namespace tessera::mapping {

/// Numbers as one text in base64 of their bytes.
Json packed(std::span<const double> numbers);
Json packed(std::span<const float> numbers);
Json packed(std::span<const std::int32_t> numbers);
Json packed(std::span<const std::int64_t> numbers);

/// The numbers again. Throws UsageError where the text is none of `packed`.
std::vector<double> unpackedDoubles(const Json& json);
std::vector<float> unpackedFloats(const Json& json);
std::vector<std::int32_t> unpackedWords(const Json& json);
std::vector<std::int64_t> unpackedCounts(const Json& json);

Json toJson(const Mapping& mapping);
/// Throws UsageError where it is no mapping of that many jobs and cores.
Mapping mappingFrom(const Json& json, std::size_t jobs, std::size_t cores);

/// Mappings in a row, as populations are kept.
Json toJson(std::span<const Mapping> mappings);
std::vector<Mapping> mappingsFrom(const Json& json, std::size_t jobs, std::size_t cores);

/// Throws the UsageError of a state that cannot be gone on with.
[[noreturn]] void refuseState();

}  // namespace tessera::mapping
