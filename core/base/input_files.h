#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <type_traits>
#include <typeindex>
#include <utility>
#include <vector>

namespace tessera {

/// The files that a run rests on, by path. Each is read from the disk once and stays as it was then, whatever becomes
/// of it meanwhile; a pipe can be read as often as a file. One that is given stands for a file of that path, whether
/// there is one or not: so runs are repeated from a history whose files are gone. Several threads may read at once.
class InputFiles {
public:
    using Bytes = std::shared_ptr<const std::string>;

    InputFiles() = default;
    /// Asks for other files once the place of an input is looked for, and stands for them, too.
    explicit InputFiles(std::function<std::shared_ptr<InputFiles>()> later) : later_(std::move(later)) {}
    /// Differs from others by what is given: all else is read as one of theirs, and stays there.
    explicit InputFiles(std::shared_ptr<InputFiles> others) : others_(std::move(others)) {}

    /// Stands for the file of that path from now on.
    void give(const std::filesystem::path& path, std::string bytes) {
        give(path, std::make_shared<const std::string>(std::move(bytes)));
    }
    void give(const std::filesystem::path& path, Bytes bytes);
    /// Has the input that a study calls `name` read from a path, or as another name, from now on.
    void redirect(const std::string& name, std::string path) { places_[name] = std::move(path); }
    /// Returns the path or name by which the input that a study calls `name` is read: itself unless it is redirected.
    std::string placeOf(const std::string& name);
    bool has(const std::filesystem::path& path) const;
    /// All files that were given or read so far, by path, and all inputs that are read elsewhere: what another process
    /// has to be given to read the same.
    std::map<std::string, Bytes> known() const;
    std::map<std::string, std::string> places() const;
    /// The bytes that were given or read before, else `read`'s. Throws what `read` throws.
    template <typename Read>
    const std::string& bytesOf(const std::filesystem::path& path, const Read& read) {
        return *find(nameOf(path), [&read] { return std::make_shared<const std::string>(read()); });
    }

    /// Keeps at most so many values of `madeOfInputs` from now on, also of files that differ from these: those used
    /// last.
    void keepMade(std::size_t max);
    /// See `madeOfInputs`.
    std::shared_ptr<const void> made(std::type_index type, const std::string& name,
                                     const std::function<std::shared_ptr<const void>()>& make);

private:
    struct Kept;
    static std::string nameOf(const std::filesystem::path& path) { return path.lexically_normal().string(); }

    /// Null where the file was neither given nor read.
    Bytes known(const std::string& name) const;
    Bytes find(const std::string& name, const std::function<Bytes()>& read);
    Bytes findHere(const std::string& name, const std::function<Bytes()>& read);

    std::shared_ptr<InputFiles> others_;
    mutable std::shared_mutex mutex_;            ///< of the two that follow, where others read here
    std::map<std::string, Bytes> files_;         ///< by path
    std::map<std::string, std::string> places_;  ///< by name
    std::function<std::shared_ptr<InputFiles>()> later_;
    std::shared_ptr<Kept> kept_;
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

/// What `make` makes of this thread's files; `name` says all else that it depends on, and stands for one value of a
/// type. Many runs whose files are nearly the same share it (see InputFiles::keepMade): it is kept together with the
/// bytes of the files that were read for it, and serves for others of the same bytes. Else it is made each time.
template <typename Make>
auto madeOfInputs(const std::string& name, const Make& make) {
    using Value = std::remove_cvref_t<std::invoke_result_t<const Make&>>;
    const auto shared = [&make]() -> std::shared_ptr<const void> { return std::make_shared<const Value>(make()); };
    InputFiles* const files = InputScope::current();
    return std::static_pointer_cast<const Value>(files == nullptr ? shared()
                                                                  : files->made(typeid(Value), name, shared));
}

}  // namespace tessera
