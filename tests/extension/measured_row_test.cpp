// A kind of measured table is one row: its files are known by their columns and judged by the command like the others.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/physical/validation.h"
#include "tests/extension/command.h"
#include "tests/support/scratch_folder.h"

namespace tessera::physical {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::vector<ValidationRow> shelfRows(const MeasuredTable& table) {
    std::vector<ValidationRow> rows;
    for (std::size_t i = 0; i < table.rows.size(); ++i)
        rows.push_back({.set = "shelves",
                        .id = table.name(table.rows[i], "shelf"),
                        .metric = "kilograms",
                        .measured = table.positive(table.rows[i], "kilograms"),
                        .index = i});
    return rows;
}

/// Two kilograms a board.
void predictShelves(const MeasuredTable& table, std::vector<ValidationRow>& rows, const RunControl& /*control*/) {
    for (ValidationRow& row : rows) {
        const double weight = 2 * table.positive(table.rows.at(row.index), "boards");
        row.prediction = {.estimate = Estimate{weight, weight / 2, weight * 2}};
    }
}

class ToyMeasurements : public testing::Test {
protected:
    static void SetUpTestSuite() {
        addPredictor({"shelves", {"shelf", "boards", "kilograms"}, "Nothing is fitted.", shelfRows, predictShelves});
    }
};

TEST_F(ToyMeasurements, areJudgedByTheCommandThatKnowsThemByTheirColumns) {
    const test::ScratchFolder folder;
    const std::string file = (folder / "shelves.csv").string();
    std::ofstream(file) << "kilograms,shelf,boards\n4,low,2\n10,high,4\n";
    EXPECT_THAT(test::printed({"validate", file}),
                AllOf(HasSubstr("2 measured rows in 1 set"), HasSubstr("shelves"), HasSubstr("10.0 %")));
    const Json document = Json::parse(test::printed({"validate", file, "--rows", "--json"}));
    EXPECT_EQ(document.at("rows").at(1).at("predicted"), 8.0);
    EXPECT_EQ(document.at("sets").at(0).at("coverage"), 1.0);
}

}  // namespace
}  // namespace tessera::physical
