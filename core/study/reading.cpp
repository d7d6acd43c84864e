#include "core/study/reading.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "core/study/study.h"

namespace tessera::study {

Json completeParameters(const Study& study) {
    Json complete = std::move(*newStudy(study.engine).parameters);
    for (const auto& [name, value] : study.parameters->items()) complete[name] = value;
    return complete;
}

}  // namespace tessera::study
