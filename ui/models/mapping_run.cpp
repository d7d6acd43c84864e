#include "ui/models/mapping_run.h"

#include <variant>

#include "core/base/number.h"
#include "core/study/mapping/fields.h"
#include "core/study/mapping/metrics.h"
#include "core/study/metric.h"
#include "ui/models/partition_run.h"
#include "ui/models/table_columns.h"
#include "ui/models/text.h"

namespace tessera::ui {

namespace {

QString nameAt(const std::vector<std::string>& names, int index) {
    return index >= 0 && toIndex(index) < names.size() ? shownText(names[toIndex(index)]) : QString();
}

}  // namespace

const mapping::Run& MappingRun::run(int index) const {
    return outcome().result.runs.at(toIndex(index));
}

int MappingRun::runCount() const {
    return isEmpty() ? 0 : static_cast<int>(outcome().result.runs.size());
}

int MappingRun::bestRun() const {
    const mapping::Run* const best = study::bestRun(outcome());
    return best == nullptr ? 0 : static_cast<int>(best - outcome().result.runs.data());
}

QString MappingRun::algorithm(int run) const {
    return shownText(this->run(run).algorithm);
}

int MappingRun::jobCount() const {
    return static_cast<int>(problem().jobs.size());
}

int MappingRun::coreCount() const {
    return static_cast<int>(problem().cores.size());
}

QString MappingRun::algorithmTitle(int run) const {
    const mapping::Algorithm* const row = mapping::findAlgorithm(this->run(run).algorithm);
    return row == nullptr ? algorithm(run) : toQt(row->title);
}

QString MappingRun::algorithmHelp(int run) const {
    const mapping::Algorithm* const row = mapping::findAlgorithm(this->run(run).algorithm);
    return row == nullptr ? QString() : toQt(row->description);
}

QString MappingRun::jobName(int job) const {
    return nameAt(problem().jobs, job);
}

QString MappingRun::coreName(int core) const {
    return nameAt(problem().cores, core);
}

QString MappingRun::time(double cycles) const {
    return toQt(study::cyclesText(problem(), cycles));
}

QString MappingRun::bandwidth(double bytesPerCycle) const {
    return toQt(study::bandwidthText(problem(), bytesPerCycle));
}

}  // namespace tessera::ui
