#include "core/codesign/search/memos.h"

#include <cstring>

#include "core/base/sha256.h"

namespace tessera::codesign {

namespace {

template <typename Value>
void append(std::string& text, const Value& value) {
    char bytes[sizeof(Value)];
    std::memcpy(bytes, &value, sizeof(Value));
    text.append(bytes, sizeof(Value));
}

}  // namespace

std::string ScheduleMemo::keyOf(const OperatorGraph& graph, const Cores& cores, std::int64_t states) {
    std::string text;
    append(text, cores.tensor);
    append(text, cores.vector);
    append(text, states);
    append(text, graph.operators.size());
    for (const Operator& each : graph.operators) {
        append(text, each.kind);
        append(text, each.latency);
        append(text, each.allCoresLatency);
    }
    for (const auto& [from, to] : graph.edges) {
        append(text, from);
        append(text, to);
    }
    return sha256(text);
}

std::optional<ScheduleResult> ScheduleMemo::find(const std::string& key) const {
    const std::scoped_lock lock(mutex_);
    const auto found = cache_.find(key);
    return found == cache_.end() ? std::nullopt : std::optional(found->second);
}

void ScheduleMemo::add(const std::string& key, const ScheduleResult& result) {
    constexpr std::size_t kMaxKept = 10'000;  // some 100 MB
    const std::scoped_lock lock(mutex_);
    if (cache_.size() >= kMaxKept) cache_.clear();
    cache_.emplace(key, result);
}

std::shared_ptr<Memos> sharedMemos() {
    static std::mutex mutex;
    static std::weak_ptr<Memos> known;
    const std::scoped_lock lock(mutex);
    std::shared_ptr<Memos> memos = known.lock();
    if (memos == nullptr) known = memos = std::make_shared<Memos>();
    return memos;
}

}  // namespace tessera::codesign
