#include "core/report/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <type_traits>

#include "core/base/error.h"
#include "core/base/names.h"
#include "core/base/text.h"
#include "core/report/catalogues.h"
#include "core/study/metric.h"

namespace tessera::report {

namespace {

const study::RunContext kNoContext;
constexpr std::string_view kBetween = " · ";  ///< the parts of a headline

std::vector<Catalogue>& all() {
    static std::vector<Catalogue> rows{
        partitionCatalogue(), planCatalogue(),     mappingCatalogue(),     codesignCatalogue(), predictionCatalogue(),
        placementCatalogue(), scheduleCatalogue(), calibrationCatalogue(), costCatalogue(),     explorationCatalogue()};
    return rows;
}

Catalogue& named(std::string_view engine) {
    for (Catalogue& each : all())
        if (each.engine == engine) return each;
    throw UsageError(fmt::format("nothing is known to show of results of {}", inQuotes(engine)));
}

template <typename AnyRow>
const AnyRow& rowNamed(const std::vector<AnyRow>& rows, std::string_view engine, std::string_view id,
                       const char* what) {
    if (const AnyRow* const row = findRow(rows, id)) return *row;
    for (const OlderName& each : olderNames())
        if (const AnyRow* const row = findRow(rows, each.id);
            row != nullptr && each.engine == engine && each.older == id)
            return *row;
    throw UsageError(fmt::format("there is no {} {} of this result; expected one of {}", what, inQuotes(id),
                                 joined(idsOf(rows), ", ")));
}

std::string partOf(const Row& row, const study::Result& result, const Selection& at) {
    const Catalogue& catalogue = catalogueOf(result.study.engine);
    return catalogue.part == nullptr ? std::string() : catalogue.part({result, at, kNoContext}, row.scope);
}

bool isOfChoice(const Row& row) {
    return row.scope != Scope::result && row.scope != Scope::devices;
}

/// The selection of a name among those known, of the first where there is none.
Selection chosenOf(const std::vector<std::string>& known, const std::string& choice) {
    Selection at;
    if (!choice.empty() && std::find(known.begin(), known.end(), choice) == known.end()) {
        constexpr std::size_t kMostNamed = 50;
        std::vector<std::string> named(known.begin(),
                                       known.begin() + static_cast<std::ptrdiff_t>(std::min(known.size(), kMostNamed)));
        if (known.size() > kMostNamed) named.emplace_back("…");
        throw UsageError(
            fmt::format("the result has nothing of {}; expected one of {}", inQuotes(choice), joined(named, ", ")));
    }
    if (!choice.empty() || !known.empty()) at.choice = choice.empty() ? known.front() : choice;
    return at;
}

}  // namespace

TableRow metricsRow() {
    return {{"metrics", "Metrics", "All metrics, full precision"}, [](const View& view) {
                Table table;
                table.columns = {{"metric"}, {"title"}, {"of"}, {"value", true}};
                for (const study::Metric& metric : study::metricsOf(view.result))
                    table.rows.push_back({metric.name, metric.title, metric.owner, exactNumber(metric.value)});
                return table;
            }};
}

std::string certaintySentence(const std::string& certainty) {
    constexpr std::string_view kGap = "optimality gap ≤ ";
    if (certainty.starts_with(kGap))
        return fmt::format("The optimality gap is at most {}.", certainty.substr(kGap.size()));
    if (certainty == "no bound") return "No bound says how much better there is.";
    return fmt::format("{} {}.", certainty.ends_with("the bound") ? "It is" : "That is", certainty);
}

const std::vector<OlderName>& olderNames() {
    static const std::vector<OlderName> kNames{
        {"mapping", "timeline", "schedule"},       {"mapping", "race", "convergence"},
        {"mapping", "race-gap", "optimality-gap"}, {"mapping", "demand", "required-bandwidth"},
        {"mapping", "explored", "search-space"},   {"mapping", "front", "pareto"},
        {"mapping", "sub-accelerators", "cores"},  {"codesign", "timeline", "pipeline"},
        {"codesign", "reference", "speedup"},      {"codesign", "areas", "area"},
        {"predict", "cost", "training-cost"},      {"predict", "methods", "baselines"},
        {"predict", "devices", "scaling"},         {"predict", "device-speedup", "scaling-speedup"},
        {"predict", "batches", "batch-memory"},    {"predict", "operators", "roofline"},
    };
    return kNames;
}

const std::vector<Catalogue>& catalogues() {
    return all();
}

const Catalogue& catalogueOf(std::string_view engine) {
    return named(engine);
}

void addCatalogue(Catalogue catalogue) {
    all().push_back(std::move(catalogue));
}

void addPicture(std::string_view engine, PictureRow row) {
    named(engine).pictures.push_back(std::move(row));
}

void addFile(std::string_view engine, FileRow row) {
    named(engine).files.push_back(std::move(row));
}

const PictureRow& pictureNamed(std::string_view engine, std::string_view id) {
    return rowNamed(catalogueOf(engine).pictures, engine, id, "chart");
}

const FileRow& fileNamed(std::string_view engine, std::string_view id) {
    return rowNamed(catalogueOf(engine).files, engine, id, "file");
}

const TableRow& tableNamed(std::string_view engine, std::string_view id) {
    return rowNamed(catalogueOf(engine).tables, engine, id, "table");
}

Selection selectionOf(const study::Result& result, const std::string& choice) {
    const Catalogue& catalogue = catalogueOf(result.study.engine);
    Selection at = chosenOf(catalogue.choices(result), choice);
    if (catalogue.levels == nullptr) return at;
    if (const std::vector<std::size_t> levels = catalogue.levels({result, at, kNoContext}); !levels.empty())
        at.level = levels.front();
    return at;
}

Selection selectionOf(const FileRow& row, const study::Result& result, const std::string& choice) {
    return row.choices == nullptr ? selectionOf(result, choice) : chosenOf(row.choices(result), choice);
}

std::vector<Selection> selectionsOf(const Row& row, const study::Result& result, const Selection& at) {
    const View view{result, at, kNoContext};
    const Catalogue& catalogue = catalogueOf(result.study.engine);
    if (row.scope != Scope::result) {
        const std::vector<std::string> known = catalogue.choices(result);
        if (std::find(known.begin(), known.end(), at.choice) == known.end()) return {};
    }
    if (row.applies && !row.applies(view)) return {};
    if (row.scope != Scope::level || catalogue.levels == nullptr) return {at};
    std::vector<Selection> found;
    for (const std::size_t level : catalogue.levels(view)) {
        found.push_back(at);
        found.back().level = level;
    }
    return found;
}

std::string titleOf(const Row& row, const study::Result& result, const Selection& at) {
    std::string title(row.title);
    if (isOfChoice(row)) title += fmt::format(" {} {}", catalogueOf(result.study.engine).preposition, at.choice);
    const std::string part = partOf(row, result, at);
    return part.empty() ? title : fmt::format("{}, {}", title, part);
}

std::string fileNameOf(const Row& row, const study::Result& result, const Selection& at) {
    std::string name = catalogueOf(result.study.engine).subject(result);
    if (isOfChoice(row)) name += fmt::format("-{}", at.choice);
    const std::string part = partOf(row, result, at);
    return fmt::format("{}-{}{}{}", name, row.id, part.empty() ? "" : "-", part);
}

std::string answerText(const study::Result& result) {
    const Catalogue& catalogue = catalogueOf(result.study.engine);
    if (catalogue.answer != nullptr)
        if (std::string answer = catalogue.answer(result); !answer.empty()) return answer;
    std::string text = study::headline(result);
    for (std::size_t at = 0; (at = text.find(kBetween, at)) != std::string::npos;)
        text.replace(at, kBetween.size(), "; ");
    return text + (text.ends_with('.') ? "" : ".");
}

std::string toText(const study::Result& result) {
    const Catalogue& catalogue = catalogueOf(result.study.engine);
    if (catalogue.text != nullptr) return catalogue.text(result);
    std::string text = study::headline(result) + "\n";
    for (const TableRow& row : catalogue.tables) {
        if ((row.where & kReport) == 0) continue;
        for (const Selection& at : selectionsOf(row, result, selectionOf(result, "")))
            text += "\n" + titleOf(row, result, at) + "\n" + toText(row.make({result, at, kNoContext}));
    }
    const auto list = [&](const char* title, const std::vector<std::string>& sentences) {
        if (!sentences.empty()) text += fmt::format("\n{}\n", title);
        for (const std::string& sentence : sentences) text += "- " + sentence + "\n";
    };
    list("Assumptions", result.assumptions);
    return text;
}

std::string toSvg(const Picture& picture, const Theme& theme) {
    return std::visit([&](const auto& value) { return toSvg(value, theme); }, picture);
}

std::string toCsv(const Picture& picture) {
    return std::visit(
        [](const auto& value) -> std::string {
            if constexpr (std::is_same_v<std::decay_t<decltype(value)>, Drawing>)
                throw UsageError("a drawing has no numbers of its own; write it as .svg, .png or .pdf");
            else
                return toCsv(value);
        },
        picture);
}

}  // namespace tessera::report
