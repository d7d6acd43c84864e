#include "ui/editors/native_file.h"

#include <algorithm>
#include <array>

#include "core/model/readers/readers.h"

namespace tessera::ui {

namespace {

constexpr std::array kFileKinds{
    NativeFile{"tessera.study/", "study"},          NativeFile{"tessera.fleet/", "hardware"},
    NativeFile{"tessera.accelerator/", "hardware"}, NativeFile{"tessera.platform/", "hardware"},
    NativeFile{"tessera.workload/", "hardware"},    NativeFile{"tessera.template/", "hardware"},
    NativeFile{"tessera.exploration/", "study"},
};

}  // namespace

const NativeFile* nativeFile(std::string_view bytes) {
    const std::string_view schema = model::schemaIn(bytes);
    const auto* const found = std::find_if(kFileKinds.begin(), kFileKinds.end(),
                                           [&](const NativeFile& kind) { return schema.starts_with(kind.schema); });
    return found == kFileKinds.end() ? nullptr : found;
}

}  // namespace tessera::ui
