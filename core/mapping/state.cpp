#include "core/mapping/state.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/base/base64.h"
#include "core/base/error.h"

namespace tessera::mapping {

namespace {

template <typename Number>
Json packedAs(std::span<const Number> numbers) {
    std::string bytes(numbers.size_bytes(), '\0');
    if (!numbers.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
    return toBase64(bytes);
}

template <typename Number>
std::vector<Number> unpackedAs(const Json& json) {
    if (!json.is_string()) refuseState();
    const std::optional<std::string> bytes = fromBase64(json.get_ref<const std::string&>());
    if (!bytes || bytes->size() % sizeof(Number) != 0) refuseState();
    std::vector<Number> numbers(bytes->size() / sizeof(Number));
    if (!numbers.empty()) std::memcpy(numbers.data(), bytes->data(), bytes->size());
    return numbers;
}

}  // namespace

void refuseState() {
    throw UsageError(
        "the saved state of the mapping search is not one of this problem and these options; start it over");
}

Json packed(std::span<const double> numbers) {
    return packedAs(numbers);
}

Json packed(std::span<const float> numbers) {
    return packedAs(numbers);
}

Json packed(std::span<const std::int32_t> numbers) {
    return packedAs(numbers);
}

Json packed(std::span<const std::int64_t> numbers) {
    return packedAs(numbers);
}

std::vector<double> unpackedDoubles(const Json& json) {
    return unpackedAs<double>(json);
}

std::vector<float> unpackedFloats(const Json& json) {
    return unpackedAs<float>(json);
}

std::vector<std::int32_t> unpackedWords(const Json& json) {
    return unpackedAs<std::int32_t>(json);
}

std::vector<std::int64_t> unpackedCounts(const Json& json) {
    return unpackedAs<std::int64_t>(json);
}

Json toJson(std::span<const Mapping> mappings) {
    std::vector<std::int32_t> cores;
    std::vector<double> priorities;
    for (const Mapping& mapping : mappings) {
        cores.insert(cores.end(), mapping.core.begin(), mapping.core.end());
        priorities.insert(priorities.end(), mapping.priority.begin(), mapping.priority.end());
    }
    return {{"core", packed(cores)}, {"priority", packed(priorities)}};
}

std::vector<Mapping> mappingsFrom(const Json& json, std::size_t jobs, std::size_t cores) {
    const std::vector<std::int32_t> chosen = unpackedWords(json.at("core"));
    const std::vector<double> priorities = unpackedDoubles(json.at("priority"));
    if (jobs == 0 || chosen.size() != priorities.size() || chosen.size() % jobs != 0) refuseState();
    const auto isCore = [&](std::int32_t core) { return core >= 0 && static_cast<std::size_t>(core) < cores; };
    const auto isPriority = [](double priority) { return priority >= 0 && priority < 1; };
    if (!std::all_of(chosen.begin(), chosen.end(), isCore)) refuseState();
    if (!std::all_of(priorities.begin(), priorities.end(), isPriority)) refuseState();
    std::vector<Mapping> mappings(chosen.size() / jobs);
    for (std::size_t i = 0; i < mappings.size(); ++i) {
        const auto from = static_cast<std::ptrdiff_t>(i * jobs);
        const auto to = static_cast<std::ptrdiff_t>((i + 1) * jobs);
        mappings[i].core.assign(chosen.begin() + from, chosen.begin() + to);
        mappings[i].priority.assign(priorities.begin() + from, priorities.begin() + to);
    }
    return mappings;
}

Json toJson(const Mapping& mapping) {
    return toJson(std::span<const Mapping>(&mapping, 1));
}

Mapping mappingFrom(const Json& json, std::size_t jobs, std::size_t cores) {
    std::vector<Mapping> mappings = mappingsFrom(json, jobs, cores);
    if (mappings.size() != 1) refuseState();
    return std::move(mappings.front());
}

}  // namespace tessera::mapping
