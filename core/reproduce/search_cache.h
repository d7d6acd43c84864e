#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "core/codesign/search/search.h"
#include "core/codesign/search/workload.h"
#include "core/hardware/template.h"

/// Cache of the searches of papers' figures, kept between runs of the program.
namespace tessera::study {

/// Files in a folder, each with a hash of its content: what was cut off, or changed by something else, is as if it were
/// not there. Several programs may use a folder at once.
class CacheFolder {
public:
    /// An empty path keeps nothing.
    explicit CacheFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}

    bool keeps() const { return !folder_.empty(); }
    std::optional<std::string> read(const std::string& name) const;
    /// Whole or not at all. A folder that cannot be written to is no error: then nothing is kept.
    void write(const std::string& name, std::string_view content) const;
    void remove(const std::string& name) const;

private:
    std::filesystem::path folder_;
};

/// `$XDG_CACHE_HOME/tessera/searches` (default `~/.cache/tessera/searches`); empty where neither is set.
std::filesystem::path searchCacheFolder();

/// Co-design searches by all that their result depends on: program, template, models with the estimates of their
/// operators on the template's reference, and options but threads and context.
class SearchCache {
public:
    explicit SearchCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

    /// Runs `search` only where its result is not kept. It begins with what a search of the same that was cut off had
    /// done, if anything, and hands on what it has done from time to time.
    using Search = std::function<codesign::Result(const std::optional<codesign::Progress>& from,
                                                  const std::function<void(const codesign::Progress&)>& checkpoint)>;
    codesign::Result resultOf(const std::vector<const codesign::Workload*>& workloads, const hardware::Template& space,
                              const codesign::Options& options, const Search& search) const;

    /// Text form of a search's state in the folder.
    static std::string textOf(const codesign::Progress& progress);
    static std::string keyOf(const std::vector<const codesign::Workload*>& workloads, const hardware::Template& space,
                             const codesign::Options& options);

private:
    CacheFolder folder_;
};

}  // namespace tessera::study
