#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/command.h"
#include "app/cli/completion.h"
#include "app/cli/recording.h"
#include "app/cli/study_options.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/study/placement/study.h"

namespace tessera::cli {

namespace {

struct PlaceArguments {
    std::string layers, model, fleet;
    std::vector<std::string> dimensions;
    ParameterTexts parameters;
};

/// Layers come from a file with their costs, or from a model on a fleet.
void setPlaced(study::Study& study, const PlaceArguments& options) {
    const bool isModel = !options.model.empty() || !options.fleet.empty();
    if (options.layers.empty() != isModel) throw UsageError("expected --layers with a file, or --model and --fleet");
    if (!isModel) {
        if (!options.dimensions.empty()) throw UsageError("option --dim is a size of a model, which --model names");
        study.workloads = {options.layers};
        return;
    }
    if (options.model.empty()) throw UsageError("option --model is missing beside --fleet");
    if (options.fleet.empty()) throw UsageError("option --fleet is missing beside --model");
    study.models = {options.model};
    study.hardware = {options.fleet};
    study.dimensions = dimensionsOf(options.dimensions);
}

}  // namespace

Action addPlace(CLI::App& app) {
    const auto options = std::make_shared<PlaceArguments>();
    offer(
        addInput(app, "--layers", options->layers, "FILE", "layers with their costs, and on what to place them (JSON)"),
        {"@placements"});
    addText(app, "--model", options->model, "MODEL",
            "a model, instead of layers: zoo:NAME or a file; its costs are those of the physical model");
    addText(app, "--fleet", options->fleet, "FLEET",
            "a file, or a name of 'tessera hardware list --kind fleet': equal accelerators for the model");
    addTexts(app, "--dim", options->dimensions, "NAME=N", "a size of the model; may be repeated");
    addParameters(app, study::placementParameters(), options->parameters);
    return [options](Context& context) {
        study::Study study = study::newStudy("place");
        setPlaced(study, *options);
        // A file may follow either option.
        std::vector<std::string>&plan = options->parameters.texts["plan"],
        &file = options->parameters.texts["plan_file"];
        if (!plan.empty() && namesFile(plan.back())) file = std::exchange(plan, {});
        const std::vector<std::string> whole = std::exchange(file, {});
        setParameters(study, options->parameters);
        // Read against the layers here, so that an error names the file and its line.
        if (!whole.empty()) study.parameters["plan_file"] = study::planIn(whole.back(), study);
        show(context, runRecorded(context, study));
    };
}

}  // namespace tessera::cli
