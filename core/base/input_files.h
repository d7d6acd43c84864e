#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

namespace tessera {

/// The files that a run rests on, by path. Each is read from the disk once and stays as it was then, whatever becomes
/// of it meanwhile; a pipe can be read as often as a file. One that is given stands for a file of that path, whether
/// there is one or not: so runs are repeated from a history whose files are gone. For one thread.
class InputFiles {
public:
    /// Stands for the file of that path from now on.
    void give(const std::filesystem::path& path, std::string bytes);
    bool has(const std::filesystem::path& path) const;
    /// The bytes that were given or read before, else `read`'s. Throws what `read` throws.
    template <typename Read>
    const std::string& bytesOf(const std::filesystem::path& path, const Read& read) {
        const std::string name = nameOf(path);
        const auto found = files_.find(name);
        return found != files_.end() ? found->second : files_.emplace(name, read()).first->second;
    }

private:
    static std::string nameOf(const std::filesystem::path& path) { return path.lexically_normal().string(); }

    std::map<std::string, std::string> files_;
};

/// Scope in which `readFile` and `isFile` of this thread see the files of a run. Scopes nest; the inner one counts.
class InputScope {
public:
    /// Null = those of the scope around, else new ones.
    explicit InputScope(std::shared_ptr<InputFiles> files = nullptr);
    InputScope(const InputScope&) = delete;
    InputScope& operator=(const InputScope&) = delete;
    ~InputScope();

    /// Innermost set of this thread; null outside of any scope.
    static InputFiles* current();

private:
    std::shared_ptr<InputFiles> files_;
    InputScope* outer_;
};

}  // namespace tessera
