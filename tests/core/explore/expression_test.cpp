#include "core/explore/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/base/random.h"

namespace tessera::explore::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::vector<std::string> kNames{"base", "hbm_stacks", "fleet.levels[1].rate"};

double valueOf(const std::string& text, const std::vector<double>& values = {100, 4, 3}) {
    return Expression(text, kNames).at(values);
}

std::string errorOf(const std::string& text, const Place& place = {}) {
    try {
        const Expression expression(text, kNames, place);
    } catch (const DataError& error) {
        return error.what();
    }
    return "";
}

TEST(Expression, isArithmeticAsEverywhere) {
    EXPECT_EQ(valueOf("base + 12 * hbm_stacks"), 148);
    EXPECT_EQ(valueOf("(base + 12) * hbm_stacks"), 448);
    EXPECT_EQ(valueOf("fleet.levels[1].rate/2"), 1.5);
    EXPECT_EQ(valueOf("10 - 3 - 2"), 5);
    EXPECT_EQ(valueOf("100 / 5 / 2"), 10);
    EXPECT_EQ(valueOf("2^3^2"), 512);
    EXPECT_EQ(valueOf("-2^2"), -4);
    EXPECT_EQ(valueOf("2^-2"), 0.25);
    EXPECT_EQ(valueOf("(-2)^3"), -8);
    EXPECT_EQ(valueOf("--3"), 3);
    EXPECT_EQ(valueOf("+3 - -.5e1"), 8);
    EXPECT_EQ(valueOf("1 + 2 < 4 && 3 >= 3"), 1);
    EXPECT_EQ(valueOf("1 == 2 || 1 != 1"), 0);
    EXPECT_EQ(valueOf("!(base > 99)"), 0);
    EXPECT_EQ(valueOf("base > 99 ? hbm_stacks : 0"), 4);
    EXPECT_EQ(valueOf("0 ? 1 : 0 ? 2 : 3"), 3);
    EXPECT_EQ(valueOf("1 ? 0 ? 1 : 2 : 3"), 2);
}

TEST(Expression, hasTheFunctionsThatItNames) {
    EXPECT_THAT(functionNames(), ElementsAre("min", "max", "sqrt", "exp", "log", "log2", "log10", "pow", "abs", "round",
                                             "floor", "ceil"));
    EXPECT_EQ(valueOf("min(3, 1, 2)"), 1);
    EXPECT_EQ(valueOf("max(base, hbm_stacks)"), 100);
    EXPECT_EQ(valueOf("sqrt(base)"), 10);
    EXPECT_NEAR(valueOf("exp(1)"), 2.718281828459045, 1e-15);
    EXPECT_NEAR(valueOf("log(exp(2))"), 2, 1e-15);
    for (int i = -300; i <= 300; ++i) {
        EXPECT_EQ(valueOf("log2(base)", {std::ldexp(1, i), 0, 0}), i);
        EXPECT_NEAR(valueOf("log2(base)", {std::ldexp(1.3, i), 0, 0}), i + std::log2(1.3), 1e-12);
    }
    for (int i = 0; i <= 22; ++i) EXPECT_EQ(valueOf("log10(base)", {std::stod("1e" + std::to_string(i)), 0, 0}), i);
    EXPECT_EQ(valueOf("log10(0.001)"), -3);
    EXPECT_NEAR(valueOf("log10(2)"), std::log10(2), 1e-15);
    EXPECT_EQ(valueOf("pow(hbm_stacks, 3)"), 64);
    EXPECT_NEAR(valueOf("pow(2, 0.3)"), std::pow(2, 0.3), 1e-14);
    EXPECT_EQ(valueOf("abs(-2)"), 2);
    EXPECT_EQ(valueOf("round(2.5) + round(-2.5)"), 0);
    EXPECT_EQ(valueOf("floor(2.9) + ceil(2.1)"), 5);
}

TEST(Expression, whatHasNoValueIsInfiniteOrNoNumber) {
    EXPECT_EQ(valueOf("1 / 0"), INFINITY);
    for (const char* const text :
         {"0 / 0", "sqrt(-1)", "log(-1)", "(-1)^0.5", "(-8)^(1/3)", "min(1, 0/0)", "max(0/0, 1)", "0/0 ? 1 : 2"})
        EXPECT_TRUE(std::isnan(valueOf(text))) << text;
}

TEST(Expression, whatHasNoValueIsSeenThroughConditions) {
    for (const char* const text : {"!(0/0)", "0/0 && 1", "1 && 0/0", "0/0 || 0", "0 || 0/0", "0/0 && 0/0"})
        EXPECT_TRUE(std::isnan(valueOf(text))) << text;
    EXPECT_EQ(valueOf("0 && 0/0"), 0);
    EXPECT_EQ(valueOf("0/0 && 0"), 0);
    EXPECT_EQ(valueOf("0/0 || 2"), 1);
    EXPECT_EQ(valueOf("2 || 0/0"), 1);
    EXPECT_EQ(valueOf("2 && 3"), 1);
    EXPECT_EQ(valueOf("!2"), 0);
    EXPECT_EQ(valueOf("!0"), 1);
}

TEST(Expression, wholePowersOfAnySizeHaveValues) {
    EXPECT_EQ(valueOf("(-1)^1024"), 1);
    EXPECT_EQ(valueOf("(-1)^1025"), -1);
    EXPECT_EQ(valueOf("(-1)^1e6"), 1);
    EXPECT_EQ(valueOf("(-1)^-1000001"), -1);
    EXPECT_EQ(valueOf("(-1)^1e300"), 1);
    EXPECT_EQ(valueOf("(-2)^2001"), -INFINITY);
    EXPECT_EQ(valueOf("0^2000"), 0);
    EXPECT_EQ(valueOf("2^-1024"), 0x1p-1024);
    EXPECT_EQ(valueOf("0.5^-1023"), 0x1p1023);
    EXPECT_EQ(valueOf("0^-2"), INFINITY);
    EXPECT_NEAR(valueOf("1.001^2000"), std::pow(1.001, 2000), 1e-11);
}

TEST(Expression, saysWhatItIsOf) {
    EXPECT_THAT(Expression("fleet.levels[1].rate * base + base", kNames).uses(), ElementsAre(0, 2));
    EXPECT_THAT(Expression("1", kNames).uses(), IsEmpty());
    EXPECT_EQ(Expression(" 1 +base ", kNames).text(), " 1 +base ");
}

TEST(Expression, mistakesAreNamedWithTheirColumn) {
    const std::string value = "a number, a name, a function or '('";
    EXPECT_EQ(errorOf("base + * 3"), "expression 'base + * 3', column 8: found '*'; expected " + value);
    EXPECT_EQ(errorOf("base + ", {.file = "study.json", .line = 7, .where = "variable 'price'"}),
              "study.json:7: variable 'price', expression 'base + ', column 8: found the end; expected " + value);
    EXPECT_EQ(errorOf("2 3"), "expression '2 3', column 3: found '3'; expected an operator or the end");
    EXPECT_EQ(errorOf("2x"), "expression '2x', column 2: found 'x'; expected an operator after the number");
    EXPECT_EQ(errorOf("(1 + 2"), "expression '(1 + 2', column 7: found the end; expected an operator or ')'");
    EXPECT_EQ(errorOf("1)"), "expression '1)', column 2: found ')'; expected an operator or the end");
    EXPECT_EQ(errorOf("1 < 2 < 3"),
              "expression '1 < 2 < 3', column 7: found '<'; expected brackets around one of two comparisons");
    EXPECT_EQ(errorOf("1, 2"), "expression '1, 2', column 2: found ','; expected an operator or the end");
    EXPECT_EQ(errorOf("1 ? 2"), "expression '1 ? 2', column 6: found the end; expected ':' and what else it is");
    EXPECT_EQ(
        errorOf("y = 3"),
        "expression 'y = 3', column 1: found the name 'y'; expected one of base, hbm_stacks, fleet.levels[1].rate");
    EXPECT_EQ(errorOf("1 + bas"), "expression '1 + bas', column 5: found the name 'bas'; expected 'base'");
    EXPECT_EQ(errorOf("sqr(2)"), "expression 'sqr(2)', column 1: found the function 'sqr'; expected 'sqrt'");
    EXPECT_THAT(errorOf("negative(2)"), HasSubstr("found the function 'negative'; expected one of min, max"));
    EXPECT_EQ(errorOf("sqrt(1, 2)"), "expression 'sqrt(1, 2)', column 7: found ','; expected one value for sqrt");
    EXPECT_EQ(errorOf("sqrt()"), "expression 'sqrt()', column 6: found ')'; expected one value for sqrt");
    EXPECT_EQ(errorOf("min(1)"), "expression 'min(1)', column 6: found ')'; expected at least two values for min");
    std::string many = "1";
    for (int i = 0; i < 63; ++i) many += ",1";
    EXPECT_EQ(valueOf("min(" + many + ")"), 1);
    EXPECT_THAT(errorOf("min(" + many + ",1)"), HasSubstr("found ','; expected at most 64 values for min"));
    EXPECT_EQ(errorOf("pow(1)"), "expression 'pow(1)', column 6: found ')'; expected two values for pow");
    EXPECT_EQ(errorOf("1e999"),
              "expression '1e999', column 1: found '1e999'; expected a number between 1e-307 and 1e308");
    EXPECT_EQ(errorOf("é + €"), "expression 'é + €', column 1: found 'é'; expected " + value);
    EXPECT_EQ(errorOf("1 + é + €"), "expression '1 + é + €', column 5: found 'é'; expected " + value);
    EXPECT_EQ(errorOf(""), "expression '', column 1: found the end; expected " + value);
    EXPECT_THAT(errorOf("fleet.levels[2].rate"),
                HasSubstr("found the name 'fleet.levels[2].rate'; expected 'fleet.levels[1].rate'"));
}

TEST(Expression, isBounded) {
    EXPECT_THAT(errorOf(std::string(5000, '1')), HasSubstr("found 5000 bytes; expected an expression of at most 4096"));
    const auto nested = [](std::size_t depth) { return std::string(depth, '(') + "1" + std::string(depth, ')'); };
    EXPECT_EQ(valueOf(nested(99)), 1);
    EXPECT_THAT(errorOf(nested(100)), HasSubstr("more than 100 parts within each other"));
    EXPECT_THAT(errorOf(std::string(2000, '-') + "1"), HasSubstr("more than 100 parts within each other"));
    std::string choices, sum = "1";
    for (int i = 0; i < 200; ++i) choices += "1?1:";
    EXPECT_THAT(errorOf(choices + "1"), HasSubstr("more than 100 parts within each other"));
    for (int i = 0; i < 1000; ++i) sum += "+1";
    EXPECT_EQ(valueOf(sum), 1001);
}

/// A random expression with its value by the compiler's own arithmetic.
std::pair<std::string, double> anyExpression(RandomStream& random, int depth) {
    static const std::vector<double> kValues{100, 4, 3};
    if (depth == 0 || random.below(4) == 0) {
        if (random.below(2) == 0) {
            const std::size_t which = random.below(3);
            return {kNames[which], kValues[which]};
        }
        const double number = static_cast<double>(random.below(1000)) / 8;
        return {std::to_string(number), number};
    }
    const auto [a, x] = anyExpression(random, depth - 1);
    const auto [b, y] = anyExpression(random, depth - 1);
    switch (random.below(8)) {
        case 0:
            return {"(" + a + "+" + b + ")", x + y};
        case 1:
            return {"(" + a + " - " + b + ")", x - y};
        case 2:
            return {"(" + a + ")*(" + b + ")", x * y};
        case 3:
            return {"((" + a + ") / (" + b + "))", x / y};
        case 4:
            return {"min( " + a + " , " + b + " )", std::isnan(x) || std::isnan(y) ? NAN : std::min(x, y)};
        case 5:
            return {"((" + a + ") < (" + b + ") ? (" + a + ") : (" + b + "))", x < y ? x : y};
        case 6:
            return {"-(" + a + ")", -x};
        default:
            return {"sqrt(abs(" + a + "))", std::sqrt(std::fabs(x))};
    }
}

TEST(Expression, hasTheValueOfTheSameArithmetic) {
    RandomStream random(4);
    for (int i = 0; i < 5000; ++i) {
        const auto [text, value] = anyExpression(random, 4);
        if (text.size() > Expression::kMaxLength) continue;
        const double found = valueOf(text);
        EXPECT_TRUE(found == value || (std::isnan(found) && std::isnan(value))) << text << ": " << found;
    }
}

}  // namespace
}  // namespace tessera::explore::test
