#include <memory>
#include <string>

#include "app/cli/command.h"
#include "app/cli/completion.h"
#include "app/cli/recording.h"
#include "app/cli/study_options.h"
#include "core/cost/dataflow.h"
#include "core/study/cost/study.h"

namespace tessera::cli {

Action addCost(CLI::App& app) {
    struct Options {
        std::string jobs;
        ParameterTexts parameters;
    };
    const auto options = std::make_shared<Options>();
    addInput(app, "--jobs", options->jobs, "FILE", "layers, as an M3E job table (CSV); a workload or a model, too")
        ->required();
    addParameters(app, study::costParameters(), options->parameters);
    offer(app.get_option("--dataflow"), cost::bundledDataflowNames());
    return [options](Context& context) {
        study::Study study = study::newStudy("cost");
        study.workloads = {options->jobs};
        setParameters(study, options->parameters);
        show(context, runRecorded(context, study));
    };
}

}  // namespace tessera::cli
