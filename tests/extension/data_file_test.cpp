// An accelerator, a fleet, a platform and an architecture template are a file each in a folder of data: they are
// listed, shown with their sources, run with and offered with nothing but that.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/hardware/library.h"
#include "tests/extension/command.h"
#include "tests/support/schema.h"
#include "tests/ui/editors/documents.h"
#include "ui/editors/input_choices.h"
#include "ui/workspace/library_data.h"

namespace tessera::hardware {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kDataSource = "a data sheet of the test";

/// A kind of hardware, what the new file is like, and what is run with it.
struct DataRow {
    const char* kind;
    const char* like;
    const char* engine;
    QVector<ui::LibraryContents::Entry> ui::LibraryContents::*shelf;
    std::vector<std::string> command;
    const char* name;  ///< of the file's field that the window's lists show
};

const std::vector<DataRow>& dataRows() {
    using Library = ui::LibraryContents;
    static const std::vector<DataRow> kRows{
        {"accelerator",
         "tpu-v3-board",
         "predict",
         &Library::accelerators,
         {"predict", "--model", "zoo:lenet5", "--accelerator", "toy-accelerator", "--batch", "64"},
         "Toy accelerator"},
        {"fleet",
         "accpar-homogeneous",
         "partition",
         &Library::fleets,
         {"partition", "--model", "zoo:lenet5", "--fleet", "toy-fleet", "--strategy", "dp"},
         "Toy fleet"},
        {"platform",
         "s1",
         "mapping",
         &Library::platforms,
         {"map", "--workload", "mix", "--platform", "toy-platform", "--group-size", "20", "--samples", "40"},
         "Toy platform"},
        {"template",
         "phaze",
         "codesign",
         &Library::templates,
         {"codesign", "--model", "zoo:lenet5", "--template", "toy-template", "--accelerators", "2", "--global-batch",
          "16", "--search", "random", "--samples", "1"},
         "Toy template"},
    };
    return kRows;
}

class DataFiles : public testing::TestWithParam<DataRow> {
protected:
    std::string id() const { return std::string("toy-") + GetParam().kind; }
    /// Puts the file into the folder of its kind: one of ours with another name and another source of every number.
    DataFiles() {
        const std::string kind = GetParam().kind;
        const std::string ours = test::sourcePath("data/" + kind + "s/" + GetParam().like + ".json").string();
        static const std::regex kSources(R"re("source": "[^"]*")re");
        const std::string text =
            std::regex_replace(readFile(ours), kSources, std::string("\"source\": \"") + kDataSource + "\"");
        document_ = nlohmann::json::parse(text);
        document_["name"] = GetParam().name;
        write();
    }
    void write() const {
        const std::filesystem::path folder = own_.path() / (std::string(GetParam().kind) + "s");
        std::filesystem::create_directories(folder);
        writeFile(folder / (id() + ".json"), document_.dump(1));
    }

    test::OwnFolder own_;
    nlohmann::json document_;
};

TEST_P(DataFiles, isValidListedAndShownWithItsSources) {
    EXPECT_EQ(test::schemaErrors(document_, std::string(GetParam().kind) + ".schema.json"), "");
    EXPECT_THAT(test::printed({"hardware", "list", "--kind", GetParam().kind}),
                AllOf(HasSubstr(id()), HasSubstr(GetParam().name), HasSubstr(GetParam().like)));
    const std::string shown = test::printed({"hardware", "show", id()});
    EXPECT_THAT(shown, HasSubstr(GetParam().name));
    if (document_.dump().find(kDataSource) != std::string::npos) {
        EXPECT_THAT(shown, HasSubstr(kDataSource));
    }
    test::printed({"hardware", "validate", id()});
}

TEST_P(DataFiles, isRunWith) {
    std::vector<std::string> command = GetParam().command;
    command.insert(command.end(), {"--no-store", "--no-progress"});
    EXPECT_THAT(test::printed(command), testing::AnyOf(HasSubstr(GetParam().name), HasSubstr(id())));
}

TEST_P(DataFiles, isOfferedByTheFormAndInTheLibraryOfTheWindow) {
    const QString id = QString::fromStdString(this->id());
    const QVector<ui::ReferencePicker::Choice> choices = ui::choicesOf("hardware", GetParam().engine);
    EXPECT_TRUE(std::any_of(choices.begin(), choices.end(), [&](const auto& choice) { return choice.value == id; }));
    const ui::LibraryContents library = ui::readLibrary();
    const QVector<ui::LibraryContents::Entry>& shelf = library.*GetParam().shelf;
    const auto entry = std::find_if(shelf.begin(), shelf.end(),
                                    [&](const auto& each) { return each.title == QLatin1String(GetParam().name); });
    ASSERT_NE(entry, shelf.end());
    EXPECT_EQ(entry->key, QLatin1String(GetParam().kind) + QLatin1Char('/') + id);
    EXPECT_TRUE(entry->own);
    EXPECT_EQ(entry->problem, QString());
}

TEST_P(DataFiles, isRefusedByPlaceWhereItIsWrongAndDisturbsNoOther) {
    document_["nonsense"] = 1;
    write();
    const std::vector<LibraryEntry> entries = libraryEntries();
    const auto entry = std::find_if(entries.begin(), entries.end(), [&](const auto& each) { return each.id == id(); });
    ASSERT_NE(entry, entries.end());
    EXPECT_THAT(entry->problem, AllOf(HasSubstr(id() + ".json:"), HasSubstr("field 'nonsense' is unknown")));
    EXPECT_TRUE(std::any_of(entries.begin(), entries.end(),
                            [](const auto& each) { return each.id == GetParam().like && each.problem.empty(); }));
}

INSTANTIATE_TEST_SUITE_P(Every, DataFiles, testing::ValuesIn(dataRows()),
                         [](const auto& row) { return std::string(row.param.kind); });

}  // namespace
}  // namespace tessera::hardware
