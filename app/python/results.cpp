#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/python/binding.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/names.h"
#include "core/base/text.h"
#include "core/report/catalogue.h"
#include "core/report/export_file.h"
#include "core/report/report_document.h"
#include "core/study/engine.h"
#include "core/study/explanation.h"
#include "core/study/metric.h"
#include "core/study/result.h"
#include "core/study/title.h"

namespace tessera::python {

namespace {

using report::Selection;

std::string_view nameOf(study::Metric::Better better) {
    switch (better) {
        case study::Metric::Better::lower:
            return "lower";
        case study::Metric::Better::higher:
            return "higher";
        case study::Metric::Better::neither:
            return "neither";
    }
    return "";
}

const report::Catalogue& catalogueOf(const HeldResult& held) {
    return report::catalogueOf(held.result->study.engine);
}

py::dict metricValues(const HeldResult& held) {
    const std::vector<study::Metric> metrics = unlocked([&] { return study::metricsOf(*held.result); });
    py::dict values;
    for (const study::Metric& metric : metrics) values[toPython(metric.name)] = metric.value;
    return values;
}

/// (name, title, owner, value, unit, better, text) of each.
py::list metrics(const HeldResult& held) {
    const std::vector<study::Metric> found = unlocked([&] { return study::metricsOf(*held.result); });
    py::list list;
    for (const study::Metric& metric : found)
        list.append(py::make_tuple(toPython(metric.name), toPython(metric.title), toPython(metric.owner), metric.value,
                                   toPython(unitName(metric.measure)), toPython(nameOf(metric.better)),
                                   toPython(study::textOf(metric))));
    return list;
}

/// The explanation of a number as JSON; None where there is none.
py::object explain(const HeldResult& held, const std::string& path) {
    const std::optional<study::Explanation> found = unlocked([&] { return study::explain(*held.result, path); });
    if (!found) return py::none();
    Json json = {
        {"title", found->title}, {"value", found->value}, {"exact", found->exact}, {"formula", found->formula}};
    Json& terms = json["terms"] = Json::array();
    for (const study::Explanation::Term& term : found->terms)
        terms.push_back({{"name", term.name}, {"value", term.value}, {"where_from", term.whereFrom}});
    json["source"] = found->source;
    json["notes"] = found->notes;
    return toPython(toText(json));
}

/// (id, title, about) of the rows that the result has something for.
template <typename Rows>
py::list applying(const HeldResult& held, const Rows& rows) {
    const Selection best = report::selectionOf(*held.result, "");
    py::list list;
    for (const report::Row& row : rows)
        if (!report::selectionsOf(row, *held.result, best).empty())
            list.append(py::make_tuple(toPython(row.id), toPython(row.title), toPython(row.about)));
    return list;
}

/// The part of the result that a row is to show.
Selection partOf(const HeldResult& held, const report::Row& row, const std::string& choice) {
    const std::vector<Selection> found =
        report::selectionsOf(row, *held.result, report::selectionOf(*held.result, choice));
    if (found.empty())
        throw UsageError(fmt::format("the result has nothing to show as {} ({})", inQuotes(row.id), row.about));
    return found.front();
}

/// Runs what makes a picture or table; one that solves again reads the run's own inputs.
template <typename Make>
auto made(const HeldResult& held, const Selection& at, const Make& make) {
    const std::lock_guard lock(*held.usesFiles);
    study::RunContext context;
    context.files = held.files;
    return make(report::View{*held.result, at, context});
}

py::tuple table(const HeldResult& held, const std::string& name, const std::string& choice, bool exact) {
    std::string title;
    const report::Table table = unlocked([&] {
        const report::Catalogue& catalogue = catalogueOf(held);
        const report::TableRow& row = report::tableNamed(catalogue.engine, name.empty() ? catalogue.firstTable : name);
        const Selection at = partOf(held, row, choice);
        title = report::titleOf(row, *held.result, at);
        return made(held, at, exact && row.exact ? row.exact : row.make);
    });
    return py::make_tuple(toPython(title), tableTuple(table));
}

/// A picture of a result.
struct HeldPicture {
    std::string id, title;
    bool hasNumbers = true;
    report::Picture picture;

    std::string svg(const std::string& theme) const {
        return report::toSvg(picture, report::themeNamed("theme", theme));
    }
    std::string csv() const {
        if (!hasNumbers) report::refuseSuffix("drawing", ".csv", ".svg, .png or .pdf");
        return report::toCsv(picture);
    }
    void save(const std::string& path, const std::string& theme, double scale) const {
        const std::string suffix = lowered(std::filesystem::path(path).extension().string());
        if (suffix == ".csv" && !hasNumbers) report::refuseSuffix("drawing", ".csv", ".svg, .png or .pdf");
        writeFile(path, report::pictureFile(picture, "picture", suffix, report::themeNamed("theme", theme), scale));
    }
};

HeldPicture picture(const HeldResult& held, const std::string& name, const std::string& choice) {
    return unlocked([&] {
        const report::Catalogue& catalogue = catalogueOf(held);
        const report::PictureRow& row =
            report::pictureNamed(catalogue.engine, name.empty() ? catalogue.pictures.front().id : name);
        const Selection at = partOf(held, row, choice);
        return HeldPicture{.id = std::string(row.id),
                           .title = report::titleOf(row, *held.result, at),
                           .hasNumbers = (row.where & report::kWithoutNumbers) == 0,
                           .picture = made(held, at, row.make)};
    });
}

/// The bytes of the files of a kind that other programs read, by their paths: `path` and those that it names.
py::dict files(const HeldResult& held, const std::string& name, const std::string& path) {
    const auto found = unlocked([&] {
        const report::Catalogue& catalogue = catalogueOf(held);
        if (name.empty() && catalogue.files.empty())
            throw UsageError(fmt::format("a result of {} is written as no file of other programs", catalogue.engine));
        const report::FileRow& row =
            report::fileNamed(catalogue.engine, name.empty() ? catalogue.files.front().id : name);
        const std::filesystem::path out = path.empty() ? fmt::format("{}{}", row.id, row.suffix) : path;
        return made(held, {}, [&](const report::View& view) { return row.make(view, out); });
    });
    py::dict all;
    for (const auto& [file, bytes] : found) all[toPython(file.string())] = py::bytes(bytes);
    return all;
}

std::string document(const HeldResult& held) {
    std::string text;
    study::writeJson(*held.result, [&](std::string_view part) { text += part; });
    return text;
}

report::ReportRun runOf(const HeldResult& held) {
    return {.title = "", .result = held.result.get()};
}

/// Writes the result: its document as .json, else a report.
void save(const HeldResult& held, const std::string& path) {
    const std::string suffix = lowered(std::filesystem::path(path).extension().string());
    if (suffix == ".json") return writeFile(path, document(held));
    static const std::string kSuffixes = ".json, .html, .md or .pdf";
    if (suffix != ".html" && suffix != ".htm" && suffix != ".md" && suffix != ".pdf")
        report::refuseSuffix("result", suffix, kSuffixes);
    const std::lock_guard lock(*held.usesFiles);
    writeFile(path, report::reportFile(study::titleOf(*held.result), {runOf(held)}, suffix, {}));
}

HeldResult readResult(const HeldStudy& study, const std::string& text, const std::string& name) {
    const auto read = [&](const JsonDocument& document) {
        return std::make_shared<const study::Result>(study::readResult(document.root(), study.study));
    };
    return unlocked(
        [&] { return HeldResult{.result = withDocument(text, name, read), .study = study, .files = study.files()}; });
}

std::string misfit(const HeldResult& held) {
    const auto misfitOf = study::engineOf(*held.result).misfit;
    return misfitOf == nullptr ? "" : misfitOf(*held.result);
}

template <typename Make>
auto textOf(const Make& make) {
    return [make](const HeldResult& held) { return toPython(unlocked([&] { return std::string(make(held)); })); };
}

}  // namespace

void addResults(py::module_& module) {
    module.def("unknown_name",
               [](const std::string& start, const std::string& name, const std::vector<std::string>& known) {
                   return errorClass("UsageError")(toPython(unknownNameText(start, name, known)));
               });
    py::class_<HeldPicture>(module, "Picture")
        .def_property_readonly("id", [](const HeldPicture& held) { return toPython(held.id); })
        .def_property_readonly("title", [](const HeldPicture& held) { return toPython(held.title); })
        .def("svg", [](const HeldPicture& held,
                       const std::string& theme) { return toPython(unlocked([&] { return held.svg(theme); })); })
        .def("csv", [](const HeldPicture& held) { return toPython(unlocked([&] { return held.csv(); })); })
        .def("save", [](const HeldPicture& held, const std::string& path, const std::string& theme, double scale) {
            unlocked([&] { held.save(path, theme, scale); });
        });

    py::class_<HeldResult>(module, "Result")
        .def_static("read", readResult)
        .def("study",
             [](const HeldResult& held) {
                 HeldStudy study = held.study;
                 study.study = held.result->study;
                 return study;
             })
        .def("run", [](const HeldResult& held) { return held.run; })
        .def("trouble", [](const HeldResult& held) { return toPython(held.trouble); })
        .def("headline", textOf([](const HeldResult& held) { return study::headline(*held.result); }))
        .def("title", textOf([](const HeldResult& held) { return study::titleOf(*held.result); }))
        .def("misfit", textOf(misfit))
        .def("assumptions", [](const HeldResult& held) { return toPython(held.result->assumptions); })
        .def("warnings", [](const HeldResult& held) { return toPython(held.result->warnings); })
        .def("version", [](const HeldResult& held) { return toPython(held.result->version); })
        .def("metric_values", metricValues)
        .def("metrics", metrics)
        .def("explain", explain)
        .def("choices", [](const HeldResult& held) { return toPython(catalogueOf(held).choices(*held.result)); })
        .def("tables", [](const HeldResult& held) { return applying(held, catalogueOf(held).tables); })
        .def("pictures", [](const HeldResult& held) { return applying(held, catalogueOf(held).pictures); })
        .def("file_kinds", [](const HeldResult& held) { return applying(held, catalogueOf(held).files); })
        .def("table", table)
        .def("picture", picture)
        .def("files", files)
        .def("document", textOf(document))
        .def("text", textOf([](const HeldResult& held) { return report::toText(*held.result); }))
        .def("html", textOf([](const HeldResult& held) {
                 const std::lock_guard lock(*held.usesFiles);
                 return report::htmlPart(runOf(held), {.comparison = false, .provenance = false});
             }))
        .def("save", [](const HeldResult& held, const std::string& path) { unlocked([&] { save(held, path); }); });
}

}  // namespace tessera::python
