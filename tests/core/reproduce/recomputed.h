#pragma once

#include <atomic>
#include <map>
#include <string>
#include <utility>

#include "core/reproduce/reproduce.h"
#include "tests/support/scratch_folder.h"

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

/// A figure, recomputed with a small part of its samples; once for all tests of this process. Figures share what they
/// search for, if on as many threads.
inline const Recomputed& recomputed(const std::string& name, unsigned threads = 3) {
    struct Known {
        std::map<std::string, Recomputed> figures;
        test::ScratchFolder searches;
    };
    static std::map<unsigned, Known> byThreads;
    Known& known = byThreads[threads];
    const auto found = known.figures.find(name);
    if (found != known.figures.end()) return found->second;
    std::atomic<int> events = 0;
    std::atomic<bool> beyond = false;
    const auto listen = [&](const ProgressEvent& event) {
        ++events;
        if (event.done > event.total) beyond = true;
    };
    Reproduction figure = reproduce(name, {.budget = budgetOf(name), .cache = known.searches.path()},
                                    {.progress = listen, .threads = threads});
    return known.figures.emplace(name, Recomputed{std::move(figure), events, beyond}).first->second;
}

}  // namespace tessera::study
