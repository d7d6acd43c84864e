#pragma once

#include <CLI/App.hpp>
#include <string>

namespace tessera::cli {

/// The manual page of a command in the language of man(7), from the same parser that makes its `--help`. `path` is the
/// command with all above it: "tessera history list".
std::string manPage(const CLI::App& command, const std::string& path);

/// Name of the page, which is also that of its file before ".1": "tessera-history-list".
std::string manName(const std::string& path);

}  // namespace tessera::cli
