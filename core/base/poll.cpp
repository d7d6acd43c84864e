#include "core/base/poll.h"

#include <utility>

namespace tessera {

namespace {

constexpr std::size_t kOften = 1000;
thread_local PollScope* innermost = nullptr;

}  // namespace

PollScope::PollScope(std::function<void()> ask) : ask_(std::move(ask)), outer_(innermost) {
    innermost = this;
}

PollScope::~PollScope() {
    innermost = outer_;
}

void poll(std::size_t microseconds) {
    if (innermost == nullptr) return;
    innermost->spent_ += microseconds;
    if (innermost->spent_ < kOften) return;
    innermost->spent_ = 0;
    innermost->ask_();
}

}  // namespace tessera
