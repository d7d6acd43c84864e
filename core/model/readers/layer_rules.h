#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/model/layers.h"

namespace tessera::model {

inline constexpr std::size_t kMaxLayers = 1'000'000;

/// Throws DataError where a tensor of the layer has more than 2^53 elements.
void checkSizes(const Layer& layer, const Place& place);

/// The name for a network whose file gives none: the file's name without folder and suffix.
std::string nameOfFile(const std::string& file);

/// Collects the rows of a table that has no edges into a chain in file order, and says so in `assumptions`.
class ChainBuilder {
public:
    explicit ChainBuilder(std::string file);

    /// Adds a layer; a name that is taken gets " (2)" and so on. Throws DataError for sizes and for too many layers.
    void add(Layer layer, const Place& place);
    void assume(const std::string& sentence);
    /// Throws DataError where the table holds no layer.
    LayerGraph finish() &&;

private:
    std::string uniqueName(const std::string& wanted);

    std::string file_;
    LayerGraph graph_;
    std::set<std::string> names_;
    std::map<std::string, std::size_t> repeated_;  ///< the last number given to a repeated name
};

}  // namespace tessera::model
