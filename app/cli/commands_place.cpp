#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "app/cli/command.h"
#include "app/cli/recording.h"
#include "app/cli/study_options.h"
#include "core/base/file.h"
#include "core/study/placement/study.h"

namespace tessera::cli {

Action addPlace(CLI::App& app) {
    struct Options {
        std::string layers;
        ParameterTexts parameters;
    };
    const auto options = std::make_shared<Options>();
    addInput(app, "--layers", options->layers, "FILE", "layers with their costs, and on what to place them (JSON)")
        ->required();
    addParameters(app, study::placementParameters(), options->parameters);
    return [options](Context& context) {
        study::Study study = study::newStudy("place");
        study.workloads = {options->layers};
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
