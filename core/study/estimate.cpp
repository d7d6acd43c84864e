#include "core/study/estimate.h"

#include <exception>

#include "core/study/engine.h"

namespace tessera::study {

Estimate estimate(const Study& study) {
    try {
        return engineNamed(study.engine).estimate(study);
    } catch (const std::exception& error) {
        return {.text = error.what(), .seconds = 0, .problems = {error.what()}};
    }
}

}  // namespace tessera::study
