#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "app/python/binding.h"
#include "core/model/model.h"
#include "core/model/zoo/zoo.h"
#include "core/study/model_summary.h"

namespace tessera::python {

namespace {

/// Networks of the zoo with the sizes that may be chosen.
py::str zoo() {
    Json list = Json::array();
    for (const model::ZooEntry& entry : model::zooEntries()) {
        Json dimensions = Json::array();
        for (const model::ZooDimension& row : entry.dimensions)
            dimensions.push_back({{"name", row.name},
                                  {"meaning", row.meaning},
                                  {"default", row.value},
                                  {"min", row.min},
                                  {"max", row.max}});
        list.push_back({{"name", entry.id},
                        {"title", entry.title},
                        {"family", entry.family},
                        {"source", entry.source},
                        {"description", entry.description},
                        {"dimensions", std::move(dimensions)}});
    }
    return toPython(toText(list));
}

/// `tessera.model-summary/1` of a model, with its layers; `training` with what a step of training takes.
py::str summary(const std::string& name, std::optional<std::int64_t> batch,
                const std::map<std::string, std::int64_t>& dimensions, bool training) {
    return toPython(unlocked([&] {
        const study::ModelSummary found =
            study::summariseModel(name, {.batch = batch, .dimensions = dimensions}, training);
        const model::LayerGraph layers = model::layerGraph(found.model);
        std::string text;
        study::writeText(found, &layers, [&](std::string_view piece) { text += piece; });
        return text;
    }));
}

}  // namespace

void addModels(py::module_& module) {
    module.def("zoo", zoo);
    module.def("model_summary", summary);
}

}  // namespace tessera::python
