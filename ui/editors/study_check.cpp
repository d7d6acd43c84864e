#include "ui/editors/study_check.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/hardware/area_census.h"
#include "core/hardware/library.h"
#include "core/hardware/platform.h"
#include "core/model/model.h"
#include "core/study/study.h"
#include "ui/editors/check.h"
#include "ui/editors/problem.h"
#include "ui/editors/study_form.h"
#include "ui/models/text.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype kMaxOffered = 20'000;  // layers in a drop-down list
constexpr std::size_t kMaxRead = 64;       // inputs of one list

using Sizes = std::map<std::string, std::int64_t>;

/// What was read of a model with certain sizes of its open dimensions.
struct ModelFacts {
    QString note;
    bool wrong = false;
    QStringList layers;
    Problems problems = {};  ///< of dimensions
};

/// What was read of a fleet.
struct FleetFacts {
    QString note;
    bool wrong = false;
    QStringList dataTypes;
};

model::Model modelWith(const std::string& name, const Sizes& sizes) {
    return model::loadModel(name, {.batch = {}, .dimensions = sizes});
}

/// The dimensions that a model leaves open; none where it cannot be read.
QStringList openDimensions(const std::string& name) {
    QStringList open;
    try {
        const model::Model model = modelWith(name, {});
        if (const model::Graph* graph = model.graph())
            for (const std::string& dimension : model::unboundDimensions(*graph)) open << toQt(dimension);
    } catch (const std::exception&) {
        return {};  // the reading with the study's sizes says why
    }
    return open;
}

/// The sizes that the model takes; the others are problems of their own.
Sizes usableSizes(ModelFacts& facts, const std::string& name, const Sizes& given, const QStringList& open) {
    Sizes usable;
    for (const auto& [dimension, size] : given) {
        try {
            if (!open.contains(toQt(dimension))) modelWith(name, {{dimension, size}});
            usable.emplace(dimension, size);
        } catch (const std::exception& error) {
            facts.problems.push_back({"dimensions." + dimension, reasonOf(error)});
        }
    }
    return usable;
}

void describe(ModelFacts& facts, const model::Model& model, const model::LayerGraph& layers) {
    double parameters = 0;
    int weighted = 0;
    for (const model::Layer& layer : layers.layers) {
        if (model::isJoin(layer.kind)) continue;
        ++weighted;
        parameters += layer.parameters;
        if (facts.layers.size() < kMaxOffered) facts.layers << toQt(layer.name);
    }
    facts.note =
        u"%1 · %2 · %3"_s.arg(shownText(model.name, 400), counted(weighted, "weighted layer", "weighted layers"),
                              counted(parameters, "parameter", "parameters"));
}

/// The layers and a line about a model, or why it cannot be read.
ModelFacts readModel(const std::string& name, const Sizes& given, const QStringList& open) {
    ModelFacts facts;
    std::optional<model::Model> model;
    try {
        model = modelWith(name, usableSizes(facts, name, given, open));
        describe(facts, *model, model::layerGraph(*model));
    } catch (const std::exception& error) {
        const model::Graph* graph = model ? model->graph() : nullptr;
        const std::vector<std::string> missing =
            graph == nullptr ? std::vector<std::string>() : model::unboundDimensions(*graph);
        for (const std::string& dimension : missing)
            facts.problems.push_back(
                {"dimensions." + dimension, u"Give the size of '%1'."_s.arg(shownText(dimension, 400))});
        facts.wrong = missing.empty();
        facts.note = missing.empty() ? reasonOf(error) : shownText(model->name, 400);
    }
    return facts;
}

/// The data types and a line about a fleet.
FleetFacts readFleet(const std::string& name) {
    FleetFacts facts;
    const hardware::Fleet fleet = hardware::loadFleet(name);
    QStringList groups;
    for (const hardware::Group& group : fleet.groups) {
        QStringList types;
        for (const auto& [type, rate] : group.accelerator.peakFlops) types << toQt(type);
        if (&group == &fleet.groups.front()) facts.dataTypes = types;
        facts.dataTypes.removeIf([&](const QString& type) { return !types.contains(type); });
        groups << u"%1 × %2"_s.arg(countText(group.count), shownText(group.accelerator.name, 400));
    }
    constexpr int kMaxNamed = 4;
    const int more = static_cast<int>(groups.size()) - kMaxNamed;
    groups = groups.mid(0, kMaxNamed);
    if (more > 0) groups << u"%1 more groups"_s.arg(more);
    facts.note = u"%1 · %2"_s.arg(shownText(fleet.name, 400), groups.join(u" + "_s));
    return facts;
}

/// A line about a platform.
FleetFacts readPlatform(const std::string& name) {
    FleetFacts facts;
    const hardware::Platform platform = hardware::loadPlatform(name);
    const auto cores = static_cast<double>(hardware::coreCount(platform));
    facts.note = u"%1 · %2 · %3"_s.arg(shownText(platform.name, 400), counted(cores, "core", "cores"),
                                       toQt(formatQuantity(platform.bandwidth.value, Measure::bytesPerSecond)));
    return facts;
}

/// A line about a template.
FleetFacts readTemplate(const std::string& name) {
    FleetFacts facts;
    const hardware::Template space = hardware::loadTemplate(name);
    const hardware::AreaCensus census = hardware::areaCensus(space);
    facts.note =
        u"%1 · %2 within %3"_s.arg(shownText(space.name, 400), counted(census.within, "accelerator", "accelerators"),
                                   toQt(formatQuantity(census.bound.value, Measure::area)));
    return facts;
}

/// What a buyer asks of an accelerator.
FleetFacts readAccelerator(const std::string& name) {
    FleetFacts facts;
    const hardware::Accelerator accelerator = hardware::loadAccelerator(name);
    QStringList parts{shownText(accelerator.name, 400)};
    double max = 0;
    for (const auto& [type, rate] : accelerator.peakFlops) {
        facts.dataTypes << toQt(type);
        if (type == "bf16" || type == "fp16") max = std::max(max, rate.value);
    }
    if (max > 0) parts << toQt(formatQuantity(max, Measure::flopsPerSecond));
    if (const auto memory = hardware::memoryCapacity(accelerator))
        parts << toQt(formatQuantity(memory->value, Measure::bytes));
    parts << (accelerator.pricePerHourUsd ? u"$%1 per hour"_s.arg(*accelerator.pricePerHourUsd, 0, 'g', 4)
                                          : u"no price"_s);
    facts.note = parts.join(u" · "_s);
    return facts;
}

/// What hardware is read as, by its kind; nothing is known here of other kinds.
struct HardwareReader {
    std::string_view kind;
    FleetFacts (*read)(const std::string& name);
};
constexpr HardwareReader kReaders[] = {
    {"fleet", readFleet}, {"template", readTemplate}, {"platform", readPlatform}, {"accelerator", readAccelerator}};

/// What an engine's hardware is read as, or why it cannot be read.
FleetFacts readHardware(const Json& document, const std::string& name) {
    FleetFacts facts;
    const auto engine = document.find("engine");
    try {
        for (const study::Engine& row : study::engines())
            for (const HardwareReader& reader : kReaders)
                if (engine != document.end() && *engine == Json(std::string(row.id)) && row.hardwareKind == reader.kind)
                    return reader.read(name);
    } catch (const std::exception& error) {
        facts.wrong = true;
        facts.note = reasonOf(error);
    }
    return facts;
}

/// The newest thing that was read, by what it was read from.
template <typename Facts>
class Remembered {
public:
    template <typename Read>
    const Facts& get(const std::string& of, const Read& read) {
        if (!of_ || *of_ != of) {
            facts_ = read();
            of_ = of;
        }
        return facts_;
    }

private:
    std::optional<std::string> of_;
    Facts facts_;
};

/// The inputs that the document's engine takes; those of the first one where it names none.
std::vector<InputSlot> slotsOf(const Json& document) {
    const auto engine = document.find("engine");
    try {
        if (engine != document.end() && engine->is_string()) return inputSlots(engine->get<std::string>());
    } catch (const std::exception&) {
        // What is wrong with the engine's name is a problem of its own.
    }
    return inputSlots(std::string(study::engines().front().id));
}

/// What is wrong with the document itself, whatever its inputs are.
Problems documentProblems(const Json& document, const std::string& file, study::Study& study) {
    const std::vector<InputSlot> inputs = slotsOf(document);
    Placeholders stands;
    for (const InputSlot& slot : inputs) stands[slot.list] = Json::array({"stand-in"});
    Problems problems = findProblems(
        document, file, [&](const JsonNode& root) { study = study::readStudy(root); }, stands);
    for (Problem& problem : problems)
        for (const InputSlot& slot : inputs)
            if (problem.field == slot.list && firstInput(document, slot.list).isEmpty()) problem.sentence = slot.ask;
    return problems;
}

/// The parameters of a document's engine; none where it names no engine.
const std::vector<study::Parameter>& parametersOf(const Json& document) {
    static const std::vector<study::Parameter> kNone;
    const auto named = document.is_object() ? document.find("engine") : document.end();
    const study::Engine* const engine =
        named != document.end() && named->is_string() ? study::findEngine(named->get<std::string>()) : nullptr;
    return engine == nullptr ? kNone : engine->parameters();
}

/// The document without what is typed line by line, whose lines are offered whatever those say that are there.
Json withoutLines(const Json& document) {
    Json lean = document;
    const auto parameters = lean.is_object() ? lean.find("parameters") : lean.end();
    if (parameters == lean.end() || !parameters->is_object()) return lean;
    for (const study::Parameter& parameter : parametersOf(document))
        if (parameter.lineOf != nullptr) parameters->erase(std::string(parameter.name));
    return lean;
}

/// By parameter what its lines may begin with.
std::map<std::string, QStringList> offeredLines(const Json& document, const std::string& file) {
    std::map<std::string, QStringList> offered;
    for (const study::Parameter& parameter : parametersOf(document)) {
        if (parameter.offered == nullptr) continue;
        try {
            const study::Study study = study::readStudy(JsonDocument::parse(toText(document), file).root());
            for (const std::string& line : parameter.offered(study)) offered[std::string(parameter.name)] << toQt(line);
        } catch (const std::exception&) {
            return {};  // the study is not complete: its problems say so
        }
    }
    return offered;
}

/// A problem that an engine has with a study; of the parameter whose option its sentence begins with.
Problem engineProblem(const study::Study& study, const std::string& sentence) {
    for (const study::Parameter& parameter : study::engineNamed(study.engine).parameters()) {
        const std::string option = "option '" + std::string(parameter.option) + "' ";
        if (!sentence.starts_with(option)) continue;
        return {"parameters." + std::string(parameter.name),
                u"This %1"_s.arg(shownText(sentence.substr(option.size()), 400))};
    }
    return {"", shownText(sentence, 400)};
}

}  // namespace

struct StudyChecker::Memory {
    std::mutex mutex;
    Remembered<QStringList> open;
    Remembered<ModelFacts> model;
    Remembered<std::map<std::string, QStringList>> offered;
    std::map<std::string, FleetFacts> hardware;  ///< by name; of the document that was checked last
    std::atomic_bool fleetChanged = false;       // the mutex may be held for as long as a model is read
};

std::shared_ptr<StudyChecker::Memory> StudyChecker::makeMemory() {
    return std::make_shared<Memory>();
}

CheckOutcome StudyChecker::check(const Json& document, const std::string& file) const {
    const std::shared_ptr<Memory> memory = memory_;
    CheckOutcome outcome;
    study::Study study;
    outcome.problems = documentProblems(document, file, study);

    // Names are looked up as the study itself would: beside its file first.
    const bool readable = outcome.problems.isEmpty();
    const auto namesOf = [&](const std::vector<std::string>& names, const char* list) {
        std::vector<std::string> found = names;
        if (!readable) {
            found.clear();
            for (const QString& name : inputsOf(document, list)) found.push_back(name.toStdString());
        }
        if (found.size() > kMaxRead) found.resize(kMaxRead);
        return found;
    };
    const std::vector<InputSlot> inputs = slotsOf(document);
    const bool acceptsModels = std::any_of(
        inputs.begin(), inputs.end(), [](const InputSlot& slot) { return std::string_view(slot.list) == "models"; });
    const std::vector<std::string> models =
        acceptsModels ? namesOf(study.models, "models") : std::vector<std::string>();
    const std::string model = models.empty() ? "" : models.front();
    std::string modelKey = model;
    for (const auto& [name, value] : study.dimensions) modelKey += '\n' + name + '=' + std::to_string(value);

    StudyPreview preview;
    const std::lock_guard lock(memory->mutex);
    if (!model.empty()) {
        preview.dimensions = memory->open.get(model, [&] { return openDimensions(model); });
        const ModelFacts& facts =
            memory->model.get(modelKey, [&] { return readModel(model, study.dimensions, preview.dimensions); });
        preview.notes["models"] = {{facts.note, facts.wrong}};
        preview.layers = facts.layers;
        outcome.problems += facts.problems;
    }
    if (memory->fleetChanged.exchange(false)) memory->hardware.clear();
    std::map<std::string, FleetFacts> read;
    for (const std::string& name : namesOf(study.hardware, "hardware")) {
        const auto known = memory->hardware.find(name);
        const FleetFacts& facts = read[name] =
            known == memory->hardware.end() ? readHardware(document, name) : known->second;
        std::vector<StudyPreview::Note>& notes = preview.notes["hardware"];
        if (notes.empty()) preview.dataTypes = facts.dataTypes;
        preview.dataTypes.removeIf([&](const QString& type) { return !facts.dataTypes.contains(type); });
        notes.push_back({facts.note, facts.wrong});
    }
    memory->hardware = std::move(read);
    const Json lean = withoutLines(document);
    preview.offered = memory->offered.get(lean.dump(), [&] { return offeredLines(lean, file); });
    for (const auto& [list, notes] : preview.notes)
        for (const StudyPreview::Note& note : notes)
            if (note.wrong) outcome.problems.push_back({list, note.text});
    if (outcome.problems.isEmpty()) {
        preview.estimate = study::estimate(study);
        for (const std::string& problem : preview.estimate.problems)
            outcome.problems.push_back(engineProblem(study, problem));
    }
    outcome.preview = preview;
    return outcome;
}

void StudyChecker::forgetFleet() const {
    memory_->fleetChanged = true;
}

QStringList inputsOf(const Json& document, const char* list) {
    QStringList names;
    const auto found = document.find(list);
    if (found == document.end() || !found->is_array()) return names;
    for (const Json& name : *found)
        if (name.is_string()) names << toQt(name.get<std::string>());
    return names;
}

QString firstInput(const Json& document, const char* list) {
    return inputsOf(document, list).value(0);
}

}  // namespace tessera::ui
