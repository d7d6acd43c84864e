#pragma once

#include <string>
#include <vector>

#include "core/base/units.h"
#include "core/draw/table.h"
#include "core/study/metric.h"
#include "core/study/partition/outcome.h"
#include "core/study/result.h"

/// A partition result for people: headline, tables, pictures.
namespace tessera::report {

using study::headline;
/// The plan that the headline is about: the fastest; ties go to the first in the study.
const partition::Plan& bestPlan(const study::PartitionOutcome& outcome);
/// The subsets of the fleet that were solved, best first: the best few and the whole fleet.
Table subsetTable(const partition::Plan& plan);
/// "3 further subsets are ruled out by their bounds."; empty where all were solved.
std::string unsolvedSubsets(const partition::Plan& plan);

Table strategyTable(const study::PartitionOutcome& outcome);
/// One row per split: its types as runs, such as "I×49 III II".
Table levelTable(const partition::Plan& plan);
Table acceleratorTable(const partition::Plan& plan);
/// Exact table of every layer of every split, for spreadsheets.
Table layerTable(const study::PartitionOutcome& outcome);

/// The result of a partition as text with tables, as the command line prints it.
std::string partitionText(const study::Result& result, const study::PartitionOutcome& outcome);

}  // namespace tessera::report
