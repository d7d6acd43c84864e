#include <memory>
#include <string>

#include "app/cli/command.h"
#include "app/cli/completion.h"
#include "app/cli/recording.h"
#include "app/cli/study_options.h"
#include "core/base/error.h"
#include "core/study/schedule/study.h"

namespace tessera::cli {

Action addSchedule(CLI::App& app) {
    struct Options {
        std::string operators;
        ParameterTexts parameters;
    };
    const auto options = std::make_shared<Options>();
    offer(addInput(app, "--operators", options->operators, "FILE",
                   "operators with latencies and edges, or a bundled list")
              ->required(),
          {"@operators"});
    addParameters(app, study::scheduleParameters(), options->parameters);
    return [options](Context& context) {
        study::Study study = study::newStudy("schedule");
        study.workloads = {options->operators};
        setParameters(study, options->parameters);
        context.keepsBest = true;
        const study::Result result = runRecorded(context, study);
        show(context, result);
        if (result.outcome.get<study::ScheduleOutcome>().result.ended == EndedBy::stop)
            throw InterruptedError("the scheduling was stopped; the best schedule so far is printed");
    };
}

}  // namespace tessera::cli
