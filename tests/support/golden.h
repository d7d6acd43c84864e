#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "tests/support/paths.h"

namespace tessera::test {

/// Fails where the text is not that of a file of the project, and leaves it beside the file as NAME.new.
inline void expectGolden(const std::string& text, const std::string& file) {
    std::ifstream stream(sourcePath(file));
    std::ostringstream expected;
    expected << stream.rdbuf();
    if (stream && expected.str() == text) return;
    std::ofstream(sourcePath(file + ".new")) << text;
    EXPECT_EQ(text, expected.str()) << "where the new text is right, accept it: mv " << file << ".new " << file;
}

}  // namespace tessera::test
