#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "app/python/binding.h"
#include "core/base/units.h"
#include "core/model/zoo/zoo.h"
#include "core/report/catalogue.h"
#include "core/study/engine.h"
#include "core/study/parameter.h"
#include "core/study/study.h"

namespace tessera::python {

namespace {

std::string_view nameOf(study::InputArity arity) {
    switch (arity) {
        case study::InputArity::none:
            return "none";
        case study::InputArity::atMostOne:
            return "at most one";
        case study::InputArity::one:
            return "one";
        case study::InputArity::many:
            return "many";
    }
    return "";
}

/// The type of a parameter's value in Python.
std::string_view typeOf(study::ParameterKind kind) {
    switch (kind) {
        case study::ParameterKind::number:
            return "float";
        case study::ParameterKind::whole:
            return "int";
        case study::ParameterKind::word:
        case study::ParameterKind::text:
            return "str";
        case study::ParameterKind::wordOrNumber:
            return "str or float";
        case study::ParameterKind::words:
            return "list of str";
        case study::ParameterKind::numbers:
            return "list of float";
        case study::ParameterKind::flag:
            return "bool";
        case study::ParameterKind::namedWords:
            return "dict of str";
        case study::ParameterKind::namedNumbers:
        case study::ParameterKind::wordNumbers:
            return "dict of float";
        case study::ParameterKind::list:
            return "list of dict";
        case study::ParameterKind::document:
            return "dict";
    }
    return "";
}

/// JSON has no word for what is without bound.
Json finite(double value) {
    return std::isfinite(value) ? Json(value) : Json();
}

bool hasRange(study::ParameterKind kind) {
    return kind == study::ParameterKind::number || kind == study::ParameterKind::whole ||
           kind == study::ParameterKind::wordOrNumber || kind == study::ParameterKind::numbers ||
           kind == study::ParameterKind::namedNumbers || kind == study::ParameterKind::wordNumbers;
}

Json parameterJson(const study::Parameter& row) {
    return {{"name", row.name},
            {"option", row.option},
            {"label", row.label},
            {"type", typeOf(row.kind)},
            {"unit", unitName(row.measure)},
            {"default", study::defaultOf(row)},
            {"min", hasRange(row.kind) ? finite(row.min) : Json()},
            {"max", hasRange(row.kind) ? finite(row.max) : Json()},
            {"words", row.words},
            {"expected", study::expectationOf(row)},
            {"help", row.help},
            {"research", row.research}};
}

template <typename Rows>
Json rowsJson(const Rows& rows) {
    Json list = Json::array();
    for (const report::Row& row : rows) list.push_back({{"id", row.id}, {"title", row.title}, {"about", row.about}});
    return list;
}

Json engineJson(const study::Engine& engine) {
    Json json = {{"id", engine.id},
                 {"title", engine.title},
                 {"description", engine.description},
                 {"models", nameOf(engine.models)},
                 {"workloads", nameOf(engine.workloads)},
                 {"workload_kind", engine.workloadKind},
                 {"hardware", nameOf(engine.hardware)},
                 {"hardware_kind", engine.hardwareKind},
                 {"seed", engine.drawsNumbers},
                 {"measures", engine.measures},
                 {"checkpoints", engine.checkpoints},
                 {"result_schema", engine.resultSchema}};
    Json& parameters = json["parameters"] = Json::array();
    for (const study::Parameter& row : engine.parameters()) parameters.push_back(parameterJson(row));
    const report::Catalogue& catalogue = report::catalogueOf(engine.id);
    json["tables"] = rowsJson(catalogue.tables);
    json["pictures"] = rowsJson(catalogue.pictures);
    json["files"] = rowsJson(catalogue.files);
    return json;
}

py::str engines() {
    Json list = Json::array();
    for (const study::Engine& engine : study::engines()) list.push_back(engineJson(engine));
    return toPython(list.dump());
}

py::str bundledStudies() {
    Json json = Json::object();
    for (const auto& [name, title] : unlocked(study::bundledStudies)) json[name] = title;
    return toPython(toText(json));
}

}  // namespace

void addEngines(py::module_& module) {
    module.attr("version") = TESSERA_VERSION;
    module.def("engines", engines);
    module.def("bundled_studies", bundledStudies);
}

}  // namespace tessera::python
