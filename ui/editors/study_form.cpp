#include "ui/editors/study_form.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/hardware/library.h"
#include "core/model/model.h"
#include "ui/editors/check.h"
#include "ui/editors/words.h"

namespace tessera::ui {

namespace {

using study::Parameter;
using study::ParameterKind;

constexpr std::size_t kMostOffered = 20'000;  // layers in a drop-down list

/// Names that read better than the word in the file.
constexpr std::array<std::pair<std::string_view, const char*>, 8> kLabels{{
    {"dtype", QT_TRANSLATE_NOOP("tessera::ui", "Data type")},
    {"levels", QT_TRANSLATE_NOOP("tessera::ui", "Levels of splits")},
    {"pin", QT_TRANSLATE_NOOP("tessera::ui", "Pinned layers")},
    {"pin_ratio", QT_TRANSLATE_NOOP("tessera::ui", "Pinned ratios")},
    {"psum", QT_TRANSLATE_NOOP("tessera::ui", "Partial sums")},
    {"join", QT_TRANSLATE_NOOP("tessera::ui", "Joins")},
    {"flop", QT_TRANSLATE_NOOP("tessera::ui", "Operation count")},
    {"computation", QT_TRANSLATE_NOOP("tessera::ui", "Compute")},
}};

QString sentence(std::string_view text) {
    QString result = words::fromView(text);
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

constexpr std::array kKinds{
    KindRow{ParameterKind::number, FieldKind::quantity},
    KindRow{ParameterKind::whole, FieldKind::quantity},
    KindRow{ParameterKind::word, FieldKind::word},
    KindRow{ParameterKind::wordOrNumber, FieldKind::wordOrQuantity},
    KindRow{ParameterKind::words, FieldKind::words},
    KindRow{ParameterKind::text, FieldKind::text},
    KindRow{ParameterKind::flag, FieldKind::flag},
};

FieldRow valueRow(const Parameter& parameter) {
    FieldRow row;
    row.label = labelOf(parameter);
    row.measure = parameter.measure;
    row.range = {.least = parameter.least,
                 .most = parameter.most,
                 .leastExcluded = false,
                 .whole = parameter.kind == ParameterKind::whole};
    for (const std::string_view word : parameter.words) row.words << words::fromView(word);
    row.help = helpOf(parameter);
    row.fallback = study::defaultOf(parameter);
    return row;
}

std::string nameIn(const Json& document, const char* list) {
    const auto found = document.find(list);
    if (found == document.end() || !found->is_array() || found->empty() || !found->front().is_string()) return {};
    return found->front().get<std::string>();
}

}  // namespace

QString labelOf(const Parameter& parameter) {
    for (const auto& [name, label] : kLabels)
        if (name == parameter.name) return words::tr(label);
    return sentence(parameter.name).replace(QLatin1Char('_'), QLatin1Char(' '));
}

std::optional<FieldRow> fieldOf(const Parameter& parameter) {
    for (const KindRow& kind : kKinds) {
        if (kind.parameter != parameter.kind) continue;
        FieldRow row = valueRow(parameter);
        row.path = "parameters." + std::string(parameter.name);
        row.kind = kind.field;
        if (kind.field == FieldKind::flag)
            row.placeholder = row.help;  // what ticking does stands beside the box
        else if (row.fallback.is_null())
            row.placeholder = words::tr("not limited");
        else if (kind.field == FieldKind::quantity || kind.field == FieldKind::text ||
                 kind.field == FieldKind::wordOrQuantity)
            row.placeholder = words::tr("%1 (default)").arg(shownValue(row.fallback, row));
        return row;
    }
    return std::nullopt;
}

std::optional<ListSpec> listOf(const Parameter& parameter, const std::shared_ptr<const QStringList>& names) {
    const bool named = parameter.kind == ParameterKind::namedWords;
    if (!named && parameter.kind != ParameterKind::namedNumbers) return std::nullopt;
    ListSpec spec;
    spec.path = "parameters." + std::string(parameter.name);
    spec.named = true;
    spec.ordered = false;
    spec.title = labelOf(parameter);
    spec.entry = named ? words::tr("pin") : words::tr("ratio");
    spec.empty = helpOf(parameter) + QLatin1Char('.');
    FieldRow key;
    key.label = words::fromView(parameter.value).section(QLatin1Char('='), 0, 0).toLower();
    key.label[0] = key.label[0].toUpper();
    key.required = true;
    FieldRow value = valueRow(parameter);
    value.label = words::fromView(parameter.value).section(QLatin1Char('='), 1).toLower();
    value.label = value.label == QLatin1String("r") ? words::tr("Ratio") : sentence(value.label.toStdString());
    value.kind = named ? FieldKind::word : FieldKind::quantity;
    value.required = true;
    value.fallback = {};
    spec.columns = {key, value};
    const Json first = named ? Json(value.words.value(0).toStdString()) : Json(0.5);
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

/// What was read of one model or fleet.
struct StudyChecker::Facts {
    std::string of;
    QString note;
    bool wrong = false;
    QStringList names;
};

struct StudyChecker::Memory {
    std::mutex mutex;
    Facts model, hardware;
};

std::shared_ptr<StudyChecker::Memory> StudyChecker::makeMemory() {
    return std::make_shared<Memory>();
}

namespace {

QString quiet(const std::string& text) {
    return QString::fromStdString(escaped(text, 400));
}

/// The reason as a sentence, without the command that would help in a terminal.
QString reasonOf(const std::exception& error) {
    const std::string text = error.what();
    std::size_t end = text.size();
    for (const char* command : {"; 'tessera ", " 'tessera ", "; `tessera "}) end = std::min(end, text.find(command));
    QString reason = quiet(text.substr(0, end));
    if (!reason.isEmpty()) reason[0] = reason[0].toUpper();
    return reason.endsWith(QLatin1Char('?')) || reason.endsWith(QLatin1Char('.')) ? reason : reason + QLatin1Char('.');
}

/// The layers and a line about a model, or why it cannot be read.
template <typename Facts>
void readModel(Facts& facts, const std::string& name, const std::map<std::string, std::int64_t>& dimensions) {
    try {
        model::LoadOptions options;
        options.dimensions = dimensions;
        const model::Model model = model::loadModel(name, options);
        const model::LayerGraph layers = model::layerGraph(model);
        double parameters = 0;
        int weighted = 0;
        for (const model::Layer& layer : layers.layers) {
            if (model::isJoin(layer.kind)) continue;
            ++weighted;
            parameters += layer.parameters;
            if (facts.names.size() < static_cast<qsizetype>(kMostOffered))
                facts.names << QString::fromStdString(layer.name);
        }
        facts.note = QStringLiteral("%1 · %2 · %3")
                         .arg(quiet(model.name), words::counted(weighted, "weighted layer", "weighted layers"),
                              words::counted(parameters, "parameter", "parameters"));
    } catch (const std::exception& error) {
        facts.wrong = true;
        facts.note = reasonOf(error);
    }
}

/// The data types and a line about a fleet, or why it cannot be read.
template <typename Facts>
void readFleet(Facts& facts, const std::string& name) {
    try {
        const hardware::Fleet fleet = hardware::loadFleet(name);
        QStringList groups;
        for (const hardware::Group& group : fleet.groups) {
            QStringList types;
            for (const auto& [type, rate] : group.accelerator.peakFlops) types << QString::fromStdString(type);
            if (&group == &fleet.groups.front()) facts.names = types;
            facts.names.removeIf([&](const QString& type) { return !types.contains(type); });
            groups << QStringLiteral("%1 × %2").arg(
                QString::fromStdString(formatCount(static_cast<double>(group.count))), quiet(group.accelerator.name));
        }
        constexpr int kMostNamed = 4;
        const int more = static_cast<int>(groups.size()) - kMostNamed;
        groups = groups.mid(0, kMostNamed);
        if (more > 0) groups << words::tr("%1 more groups").arg(more);
        facts.note = QStringLiteral("%1 · %2").arg(quiet(fleet.name), groups.join(QStringLiteral(" + ")));
    } catch (const std::exception& error) {
        facts.wrong = true;
        facts.note = reasonOf(error);
    }
}

}  // namespace

CheckOutcome StudyChecker::check(const Json& document, const std::string& file) const {
    const std::shared_ptr<Memory> memory = memory_;
    CheckOutcome outcome;
    study::Study study;
    const Stand stands{{"models", Json::array({"zoo:stand-in"})}, {"hardware", Json::array({"stand-in"})}};
    outcome.problems = findProblems(
        document, file, [&](const JsonNode& root) { study = study::readStudy(root); }, stands);
    for (Problem& problem : outcome.problems) {
        if (problem.field == "models" && nameIn(document, "models").empty())
            problem.sentence = words::tr("Choose a model.");
        if (problem.field == "hardware" && nameIn(document, "hardware").empty())
            problem.sentence = words::tr("Choose the hardware.");
    }

    StudyPreview preview;
    const std::lock_guard lock(memory->mutex);
    const auto remember = [&](Facts& facts, const std::string& name, const std::string& key, const auto& read) {
        if (facts.of == key) return;
        facts = {};
        facts.of = key;
        if (!name.empty()) read(facts, name);
    };
    // Names are looked up as the study itself would: beside its file first.
    const bool readable = outcome.problems.isEmpty();
    const std::string model = readable ? study.models.front() : nameIn(document, "models");
    const std::string hardware = readable ? study.hardware.front() : nameIn(document, "hardware");
    std::string modelKey = model;
    for (const auto& [name, value] : study.dimensions) modelKey += '\n' + name + '=' + std::to_string(value);
    remember(memory->model, model, modelKey,
             [&](Facts& facts, const std::string& name) { readModel(facts, name, study.dimensions); });
    remember(memory->hardware, hardware, hardware,
             [](Facts& facts, const std::string& name) { readFleet(facts, name); });
    preview.modelNote = memory->model.note;
    preview.modelWrong = memory->model.wrong;
    preview.layers = memory->model.names;
    preview.hardwareNote = memory->hardware.note;
    preview.hardwareWrong = memory->hardware.wrong;
    preview.dataTypes = memory->hardware.names;
    if (preview.modelWrong) outcome.problems.push_back({"models", preview.modelNote});
    if (preview.hardwareWrong) outcome.problems.push_back({"hardware", preview.hardwareNote});
    if (outcome.problems.isEmpty()) {
        preview.estimate = study::estimate(study);
        for (const std::string& problem : preview.estimate.problems) outcome.problems.push_back({"", quiet(problem)});
    }
    outcome.preview = preview;
    return outcome;
}

Json studyDocument(const study::Study& study) {
    Json document = study::toJson(study);
    Json given = Json::object();
    for (const study::Parameter& parameter : study::engineNamed(study.engine).parameters()) {
        const auto found = document.at("parameters").find(std::string(parameter.name));
        if (found != document.at("parameters").end() && *found != study::defaultOf(parameter))
            given[std::string(parameter.name)] = *found;
    }
    document["parameters"] = given;
    return document;
}

}  // namespace tessera::ui
