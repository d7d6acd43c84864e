#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/python/binding.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/study/engine.h"
#include "core/study/estimate.h"
#include "core/study/study.h"
#include "core/study/title.h"

namespace tessera::python {

namespace {

/// Sets a parameter; what is wrong with its value is said of it.
void setParameter(HeldStudy& held, const std::string& name, const std::string& json) {
    try {
        study::setParameter(held.study, name, JsonDocument::parse(json, "").root());
    } catch (const DataError& error) {
        if (!error.place.file.empty()) throw;  // it is another file that is wrong
        const std::string& inside = error.place.field;
        throw UsageError(fmt::format("parameter '{}'{} is {}; expected {}", name,
                                     inside.empty() ? "" : fmt::format(", field {}", inQuotes(inside)), error.found,
                                     error.expected));
    }
}

void setDimension(HeldStudy& held, const std::string& name, std::int64_t value) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    if (value < 0 || value > kMost)
        throw UsageError(
            fmt::format("dimension {} is {}; expected a whole number from 0 to {}", inQuotes(name), value, kMost));
    held.study.dimensions[name] = value;
}

void setSeed(HeldStudy& held, std::optional<std::int64_t> seed) {
    if (seed && *seed < 0) throw UsageError(fmt::format("the seed is {}; expected a whole number of 0 or more", *seed));
    held.study.seed.reset();
    if (seed) held.study.seed = static_cast<std::uint64_t>(*seed);
}

void give(HeldStudy& held, const std::string& name, const std::string& path, const std::string& bytes) {
    held.given.insert_or_assign(name, GivenFile{path, bytes});
}

void inferParameters(HeldStudy& held) {
    unlocked([&] {
        const InputScope scope(held.files());
        study::inferParameters(held.study);
    });
}

py::tuple estimate(const HeldStudy& held) {
    const study::Estimate found = unlocked([&] {
        const InputScope scope(held.files());
        return study::estimate(held.study);
    });
    return py::make_tuple(toPython(found.text), found.seconds, toPython(found.problems));
}

}  // namespace

std::shared_ptr<InputFiles> HeldStudy::files() const {
    auto files = std::make_shared<InputFiles>();
    for (const auto& [name, file] : given) {
        files->redirect(name, file.path.string());
        files->give(file.path, file.bytes);
    }
    return files;
}

void addStudies(py::module_& module) {
    module.def("write_file",
               [](const std::string& path, const std::string& bytes) { unlocked([&] { writeFile(path, bytes); }); });
    py::class_<HeldStudy>(module, "Study")
        .def(py::init([](const std::string& engine) { return HeldStudy{study::newStudy(engine)}; }))
        .def("copy", [](const HeldStudy& held) { return held; })
        .def_static("read",
                    [](const std::string& text, const std::string& name) {
                        return unlocked([&] {
                            return withDocument(text, name, [](const JsonDocument& document) {
                                return HeldStudy{study::readStudy(document.root())};
                            });
                        });
                    })
        .def_static("load",
                    [](const std::string& nameOrPath) {
                        return unlocked([&] { return HeldStudy{study::loadStudy(nameOrPath)}; });
                    })
        .def("set_parameter", setParameter)
        .def("set_dimension", setDimension)
        .def("set_seed", setSeed)
        .def("set_name", [](HeldStudy& held, const std::string& name) { held.study.name = name; })
        .def("set_models",
             [](HeldStudy& held, std::vector<std::string> names) { held.study.models = std::move(names); })
        .def("set_workloads",
             [](HeldStudy& held, std::vector<std::string> names) { held.study.workloads = std::move(names); })
        .def("set_hardware",
             [](HeldStudy& held, std::vector<std::string> names) { held.study.hardware = std::move(names); })
        .def("clear_dimensions", [](HeldStudy& held) { held.study.dimensions.clear(); })
        .def("give", give)
        .def("given",
             [](const HeldStudy& held) {
                 py::dict given;
                 for (const auto& [name, file] : held.given)
                     given[toPython(name)] = py::make_tuple(toPython(file.path.string()), py::bytes(file.bytes));
                 return given;
             })
        .def("infer", inferParameters)
        .def("estimate", estimate)
        .def("json", [](const HeldStudy& held) { return toPython(toText(study::toJson(held.study))); })
        .def("hash", [](const HeldStudy& held) { return study::contentHash(held.study); })
        .def("title", [](const HeldStudy& held) { return toPython(study::titleOf(held.study)); })
        .def("engine", [](const HeldStudy& held) { return toPython(held.study.engine); });
}

}  // namespace tessera::python
