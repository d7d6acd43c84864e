#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "core/codesign/schedule/operators.h"
#include "core/codesign/schedule/schedule.h"
#include "core/cost/tensor_core.h"

namespace tessera::codesign {

/// Schedules by operators, cores and states of the search. Only long searches are kept: looking up takes its time, too.
class ScheduleMemo {
public:
    static constexpr std::int64_t kMinStates = 10'000;

    static std::string keyOf(const OperatorGraph& graph, const Cores& cores, std::int64_t states);
    std::optional<ScheduleResult> find(const std::string& key) const;
    void add(const std::string& key, const ScheduleResult& result);

private:
    mutable std::mutex mutex_;
    std::unordered_map<std::string, ScheduleResult> cache_;
};

/// Intermediate results that several searches can share, since they depend on nothing else.
struct Memos {
    cost::TilingMemo tilings;
    ScheduleMemo schedules;
};

/// Process-wide cache; lives while a search or caller holds it, so that several searches share it. Never changes
/// results.
std::shared_ptr<Memos> sharedMemos();

}  // namespace tessera::codesign
