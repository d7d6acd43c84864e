#pragma once

#include <string>
#include <vector>

#include "core/draw/table.h"
#include "core/study/field.h"
#include "core/study/mapping/outcome.h"
#include "core/study/result.h"

/// A mapping result for people: tables and sentences.
namespace tessera::report {

/// One row per algorithm: makespan, throughput, gap, what is known about its distance from the optimum, samples.
Table algorithmTable(const study::MappingOutcome& outcome, study::FieldUse use = study::kText);
/// Terms of the lower bound.
Table boundTable(const study::MappingOutcome& outcome);
/// One row per sub-accelerator under one algorithm's mapping: what it is, its jobs, how long it works.
Table coreTable(const study::MappingOutcome& outcome, const mapping::Run& run, study::FieldUse use = study::kText);
/// Every job of one algorithm's mapping, by sub-accelerator and order.
Table jobTable(const study::MappingOutcome& outcome, const mapping::Run& run);
/// The mappings of one algorithm's front, of which none is better than another in both of its objectives.
Table frontTable(const study::MappingOutcome& outcome, const mapping::Run& run);
/// Exact table of the jobs of these mappings by number, for spreadsheets.
Table exactJobTable(const study::MappingOutcome& outcome, const std::vector<const mapping::Run*>& runs);

/// The problem as a job-analysis table, full precision: what `mapping::readJobTable` reads.
Table problemTable(const study::MappingOutcome& outcome);

/// Notes on the numbers: jobs and cores, algorithms that tie at the bound, differences between the variants of the cost
/// model.
std::vector<std::string> mappingSentences(const study::Result& result, const study::MappingOutcome& outcome);

/// Everything for a terminal, headline first.
std::string mappingText(const study::Result& result, const study::MappingOutcome& outcome);

}  // namespace tessera::report
