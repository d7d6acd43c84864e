#pragma once

#include <CLI/App.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/offered_words.h"

/// Completion of command lines in shells: all words come from the parser that also reads them.
namespace tessera::cli {

/// First argument of a call that asks for words: the rest of the command line follows, up to the word that is being
/// typed.
inline constexpr std::string_view kAsksForWords = "__complete";

/// Lets shells offer these words for the value of an option or argument. A word that begins with '@' stands for a
/// source of words that is read when they are asked for, such as "@fleets" (all in offered_words.cpp). Returns the
/// option.
CLI::Option* offer(CLI::Option* option, const std::vector<std::string>& words);
template <typename Text>
CLI::Option* offer(CLI::Option* option, const std::vector<Text>& words) {
    return offer(option, std::vector<std::string>(words.begin(), words.end()));
}

/// What fits; files or folders besides where `paths` says so.
struct Offers {
    enum class Paths { none, files, folders };
    std::vector<Offered> words = {};
    Paths paths = Paths::none;
};

/// What fits for the last of the words, which may be empty or only begun. A history or a library that cannot be read
/// offers nothing.
Offers offersFor(CLI::App& program, const std::vector<std::string>& words);
/// The same as shells read it: a line of each word, a tab and what it is; then ":files" or ":folders".
std::string offersText(const Offers& offers);

/// Names of the shells that have a script.
std::vector<std::string_view> completedShells();
/// The script that a shell reads to complete `tessera`. Throws UsageError for a shell that has none.
std::string_view completionScript(std::string_view shell);

}  // namespace tessera::cli
