#pragma once

#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/draw/table.h"
#include "core/study/comparison.h"

/// Runs side by side, as tables for people and as a document.
namespace tessera::report {

/// Field by field; with `all` also what is the same.
Table inputTable(const study::Comparison& comparison, bool all);
/// Value per run, and the ratio to the baseline's in brackets.
Table metricTable(const study::Comparison& comparison, bool all);
/// Types per run, layer by layer.
Table layerDifferenceTable(const study::Comparison& comparison, bool all);
/// Share of each type in each strategy's plan, per run.
Table shareTable(const study::Comparison& comparison, bool all);

/// Core, place on it and start of each job in each run's best mapping.
Table jobDifferenceTable(const study::Comparison& comparison, bool all);

/// All of them, with what makes the runs hard to compare on top.
std::string toText(const study::Comparison& comparison, bool all);
/// The fields of `tessera.comparison/1` between its head and its end.
Json toJson(const study::Comparison& comparison);

}  // namespace tessera::report
