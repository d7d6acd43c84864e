#include "core/study/exploration/explored_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/names.h"
#include "core/base/text.h"
#include "core/explore/expression.h"
#include "core/study/document_study.h"
#include "core/study/engine.h"
#include "core/study/exploration/entry_error.h"
#include "core/study/exploration/inputs.h"

namespace tessera::study {

namespace {

constexpr std::string_view kSeedParameter = "seed";
constexpr const char* kVariedSource = "varied by an exploration";
constexpr double kLargestWhole = 0x1p53;

/// `member` is what of the variable is wrong, as files name it: "low".
[[noreturn]] void refuseVariable(const std::string& name, const std::string& sentence, const std::string& member = {}) {
    throw EntryError<UsageError>(UsageError(fmt::format("variable {}: {}", inQuotes(name), sentence)),
                                 variablePlace(name, member));
}

/// The name of a target, as files have it: "field".
std::string memberOf(VariableTarget target) {
    return target == VariableTarget::none ? std::string() : std::string(kVariableTargetNames.of(target));
}

template <typename AnyStudy>
auto& listOf(AnyStudy& study, std::string_view list) {
    return list == "models" ? study.models : list == "workloads" ? study.workloads : study.hardware;
}

/// Numbers that a variable may take.
struct NumberRange {
    Measure measure = Measure::count;
    double min = -1e300, max = 1e300;
    bool minExcluded = false, whole = false, powerOfTwo = false;

    bool holds(double value) const {
        if (!std::isfinite(value) || value > max || (minExcluded ? value <= min : value < min)) return false;
        if ((whole || powerOfTwo) && (value != std::floor(value) || std::fabs(value) > kLargestWhole)) return false;
        return !powerOfTwo || (value >= 1 && std::has_single_bit(static_cast<std::uint64_t>(value)));
    }
    std::string text() const {
        const auto shown = [this](double value) {
            return measure == Measure::count ? formatCount(value) : formatQuantity(value, measure);
        };
        std::string what = powerOfTwo ? "a power of two" : whole ? "a whole number" : "a number";
        // Fields that may be of any size end at 1e30.
        constexpr double kAny = 1e29;
        const bool from = min > -kAny, to = max < kAny;
        if (from && to && !minExcluded) return fmt::format("{} from {} to {}", what, shown(min), shown(max));
        if (from) what += (minExcluded ? " above " : " of at least ") + shown(min);
        if (to) what += (from ? " and at most " : " of at most ") + shown(max);
        return what;
    }
};

/// A value as it was given: 0 rather than 0.0, "a,b" of a list.
std::string wordOf(const Json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_number()) return exactNumber(value.get<double>());
    if (!value.is_array()) return value.dump();
    std::vector<std::string> parts;
    for (const Json& part : value) parts.push_back(wordOf(part));
    return joined(parts, ",");
}

std::optional<double> amountIn(const Json& value, Measure measure) {
    if (value.is_number()) return value.get<double>();
    if (!value.is_string()) return std::nullopt;
    return parseQuantity(value.get<std::string>(), measure);
}

/// The number of an amount, which a member of the variable gives, held to the range.
double numberIn(const VariableDefinition& variable, const Json& value, const NumberRange& range,
                const std::string& member) {
    const std::optional<double> number = amountIn(value, range.measure);
    if (number && range.holds(*number)) return *number;
    refuseVariable(
        variable.name,
        fmt::format("{} takes {}, not {}", inQuotes(variable.of, 200), range.text(), inQuotes(wordOf(value))), member);
}

bool areNumbers(const Json& values, Measure measure) {
    return std::all_of(values.begin(), values.end(),
                       [&](const Json& value) { return amountIn(value, measure).has_value(); });
}

/// All powers of two from one number to another.
std::vector<double> powersBetween(double low, double high) {
    std::vector<double> powers;
    for (double power = 1; power <= high; power *= 2)
        if (power >= low) powers.push_back(power);
    return powers;
}

/// Numbers that a field of hardware may have.
NumberRange rangeOf(const hardware::Field& row) {
    return {.measure = row.measure,
            .min = row.bounds.min,
            .max = row.bounds.max,
            .minExcluded = row.bounds.minExcluded,
            .whole = row.bounds.whole,
            .powerOfTwo = row.bounds.powerOfTwo};
}

bool holdsNumbers(const hardware::Field& row) {
    return row.holds == hardware::Holds::number || row.holds == hardware::Holds::range;
}

/// The step that a value stands at, as the range has it; nothing where it stands between two.
std::optional<double> atStep(const explore::Variable& range, double value) {
    if (!range.values.empty() || !(range.step > 0)) return value;
    const double steps = (value - range.low) / range.step;
    if (std::fabs(steps - std::round(steps)) > 1e-9 * std::max(1.0, std::fabs(steps))) return std::nullopt;
    const bool isInside = value >= range.low && value <= range.high;
    return isInside ? explore::valueNumbered(range, explore::numberOf(range, value)) : value;
}

/// The range or list of numbers that a definition gives.
explore::Variable numbersOf(const VariableDefinition& variable, const NumberRange& allowed) {
    NumberRange range = allowed;
    range.whole = range.whole || variable.integer;
    explore::Variable found{.name = variable.name, .scale = variable.scale};
    if (variable.levels > 0) found.levels = variable.levels;
    if (!variable.values->is_null()) {
        for (const Json& value : *variable.values) found.values.push_back(numberIn(variable, value, range, "values"));
        const auto [low, high] = std::minmax_element(found.values.begin(), found.values.end());
        found.low = *low;
        found.high = *high;
        return found;
    }
    if (variable.low->is_null())
        refuseVariable(variable.name, fmt::format("{} takes {}; give 'low' and 'high', or 'values'",
                                                  inQuotes(variable.of, 200), range.text()));
    found.low = numberIn(variable, *variable.low, range, "low");
    found.high = numberIn(variable, *variable.high, range, "high");
    if (!(found.low < found.high))
        refuseVariable(
            variable.name,
            fmt::format("'high' is {}; expected more than 'low', {}", exactNumber(found.high), exactNumber(found.low)),
            "high");
    if (found.scale == explore::Scale::log && !(found.low > 0))
        refuseVariable(variable.name, "'low' is 0 or less; a range on a log scale lies above 0", "low");
    if (range.powerOfTwo) {
        found.values = powersBetween(found.low, found.high);
        return found;
    }
    if (!variable.step->is_null()) {
        const std::optional<double> step = amountIn(*variable.step, range.measure);
        if (!step || !(*step > 0) || (range.whole && *step != std::floor(*step)))
            refuseVariable(variable.name,
                           fmt::format("'step' is {}; expected {} above 0", inQuotes(wordOf(*variable.step)),
                                       range.whole ? "a whole number" : "a number"),
                           "step");
        found.step = *step;
    } else if (range.whole) {
        found.step = 1;
    }
    return found;
}

explore::Variable categoriesOf(const VariableDefinition& variable, std::size_t count) {
    explore::Variable found{.name = variable.name};
    found.isCategory = true;
    for (std::size_t i = 0; i < count; ++i) found.values.push_back(static_cast<double>(i));
    found.low = 0;
    found.high = static_cast<double>(count - 1);
    return found;
}

/// 512 rather than 512.0.
Json wholeJson(double value) {
    Json whole = static_cast<std::int64_t>(std::llround(value));
    return whole;
}

/// How a variable's value becomes what it sets.
struct Setter {
    std::vector<Json> categories = {};  ///< what each word sets
    NumberRange range = {};             ///< else of the number
    bool asText = false;                ///< a number that is written as a text
    bool asList = false;                ///< a number that is the only one of a list

    Json of(const ExploredVariable& variable, double value) const {
        if (!categories.empty()) return categories.at(static_cast<std::size_t>(value));
        if (!variable.isChosen() && !range.holds(value))
            throw EntryError<UsageError>(
                UsageError(fmt::format("variable {} is {}; {} takes {}", inQuotes(variable.name), exactNumber(value),
                                       inQuotes(variable.of, 200), range.text())),
                variablePlace(variable.name, "formula"));
        if (asText) return exactNumber(value);
        if (asList) return Json::array({value});
        return range.whole || range.powerOfTwo ? wholeJson(value) : Json(value);
    }
};

/// A hardware file with gaps where variables stand.
struct FileWithGaps {
    std::vector<std::string> pieces = {};     ///< one more than gaps
    std::vector<std::size_t> variables = {};  ///< by gap
    mutable std::mutex mutex = {};
    mutable std::map<std::vector<double>, InputFiles::Bytes> kept = {};  ///< bytes by the gaps' values
};

std::string gapText(std::size_t variable) {
    return fmt::format("@variable {}@", variable);
}

void cutAtGaps(FileWithGaps& file, const Json& document, const std::vector<std::size_t>& variables) {
    const std::string text = document.dump(2);
    std::map<std::size_t, std::size_t> places;  // where each gap begins
    for (const std::size_t variable : variables) places[text.find('"' + gapText(variable) + '"')] = variable;
    std::size_t from = 0;
    for (const auto& [at, variable] : places) {
        file.pieces.push_back(text.substr(from, at - from));
        file.variables.push_back(variable);
        from = at + gapText(variable).size() + 2;
    }
    file.pieces.push_back(text.substr(from));
}

/// A variable's formula, which may use those that are chosen and those before it.
explore::Expression formulaOf(const std::vector<ExploredVariable>& variables, std::size_t of) {
    const ExploredVariable& variable = variables[of];
    explore::Expression formula(variable.formula, idsOf(variables),
                                {.where = fmt::format("formula of variable {}", inQuotes(variable.name))});
    for (const std::size_t used : formula.uses()) {
        const ExploredVariable& other = variables[used];
        if (other.isCategory())
            refuseVariable(variable.name, fmt::format("its formula uses {}, which is no number", inQuotes(other.name)),
                           "formula");
        if (used == of) refuseVariable(variable.name, "its formula uses itself", "formula");
        if (!other.isChosen() && used > of)
            refuseVariable(variable.name,
                           fmt::format("its formula uses {}, which is computed after it", inQuotes(other.name)),
                           "formula");
    }
    return formula;
}

}  // namespace

struct ExploredSpace::Data {
    Study base;
    std::vector<Study> inner;
    std::vector<Setter> setters;
    std::vector<HardwareFile> files;
    std::deque<FileWithGaps> gaps;                        ///< by file
    std::set<std::pair<std::size_t, std::size_t>> taken;  ///< file and place of fields that a variable sets
    std::map<std::size_t, PlacedField> fields;            ///< by the variable that sets them
    std::map<std::size_t, explore::Expression> formulas;  ///< by variable, where it has one

    const Engine& engine() const { return engineNamed(base.engine); }

    ExploredVariable bound(const VariableDefinition& definition, std::size_t number, std::vector<Json>& documents,
                           std::vector<std::vector<std::size_t>>& variablesOf) {
        ExploredVariable variable{.name = definition.name,
                                  .title = definition.name,
                                  .target = definition.target,
                                  .of = definition.of,
                                  .formula = definition.formula};
        Setter& setter = setters.emplace_back();
        switch (definition.target) {
            case VariableTarget::none:
                break;
            case VariableTarget::parameter:
                bindParameter(definition, variable, setter);
                break;
            case VariableTarget::input:
                bindInput(definition, variable, setter);
                break;
            case VariableTarget::dimension:
                variable.title = definition.of;
                variable.help = "Dimension of the model";
                setter.range = {.min = 1, .max = std::numeric_limits<std::int32_t>::max(), .whole = true};
                if (variable.isChosen()) variable.range = numbersOf(definition, setter.range);
                break;
            case VariableTarget::field: {
                const PlacedField field =
                    atEntry(variablePlace(definition.name, "field"), [&] { return fieldAt(files, definition.of); });
                bindField(definition, field, variable, setter);
                if (!taken.emplace(field.file, field.place).second)
                    refuseVariable(definition.name,
                                   fmt::format("another variable sets {}, too", inQuotes(definition.of, 200)), "field");
                fields.emplace(number, field);
                Json& value = hardware::valueAt(documents[field.file], field.in(files));
                const std::string gap = gapText(number);
                const hardware::Holds holds = field.in(files).row->holds;
                value = holds == hardware::Holds::range && setter.categories.empty() ? Json(Json::array({gap}))
                        : holds == hardware::Holds::number
                            ? Json{{"value", gap}, {"source", kVariedSource}, {"class", hardware::kOwnNumber}}
                            : Json(gap);
                variablesOf[field.file].push_back(number);
                break;
            }
        }
        if (!definition.help.empty()) variable.help = definition.help;
        return variable;
    }

    void bindParameter(const VariableDefinition& definition, ExploredVariable& variable, Setter& setter) const {
        const std::vector<Parameter>& rows = engine().parameters();
        const Parameter* const row = findParameter(rows, definition.of);
        if (row == nullptr && definition.of == kSeedParameter && engine().drawsNumbers) {
            variable.title = "Seed";
            setter.range = {.min = 0, .max = kLargestWhole, .whole = true};
            if (variable.isChosen()) variable.range = numbersOf(definition, setter.range);
            return;
        }
        if (row == nullptr) {
            const std::vector<std::string> known = idsOf(rows);
            refuseVariable(
                definition.name,
                fmt::format("engine {} has no parameter {}; {}", inQuotes(engine().id), inQuotes(definition.of),
                            withClosest("did you mean {}?", definition.of, known, "it has " + joined(known, ", "))),
                "parameter");
        }
        variable.title = row->label.empty() ? wordsOf(row->name) : std::string(row->label);
        variable.help = row->help;
        bindValues(definition, *row, variable, setter);
    }

    static std::string wordsOf(std::string_view name) {
        std::string words(name);
        std::replace(words.begin(), words.end(), '_', ' ');
        words[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(words[0])));
        return words;
    }

    /// A parameter's numbers or categories.
    void bindValues(const VariableDefinition& definition, const Parameter& row, ExploredVariable& variable,
                    Setter& setter) const {
        const bool isNumber = row.kind == ParameterKind::number || row.kind == ParameterKind::whole ||
                              row.kind == ParameterKind::wordOrNumber;
        const bool listsNumbers = !definition.values->is_null() && areNumbers(*definition.values, row.measure);
        const bool takesTexts = row.kind == ParameterKind::text || row.kind == ParameterKind::numbers;
        if ((isNumber && (definition.values->is_null() || listsNumbers)) || (takesTexts && listsNumbers) ||
            (takesTexts && !definition.low->is_null()) || !variable.isChosen()) {
            if (!isNumber && !takesTexts)
                refuseVariable(definition.name, fmt::format("parameter {} takes no number", inQuotes(definition.of)),
                               "parameter");
            variable.measure = row.measure;
            if (row.kind != ParameterKind::text)
                setter.range = {.measure = row.measure, .min = row.min, .max = row.max};
            setter.range.whole = row.kind == ParameterKind::whole || row.inWholes || (definition.integer && takesTexts);
            setter.asText = row.kind == ParameterKind::text;
            setter.asList = row.kind == ParameterKind::numbers;
            if (variable.isChosen()) variable.range = numbersOf(definition, setter.range);
            return;
        }
        Json values = *definition.values;
        if (values.is_null() && row.kind == ParameterKind::flag) values = Json::array({false, true});
        if (values.is_null() && row.kind == ParameterKind::word) values = row.words;
        if (values.is_null())
            refuseVariable(definition.name, fmt::format("parameter {} takes {}; give 'values'", inQuotes(definition.of),
                                                        expectationOf(row)));
        if (row.kind == ParameterKind::document || row.kind == ParameterKind::list)
            refuseVariable(definition.name,
                           fmt::format("parameter {} is a document, which cannot vary", inQuotes(definition.of)),
                           "parameter");
        for (const Json& value : values) {
            const JsonDocument document = documentOf(Json{{definition.of, value}}, "variable " + definition.name);
            setter.categories.push_back(atEntry(variablePlace(definition.name, "values"),
                                                [&] { return readParameter(row, document.root().at(definition.of)); }));
            variable.words.push_back(wordOf(value));
        }
        variable.range = categoriesOf(definition, values.size());
    }

    void bindInput(const VariableDefinition& definition, ExploredVariable& variable, Setter& setter) const {
        const Engine& row = engine();
        const InputArity takes = definition.of == "models"      ? row.models
                                 : definition.of == "workloads" ? row.workloads
                                                                : row.hardware;
        if (takes == InputArity::none)
            refuseVariable(definition.name, fmt::format("engine {} takes no {}", inQuotes(row.id), definition.of),
                           "input");
        if (definition.values->is_null()) refuseVariable(definition.name, "an input takes names; give 'values'");
        variable.title = definition.of == "models"      ? "Model"
                         : definition.of == "workloads" ? wordsOf(row.workloadKind)
                                                        : wordsOf(row.hardwareKind);
        for (const Json& value : *definition.values) {
            setter.categories.push_back(value);
            variable.words.push_back(wordOf(value));
        }
        variable.range = categoriesOf(definition, setter.categories.size());
    }

    void bindField(const VariableDefinition& definition, const PlacedField& placed, ExploredVariable& variable,
                   Setter& setter) const {
        const hardware::FieldPlace& place = placed.in(files);
        const hardware::Field& row = *place.row;
        variable.of = definition.of;
        variable.title = titleOf(files, placed);
        variable.help = row.about;
        if (holdsNumbers(row)) {
            variable.measure = row.measure;
            setter.range = rangeOf(row);
            if (variable.isChosen()) variable.range = numbersOf(definition, setter.range);
            return;
        }
        if (!variable.isChosen())
            refuseVariable(definition.name, fmt::format("field {} takes no number", inQuotes(definition.of, 200)),
                           "field");
        Json values = *definition.values;
        if (values.is_null() && row.holds == hardware::Holds::flag) values = Json::array({false, true});
        if (values.is_null() && !row.words.empty()) values = row.words;
        if (values.is_null())
            refuseVariable(definition.name,
                           fmt::format("field {} takes no range; give 'values'", inQuotes(definition.of, 200)));
        for (const Json& value : values) {
            if (!row.words.empty() && std::find(row.words.begin(), row.words.end(), wordOf(value)) == row.words.end())
                refuseVariable(definition.name,
                               fmt::format("{} takes one of {}, not {}", inQuotes(definition.of, 200),
                                           joined(row.words, ", "), inQuotes(wordOf(value))),
                               "values");
            setter.categories.push_back(value);
            variable.words.push_back(wordOf(value));
        }
        variable.range = categoriesOf(definition, values.size());
    }

    /// Computes the variables that have a formula, of those that `isComputed`; NaN where it has no value.
    void compute(
        std::vector<double>& values,
        const std::function<bool(std::size_t variable)>& isComputed = [](std::size_t) { return true; }) const {
        for (const auto& [variable, formula] : formulas) {
            if (!isComputed(variable)) continue;
            const double value = formula.at(values);
            values[variable] = std::isfinite(value) ? value : std::numeric_limits<double>::quiet_NaN();
        }
    }

    /// What the base has of a variable; null where it has nothing.
    Json ownJson(const ExploredVariable& variable, std::size_t number) const {
        switch (variable.target) {
            case VariableTarget::parameter:
                if (variable.of == kSeedParameter && findParameter(engine().parameters(), variable.of) == nullptr)
                    return base.seed ? Json(*base.seed) : Json();
                if (const Json own = base.parameters->value(variable.of, Json()); !own.is_null()) return own;
                return defaultOf(*findParameter(engine().parameters(), variable.of));
            case VariableTarget::input: {
                const std::vector<std::string>& list = listOf(base, variable.of);
                return list.size() == 1 ? Json(list.front()) : Json();
            }
            case VariableTarget::dimension: {
                if (const auto found = base.dimensions.find(variable.of); found != base.dimensions.end())
                    return found->second;
                for (const model::ZooDimension& each : zooDimensionsOf(base))
                    if (each.name == variable.of && each.follows.empty()) return each.value;
                return {};
            }
            case VariableTarget::field:
                return fields.at(number).in(files).value;
            case VariableTarget::none:
                break;
        }
        return {};
    }
    double ownValue(const ExploredVariable& variable, std::size_t number) const {
        Json own = ownJson(variable, number);
        if (setters[number].asList && own.is_array() && own.size() == 1) own = Json(own.front());
        if (variable.isCategory()) {
            const std::vector<Json>& categories = setters[number].categories;
            const auto found = std::find(categories.begin(), categories.end(), own);
            if (found != categories.end()) return static_cast<double>(found - categories.begin());
        } else if (const std::optional<double> value = amountIn(own, variable.measure)) {
            return *value;
        }
        return std::numeric_limits<double>::quiet_NaN();
    }

    /// The same bytes for the same values, so that what is made of them may be kept (see madeOfInputs).
    InputFiles::Bytes bytesOf(std::size_t file, const std::vector<ExploredVariable>& variables,
                              const std::vector<double>& values) const {
        constexpr std::size_t kMaxKept = 256;
        const FileWithGaps& gapped = gaps[file];
        std::vector<double> key;
        for (const std::size_t variable : gapped.variables) key.push_back(values[variable]);
        const std::lock_guard lock(gapped.mutex);
        if (const auto found = gapped.kept.find(key); found != gapped.kept.end()) return found->second;
        if (gapped.kept.size() >= kMaxKept) gapped.kept.clear();
        return gapped.kept[key] = std::make_shared<const std::string>(textOf(gapped, variables, values));
    }
    std::string textOf(const FileWithGaps& gapped, const std::vector<ExploredVariable>& variables,
                       const std::vector<double>& values) const {
        std::string text = gapped.pieces.front();
        for (std::size_t i = 0; i < gapped.variables.size(); ++i) {
            const std::size_t variable = gapped.variables[i];
            const Json value = setters[variable].of(variables[variable], values[variable]);
            text += value.is_number_float() ? exactNumber(value.get<double>()) : value.dump();
            text += gapped.pieces[i + 1];
        }
        return text;
    }
};

ExploredSpace::~ExploredSpace() = default;
ExploredSpace::ExploredSpace(ExploredSpace&&) noexcept = default;

std::vector<Study> innerStudies(const Study& base, const std::vector<VariableDefinition>& variables) {
    std::vector<Study> all{base};
    for (const VariableDefinition& variable : variables) {
        const bool isInput = variable.target == VariableTarget::input;
        const Parameter* const row = variable.target == VariableTarget::parameter
                                         ? findParameter(engineNamed(base.engine).parameters(), variable.of)
                                         : nullptr;
        if (variable.values->is_null() || (!isInput && (row == nullptr || row->kind != ParameterKind::text))) continue;
        for (const Json& value : *variable.values) {
            Study with = base;
            if (isInput)
                listOf(with, variable.of) = {value.get<std::string>()};
            else if (value.is_string() && (!row->library.empty() || namesFile(value.get<std::string>())))
                with.parameters[variable.of] = value;
            if (std::find(all.begin(), all.end(), with) == all.end()) all.push_back(std::move(with));
        }
    }
    return all;
}

ExploredSpace::ExploredSpace(const Study& base, const std::vector<VariableDefinition>& variables)
    : data_(std::make_unique<Data>()) {
    Data& data = *data_;
    data.base = base;
    data.inner = innerStudies(base, variables);
    const bool hasFields = std::any_of(variables.begin(), variables.end(), [](const VariableDefinition& variable) {
        return variable.target == VariableTarget::field;
    });
    if (hasFields) data.files = hardwareFilesOf(data.inner);
    std::vector<Json> documents;
    for (const HardwareFile& file : data.files) documents.push_back(file.document.json());
    std::vector<std::vector<std::size_t>> variablesOf(data.files.size());
    std::set<std::string> names;
    std::set<std::pair<VariableTarget, std::string>> targets;
    for (const VariableDefinition& each : variables) {
        if (!names.insert(each.name).second) refuseVariable(each.name, "another variable has that name, too", "name");
        if (each.target != VariableTarget::none && !targets.emplace(each.target, each.of).second)
            refuseVariable(each.name, fmt::format("another variable sets {}, too", inQuotes(each.of, 200)),
                           memberOf(each.target));
        variables_.push_back(data.bound(each, variables_.size(), documents, variablesOf));
    }
    for (std::size_t i = 0; i < data.files.size(); ++i)
        cutAtGaps(data.gaps.emplace_back(), documents[i], variablesOf[i]);
    for (std::size_t i = 0; i < variables_.size(); ++i)
        if (!variables_[i].isChosen())
            data.formulas.emplace(
                i, atEntry(variablePlace(variables_[i].name, "formula"), [&] { return formulaOf(variables_, i); }));
    for (const ExploredVariable& variable : variables_)
        if (variable.isChosen())
            atEntry(variablePlace(variable.name), [&] { explore::checkVariables({variable.range}); });
    explore::checkVariables(chosen());
    // Parameters that the base does not name take their place in the order of the engine's table.
    for (const ExploredVariable& variable : variables_)
        if (variable.target == VariableTarget::parameter && variable.of != kSeedParameter &&
            !data.base.parameters->contains(variable.of))
            data.base.parameters[variable.of] = nullptr;
    Json sorted = Json::object();
    for (const Parameter& row : data.engine().parameters())
        if (const auto found = data.base.parameters->find(std::string(row.name)); found != data.base.parameters->end())
            sorted[std::string(row.name)] = *found;
    data.base.parameters = std::move(sorted);
}

std::vector<explore::Variable> ExploredSpace::chosen() const {
    std::vector<explore::Variable> all;
    for (const ExploredVariable& variable : variables_)
        if (variable.isChosen()) all.push_back(variable.range);
    return all;
}

const std::vector<Study>& ExploredSpace::inner() const {
    return data_->inner;
}

std::vector<double> ExploredSpace::valuesAt(const explore::Point& point) const {
    std::vector<double> values(variables_.size(), 0);
    std::size_t next = 0;
    for (std::size_t i = 0; i < variables_.size(); ++i)
        if (variables_[i].isChosen()) values[i] = point.at(next++);
    data_->compute(values);
    return values;
}

void ExploredSpace::checkComputed(const std::vector<double>& values) const {
    for (const auto& [variable, formula] : data_->formulas)
        if (!std::isfinite(values.at(variable)))
            refuseVariable(variables_[variable].name,
                           fmt::format("{} has no value here", inQuotes(formula.text(), 200)), "formula");
}

double ExploredSpace::valueGiven(std::size_t number, const Json& given) const {
    const ExploredVariable& variable = variables_.at(number);
    const std::string word = wordOf(given);
    if (variable.isCategory()) {
        const auto found = std::find(variable.words.begin(), variable.words.end(), word);
        if (found != variable.words.end()) return static_cast<double>(found - variable.words.begin());
        refuseVariable(variable.name, fmt::format("{} takes one of {}, not {}", inQuotes(variable.of, 200),
                                                  joined(variable.words, ", "), inQuotes(word)));
    }
    const NumberRange& allowed = data_->setters[number].range;
    const std::optional<double> value = amountIn(given, variable.measure);
    if (!value || !allowed.holds(*value))
        refuseVariable(variable.name,
                       fmt::format("{} takes {}, not {}", inQuotes(variable.of, 200), allowed.text(), inQuotes(word)));
    if (const std::optional<double> step = atStep(variable.range, *value)) return *step;
    refuseVariable(variable.name,
                   fmt::format("it takes steps of {} from {}, not {}", exactOf(variable, variable.range.step),
                               exactOf(variable, variable.range.low), inQuotes(word)));
}

std::vector<double> ExploredSpace::ownValues() const {
    std::vector<double> values;
    for (std::size_t i = 0; i < variables_.size(); ++i) values.push_back(data_->ownValue(variables_[i], i));
    data_->compute(values, [this](std::size_t i) { return variables_[i].target == VariableTarget::none; });
    return values;
}

PointStudy ExploredSpace::studyAt(const std::vector<double>& values, const std::shared_ptr<InputFiles>& files) const {
    PointStudy point{.study = data_->base, .files = std::make_shared<InputFiles>(files)};
    for (std::size_t i = 0; i < variables_.size(); ++i) {
        const ExploredVariable& variable = variables_[i];
        if (variable.target == VariableTarget::none || variable.target == VariableTarget::field) continue;
        const Json value = data_->setters[i].of(variable, values[i]);
        if (variable.target == VariableTarget::input)
            listOf(point.study, variable.of) = {value.get<std::string>()};
        else if (variable.target == VariableTarget::dimension)
            point.study.dimensions[variable.of] = value.get<std::int64_t>();
        else if (variable.of == kSeedParameter && findParameter(data_->engine().parameters(), variable.of) == nullptr)
            point.study.seed = value.get<std::uint64_t>();
        else
            point.study.parameters[variable.of] = value;
    }
    for (std::size_t i = 0; i < data_->files.size(); ++i)
        if (!data_->gaps[i].variables.empty())
            point.files->give(data_->files[i].path, data_->bytesOf(i, variables_, values));
    return point;
}

std::vector<PointFile> ExploredSpace::filesAt(const std::vector<double>& values) const {
    std::vector<PointFile> all;
    for (std::size_t i = 0; i < data_->files.size(); ++i)
        all.push_back({.file = &data_->files[i],
                       .bytes = data_->bytesOf(i, variables_, values),
                       .isChanged = !data_->gaps[i].variables.empty()});
    return all;
}

std::string expectationOf(const hardware::Field& row) {
    if (holdsNumbers(row)) return rangeOf(row).text();
    if (row.holds == hardware::Holds::flag) return "true or false";
    return row.words.empty() ? "the values given" : "one of " + joined(row.words, ", ");
}

std::string textOf(const ExploredVariable& variable, double value) {
    if (std::isnan(value)) return "–";
    if (variable.isCategory()) return variable.words.at(static_cast<std::size_t>(value));
    return variable.measure == Measure::count ? formatCount(value) : formatQuantity(value, variable.measure);
}

std::string exactOf(const ExploredVariable& variable, double value) {
    if (std::isnan(value)) return "";
    return variable.isCategory() ? variable.words.at(static_cast<std::size_t>(value)) : exactNumber(value);
}

}  // namespace tessera::study
