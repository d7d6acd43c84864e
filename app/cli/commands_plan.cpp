#include <memory>
#include <string>
#include <vector>

#include "app/cli/command.h"
#include "app/cli/recording.h"
#include "app/cli/study_options.h"
#include "core/study/plan/study.h"

namespace tessera::cli {

Action addPlan(CLI::App& app) {
    struct Options {
        std::string model;
        std::vector<std::string> fleets, dimensions;
        ParameterTexts parameters;
    };
    const auto options = std::make_shared<Options>();
    addText(app, "--model", options->model, "MODEL", "a transformer: zoo:NAME, or a config.json")->required();
    addTexts(app, "--fleet", options->fleets, "FLEET[,FLEET...]",
             "files, or names of 'tessera hardware list --kind fleet'; of several the best one is planned")
        ->required();
    addTexts(app, "--dim", options->dimensions, "NAME=N", "a size of the model; may be repeated");
    addParameters(app, study::planParameters(), options->parameters);
    return [options](Context& context) {
        study::Study study = study::newStudy("plan");
        study.models = {options->model};
        study.hardware = namesIn("--fleet", options->fleets);
        study.dimensions = dimensionsOf(options->dimensions);
        setParameters(study, options->parameters);
        context.keepsBest = true;
        show(context, runRecorded(context, study));
    };
}

}  // namespace tessera::cli
