// The readers of JSON: whatever the bytes, they read or throw DataError, and what was read is written back as the same.
// Seeds: data/accelerators/*.json data/fleets/*.json data/platforms/*.json data/templates/*.json
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/hardware/fleet.h"
#include "core/hardware/platform.h"
#include "core/hardware/template.h"

namespace {

using namespace tessera;

void check(bool holds) {
    if (!holds) std::abort();
}

void readDocument(const std::string& text) {
    const JsonDocument document = JsonDocument::parse(text, "fuzz.json");
    check(JsonDocument::parse(toText(document.json()), "fuzz.json").json() == document.json());
}

void readAnAccelerator(const std::string& text) {
    const hardware::Accelerator read = hardware::readAccelerator(JsonDocument::parse(text, "fuzz.json").root());
    check(hardware::readAccelerator(JsonDocument::parse(toText(toJson(read)), "fuzz.json").root()) == read);
}

void readAFleet(const std::string& text) {
    const hardware::Fleet read = hardware::readFleet(JsonDocument::parse(text, "fuzz.json").root());
    check(hardware::readFleet(JsonDocument::parse(toText(toJson(read)), "fuzz.json").root()) == read);
    (void)hardware::readFleet(JsonDocument::parse(toText(toJsonInline(read)), "fuzz.json").root());
}

void readAPlatform(const std::string& text) {
    const hardware::Platform read = hardware::readPlatform(JsonDocument::parse(text, "fuzz.json").root());
    check(hardware::readPlatform(JsonDocument::parse(toText(toJson(read)), "fuzz.json").root()) == read);
    (void)hardware::readPlatform(JsonDocument::parse(toText(toJsonInline(read)), "fuzz.json").root());
}

void readATemplate(const std::string& text) {
    const hardware::Template read = hardware::readTemplate(JsonDocument::parse(text, "fuzz.json").root());
    check(hardware::readTemplate(JsonDocument::parse(toText(toJson(read)), "fuzz.json").root()) == read);
    // What a file may hold has an area: of its smallest and its largest accelerator, and of the one that bounds them.
    for (const bool smallest : {true, false}) {
        const auto value = [smallest](const hardware::Range& range) {
            return smallest ? range.values.front() : range.values.back();
        };
        const hardware::Architecture architecture =
            architectureOf(read, value(read.tensorCores), value(read.vectorCores), value(read.width),
                           value(read.height), value(read.globalBuffer));
        check(areaOf(architecture, read.area).total().value > 0);
    }
    check(areaBound(read).value > 0);
}

void readAQuantity(const std::string& text) {
    for (int measure = 0; measure <= static_cast<int>(Measure::count); ++measure) {
        const auto value = parseQuantity(text, static_cast<Measure>(measure));
        if (value) check(!formatQuantity(*value, static_cast<Measure>(measure)).empty());
    }
    check(isUtf8(escaped(text)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    for (const auto read : {readDocument, readAnAccelerator, readAFleet, readAPlatform, readATemplate, readAQuantity}) {
        try {
            read(text);
        } catch (const DataError& error) {
            check(std::string_view(error.what()).find('\n') == std::string_view::npos);
        }
    }
    return 0;
}
