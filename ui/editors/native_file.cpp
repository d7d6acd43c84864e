#include "ui/editors/native_file.h"

#include <algorithm>
#include <array>

#include "core/model/readers/readers.h"

namespace tessera::ui {

namespace {

constexpr std::array kKinds{
    NativeFile{"tessera.study/", "study", false},          NativeFile{"tessera.fleet/", "hardware", true},
    NativeFile{"tessera.accelerator/", "hardware", false}, NativeFile{"tessera.platform/", "hardware", false},
    NativeFile{"tessera.workload/", "hardware", false},    NativeFile{"tessera.template/", "hardware", false},
};

}  // namespace

const NativeFile* nativeFile(std::string_view bytes) {
    const std::string_view schema = model::schemaIn(bytes);
    const auto* const found = std::find_if(kKinds.begin(), kKinds.end(),
                                           [&](const NativeFile& kind) { return schema.starts_with(kind.schema); });
    return found == kKinds.end() ? nullptr : found;
}

}  // namespace tessera::ui
