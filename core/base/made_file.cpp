#include "core/base/made_file.h"

#include <memory>
#include <mutex>
#include <utility>

namespace tessera {

namespace {

std::mutex makerMutex;
std::shared_ptr<const FileMaker> theMaker;

std::shared_ptr<const FileMaker> fileMaker() {
    const std::lock_guard lock(makerMutex);
    return theMaker;
}

bool isOf(const FileMaker& maker, const std::filesystem::path& path) {
    return !maker.prefix.empty() && path.native().starts_with(maker.prefix);
}

}  // namespace

void setFileMaker(FileMaker maker) {
    auto made = std::make_shared<const FileMaker>(std::move(maker));
    const std::lock_guard lock(makerMutex);
    theMaker.swap(made);
}

std::string madeFilePrefix() {
    const std::shared_ptr<const FileMaker> maker = fileMaker();
    return maker == nullptr ? std::string() : maker->prefix;
}

bool isMadeFile(const std::filesystem::path& path) {
    const std::shared_ptr<const FileMaker> maker = fileMaker();
    return maker != nullptr && isOf(*maker, path);
}

bool hasMadeFile(const std::filesystem::path& path) {
    const std::shared_ptr<const FileMaker> maker = fileMaker();
    return maker != nullptr && isOf(*maker, path) && maker->has(path.native());
}

std::string madeFile(const std::filesystem::path& path) {
    return fileMaker()->bytes(path.native());
}

}  // namespace tessera
