#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/paths.h"
#include "tests/support/scratch_folder.h"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;

/// `$ tessera ...` in a console block, and the lines that the page shows under it. A line `...` stands for any lines.
struct Example {
    std::string command;
    std::vector<std::string> shown;
};

std::vector<std::string> linesOf(std::istream& in) {
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) {
        while (!line.empty() && line.back() == ' ') line.pop_back();
        lines.push_back(line);
    }
    return lines;
}

/// The page in order: plain lines as examples without a command, and the examples between them.
std::vector<Example> partsOf(const std::vector<std::string>& page) {
    std::vector<Example> parts(1);
    bool inConsole = false;
    for (const auto& line : page) {
        const bool fence = line.starts_with("```");
        if (inConsole && line.starts_with("$ ")) {
            parts.push_back({line.substr(2), {}});
            continue;
        }
        if (fence && inConsole) parts.emplace_back();
        if (fence) inConsole = line == "```console";
        parts.back().shown.push_back(line);
    }
    return parts;
}

struct Ran {
    int status = -1;
    std::vector<std::string> lines;
};

/// In an empty folder that sees the project's data/ and tests/, so that examples may name and write files.
Ran run(const std::string& command, const fs::path& folder) {
    const std::string programs = program().parent_path().string();
    const std::string line = "cd '" + folder.string() + "' && PATH='" + programs +
                             "':\"$PATH\" && export XDG_DATA_HOME='" + folder.string() + "/share' && " + command;
    std::string output;
    FILE* pipe = popen(line.c_str(), "r");
    if (pipe == nullptr) return {};
    std::array<char, 4096> buffer{};
    while (const auto count = fread(buffer.data(), 1, buffer.size(), pipe)) output.append(buffer.data(), count);
    const int status = pclose(pipe);
    std::istringstream in(output);
    return {status, linesOf(in)};
}

bool agrees(const std::vector<std::string>& shown, std::size_t s, const std::vector<std::string>& printed,
            std::size_t p) {
    for (; s < shown.size(); ++s, ++p) {
        if (shown[s] == "...") {
            for (std::size_t rest = p; rest <= printed.size(); ++rest)
                if (agrees(shown, s + 1, printed, rest)) return true;
            return false;
        }
        if (p == printed.size() || shown[s] != printed[p]) return false;
    }
    return p == printed.size();
}

std::string text(const std::vector<std::string>& lines) {
    std::string all;
    for (const auto& line : lines) all += line + "\n";
    return all;
}

/// Runs the examples of a page in order, in a folder and with a history of their own. Returns how many there are.
int checkExamples(const std::string& page) {
    const test::ScratchFolder scratch;
    const fs::path& folder = scratch.path();
    for (const char* name : {"data", "tests"}) fs::create_directory_symlink(sourcePath(name), folder / name);

    std::ifstream in(sourcePath(page));
    std::string renewed;
    int examples = 0;
    bool same = true;
    for (const auto& part : partsOf(linesOf(in))) {
        if (!part.command.starts_with("tessera ")) {
            if (!part.command.empty()) renewed += "$ " + part.command + "\n";
            renewed += text(part.shown);
            continue;
        }
        ++examples;
        const Ran ran = run(part.command, folder);
        EXPECT_EQ(ran.status, 0) << part.command;
        const bool agreed = agrees(part.shown, 0, ran.lines, 0);
        EXPECT_TRUE(agreed) << "$ " << part.command << "\nprints\n"
                            << text(ran.lines) << "but " << page << " shows\n"
                            << text(part.shown);
        same = same && agreed;
        renewed += "$ " + part.command + "\n" + text(agreed ? part.shown : ran.lines);
    }
    if (!same) {
        std::ofstream(sourcePath(page + ".new")) << renewed;
        ADD_FAILURE() << "where the new output is right, accept it: mv " << page << ".new " << page;
    }
    return examples;
}

TEST(Readme, everyExampleRunsAndPrintsWhatThePageShows) {
    EXPECT_GT(checkExamples("README.md"), 0);
}

/// The pages of the guide by their names without suffix.
std::vector<std::string> guidePages() {
    std::vector<std::string> pages;
    for (const fs::directory_entry& entry : fs::directory_iterator(sourcePath("resources/guide")))
        if (entry.path().extension() == ".md") pages.push_back(entry.path().stem().string());
    std::sort(pages.begin(), pages.end());
    return pages;
}

std::string textOfPage(const fs::path& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
}

class Guide : public testing::TestWithParam<std::string> {};

TEST_P(Guide, everyExampleRunsAndPrintsWhatThePageShows) {
    checkExamples("resources/guide/" + GetParam() + ".md");
}

TEST_P(Guide, isInTheContentsAndWhatItNamesIsThere) {
    const std::string text = textOfPage(sourcePath("resources/guide") / (GetParam() + ".md"));
    EXPECT_TRUE(text.starts_with("# "));
    const std::string listed = textOfPage(sourcePath("resources/guide/README.md"));
    EXPECT_TRUE(GetParam() == "README" || listed.find("](" + GetParam() + ".md)") != std::string::npos);
    const std::regex link(R"(\]\(([^)#]+)[^)]*\))");
    for (std::sregex_iterator each(text.begin(), text.end(), link), end; each != end; ++each) {
        const std::string name = (*each)[1];
        EXPECT_TRUE(name.starts_with("http") || fs::exists(sourcePath("resources/guide") / name)) << name;
    }
}

INSTANTIATE_TEST_SUITE_P(Pages, Guide, testing::ValuesIn(guidePages()), [](const auto& row) { return row.param; });

}  // namespace
}  // namespace tessera::test
