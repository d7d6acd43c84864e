#include <nlohmann/json.hpp>
#include <vector>

#include "core/base/names.h"
#include "core/study/document_schema.h"
#include "core/study/members.h"
#include "core/study/schedule/study.h"

namespace tessera::study {

namespace {

// `name` is the layer's.
constexpr DocumentKind kKind{
    .schema = "tessera.schedule-result/1",
    .command = "schedule",
    .nameOfStudy = "study_name",
    .about =
        "When and where each operator of a layer runs on one accelerator. Times are in the unit of the operators' "
        "file."};
constexpr std::string_view kShare = R"({"minimum": 0, "maximum": 1})";
constexpr std::string_view kEnds = R"({"enum": ["proof", "heuristic", "time", "nodes", "memory", "stop"]})";

constexpr auto kOperator = [](auto& doc, auto& each, auto& slot, const codesign::Cores& cores) {
    doc({"id", "As the file numbers it."}, each.id);
    doc("name", each.name);
    doc("type", each.kind, codesign::kCoreKindNames);
    doc({"start", "Since the start of the layer."}, slot.start, kNotNegative.asWhole());
    doc({"finish", "Since the start of the layer."}, slot.finish, kNotNegative.asWhole());
    doc.require(slot.finish >= slot.start, "finish", "a time that is not before the start");
    doc({"all_cores", "On all cores, with nothing beside it."}, slot.allCores);
    doc.orNull({"tensor_core", "From 1; null where it uses none of its own."}, slot.tensorCore, 1, cores.tensor);
    doc.orNull({"vector_core", "From 1; of a fused operator the same as its tensor core."}, slot.vectorCore, 1,
               cores.vector);
    doc.require(slot.allCores != (slot.tensorCore || slot.vectorCore), "all_cores",
                "an operator either on all cores or on cores of its own");
};

constexpr auto kDocument = [](auto& doc, auto& outcome, auto& result) {
    auto& found = outcome.result;
    doc({"name", "Of the layer, as its file says; may be empty."}, outcome.layer);
    doc.derived(kParametersKey, *result.study.parameters);
    doc("method", outcome.method, idsOf(codesign::scheduleMethods()));
    doc({"tensor_cores", "Tensor cores of the accelerator."}, outcome.cores.tensor, 1, codesign::kMaxCores);
    doc({"vector_cores", "Vector cores of the accelerator."}, outcome.cores.vector, 1, codesign::kMaxCores);
    doc({"makespan", "When the last operator finishes."}, found.schedule.makespan, kNotNegative.asWhole());
    doc({"lower_bound", "No schedule is shorter."}, found.lowerBound, kNotNegative.asWhole());
    doc.derived({"gap", "What the makespan may be above the optimum at most, as a share of the makespan.", kShare},
                [&] { return outcome.gap(); });
    doc({"optimal", "Proved: no schedule is shorter."}, found.optimal);
    doc({"ended_by", "Why the search ended; what ended by time or stop may differ when it is repeated.", kEnds},
        found.ended);
    doc({"nodes", "States that the exact search explored; of ilp nodes of its tree."}, found.nodes);
    doc({"serial_makespan", "All operators one after the other, each in its faster form."}, found.serial,
        kNotNegative.asWhole());
    doc.derived({"gain_over_serial", "What the makespan is below that, as a share of it.", kShare},
                [&] { return outcome.gain(); });
    auto& slots = found.schedule.operators;
    doc.list(
        {"operators", "In the order of the file."}, outcome.operators,
        [&](auto& row, auto& each, std::size_t number) {
            if constexpr (!kWrites<decltype(doc)>) slots.emplace_back();
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

Json scheduleSchema() {
    return documentSchema<ScheduleOutcome>(kKind, kDocument);
}

}  // namespace tessera::study
