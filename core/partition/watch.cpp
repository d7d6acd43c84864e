#include "core/partition/watch.h"

#include <utility>

#include "core/base/error.h"

namespace tessera::partition {

Watch::Watch(Watched& shared, std::string task, std::string owner, bool mayLeave)
    : shared_(&shared), task_(std::move(task)), owner_(std::move(owner)), mayLeave_(mayLeave) {}

void Watch::poll() {
    if (shared_ == nullptr) return;
    if (shared_->cancel.stop_requested()) throw InterruptedError("the partition search was stopped");
    if (mayLeave_ && shared_->plans > 0 && sinceFinish() > kTooLate) throw LeftOut{};
    if (!shared_->sink) return;
    const Clock::time_point now = Clock::now();
    if (now - told_ < kBeat) return;
    tell({.kind = ProgressEvent::Kind::progress});
    told_ = Clock::now();
    if (shared_->cancel.stop_requested()) throw InterruptedError("the partition search was stopped");
}

bool Watch::finishing() const {
    return shared_ != nullptr && shared_->finish.stop_requested();
}

std::chrono::nanoseconds Watch::sinceFinish() const {
    if (!finishing()) return std::chrono::nanoseconds{0};
    const std::int64_t now = Clock::now().time_since_epoch().count();
    std::int64_t seen = 0;
    if (shared_->finishSeen.compare_exchange_strong(seen, now)) return std::chrono::nanoseconds{0};
    return std::chrono::nanoseconds{now - seen};
}

void Watch::point(const std::string& what, double x, double y) {
    if (shared_ == nullptr || !shared_->sink) return;
    tell({.kind = ProgressEvent::Kind::point, .series = owner_ + ": " + what, .x = x, .y = y});
}

void Watch::incumbent(const std::string& what, double x, double y, std::string text) {
    if (shared_ == nullptr || !shared_->sink) return;
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
    shared_->sink(event);
}

}  // namespace tessera::partition
