#include <nlohmann/json.hpp>
#include <vector>

#include "core/base/names.h"
#include "core/study/members.h"
#include "core/study/schedule/study.h"

namespace tessera::study {

namespace {

constexpr DocumentKind kKind{"tessera.schedule-result/1", "schedule", "study_name"};  // `name` is the layer's

constexpr auto kOperator = [](auto& doc, auto& each, auto& slot, const codesign::Cores& cores) {
    doc("id", each.id);
    doc("name", each.name);
    doc("type", each.kind, codesign::kCoreKindNames);
    doc("start", slot.start, kNotNegative.asWhole());
    doc("finish", slot.finish, kNotNegative.asWhole());
    doc.require(slot.finish >= slot.start, "finish", "a time that is not before the start");
    doc("all_cores", slot.allCores);
    doc.orNull("tensor_core", slot.tensorCore, 1, cores.tensor);
    doc.orNull("vector_core", slot.vectorCore, 1, cores.vector);
    doc.require(slot.allCores != (slot.tensorCore || slot.vectorCore), "all_cores",
                "an operator either on all cores or on cores of its own");
};

constexpr auto kDocument = [](auto& doc, auto& outcome, auto& result) {
    auto& found = outcome.result;
    doc("name", outcome.layer);
    doc.derived("parameters", *result.study.parameters);
    doc("method", outcome.method, idsOf(codesign::scheduleMethods()));
    doc("tensor_cores", outcome.cores.tensor, 1, codesign::kMaxCores);
    doc("vector_cores", outcome.cores.vector, 1, codesign::kMaxCores);
    doc("makespan", found.schedule.makespan, kNotNegative.asWhole());
    doc("lower_bound", found.lowerBound, kNotNegative.asWhole());
    doc.derived("gap", outcome.gap());
    doc("optimal", found.optimal);
    doc("ended_by", found.ended);
    doc("nodes", found.nodes);
    doc("serial_makespan", found.serial, kNotNegative.asWhole());
    doc.derived("gain_over_serial", outcome.gain());
    auto& slots = found.schedule.operators;
    doc.list(
        "operators", outcome.operators,
        [&](auto& row, auto& each, std::size_t number) {
            if constexpr (kReads<decltype(doc)>) slots.emplace_back();
            kOperator(row, each, slots[number], outcome.cores);
        },
        codesign::kMaxOperators);
};

}  // namespace

void writeScheduleJson(const Result& result, const TextSink& write) {
    writeDocument<ScheduleOutcome>(result, write, kKind, kDocument);
}

Result readScheduleResult(const JsonNode& document, const Study& study) {
    return readDocument<ScheduleOutcome>(document, study, kKind, kDocument);
}

}  // namespace tessera::study
