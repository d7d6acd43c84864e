#include "ui/editors/hardware_kind.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/cost/job_analysis.h"
#include "ui/editors/words.h"

namespace tessera::ui {

namespace {

using words::tr;

constexpr double kLargest = 1e30;
constexpr std::size_t kLongestName = 80;

FieldRow textRow(const std::string& path, const QString& label, const QString& help, bool required = false) {
    FieldRow row;
    row.path = path;
    row.label = label;
    row.help = help;
    row.required = required;
    return row;
}

FieldRow numberRow(const std::string& path, const QString& label, Measure measure, const QString& help,
                   QuantityRange range = {.least = 0, .most = kLargest, .leastExcluded = true}) {
    FieldRow row = textRow(path, label, help);
    row.kind = FieldKind::quantity;
    row.measure = measure;
    row.range = range;
    row.sourced = true;
    return row;
}

FieldRow required(FieldRow row) {
    row.required = true;
    return row;
}

/// The first of `wanted` that the object at `path` does not have; numbered where it has them all.
std::string freeKey(const Json& document, const char* path, const QStringList& wanted) {
    const auto found = document.find(path);
    const auto taken = [&](const std::string& key) {
        return found != document.end() && found->is_object() && found->contains(key);
    };
    for (const QString& name : wanted)
        if (!taken(name.toStdString())) return name.toStdString();
    for (int i = 2;; ++i) {
        const std::string name = wanted.last().toStdString() + "-" + std::to_string(i);
        if (!taken(name)) return name;
    }
}

std::string freeName(const Json& document, const char* list, const std::string& stem) {
    const auto found = document.find(list);
    for (int i = 1;; ++i) {
        const std::string name = stem + " " + std::to_string(i);
        bool taken = false;
        if (found != document.end() && found->is_array())
            for (const Json& entry : *found)
                taken = taken || (entry.is_object() && entry.contains("name") && entry.at("name") == Json(name));
        if (!taken) return name;
    }
}

ListSpec peakRates() {
    ListSpec spec;
    spec.path = "peak_flops";
    spec.named = true;
    spec.title = tr("Peak rates");
    spec.entry = tr("data type");
    spec.empty = tr("Add the peak rate of at least one data type.");
    spec.columns = {
        textRow("", tr("Data type"), tr("bf16, fp16, fp32, int8, …"), true),
        required(numberRow("", tr("Peak"), Measure::flopsPerSecond, tr("Multiply-adds count as two operations.")))};
    spec.blank = [](const Json& document) {
        return std::pair(
            freeKey(document, "peak_flops",
                    {QStringLiteral("bf16"), QStringLiteral("fp16"), QStringLiteral("fp32"), QStringLiteral("int8"),
                     QStringLiteral("fp8"), QStringLiteral("tf32"), QStringLiteral("fp64"), QStringLiteral("type")}),
            Json(""));
    };
    return spec;
}

ListSpec efficiencies() {
    ListSpec spec;
    spec.path = "efficiency";
    spec.named = true;
    spec.title = tr("Efficiency");
    spec.entry = tr("class of operations");
    spec.empty = tr("Without an entry every operation runs at the peak rate.");
    spec.columns = {textRow("", tr("Operations"), tr("gemm, conv, …"), true),
                    required(numberRow("", tr("Share of the peak"), Measure::count, tr("Above 0, at most 1"),
                                       {.least = 0, .most = 1, .leastExcluded = true}))};
    spec.blank = [](const Json& document) {
        return std::pair(
            freeKey(document, "efficiency", {QStringLiteral("gemm"), QStringLiteral("conv"), QStringLiteral("class")}),
            Json(1));
    };
    return spec;
}

ListSpec memoryLevels() {
    ListSpec spec;
    spec.path = "memory";
    spec.title = tr("Memory, from the fastest to the largest");
    spec.entry = tr("memory level");
    spec.empty = tr("Add a level, such as HBM, so that plans are checked against its capacity.");
    FieldRow onChip = textRow("on_chip", tr("On chip"), tr("Whether it lies on the die"));
    onChip.kind = FieldKind::flag;
    spec.columns = {
        textRow("name", tr("Name"), tr("HBM, L2, …"), true),
        numberRow("capacity_bytes", tr("Capacity"), Measure::bytes, tr("How much it holds")),
        numberRow("bandwidth_bytes_per_s", tr("Bandwidth"), Measure::bytesPerSecond, tr("Bytes per second, not bits")),
        onChip};
    spec.blank = [](const Json& document) {
        return std::pair(std::string(), Json{{"name", freeName(document, "memory", "Level")}, {"on_chip", false}});
    };
    return spec;
}

HardwareKind acceleratorKind() {
    HardwareKind kind;
    kind.id = QStringLiteral("accelerator");
    kind.folder = "accelerators";
    kind.schema = "tessera.accelerator/";
    kind.icon = QStringLiteral("accelerator");
    kind.title = tr("Accelerator");
    kind.fields = {textRow("name", tr("Name"), tr("The name shown to people"), true),
                   textRow("vendor", tr("Vendor"), tr("Who makes it"))};
    kind.lists = {peakRates(), memoryLevels(), efficiencies()};
    FieldRow price = numberRow("price_per_hour_usd", tr("Price"), Measure::count,
                               tr("What an hour of one accelerator costs"), {.least = 0, .most = kLargest});
    price.unit = tr("$ per hour");
    FieldRow overhead = numberRow("launch_overhead_s", tr("Launch overhead"), Measure::seconds,
                                  tr("Time that every kernel's start takes"), {.least = 0, .most = kLargest});
    overhead.fallback = 0;
    FieldRow policy = textRow("placement.policy", tr("Placement"), tr("Where tensors live, such as off-chip"));
    FieldRow kernels =
        textRow("kernels", tr("Measured kernels"), tr("Path of a table of measured kernels, relative to this file"));
    kind.moreFields = {numberRow("network_bits_per_s", tr("Network"), Measure::bitsPerSecond,
                                 tr("Rate of one accelerator's network, in bits per second; both directions together")),
                       numberRow("host_bandwidth_bytes_per_s", tr("Host link"), Measure::bytesPerSecond,
                                 tr("Rate between the host and one accelerator")),
                       numberRow("power_watts", tr("Power"), Measure::watts, tr("Power of one accelerator under load")),
                       price,
                       overhead,
                       policy,
                       kernels};
    kind.blank = Json{{"schema", "tessera.accelerator/1"},
                      {"name", "New accelerator"},
                      {"peak_flops", {{"bf16", std::int64_t{100'000'000'000'000}}}},
                      {"memory", Json::array({Json{{"name", "HBM"},
                                                   {"capacity_bytes", std::int64_t{34'359'738'368}},
                                                   {"bandwidth_bytes_per_s", std::int64_t{1'000'000'000'000}},
                                                   {"on_chip", false}}})},
                      {"network_bits_per_s", std::int64_t{200'000'000'000}}};
    kind.read = [](const JsonNode& root) -> Preview { return hardware::readAccelerator(root); };
    kind.stands = {{"name", "name"}, {"peak_flops", Json{{"bf16", 1}}}, {"value", 1}, {"policy", "policy"}};
    return kind;
}

/// Every text inside a topology that names the group.
void renameInTree(Json& node, const Json& from, const Json& to) {
    if (node == from) {
        node = to;
        return;
    }
    if (!node.is_object() || !node.contains("node") || !node.at("node").is_array()) return;
    Json& below = node.at("node");
    if (to.is_null()) {
        Json kept = Json::array();
        for (Json& child : below) {
            renameInTree(child, from, to);
            // A node without groups below it would be refused.
            if (!child.is_null() && !(child.is_object() && child.value("node", Json::array({0})).empty()))
                kept.push_back(child);
        }
        below = kept;
        return;
    }
    for (Json& child : below) renameInTree(child, from, to);
}

/// Links and topology follow when a group is renamed, added or removed.
void followGroup(Json& document, const std::string& column, const Json& from, const Json& to) {
    const auto topology = document.find("topology");
    const bool tree = topology != document.end() && topology->is_object();
    if (column == "+") {
        if (tree && topology->contains("node") && topology->at("node").is_array())
            topology->at("node").push_back(to.at("name"));
        return;
    }
    const bool removed = column == "-";
    if (!removed && column != "name") return;
    const Json name = removed ? (from.is_object() ? from.value("name", Json()) : Json()) : from;
    if (name.is_null()) return;
    if (tree) renameInTree(*topology, name, removed ? Json() : to);
    const auto links = document.find("links");
    if (links == document.end() || !links->is_array()) return;
    Json kept = Json::array();
    for (Json& link : *links) {
        bool gone = false;
        if (link.is_object() && link.contains("between") && link.at("between").is_array())
            for (Json& end : link.at("between"))
                if (end == name) {
                    gone = removed;
                    end = to;
                }
        if (!gone) kept.push_back(link);
    }
    *links = kept;
}

ListSpec groups() {
    ListSpec spec;
    spec.path = "groups";
    spec.title = tr("Groups");
    spec.entry = tr("group");
    spec.empty = tr("Add a group of equal accelerators.");
    FieldRow accelerator = textRow("accelerator", tr("Accelerator"),
                                   tr("A name of the library, or the path of a file beside this one"), true);
    FieldRow count = numberRow("count", tr("Count"), Measure::count, tr("How many of them"),
                               {.least = 1, .most = static_cast<double>(hardware::kMostInGroup), .whole = true});
    count.fallback = 1;
    FieldRow network = numberRow("network_bits_per_s", tr("Network"), Measure::bitsPerSecond,
                                 tr("Rate of one accelerator's network, instead of the accelerator's own"));
    network.fallback = tr("its own").toStdString();
    spec.columns = {textRow("name", tr("Name"), tr("No two groups share a name"), true), accelerator, count, network};
    spec.blank = [](const Json& document) {
        return std::pair(
            std::string(),
            Json{{"name", freeName(document, "groups", "group")}, {"accelerator", "tpu-v3"}, {"count", 1}});
    };
    spec.follow = followGroup;
    return spec;
}

ListSpec links() {
    ListSpec spec;
    spec.path = "links";
    spec.title = tr("Links between groups");
    spec.entry = tr("link");
    spec.empty = tr("Without a link, each group is limited by its own accelerators' network alone.");
    FieldRow latency = numberRow("latency_s", tr("Latency"), Measure::seconds, tr("Added to every transfer"),
                                 {.least = 0, .most = kLargest});
    latency.fallback = 0;
    spec.columns = {textRow("between.0", tr("From"), tr("A group of this fleet"), true),
                    textRow("between.1", tr("To"), tr("Another group"), true),
                    required(numberRow("bits_per_s", tr("Rate"), Measure::bitsPerSecond,
                                       tr("Caps both sides at the split between the groups"))),
                    latency};
    spec.ordered = false;
    spec.blank = [](const Json& document) {
        Json between = Json::array({"", ""});
        const auto found = document.find("groups");
        for (std::size_t i = 0; i < 2 && found != document.end() && found->is_array() && i < found->size(); ++i)
            if ((*found)[i].is_object()) between[i] = (*found)[i].value("name", Json(""));
        return std::pair(std::string(), Json{{"between", between}, {"bits_per_s", std::int64_t{100'000'000'000}}});
    };
    return spec;
}

HardwareKind fleetKind() {
    HardwareKind kind;
    kind.id = QStringLiteral("fleet");
    kind.folder = "fleets";
    kind.schema = "tessera.fleet/";
    kind.icon = QStringLiteral("fleet");
    kind.title = tr("Fleet");
    kind.fields = {textRow("name", tr("Name"), tr("The name shown to people"), true)};
    kind.lists = {groups(), links()};
    kind.hasTopology = true;
    kind.part = {
        .list = "groups", .key = "accelerator", .kind = QStringLiteral("accelerator"), .title = tr("Accelerator")};
    kind.blank = Json{{"schema", "tessera.fleet/1"},
                      {"name", "New fleet"},
                      {"groups", Json::array({Json{{"name", "group 1"}, {"accelerator", "tpu-v3"}, {"count", 8}}})},
                      {"links", Json::array()},
                      {"topology", "flat"}};
    kind.read = [](const JsonNode& root) -> Preview { return hardware::readFleet(root); };
    // An accelerator that is written out in a fleet is mended like one of its own.
    kind.stands = acceleratorKind().stands;
    kind.stands["accelerator"] = Json{{"name", "stand-in"}, {"peak_flops", {{"bf16", 1}}}};
    return kind;
}

FieldRow countRow(const std::string& path, const QString& label, const QString& help, double most) {
    return numberRow(path, label, Measure::count, help, {.least = 1, .most = most, .whole = true});
}

ListSpec subAccelerators() {
    ListSpec spec;
    spec.path = "sub_accelerators";
    spec.title = tr("Sub-accelerators, in the order of their cores");
    spec.entry = tr("sub-accelerator");
    spec.empty = tr("Add a row of equal cores.");
    FieldRow count =
        countRow("count", tr("Cores"), tr("How many equal ones"), static_cast<double>(hardware::kMostCores));
    count.fallback = 1;
    FieldRow clock =
        numberRow("clock_hz", tr("Clock"), Measure::hertz, tr("Of these cores, instead of the platform's"));
    clock.fallback = tr("the platform's").toStdString();
    FieldRow flexible = textRow("flexible", tr("Flexible"), tr("The shape of the array is chosen for each job"));
    flexible.kind = FieldKind::flag;
    constexpr double kLongestSide = 1 << 20;
    spec.columns = {
        textRow("name", tr("Name"), tr("No two rows share a name"), true),
        count,
        required(countRow("array_height", tr("Height"), tr("Rows of processing elements"), kLongestSide)),
        required(countRow("array_width", tr("Width"), tr("Columns of processing elements"), kLongestSide)),
        textRow("dataflow", tr("Dataflow"), tr("A bundled dataflow, or the path of a file (.m) beside this one"), true),
        textRow("depthwise_dataflow", tr("Depthwise"),
                tr("The same for depthwise layers; without it, the bundled 'depthwise'")),
        required(numberRow("sl_bytes", tr("SL"), Measure::bytes, tr("Local buffer of one element"))),
        required(numberRow("sg_bytes", tr("SG"), Measure::bytes, tr("Shared buffer of the array"))),
        clock,
        flexible};
    spec.blank = [](const Json& document) {
        return std::pair(std::string(), Json{{"name", freeName(document, "sub_accelerators", "core")},
                                             {"count", 1},
                                             {"array_height", 32},
                                             {"array_width", 64},
                                             {"dataflow", "nvdla"},
                                             {"sl_bytes", 72},
                                             {"sg_bytes", 2048}});
    };
    return spec;
}

HardwareKind platformKind() {
    HardwareKind kind;
    kind.id = QStringLiteral("platform");
    kind.folder = "platforms";
    kind.schema = "tessera.platform/";
    kind.icon = QStringLiteral("platform");
    kind.title = tr("Platform");
    kind.fields = {textRow("name", tr("Name"), tr("The name shown to people"), true),
                   required(numberRow("clock_hz", tr("Clock"), Measure::hertz, tr("What cycles of its jobs count"))),
                   required(numberRow("bandwidth_bytes_per_s", tr("Shared bandwidth"), Measure::bytesPerSecond,
                                      tr("To memory, in bytes per second; all cores share it")))};
    kind.lists = {subAccelerators()};
    kind.blank = Json{{"schema", "tessera.platform/1"},
                      {"name", "New platform"},
                      {"clock_hz", std::int64_t{200'000'000}},
                      {"bandwidth_bytes_per_s", std::int64_t{16'000'000'000}},
                      {"sub_accelerators", Json::array({Json{{"name", "HB"},
                                                             {"count", 4},
                                                             {"array_height", 32},
                                                             {"array_width", 64},
                                                             {"dataflow", "nvdla"},
                                                             {"sl_bytes", 72},
                                                             {"sg_bytes", 2048}}})}};
    kind.read = [](const JsonNode& root) -> Preview { return cost::readPlatform(root); };
    const Json dataflow{{"name", "stand-in"}, {"text", "SpatialMap(1,1) K;"}};
    kind.stands = {{"name", "name"},
                   {"clock_hz", 1},
                   {"bandwidth_bytes_per_s", 1},
                   {"array_height", 1},
                   {"array_width", 1},
                   {"sl_bytes", 1},
                   {"sg_bytes", 1},
                   {"value", 1},
                   {"dataflow", dataflow},
                   {"depthwise_dataflow", dataflow}};
    return kind;
}

FieldRow optional(FieldRow row) {
    row.required = false;
    return row;
}

/// What joins an accelerator to its memory or to the network, by whole units.
QVector<FieldRow> interfaceRows(const std::string& key, const QString& heading, const QString& of) {
    QVector<FieldRow> rows{
        textRow(key + ".unit", tr("%1 unit").arg(of), tr("What its bandwidth comes in: a stack, a link")),
        numberRow(key + ".bytes_per_s", tr("%1 rate").arg(of), Measure::bytesPerSecond, tr("Of one unit, one way"),
                  {.least = 1, .most = static_cast<double>(hardware::kFastestInterface), .whole = true}),
        numberRow(key + ".mm2", tr("%1 area").arg(of), Measure::area,
                  tr("Of one unit on the accelerator; empty = unknown")),
        numberRow(key + ".watts", tr("%1 power").arg(of), Measure::watts,
                  tr("Of one unit under load; empty = unknown"))};
    rows.front().heading = heading;
    return rows;
}

FieldRow rangeRow(const std::string& key, const QString& label, Measure measure, const QString& help) {
    FieldRow row = textRow("parameters." + key, label, help, true);
    row.kind = FieldKind::range;
    row.measure = measure;
    row.sourced = true;
    return row;
}

ListSpec bufferAreas(const std::string& path, const QString& title, const QString& entry) {
    ListSpec spec;
    spec.path = path;
    spec.title = title;
    spec.entry = entry;
    spec.empty = tr("Add the areas of at least two sizes; others are estimated from the nearest.");
    FieldRow area = required(numberRow("um2", tr("Area"), Measure::count, tr("Of one buffer of this size")));
    area.unit = tr("µm²");
    spec.columns = {required(numberRow("bytes", tr("Size"), Measure::bytes, tr("From small to large"))), area};
    spec.blank = [path](const Json& document) {
        // Twice the last one: sizes rise.
        const Json* list = valueAt(document, pathOf(path));
        double bytes = 1024;
        double squareMicrometres = 6000;
        if (list != nullptr && list->is_array() && !list->empty() && list->back().is_object()) {
            const Json& last = list->back();
            const auto twice = [&](const char* key, double otherwise) {
                const Json number = last.contains(key) ? plainValue(last.at(key)) : Json();
                return number.is_number() ? 2 * number.get<double>() : otherwise;
            };
            bytes = twice("bytes", bytes);
            squareMicrometres = twice("um2", squareMicrometres);
        }
        return std::pair(std::string(), Json{{"bytes", numberValue(bytes)}, {"um2", numberValue(squareMicrometres)}});
    };
    return spec;
}

QVector<FieldRow> boundRows() {
    constexpr auto kCores = static_cast<double>(hardware::kMostCoresOfAKind);
    constexpr auto kSide = static_cast<double>(hardware::kLongestArraySide);
    FieldRow area =
        required(numberRow("bound_mm2", tr("Area"), Measure::area, tr("The largest area that is searched")));
    FieldRow buffer = numberRow("bound.glb_bytes", tr("Global buffer"), Measure::bytes, tr("A power of two"),
                                {.least = 1, .most = static_cast<double>(hardware::kLargestBuffer), .whole = true});
    const auto bandwidth = [](const std::string& path, const QString& label, const QString& help) {
        return numberRow(path, label, Measure::bytesPerSecond, help,
                         {.least = 1, .most = static_cast<double>(hardware::kFastestInterface), .whole = true});
    };
    return {
        textRow("bound.name", tr("Accelerator"), tr("Whose area is the largest that is searched"), true),
        required(countRow("bound.num_tc", tr("Tensor cores"), tr("How many it has"), kCores)),
        required(countRow("bound.num_vc", tr("Vector cores"), tr("How many it has"), kCores)),
        required(countRow("bound.pe_x", tr("Array width"), tr("PE_x, a power of two"), kSide)),
        required(countRow("bound.pe_y", tr("Array height"), tr("PE_y, a power of two"), kSide)),
        required(buffer),
        bandwidth("bound.hbm_bandwidth_bytes_per_s", tr("HBM bandwidth"), tr("Empty = the one among the rates")),
        bandwidth("bound.network_bandwidth_bytes_per_s", tr("Network bandwidth"), tr("Needed where links take area")),
        area};
}

Json blankTemplate() {
    const auto steps = [](std::int64_t from, std::int64_t to) {
        return Json{{"from", from}, {"to", to}, {"step", "×2"}};
    };
    constexpr std::int64_t kMebi = 1 << 20;
    const auto buffer = [](std::int64_t bytes, double area) { return Json{{"bytes", bytes}, {"um2", area}}; };
    return Json{{"schema", "tessera.template/1"},
                {"name", "New template"},
                {"parameters",
                 {{"num_tc", steps(1, 16)},
                  {"num_vc", steps(1, 16)},
                  {"pe_x", steps(16, 256)},
                  {"pe_y", steps(16, 256)},
                  {"glb_bytes", steps(8 * kMebi, 128 * kMebi)},
                  {"hbm_bytes", Json::array({std::int64_t{34'359'738'368}, std::int64_t{85'899'345'920}})}}},
                {"clock_hz", std::int64_t{1'000'000'000}},
                {"hbm_bandwidth_bytes_per_s", std::int64_t{1'200'000'000'000}},
                {"word_bytes", 2},
                {"l2_bytes_per_element", 16},
                {"least_l2_bytes", 1024},
                {"most_glb_words_per_cycle", 4096},
                {"area",
                 {{"tensor_element_um2", 760},
                  {"vector_lane_um2", 760},
                  {"l2", Json::array({buffer(1024, 6134), buffer(1'048'576, 1'634'130)})},
                  {"glb", Json::array({buffer(2 * kMebi, 3'338'220), buffer(128 * kMebi, 175'423'000)})}}},
                {"bound_mm2", 280}};
}

HardwareKind templateKind() {
    HardwareKind kind;
    kind.id = QStringLiteral("template");
    kind.folder = "templates";
    kind.schema = "tessera.template/";
    kind.icon = QStringLiteral("template");
    kind.title = tr("Template");
    kind.fields = {
        textRow("name", tr("Name"), tr("The name shown to people"), true),
        rangeRow("num_tc", tr("Tensor cores"), Measure::count, tr("num_tc: how many an accelerator has")),
        rangeRow("num_vc", tr("Vector cores"), Measure::count, tr("num_vc: how many an accelerator has")),
        rangeRow("pe_x", tr("Array width"), Measure::count,
                 tr("PE_x: columns of a tensor core and lanes of a vector core; powers of two")),
        rangeRow("pe_y", tr("Array height"), Measure::count, tr("PE_y: rows of a tensor core; powers of two")),
        rangeRow("glb_bytes", tr("Global buffer"), Measure::bytes, tr("GLB, shared by all cores; powers of two")),
        rangeRow("hbm_bytes", tr("HBM"), Measure::bytes, tr("Memory of one accelerator; it takes none of the area")),
        optional(rangeRow("hbm_bandwidth_bytes_per_s", tr("HBM bandwidths"), Measure::bytesPerSecond,
                          tr("To search them, too; empty = the one among the rates"))),
        optional(rangeRow("network_bandwidth_bytes_per_s", tr("Network bandwidths"), Measure::bytesPerSecond,
                          tr("To search them, too; empty = that of the study")))};
    kind.fields[1].heading = tr("What a search tries");
    kind.bound = boundRows();
    kind.lists = {bufferAreas("area.l2", tr("Areas of an L2, from small to large"), tr("size of L2")),
                  bufferAreas("area.glb", tr("Areas of the global buffer, from small to large"), tr("size of buffer"))};
    const auto micro = [](const std::string& path, const QString& label, const QString& help) {
        FieldRow row = required(numberRow(path, label, Measure::count, help));
        row.unit = tr("µm²");
        return row;
    };
    constexpr auto kBuffer = static_cast<double>(hardware::kLargestBuffer);
    const QuantityRange buffer{.least = 1, .most = kBuffer, .whole = true};
    kind.moreFields = {
        micro("area.tensor_element_um2", tr("Tensor element"), tr("One multiplier of a tensor core with its L1")),
        micro("area.vector_lane_um2", tr("Vector lane"), tr("One lane of a vector core with its L1")),
        required(numberRow("clock_hz", tr("Clock"), Measure::hertz, tr("Of all accelerators of the template"))),
        required(numberRow("hbm_bandwidth_bytes_per_s", tr("HBM bandwidth"), Measure::bytesPerSecond,
                           tr("Between HBM and the global buffer"))),
        required(numberRow("word_bytes", tr("Word"), Measure::bytes, tr("Of a tensor's element"),
                           {.least = 1, .most = 64, .whole = true})),
        required(numberRow("l2_bytes_per_element", tr("L2 per element"), Measure::bytes,
                           tr("An L2 has this for each element of its core, …"), buffer)),
        required(numberRow("least_l2_bytes", tr("Smallest L2"), Measure::bytes, tr("… but at least this"), buffer)),
        required(countRow("most_glb_words_per_cycle", tr("GLB bandwidth"),
                          tr("A word a cycle for each element, at most this many"),
                          static_cast<double>(hardware::kMostCoresOfAKind)))};
    kind.moreFields.back().unit = tr("words/cycle");
    kind.moreFields[0].heading = tr("Areas of the elements");
    kind.moreFields[2].heading = tr("Rates");
    kind.moreFields += interfaceRows("hbm_interface", tr("Interface of the HBM"), tr("HBM"));
    kind.moreFields += interfaceRows("network_interface", tr("Interface of the network"), tr("Link"));
    kind.blank = blankTemplate();
    kind.read = [](const JsonNode& root) -> Preview {
        CountedTemplate counted{.space = hardware::readTemplate(root), .census = {}};
        counted.census = hardware::areaCensus(counted.space);
        return counted;
    };
    const Json one = Json::array({1});
    const Json buffers = Json::array({Json{{"bytes", 1}, {"um2", 1}}, Json{{"bytes", 2}, {"um2", 2}}});
    kind.stands = {{"name", "name"},
                   {"value", 1},
                   {"clock_hz", 1},
                   {"hbm_bandwidth_bytes_per_s", 1},
                   {"word_bytes", 1},
                   {"l2_bytes_per_element", 1},
                   {"least_l2_bytes", 1},
                   {"most_glb_words_per_cycle", 1},
                   {"tensor_element_um2", 1},
                   {"vector_lane_um2", 1},
                   {"num_tc", 1},
                   {"num_vc", 1},
                   {"pe_x", 1},
                   {"pe_y", 1},
                   {"glb_bytes", 1},
                   {"bound_mm2", 1},
                   {"area.l2", buffers},
                   {"area.glb", buffers}};
    for (const char* key : {"num_tc", "num_vc", "pe_x", "pe_y", "glb_bytes", "hbm_bytes"})
        kind.stands["parameters." + std::string(key)] = one;
    return kind;
}

ListSpec workloadModels() {
    ListSpec spec;
    spec.path = "models";
    spec.title = tr("Models, whose layers are the jobs");
    spec.entry = tr("model");
    spec.empty = tr("Add a model of the zoo, or a file beside this one.");
    FieldRow batch = countRow("batch", tr("Batch"), tr("Samples of a mini-batch"), 1e9);
    batch.sourced = false;
    batch.fallback = 1;
    FieldRow sizes = textRow("dimensions", tr("Dimensions"),
                             tr("Sizes that the model leaves open, such as sequence=128, tensor_parallel=2"));
    sizes.kind = FieldKind::sizes;
    spec.columns = {textRow("model", tr("Model"), tr("zoo:NAME, or the path of a file beside this one"), true),
                    textRow("kind", tr("Kind"), tr("vision, language, recommendation, …")), batch, sizes};
    spec.blank = [](const Json&) {
        return std::pair(std::string(), Json{{"model", "zoo:resnet50"}, {"kind", "vision"}, {"batch", 1}});
    };
    return spec;
}

/// Reads a workload and draws a group; a model that cannot be read is a problem of its field.
Preview readAndDraw(const JsonNode& root) {
    const cost::Workload workload = cost::readWorkload(root);
    const std::vector<JsonNode> rows = root.at("models").elements();
    cost::JobPool pool{.workload = workload, .jobs = {}};
    for (std::size_t i = 0; i < rows.size(); ++i) {
        cost::Workload one = workload;
        one.sources = {workload.sources[i]};
        try {
            pool.jobs.push_back(std::move(cost::jobPool(one).jobs.front()));
        } catch (const InterruptedError&) {
            throw;
        } catch (const std::exception& error) {
            rows[i].at("model").fail("a model that can be read (" + std::string(error.what()) + ")");
        }
    }
    return DrawnWorkload{.workload = workload, .group = cost::drawGroup(pool, 0, 1)};
}

HardwareKind workloadKind() {
    HardwareKind kind;
    kind.id = QStringLiteral("workload");
    kind.folder = "workloads";
    kind.schema = "tessera.workload/";
    kind.icon = QStringLiteral("jobs");
    kind.title = tr("Workload");
    FieldRow draw = textRow(
        "draw", tr("Draw"),
        tr("Kinds alike: first a kind, then one of its models, then one of its layers; layers alike: every layer as "
           "likely; all in order: nothing is drawn"));
    draw.kind = FieldKind::word;
    draw.words = {QStringLiteral("balanced"), QStringLiteral("layers"), QStringLiteral("in-order")};
    draw.titles = {tr("Kinds alike"), tr("Layers alike"), tr("All in order")};
    draw.fallback = "balanced";
    FieldRow size = textRow("group_size", tr("Group size"), tr("Jobs of a group; 0 = all layers, where in order"));
    size.kind = FieldKind::whole;
    size.range = {.least = 0, .most = static_cast<double>(cost::kLargestGroup), .whole = true};
    size.fallback = 100;
    kind.fields = {textRow("name", tr("Name"), tr("The name shown to people"), true),
                   textRow("description", tr("Description"), tr("What the workload stands for")), draw, size};
    kind.lists = {workloadModels()};
    kind.blank = Json{{"schema", "tessera.workload/1"},
                      {"name", "New workload"},
                      {"draw", "balanced"},
                      {"group_size", 100},
                      {"models", Json::array({Json{{"model", "zoo:resnet50"}, {"kind", "vision"}, {"batch", 1}},
                                              Json{{"model", "zoo:mobilenet-v2"}, {"kind", "vision"}, {"batch", 1}}})}};
    kind.read = readAndDraw;
    kind.stands = {{"name", "name"}};
    return kind;
}

}  // namespace

const QVector<HardwareKind>& hardwareKinds() {
    static const QVector<HardwareKind> kKinds{acceleratorKind(), fleetKind(), platformKind(), templateKind(),
                                              workloadKind()};
    return kKinds;
}

const HardwareKind* hardwareKind(const QString& id) {
    for (const HardwareKind& kind : hardwareKinds())
        if (kind.id == id) return &kind;
    return nullptr;
}

const HardwareKind* hardwareKindOf(const Json& document) {
    if (!document.is_object() || !document.contains("schema") || !document.at("schema").is_string()) return nullptr;
    const auto& schema = document.at("schema").get_ref<const std::string&>();
    for (const HardwareKind& kind : hardwareKinds())
        if (schema.starts_with(kind.schema)) return &kind;
    return nullptr;
}

namespace {

bool isAt(const Json& root, const JsonPath& path, const std::string& field) {
    return dottedPath(root, path) == withoutValue(field);
}

/// A field of a form, or one of the numbers inside of it.
bool isOf(const FieldRow& row, const Json& root, const JsonPath& path, const std::string& field) {
    const std::string own = dottedPath(root, path);
    return isAt(root, path, field) ||
           (row.kind == FieldKind::range && (field.starts_with(own + ".") || field.starts_with(own + "[")));
}

/// "Memory, from the fastest to the largest" is "Memory" as a part of a sentence.
QString shortTitle(const ListSpec& spec) {
    return spec.title.section(QLatin1Char(','), 0, 0);
}

/// A cell of a table in words.
QString cellName(const ListSpec& spec, const Json& root, const JsonPath& list, const std::string& field) {
    const JsonPath path = pathFromDotted(root, field);
    if (path.size() <= list.size() || !std::equal(list.begin(), list.end(), path.begin())) return {};
    const std::string& entry = path[list.size()];
    const Json& entries = *valueAt(root, list);
    const int row = spec.named ? static_cast<int>(std::distance(entries.begin(), entries.find(entry)))
                               : QString::fromStdString(entry).toInt();
    const QString place = tr("%1, row %2").arg(shortTitle(spec)).arg(row + 1);
    for (int i = spec.named ? 1 : 0; i < spec.columns.size(); ++i)
        if (isAt(root, joinedPath(joinedPath(list, {entry}), pathOf(spec.columns[i])), field))
            return QStringLiteral("%1, %2").arg(place, spec.columns[i].label.toLower());
    return place;
}

/// A field of what an entry holds: "Accelerator of v3, peak rates, row 1, peak".
QString partName(const HardwarePart& part, const Json& root, const std::string& field) {
    const JsonPath path = pathFromDotted(root, field);
    if (part.list.empty() || path.size() < 3 || path[0] != part.list || path[2] != part.key) return {};
    const JsonPath base(path.begin(), path.begin() + 3);
    const HardwareKind* kind = hardwareKind(part.kind);
    const Json* name = valueAt(root, {path[0], path[1], "name"});
    if (kind == nullptr || !valueAt(root, base)->is_object() || dottedPath(root, base) == field) return {};
    const QString inside = fieldName(*kind, root, field, base);
    const QString owner = name != nullptr && name->is_string()
                              ? QString::fromStdString(escaped(name->get_ref<const std::string&>(), kLongestName))
                              : tr("row %1").arg(QString::fromStdString(path[1]).toInt() + 1);
    const QString whole = tr("%1 of %2").arg(part.title, owner);
    return inside.isEmpty() ? whole : QStringLiteral("%1, %2%3").arg(whole, inside.left(1).toLower(), inside.mid(1));
}

}  // namespace

QString fieldName(const HardwareKind& kind, const Json& root, const std::string& field, const JsonPath& base) {
    if (base.empty())
        if (const QString inside = partName(kind.part, root, field); !inside.isEmpty()) return inside;
    for (const QVector<FieldRow>* rows : {&kind.fields, &kind.bound, &kind.moreFields})
        for (const FieldRow& row : *rows)
            if (isOf(row, root, joinedPath(base, pathOf(row)), field)) return row.label;
    for (const ListSpec& spec : kind.lists) {
        const JsonPath list = joinedPath(base, pathOf(spec.path));
        if (isAt(root, list, field)) return shortTitle(spec);
        if (const QString cell = cellName(spec, root, list, field); !cell.isEmpty()) return cell;
    }
    return {};
}

}  // namespace tessera::ui
