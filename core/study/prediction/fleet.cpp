#include "core/study/prediction/fleet.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/input_files.h"
#include "core/base/text.h"
#include "core/hardware/fleet.h"
#include "core/hardware/library.h"
#include "core/physical/device.h"
#include "core/physical/topology.h"
#include "core/physical/training_predictor.h"
#include "core/study/accelerator_beside.h"
#include "core/study/prediction/outcome.h"
#include "core/study/prediction/study.h"

namespace tessera::study {

namespace {

const predict::Prediction& predictionNamed(const PredictionOutcome& outcome, const std::string& name) {
    for (const predict::Prediction& each : outcome.predictions)
        if (nameOf(each) == name) return each;
    throw UsageError(fmt::format("the result has no prediction {}", inQuotes(name)));
}

/// The accelerator of a prediction, and the name by which its study knows it.
std::pair<hardware::Accelerator, std::string> acceleratorOf(const Study& study, const predict::Prediction& of) {
    for (const std::string& name : study.hardware) {
        hardware::Accelerator its = hardware::loadAccelerator(placeOfInput(name));
        if ((its.id.empty() ? its.name : its.id) == of.accelerator) return {std::move(its), name};
    }
    throw UsageError(fmt::format("the study of the run names no accelerator {}", inQuotes(of.accelerator)));
}

}  // namespace

std::vector<std::pair<std::filesystem::path, std::string>> predictedFleetFiles(const Result& result,
                                                                               const std::string& prediction,
                                                                               const std::filesystem::path& out) {
    const predict::Prediction& of = predictionNamed(result.outcome.get<PredictionOutcome>(), prediction);
    auto [accelerator, name] = acceleratorOf(result.study, of);
    hardware::Group group;
    group.name = of.accelerator;
    group.count = of.devices;
    group.levels = physical::levelsOf(accelerator, of.devices);
    // Nodes are joined at the rate that the prediction takes.
    if (const double rate = physical::networkRateOf(physical::deviceOf(accelerator));
        group.levels.size() > 1 && rate > 0)
        group.levels.back().bandwidth = BytesPerSecond{rate};
    if (of.devices == 1) group.levels.clear();
    hardware::Fleet fleet;
    fleet.name = fmt::format("{} × {}", of.devices, accelerator.name);
    AcceleratorBeside beside = acceleratorBeside(std::move(accelerator), placeOfInput(name), out);
    group.accelerator = std::move(beside.accelerator);
    group.reference = std::move(beside.reference);
    fleet.groups.push_back(std::move(group));
    fleet.file = out.string();
    beside.files.insert(beside.files.begin(), {out, toText(hardware::toJson(fleet))});
    return std::move(beside.files);
}

}  // namespace tessera::study
