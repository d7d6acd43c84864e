#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace tessera::test {

/// An empty folder of its own, which goes away with this object. Tests run side by side, and so do the parts of one
/// program: a file with a fixed name in the temporary folder would be another one's too.
class ScratchFolder {
public:
    ScratchFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "tessera-test-XXXXXX").string();
        const char* made = ::mkdtemp(name.data());
        if (made == nullptr)
            throw std::filesystem::filesystem_error("no scratch folder", name,
                                                    std::error_code(errno, std::generic_category()));
        path_ = made;
    }
    ~ScratchFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }
    operator const std::filesystem::path&() const { return path_; }
    /// The path of a file in it.
    std::filesystem::path operator/(const std::filesystem::path& name) const { return path_ / name; }

private:
    std::filesystem::path path_;
};

}  // namespace tessera::test
