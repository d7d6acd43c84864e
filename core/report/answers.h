#pragma once

#include <string>

#include "core/study/result.h"

/// What results answer in two sentences, by engine: the first says what came out, the second how certain that is. Empty
/// where nothing came out, which the headline says.
namespace tessera::report {

std::string partitionAnswer(const study::Result& result);
std::string planAnswer(const study::Result& result);
std::string mappingAnswer(const study::Result& result);
std::string codesignAnswer(const study::Result& result);
std::string predictionAnswer(const study::Result& result);
std::string placementAnswer(const study::Result& result);
std::string scheduleAnswer(const study::Result& result);
std::string costAnswer(const study::Result& result);

}  // namespace tessera::report
