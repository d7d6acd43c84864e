#pragma once

#include <atomic>
#include <map>
#include <string>

#include "core/reproduce/reproduce.h"

namespace tessera::study {

/// Of the samples that a figure's searches take: a small part, so that it is there in seconds.
inline double budgetOf(const std::string& figure) {
    return figure.starts_with("magma-") ? 0.02 : 0.005;
}

struct Recomputed {
    Reproduction figure;
    int events = 0;       ///< of progress that were told
    bool beyond = false;  ///< one told of more than there is to do
};

/// A figure, recomputed on three threads with a small part of its samples; once for all tests of this process.
inline const Recomputed& recomputed(const std::string& name) {
    static std::map<std::string, Recomputed> known;
    const auto found = known.find(name);
    if (found != known.end()) return found->second;
    std::atomic<int> events = 0;
    std::atomic<bool> beyond = false;
    const auto listen = [&](const ProgressEvent& event) {
        ++events;
        if (event.done > event.total) beyond = true;
    };
    Reproduction figure = reproduce(name, {.budget = budgetOf(name)}, {.progress = listen, .threads = 3});
    return known.emplace(name, Recomputed{std::move(figure), events, beyond}).first->second;
}

}  // namespace tessera::study
