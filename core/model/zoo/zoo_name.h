#pragma once

#include <string_view>

namespace tessera::model {

/// What the name of a network of the zoo begins with, wherever a model is named: "zoo:resnet50".
inline constexpr std::string_view kZooPrefix = "zoo:";

/// Whether a model's name is that of a network of the zoo, and not of a file.
inline constexpr bool isZooName(std::string_view name) {
    return name.starts_with(kZooPrefix);
}

}  // namespace tessera::model
