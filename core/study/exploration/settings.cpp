#include "core/study/exploration/settings.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/error.h"
#include "core/base/names.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/study/document_study.h"
#include "core/study/exploration/entry_error.h"
#include "core/study/exploration/settable.h"
#include "core/study/exploration/study.h"
#include "core/study/exploration/variable_text.h"
#include "core/study/option_table.h"

namespace tessera::study {

namespace {

constexpr double kMaxExploredPoints = 1e6, kMaxPopulation = 1e5;
constexpr std::size_t kMaxVariables = 1000, kMaxObjectives = 16, kMaxConstraints = 100;

Json readBase(const JsonNode& node) {
    const Study study = readStudyInside(node);
    if (engineNamed(study.engine).inner != nullptr)
        node.at("engine").fail("a study that runs by itself",
                               fmt::format("{}, which runs others", inQuotes(study.engine)));
    return toJson(study);
}

template <typename Definition, Definition (*kRead)(const JsonNode&), std::size_t kMax>
Json readEach(const JsonNode& node) {
    Json list = Json::array();
    for (const JsonNode& entry : node.elements(kMax)) list.push_back(toJson(kRead(entry)));
    return list;
}

Json readBegin(const JsonNode& node) {
    Json list = Json::array();
    for (const JsonNode& entry : node.elements(static_cast<std::size_t>(kMaxExploredPoints))) {
        for (const auto& [name, value] : entry.members())
            if (!value.isNumber() && !value.isString()) value.fail("a number, a word, or a text with a unit");
        list.push_back(entry.json());
    }
    return list;
}

/// The schema of a definition of tessera.exploration/1.
Json referenceTo(std::string_view definition) {
    return Json::object({{"$ref", fmt::format("exploration.schema.json#/definitions/{}", definition)}});
}
Json baseSchema() {
    return referenceTo("study");
}
Json entriesSchema(std::string_view definition, std::size_t max) {
    Json schema = Json::object({{"type", "array"}});
    schema["items"] = referenceTo(definition);
    schema["minItems"] = 1;
    schema["maxItems"] = max;
    return schema;
}

const OptionTable<ExplorationSettings>& explorationTable() {
    using Options = ExplorationSettings;
    static const OptionTable<Options> kTable{
        {"study", "--study FILE", &Options::study, Values::documentBy(readBase).shapedAs(baseSchema),
         "the study that is varied, of any engine"},
        {"variables", "--variables FILE", &Options::variables,
         Values::linesBy(readEach<VariableDefinition, readVariable, kMaxVariables>, textOfVariable, "variable",
                         offeredVariables)
             .shapedAs([] { return entriesSchema("variable", kMaxVariables); }),
         "what varies: parameters, inputs and dimensions of the study, fields of its hardware, and values computed "
         "from "
         "others"},
        {"objectives", "--objectives FILE", &Options::objectives,
         Values::linesBy(readEach<ObjectiveDefinition, readObjective, kMaxObjectives>, textOfObjective, "objective",
                         offeredMetrics)
             .shapedAs([] { return entriesSchema("objective", kMaxObjectives); }),
         "metrics of the study to minimise or maximise"},
        {"constraints", "--constraints FILE", &Options::constraints,
         Values::linesBy(readEach<ConstraintDefinition, readConstraint, kMaxConstraints>, textOfConstraint,
                         "constraint", offeredMetrics)
             .shapedAs([] { return entriesSchema("constraint", kMaxConstraints); }),
         "limits of metrics"},
        {"method", "--method METHOD", &Options::method, Values::word(idsOf<std::string_view>(explore::methods())),
         "how points are chosen"},
        {"points", "--points N", &Options::points, Values::whole(1, kMaxExploredPoints), "points to evaluate at most"},
        {"population", "--population N", &Options::population, Values::whole(0, kMaxPopulation),
         "points of a generation of methods that have them; 0 = by the method"},
        {"stop_after", "--stop-after N", &Options::stopAfter, Values::whole(1, kMaxExploredPoints),
         "stop after N consecutive points without improvement of a value or of the hypervolume"},
        {"keep", "--keep WHICH", &Options::keep, Values::word(kKeepPointsNames.all()),
         "points whose results are kept whole: none, those of the front, or all (at most 1,000)"},
        {"begin", "--begin FILE", &Options::begin, Values::listBy(readBegin).shapedAs([] {
             return entriesSchema("point", static_cast<std::size_t>(kMaxExploredPoints));
         }),
         "points to evaluate first, a row of values by variable each; of the method list the only ones"},
    };
    return kTable;
}

template <typename Definition>
std::vector<Definition> definitionsOf(const Json& list, const char* name, Definition (*read)(const JsonNode&)) {
    std::vector<Definition> all;
    if (list.is_null()) return all;
    const JsonDocument document = documentOf(Json{{name, list}}, "the exploration");
    for (const JsonNode& entry : document.root().at(name).elements()) all.push_back(read(entry));
    return all;
}

}  // namespace

const std::vector<Parameter>& explorationParameters() {
    return explorationTable().parameters();
}

ExplorationSettings explorationSettings(const Study& study) {
    return explorationTable().of(study);
}

Study baseOf(const Study& exploration) {
    const ExplorationSettings settings = explorationSettings(exploration);
    if (settings.study->is_null()) throw UsageError("the exploration has no study to vary");
    return readStudyInside(documentOf(*settings.study, "the study that is explored").root());
}

std::vector<Study> choicesOf(const Study& exploration) {
    return innerStudies(baseOf(exploration),
                        definitionsOf(*explorationSettings(exploration).variables, "variables", readVariable));
}

ExplorationDefinition definitionOf(const Study& study) {
    ExplorationDefinition definition{.settings = explorationSettings(study), .base = baseOf(study)};
    const ExplorationSettings& settings = definition.settings;
    definition.variables = definitionsOf(*settings.variables, "variables", readVariable);
    definition.objectives = definitionsOf(*settings.objectives, "objectives", readObjective);
    definition.constraints = definitionsOf(*settings.constraints, "constraints", readConstraint);
    const auto need = [](bool isThere, const char* parameter, const char* sentence) {
        if (!isThere) throw EntryError<UsageError>(UsageError(sentence), {.parameter = parameter});
    };
    need(!definition.variables.empty(), "variables", "the exploration has no variable");
    need(!definition.objectives.empty(), "objectives", "the exploration has no objective");
    return definition;
}

ExploredSpace spaceOf(const Study& exploration) {
    const ExplorationDefinition definition = definitionOf(exploration);
    return {definition.base, definition.variables};
}

std::vector<explore::Point> beginOf(const ExplorationDefinition& definition, const ExploredSpace& space) {
    std::vector<explore::Point> points;
    if (definition.settings.begin->is_null()) return points;
    const std::vector<ExploredVariable>& variables = space.variables();
    for (const Json& row : *definition.settings.begin) {
        explore::Point& point = points.emplace_back();
        const auto refuse = [number = points.size(), &row](const std::string& sentence) {
            throw EntryError<UsageError>(
                UsageError(fmt::format("row {} of the points to begin with: {}", number, sentence)),
                {.parameter = "begin", .like = row});
        };
        for (std::size_t i = 0; i < variables.size(); ++i) {
            if (!variables[i].isChosen()) continue;
            const auto value = row.find(variables[i].name);
            if (value == row.end()) refuse(fmt::format("it has no value of variable {}", inQuotes(variables[i].name)));
            try {
                point.push_back(space.valueGiven(i, *value));
            } catch (const UsageError& error) {
                refuse(error.what());
            }
        }
    }
    return points;
}

namespace {

/// Throws UsageError for what the method cannot.
explore::MethodProblem problemOf(const ExplorationDefinition& definition, const ExploredSpace& space,
                                 const explore::Method& method, std::uint64_t seed) {
    if (method.maxObjectives > 0 && definition.objectives.size() > method.maxObjectives)
        throw UsageError(fmt::format("the method {} takes at most {}; the exploration has {}", method.id,
                                     formatCounted(method.maxObjectives, "objective", "objectives"),
                                     definition.objectives.size()));
    if (method.needsRanges)
        for (const ExploredVariable& variable : space.variables())
            if (variable.isChosen() && variable.isCategory())
                throw UsageError(
                    fmt::format("the method {} takes variables whose values have an order; those of {} "
                                "have none",
                                method.id, inQuotes(variable.name)));
    explore::MethodProblem problem{.variables = space.chosen(),
                                   .objectives = definition.objectives.size(),
                                   .points = definition.settings.points,
                                   .seed = seed,
                                   .population = definition.settings.population,
                                   .begin = beginOf(definition, space)};
    explore::checkProblem(method, problem);
    return problem;
}

}  // namespace

explore::MethodProblem methodProblem(const ExplorationDefinition& definition, const ExploredSpace& space,
                                     std::uint64_t seed) {
    const explore::Method& method = explore::methodNamed(definition.settings.method);
    return atEntry({.parameter = "method"}, [&] { return problemOf(definition, space, method, seed); });
}

}  // namespace tessera::study
