#pragma once

#include <string>
#include <variant>

#include "core/base/json.h"
#include "core/hardware/fleet.h"
#include "core/hardware/platform.h"
#include "core/hardware/template.h"
#include "core/study/result.h"

namespace tessera::study {

/// A hardware file of any kind, read and found good.
struct HardwareSummary {
    const hardware::Kind* kind = nullptr;
    std::variant<hardware::Accelerator, hardware::Fleet, hardware::Platform, hardware::Template> value;
    std::string name;   ///< its own
    HeldJson document;  ///< that reads back as the same
    Input input;        ///< the file that it was read from
};

/// Reads a hardware file of any kind, by its schema. Throws DataError; several faults of a file as hardware::Faults.
HardwareSummary readHardware(const JsonDocument& document, const Input& input);
/// The hardware of a file, or of a name in the library, of whatever kind. Throws FileError, DataError, UsageError
/// (unknown, with a hint).
HardwareSummary loadHardware(const std::string& nameOrPath);

}  // namespace tessera::study
