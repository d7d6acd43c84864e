#include "core/study/exploration/settable.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/study/engine.h"
#include "core/study/exploration/explored_space.h"
#include "core/study/exploration/hardware_fields.h"
#include "core/study/exploration/inputs.h"
#include "core/study/exploration/study.h"
#include "core/study/parameter.h"

namespace tessera::study {

namespace {

std::string settableNow(const Json& value, Measure measure) {
    if (value.is_null()) return "–";
    if (value.is_string()) return value.get<std::string>();
    if (!value.is_number()) return value.dump();
    return measure == Measure::count ? formatCount(value.get<double>()) : formatQuantity(value.get<double>(), measure);
}

/// The model's dimensions: those of a network of the zoo, and those that the study gives.
void addDimensions(std::vector<Settable>& all, const Study& base) {
    std::map<std::string, std::int64_t> others = base.dimensions;
    for (const model::ZooDimension& each : zooDimensionsOf(base)) {
        const auto given = base.dimensions.find(each.name);
        all.push_back({"dimension", each.name,
                       given != base.dimensions.end() ? fmt::format("{}", given->second)
                       : each.follows.empty()         ? fmt::format("{}", each.value)
                                                      : "as " + each.follows,
                       fmt::format("a whole number from {} to {}", formatCount(each.min), formatCount(each.max)), "",
                       each.meaning});
        others.erase(each.name);
    }
    for (const auto& [name, value] : others)
        all.push_back({"dimension", name, fmt::format("{}", value), "a whole number", "", "of the model"});
}

}  // namespace

std::string Settable::nameInLine() const {
    return kind == "dimension" ? "dim." + name : name;
}

std::vector<Settable> settablesOf(const std::vector<Study>& choices) {
    std::vector<Settable> all;
    const Study& base = choices.front();
    const Engine& engine = engineNamed(base.engine);
    for (const Parameter& row : engine.parameters()) {
        if (row.kind == ParameterKind::document || row.kind == ParameterKind::list) continue;
        const Json own = base.parameters->value(std::string(row.name), Json());
        all.push_back({"parameter", std::string(row.name),
                       settableNow(own.is_null() ? defaultOf(row) : own, row.measure), expectationOf(row),
                       std::string(unitName(row.measure)), std::string(row.help)});
    }
    if (engine.drawsNumbers)
        all.push_back({"parameter", "seed", base.seed ? fmt::format("{}", *base.seed) : "–",
                       "a whole number of 0 or more", "", "of random numbers"});
    const auto input = [&](const char* name, const std::vector<std::string>& now, InputArity takes) {
        if (takes != InputArity::none)
            all.push_back({"input", name, joined(now, ", "), "names or files", "",
                           fmt::format("one of several {} in place of the study's", name)});
    };
    input("models", base.models, engine.models);
    input("workloads", base.workloads, engine.workloads);
    input("hardware", base.hardware, engine.hardware);
    addDimensions(all, base);
    const std::vector<HardwareFile> files = hardwareFilesOf(choices);
    for (const auto& [path, field] : hardwareFields(files)) {
        const hardware::FieldPlace& place = field.in(files);
        const hardware::Field& row = *place.row;
        all.push_back({"field", path, settableNow(place.value, row.measure), expectationOf(row),
                       row.unit.empty() ? std::string(unitName(row.measure)) : row.unit, row.about,
                       titleOf(files, field)});
    }
    return all;
}

std::vector<std::string> offeredVariables(const Study& exploration) {
    std::vector<std::string> lines;
    for (const Settable& each : settablesOf(choicesOf(exploration))) lines.push_back(each.nameInLine() + "=");
    return lines;
}

std::vector<std::string> offeredMetrics(const Study& exploration) {
    const Engine& engine = engineNamed(baseOf(exploration).engine);
    std::vector<std::string> names;
    const auto add = [&](std::string_view name) {
        if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
    };
    for (const KeyMetric& metric : engine.keyMetrics) add(metric.name);
    for (const DecidingMetric& metric : engine.deciding) add(metric.name);
    add(engine.objectiveMetric);
    return names;
}

}  // namespace tessera::study
