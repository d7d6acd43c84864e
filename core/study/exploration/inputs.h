#pragma once

#include <vector>

#include "core/model/zoo/zoo.h"
#include "core/study/engine.h"

/// The inputs of studies that are run inside of another one.
namespace tessera::study {

/// The inputs of all of them, each once, with the hashes of their contents as they are now. Reads as this thread's
/// InputFiles say. Throws FileError, DataError, UsageError.
std::vector<Input> inputsOfAll(const std::vector<Study>& studies);
/// Their files besides models of the zoo.
std::vector<InputFile> filesOfAll(const std::vector<Study>& studies);
/// The dimensions that the study's only model has, where it is one of the zoo.
std::vector<model::ZooDimension> zooDimensionsOf(const Study& study);

}  // namespace tessera::study
