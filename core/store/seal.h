#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/store/database.h"
#include "core/store/store.h"

/// Integrity check of stored runs. Every run has a seal: a sum over the rows of each part of it, noted in the
/// transaction that writes them and compared wherever they are read. SQLite itself notices damage of a page's order,
/// not of its contents.
namespace tessera::store {

/// Parts of a stored run that are hashed separately.
enum class Part : std::uint8_t { facts, study, inputs, result, metrics, artifacts, trace, checkpoint, tags, note };

inline constexpr std::array kAllParts{Part::facts,     Part::study, Part::inputs,     Part::result, Part::metrics,
                                      Part::artifacts, Part::trace, Part::checkpoint, Part::tags,   Part::note};

/// "the result": how messages call a part.
std::string_view nameOf(Part part);

/// Reads and writes the seals of a database's runs. Lives inside one transaction.
class Seals {
public:
    explicit Seals(const SQLite::Database& database) : database_(database) {}

    /// False for what an older program wrote into the file after it was brought up to date.
    bool has(RunId run);
    /// The first of the parts that is not what was sealed; none where all are, or where the run has no seal.
    template <typename Parts>
    std::optional<Part> damaged(RunId run, const Parts& parts) {
        const std::optional<Sums> sealed = sumsOf(run);
        if (!sealed) return std::nullopt;
        for (const Part part : parts)
            if (sumOf(part, run) != sealed->at(indexOf(part))) return part;
        return std::nullopt;
    }
    /// Notes the parts as they are now; all of them where the run has no seal yet.
    void note(RunId run, const std::vector<Part>& parts);
    /// Notes that batches were appended to the run's trace, those with numbers above `last`.
    void noteAppended(RunId run, std::int64_t last);
    /// Seals the runs that have no seal and are not in progress.
    void noteAll();

private:
    using Sums = std::array<std::int64_t, kAllParts.size()>;

    static std::size_t indexOf(Part part) { return static_cast<std::size_t>(part); }
    std::optional<Sums> sumsOf(RunId run);
    std::int64_t sumOf(Part part, RunId run);
    void write(RunId run, const Sums& sums);

    const SQLite::Database& database_;
    std::array<std::vector<std::unique_ptr<Query>>, kAllParts.size()> parts_;
    std::unique_ptr<Query> sums_, write_;
};

/// StoreError (damaged) for a part of a run that is not what was stored, with the file, the run and the part.
StoreError damageOf(const std::filesystem::path& path, RunId run, Part part);

/// Throws StoreError (damaged) where a part of the run is not what was sealed.
void requireSound(const SQLite::Database& database, const std::filesystem::path& path, RunId run,
                  const std::vector<Part>& parts);

}  // namespace tessera::store
