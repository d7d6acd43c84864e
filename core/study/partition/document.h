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

/// A plan's fields before its levels, and those after them.
Json planHead(const partition::Plan& plan);
Json planTail(const partition::Plan& plan);
/// A level's fields before its rows.
Json levelHead(const partition::LevelPlan& level);

/// The fields of a row of a level in their order, by `put(key, value)` with texts and numbers: rows are most of a
/// document, and a value of JSON for each of them would cost more than all the rest.
template <typename Put>
void putOther(const partition::LevelPlan& level, std::int32_t layer, bool intra, const Put& put) {
    const auto at = static_cast<std::size_t>(layer);
    if (at >= level.other.size()) return;
    if (intra) put("other_intra_s", level.other[at].intra.value);
    put("other_inter_s", level.other[at].inter.value);
}
template <typename Name, typename Put>
void putRow(const partition::LevelPlan& level, const partition::LayerPlan& row, const Name& name, const Put& put) {
    put("name", name);
    put("type", partition::nameOf(row.type));
    put("compute_s", row.compute.value);
    put("intra_s", row.intra.value);
    put("inter_s", row.inter.value);
    putOther(level, row.layer, true, put);
}
template <typename Name, typename Put>
void putRow(const partition::LevelPlan& level, const partition::JoinPlan& row, const Name& name, const Put& put) {
    put("name", name);
    put("layout", partition::nameOf(row.layout));
    put("compute_s", row.compute.value);
    put("inter_s", row.inter.value);
    putOther(level, row.layer, false, put);
}

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

/// A group's numbers, and back.
Json groupJson(const GroupNumbers& group);
GroupNumbers readGroup(const JsonNode& node);

/// Bytes of a name in a result: of an accelerator, a layer, a tensor.
inline constexpr std::size_t kLongestName = 1'000'000;

}  // namespace tessera::study
