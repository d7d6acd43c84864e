#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/command.h"
#include "app/cli/completion.h"
#include "app/cli/recording.h"
#include "app/cli/study_options.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/study/prediction/study.h"

namespace tessera::cli {

namespace {

struct PredictArguments {
    std::string model, seed = "1";
    std::vector<std::string> accelerators, dimensions;
    ParameterTexts parameters;
};

}  // namespace

Action addPredict(CLI::App& app) {
    const auto options = std::make_shared<PredictArguments>();
    addText(app, "--model", options->model, "MODEL", "a file (.onnx, .json) or zoo:NAME")->required();
    addTexts(app, "--accelerator", options->accelerators, "A[,A...]",
             "files, or names of 'tessera hardware list --kind accelerator'; may be repeated")
        ->required();
    addTexts(app, "--dim", options->dimensions, "NAME=N", "binds a symbolic dimension; may be repeated");
    addParameters(app, study::predictionParameters(), options->parameters);
    offer(app.get_option("--reference"), {"@accelerators"});
    addText(app, "--seed", options->seed, "N", "seed of the Monte-Carlo ranking probabilities (default 1)");
    return [options](Context& context) {
        study::Study study = study::newStudy("predict");
        study.models = {options->model};
        study.hardware = namesIn("--accelerator", options->accelerators);
        study.dimensions = dimensionsOf(options->dimensions);
        study.seed = static_cast<std::uint64_t>(wholeOf("--seed", options->seed, 0, kMaxSeed));
        setParameters(study, options->parameters);
        show(context, runRecorded(context, study));
    };
}

}  // namespace tessera::cli
