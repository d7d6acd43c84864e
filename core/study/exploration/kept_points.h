#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/study/exploration/evaluation.h"

/// The evaluated points of an exploration that goes on later.
namespace tessera::study {

using KeptPoints = std::vector<std::pair<explore::Point, EvaluatedPoint>>;

/// The state of a checkpoint, which grows by points. These are a text, since a text of many points is copied in no
/// time: a row of JSON on each line.
class KeptState {
public:
    void add(const explore::Point& point, const EvaluatedPoint& evaluated);
    Json json() const;

private:
    std::map<const ExploredMetric*, std::size_t> places_;
    HeldJson metrics_;
    std::string rows_;
};

/// The metrics of a state, in the order in which its points number them.
using KeptMetrics = std::vector<const ExploredMetric*>;
/// Reads the list of a state's metrics. Throws DataError.
KeptMetrics readKeptMetrics(const JsonNode& list, MetricPool& metrics);
/// Reads the rows of a state's points, of an exploration with that many objectives; `file` names them. Throws
/// DataError.
KeptPoints readKeptPoints(std::string_view rows, const std::string& file, const KeptMetrics& known,
                          const ExploredSpace& space, std::size_t objectives);
/// The points of a whole state. Throws DataError.
KeptPoints readKeptPoints(const JsonNode& state, const ExploredSpace& space, std::size_t objectives,
                          MetricPool& metrics);

}  // namespace tessera::study
