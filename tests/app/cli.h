#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/app/program.h"
#include "tests/support/scratch_folder.h"

namespace tessera::test {

/// An empty folder that goes away with the test, with a small model in it and a history of its own.
class Cli : public testing::Test {
protected:
    Cli() {
        setenv("XDG_DATA_HOME", path("share").c_str(), 1);
        for (const char* variable : {"TESSERA_STORE", "TESSERA_THREADS", "TESSERA_DATA"}) unsetenv(variable);
        write("toy.json", R"({"schema": "tessera.layers/1", "name": "toy", "layers": [
{"name": "cv1", "kind": "conv", "in_channels": 3, "out_channels": 64, "in_height": 32, "in_width": 32,
 "conv_height": 32, "conv_width": 32, "kernel_height": 3, "kernel_width": 3},
{"name": "fc1", "kind": "fc", "in_channels": 65536, "out_channels": 1000}]})");
    }
    void write(const std::string& name, const std::string& text) const { std::ofstream(path(name)) << text; }
    std::string path(const std::string& name) const { return folder_ + "/" + name; }
    Ended tessera(const std::vector<std::string>& arguments) const { return runProgram(arguments, folder_); }

private:
    ScratchFolder scratch_;

protected:
    std::string folder_ = scratch_.path();
};

inline const std::vector<std::string> kToy{"partition", "--model", "toy.json", "--fleet", "accpar-heterogeneous"};

inline std::vector<std::string> with(std::vector<std::string> arguments, const std::vector<std::string>& more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

}  // namespace tessera::test
