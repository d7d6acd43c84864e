#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "core/base/units.h"

namespace tessera::study {

struct Study;

/// Type of a parameter's value: decides how it is typed, stored and edited.
enum class ParameterKind : std::uint8_t {
    number,        ///< a number with `measure`; units are understood
    whole,         ///< a whole number
    word,          ///< one of `words`
    wordOrNumber,  ///< one of `words`, or a number
    words,         ///< a list of different `words`, at least one; "a,b" on the command line
    numbers,       ///< a list of different numbers with `measure`, at least one, stored from small to large
    text,          ///< free text of at most `max` characters, 64 where that is 0
    flag,          ///< true or false; its option takes no value and turns the default round
    namedWords,    ///< NAME=WORD pairs; the option repeats
    namedNumbers,  ///< N=NUMBER pairs with whole N of 0 or more; the option repeats
    wordNumbers,   ///< WORD=NUMBER pairs, each word at most once; the option repeats
    document,      ///< a JSON document as it stands; its option takes the name of a file that holds it
    list,          ///< a JSON list of at least one entry, likewise
};

/// One parameter of an engine: its name, option, unit, range, default and help, from which the command line, study
/// files and forms are generated. Engines write theirs as rows of an OptionTable, which bind the member that each sets.
struct Parameter {
    std::string_view name = {};     ///< in study files; never changes
    std::string_view option = {};   ///< on the command line, with its dashes
    std::string_view label = {};    ///< in forms; empty = the name's words
    std::string_view library = {};  ///< of a text that names an entry: the library's folder, "datasets"
    ParameterKind kind = ParameterKind::number;
    Measure measure = Measure::count;
    HeldJson fallback = {};  ///< the default; null = none (the engine decides)
    double min = 0;
    double max = 0;
    std::vector<std::string_view> words = {};
    std::string_view value = {};  ///< what stands for the value in help, such as "N"
    std::string_view help = {};   ///< one line
    bool inWholes = false;        ///< of a word or number: the number is whole
    bool research = false;        ///< shown apart: for studying the method, not for using it
    /// Value that stands for a document or list where it is read, checked and with its files found beside its own;
    /// null = the JSON as it stands. Throws DataError.
    Json (*fromNode)(const JsonNode& node) = nullptr;
    /// Value that a file gives, for a document; null = the file's document as it stands. Throws DataError.
    Json (*fromFile)(const JsonDocument& file) = nullptr;
    /// Of a list whose entries are lines of text in forms: the line of an entry, which `fromNode` reads back; null = it
    /// is taken from files.
    std::string (*lineOf)(const Json& entry) = nullptr;
    std::string_view entry = {};  ///< of such a list: what one is called
    /// Lines, or beginnings of lines, that it is likely to have in a study; null = nothing is known. May throw what
    /// reading the study throws.
    std::vector<std::string> (*offered)(const Study& study) = nullptr;
    Json (*schema)() = nullptr;  ///< of a document or list: its JSON Schema; null = any object or list
};

/// The default of a parameter; null where it has none.
Json defaultOf(const Parameter& parameter);

/// The value that an option's texts mean, in the form in which studies store it. `texts` holds one entry per use of
/// the option (none for a flag). Throws UsageError naming the option, what was given and what is expected; for a
/// document, what reading its file throws.
Json parseParameter(const Parameter& parameter, const std::vector<std::string>& texts);

/// The value of a parameter of kind document or list that a file gives. Throws FileError, DataError.
Json readParameterFile(const Parameter& parameter, const std::string& path);

/// The value that a study file gives. Throws DataError.
Json readParameter(const Parameter& parameter, const JsonNode& node);

/// Allowed values as words that follow "expected": "a whole number from 1 to 64".
std::string expectationOf(const Parameter& parameter);

/// The JSON Schema of the value in a study file: what readParameter takes, the default and the row's text.
Json schemaOf(const Parameter& parameter);

/// Different whole numbers from 1 to `max` separated by commas, rising: what a text parameter may hold. Throws
/// UsageError, naming the option.
std::vector<std::int64_t> wholeNumbers(std::string_view option, const std::string& text, std::int64_t max);

/// The row of a name, or nullptr.
const Parameter* findParameter(const std::vector<Parameter>& parameters, std::string_view name);

}  // namespace tessera::study
