// The schemas that the program prints: of every kind of document, each in one piece, and true of what there is.

#include "tests/support/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/app/cli.h"
#include "tests/support/paths.h"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;

std::string contentsOf(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

class Schemas : public Cli {
protected:
    nlohmann::json json(const std::vector<std::string>& arguments) const {
        const Ended ended = tessera(arguments);
        EXPECT_EQ(ended.code, 0) << ended.errors;
        return nlohmann::json::parse(ended.output, nullptr, false);
    }
    /// The schema that is printed for a kind, each once.
    const nlohmann::json& printed(const std::string& kind) {
        const auto [found, isNew] = printed_.try_emplace(kind);
        if (isNew) found->second = json({"schema", kind});
        return found->second;
    }
    /// The kinds by what their documents say of themselves.
    std::map<std::string, std::string> kindsBySchema() const {
        std::map<std::string, std::string> kinds;
        const nlohmann::json list = json({"schema", "--json"});
        for (const auto& kind : list.at("kinds"))
            if (kind.contains("schema")) kinds.emplace(kind.at("schema"), kind.at("id"));
        return kinds;
    }

private:
    std::map<std::string, nlohmann::json> printed_;
};

TEST_F(Schemas, areOfEveryKindOfDocument) {
    const nlohmann::json list = json({"schema", "--json"});
    EXPECT_EQ(schemaErrors(list, "schema-list.schema.json"), "");
    std::set<std::string> kinds;
    for (const auto& kind : list.at("kinds")) {
        kinds.insert(kind.at("id"));
        EXPECT_NE(kind.at("about"), "") << kind;
    }
    for (const auto& file : fs::directory_iterator(sourcePath("data/schemas"))) {
        const std::string name = file.path().filename();
        EXPECT_THAT(kinds, Contains(name.substr(0, name.find('.'))));
    }
    const std::string table = tessera({"schema"}).output;
    EXPECT_THAT(table, HasSubstr("tessera.fleet/2"));
    EXPECT_THAT(table, HasSubstr("Groups of equal accelerators"));
}

TEST_F(Schemas, areThereForEverySchemaThatTheSourcesName) {
    // What a search writes down for itself is no document for others.
    const std::set<std::string> own{"tessera.checkpoint/1"};
    const auto kinds = kindsBySchema();
    static const std::regex kName(R"re("(tessera\.[a-z-]+/[0-9]+)")re");
    for (const char* top : {"core", "app"})
        for (const auto& entry : fs::recursive_directory_iterator(sourcePath(top))) {
            if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
            const std::string text = contentsOf(entry.path());
            for (std::sregex_iterator each(text.begin(), text.end(), kName), end; each != end; ++each) {
                const std::string name = (*each)[1];
                EXPECT_TRUE(own.contains(name) || kinds.contains(name)) << name << " of " << entry.path();
            }
        }
}

TEST_F(Schemas, standAlone) {
    const nlohmann::json list = json({"schema", "--json"});
    for (const auto& kind : list.at("kinds")) {
        const std::string id = kind.at("id");
        const nlohmann::json& schema = printed(id);
        ASSERT_TRUE(schema.is_object()) << id;
        static const std::regex kElsewhere(R"re("\$ref":"[^#])re");
        EXPECT_FALSE(std::regex_search(schema.dump(), kElsewhere)) << id;
        EXPECT_NE(errorsBySchema("no document", schema), "") << id << ": valid whatever it is given";
    }
}

TEST_F(Schemas, holdForEveryBundledFile) {
    const auto kinds = kindsBySchema();
    const std::map<std::string, std::string> byFolder{{"operators", "operators"}, {"placements", "placement"}};
    int files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(sourcePath("data"))) {
        const fs::path& file = entry.path();
        const std::string folder = file.parent_path().filename();
        if (file.extension() != ".json" || folder == "schemas") continue;
        const nlohmann::json document = nlohmann::json::parse(contentsOf(file));
        const auto found = byFolder.find(folder);
        const std::string kind = found != byFolder.end() ? found->second : kinds.at(document.at("schema"));
        EXPECT_EQ(errorsBySchema(document, printed(kind)), "") << file << " as " << kind;
        ++files;
    }
    EXPECT_GT(files, 90);
}

TEST_F(Schemas, holdForWhatCommandsPrint) {
    const auto kinds = kindsBySchema();
    ASSERT_EQ(tessera(with(kToy, {"--quiet"})).code, 0);
    for (const std::vector<std::string>& command : {std::vector<std::string>{"history", "list"},
                                                    {"history", "show", "1"},
                                                    {"history", "show", "1", "--result"},
                                                    {"model", "inspect", "toy.json"},
                                                    {"hardware", "show", "accpar-heterogeneous"},
                                                    {"schema"},
                                                    {"sweep", "resnet50-mixed-tpus", "--over", "levels=1,2"},
                                                    {"reproduce", "accpar-fig7", "accpar-fig8"}}) {
        const nlohmann::json document = json(with(command, {"--json", "--no-progress"}));
        ASSERT_TRUE(document.is_object()) << command.front();
        EXPECT_EQ(errorsBySchema(document, printed(kinds.at(document.at("schema")))), "") << command.front();
    }
}

TEST_F(Schemas, areFoundByWhatDocumentsSayAndWrittenToAFile) {
    EXPECT_EQ(printed("tessera.fleet/2"), printed("fleet"));
    EXPECT_EQ(printed("tessera.fleet"), printed("fleet"));
    EXPECT_EQ(tessera({"schema", "fleet", "-o", "fleet.schema.json"}).output,
              "the schema of fleet written to fleet.schema.json\n");
    EXPECT_EQ(nlohmann::json::parse(contentsOf(path("fleet.schema.json"))), printed("fleet"));
    const Ended wrong = tessera({"schema", "fleets"});
    EXPECT_EQ(wrong.code, 2);
    EXPECT_EQ(wrong.errors,
              "tessera: there is no kind of document 'fleets'; did you mean 'fleet'? see 'tessera schema --help'\n");
}

}  // namespace
}  // namespace tessera::test
