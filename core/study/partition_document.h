#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "core/partition/partition.h"
#include "core/study/result.h"

/// How a plan stands in `tessera.partition-result/1` and in the checkpoints of a run: both ways, exactly.
namespace tessera::study {

/// A plan's fields before its levels, one level, and the fields after them. `names` are the layer graph's.
Json planHead(const partition::Plan& plan);
Json levelJson(const partition::LevelPlan& plan, const std::vector<std::string>& names);
Json planTail(const partition::Plan& plan);
/// The whole plan.
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

/// A group's numbers, and back.
Json groupJson(const GroupNumbers& group);
GroupNumbers readGroup(const JsonNode& node);

}  // namespace tessera::study
