#include "core/base/input_files.h"

#include <utility>

namespace tessera {

namespace {

thread_local InputScope* innermostInput = nullptr;

}  // namespace

void InputFiles::give(const std::filesystem::path& path, std::string bytes) {
    files_[nameOf(path)] = std::move(bytes);
}

bool InputFiles::has(const std::filesystem::path& path) const {
    return files_.contains(nameOf(path));
}

std::string InputFiles::placeOf(const std::string& name) {
    if (const auto later = std::exchange(later_, nullptr)) {
        const std::shared_ptr<InputFiles> given = later();
        for (auto& [path, bytes] : given->files_) files_[path] = std::move(bytes);
        places_.merge(given->places_);
    }
    const auto found = places_.find(name);
    return found == places_.end() ? name : found->second;
}

InputScope::InputScope(std::shared_ptr<InputFiles> files) : files_(std::move(files)), outer_(innermostInput) {
    if (!files_) files_ = outer_ != nullptr ? outer_->files_ : std::make_shared<InputFiles>();
    innermostInput = this;
}

InputScope::~InputScope() {
    innermostInput = outer_;
}

InputFiles* InputScope::current() {
    return innermostInput == nullptr ? nullptr : innermostInput->files_.get();
}

std::string placeOfInput(const std::string& name) {
    InputFiles* const files = InputScope::current();
    return files == nullptr ? name : files->placeOf(name);
}

}  // namespace tessera
