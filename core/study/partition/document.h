#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "core/partition/partition.h"
#include "core/study/partition/outcome.h"
#include "core/study/result.h"

/// Reads and writes a plan in `tessera.partition-result/1` and in the checkpoints of a run; round trips are exact.
namespace tessera::study {

/// Writes `tessera.partition-result/1`.
void writePartitionJson(const Result& result, const TextSink& write);

/// The whole plan. `names` are the layer graph's.
Json planJson(const partition::Plan& plan, const std::vector<std::string>& names);

/// Finds layers by name while a plan is read.
class LayerNames {
public:
    explicit LayerNames(const std::vector<std::string>& names);

    std::size_t size() const { return names_->size(); }
    /// The index of the layer that a row is about: of several with its name the first after `after`. Throws DataError
    /// at the row's name where there is none.
    std::int32_t find(const JsonNode& name, std::int32_t after) const;

private:
    const std::vector<std::string>* names_;
    std::map<std::string_view, std::vector<std::int32_t>> indices_;
};

/// Reads what `planJson` wrote. Throws DataError.
partition::Plan readPlan(const JsonNode& node, const std::string& strategy, const LayerNames& names);

}  // namespace tessera::study
