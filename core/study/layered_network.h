#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/hardware/fleet.h"
#include "core/model/model.h"
#include "core/plan/network_layers.h"

namespace tessera::study {

/// The layers of a network on a group of accelerators, whose software counts as some stack, and what that assumes.
struct LayeredNetwork {
    plan::LayeredModel layers;
    std::string_view software;             ///< id of the stack or profile whose constants count
    std::vector<std::string> assumptions;  ///< sentences
};

/// A network of whose tensors it is seen which grow with the samples. Throws as model::sharedModel.
std::shared_ptr<const model::Model> loadedNetwork(const std::string& place,
                                                  std::map<std::string, std::int64_t> dimensions);

/// See plan::networkLayers; the accelerators are all of the group where `training` says none. Throws UsageError for a
/// table of layers, which has no operators.
LayeredNetwork layeredNetwork(const model::Model& model, const hardware::Group& group,
                              const plan::NetworkTraining& training);

/// The group whose accelerators are equal. Throws UsageError, which names the fleet and what takes several groups.
const hardware::Group& onlyGroupOf(const hardware::Fleet& fleet, const std::string& name, const std::string& others);

}  // namespace tessera::study
