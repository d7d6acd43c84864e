#pragma once

#include <string_view>

namespace tessera::model {

/// Prefix of the names of networks of the zoo, wherever a model is named: "zoo:resnet50".
inline constexpr std::string_view kZooPrefix = "zoo:";

/// True if a model's name is that of a network of the zoo, not of a file.
inline constexpr bool isZooName(std::string_view name) {
    return name.starts_with(kZooPrefix);
}

}  // namespace tessera::model
