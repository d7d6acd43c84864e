#pragma once

#include <string>
#include <string_view>

#include "core/base/json.h"
#include "core/study/study.h"

/// Variables as a line of text, which command lines, files and forms take: "pes=64..4096:log".
namespace tessera::study {

/// How a line is written, for help and errors.
inline constexpr std::string_view kVariableForms =
    "NAME=LOW..HIGH, NAME=LOW..HIGH:log, NAME=LOW..HIGH:STEP, NAME=VALUE,VALUE or NAME:=FORMULA";

/// A number where the text is one, else the text, which may be a number with its unit.
Json numberOrText(std::string_view text);

/// What a line says, in the form that `readVariable` takes: `{"parameter": "pes", "low": 64, "high": 4096, "scale":
/// "log"}`. NAME is a parameter, 'models', 'workloads' or 'hardware', "dim.NAME" of a dimension, or the path of a
/// field; "ALIAS@NAME" gives the variable another name. After the range may stand ":log", a step, ":integer",
/// ":levels=N". Values with commas stand between quotation marks. A line that begins with "{" is that form itself.
/// Throws UsageError.
Json variableInText(const std::string& text);
/// The same where the study that varies is known: it tells its dimensions from its parameters.
Json variableInText(const std::string& text, const Study& base);
/// The line of such a form. `variableInText` reads the same back.
std::string textOfVariable(const Json& variable);
/// The same of objectives, "METRIC:min", and constraints, "METRIC <= VALUE".
std::string textOfObjective(const Json& objective);
std::string textOfConstraint(const Json& constraint);

}  // namespace tessera::study
