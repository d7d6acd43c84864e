#include "core/study/layered_network.h"

#include <fmt/format.h>

#include <memory>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/physical/device.h"
#include "core/physical/network_model.h"
#include "core/physical/software.h"

namespace tessera::study {

std::shared_ptr<const model::Model> loadedNetwork(const std::string& place,
                                                  std::map<std::string, std::int64_t> dimensions) {
    // What does not grow is the same of one sample and of several.
    constexpr std::int64_t kSeveral = 2;
    return model::sharedModel(place, {.batch = kSeveral, .dimensions = std::move(dimensions)});
}

LayeredNetwork layeredNetwork(const model::Model& model, const hardware::Group& group,
                              const plan::NetworkTraining& training) {
    if (model.graph() == nullptr)
        throw UsageError(
            fmt::format("the model {} is a table of layers; expected a model with operators, which are "
                        "what the costs of layers follow from",
                        inQuotes(training.model)));
    const physical::SoftwareStack* stack = physical::softwareStackOf(training.software);
    LayeredNetwork made{.layers = plan::networkLayers(*model.graph(), group, training),
                        .software = stack == nullptr ? std::string_view("fused") : std::string_view(stack->id),
                        .assumptions = {}};
    if (physical::networkMachineOf(physical::deviceOf(group.accelerator)) != physical::NetworkMachine::gpu)
        made.software = "tuned";
    made.assumptions = {
        "Layers are the blocks of the graph and the operators with weights between them; one accelerator holds a whole "
        "layer, and those of a stage run one after the other.",
        "Of the reduction of gradients the share is exposed that was fitted to measured runs. Hosts prepare samples "
        "fast enough; libraries take no memory for themselves.",
        "Messages between stages are as large as the largest tensor between two layers."};
    return made;
}

const hardware::Group& onlyGroupOf(const hardware::Fleet& fleet, const std::string& name, const std::string& others) {
    if (fleet.groups.size() == 1) return fleet.groups.front();
    throw UsageError(fmt::format("the fleet {} has {} groups of accelerators; expected one of equal accelerators ({})",
                                 inQuotes(name), fleet.groups.size(), others));
}

}  // namespace tessera::study
