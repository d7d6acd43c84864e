#include "tests/support/paths.h"

namespace tessera::test {

// The build defines these for this file alone: all other tests compile to the same objects in every checkout, so that
// the compiler's cache serves them all.

std::filesystem::path sourceDirectory() {
    return TESSERA_SOURCE_DIR;
}

std::filesystem::path buildDirectory() {
    return TESSERA_BUILD_DIR;
}

std::filesystem::path program() {
    return TESSERA_PROGRAM;
}

}  // namespace tessera::test
