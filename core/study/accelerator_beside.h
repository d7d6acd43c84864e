#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/hardware/accelerator.h"

namespace tessera::study {

/// An accelerator as a fleet's file names it, and the files that then stand beside that.
struct AcceleratorBeside {
    hardware::Accelerator accelerator;
    std::string reference;  ///< a name of the library, a path relative to the fleet's file; empty = inline
    std::vector<std::pair<std::filesystem::path, std::string>> files = {};
};

/// Returns how a fleet that is written to `fleet` names an accelerator that was read at `place`: by the name where that
/// is one of the library; as a copy beside the fleet, with its table of kernels, where it has a file; else inline.
/// Reads this thread's files. Throws FileError.
AcceleratorBeside acceleratorBeside(hardware::Accelerator accelerator, const std::string& place,
                                    const std::filesystem::path& fleet);

}  // namespace tessera::study
