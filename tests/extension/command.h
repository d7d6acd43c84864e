#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "app/cli/command.h"
#include "app/cli/program.h"

namespace tessera::test {

/// Runs a command of the table in this process; returns what it printed.
inline std::string printed(std::vector<std::string> arguments,
                           const std::vector<cli::Command>& table = cli::commands()) {
    arguments.insert(arguments.begin(), "tessera");
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    testing::internal::CaptureStdout();
    const int code = cli::run(static_cast<int>(pointers.size()), pointers.data(), {}, table);
    std::string text = testing::internal::GetCapturedStdout();
    EXPECT_EQ(code, 0) << arguments[1];
    return text;
}

}  // namespace tessera::test
