#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/input_files.h"
#include "core/base/json.h"
#include "core/draw/table.h"
#include "core/store/store.h"
#include "core/study/result.h"

/// The module `tessera._core`: what the package `tessera` calls in the core. Values go through as texts and as JSON,
/// whose readers refuse what is wrong; nothing here decides anything.
namespace tessera::python {

namespace py = pybind11;

/// An input that is no file: its bytes stand for the file of a path.
struct GivenFile {
    std::filesystem::path path;
    std::string bytes;
};

/// A study, and those of its inputs that are no files, by the names that it calls them by.
struct HeldStudy {
    study::Study study;
    std::map<std::string, GivenFile> given = {};

    /// Files of a run of it.
    std::shared_ptr<InputFiles> files() const;
};

/// A result, and the files of its run, for pictures that solve again.
struct HeldResult {
    std::shared_ptr<const study::Result> result;
    HeldStudy study;
    std::shared_ptr<InputFiles> files;     ///< null where it was read, not computed
    std::optional<store::RunId> run = {};  ///< where a history has it
    std::string trouble = {};              ///< why a history that was to keep it could not
    std::shared_ptr<std::mutex> usesFiles = std::make_shared<std::mutex>();  ///< they are for one thread
};

/// A class of the package's exceptions: "UsageError".
py::object errorClass(const char* name);

/// A text for Python, also where it is not UTF-8, as names from files may be.
py::str toPython(std::string_view text);
py::list toPython(const std::vector<std::string>& texts);

/// Runs work without Python's lock.
template <typename Work>
auto unlocked(const Work& work) {
    const py::gil_scoped_release released;
    return work();
}

/// Throws on what is being caught; wrong input of a text that Python made says nothing of its lines, which nobody sees.
[[noreturn]] void rethrowWithoutLines(const std::string& name);

/// Runs work on a JSON text that Python made, as a document called `name` in messages. Throws DataError.
template <typename Work>
auto withDocument(const std::string& text, const std::string& name, const Work& work) {
    try {
        return work(JsonDocument::parse(text, name));
    } catch (const DataError&) {
        rethrowWithoutLines(name);
    }
}

/// A table as (titles, which columns hold numbers, rows).
py::tuple tableTuple(const report::Table& table);

// The parts of the module.
void addErrors();
void addEngines(py::module_& module);
void addStudies(py::module_& module);
void addRuns(py::module_& module);
void addResults(py::module_& module);
void addModels(py::module_& module);
void addHardware(py::module_& module);
void addHistory(py::module_& module);

}  // namespace tessera::python
