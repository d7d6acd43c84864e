#include "core/partition/watch.h"

#include <string_view>
#include <utility>

namespace tessera::partition {

namespace {

constexpr std::string_view kSearch = "the partition search";

}  // namespace

Watch::Watch(Watched& shared, std::string task, std::string owner, bool mayLeave)
    : shared_(&shared), task_(std::move(task)), owner_(std::move(owner)), mayLeave_(mayLeave) {}

void Watch::poll() {
    if (shared_ == nullptr) return;
    shared_->control.throwIfCancelled(kSearch);
    if (mayLeave_ && shared_->plans > 0 && sinceFinish() > kTooLate) throw LeftOut{};
    if (!shared_->control.isWatched()) return;
    const Clock::time_point now = Clock::now();
    if (now - told_ < kReportInterval) return;
    tell({.kind = ProgressEvent::Kind::progress});
    told_ = Clock::now();
    shared_->control.throwIfCancelled(kSearch);
}

bool Watch::finishing() const {
    return shared_ != nullptr && shared_->control.finishing();
}

std::chrono::nanoseconds Watch::sinceFinish() const {
    if (!finishing()) return std::chrono::nanoseconds{0};
    const std::int64_t now = Clock::now().time_since_epoch().count();
    std::int64_t seen = 0;
    if (shared_->finishSeen.compare_exchange_strong(seen, now)) return std::chrono::nanoseconds{0};
    return std::chrono::nanoseconds{now - seen};
}

void Watch::point(const std::string& what, double x, double y) {
    if (shared_ == nullptr || !shared_->control.isWatched()) return;
    tell({.kind = ProgressEvent::Kind::point, .series = owner_ + ": " + what, .x = x, .y = y});
}

void Watch::incumbent(const std::string& what, double x, double y, std::string text) {
    if (shared_ == nullptr || !shared_->control.isWatched()) return;
    tell({.kind = ProgressEvent::Kind::incumbent,
          .series = owner_ + ": " + what,
          .x = x,
          .y = y,
          .text = std::move(text)});
}

void Watch::tell(ProgressEvent event) {
    event.task = task_;
    event.done = shared_->done;
    event.total = shared_->total;
    shared_->control.report(event);
}

}  // namespace tessera::partition
