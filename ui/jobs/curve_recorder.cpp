#include "ui/jobs/curve_recorder.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"

namespace tessera::ui {

namespace {

void thin(CurvePoints& points) {
    const std::pair<double, double> newest = points.back();
    std::size_t kept = 0;
    for (std::size_t i = 0; i < points.size(); i += 2) points[kept++] = points[i];
    points.resize(kept);
    if (points.back() != newest) points.push_back(newest);
}

}  // namespace

void CurveRecorder::add(const CurveName& name, double x, double y) {
    if (!std::isfinite(x) || !std::isfinite(y)) return;
    auto found = std::find_if(curves_.begin(), curves_.end(), [&](const Curve& curve) { return curve.name == name; });
    if (found == curves_.end()) {
        if (curves_.size() >= kMaxCurves) return;
        found = curves_.insert(curves_.end(), Curve{name, {}});
    }
    found->points.emplace_back(x, y);
    if (found->points.size() > kMaxPoints) thin(found->points);
}

void CurveRecorder::recall(const std::map<std::string, CurvePoints>& trace) {
    for (const auto& [text, points] : trace) {
        const CurveName name = curveNamed(escaped(text));
        for (const auto& [x, y] : points) add(name, x, y);
    }
}

std::shared_ptr<const std::vector<Curve>> CurveRecorder::snapshot() const {
    return std::make_shared<const std::vector<Curve>>(curves_);
}

}  // namespace tessera::ui
