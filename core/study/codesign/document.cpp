#include "core/study/codesign/document.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "core/study/codesign/study.h"
#include "core/study/document_study.h"
#include "core/study/json_writer.h"
#include "core/study/study.h"

namespace tessera::study {

namespace {

using codesign::ModelResult;
using codesign::Point;

constexpr const char* kSchema = "tessera.codesign-result/1";
constexpr std::size_t kLongestName = 1'000'000;
constexpr std::size_t kMaxRows = 10'000'000;
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

// Architectures and points
// ---------------------------------------------------------------------------------------------

Json architectureJson(const hardware::Architecture& architecture) {
    Json json = {{"name", hardware::nameOf(architecture)},
                 {"num_tc", architecture.tensorCores},
                 {"num_vc", architecture.vectorCores},
                 {"pe_x", architecture.width},
                 {"pe_y", architecture.height},
                 {"glb_bytes", architecture.globalBuffer.value},
                 {"l2_tc_bytes", architecture.tensorL2.value},
                 {"l2_vc_bytes", architecture.vectorL2.value},
                 {"glb_words_per_cycle", architecture.globalWords}};
    if (architecture.hbmBandwidth) json["hbm_bandwidth_bytes_per_s"] = architecture.hbmBandwidth->value;
    if (architecture.networkBandwidth) json["network_bandwidth_bytes_per_s"] = architecture.networkBandwidth->value;
    return json;
}

hardware::Architecture readArchitecture(const JsonNode& node) {
    const auto bandwidth = [&](const char* key) {
        return node.has(key) ? std::optional(BytesPerSecond{node.at(key).positive()}) : std::nullopt;
    };
    return {.tensorCores = node.at("num_tc").whole(1, kMax),
            .vectorCores = node.at("num_vc").whole(1, kMax),
            .width = node.at("pe_x").whole(1, kMax),
            .height = node.at("pe_y").whole(1, kMax),
            .globalBuffer = Bytes{node.at("glb_bytes").positive()},
            .tensorL2 = Bytes{node.at("l2_tc_bytes").positive()},
            .vectorL2 = Bytes{node.at("l2_vc_bytes").positive()},
            .globalWords = node.at("glb_words_per_cycle").positive(),
            .hbmBandwidth = bandwidth("hbm_bandwidth_bytes_per_s"),
            .networkBandwidth = bandwidth("network_bandwidth_bytes_per_s")};
}

/// The interfaces' area and power stand there only where the template gives them.
constexpr std::array kInterfaceAreas{std::pair("hbm_interface_mm2", &hardware::Area::hbmInterface),
                                     std::pair("network_interface_mm2", &hardware::Area::networkInterface)};

Json pointJson(const Point& point) {
    Json json = {{"architecture", architectureJson(point.architecture)},
                 {"area_mm2", point.area.value},
                 {"area_parts",
                  {{"tensor_cores_mm2", point.parts.tensorCores.value},
                   {"vector_cores_mm2", point.parts.vectorCores.value},
                   {"l2_mm2", point.parts.l2.value},
                   {"glb_mm2", point.parts.globalBuffer.value}}},
                 {"hbm_bytes", point.hbm.value},
                 {"objective", point.objective},
                 {"throughput_samples_per_s", point.throughput},
                 {"mfu", point.mfu},
                 {"energy_j_per_sample", point.energyPerSample}};
    for (const auto& [key, part] : kInterfaceAreas)
        if ((point.parts.*part).value > 0) json["area_parts"][key] = (point.parts.*part).value;
    if (point.interfacePower) json["interface_power_w"] = point.interfacePower->value;
    return json;
}

std::vector<double> numbers(const JsonNode& node) {
    std::vector<double> list;
    for (const JsonNode& each : node.elements(kMaxRows)) list.push_back(each.notNegative());
    return list;
}

Point readPoint(const JsonNode& node) {
    Point point;
    point.architecture = readArchitecture(node.at("architecture"));
    point.area = SquareMillimetres{node.at("area_mm2").number()};
    const JsonNode parts = node.at("area_parts");
    point.parts.tensorCores = SquareMillimetres{parts.at("tensor_cores_mm2").number()};
    point.parts.vectorCores = SquareMillimetres{parts.at("vector_cores_mm2").number()};
    point.parts.l2 = SquareMillimetres{parts.at("l2_mm2").number()};
    point.parts.globalBuffer = SquareMillimetres{parts.at("glb_mm2").number()};
    for (const auto& [key, part] : kInterfaceAreas)
        if (parts.has(key)) point.parts.*part = SquareMillimetres{parts.at(key).notNegative()};
    if (node.has("interface_power_w")) point.interfacePower = Watts{node.at("interface_power_w").notNegative()};
    point.hbm = Bytes{node.at("hbm_bytes").number()};
    point.objective = node.at("objective").notNegative();
    point.throughput = numbers(node.at("throughput_samples_per_s"));
    point.mfu = node.at("mfu").number();
    point.energyPerSample = node.at("energy_j_per_sample").number();
    return point;
}

// Models --------------------------------------------------------------------------------------------------------------

Json stageJson(const codesign::StageResult& stage) {
    const codesign::StageMemory& memory = stage.memory;
    return {{"layers", stage.layers},
            {"accelerators", stage.accelerators},
            {"forward_s", stage.forward.value},
            {"backward_s", stage.backward.value},
            {"load_s", stage.load.value},
            {"memory_bytes",
             {{"weights", memory.weights.value / 2},
              {"gradients", memory.weights.value / 2},
              {"optimizer", memory.optimizer.value},
              {"activations", memory.activations.value},
              {"stash", memory.stashed.value},
              {"total", memory.total().value}}},
            {"in_flight", memory.inFlight}};
}

codesign::StageResult readStage(const JsonNode& node) {
    codesign::StageResult stage;
    for (const JsonNode& layer : node.at("layers").elements(kMaxRows)) stage.layers.push_back(layer.text(kLongestName));
    stage.accelerators = node.at("accelerators").whole(1, kMax);
    stage.forward = Seconds{node.at("forward_s").number()};
    stage.backward = Seconds{node.at("backward_s").number()};
    stage.load = Seconds{node.at("load_s").number()};
    const JsonNode memory = node.at("memory_bytes");
    stage.memory = {.weights = Bytes{memory.at("weights").number() * 2},
                    .optimizer = Bytes{memory.at("optimizer").number()},
                    .activations = Bytes{memory.at("activations").number()},
                    .stashed = Bytes{memory.at("stash").number()},
                    .inFlight = node.at("in_flight").whole(0, kMax)};
    return stage;
}

Json phaseJson(const codesign::PhaseSchedule& phase) {
    Json json = {{"makespan_s", phase.makespan.value},
                 {"lower_bound_s", phase.lowerBound.value},
                 {"serial_s", phase.serial.value},
                 {"optimal", phase.optimal}};
    Json& operators = json["operators"] = Json::array();
    for (const codesign::ScheduledOperator& op : phase.operators) {
        constexpr std::array kKinds{"tensor", "vector", "fused"};
        Json row = {{"name", op.name},
                    {"kind", op.network ? "network" : kKinds.at(static_cast<std::size_t>(op.kind))},
                    {"start_s", op.placed.start},
                    {"finish_s", op.placed.finish},
                    {"all_cores", op.placed.allCores}};
        if (op.placed.tensorCore) row["tensor_core"] = *op.placed.tensorCore;
        if (op.placed.vectorCore) row["vector_core"] = *op.placed.vectorCore;
        operators.push_back(std::move(row));
    }
    return json;
}

codesign::PhaseSchedule readPhase(const JsonNode& node) {
    codesign::PhaseSchedule phase;
    phase.makespan = Seconds{node.at("makespan_s").number()};
    phase.lowerBound = Seconds{node.at("lower_bound_s").number()};
    phase.serial = Seconds{node.at("serial_s").number()};
    phase.optimal = node.at("optimal").boolean();
    for (const JsonNode& row : node.at("operators").elements(kMaxRows)) {
        codesign::ScheduledOperator& op = phase.operators.emplace_back();
        op.name = row.at("name").text(kLongestName);
        const std::string kind = row.at("kind").oneOf({"tensor", "vector", "fused", "network"});
        op.network = kind == "network";
        op.kind = kind == "tensor"  ? codesign::CoreKind::tensor
                  : kind == "fused" ? codesign::CoreKind::fused
                                    : codesign::CoreKind::vector;
        op.placed.start = row.at("start_s").number();
        op.placed.finish = row.at("finish_s").number();
        op.placed.allCores = row.at("all_cores").boolean();
        if (row.has("tensor_core")) op.placed.tensorCore = row.at("tensor_core").whole(1, kMax);
        if (row.has("vector_core")) op.placed.vectorCore = row.at("vector_core").whole(1, kMax);
    }
    return phase;
}

Json timelineJson(const ModelResult& model, std::int64_t globalBatch) {
    const codesign::PipelineSchedule schedule = codesign::pipelineOf(model, globalBatch);
    Json json = {{"stages", model.pipeline},
                 {"micro_batches", schedule.microBatches},
                 {"shown", schedule.shown},
                 {"length_s", schedule.length.value}};
    Json& events = json["events"] = Json::array();
    for (const codesign::PipelineEvent& event : schedule.events)
        events.push_back({{"stage", event.stage},
                          {"micro_batch", event.microBatch},
                          {"phase", codesign::nameOf(event.phase)},
                          {"start_s", event.start.value},
                          {"finish_s", event.finish.value}});
    return json;
}

Json orNull(const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
}

/// `whole`: with the timeline, where the global batch is given.
Json modelJson(const ModelResult& model, std::optional<std::int64_t> globalBatch) {
    Json json = {{"feasible", model.feasible}};
    if (!model.feasible) {
        json["reason"] = model.reason;
        return json;
    }
    json["throughput_samples_per_s"] = model.throughput;
    json["throughput_bound_samples_per_s"] = model.throughputBound;
    json["time_per_batch_s"] = model.timePerBatch.value;
    Json& strategy = json["strategy"] = {{"pipeline", model.pipeline}, {"data", model.data}, {"tensor", model.tensor}};
    Json& stages = strategy["stages"] = Json::array();
    for (const codesign::StageResult& stage : model.stages) stages.push_back(stageJson(stage));
    json["micro_batch"] = model.choice.microBatch;
    json["recompute"] = model.choice.recompute;
    json["hbm_bytes"] = model.hbm.value;
    json["mfu"] = model.mfu;
    json["energy_j_per_sample"] = model.energyPerSample;
    json["speedup_over_tpuv4_expert"] = orNull(model.speedupOverExpert);
    json["speedup_over_tpuv4_solver"] = orNull(model.speedupOverSolver);
    const codesign::TimeParts& time = model.time;
    json["time_parts_s"] = {{"compute", time.compute.value},
                            {"tensor_all_reduce", time.tensorAllReduce.value},
                            {"transfer", time.transfer.value},
                            {"bubble", time.bubble.value},
                            {"gradient_all_reduce", time.gradientAllReduce.value},
                            {"update", time.update.value}};
    if (model.schedule)
        json["schedule"] = {{"layer", model.schedule->layer},
                            {"copies", model.schedule->copies},
                            {"forward", phaseJson(model.schedule->forward)},
                            {"backward", phaseJson(model.schedule->backward)}};
    if (globalBatch) json["timeline"] = timelineJson(model, *globalBatch);
    return json;
}

ModelResult readModel(const JsonNode& node, const std::string& name) {
    ModelResult model;
    model.model = name;
    model.feasible = node.at("feasible").boolean();
    if (!model.feasible) {
        model.reason = node.at("reason").text(kLongestName);
        return model;
    }
    const auto number = [&](const char* key) { return node.at(key).number(); };
    const auto maybe = [&](const char* key) {
        return node.at(key).isNull() ? std::nullopt : std::optional(node.at(key).number());
    };
    model.throughput = number("throughput_samples_per_s");
    model.throughputBound = number("throughput_bound_samples_per_s");
    model.timePerBatch = Seconds{number("time_per_batch_s")};
    const JsonNode strategy = node.at("strategy");
    model.pipeline = strategy.at("pipeline").whole(1, kMax);
    model.data = strategy.at("data").whole(1, kMax);
    model.tensor = strategy.at("tensor").whole(1, kMax);
    for (const JsonNode& stage : strategy.at("stages").elements(kMaxRows)) model.stages.push_back(readStage(stage));
    model.choice = {.microBatch = node.at("micro_batch").whole(1, kMax), .recompute = node.at("recompute").boolean()};
    model.hbm = Bytes{number("hbm_bytes")};
    model.mfu = number("mfu");
    model.energyPerSample = number("energy_j_per_sample");
    model.speedupOverExpert = maybe("speedup_over_tpuv4_expert");
    model.speedupOverSolver = maybe("speedup_over_tpuv4_solver");
    const JsonNode time = node.at("time_parts_s");
    model.time = {.compute = Seconds{time.at("compute").number()},
                  .tensorAllReduce = Seconds{time.at("tensor_all_reduce").number()},
                  .transfer = Seconds{time.at("transfer").number()},
                  .bubble = Seconds{time.at("bubble").number()},
                  .gradientAllReduce = Seconds{time.at("gradient_all_reduce").number()},
                  .update = Seconds{time.at("update").number()}};
    if (node.has("schedule")) {
        const JsonNode schedule = node.at("schedule");
        model.schedule = codesign::LayerSchedule{.layer = schedule.at("layer").text(kLongestName),
                                                 .copies = schedule.at("copies").whole(1, kMax),
                                                 .forward = readPhase(schedule.at("forward")),
                                                 .backward = readPhase(schedule.at("backward"))};
    }
    return model;
}

Json baselineJson(const codesign::Baseline& baseline) {
    Json json = {{"id", baseline.id},
                 {"title", baseline.title},
                 {"placement", baseline.placement},
                 {"point", pointJson(baseline.point)}};
    Json& models = json["per_model"] = Json::object();
    for (const ModelResult& model : baseline.models) models[model.model] = modelJson(model, std::nullopt);
    return json;
}

codesign::Baseline readBaseline(const JsonNode& node) {
    codesign::Baseline baseline;
    baseline.id = node.at("id").text(kLongestName);
    baseline.title = node.at("title").text(kLongestName);
    baseline.placement = node.at("placement").text();
    baseline.point = readPoint(node.at("point"));
    for (const auto& [name, model] : node.at("per_model").members()) baseline.models.push_back(readModel(model, name));
    return baseline;
}

Json traceJson(const codesign::TraceBucket& row) {
    return {{"area_mm2", row.area.value},
            {"architectures", row.architectures},
            {"evaluated", row.evaluated},
            {"most", row.max},
            {"best", row.best}};
}

codesign::TraceBucket readTrace(const JsonNode& node) {
    return {.area = SquareMillimetres{node.at("area_mm2").number()},
            .architectures = node.at("architectures").whole(0, kMax),
            .evaluated = node.at("evaluated").whole(0, kMax),
            .max = node.at("most").number(),
            .best = node.at("best").number()};
}

template <typename Row, typename ToJson>
void writeList(JsonWriter& writer, const char* key, const std::vector<Row>& rows, const ToJson& toRow) {
    writer.key(key);
    writer.open('[');
    for (const Row& row : rows) {
        writer.entry();
        writer.value(toRow(row));
    }
    writer.close(']');
}

/// The bandwidths that were searched, where any were.
constexpr std::array kBandwidths{
    std::pair("searched_hbm_bandwidths_bytes_per_s", &hardware::Template::hbmBandwidth),
    std::pair("searched_network_bandwidths_bytes_per_s", &hardware::Template::networkBandwidth)};

}  // namespace

void writeCodesignJson(const Result& result, const CodesignOutcome& outcome, const TextSink& write) {
    const codesign::Result& found = outcome.result;
    JsonWriter writer(write);
    writer.open('{');
    const auto put = [&](const char* key, const Json& value) {
        writer.key(key);
        writer.value(value);
    };
    const Json head = documentHead(kSchema, "codesign", result.inputs, result.study.seed);
    for (const auto& [key, value] : head.items())
        put(key.c_str(), key == "tool_version" ? Json(result.version) : value);
    if (!result.study.name.empty()) put("name", result.study.name);
    put("models", found.models);
    Json space = {{"id", found.space.id},
                  {"name", found.space.name},
                  {"reference", found.space.reference ? found.space.reference->name : ""},
                  {"clock_hz", found.space.rates.clock.value},
                  {"hbm_bandwidth_bytes_per_s", found.space.rates.hbmBandwidth.value}};
    for (const auto& [key, range] : kBandwidths)
        if (!(found.space.*range).values.empty()) space[key] = (found.space.*range).values;
    put("template", space);
    put("parameters", *result.study.parameters);
    put("weights", found.options.weights);
    put("bandwidth_bytes_per_s", found.options.bandwidth.value);
    put("area_limit_mm2", found.areaBound.value);
    put("objective_unit", found.options.objective == codesign::Objective::mean ? "samples/s" : "x");
    put("feasible", found.best.has_value());
    put("best", found.best ? pointJson(*found.best) : Json(nullptr));
    writeList(writer, "pareto", found.front, pointJson);
    put("architectures", found.architectures);
    put("points", found.points);
    put("explored", found.explored);
    put("skipped_by_bound", found.skippedByBound);
    put("optimal", found.optimal);
    put("front_gap", found.frontGap);
    put("bound", found.bound);
    put("ended_by", nameOf(found.endedBy));
    const std::int64_t globalBatch = found.options.globalBatch;
    Json models = Json::object();
    for (const ModelResult& model : found.perModel)
        models[model.model] = modelJson(model, model.feasible ? std::optional(globalBatch) : std::nullopt);
    put("per_model", models);
    const bool shown = !found.perModel.empty() && found.perModel.front().feasible;
    put("timeline", shown ? timelineJson(found.perModel.front(), globalBatch) : Json(nullptr));
    writeList(writer, "evaluated", found.evaluated, pointJson);
    writeList(writer, "trace", found.trace, traceJson);
    writeList(writer, "baselines", found.baselines, baselineJson);
    put("assumptions", result.assumptions);
    put("warnings", result.warnings);
    writer.close('}');
    writer.end();
}

Result readCodesignResult(const JsonNode& document, const Study& study) {
    Result result = readFrame(document, study);
    CodesignOutcome outcome;
    codesign::Result& found = outcome.result;
    for (const JsonNode& model : document.at("models").elements()) found.models.push_back(model.text(kLongestName));
    found.options = codesignOptions(result.study);
    found.options.weights = numbers(document.at("weights"));
    found.options.bandwidth = BytesPerSecond{document.at("bandwidth_bytes_per_s").positive()};
    const JsonNode space = document.at("template");
    found.space.id = space.at("id").text(kLongestName);
    found.space.name = space.at("name").text(kLongestName);
    if (const std::string reference = space.at("reference").text(kLongestName); !reference.empty())
        found.space.reference = hardware::Reference{.name = reference};
    found.space.rates.clock = Hertz{space.at("clock_hz").positive()};
    found.space.rates.hbmBandwidth = BytesPerSecond{space.at("hbm_bandwidth_bytes_per_s").positive()};
    for (const auto& [key, range] : kBandwidths)
        if (space.has(key))
            for (const JsonNode& value : space.at(key).elements(hardware::kMaxValues))
                (found.space.*range).values.push_back(value.whole(1, hardware::kFastestInterface));
    found.areaBound = SquareMillimetres{document.at("area_limit_mm2").number()};
    if (!document.at("best").isNull()) found.best = readPoint(document.at("best"));
    for (const JsonNode& point : document.at("pareto").elements(kMaxRows)) found.front.push_back(readPoint(point));
    found.architectures = document.at("architectures").whole(0, kMax);
    found.points = document.at("points").whole(0, kMax);
    found.explored = document.at("explored").whole(0, kMax);
    found.skippedByBound = document.at("skipped_by_bound").whole(0, kMax);
    found.optimal = document.at("optimal").boolean();
    found.frontGap = document.at("front_gap").notNegative();
    found.bound = document.at("bound").number();
    found.endedBy = readEndedBy(document.at("ended_by"));
    for (const auto& [name, model] : document.at("per_model").members())
        found.perModel.push_back(readModel(model, name));
    for (const JsonNode& point : document.at("evaluated").elements(kMaxRows))
        found.evaluated.push_back(readPoint(point));
    for (const JsonNode& row : document.at("trace").elements(kMaxRows)) found.trace.push_back(readTrace(row));
    for (const JsonNode& row : document.at("baselines").elements(kMaxRows))
        found.baselines.push_back(readBaseline(row));
    result.outcome = std::move(outcome);
    return result;
}

Json progressJson(const codesign::Progress& progress) {
    Json evaluated = Json::array();
    for (const codesign::Progress::Evaluated& each : progress.evaluated) {
        Json row = pointJson(each.point);
        row["index"] = each.architecture;
        row["settled"] = each.refined;
        evaluated.push_back(std::move(row));
    }
    Json unresolved = Json::array();
    for (const codesign::Progress::Unresolved& each : progress.unresolved)
        unresolved.push_back({{"index", each.architecture}, {"bound", each.bound}, {"settled", each.refined}});
    return {{"next", progress.next}, {"explored", progress.explored}, {"known", evaluated}, {"open", unresolved}};
}

codesign::Progress readProgress(const JsonNode& node, std::size_t models) {
    codesign::Progress progress;
    progress.next = static_cast<std::size_t>(node.at("next").whole(0, kMax));
    progress.explored = node.at("explored").whole(0, kMax);
    const auto indexOf = [](const JsonNode& row) { return static_cast<std::size_t>(row.at("index").whole(0, kMax)); };
    for (const JsonNode& row : node.at("open").elements(kMaxRows))
        progress.unresolved.push_back({indexOf(row), row.at("bound").notNegative(), row.at("settled").boolean()});
    for (const JsonNode& row : node.at("known").elements(kMaxRows)) {
        progress.evaluated.push_back({indexOf(row), readPoint(row), row.at("settled").boolean()});
        if (progress.evaluated.back().point.throughput.size() != models)
            row.at("throughput_samples_per_s").fail(fmt::format("{} numbers", models));
    }
    return progress;
}

}  // namespace tessera::study
