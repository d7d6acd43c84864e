#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tessera {

/// Reason for the end of a search, of any engine.
enum class EndedBy : std::uint8_t {
    proof,       ///< the best was proved to be the optimum
    search,      ///< by the search's own rule
    done,        ///< all that it may try was tried
    samples,     ///< its samples were spent
    hysteresis,  ///< a way of so many steps found nothing better
    heuristic,   ///< a method that proves nothing
    time,        ///< its limit of time
    nodes,       ///< its limit of states or nodes
    memory,      ///< its limit of memory
    stop,        ///< a stop was requested
};

struct EndedByRow {
    EndedBy id;
    std::string_view name;  ///< in documents
    std::string_view text;  ///< for people
};
inline constexpr std::array kEndedBy{EndedByRow{EndedBy::proof, "proof", "proven"},
                                     EndedByRow{EndedBy::search, "search", "search ended"},
                                     EndedByRow{EndedBy::done, "done", "nothing more to try"},
                                     EndedByRow{EndedBy::samples, "samples", "samples spent"},
                                     EndedByRow{EndedBy::hysteresis, "hysteresis", "hysteresis spent"},
                                     EndedByRow{EndedBy::heuristic, "heuristic", "heuristic"},
                                     EndedByRow{EndedBy::time, "time", "time limit"},
                                     EndedByRow{EndedBy::nodes, "nodes", "node limit"},
                                     EndedByRow{EndedBy::memory, "memory", "memory limit"},
                                     EndedByRow{EndedBy::stop, "stop", "stopped"}};

/// Name in documents: "proof", "stop", ….
constexpr std::string_view nameOf(EndedBy ended) {
    return kEndedBy.at(static_cast<std::size_t>(ended)).name;
}

/// Name in texts for people: "proven", "stopped", ….
constexpr std::string_view textOf(EndedBy ended) {
    return kEndedBy.at(static_cast<std::size_t>(ended)).text;
}

/// The one of a name in a document; nothing where there is none.
constexpr std::optional<EndedBy> endedByNamed(std::string_view name) {
    for (const EndedByRow& row : kEndedBy)
        if (row.name == name) return row.id;
    return std::nullopt;
}

}  // namespace tessera
