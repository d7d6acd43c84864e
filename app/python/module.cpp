#include "app/python/binding.h"

PYBIND11_MODULE(_core, module) {
    module.doc() = "What the package tessera calls in Tessera's core.";
    tessera::python::addErrors();
    tessera::python::addEngines(module);
    tessera::python::addStudies(module);
    tessera::python::addRuns(module);
    tessera::python::addResults(module);
    tessera::python::addModels(module);
    tessera::python::addHardware(module);
    tessera::python::addHistory(module);
}
