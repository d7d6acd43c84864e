#include "core/store/recorder.h"

#include "core/study/metric.h"

namespace tessera::store {

Recorded runRecorded(const study::Study& study, study::RunHooks hooks, const RecordOptions& options) {
    Store store = Store::open(options.path);
    const RunId run = store.addRun(study);
    if (options.begun) options.begun(run);
    Recorded recorded{run, study::run(study, hooks)};
    store.finishRun(run, recorded.result, study::headline(recorded.result));
    return recorded;
}

std::vector<InputContent> inputContents(const study::Result& result) {
    static_cast<void>(result);
    return {};
}

std::function<std::string(const std::string&)> storedInputs(const Store& store, RunId run) {
    static_cast<void>(store);
    static_cast<void>(run);
    return {};
}

}  // namespace tessera::store
