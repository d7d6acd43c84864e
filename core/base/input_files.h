#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace tessera {

/// The files that a run rests on, by path. Each is read from the disk once and stays as it was then, whatever becomes
/// of it meanwhile; a pipe can be read as often as a file. One that is given stands for a file of that path, whether
/// there is one or not: so runs are repeated from a history whose files are gone. For one thread.
class InputFiles {
public:
    InputFiles() = default;
    /// Asks for other files once the place of an input is looked for, and stands for them, too.
    explicit InputFiles(std::function<std::shared_ptr<InputFiles>()> later) : later_(std::move(later)) {}

    /// Stands for the file of that path from now on.
    void give(const std::filesystem::path& path, std::string bytes);
    /// Has the input that a study calls `name` read from a path, or as another name, from now on.
    void redirect(const std::string& name, std::string path) { places_[name] = std::move(path); }
    /// Returns the path or name by which the input that a study calls `name` is read: itself unless it is redirected.
    std::string placeOf(const std::string& name);
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

    std::map<std::string, std::string> files_;   ///< bytes by path
    std::map<std::string, std::string> places_;  ///< by name
    std::function<std::shared_ptr<InputFiles>()> later_;
};

/// While it lives, `readFile` and `isFile` on this thread see the files of a run. Scopes nest; the inner one counts.
/// Thread-local, since readers of files are many, and most of them know nothing of runs.
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

/// Returns the path or name by which the input that a study calls `name` is read: `placeOf` of this thread's files.
std::string placeOfInput(const std::string& name);

}  // namespace tessera
