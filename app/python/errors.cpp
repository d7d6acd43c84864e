#include <exception>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "app/python/binding.h"
#include "core/base/error.h"
#include "core/hardware/field.h"

namespace tessera::python {

namespace {

constexpr const char* kErrors = "tessera._errors";

/// None for what is not known.
py::object lineOrNone(std::int64_t number) {
    return number > 0 ? py::object(py::int_(number)) : py::object(py::none());
}

/// The package's exception for wrong input, with its place.
py::object dataError(const DataError& error, const std::string& message) {
    py::object made = errorClass("DataError")(toPython(message));
    made.attr("file") = toPython(error.place.file);
    made.attr("line") = lineOrNone(error.place.line);
    made.attr("column") = lineOrNone(error.place.column);
    made.attr("where") = toPython(error.place.where);
    made.attr("field") = toPython(error.place.field);
    made.attr("found") = toPython(error.found);
    made.attr("expected") = toPython(error.expected);
    return made;
}

void set(const py::object& exception) {
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
}

void translate(std::exception_ptr thrown) {
    try {
        if (thrown) std::rethrow_exception(std::move(thrown));
    } catch (const hardware::Faults& faults) {
        std::string message;
        for (const DataError& fault : faults.all) message += (message.empty() ? "" : "\n") + std::string(fault.what());
        set(dataError(faults, message));
    } catch (const DataError& error) {
        set(dataError(error, error.what()));
    } catch (const UsageError& error) {
        set(errorClass("UsageError")(toPython(error.what())));
    } catch (const InfeasibleError& error) {
        set(errorClass("InfeasibleError")(toPython(error.what())));
    } catch (const FileError& error) {
        set(errorClass("FileError")(toPython(error.what())));
    } catch (const InterruptedError& error) {
        PyErr_SetString(PyExc_KeyboardInterrupt, error.what());
    } catch (const std::bad_alloc&) {
        PyErr_SetString(PyExc_MemoryError, "the input needs more memory than this process may use");
    }
}

}  // namespace

py::object errorClass(const char* name) {
    return py::module_::import(kErrors).attr(name);
}

py::str toPython(std::string_view text) {
    PyObject* made = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
    if (made == nullptr) throw py::error_already_set();
    return py::reinterpret_steal<py::str>(made);
}

py::list toPython(const std::vector<std::string>& texts) {
    py::list list;
    for (const std::string& text : texts) list.append(toPython(text));
    return list;
}

void rethrowWithoutLines(const std::string& name) {
    const auto withoutLine = [&](const DataError& error) {
        Place place = error.place;
        if (place.file == name) place.line = place.column = 0;
        return DataError(place, error.found, error.expected);
    };
    try {
        throw;
    } catch (const hardware::Faults& faults) {
        std::vector<DataError> all;
        for (const DataError& fault : faults.all) all.push_back(withoutLine(fault));
        throw hardware::Faults(all);
    } catch (const DataError& error) {
        throw withoutLine(error);
    }
}

py::tuple tableTuple(const report::Table& table) {
    py::list titles;
    py::list numbers;
    for (const report::Table::Column& column : table.columns) {
        titles.append(toPython(column.title));
        numbers.append(column.number);
    }
    py::list rows;
    for (const std::vector<std::string>& row : table.rows) rows.append(toPython(row));
    return py::make_tuple(titles, numbers, rows);
}

void addErrors() {
    py::register_local_exception_translator(&translate);  // what other modules throw is theirs
}

}  // namespace tessera::python
