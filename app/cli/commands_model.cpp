#include <fmt/format.h>

#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/command.h"
#include "app/cli/completion.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/draw/table.h"
#include "core/model/model.h"
#include "core/model/readers/readers.h"
#include "core/model/writers/writers.h"
#include "core/model/zoo/zoo.h"
#include "core/study/model_summary.h"
#include "core/study/result.h"

namespace tessera::cli {

namespace {

constexpr std::int64_t kLargestBatch = std::numeric_limits<std::int32_t>::max();

/// MODEL and what binds its free dimensions.
struct ModelChoice {
    std::string model;
    std::string batch;
    std::vector<std::string> dimensions;

    model::LoadOptions options() const {
        model::LoadOptions result;
        if (!batch.empty()) result.batch = wholeOf("--batch", batch, 1, kLargestBatch);
        result.dimensions = dimensionsOf(dimensions);
        return result;
    }
};

void addModel(CLI::App& app, ModelChoice& choice) {
    addText(app, "MODEL", choice.model, "",
            fmt::format("a file ({}), '-' for standard input, or zoo:NAME", fmt::join(model::modelSuffixes(), ", ")))
        ->required();
    addTexts(app, "--dim", choice.dimensions, "NAME=N", "binds a symbolic dimension; may be repeated");
}

std::string count(const std::optional<std::int64_t>& value) {
    return value ? formatCount(*value) : "not known: a shape is not bound";
}

std::string tensorText(const model::Tensor& tensor) {
    const std::string type =
        tensor.type == model::DataType::undefined ? "" : fmt::format(" {}", model::nameOf(tensor.type));
    return fmt::format("{} {}{}", escaped(tensor.name), model::toText(tensor.shape), type);
}

std::string summaryText(const study::ModelSummary& summary) {
    const model::Summary& counts = summary.counts;
    report::Table table;
    table.columns = {{"count"}, {"value", true}};
    table.rows = {{"parameters", count(counts.parameters)},
                  {"MACs", count(counts.macs)},
                  {"FLOPs of matrix operators", count(counts.flopsMatrix)},
                  {"FLOPs of other operators", count(counts.flopsVector)},
                  {"activation elements", count(counts.activationElements)},
                  {"operators", count(counts.operators)},
                  {"weighted layers", count(counts.weightedLayers)}};
    std::string text =
        fmt::format("{} ({}), batch {}\n\n", escaped(summary.model.name), escaped(summary.model.source), counts.batch);
    text += report::toText(table);
    for (const model::Tensor& tensor : counts.inputs) text += "\ninput   " + tensorText(tensor);
    for (const model::Tensor& tensor : counts.outputs) text += "\noutput  " + tensorText(tensor);
    text += "\n";
    for (const std::string& note : counts.notes) text += "\n" + escaped(note, 1024) + "\n";
    return text;
}

std::string bytesText(const std::optional<double>& bytes) {
    return bytes ? formatQuantity(*bytes, Measure::bytes) : count(std::nullopt);
}

std::string trainingText(const model::TrainingCounts& training) {
    report::Table phases;
    phases.columns = {{"training step"},
                      {"operators", true},
                      {"FLOPs of matrix operators", true},
                      {"FLOPs of other operators", true}};
    for (std::size_t i = 0; i < model::kPhases; ++i) {
        const model::PhaseCounts& phase = training.phases.at(i);
        phases.rows.push_back({std::string(model::nameOf(static_cast<model::Phase>(i))), count(phase.operators),
                               count(phase.flopsMatrix), count(phase.flopsVector)});
    }
    report::Table memory;
    memory.columns = {{"memory of training"}, {"value", true}};
    memory.rows = {{"parameters", bytesText(training.parameterBytes)},
                   {"their gradients", bytesText(training.gradientBytes)},
                   {fmt::format("state of {}", model::optimizerKind(training.optimizer).title),
                    bytesText(training.optimizerBytes)},
                   {"activations that the backward pass reads", bytesText(training.storedBytes)}};
    return "\n" + report::toText(phases) + "\n" + report::toText(memory) + "\n" + std::string(model::kNoLoss) + "\n";
}

std::string mapText(const model::Map& map) {
    return fmt::format("{}x{}", map.height, map.width);
}

void printLayers(const Console& console, const model::LayerGraph& layers, double batch) {
    report::Table table;
    table.columns = {{"layer"},
                     {"kind"},
                     {"in", true},
                     {"out", true},
                     {"in map", true},
                     {"out map", true},
                     {"kernel", true},
                     {"groups", true},
                     {"parameters", true},
                     {"MACs", true},
                     {"activations", true}};
    const auto row = [&](std::size_t i) -> std::vector<std::string> {
        const model::Layer& layer = layers.layers[i];
        return {layer.name,
                std::string(model::nameOf(layer.kind)),
                formatCount(layer.inChannels),
                formatCount(layer.outChannels),
                mapText(layer.in),
                mapText(layer.out),
                mapText(layer.kernel),
                formatCount(layer.groups),
                formatCount(layer.parameters),
                formatCount(model::macsPerSample(layer) * batch),
                formatCount(layer.activations * batch)};
    };
    console.print("\n");
    report::writeText(table, layers.layers.size(), row, [&](std::string_view piece) { console.print(piece); });
}

struct Conversion {
    ModelChoice choice;
    std::string format;
    std::string file;
};

void convert(Context& context, const Conversion& conversion) {
    const model::Writer& writer = model::writerNamed(conversion.format);
    const model::Model model = model::loadModel(conversion.choice.model, conversion.choice.options());
    const model::Converted converted = writer.write(model);
    std::vector<std::string> warnings = model.warnings;
    study::addOnce(warnings, converted.warnings);
    context.console.showWarnings(warnings);
    writeOut(context, conversion.file, converted.text,
             fmt::format("{}: {} as {}\n", escaped(conversion.file), escaped(model.name), writer.title));
    if (!context.common.json) return;
    Json json = study::documentHead("tessera.conversion/1", "model convert", {{model.source, model.sha256}});
    json["name"] = model.name;
    json["format"] = writer.id;
    json["file"] = conversion.file;
    json["file_bytes"] = converted.text.size();
    json["sha256"] = sha256(converted.text);
    study::finishDocument(json, {}, warnings);
    context.console.printJson(json);
}

void inspect(Context& context, const ModelChoice& choice, bool withLayers, bool withTraining) {
    const study::ModelSummary summary = study::summariseModel(choice.model, choice.options(), withTraining);
    const auto* layers = withLayers ? std::get_if<model::LayerGraph>(&summary.model.form) : nullptr;
    std::optional<model::LayerGraph> extracted;
    if (withLayers && layers == nullptr) layers = &extracted.emplace(model::layerGraph(summary.model));
    std::vector<std::string> warnings = summary.model.warnings;
    study::addOnce(warnings, summary.trainingWarnings);
    context.console.showWarnings(warnings);
    if (context.common.json) {
        study::writeText(summary, layers, [&](std::string_view piece) { context.console.print(piece); });
        return;
    }
    std::string text = summaryText(summary);
    if (summary.training) text += trainingText(*summary.training);
    context.console.print(text);
    if (layers != nullptr) printLayers(context.console, *layers, static_cast<double>(summary.counts.batch));
}

/// What `--dim` may choose, with its default and its largest value.
Json dimensionsJson(const model::ZooEntry& entry) {
    Json list = Json::array();
    for (const model::ZooDimension& row : entry.dimensions) {
        Json& of = list.emplace_back(
            Json{{"name", row.name}, {"meaning", row.meaning}, {"default", row.value}, {"most", row.max}});
        if (row.min != 1) of["least"] = row.min;
        if (!row.follows.empty()) of["follows"] = row.follows;
    }
    return list;
}

/// As many dimensions as a column of the list shows.
constexpr std::size_t kShownDimensions = 3;

/// "sequence=1024 tensor_parallel=1".
std::string dimensionsText(const model::ZooEntry& entry) {
    std::vector<std::string> texts;
    for (const model::ZooDimension& row : entry.dimensions)
        if (texts.size() < kShownDimensions) texts.push_back(row.name + "=" + std::to_string(row.value));
    if (entry.dimensions.size() > kShownDimensions) texts.emplace_back("…");
    return joined(texts, " ");
}

/// With the names of all dimensions where the column for them has no room.
std::string descriptionText(const model::ZooEntry& entry) {
    if (entry.dimensions.size() <= kShownDimensions) return entry.description;
    std::vector<std::string> names;
    for (const model::ZooDimension& row : entry.dimensions) names.push_back(row.name);
    return entry.description + " Dimensions: " + joined(names, ", ") + ".";
}

}  // namespace

Action addModelList(CLI::App&) {
    return [](Context& context) {
        if (!context.common.json) {
            report::Table table;
            table.columns = {{"model"}, {"title"}, {"family"}, {"dimensions"}, {"description"}};
            for (const model::ZooEntry& entry : model::zooEntries())
                table.rows.push_back(
                    {"zoo:" + entry.id, entry.title, entry.family, dimensionsText(entry), descriptionText(entry)});
            context.console.print(report::toText(table));
            return;
        }
        Json json = study::documentHead("tessera.model-list/1", "model list", {});
        Json& models = json["models"] = Json::array();
        for (const model::ZooEntry& entry : model::zooEntries())
            models.push_back({{"id", entry.id},
                              {"model", "zoo:" + entry.id},
                              {"title", entry.title},
                              {"family", entry.family},
                              {"description", entry.description},
                              {"source", entry.source},
                              {"dimensions", dimensionsJson(entry)}});
        study::finishDocument(json, {}, {});
        context.console.printJson(json);
    };
}

Action addModelInspect(CLI::App& app) {
    struct Options {
        ModelChoice choice;
        bool layers = false;
        bool training = false;
    };
    const auto options = std::make_shared<Options>();
    addModel(app, options->choice);
    addText(app, "--batch", options->choice.batch, "N", "samples; binds dimension 0 of the inputs (default 1)");
    app.add_flag("--layers", options->layers, "a row per weighted layer and join");
    app.add_flag("--training", options->training,
                 "one step of training with Adam: work of its forward pass, backward pass and update, and memory");
    return [options](Context& context) { inspect(context, options->choice, options->layers, options->training); };
}

Action addModelConvert(CLI::App& app) {
    const auto conversion = std::make_shared<Conversion>();
    addModel(app, conversion->choice);
    std::vector<std::string_view> formats;
    for (const model::Writer& writer : model::writers()) formats.push_back(writer.id);
    offer(
        addText(app, "--to", conversion->format, "FORMAT",
                fmt::format("one of {}; Tessera reads back all but layers-csv, dot and svg", fmt::join(formats, ", ")))
            ->required(),
        formats);
    addOut(app, conversion->file, "where it is written")->required();
    return [conversion](Context& context) { convert(context, *conversion); };
}

}  // namespace tessera::cli
