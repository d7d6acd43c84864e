// Seeds: data/operators/*.json tests/data/phaze/ilp_cases/random/*.json
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "core/base/error.h"
#include "core/codesign/schedule/schedule.h"
#include "tests/support/operators.h"

/// The reader of operators on any bytes: a graph that reads back as it was written and has a schedule that keeps every
/// rule, or a DataError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tessera;
    constexpr std::size_t kMaxScheduled = 200;
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        const codesign::OperatorGraph graph = codesign::readOperators(JsonDocument::parse(text, "input.json"));
        const std::string written = codesign::writeOperators(graph);
        if (codesign::readOperators(JsonDocument::parse(written, "input.json")) != graph) std::abort();
        if (graph.operators.size() > kMaxScheduled) return 0;
        const codesign::Cores cores{graph.tensorCores.value_or(2), graph.vectorCores.value_or(3)};
        for (const std::string method : {"exact", "list"}) {
            codesign::ScheduleOptions options;
            options.method = method;
            options.nodes = 200;
            const codesign::ScheduleResult result = codesign::scheduleOperators(graph, cores, options);
            if (!codesign::problemOf(result.schedule, graph, cores).empty()) std::abort();
            if (result.lowerBound > result.schedule.makespan) std::abort();
        }
    } catch (const DataError&) {
        return 0;
    }
    return 0;
}
