#include "ui/editors/study_form.h"

#include <array>
#include <exception>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/text.h"
#include "core/study/document_study.h"
#include "core/study/title.h"
#include "ui/models/text.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

using study::Parameter;
using study::ParameterKind;

constexpr std::size_t kLongestLabel = 40;
constexpr qsizetype kMaxDimensions = 64;  // rows of a form

/// Names that read better than the word in the file.
QString sentence(std::string_view text) {
    QString result = toQt(text);
    if (!result.isEmpty()) result[0] = result[0].toUpper();
    return result;
}

/// The parameter's help without what only the command line needs to know.
QString helpOf(const Parameter& parameter) {
    QString help = sentence(parameter.help);
    for (const char* phrase : {", separated by commas", "; may be repeated"}) help.remove(QLatin1String(phrase));
    return help;
}

struct KindRow {
    ParameterKind parameter;
    FieldKind field;
};

constexpr std::array kStudyKinds{
    KindRow{ParameterKind::number, FieldKind::quantity},
    KindRow{ParameterKind::whole, FieldKind::quantity},
    KindRow{ParameterKind::word, FieldKind::word},
    KindRow{ParameterKind::wordOrNumber, FieldKind::wordOrQuantity},
    KindRow{ParameterKind::words, FieldKind::words},
    KindRow{ParameterKind::numbers, FieldKind::text},
    KindRow{ParameterKind::text, FieldKind::text},
    KindRow{ParameterKind::flag, FieldKind::flag},
    KindRow{ParameterKind::document, FieldKind::document},
    KindRow{ParameterKind::list, FieldKind::document},
};

FieldRow valueRow(const Parameter& parameter) {
    FieldRow row;
    row.label = labelOf(parameter);
    row.measure = parameter.measure;
    row.range = {.min = parameter.min,
                 .max = parameter.max,
                 .minExcluded = false,
                 .whole = parameter.kind == ParameterKind::whole};
    for (const std::string_view word : parameter.words) row.words << toQt(word);
    row.help = helpOf(parameter);
    if (row.help.compare(row.label, Qt::CaseInsensitive) == 0) row.help.clear();
    row.fallback = study::defaultOf(parameter);
    return row;
}

/// Of a study that another one holds; that it is one, where it cannot be read.
QString titleOfStudy(const Json& value) {
    try {
        return shownText(study::titleOf(study::readStudyInside(study::documentOf(value, "the study").root())));
    } catch (const std::exception&) {
        return u"a study"_s;
    }
}

/// What a document holds, as far as a person needs to know it: "3 mappings", "1 mapping of 100 jobs".
QString documentText(const Json& value) {
    if (value.is_array()) return counted(value.size(), "entry", "entries");
    if (value.contains("engine")) return titleOfStudy(value);
    const auto several = value.find("mappings");
    const bool isList = several != value.end() && several->is_array();
    return isList ? counted(several->size(), "mapping", "mappings") : u"1 mapping"_s;
}

void offerFile(FieldRow& row, const Parameter& parameter) {
    row.placeholder = u"none"_s;
    row.describe = documentText;
    row.read = [parameter](const std::string& path) { return study::readParameterFile(parameter, path); };
}

/// What the inputs of a kind are called.
struct InputKind {
    std::string_view kind;
    const char* label;
    const char* hint;
    const char* files;  ///< what a file dialog calls them
    const char* ask;
    const char* another;
    const char* folder = "";  ///< of the library, whose files are offered by their names
};
constexpr const char* kHardware = "Hardware";
constexpr const char* kAskHardware = "Choose the hardware.";
constexpr const char* kAddHardware = "Add hardware";
constexpr std::array kInputKinds{
    InputKind{"model", "Model", "A network of the zoo, or a file", "Models", "Choose a model.", "Add a model"},
    InputKind{"workload", "Workload", "A workload, a model, or a table of jobs", "Workloads and tables of jobs",
              "Choose a workload.", "Add a workload", "workloads"},
    InputKind{"file of layers", "Layers", "Layers of the library, or a file of what each costs", "Files of layers",
              "Choose the layers.", "Add a file of layers", "placements"},
    InputKind{"list of operators", "Operators", "Operators of the library, or a file of what each takes",
              "Lists of operators", "Choose the operators.", "Add a list of operators", "operators"},
    InputKind{"fleet", kHardware, "A fleet of the library, or a file", "Fleets", kAskHardware, kAddHardware},
    InputKind{"accelerator", "Accelerator", "An accelerator of the library, or a file", "Accelerators",
              "Choose accelerators to compare.", "Add an accelerator"},
    InputKind{"template", kHardware, "A template of the library, or a file", "Templates", kAskHardware, kAddHardware},
    InputKind{"platform", kHardware, "A platform of the library, or a file", "Platforms", kAskHardware, kAddHardware},
};

/// A list of inputs of a kind; of one without words of its own, by its name alone.
InputSlot slotOf(const char* list, std::string_view kind) {
    for (const InputKind& row : kInputKinds)
        if (row.kind == kind)
            return {.list = list,
                    .label = QString::fromUtf8(row.label),
                    .hint = QString::fromUtf8(row.hint),
                    .filter = kind == "model" || kind == "workload"
                                  ? fileFilter(QString::fromUtf8(row.files), modelPatterns())
                                  : fileFilter(QString::fromUtf8(row.files)),
                    .ask = QString::fromUtf8(row.ask),
                    .another = QString::fromUtf8(row.another),
                    .folder = row.folder};
    const QString name = toQt(kind);
    return {.list = list,
            .label = sentence(kind),
            .hint = u"A file, or a name of the library"_s,
            .filter = fileFilter({}, {}),
            .ask = u"Choose the %1."_s.arg(name),
            .another = u"Add %1"_s.arg(name)};
}

}  // namespace

std::vector<InputSlot> inputSlots(const std::string& id) {
    const study::Engine& engine = study::engineNamed(id);
    std::vector<InputSlot> found;
    const auto add = [&](study::InputArity takes, InputSlot slot) {
        if (takes == study::InputArity::none) return;
        slot.needed = takes != study::InputArity::atMostOne;
        slot.several = takes == study::InputArity::many;
        found.push_back(std::move(slot));
    };
    add(engine.models, slotOf("models", "model"));
    add(engine.workloads, slotOf("workloads", engine.workloadKind));
    add(engine.hardware, slotOf("hardware", engine.hardwareKind));
    return found;
}

QString labelOf(const Parameter& parameter) {
    if (!parameter.label.empty()) return toQt(parameter.label);
    return sentence(parameter.name).replace(QLatin1Char('_'), QLatin1Char(' '));
}

std::optional<FieldRow> fieldOf(const Parameter& parameter) {
    if (parameter.lineOf != nullptr) return std::nullopt;
    for (const KindRow& kind : kStudyKinds) {
        if (kind.parameter != parameter.kind) continue;
        FieldRow row = valueRow(parameter);
        row.path = "parameters." + std::string(parameter.name);
        row.kind = kind.field;
        if (kind.field == FieldKind::document)
            offerFile(row, parameter);
        else if (kind.field == FieldKind::flag)
            row.placeholder = row.help;  // what ticking does stands beside the box
        else if (row.fallback.is_null())
            row.placeholder = u"not set"_s;
        else if (kind.field == FieldKind::quantity || kind.field == FieldKind::text ||
                 kind.field == FieldKind::wordOrQuantity)
            row.placeholder = u"%1 (default)"_s.arg(shownValue(row.fallback, row));
        return row;
    }
    return std::nullopt;
}

namespace {

/// A list as a table of lines.
ListSpec linesOf(const Parameter& parameter) {
    ListSpec spec;
    spec.path = "parameters." + std::string(parameter.name);
    spec.title = labelOf(parameter);
    spec.entry = toQt(parameter.entry);
    spec.empty = helpOf(parameter) + QLatin1Char('.');
    FieldRow line;
    line.label = sentence(parameter.entry);
    line.required = true;
    spec.columns = {line};
    spec.blank = [](const Json&) { return std::pair(std::string(), Json("")); };
    return spec;
}

}  // namespace

std::optional<ListSpec> listOf(const Parameter& parameter, const std::shared_ptr<const QStringList>& given) {
    if (parameter.lineOf != nullptr) return linesOf(parameter);
    // Words that the engine knows are names of their own.
    const bool known = parameter.kind == ParameterKind::wordNumbers;
    const bool named = parameter.kind == ParameterKind::namedWords || known;
    if (!named && parameter.kind != ParameterKind::namedNumbers) return std::nullopt;
    auto own = std::make_shared<QStringList>();
    for (const std::string_view word : parameter.words) *own << toQt(word);
    const std::shared_ptr<const QStringList> names = known ? own : given;
    ListSpec spec;
    spec.path = "parameters." + std::string(parameter.name);
    spec.named = true;
    spec.ordered = false;
    spec.title = labelOf(parameter);
    spec.entry = known ? u"value"_s : named ? u"pin"_s : u"ratio"_s;
    spec.empty = helpOf(parameter) + QLatin1Char('.');
    FieldRow key;
    key.label = toQt(parameter.value).section(QLatin1Char('='), 0, 0).toLower();
    key.label[0] = key.label[0].toUpper();
    key.required = true;
    FieldRow value = valueRow(parameter);
    value.label = toQt(parameter.value).section(QLatin1Char('='), 1).toLower();
    value.label = value.label == QLatin1String("r") ? u"Ratio"_s : sentence(value.label.toStdString());
    value.kind = named && !known ? FieldKind::word : FieldKind::quantity;
    if (known) value.words.clear();
    value.required = true;
    value.fallback = {};
    spec.columns = {key, value};
    const Json first = known ? Json(1.0) : named ? Json(value.words.value(0).toStdString()) : Json(0.5);
    spec.blank = [names, named, first, path = pathOf(spec.path)](const Json& document) {
        const Json* now = valueAt(document, path);
        const auto taken = [&](const std::string& name) {
            return now != nullptr && now->is_object() && now->contains(name);
        };
        if (named)
            for (const QString& name : *names)
                if (!taken(name.toStdString())) return std::pair(name.toStdString(), first);
        for (int i = 0;; ++i) {
            const std::string name = named ? "layer " + std::to_string(i + 1) : std::to_string(i);
            if (!taken(name)) return std::pair(name, first);
        }
    };
    return spec;
}

QVector<FieldRow> dimensionRows(const Json& document, const QStringList& open) {
    QStringList names = open;
    const Json* given = valueAt(document, {"dimensions"});
    if (given != nullptr && given->is_object())
        for (const auto& [name, value] : given->items())
            if (!names.contains(toQt(name))) names << toQt(name);
    QVector<FieldRow> rows;
    for (const QString& name : names.mid(0, kMaxDimensions)) {
        FieldRow row;
        row.keys = {"dimensions", name.toStdString()};
        row.path = "dimensions." + name.toStdString();
        row.label = toQt(escaped(name.toStdString(), kLongestLabel));
        row.kind = FieldKind::whole;
        // Numbers of a network of the zoo may be 0, such as its shared experts.
        row.range = {
            .min = open.contains(name) ? 1.0 : 0.0, .max = std::numeric_limits<std::int32_t>::max(), .whole = true};
        row.placeholder = u"open"_s;
        row.help = open.contains(name) ? u"Size of a dimension that the model leaves open"_s : u"Given by the study"_s;
        rows.push_back(row);
    }
    return rows;
}

FieldRow seedRow() {
    FieldRow row;
    row.path = "seed";
    row.label = u"Seed"_s;
    row.kind = FieldKind::whole;
    row.range = {.min = 0, .max = static_cast<double>(std::numeric_limits<std::int64_t>::max()), .whole = true};
    row.placeholder = u"not set"_s;
    row.help = u"The same seed gives the same result"_s;
    return row;
}

Json studyDocument(const study::Study& study) {
    Json document = study::toJson(study);
    Json given = Json::object();
    for (const study::Parameter& parameter : study::engineNamed(study.engine).parameters()) {
        const auto found = document.at("parameters").find(std::string(parameter.name));
        if (found == document.at("parameters").end() || *found == study::defaultOf(parameter)) continue;
        Json& value = given[std::string(parameter.name)] = *found;
        if (parameter.lineOf == nullptr || !value.is_array()) continue;
        for (Json& entry : value) entry = parameter.lineOf(entry);
    }
    document["parameters"] = given;
    return document;
}

}  // namespace tessera::ui
