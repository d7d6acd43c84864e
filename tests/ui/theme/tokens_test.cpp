#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <string_view>

#include "tests/support/paths.h"

namespace tessera::ui {
namespace {

/// What a line says itself that tokens are for: a colour, or the length in pixels of a widget or a space. Lengths that
/// are named constants of their file, 0, and lines of one pixel are no concern of the tokens.
std::string literalIn(const std::string& line) {
    static const std::regex kColour(
        R"re("#[0-9A-Fa-f]{6}"|\bQColor\((\d|"|Qt::)|\bQt::(black|white|red|green|blue|cyan|magenta|yellow|gray|darkGray|lightGray)\b)re");
    static const std::regex kLength(
        R"re(\b(set(Fixed|Minimum|Maximum)(Size|Width|Height)|resize|addSpacing|setSpacing|setPixelSize|setPointSizeF?|setContentsMargins)\(([^()]*,\s*)?([2-9]|\d{2,}))re");
    std::smatch found;
    const std::string code = line.substr(0, line.find("//"));
    return std::regex_search(code, found, kColour) || std::regex_search(code, found, kLength) ? found.str() : "";
}

/// One file holds every colour and size: resources/theme/tokens.txt.
TEST(Tokens, noViewNamesAColourOrALengthItself) {
    namespace fs = std::filesystem;
    int files = 0;
    for (const char* part : {"ui", "core/report"})
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(test::sourcePath(part))) {
            const fs::path& path = entry.path();
            const bool isTheme = path.parent_path().filename() == "theme";  // reads the tokens
            if (isTheme || (path.extension() != ".cpp" && path.extension() != ".h")) continue;
            ++files;
            std::ifstream in(path);
            std::string line;
            for (int number = 1; std::getline(in, line); ++number) {
                // What the core resizes are lists, not widgets.
                if (std::string_view(part) == "core/report" && line.find("resize(") != std::string::npos) continue;
                EXPECT_EQ(literalIn(line), "") << path.filename().string() << ":" << number << ": " << line;
            }
        }
    EXPECT_GT(files, 200);
}

TEST(Tokens, theCheckFindsWhatItLooksFor) {
    for (const char* line : {R"(label->setStyleSheet("#FF0000");)", "QColor dim = Qt::black;",
                             "painter.setPen(QColor(12, 13, 14));", "bar->setFixedSize(220, 4);", "resize(900, 520);",
                             "row->setSpacing(6);", "layout->setContentsMargins(0, 12, 0, 0);"})
        EXPECT_NE(literalIn(line), "") << line;
    for (const char* line :
         {"picture.fill(Qt::transparent);", "made->setFixedHeight(1);", "row->setSpacing(0);",
          "bar->setFixedWidth(theme().spacing(80));", "/// \"#RRGGBB\" or a token", "setContentsMargins(0, 0, 0, 0);"})
        EXPECT_EQ(literalIn(line), "") << line;
}

}  // namespace
}  // namespace tessera::ui
