#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ui/jobs/run_state.h"

namespace tessera::ui {

/// Convergence curves as they grow, in bounded memory: a curve that becomes too long loses every other point, but never
/// its first and its newest.
class CurveRecorder {
public:
    static constexpr std::size_t kMaxPoints = 4000;  ///< of one curve
    static constexpr std::size_t kMaxCurves = 64;    ///< later ones are left out

    void add(const std::string& series, double x, double y);
    std::shared_ptr<const std::vector<Curve>> snapshot() const;

private:
    std::vector<Curve> curves_;
};

}  // namespace tessera::ui
