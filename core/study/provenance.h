#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/hardware/fleet.h"
#include "core/hardware/numbers.h"

/// Assumptions of results about the sources of their hardware's numbers.
namespace tessera::study {

/// The field `sources` of an output document: by field or path, with source, class, and what a number of the user's own
/// replaced.
Json sourcesJson(const hardware::ProvenanceMap& sources);
/// Reads it back. Throws DataError.
hardware::ProvenanceMap readSources(const JsonNode& node);

/// The numbers of a study's hardware that a user set by hand.
class OwnNumbers {
public:
    using Accepts = std::function<bool(const std::string& path)>;

    /// Adds the numbers of a piece of hardware whose path is accepted; a number that is met twice counts once. Names
    /// are those in the files, which a run that is stored keeps.
    void add(const std::string& hardware, const hardware::ProvenanceMap& numbers, const Accepts& accepts = {});
    /// Adds the numbers that partitioning reads: the fleet's own, and of its accelerators peak rate of the data type,
    /// efficiency, network and capacity.
    void add(const hardware::Fleet& fleet, const std::string& dtype);

    std::size_t count() const { return numbers_.size(); }
    /// "The result rests on 2 numbers of your own: groups[1].count of 'My fleet' (was 32), ..."; none where there are
    /// none.
    std::vector<std::string> sentences() const;

private:
    std::map<std::pair<std::string, std::string>, hardware::Provenance> numbers_;  ///< by hardware and path
};

}  // namespace tessera::study
