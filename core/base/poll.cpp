#include "core/base/poll.h"

#include <utility>

namespace tessera {

namespace {

constexpr std::size_t kOften = 1000;
thread_local PollScope* innermostPoll = nullptr;

}  // namespace

PollScope::PollScope(std::function<void()> ask) : ask_(std::move(ask)), outer_(innermostPoll) {
    innermostPoll = this;
}

PollScope::~PollScope() {
    innermostPoll = outer_;
}

void poll(std::size_t microseconds) {
    if (innermostPoll == nullptr) return;
    innermostPoll->spent_ += microseconds;
    if (innermostPoll->spent_ < kOften) return;
    innermostPoll->spent_ = 0;
    innermostPoll->ask_();
}

}  // namespace tessera
