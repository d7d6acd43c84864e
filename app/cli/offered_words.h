#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

/// Sources of the words that shells complete, read when they are asked for.
namespace tessera::cli {

/// A word that fits at the end of a command line, and what it is.
struct Offered {
    std::string word;
    std::string about = {};
};

/// What a command line says before the word that is being typed.
struct TypedLine {
    std::string history = {};                        ///< value of --store
    std::map<std::string, std::string> values = {};  ///< by the names of values: MODEL, STUDY
    std::string begun = {};                          ///< the value that is being typed, as far as it is
};

/// A source of words.
struct WordSource {
    std::string_view name;  ///< "@fleets"
    std::vector<Offered> (*words)(const TypedLine& line);
    bool whole = false;  ///< words are values as they would be in the end; else entries of a list with commas
};

/// Null where there is no such source.
const WordSource* findWordSource(std::string_view name);

}  // namespace tessera::cli
