#pragma once

#include <memory>
#include <utility>

#include "core/study/result.h"

namespace tessera::ui {

/// A finished run of the engine with this outcome, as views read it: shares the result, so that a copy is cheap and
/// stays valid on threads.
template <typename Outcome>
class EngineRun {
public:
    EngineRun() = default;
    /// `result` must hold the outcome.
    explicit EngineRun(std::shared_ptr<const study::Result> result) : result_(std::move(result)) {}

    bool isEmpty() const { return result_ == nullptr; }
    const study::Result& result() const { return *result_; }
    std::shared_ptr<const study::Result> shared() const { return result_; }
    const Outcome& outcome() const { return result_->outcome.template get<Outcome>(); }

private:
    std::shared_ptr<const study::Result> result_;
};

}  // namespace tessera::ui
