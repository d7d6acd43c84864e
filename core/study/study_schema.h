#pragma once

#include "core/base/json.h"
#include "core/study/engine.h"

/// JSON Schemas of study files, by the rows of the engines and of their parameters.
namespace tessera::study {

/// The schema of `tessera.study/1`: one form for each engine there is.
Json studyFileSchema();

/// The schema of the kind of study files that an engine has of its own (Engine::studySchema), without the definitions
/// that its parameters refer to.
Json ownStudyFileSchema(const Engine& engine);

}  // namespace tessera::study
