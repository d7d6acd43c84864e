#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/curve.h"

namespace tessera::ui {

/// Convergence curves as they grow, in bounded memory: a curve that becomes too long loses every other point, but never
/// its first and its newest.
class CurveRecorder {
public:
    static constexpr std::size_t kMaxPoints = 4000;  ///< of one curve
    static constexpr std::size_t kMaxCurves = 64;    ///< later ones are left out

    /// Points that are no numbers are left out.
    void add(const CurveName& name, double x, double y);
    /// Adds the curves of a stored trace, by the texts of their names.
    void recall(const std::map<std::string, CurvePoints>& trace);
    std::shared_ptr<const std::vector<Curve>> snapshot() const;

private:
    std::vector<Curve> curves_;
};

}  // namespace tessera::ui
