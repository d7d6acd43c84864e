#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/draw/table.h"
#include "core/study/comparison.h"

/// Runs side by side, as tables for people and as a document. Tables name runs by their letters.
namespace tessera::report {

/// A value against the baseline's, with its direction in words: "+18 %, worse", "20×, better", "−4.3 points, better",
/// "same"; "not comparable" where it is not; empty of the baseline itself and where a value is missing.
std::string deltaText(const study::Comparison& comparison, const study::Comparison::MetricRow& row, std::size_t run);

/// The metrics of runs themselves that have a column: those that at least two runs have, and that tell them apart or,
/// with `all`, are the same; those that are comparable first.
std::vector<const study::Comparison::MetricRow*> shownMetrics(const study::Comparison& comparison, bool all);

/// Runs as rows, the metrics that at least two of them have as columns, each with its difference to the baseline;
/// amounts of a step that are not comparable stand last and say so. With `all` also what is the same.
Table metricTable(const study::Comparison& comparison, bool all);
/// The same of strategies, algorithms or predictions that at least two runs have, one row for each and run.
Table ownedMetricTable(const study::Comparison& comparison, bool all);
/// Inputs field by field; with `all` also what is the same.
Table inputTable(const study::Comparison& comparison, bool all);
/// Types per run, layer by layer.
Table layerDifferenceTable(const study::Comparison& comparison, bool all);
/// Share of each type in each strategy's plan, per run.
Table shareTable(const study::Comparison& comparison, bool all);
/// Core, place on it and start of each job in each run's best mapping.
Table jobDifferenceTable(const study::Comparison& comparison, bool all);
/// How each run does each part, and what it takes.
Table partTable(const study::Comparison& comparison, bool all);
/// The title of a part: "Stages" of many, "Stage" of one.
std::string partTitle(const study::Comparison& comparison, bool many);

/// The inputs for people: hashes are cut to their beginnings, numbers of hardware that one run alone has, and what one
/// engine alone takes, are left out, and of many runs each is a row.
Table shownInputs(const study::Comparison& comparison, bool all);

/// All of them, with what makes the runs hard to compare on top.
std::string toText(const study::Comparison& comparison, bool all);
/// Each kind of runs by itself, then those that stand alone, of which these are all titles.
std::string toText(const study::ComparedKinds& kinds, const std::vector<std::string>& titles, bool all);
/// The fields of `tessera.comparison/1` between its head and its end.
Json toJson(const study::Comparison& comparison);
/// What each kind of runs has in common, by the places of its runs.
Json toJson(const study::ComparedKinds& kinds);

}  // namespace tessera::report
