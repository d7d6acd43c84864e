#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "app/manual/conventions.h"

namespace tessera::cli {

/// The manual page of a program or of a command in the language of man(7), from the same parser that makes its
/// `--help`. `path` is the command with all above it: "tessera history list". `related` names further pages that it
/// refers to.
std::string manPage(const CLI::App& command, const std::string& path, const Conventions& conventions,
                    const std::vector<std::string>& related = {});

/// Name of the page, which is also that of its file before ".1": "tessera-history-list".
std::string manName(const std::string& path);

}  // namespace tessera::cli
