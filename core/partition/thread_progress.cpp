#include "core/partition/thread_progress.h"

#include <string_view>
#include <utility>

namespace tessera::partition {

namespace {

constexpr std::string_view kSearch = "the partition search";

}  // namespace

ThreadProgress::ThreadProgress(SharedProgress& shared, std::string task, std::string owner, bool mayAbandon)
    : shared_(&shared), task_(std::move(task)), owner_(std::move(owner)), mayAbandon_(mayAbandon) {}

void ThreadProgress::poll() {
    if (shared_ == nullptr) return;
    shared_->control.throwIfCancelled(kSearch);
    if (mayAbandon_ && shared_->plans > 0 && sinceFinish() > kTooLate) throw StrategySkipped{};
    if (!shared_->control.isWatched() || !reports_.isDue()) return;
    report({.kind = ProgressEvent::Kind::progress});
    reports_.noteDone();
    shared_->control.throwIfCancelled(kSearch);
}

bool ThreadProgress::finishing() const {
    return shared_ != nullptr && shared_->control.finishing();
}

std::chrono::nanoseconds ThreadProgress::sinceFinish() const {
    if (!finishing()) return std::chrono::nanoseconds{0};
    const std::int64_t now = std::chrono::steady_clock::now().time_since_epoch().count();
    std::int64_t seen = 0;
    if (shared_->finishSeen.compare_exchange_strong(seen, now)) return std::chrono::nanoseconds{0};
    return std::chrono::nanoseconds{now - seen};
}

void ThreadProgress::point(std::string quantity, CurveRole role, double x, double y) {
    if (shared_ == nullptr || !shared_->control.isWatched()) return;
    report({.kind = ProgressEvent::Kind::point, .curve = {owner_, std::move(quantity), role}, .x = x, .y = y});
}

void ThreadProgress::incumbent(std::string quantity, CurveRole role, double x, double y, std::string text) {
    if (shared_ == nullptr || !shared_->control.isWatched()) return;
    report({.kind = ProgressEvent::Kind::incumbent,
            .curve = {owner_, std::move(quantity), role},
            .x = x,
            .y = y,
            .text = std::move(text)});
}

void ThreadProgress::report(ProgressEvent event) {
    event.task = task_;
    event.done = shared_->done;
    event.total = shared_->total;
    shared_->control.report(event);
}

}  // namespace tessera::partition
