// PNG and PDF files of the command line, by the programs that are installed for them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/app/cli.h"
#include "tests/support/paths.h"
#include "tests/support/sanitizers.h"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

class PictureFiles : public Cli {
protected:
    void SetUp() override { ASSERT_EQ(tessera(with(kToy, {"--quiet", "--store", "h.db"})).code, 0); }

    /// Runs a copy of the program that stands alone: nothing is beside it, and programs are found in a folder only.
    Ended alone(const std::string& arguments, const std::string& programs = "/nowhere") const {
        return runShell("mkdir -p alone && cp -n \"$TESSERA\" alone/tessera && PATH=" + programs + " ./alone/tessera " +
                            arguments + " --store h.db",
                        folder_);
    }
    std::string written(const std::string& file) const {
        std::ifstream stream(path(file), std::ios::binary);
        return {std::istreambuf_iterator<char>(stream), {}};
    }
    static std::string studio() { return (program().parent_path() / "tessera-studio").string(); }
};

TEST_F(PictureFiles, areByTheProgramThatIsInstalled) {
    // Stands for either program: says how it was called.
    const auto programThatSays = [&](const std::string& name) {
        fs::create_directory(path(name));
        write(name + "/" + name, "#!/bin/sh\necho \"%PDF " + name + " $*\"\n");
        fs::permissions(path(name + "/" + name), fs::perms::owner_all);
    };
    programThatSays("rsvg-convert");
    programThatSays("tessera-studio");
    const std::string chart = "export last --what chart --out chart.pdf";
    EXPECT_EQ(alone(chart, "$PWD/tessera-studio:$PWD/rsvg-convert").code, 0);
    EXPECT_THAT(written("chart.pdf"), StartsWith("%PDF rsvg-convert --format=pdf"));
    EXPECT_EQ(alone(chart, "$PWD/tessera-studio").code, 0);
    EXPECT_THAT(written("chart.pdf"), StartsWith("%PDF tessera-studio --convert=pdf"));
    EXPECT_EQ(alone("export last --what chart --out chart.png --scale 3", "$PWD/tessera-studio").code, 0);
    EXPECT_THAT(written("chart.png"), HasSubstr("--convert=png --zoom=3"));
}

TEST_F(PictureFiles, nameBothProgramsWhereThereIsNeither) {
    const std::string sentence =
        "the program 'rsvg-convert' was not found; install the package librsvg2-bin, or tessera-studio, which makes "
        "PNG "
        "and PDF files without it\n";
    for (const std::string arguments : {"report last --out r.pdf", "export last --what chart --out chart.png"}) {
        const Ended ended = alone(arguments);
        EXPECT_EQ(ended.code, 6) << arguments;
        EXPECT_EQ(ended.errors, sentence) << arguments;
    }
    EXPECT_FALSE(fs::exists(path("r.pdf")));
    EXPECT_EQ(alone("report last --out r.html").code, 0) << "which needs neither";
}

TEST_F(PictureFiles, areByTheStudioBesideTheProgram) {
    if (!fs::exists(studio())) GTEST_SKIP() << "the studio is not built";
    if (kSanitized) GTEST_SKIP() << "a sanitizer takes more memory than child processes get";
    const auto beside = [&](const std::string& arguments) {
        return runShell("PATH=/nowhere \"$TESSERA\" " + arguments + " --store h.db", folder_);
    };
    const Ended report = beside("report last --studies --out r.pdf");
    EXPECT_EQ(report.code, 0) << report.errors;
    EXPECT_THAT(written("r.pdf"), StartsWith("%PDF-"));
    EXPECT_THAT(written("r.pdf"), HasSubstr("/EmbeddedFiles"));
    const Ended picture = beside("export last --what chart --out chart.png");
    EXPECT_EQ(picture.code, 0) << picture.errors;
    EXPECT_THAT(written("chart.png"), StartsWith("\x89PNG"));
}

TEST_F(PictureFiles, ofTheStudioNeedNoDisplay) {
    if (!fs::exists(studio())) GTEST_SKIP() << "the studio is not built";
    write("a.svg", R"(<svg xmlns="http://www.w3.org/2000/svg" width="96" height="48" viewBox="0 0 96 48">)"
                   R"(<rect width="40" height="20" fill="#2F6FDE"/><text x="4" y="40">A</text></svg>)");
    const auto convert = [&](const std::string& arguments) {
        return runShell("env -u DISPLAY -u WAYLAND_DISPLAY -u QT_QPA_PLATFORM '" + studio() + "' " + arguments,
                        folder_);
    };
    EXPECT_EQ(convert("--convert pdf a.svg a.svg > two.pdf").code, 0);
    EXPECT_THAT(written("two.pdf"), HasSubstr("/Count 2"));
    EXPECT_THAT(written("two.pdf"), HasSubstr("/MediaBox [0 0 72.000000 36.000000]")) << "as large as the picture";
    EXPECT_EQ(convert("--convert png --zoom 2 < a.svg > a.png").code, 0);
    EXPECT_EQ(written("a.png").substr(16, 8), std::string("\0\0\0\xC0\0\0\0\x60", 8)) << "192 by 96 pixels";
    write("b.svg", "no picture");
    EXPECT_EQ(convert("--convert pdf b.svg").code, 6);
    EXPECT_EQ(convert("--convert gif a.svg").code, 2);
    EXPECT_EQ(convert("--convert png a.svg a.svg").code, 2);
}

TEST_F(PictureFiles, haveAPageInTheManualOfTheStudio) {
    if (!fs::exists(studio())) GTEST_SKIP() << "the studio is not built";
    const Ended page = runShell("env -u DISPLAY '" + studio() + "' --man", folder_);
    const std::string help = runShell("env -u DISPLAY '" + studio() + "' --help", folder_).output;
    EXPECT_EQ(page.code, 0);
    EXPECT_THAT(page.output, StartsWith(".TH \"TESSERA\\-STUDIO\" 1"));
    for (const std::string option : {"store", "no-store", "run", "convert", "zoom", "man", "help", "version"}) {
        std::string shown = "--" + option;
        EXPECT_THAT(help, HasSubstr(shown));
        for (std::size_t at = 0; (at = shown.find('-', at)) != std::string::npos; at += 2) shown.insert(at, "\\");
        EXPECT_THAT(page.output, HasSubstr("\\fB" + shown + "\\fR"));
    }
    for (const std::string part : {"TESSERA_STORE", "QT_QPA_PLATFORM", "EXIT STATUS", ".BR tessera (1)"})
        EXPECT_THAT(page.output, HasSubstr(part));
    EXPECT_EQ(page.output.find("quit"), std::string::npos) << "an option of tests";
    if (runShell("command -v groff").code != 0) GTEST_SKIP() << "no 'groff' here";
    write("studio.1", page.output);
    EXPECT_EQ(runShell("groff -man -Kutf8 -ww -Tutf8 -z studio.1", folder_).errors, "");
}

}  // namespace
}  // namespace tessera::test
