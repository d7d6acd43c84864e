#include "core/study/provenance.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/base/units.h"

namespace tessera::study {

namespace {

constexpr std::size_t kLongestValue = 4096;
constexpr std::size_t kMaxNamedInputs = 6;

}  // namespace

Json sourcesJson(const hardware::ProvenanceMap& sources) {
    Json json = Json::object();
    for (const auto& [path, from] : sources) {
        Json& entry = json[path] = {{"source", from.source}, {"class", from.reliability}};
        if (from.was) hardware::writeProvenance(entry, {.source = {}, .reliability = {}, .was = from.was});
    }
    return json;
}

hardware::ProvenanceMap readSources(const JsonNode& node) {
    std::vector<std::string> words = hardware::reliabilities();
    words.emplace_back();
    hardware::ProvenanceMap sources;
    for (const auto& [path, from] : node.members()) {
        hardware::Provenance& read = sources[path];
        read.source = from.at("source").text(kLongestValue);
        read.reliability = from.at("class").oneOf(words);
        if (from.has("was")) read.was = hardware::readFormer(from.at("was"));
    }
    return sources;
}

void OwnNumbers::add(const std::string& hardware, const hardware::ProvenanceMap& numbers, const Accepts& accepts) {
    for (const auto& [path, from] : numbers)
        if (from.reliability == hardware::kOwnNumber && (!accepts || accepts(path)))
            numbers_.emplace(std::pair(hardware, path), from);
}

void OwnNumbers::add(const hardware::Fleet& fleet, const std::string& dtype) {
    add(fleet.name, fleet.provenance);
    for (const hardware::Group& group : fleet.groups) {
        const auto read = [&](const std::string& path) {
            return path == "peak_flops." + dtype || path == "efficiency.gemm" ||
                   (path == "network_bits_per_s" && !group.network) || path.ends_with("].capacity_bytes");
        };
        add(group.accelerator.name, group.accelerator.provenance, read);
    }
}

std::vector<std::string> OwnNumbers::sentences() const {
    if (numbers_.empty()) return {};
    std::vector<std::string> named;
    for (const auto& [place, from] : numbers_) {
        if (named.size() == kMaxNamedInputs) break;
        named.push_back(fmt::format("{} of {}", escaped(place.second), inQuotes(place.first)));
        if (from.was) named.back() += fmt::format(" (was {})", exactNumber(from.was->value));
    }
    if (numbers_.size() > kMaxNamedInputs)
        named.push_back(fmt::format("and {} more", numbers_.size() - kMaxNamedInputs));
    return {fmt::format("The result rests on {} of your own: {}.", formatCounted(numbers_.size(), "number", "numbers"),
                        joined(named, ", "))};
}

}  // namespace tessera::study
