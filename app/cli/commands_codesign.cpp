#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/command.h"
#include "app/cli/recording.h"
#include "app/cli/study_options.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/study/codesign/study.h"

namespace tessera::cli {

namespace {

struct CodesignArguments {
    std::vector<std::string> models;
    std::string space = "phaze";
    std::string seed = "1";
    std::vector<std::string> dimensions;
    ParameterTexts parameters;
};

}  // namespace

Action addCodesign(CLI::App& app) {
    const auto options = std::make_shared<CodesignArguments>();
    addTexts(app, "--model", options->models, "MODEL", "a model's file or zoo:NAME; several separated by commas");
    addText(app, "--template", options->space, "TEMPLATE",
            "a template's file, or a name of 'tessera hardware list --kind template' (default phaze)");
    addTexts(app, "--dim", options->dimensions, "NAME=N", "binds a symbolic dimension; may be repeated");
    addParameters(app, study::codesignParameters(), options->parameters);
    addText(app, "--seed", options->seed, "N", "seed of a random search (default 1)");
    return [options](Context& context) {
        study::Study study = study::newStudy("codesign");
        for (const std::string& list : options->models)
            for (const std::string_view name : split(list, ',')) study.models.emplace_back(name);
        if (study.models.empty()) throw UsageError("option --model is missing");
        study.hardware = {options->space};
        study.dimensions = dimensionsOf(options->dimensions);
        study.seed = static_cast<std::uint64_t>(wholeOf("--seed", options->seed, 0, kMaxSeed));
        setParameters(study, options->parameters);
        show(context, runRecorded(context, study));
    };
}

}  // namespace tessera::cli
