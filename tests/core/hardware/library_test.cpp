#include "core/hardware/library.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/base/file.h"
#include "tests/core/hardware/documents.h"
#include "tests/support/paths.h"
#include "tests/support/scratch_folder.h"

namespace fs = std::filesystem;
using namespace tessera;
using namespace tessera::hardware;

namespace {

std::string accelerator(const std::string& name) {
    return R"({"schema": "tessera.accelerator/1", "name": ")" + name + R"(", "peak_flops": {"bf16": 1e12}})";
}

/// A folder of own files, named by the environment for one test.
class Library : public testing::Test {
protected:
    Library() {
        unsetenv("TESSERA_DATA");
        setenv("XDG_DATA_HOME", (folder / "xdg").c_str(), 1);
    }
    ~Library() override {
        unsetenv("TESSERA_DATA");
        unsetenv("XDG_DATA_HOME");
    }
    fs::path write(const fs::path& relative, const std::string& text) const {
        fs::create_directories((folder / relative).parent_path());
        writeFile(folder / relative, text);
        return folder / relative;
    }
    static std::optional<LibraryEntry> entry(const std::string& kind, const std::string& id) {
        for (const LibraryEntry& candidate : libraryEntries())
            if (candidate.kind == kind && candidate.id == id) return candidate;
        return std::nullopt;
    }
    test::ScratchFolder folder;
};

template <typename Error, typename Action>
std::string messageOf(const Action& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    return "no such error";
}

TEST_F(Library, looksIntoFourFoldersInOrder) {
    setenv("TESSERA_DATA", (folder / "own").c_str(), 1);
    const auto folders = dataFolders();
    ASSERT_EQ(folders.size(), 4U);
    EXPECT_EQ(folders[0], folder / "own");
    EXPECT_EQ(folders[1], folder / "xdg" / "tessera");
    EXPECT_EQ(folders[2].filename(), "tessera");
    EXPECT_EQ(folders[2].parent_path().filename(), "share");
    EXPECT_EQ(folders[3], test::sourcePath("data"));
}

TEST_F(Library, looksIntoItsOwnFilesAloneWhereItIsInstalled) {
    write("installed/share/tessera/fleets/theirs.json", "{}");
    setPrefix(folder / "installed");
    const std::vector<fs::path> bundled = bundledFolders();
    setPrefix({});
    EXPECT_EQ(bundled, std::vector<fs::path>{folder / "installed" / "share" / "tessera"});
    EXPECT_EQ(bundledFolders().back(), test::sourcePath("data"));
}

TEST_F(Library, usesTheHomeFolderWhereXdgSaysNothing) {
    unsetenv("XDG_DATA_HOME");
    setenv("HOME", "/home/somebody", 1);
    EXPECT_EQ(dataFolders()[0], fs::path("/home/somebody/.local/share/tessera"));
}

TEST_F(Library, listsTheBundledFilesSortedByKindAndId) {
    const auto entries = libraryEntries();
    EXPECT_TRUE(std::is_sorted(entries.begin(), entries.end(), [](const LibraryEntry& a, const LibraryEntry& b) {
        return std::pair(a.kind, a.id) < std::pair(b.kind, b.id);
    }));
    for (const LibraryEntry& candidate : entries) EXPECT_EQ(candidate.problem, "") << candidate.path;
    ASSERT_TRUE(entry("accelerator", "tpu-v3-board").has_value());
    EXPECT_EQ(entry("accelerator", "tpu-v3-board")->name, "TPU-v3 board");
    ASSERT_TRUE(entry("fleet", "accpar-heterogeneous").has_value());
    EXPECT_EQ(entry("fleet", "accpar-heterogeneous")->path, test::sourcePath("data/fleets/accpar-heterogeneous.json"));
}

TEST_F(Library, findsAMachineThatWasMeasuredHere) {
    write("xdg/tessera/accelerators/this-machine.json", accelerator("This machine"));
    EXPECT_EQ(loadAccelerator("this-machine").name, "This machine");
    EXPECT_EQ(loadAccelerator("this-machine").id, "this-machine");
    EXPECT_EQ(entry("accelerator", "this-machine")->name, "This machine");
}

TEST_F(Library, theFirstFolderThatHasANameWins) {
    write("xdg/tessera/accelerators/v100.json", accelerator("second"));
    EXPECT_EQ(loadAccelerator("v100").name, "second");
    write("own/accelerators/v100.json", accelerator("first"));
    setenv("TESSERA_DATA", (folder / "own").c_str(), 1);
    EXPECT_EQ(loadAccelerator("v100").name, "first");
    EXPECT_EQ(entry("accelerator", "v100")->name, "first");
    EXPECT_TRUE(isOwnFile(entry("accelerator", "v100")->path));
    EXPECT_FALSE(isOwnFile(entry("accelerator", "a100")->path)) << "it comes with the program";
}

TEST_F(Library, takesFilesThatLieDirectlyInTesseraDataByTheirSchema) {
    write("own/mine.json", accelerator("flat"));
    write("own/pair.json",
          R"({"schema": "tessera.fleet/1", "name": "p", "groups": [{"name": "g", "accelerator": "mine"}]})");
    write("own/other.json", R"({"schema": "something.else/1"})");
    setenv("TESSERA_DATA", (folder / "own").c_str(), 1);
    EXPECT_EQ(loadAccelerator("mine").name, "flat");
    EXPECT_EQ(loadFleet("pair").groups[0].accelerator.name, "flat");
    EXPECT_TRUE(entry("accelerator", "mine").has_value());
    EXPECT_FALSE(entry("fleet", "mine").has_value());
    EXPECT_FALSE(entry("accelerator", "other").has_value());
}

TEST_F(Library, aBrokenFileCarriesItsErrorAndDisturbsNoOther) {
    const fs::path path = write("xdg/tessera/accelerators/broken.json", "{\n\"schema\": 5}");
    write("xdg/tessera/fleets/empty.json", "");
    fs::create_directories(folder / "xdg/tessera/fleets/folder.json");
    const auto broken = entry("accelerator", "broken");
    ASSERT_TRUE(broken.has_value());
    EXPECT_EQ(broken->name, "");
    EXPECT_EQ(broken->problem, path.string() + ":2: field 'schema' is '5'; expected a text");
    EXPECT_NE(entry("fleet", "empty")->problem, "");
    EXPECT_FALSE(entry("fleet", "folder").has_value());
    EXPECT_EQ(entry("accelerator", "v100")->problem, "");
}

TEST_F(Library, proposesTheNameThatWasMeant) {
    EXPECT_EQ(
        messageOf<UsageError>([] { loadAccelerator("tpu-v4x"); }),
        "there is no accelerator 'tpu-v4x'; did you mean 'tpu-v4'? 'tessera hardware list --kind accelerator' names "
        "them all");
    EXPECT_EQ(messageOf<UsageError>([] { loadFleet("abracadabra\n"); }),
              "there is no fleet 'abracadabra\\x0A'; 'tessera hardware list --kind fleet' names them all");
    EXPECT_EQ(messageOf<UsageError>([] { loadFleet("v100"); }),
              "'v100' is an accelerator, not a fleet; 'tessera hardware list --kind fleet' names them all");
}

TEST_F(Library, namesNeverClimbOutOfTheirFolder) {
    write("xdg/tessera/secret.json", accelerator("secret"));
    write("xdg/tessera/accelerators/ok.json", accelerator("ok"));
    EXPECT_THROW(loadAccelerator("../secret"), FileError);  // with a slash it is a path, from the current folder
    EXPECT_THROW(loadAccelerator(".."), UsageError);
    EXPECT_THROW(loadAccelerator(""), UsageError);
    EXPECT_THROW(loadAccelerator(std::string("ok\0.json", 8)), std::exception);
    EXPECT_THROW(loadAccelerator(std::string(300, 'a')), UsageError);
}

TEST_F(Library, takesPathsAndSaysWhereThereIsNoSuchFile) {
    const fs::path path = write("some where/chip.json", accelerator("by path"));
    EXPECT_EQ(loadAccelerator(path.string()).id, "chip");
    EXPECT_EQ(messageOf<FileError>([&] { loadAccelerator((folder / "none.json").string()); }),
              "cannot read '" + (folder / "none.json").string() + "': there is no such file");
    EXPECT_EQ(messageOf<FileError>([] { loadAccelerator("none.json"); }),
              "cannot read 'none.json': there is no such file");
}

TEST_F(Library, aFleetFindsAcceleratorsBesideItsFile) {
    write("fleets/parts/chip.json", accelerator("beside"));
    const fs::path path = write("fleets/mine.json",
                                R"({"schema": "tessera.fleet/1", "name": "m", "groups": [
        {"name": "a", "accelerator": "parts/chip.json"}, {"name": "b", "accelerator": "../fleets/parts/chip.json"},
        {"name": "c", "accelerator": "v100"}]})");
    const Fleet fleet = loadFleet(path.string());
    EXPECT_EQ(fleet.groups[0].accelerator.name, "beside");
    EXPECT_EQ(fleet.groups[0].accelerator.id, "chip");
    EXPECT_EQ(fleet.groups[1].accelerator.name, "beside");
    EXPECT_EQ(fleet.groups[2].accelerator.id, "v100");
    EXPECT_EQ(toJson(fleet)["groups"][0]["accelerator"], "parts/chip.json");
}

TEST_F(Library, anErrorInAnAcceleratorsFileNamesThatFile) {
    const fs::path chip =
        write("fleets/chip.json", R"({"schema": "tessera.accelerator/1", "name": "x", "peak_flops": 5})");
    const fs::path path =
        write("fleets/mine.json",
              R"({"schema": "tessera.fleet/1", "name": "m", "groups": [{"name": "a", "accelerator": "chip.json"}]})");
    EXPECT_EQ(messageOf<DataError>([&] { loadFleet(path.string()); }),
              chip.string() + ":1: field 'peak_flops' is '5'; expected an object");
}

TEST_F(Library, namesTheLimitOfAFilesSize) {
    const fs::path path = write("big.json", std::string((std::size_t{16} << 20) + 1, ' '));
    EXPECT_EQ(messageOf<DataError>([&] { loadFleet(path.string()); }),
              path.string() + ": found more than 16777216 bytes; expected a file of at most 16 MiB");
}

}  // namespace
