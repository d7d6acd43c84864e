#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/study/engine_rows.h"
#include "core/study/field_metrics.h"
#include "core/study/schedule/study.h"
#include "core/study/workload_files.h"

namespace tessera::study {

namespace {

using Better = Metric::Better;
using Terms = std::vector<Explanation::Term>;

constexpr std::string_view kPaper = "Wang et al., PHAZE, ICML 2024, section 4", kDefinition = "definition";

std::string shareText(double share) {
    return fmt::format("{:.2f} %", 100 * share);
}

void operatorTerms(const ScheduleOutcome& outcome, Terms& terms) {
    terms.push_back({"operators", formatCount(outcome.operators.size()), "the operators' file"});
    terms.push_back({"tensor cores", formatCount(outcome.cores.tensor), "result, tensor_cores"});
    terms.push_back({"vector cores", formatCount(outcome.cores.vector), "result, vector_cores"});
}

void makespanTerms(const ScheduleOutcome& outcome, Terms& terms) {
    operatorTerms(outcome, terms);
    terms.push_back({"method", outcome.method, "parameter method"});
    terms.push_back({"ended by", std::string(nameOf(outcome.result.ended)), "result, ended_by"});
}

void gapTerms(const ScheduleOutcome& outcome, Terms& terms) {
    terms.push_back({"makespan", exactNumber(outcome.result.schedule.makespan), "result, makespan"});
    terms.push_back({"lower bound", exactNumber(outcome.result.lowerBound), "result, lower_bound"});
}

void gainTerms(const ScheduleOutcome& outcome, Terms& terms) {
    terms.push_back({"makespan", exactNumber(outcome.result.schedule.makespan), "result, makespan"});
    terms.push_back({"one after the other", exactNumber(outcome.result.serial), "result, serial_makespan"});
}

std::vector<InputFact> facts(const ScheduleOutcome& outcome) {
    return {{"Workload", "name", outcome.layer},
            {"Workload", "operators", std::to_string(outcome.operators.size())},
            {"Hardware", "tensor cores", std::to_string(outcome.cores.tensor)},
            {"Hardware", "vector cores", std::to_string(outcome.cores.vector)}};
}

AmountOfWork work(const Result& result) {
    return {result.inputs.empty() ? std::string() : result.inputs.front().sha256, 0};
}

std::string placeOf(const codesign::OperatorSlot& slot) {
    if (slot.allCores) return "all cores";
    std::vector<std::string> cores;
    if (slot.tensorCore) cores.push_back(fmt::format("tensor core {}", *slot.tensorCore));
    if (slot.vectorCore) cores.push_back(fmt::format("vector core {}", *slot.vectorCore));
    return joined(cores, " and ");
}

ComparedParts operatorsOf(const ScheduleOutcome& outcome) {
    ComparedParts all{.title = "Operators", .parts = {}};
    const std::vector<codesign::OperatorSlot>& slots = outcome.result.schedule.operators;
    for (std::size_t i = 0; i < slots.size() && i < outcome.operators.size(); ++i) {
        const codesign::Operator& its = outcome.operators[i];
        all.parts.push_back(
            {.name = its.name.empty() ? fmt::format("operator {}", its.id) : its.name,
             .what = placeOf(slots[i]),
             .value = slots[i].finish,
             .text = fmt::format("{} to {}", exactNumber(slots[i].start), exactNumber(slots[i].finish))});
    }
    return all;
}

std::optional<std::string> keptTimeline(const ScheduleOutcome& outcome) {
    if (outcome.operators.size() > kMaxRowsOfTimeline) return std::nullopt;
    return std::string();
}

}  // namespace

const std::vector<Field<ScheduleOutcome>>& scheduleFields() {
    using Row = ScheduleOutcome;
    static const std::vector<Field<Row>> kFields{
        {.id = "makespan",
         .title = "Makespan",
         .uses = kMetric,
         .get = [](const Row& row) { return FieldValue(row.result.schedule.makespan); },
         .better = Better::lower,
         .help = "When the last operator finishes, in the unit of the operators' file",
         .format = exactNumber,
         .formula = "max over operators of (start + latency on one core or on all)",
         .source = kPaper,
         .terms = makespanTerms},
        {.id = "lower_bound",
         .title = "Lower bound",
         .uses = kMetric,
         .get = [](const Row& row) { return FieldValue(row.result.lowerBound); },
         .help = "No schedule is shorter",
         .format = exactNumber,
         .formula = "the least makespan that what was searched leaves open",
         .source = kPaper,
         .terms = makespanTerms},
        {.id = "gap",
         .title = "Gap to the bound",
         .uses = kMetric,
         .get = valueOf<&Row::gap>,
         .better = Better::lower,
         .help = "What the makespan may be above the optimum at most, as a share of the makespan",
         .format = percentText,
         .formula = "(makespan - lower bound) / makespan",
         .source = kDefinition,
         .terms = gapTerms},
        {.id = "gain_over_serial",
         .title = "Gain over one after the other",
         .uses = kMetric,
         .get = valueOf<&Row::gain>,
         .better = Better::higher,
         .help = "What the makespan is below one operator after the other",
         .format = shareText,
         .formula = "(one after the other - makespan) / one after the other",
         .source = kDefinition,
         .terms = gainTerms},
        {.id = "serial_makespan",
         .title = "One after the other",
         .uses = kMetric,
         .get = [](const Row& row) { return FieldValue(row.result.serial); },
         .help = "All operators one after the other, each in its faster form",
         .format = exactNumber,
         .formula = "sum over operators of min(latency on one core, latency on all cores)",
         .source = kDefinition,
         .terms = operatorTerms},
        {.id = "nodes",
         .title = "States explored",
         .uses = kMetric,
         .get = [](const Row& row) { return given(row.result.nodes); },
         .help = "Of the exact search; of ilp nodes of its tree",
         .formula = "counted during the search",
         .source = kDefinition,
         .terms = makespanTerms},
    };
    return kFields;
}

std::string scheduleHeadline(const ScheduleOutcome& outcome) {
    const codesign::ScheduleResult& found = outcome.result;
    const auto text = [](double time) { return time == std::floor(time) ? formatCount(time) : exactNumber(time); };
    return fmt::format("{} makespan · {} · {} below {} in a row", text(found.schedule.makespan),
                       found.optimal ? "proven optimal" : gapText(found.schedule.makespan, found.lowerBound),
                       shareText(outcome.gain()), text(found.serial));
}

Engine scheduleEngine() {
    return {
        .id = "schedule",
        .title = "Scheduling",
        .description = "Schedules the operators of a layer on the cores of one accelerator.",
        .hardwareKind = {},
        .workloadKind = "list of operators",
        .models = InputArity::none,
        .workloads = InputArity::one,
        .hardware = InputArity::none,
        .parameters = scheduleParameters,
        .files = [](const Study& study) { return filesNamed(study.workloads, false, codesign::operatorsPath); },
        .run = runSchedule,
        .estimate = estimateSchedule,
        .resultSchema = "tessera.schedule-result/1",
        .jsonSchema = scheduleSchema,
        .write = writeScheduleJson,
        .read = readScheduleResult,
        .headline = ofOutcome<scheduleHeadline>,
        .metrics =
            [](const Result& result) { return metricsBy(scheduleFields(), result.outcome.get<ScheduleOutcome>()); },
        .metricText = [](std::string_view name, double value) { return metricTextBy(scheduleFields(), name, value); },
        .explain =
            [](const Result& result, const std::string& path) {
                return explainedBy(scheduleFields(), result.outcome.get<ScheduleOutcome>(), result, path);
            },
        .keyMetrics = {{"makespan"}},
        .timeline = [](const Result& result,
                       const std::string&) { return scheduleTimeline(result.outcome.get<ScheduleOutcome>()); },
        .keptTimeline = ofOutcome<keptTimeline>,
        .facts = ofOutcome<facts>,
        .deciding = {{"makespan", true, "All runs take {0} for their operators", "No run is done before {1}, after {0}",
                      "{1} is {2} as fast as {3}: done after {0} against {4}"}},
        .work = work,
        .ofWork = {"makespan", "lower_bound", "serial_makespan"},
        .parts = ofOutcome<operatorsOf>,
        .question = "In which order are the operators done first: {}?"};
}

}  // namespace tessera::study
