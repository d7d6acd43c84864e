#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <vector>

#include "app/cli/command.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/cost/job_analysis.h"
#include "core/draw/table.h"
#include "core/hardware/area_census.h"
#include "core/hardware/library.h"
#include "core/study/result.h"

namespace tessera::cli {

namespace {

using hardware::Accelerator;
using hardware::Fleet;
using hardware::LibraryEntry;
using hardware::Platform;
using hardware::Template;

constexpr std::uintmax_t kLargestHardwareFile = std::uintmax_t{16} << 20;

/// A hardware file that was read and found good.
struct Hardware {
    std::string kind;
    std::string name;
    Json json;
    std::string text;  ///< for people
    study::Input input;
};

std::string describe(const Accelerator& accelerator) {
    report::Table table;
    table.columns = {{"property"}, {"value"}, {"where from"}};
    const auto from = [&](const std::string& path) {
        const auto found = accelerator.provenance.find(path);
        if (found == accelerator.provenance.end()) return std::string();
        return hardware::whereFrom(found->second);
    };
    if (!accelerator.vendor.empty()) table.rows.push_back({"vendor", accelerator.vendor, ""});
    for (const auto& [type, rate] : accelerator.peakFlops)
        table.rows.push_back(
            {"peak " + type, formatQuantity(rate.value, Measure::flopsPerSecond), from("peak_flops." + type)});
    for (const auto& [operation, share] : accelerator.efficiency)
        table.rows.push_back({"efficiency " + operation, formatCount(share), from("efficiency." + operation)});
    for (std::size_t i = 0; i < accelerator.memory.size(); ++i) {
        const hardware::MemoryLevel& level = accelerator.memory[i];
        const std::string path = fmt::format("memory[{}].", i);
        if (level.capacity)
            table.rows.push_back({level.name + " capacity", formatQuantity(level.capacity->value, Measure::bytes),
                                  from(path + "capacity_bytes")});
        if (level.bandwidth)
            table.rows.push_back({level.name + " bandwidth",
                                  formatQuantity(level.bandwidth->value, Measure::bytesPerSecond),
                                  from(path + "bandwidth_bytes_per_s")});
    }
    if (accelerator.network)
        table.rows.push_back({"network", formatQuantity(toBitsPerSecond(*accelerator.network), Measure::bitsPerSecond),
                              from("network_bits_per_s")});
    if (accelerator.power)
        table.rows.push_back({"power", formatQuantity(accelerator.power->value, Measure::watts), from("power_watts")});
    if (accelerator.pricePerHourUsd)
        table.rows.push_back({"price per hour", fmt::format("{} USD", exactNumber(*accelerator.pricePerHourUsd)),
                              from("price_per_hour_usd")});
    return escaped(accelerator.name) + "\n\n" + report::toText(table);
}

std::string describe(const Fleet& fleet) {
    report::Table table;
    table.columns = {{"group"},           {"accelerator"},   {"count", true},
                     {"peak bf16", true}, {"network", true}, {"memory", true}};
    for (const hardware::Group& group : fleet.groups) {
        const Accelerator& accelerator = group.accelerator;
        const auto peak = accelerator.peakFlops.find("bf16");
        const auto network = group.network ? group.network : accelerator.network;
        const auto memory = hardware::memoryCapacity(accelerator);
        table.rows.push_back(
            {group.name, accelerator.name, formatCount(static_cast<double>(group.count)),
             peak == accelerator.peakFlops.end() ? "–" : formatQuantity(peak->second.value, Measure::flopsPerSecond),
             network ? formatQuantity(toBitsPerSecond(*network), Measure::bitsPerSecond) : "–",
             memory ? formatQuantity(memory->value, Measure::bytes) : "–"});
    }
    std::string text = fmt::format("{}: {} accelerators\n\n", escaped(fleet.name),
                                   formatCount(static_cast<double>(hardware::acceleratorCount(fleet)))) +
                       report::toText(table);
    for (const hardware::Link& link : fleet.links)
        text += fmt::format("\nlink {} – {}: {}, {}\n", escaped(link.from), escaped(link.to),
                            formatQuantity(toBitsPerSecond(link.rate), Measure::bitsPerSecond),
                            formatQuantity(link.latency.value, Measure::seconds));
    return text;
}

std::string dataflowsOf(const hardware::SubAccelerator& core) {
    if (core.depthwise == hardware::SubAccelerator{}.depthwise) return core.dataflow.name;
    return fmt::format("{}, depthwise: {}", core.dataflow.name, core.depthwise.name);
}

std::string describe(const Platform& platform) {
    report::Table table;
    table.columns = {{"sub-accelerator"}, {"count", true}, {"array"},       {"dataflow"},
                     {"SL", true},        {"SG", true},    {"clock", true}, {"shape"}};
    for (const hardware::SubAccelerator& core : platform.subAccelerators)
        table.rows.push_back({core.name, formatCount(static_cast<double>(core.count)),
                              fmt::format("{} × {}", core.height, core.width), dataflowsOf(core),
                              formatQuantity(core.localBuffer.value, Measure::bytes),
                              formatQuantity(core.sharedBuffer.value, Measure::bytes),
                              formatQuantity(hardware::clockOf(platform, core).value, Measure::hertz),
                              core.flexible ? "flexible" : "fixed"});
    return fmt::format("{}: {} cores with {} processing elements share {}\n\n", escaped(platform.name),
                       formatCount(static_cast<double>(hardware::coreCount(platform))),
                       formatCount(static_cast<double>(hardware::elementCount(platform))),
                       formatQuantity(platform.bandwidth.value, Measure::bytesPerSecond)) +
           report::toText(table);
}

/// The values of a parameter: counts, or sizes of buffers.
std::string describe(const hardware::Range& range, bool sizes) {
    const auto text = [sizes](std::int64_t value) {
        const auto number = static_cast<double>(value);
        return sizes ? hardware::bufferSize(Bytes{number}) : formatCount(number);
    };
    if (!range.step.empty())
        return fmt::format("{} to {}, steps of {}", text(range.values.front()), text(range.values.back()), range.step);
    constexpr std::size_t kMostShown = 12;
    std::vector<std::string> shown;
    for (const std::int64_t value : range.values) {
        if (shown.size() == kMostShown) {
            shown.emplace_back("…");
            break;
        }
        shown.push_back(text(value));
    }
    return joined(shown, ", ");
}

/// The area of the accelerator that bounds a template, by its parts.
std::string describe(const hardware::Area& area) {
    const auto part = [](SquareMillimetres size) { return formatQuantity(size.value, Measure::area); };
    std::string text =
        fmt::format("{}: tensor cores {}, vector cores {}, L2 {}, global buffer {}", part(area.total()),
                    part(area.tensorCores), part(area.vectorCores), part(area.l2), part(area.globalBuffer));
    if (area.hbmInterface.value > 0) text += ", interface to the HBM " + part(area.hbmInterface);
    if (area.networkInterface.value > 0) text += ", interface to the network " + part(area.networkInterface);
    return text;
}

/// Bandwidths that a search tries.
std::string describeRates(const hardware::Range& range) {
    std::vector<std::string> values;
    for (const std::int64_t value : range.values)
        values.push_back(formatQuantity(static_cast<double>(value), Measure::bytesPerSecond));
    return joined(values, ", ");
}

/// "units of 307.2 GB/s (HBM2 stack), 10.45 mm² and 9.58 W each".
std::string describe(const hardware::Interface& given) {
    std::string text =
        fmt::format("units of {} ({})", formatQuantity(given.rate.value, Measure::bytesPerSecond), escaped(given.unit));
    text += ", " + (given.area ? formatQuantity(given.area->value, Measure::area) : "unknown area") + " and ";
    return text + (given.power ? formatQuantity(given.power->value, Measure::watts) : "unknown power") + " each";
}

std::string describe(const Template& space) {
    report::Table table;
    table.columns = {{"property"}, {"value"}};
    table.rows = {{"tensor cores", describe(space.tensorCores, false)},
                  {"vector cores", describe(space.vectorCores, false)},
                  {"PE x, lanes", describe(space.width, false)},
                  {"PE y", describe(space.height, false)},
                  {"global buffer", describe(space.globalBuffer, true)},
                  {"HBM", describe(space.hbm, true)},
                  {"clock", formatQuantity(space.rates.clock.value, Measure::hertz)},
                  {"HBM bandwidth", formatQuantity(space.rates.hbmBandwidth.value, Measure::bytesPerSecond)}};
    if (!space.hbmBandwidth.values.empty())
        table.rows.push_back({"searched HBM bandwidths", describeRates(space.hbmBandwidth)});
    if (!space.networkBandwidth.values.empty())
        table.rows.push_back({"searched network bandwidths", describeRates(space.networkBandwidth)});
    if (space.hbmInterface) table.rows.push_back({"HBM interface", describe(*space.hbmInterface)});
    if (space.networkInterface) table.rows.push_back({"network interface", describe(*space.networkInterface)});
    if (space.reference) {
        const hardware::Architecture bound = architectureOf(space, *space.reference);
        table.rows.push_back({"bound", fmt::format("{} ({})", space.reference->name, nameOf(bound))});
        table.rows.push_back({"its area", describe(areaOf(bound, space))});
    } else {
        table.rows.push_back({"bound", formatQuantity(space.bound->value, Measure::area)});
    }
    const hardware::AreaCensus census = hardware::areaCensus(space);
    std::string text = fmt::format("{}: {} accelerators, {} within the bound\n\n", escaped(space.name),
                                   formatCount(static_cast<double>(census.areas.size())),
                                   formatCount(static_cast<double>(census.within))) +
                       report::toText(table);
    if (census.estimated > 0)
        text += fmt::format(
            "\nThe area model does not give every size of buffer: the areas of {} of those within the "
            "bound are estimated from the nearest sizes that it gives.\n",
            formatCount(static_cast<double>(census.estimated)));
    return text;
}

/// The library's file of a name, or the path itself.
std::string pathOf(const std::string& nameOrPath) {
    if (namesFile(nameOrPath)) return nameOrPath;
    std::vector<std::string> known;
    const std::vector<LibraryEntry> entries = hardware::libraryEntries();
    for (const LibraryEntry& entry : entries) {
        if (entry.id == nameOrPath) return entry.path.string();
        known.push_back(entry.id);
    }
    for (const LibraryEntry& entry : entries)
        if (lowered(entry.id) == lowered(nameOrPath)) return entry.path.string();
    const std::string_view hint = closest(nameOrPath, known);
    throw UsageError(fmt::format(
        "there is no hardware {}; {}", inQuotes(nameOrPath),
        hint.empty() ? "'tessera hardware list' names what there is" : fmt::format("did you mean '{}'?", hint)));
}

Hardware read(const JsonDocument& document, const study::Input& input) {
    const JsonNode schema = document.root().at("schema");
    Hardware result;
    result.input = input;
    if (schema.text().starts_with("tessera.accelerator/")) {
        const Accelerator accelerator = hardware::readAccelerator(document.root());
        result.kind = "accelerator";
        result.name = accelerator.name;
        result.json = hardware::toJson(accelerator);
        result.text = describe(accelerator);
    } else if (schema.text().starts_with("tessera.fleet/")) {
        const Fleet fleet = hardware::readFleet(document.root());
        result.kind = "fleet";
        result.name = fleet.name;
        result.json = hardware::toJson(fleet);
        result.text = describe(fleet);
    } else if (schema.text().starts_with("tessera.platform/")) {
        const Platform platform = cost::readPlatform(document.root());
        result.kind = "platform";
        result.name = platform.name;
        result.json = hardware::toJson(platform);
        result.text = describe(platform);
    } else if (schema.text().starts_with("tessera.template/")) {
        const Template space = hardware::readTemplate(document.root());
        result.kind = "template";
        result.name = space.name;
        result.json = hardware::toJson(space);
        result.text = describe(space);
    } else {
        schema.fail("'tessera.accelerator/1', 'tessera.fleet/1', 'tessera.platform/1' or 'tessera.template/1'");
    }
    return result;
}

Hardware load(const std::string& nameOrPath) {
    const std::string path = pathOf(nameOrPath);
    const std::string bytes = readFile(path, kLargestHardwareFile);
    return read(JsonDocument::parse(bytes, path), {nameOrPath, sha256(bytes)});
}

std::vector<LibraryEntry> entriesOf(const std::string& kind) {
    const std::vector<std::string> known{"accelerator", "fleet", "platform", "template"};
    if (!kind.empty() && std::find(known.begin(), known.end(), kind) == known.end())
        throw UsageError(fmt::format("option '--kind' is {}; expected one of {}", inQuotes(kind), joined(known, ", ")));
    std::vector<LibraryEntry> entries;
    for (LibraryEntry& entry : hardware::libraryEntries())
        if (kind.empty() || entry.kind == kind) entries.push_back(std::move(entry));
    return entries;
}

void list(Context& context, const std::string& kind) {
    std::vector<std::string> warnings;
    report::Table table;
    table.columns = {{"kind"}, {"name"}, {"title"}};
    Json json = study::documentHead("tessera.hardware-list/1", "hardware list", {});
    Json& hardware = json["hardware"] = Json::array();
    for (const LibraryEntry& entry : entriesOf(kind)) {
        if (!entry.problem.empty()) {
            warnings.push_back(entry.problem);
            continue;
        }
        table.rows.push_back({entry.kind, entry.id, entry.name});
        hardware.push_back({{"kind", entry.kind}, {"id", entry.id}, {"name", entry.name}});
    }
    study::finishDocument(json, {}, warnings);
    context.console.showWarnings(warnings);
    if (context.common.json)
        context.console.printJson(json);
    else
        context.console.print(report::toText(table));
}

}  // namespace

Action addHardwareList(CLI::App& app) {
    const auto kind = std::make_shared<std::string>();
    addText(app, "--kind", *kind, "KIND", "accelerator, fleet, platform or template");
    return [kind](Context& context) { list(context, *kind); };
}

Action addHardwareShow(CLI::App& app) {
    const auto name = std::make_shared<std::string>();
    addText(app, "NAME", *name, "", "a name of 'tessera hardware list', or a file")->required();
    return [name](Context& context) {
        const Hardware found = load(*name);
        if (!context.common.json) {
            context.console.print(found.text);
            return;
        }
        Json json = study::documentHead("tessera.hardware-info/1", "hardware show", {found.input});
        json["kind"] = found.kind;
        json["name"] = found.name;
        json["hardware"] = found.json;
        study::finishDocument(json, {}, {});
        context.console.printJson(json);
    };
}

Action addHardwareCopy(CLI::App& app) {
    struct Options {
        std::string name, file;
    };
    const auto options = std::make_shared<Options>();
    addText(app, "NAME", options->name, "", "a name of 'tessera hardware list', or a file")->required();
    addText(app, "FILE", options->file, "", "the copy's file; '-' is standard output")->required();
    return [options](Context& context) {
        const Hardware found = load(options->name);
        const std::string text = toText(found.json);
        // What a file names beside itself would be looked for beside the copy.
        try {
            (void)read(JsonDocument::parse(text, options->file), found.input);
        } catch (const DataError& error) {
            throw UsageError(fmt::format("{} cannot be copied to {}: {}", inQuotes(options->name),
                                         inQuotes(options->file), error.what()));
        }
        writeOut(context, options->file, text,
                 fmt::format("{}: a copy of the {} {}\n", escaped(options->file), found.kind, inQuotes(found.name)));
        if (!context.common.json) return;
        Json json = study::documentHead("tessera.hardware-copy/1", "hardware copy", {found.input});
        json["kind"] = found.kind;
        json["name"] = found.name;
        json["file"] = options->file;
        study::finishDocument(json, {}, {});
        context.console.printJson(json);
    };
}

Action addHardwareValidate(CLI::App& app) {
    const auto name = std::make_shared<std::string>();
    addText(app, "FILE", *name, "", "a hardware file, or a name of 'tessera hardware list'")->required();
    return [name](Context& context) {
        const Hardware found = load(*name);
        if (!context.common.json) {
            context.console.print(
                fmt::format("{}: a valid {}, '{}'\n", escaped(*name), found.kind, escaped(found.name)));
            return;
        }
        Json json = study::documentHead("tessera.validation/1", "hardware validate", {found.input});
        json["kind"] = found.kind;
        json["name"] = found.name;
        json["valid"] = true;
        study::finishDocument(json, {}, {});
        context.console.printJson(json);
    };
}

}  // namespace tessera::cli
