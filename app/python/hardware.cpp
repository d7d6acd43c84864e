#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/python/binding.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/hardware/field.h"
#include "core/hardware/field_place.h"
#include "core/hardware/library.h"
#include "core/hardware/numbers.h"
#include "core/study/hardware_summary.h"

namespace tessera::python {

namespace {

constexpr const char* kOwnSource = "set in Python";

using hardware::FieldPlace;

/// (kind, name, title, path, problem) of the files of the library.
py::list list() {
    py::list all;
    for (const hardware::LibraryEntry& entry : unlocked([] { return hardware::libraryEntries(); }))
        all.append(py::make_tuple(toPython(entry.kind), toPython(entry.id), toPython(entry.name),
                                  toPython(entry.path.string()), toPython(entry.problem)));
    return all;
}

/// The file that it was read from; empty for what stands in no file.
std::string fileOf(const study::HardwareSummary& found) {
    return std::visit([](const auto& value) { return value.file; }, found.value);
}

py::tuple tupleOf(const study::HardwareSummary& found) {
    return py::make_tuple(toPython(found.kind->id), toPython(found.name), toPython(fileOf(found)),
                          toPython(toText(*found.document)));
}

py::tuple load(const std::string& nameOrPath) {
    return tupleOf(unlocked([&] { return study::loadHardware(nameOrPath); }));
}

study::HardwareSummary readText(const std::string& text, const std::string& file) {
    return withDocument(text, file, [](const JsonDocument& document) { return study::readHardware(document, {}); });
}

py::tuple read(const std::string& text, const std::string& file) {
    return tupleOf(unlocked([&] { return readText(text, file); }));
}

std::string unitOf(const hardware::Field& row) {
    return row.unit.empty() ? std::string(unitName(row.measure)) : row.unit;
}

/// What the fields of a document say, as JSON; those that are left out, too.
py::str fields(const std::string& text, const std::string& file) {
    return toPython(unlocked([&] {
        const study::HardwareSummary found = readText(text, file);
        const std::vector<hardware::ShownValue> shown = hardware::shownValues(found.kind->fields, *found.document);
        Json rows = Json::array();
        for (const FieldPlace& place : hardware::fieldPlaces(*found.kind, *found.document)) {
            Json row = {{"path", place.path}, {"title", place.label},       {"value", place.value},
                        {"text", nullptr},    {"unit", unitOf(*place.row)}, {"from", nullptr}};
            const auto said = std::find_if(shown.begin(), shown.end(),
                                           [&](const hardware::ShownValue& each) { return each.path == place.path; });
            if (said != shown.end()) {
                row["text"] = said->value;
                row["from"] = said->from;
            }
            row["whole"] = place.row->bounds.whole;
            row["number"] = place.row->holds == hardware::Holds::number;
            row["about"] = place.row->about;
            rows.push_back(std::move(row));
        }
        return toText(rows);
    }));
}

/// A field at a path of a document. Throws UsageError, naming what is meant perhaps.
FieldPlace placeAt(const hardware::Kind& kind, const Json& document, const std::string& path) {
    std::vector<std::string> known;
    for (FieldPlace& place : hardware::fieldPlaces(kind, document)) {
        if (hardware::isAt(place, path)) return std::move(place);
        known.push_back(place.path);
    }
    throw UsageError(fmt::format("there is no field {} of this {}{}", inQuotes(path), kind.id,
                                 withClosest("; did you mean {}?", path, known)));
}

/// The full path of a field that a path means.
py::str place(const std::string& text, const std::string& file, const std::string& path) {
    return toPython(unlocked([&] {
        const study::HardwareSummary found = readText(text, file);
        return placeAt(*found.kind, *found.document, path).path;
    }));
}

/// The document with every accelerator written out, so that their fields can be changed.
Json writtenOut(const study::HardwareSummary& found) {
    if (const auto* fleet = std::get_if<hardware::Fleet>(&found.value)) return hardware::toJsonInline(*fleet);
    if (const auto* platform = std::get_if<hardware::Platform>(&found.value)) return hardware::toJsonInline(*platform);
    return *found.document;
}

void change(Json& document, const hardware::Kind& kind, const std::string& path, const Json& value) {
    const FieldPlace place = placeAt(kind, document, path);
    Json& at = hardware::valueAt(document, place);
    at = place.row->holds == hardware::Holds::number ? hardware::ownNumber(at, value, kOwnSource) : value;
}

/// A copy with other values at paths; what was a number is marked as the user's own.
py::tuple changed(const std::string& text, const std::string& file,
                  const std::vector<std::pair<std::string, std::string>>& changes) {
    return tupleOf(unlocked([&] {
        const study::HardwareSummary found = readText(text, file);
        Json document = writtenOut(found);
        for (const auto& [path, json] : changes)
            change(document, *found.kind, path, JsonDocument::parse(json, path).json());
        return readText(toText(document), file);
    }));
}

}  // namespace

void addHardware(py::module_& module) {
    module.def("set_prefix", [](const std::string& prefix) { hardware::setPrefix(prefix); });
    module.def("hardware_list", list);
    module.def("hardware_load", load);
    module.def("hardware_read", read);
    module.def("hardware_fields", fields);
    module.def("hardware_place", place);
    module.def("hardware_changed", changed);
}

}  // namespace tessera::python
