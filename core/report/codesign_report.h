#pragma once

#include <string>
#include <vector>

#include "core/draw/table.h"
#include "core/study/codesign/outcome.h"
#include "core/study/result.h"

/// A co-design for people: tables and sentences.
namespace tessera::report {

/// The best accelerator and what it is compared with: cores, array, buffer, area, objective.
Table acceleratorTable(const study::CodesignOutcome& outcome);
/// One row per model on the best accelerator: throughput, plan, memory, utilisation, speed-ups.
Table trainedModelTable(const study::CodesignOutcome& outcome);
/// Parts of the time of a batch, one row per model.
Table batchTimeTable(const study::CodesignOutcome& outcome);
/// Exact table of the front, for spreadsheets.
Table frontTable(const study::CodesignOutcome& outcome);

/// Sentences on the numbers: what was searched and ruled out, what the result rests on.
std::vector<std::string> codesignSentences(const study::CodesignOutcome& outcome);

/// Everything for a terminal, headline first.
std::string codesignText(const study::Result& result, const study::CodesignOutcome& outcome);

}  // namespace tessera::report
