// A figure of a paper is one row: it is listed, recomputed, printed and written as a document with nothing but that.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/reproduce/reproduce.h"
#include "core/reproduce/reproduce_figures.h"
#include "tests/extension/command.h"
#include "tests/support/schema.h"

namespace tessera::study {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Squares, of which the paper printed the first alone.
Reproduction recomputeSquares(const Figure& figure, const ReproductionOptions& /*options*/,
                              const RunControl& /*control*/) {
    Recomputation squares(figure);
    squares.row("two", "square", 4, 5);
    squares.row("three", "square", 9);
    squares.mean("square", 6, 5);
    squares.verdict("squares grow", true);
    squares.restOn({}, {"Numbers are exact."});
    return std::move(squares).finish();
}

class ToyFigure : public testing::Test {
protected:
    static void SetUpTestSuite() {
        addFigure({"toy-fig1", "Squares of numbers", "A test, figure 1", recomputeSquares});
    }
};

TEST_F(ToyFigure, isListed) {
    EXPECT_THAT(test::printed({"reproduce", "list"}),
                AllOf(HasSubstr("toy-fig1"), HasSubstr("Squares of numbers"), HasSubstr("A test, figure 1")));
    const Json list = Json::parse(test::printed({"reproduce", "list", "--json"}));
    EXPECT_EQ(list.at("reproductions").back().at("name"), "toy-fig1");
}

TEST_F(ToyFigure, isRecomputedAndPrintedWithThePapersNumbersBeside) {
    EXPECT_THAT(test::printed({"reproduce", "toy-fig1"}),
                AllOf(HasSubstr("Squares of numbers (toy-fig1)"), HasSubstr("+20.0 %"),
                      HasSubstr("The paper: squares grow. Here that holds.")));
    EXPECT_THROW(reproduce("toy-fig1", {.costModel = partition::CostModel::exact}), UsageError)
        << "its row says that it has no choice of one";
    try {
        reproduce("toy-fig2");
        FAIL();
    } catch (const UsageError& error) {
        EXPECT_THAT(error.what(), HasSubstr("did you mean 'toy-fig1'?"));
    }
}

TEST_F(ToyFigure, isADocumentByTheSchema) {
    const nlohmann::json json = nlohmann::json::parse(test::printed({"reproduce", "toy-fig1", "--json"}));
    EXPECT_EQ(test::schemaErrors(json, "reproduction.schema.json"), "");
    EXPECT_EQ(json.at("rows").at(0).at("ratio"), 0.8);
}

}  // namespace
}  // namespace tessera::study
