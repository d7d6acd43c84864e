#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/command.h"
#include "app/cli/recording.h"
#include "app/cli/study_options.h"
#include "core/study/calibrate/study.h"

namespace tessera::cli {

Action addCalibrate(CLI::App& app) {
    struct Options {
        std::string out, model;
        std::vector<std::string> dimensions;
        ParameterTexts parameters;
    };
    const auto options = std::make_shared<Options>();
    addFile(app, kOut, options->out, "FILE",
            "the accelerator's file, with its kernels beside it (default this-machine, in your own hardware)");
    addText(app, "--for", options->model, "MODEL", "first measures the operators of training this model");
    addTexts(app, "--dim", options->dimensions, "NAME=N", "binds a symbolic dimension; may be repeated");
    std::vector<study::Parameter> rows = study::calibrationParameters();
    std::erase_if(rows, [](const study::Parameter& row) { return row.option == "--threads"; });  // every command's own
    addParameters(app, rows, options->parameters);
    return [options](Context& context) {
        study::Study study = study::newStudy("calibrate");
        if (!options->model.empty()) study.models = {options->model};
        study.dimensions = dimensionsOf(options->dimensions);
        setParameters(study, options->parameters);
        study::setParameter(study, "threads", {std::to_string(context.threads)});
        const calibrate::Files files =
            options->out.empty() ? calibrate::filesInLibrary() : calibrate::filesAt(options->out);
        calibrate::makeFolders(files);  // before the work
        study::Result result = runRecorded(context, study);
        auto& outcome = result.outcome.get<study::CalibrationOutcome>();
        calibrate::write(outcome.made, files);
        outcome.files = files;
        show(context, result);
    };
}

}  // namespace tessera::cli
