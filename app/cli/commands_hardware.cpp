#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/command.h"
#include "app/cli/completion.h"
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/draw/table.h"
#include "core/hardware/area_census.h"
#include "core/hardware/field.h"
#include "core/hardware/library.h"
#include "core/study/hardware_summary.h"
#include "core/study/result.h"

namespace tessera::cli {

namespace {

using hardware::Accelerator;
using hardware::Fleet;
using hardware::LibraryEntry;
using hardware::Platform;
using hardware::Template;

/// What a document says: a table of single values with where they come from, and one for each list of entries.
struct Values {
    report::Table single{.columns = {{"property"}, {"value"}, {"where from"}}, .rows = {}};
    std::vector<std::pair<std::string, report::Table>> lists = {};
};

/// "groups[0].levels[1]" of "groups[0].levels[1].dims": the entry that a value belongs to.
std::string entryPath(const std::string& path) {
    return path.substr(0, path.rfind(']') + 1);
}

/// `flat` lists the values of entries with the single ones; they otherwise stand there only with their sources.
Values valuesOf(const hardware::Kind& kind, const Json& document, bool flat) {
    Values values;
    std::map<std::pair<std::string, std::string>, std::size_t> columns;  // of a list, by its title and their own
    std::map<std::string, std::string> rows;                             // of a list, the entry that is being filled
    for (const hardware::ShownValue& shown : hardware::shownValues(kind.fields, document)) {
        if (shown.path == "name") continue;  // the headline
        if (shown.entry.empty() || (flat && shown.title != "Name") || !shown.from.empty())
            values.single.rows.push_back({shown.label, shown.value, shown.from});
        if (shown.entry.empty() || flat) continue;
        auto list = std::find_if(values.lists.begin(), values.lists.end(),
                                 [&](const auto& known) { return known.first == shown.section; });
        if (list == values.lists.end()) list = values.lists.emplace(list, shown.section, report::Table());
        report::Table& table = list->second;
        const std::string row = entryPath(shown.path);
        if (row != std::exchange(rows[shown.section], row)) table.rows.emplace_back();
        const std::size_t column =
            columns.emplace(std::pair(shown.section, shown.title), table.columns.size()).first->second;
        if (column == table.columns.size()) table.columns.push_back({shown.title, !shown.exact.empty()});
        for (std::vector<std::string>& cells : table.rows) cells.resize(table.columns.size(), "–");
        table.rows.back()[column] = shown.value;
    }
    return values;
}

std::string textOf(const Values& values) {
    std::string text = values.single.rows.empty() ? "" : "\n" + report::toText(values.single);
    for (const auto& [title, table] : values.lists) text += fmt::format("\n{}\n{}", title, report::toText(table));
    return text;
}

std::string describe(const Accelerator& accelerator, const Json& document) {
    return escaped(accelerator.name) + "\n" + textOf(valuesOf(hardware::acceleratorKind(), document, true));
}

/// The document with the sizes of levels that it leaves to the count.
Json withSizes(Json document, const Fleet& fleet) {
    for (std::size_t i = 0; i < fleet.groups.size(); ++i)
        for (std::size_t j = 0; j < fleet.groups[i].levels.size(); ++j)
            if (fleet.groups[i].levels[j].isRest)
                document["groups"][i]["levels"][j]["size"] = fleet.groups[i].levels[j].size;
    return document;
}

std::string describe(const Fleet& fleet, const Json& document) {
    Values values = valuesOf(hardware::fleetKind(), withSizes(document, fleet), false);
    // What groups have from their accelerators.
    report::Table& groups = values.lists.front().second;
    for (const char* title : {"peak bf16", "network rate", "memory"}) groups.columns.push_back({title, true});
    for (std::size_t i = 0; i < fleet.groups.size(); ++i) {
        const Accelerator& accelerator = fleet.groups[i].accelerator;
        const auto peak = accelerator.peakFlops.find("bf16");
        const auto network = hardware::networkRate(fleet.groups[i]);
        const auto memory = hardware::memoryCapacity(accelerator);
        std::vector<std::string>& cells = groups.rows[i];
        cells.push_back(
            peak == accelerator.peakFlops.end() ? "–" : formatQuantity(peak->second.value, Measure::flopsPerSecond));
        cells.push_back(network ? formatQuantity(toBitsPerSecond(*network), Measure::bitsPerSecond) : "–");
        cells.push_back(memory ? formatQuantity(memory->value, Measure::bytes) : "–");
    }
    return fmt::format("{}: {} accelerators\n", escaped(fleet.name), formatCount(hardware::acceleratorCount(fleet))) +
           textOf(values);
}

std::string describe(const Platform& platform, const Json& document) {
    return fmt::format("{}: {} cores with {} processing elements share {}\n", escaped(platform.name),
                       formatCount(hardware::coreCount(platform)), formatCount(hardware::elementCount(platform)),
                       formatQuantity(platform.bandwidth.value, Measure::bytesPerSecond)) +
           textOf(valuesOf(hardware::platformKind(), document, false));
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

std::string describe(const Template& space, const Json& document) {
    Values values = valuesOf(hardware::templateKind(), document, false);
    if (space.reference)
        values.single.rows.push_back(
            {"area of the bound", describe(areaOf(architectureOf(space, *space.reference), space)), ""});
    const hardware::AreaCensus census = hardware::areaCensus(space);
    std::string text = fmt::format("{}: {} accelerators, {} within the bound\n", escaped(space.name),
                                   formatCount(census.areas.size()), formatCount(census.within)) +
                       textOf(values);
    if (census.estimated > 0)
        text += fmt::format(
            "\nThe area model does not give every size of buffer: the areas of {} of those within the "
            "bound are estimated from the nearest sizes that it gives.\n",
            formatCount(census.estimated));
    return text;
}

/// The hardware as text for people.
std::string textOf(const study::HardwareSummary& found) {
    return std::visit([&](const auto& value) { return describe(value, *found.document); }, found.value);
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
    table.columns = {{"kind"}, {"name"}, {"title"}, {"whose"}};
    Json json = study::documentHead("tessera.hardware-list/1", "hardware list", {});
    Json& listed = json["hardware"] = Json::array();
    for (const LibraryEntry& entry : entriesOf(kind)) {
        if (!entry.problem.empty()) {
            warnings.push_back(entry.problem);
            continue;
        }
        const bool own = hardware::isOwnFile(entry.path);
        table.rows.push_back({entry.kind, entry.id, entry.name, own ? "mine" : "bundled"});
        listed.push_back({{"kind", entry.kind}, {"id", entry.id}, {"name", entry.name}, {"own", own}});
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
    offer(addText(app, "--kind", *kind, "KIND", "accelerator, fleet, platform or template"),
          {"accelerator", "fleet", "platform", "template"});
    return [kind](Context& context) { list(context, *kind); };
}

Action addHardwareShow(CLI::App& app) {
    const auto name = std::make_shared<std::string>();
    offer(addText(app, "NAME", *name, "", "a name of 'tessera hardware list', or a file")->required(), {"@hardware"});
    return [name](Context& context) {
        const study::HardwareSummary found = study::loadHardware(*name);
        if (!context.common.json) {
            context.console.print(textOf(found));
            return;
        }
        Json json = study::documentHead("tessera.hardware-info/1", "hardware show", {found.input});
        json["kind"] = found.kind->id;
        json["name"] = found.name;
        json["hardware"] = *found.document;
        study::finishDocument(json, {}, {});
        context.console.printJson(json);
    };
}

Action addHardwareCopy(CLI::App& app) {
    struct Options {
        std::string name, file;
    };
    const auto options = std::make_shared<Options>();
    offer(addText(app, "NAME", options->name, "", "a name of 'tessera hardware list', or a file")->required(),
          {"@hardware"});
    addText(app, "FILE", options->file, "", "the copy's file; '-' is standard output")->required();
    return [options](Context& context) {
        const study::HardwareSummary found = study::loadHardware(options->name);
        const std::string text = toText(*found.document);
        // What a file names beside itself would be looked for beside the copy.
        try {
            (void)study::readHardware(JsonDocument::parse(text, options->file), found.input);
        } catch (const DataError& error) {
            throw UsageError(fmt::format("{} cannot be copied to {}: {}", inQuotes(options->name),
                                         inQuotes(options->file), error.what()));
        }
        writeOut(
            context, options->file, text,
            fmt::format("{}: a copy of the {} {}\n", escaped(options->file), found.kind->id, inQuotes(found.name)));
        if (!context.common.json) return;
        Json json = study::documentHead("tessera.hardware-copy/1", "hardware copy", {found.input});
        json["kind"] = found.kind->id;
        json["name"] = found.name;
        json["file"] = options->file;
        study::finishDocument(json, {}, {});
        context.console.printJson(json);
    };
}

Action addHardwareValidate(CLI::App& app) {
    const auto name = std::make_shared<std::string>();
    offer(addText(app, "FILE", *name, "", "a hardware file, or a name of 'tessera hardware list'")->required(),
          {"@hardware"});
    return [name](Context& context) {
        const study::HardwareSummary found = study::loadHardware(*name);
        if (!context.common.json) {
            context.console.print(
                fmt::format("{}: a valid {}, '{}'\n", escaped(*name), found.kind->id, escaped(found.name)));
            return;
        }
        Json json = study::documentHead("tessera.validation/1", "hardware validate", {found.input});
        json["kind"] = found.kind->id;
        json["name"] = found.name;
        json["valid"] = true;
        study::finishDocument(json, {}, {});
        context.console.printJson(json);
    };
}

}  // namespace tessera::cli
