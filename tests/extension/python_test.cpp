// A name of the Python package is a function of one of its modules, imported and listed: its stub follows.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/file.h"
#include "tests/extension/shell.h"
#include "tests/support/paths.h"
#include "tests/support/scratch_folder.h"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char* kToyModule = R"("""A toy."""


def doubled(number: float) -> float:
    """Returns twice a number."""
    return 2 * number
)";

std::string ofPython(const fs::path& packages, const std::string& arguments) {
    return shell(packages, "PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=. /usr/bin/python3 " + arguments).output;
}

TEST(ToyPython, aNameIsCalledListedAndInTheStubs) {
    const fs::path built = buildDirectory() / "python" / "tessera";
    if (!isFile(built / "__init__.py")) GTEST_SKIP() << "this build has no Python package (-DTESSERA_PYTHON=ON)";
    const ScratchFolder scratch;
    const fs::path package = scratch.path() / "tessera";
    fs::create_directories(package);
    for (const fs::directory_entry& entry : fs::directory_iterator(built)) {
        if (entry.path().extension() == ".so")
            fs::create_symlink(entry.path(), package / entry.path().filename());
        else if (entry.is_regular_file() && entry.path().extension() != ".pyi")
            fs::copy_file(entry.path(), package / entry.path().filename());
    }
    writeFile(package / "_toy.py", kToyModule);
    std::string names = readFile(package / "__init__.py");
    constexpr std::string_view kList = "__all__ = [\n";
    names.insert(names.find(kList) + kList.size(), "    \"doubled\",\n");
    names.insert(names.find("from ._study import"), "from ._toy import doubled\n");
    writeFile(package / "__init__.py", names);

    EXPECT_EQ(
        ofPython(scratch.path(), "-c 'import tessera; print(tessera.doubled(21), \"doubled\" in tessera.__all__)'"),
        "42 True\n");
    const fs::path stubs = package / "__init__.pyi";
    EXPECT_EQ(ofPython(scratch.path(), "'" + sourcePath("app/python/stubs.py").string() + "' '" + stubs.string() + "'"),
              "");
    EXPECT_THAT(readFile(stubs),
                HasSubstr("def doubled(number: float) -> float:\n    \"\"\"Returns twice a number.\"\"\""));
}

}  // namespace
}  // namespace tessera::test
