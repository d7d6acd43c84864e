#include "ui/editors/hardware_kind.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/dtype.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/cost/job_analysis.h"
#include "core/hardware/field.h"
#include "ui/models/text.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t kLongestName = 80;

FieldRow textRow(const std::string& path, const QString& label, const QString& help, bool required = false) {
    FieldRow row;
    row.path = path;
    row.label = label;
    row.help = help;
    row.required = required;
    return row;
}

QString titleCase(std::string text) {
    if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    return toQt(text);
}

/// The control for a field of a table; `around` is what stands before its title.
FieldRow rowOf(const hardware::Field& field, const std::string& path, const std::string& around, bool needed) {
    static const std::map<hardware::Holds, FieldKind> kKinds{{hardware::Holds::number, FieldKind::quantity},
                                                             {hardware::Holds::flag, FieldKind::flag},
                                                             {hardware::Holds::names, FieldKind::names},
                                                             {hardware::Holds::numbers, FieldKind::numbers},
                                                             {hardware::Holds::range, FieldKind::range}};
    const std::string title = around.empty() ? field.title : around + " " + hardware::lowerFirst(field.title);
    FieldRow row = textRow(path, toQt(title), toQt(field.about), needed);
    const auto kind = kKinds.find(field.holds);
    if (kind != kKinds.end()) row.kind = kind->second;
    for (const std::string& word : field.words) row.words << toQt(word);
    if (!field.words.empty()) row.kind = FieldKind::word;
    row.measure = field.measure;
    row.range = {.min = field.bounds.min,
                 .max = field.bounds.max,
                 .minExcluded = field.bounds.minExcluded,
                 .whole = field.bounds.whole};
    row.unit = toQt(field.unit);
    row.sourced = field.holds == hardware::Holds::number || field.holds == hardware::Holds::range;
    row.heading = toQt(field.heading);
    const bool instead = (*field.fallback).is_null() && field.without.starts_with("the ");
    if (field.holds != hardware::Holds::flag) row.fallback = instead ? Json(field.without) : *field.fallback;
    if (row.fallback == Json("")) row.fallback = nullptr;
    return row;
}

/// The first of `wanted` that the object at `path` does not have; numbered where it has them all.
std::string freeKey(const Json& document, const std::string& path, const QStringList& wanted) {
    const Json* found = valueAt(document, pathOf(path));
    const auto taken = [&](const std::string& key) {
        return found != nullptr && found->is_object() && found->contains(key);
    };
    for (const QString& name : wanted)
        if (!taken(name.toStdString())) return name.toStdString();
    for (int i = 2;; ++i) {
        const std::string name = wanted.last().toStdString() + "-" + std::to_string(i);
        if (!taken(name)) return name;
    }
}

std::string freeName(const Json& document, const std::string& list, const std::string& stem) {
    const Json* found = valueAt(document, pathOf(list));
    for (int i = 1;; ++i) {
        const std::string name = stem + " " + std::to_string(i);
        bool taken = false;
        if (found != nullptr && found->is_array())
            for (const Json& entry : *found)
                taken = taken || (entry.is_object() && entry.contains("name") && entry.at("name") == Json(name));
        if (!taken) return name;
    }
}

/// An entry as it is added: what must be there is free to be filled in.
Json blankEntry(const hardware::Field& list, const Json& document, const std::string& path) {
    Json entry = Json::object();
    for (const hardware::Field& field : list.fields) {
        if (field.always)
            entry[field.key] = *field.fallback;
        else if (field.needed)
            entry[field.key] = field.key == "name" ? freeName(document, path, list.entry) : "";
    }
    return entry;
}

/// The table for a list or a map.
ListSpec listOf(const hardware::Field& field, const std::string& path) {
    ListSpec spec;
    spec.path = path;
    spec.named = field.holds == hardware::Holds::map;
    spec.title = toQt(field.title);
    spec.entry = toQt(field.entry);
    spec.empty = toQt(field.empty);
    if (spec.named) spec.columns.push_back(textRow("", titleCase(field.entry), {}, true));
    for (const hardware::Field& column : field.fields)
        if (column.holds == hardware::Holds::list)
            spec.inner.push_back(
                {column.key, toQt(column.title), [column](const std::string& at) { return listOf(column, at); }});
        else
            spec.columns.push_back(rowOf(column, column.key, {}, column.needed));
    spec.blank = [field, path, named = spec.named](const Json& document) {
        if (!named) return std::pair(std::string(), blankEntry(field, document, path));
        const bool names = field.fields.front().holds == hardware::Holds::names;
        return std::pair(freeKey(document, path, {toQt(field.entry)}), names ? Json::array() : Json(""));
    };
    return spec;
}

/// Tables stand between the first fields and the rest; those that come later, below.
void addFields(HardwareKind& form, const hardware::Fields& fields, const std::string& path, const std::string& around,
               bool needed) {
    std::string heading;
    for (const hardware::Field& field : fields) {
        const std::string at = hardware::joinedField(path, field.key);
        const bool exclusive = at == "bound" || at == "bound_mm2";  // one of both is there
        QVector<FieldRow>& rows = exclusive || path == "bound" ? form.bound
                                  : form.lists.isEmpty()       ? form.fields
                                                               : form.moreFields;
        const qsizetype before = rows.size();
        if (field.holds == hardware::Holds::list || field.holds == hardware::Holds::map) {
            form.lists.push_back(listOf(field, at));
            form.lists.back().below = !form.moreFields.isEmpty();
        } else if (field.holds == hardware::Holds::object) {
            addFields(form, field.fields, at, field.title, exclusive || (needed && field.needed));
        } else if (field.holds == hardware::Holds::other && !field.fields.empty()) {
            form.hasTopology = true;
        } else {
            rows.push_back(rowOf(field, at, around, exclusive || (needed && field.needed)));
        }
        if (!field.heading.empty() && rows.size() > before) rows[before].heading = toQt(field.heading);
    }
}

ListSpec& listAt(HardwareKind& form, const std::string& path) {
    return *std::find_if(form.lists.begin(), form.lists.end(), [&](const ListSpec& spec) { return spec.path == path; });
}

HardwareKind acceleratorForm() {
    HardwareKind kind = formOf(hardware::acceleratorKind());
    listAt(kind, "peak_flops").blank = [](const Json& document) {
        QStringList names;
        for (const Dtype& dtype : kDtypes) names << toQt(dtype.id);
        return std::pair(freeKey(document, "peak_flops", names << u"type"_s), Json(""));
    };
    listAt(kind, "efficiency").blank = [](const Json& document) {
        return std::pair(freeKey(document, "efficiency", {u"gemm"_s, u"conv"_s, u"class"_s}), Json(1));
    };
    kind.blank = Json{{"schema", "tessera.accelerator/1"},
                      {"name", "New accelerator"},
                      {"peak_flops", {{"bf16", std::int64_t{100'000'000'000'000}}}},
                      {"memory", Json::array({Json{{"name", "HBM"},
                                                   {"capacity_bytes", std::int64_t{34'359'738'368}},
                                                   {"bandwidth_bytes_per_s", std::int64_t{1'000'000'000'000}},
                                                   {"on_chip", false}}})},
                      {"network_bits_per_s", std::int64_t{200'000'000'000}}};
    kind.read = [](const JsonNode& root) -> Preview { return hardware::readAccelerator(root); };
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

HardwareKind fleetForm() {
    HardwareKind kind = formOf(hardware::fleetKind());
    ListSpec& groups = listAt(kind, "groups");
    groups.blank = [](const Json& document) {
        return std::pair(
            std::string(),
            Json{{"name", freeName(document, "groups", "group")}, {"accelerator", "tpu-v3"}, {"count", 1}});
    };
    groups.follow = followGroup;
    InnerList& levels = groups.inner.front();
    levels.at = [plain = levels.at](const std::string& path) {
        ListSpec spec = plain(path);
        spec.follow = [](Json& document, const std::string& column, const Json&, const Json&) {
            if (column == "+") document["schema"] = currentSchema(hardware::fleetKind().history);
        };
        return spec;
    };
    ListSpec& between = listAt(kind, "links");
    between.columns.front() = textRow("between.0", u"From"_s, u"A group of this fleet"_s, true);
    between.columns.insert(1, textRow("between.1", u"To"_s, u"Another group"_s, true));
    between.ordered = false;
    between.blank = [](const Json& document) {
        Json ends = Json::array({"", ""});
        const auto found = document.find("groups");
        for (std::size_t i = 0; i < 2 && found != document.end() && found->is_array() && i < found->size(); ++i)
            if ((*found)[i].is_object()) ends[i] = (*found)[i].value("name", Json(""));
        return std::pair(std::string(), Json{{"between", ends}, {"bits_per_s", std::int64_t{100'000'000'000}}});
    };
    kind.part = {.list = "groups", .key = "accelerator", .kind = u"accelerator"_s, .title = u"Accelerator"_s};
    kind.blank = Json{{"schema", "tessera.fleet/2"},
                      {"name", "New fleet"},
                      {"groups", Json::array({Json{{"name", "group 1"}, {"accelerator", "tpu-v3"}, {"count", 8}}})},
                      {"links", Json::array()},
                      {"topology", "flat"}};
    kind.read = [](const JsonNode& root) -> Preview { return hardware::readFleet(root); };
    return kind;
}

HardwareKind platformForm() {
    HardwareKind kind = formOf(hardware::platformKind());
    listAt(kind, "sub_accelerators").blank = [](const Json& document) {
        return std::pair(std::string(), Json{{"name", freeName(document, "sub_accelerators", "core")},
                                             {"count", 1},
                                             {"array_height", 32},
                                             {"array_width", 64},
                                             {"dataflow", "nvdla"},
                                             {"sl_bytes", 72},
                                             {"sg_bytes", 2048}});
    };
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
    return kind;
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

HardwareKind templateForm() {
    HardwareKind kind = formOf(hardware::templateKind());
    for (ListSpec& sizes : kind.lists)
        sizes.blank = [path = sizes.path](const Json& document) {
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
            return std::pair(std::string(),
                             Json{{"bytes", numberValue(bytes)}, {"um2", numberValue(squareMicrometres)}});
        };
    kind.blank = blankTemplate();
    kind.read = [](const JsonNode& root) -> Preview {
        CountedTemplate counted{.space = hardware::readTemplate(root), .census = {}};
        counted.census = hardware::areaCensus(counted.space);
        return counted;
    };
    return kind;
}

/// Reads a workload and draws a group; a model that cannot be read is a problem of its field.
Preview readAndDraw(const JsonNode& root) {
    const cost::Workload workload = cost::readWorkload(root);
    const std::vector<JsonNode> rows = root.at("models").elements();
    cost::JobPool pool{.workload = workload, .jobs = {}};
    hardware::ProvenanceMap none;
    hardware::Reading reading(root, none);
    const auto readModel = [&](std::size_t i) {
        cost::Workload one = workload;
        one.sources = {workload.sources[i]};
        try {
            pool.jobs.push_back(std::move(cost::jobPool(one).jobs.front()));
        } catch (const InterruptedError&) {
            throw;
        } catch (const std::exception& error) {
            rows[i].at("model").fail("a model that can be read (" + std::string(error.what()) + ")");
        }
    };
    reading.run([&] {
        for (std::size_t i = 0; i < rows.size(); ++i) reading.attempt([&] { readModel(i); });
    });
    return DrawnWorkload{.workload = workload, .group = cost::drawGroup(pool, 0, 1)};
}

HardwareKind workloadForm() {
    HardwareKind kind = formOf(cost::workloadKind());
    kind.icon = u"jobs"_s;
    // What is counted here is nobody's measurement.
    for (FieldRow& row : kind.fields) {
        row.sourced = false;
        if (row.path == "draw") row.titles = {u"Balanced over kinds"_s, u"Uniform over layers"_s, u"In order"_s};
    }
    ListSpec& models = listAt(kind, "models");
    for (FieldRow& column : models.columns) column.sourced = false;
    models.columns.back().kind = FieldKind::sizes;
    const auto model = [](const char* name) { return Json{{"model", name}, {"kind", "vision"}, {"batch", 1}}; };
    models.blank = [model](const Json&) { return std::pair(std::string(), model("zoo:resnet50")); };
    kind.blank = Json{{"schema", "tessera.workload/1"},
                      {"name", "New workload"},
                      {"draw", "balanced"},
                      {"group_size", 100},
                      {"models", Json::array({model("zoo:resnet50"), model("zoo:mobilenet-v2")})}};
    kind.read = readAndDraw;
    return kind;
}

}  // namespace

HardwareKind formOf(const hardware::Kind& kind) {
    HardwareKind form;
    form.id = toQt(kind.id);
    form.folder = kind.id + "s";
    form.schema = std::string(kind.history.kind) + "/";
    form.icon = form.id;
    form.title = toQt(kind.title);
    addFields(form, kind.fields, {}, {}, true);
    return form;
}

const QVector<HardwareKind>& hardwareKinds() {
    static const QVector<HardwareKind> kKinds{acceleratorForm(), fleetForm(), platformForm(), templateForm(),
                                              workloadForm()};
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
    const int row =
        spec.named ? static_cast<int>(std::distance(entries.begin(), entries.find(entry))) : toQt(entry).toInt();
    const QString place = u"%1, row %2"_s.arg(shortTitle(spec)).arg(row + 1);
    for (const InnerList& inner : spec.inner) {
        const JsonPath below = joinedPath(list, {entry, inner.key});
        if (isAt(root, below, field)) return u"%1, %2"_s.arg(place, inner.title.toLower());
        const QString cell = cellName(inner.at(inner.key), root, below, field);
        if (!cell.isEmpty()) return u"%1, %2%3"_s.arg(place, cell.left(1).toLower(), cell.mid(1));
    }
    for (int i = spec.named ? 1 : 0; i < spec.columns.size(); ++i)
        if (isAt(root, joinedPath(joinedPath(list, {entry}), pathOf(spec.columns[i])), field))
            return u"%1, %2"_s.arg(place, spec.columns[i].label.toLower());
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
                              ? toQt(escaped(name->get_ref<const std::string&>(), kLongestName))
                              : u"row %1"_s.arg(toQt(path[1]).toInt() + 1);
    const QString whole = u"%1 of %2"_s.arg(part.title, owner);
    return inside.isEmpty() ? whole : u"%1, %2%3"_s.arg(whole, inside.left(1).toLower(), inside.mid(1));
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
