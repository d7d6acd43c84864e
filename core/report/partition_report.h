#pragma once

#include <string>
#include <vector>

#include "core/report/table.h"
#include "core/study/metric.h"
#include "core/study/result.h"

/// A partition result for people: headline, tables, pictures.
namespace tessera::report {

using study::headline;
/// The plan that the headline is about: the fastest; ties go to the one asked for first.
const partition::Plan& bestPlan(const study::PartitionOutcome& outcome);
/// "Faster without v2: 25.8 ms/step, 8.84× over DP." for every group that a plan is better off without.
std::vector<std::string> fasterWithout(const partition::Plan& plan);

Table strategyTable(const study::PartitionOutcome& outcome);
/// One row per split: its types as runs, such as "I×49 III II".
Table levelTable(const partition::Plan& plan);
Table acceleratorTable(const partition::Plan& plan);
/// Every layer of every split, full precision, for spreadsheets.
Table layerTable(const study::PartitionOutcome& outcome);

/// Everything for a terminal, headline first.
std::string toText(const study::Result& result);

}  // namespace tessera::report
