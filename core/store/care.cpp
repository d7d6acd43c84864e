#include <fmt/format.h>

#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/store/implementation.h"

namespace tessera::store {

namespace fs = std::filesystem;

Verification Store::verify(const std::function<bool(double)>& progress) const {
    static_cast<void>(progress);
    return {};
}

void Store::backup(const fs::path& to) const {
    static_cast<void>(to);
}

void Store::vacuum() {
    implementation_->requireWritable();
}

void Store::exportOptuna(RunId run, const fs::path& to) const {
    static_cast<void>(run);
    static_cast<void>(to);
}
void Store::exportRuns(const std::vector<RunId>& runs, const fs::path& to) const {
    static_cast<void>(runs);
    static_cast<void>(to);
}
MergeCount Store::merge(const fs::path& from) {
    static_cast<void>(from);
    return {};
}

}  // namespace tessera::store
