#include "core/explore/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/character.h"
#include "core/base/elementary.h"
#include "core/base/names.h"
#include "core/base/number.h"
#include "core/base/text.h"

namespace tessera::explore {

namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

/// Exact of powers of two.
double binaryLog(double x) {
    if (!(x > 0) || std::isinf(x)) return elementary::log(x);
    int exponent = 0;
    const double fraction = std::frexp(x, &exponent);
    return fraction == 0.5 ? exponent - 1 : exponent + elementary::log(fraction) * 1.44269504088896338700;
}

/// Exact of whole powers of ten.
double decimalLog(double x) {
    const double log = elementary::log(x) * 0.43429448190325182765, whole = std::floor(log + 0.5);
    if (!(std::fabs(whole) <= 22)) return log;
    double power = 1;
    for (int i = 0; i < std::fabs(whole); ++i) power *= 10;
    return x == (whole < 0 ? 1 / power : power) ? whole : log;
}

double wholePower(double x, unsigned times) {
    double all = 1;
    for (double square = x; times > 0; times >>= 1U, square *= square)
        if ((times & 1U) != 0) all *= square;
    return all;
}

/// Products for whole powers, so that x^2 is x x to the last bit.
double power(double x, double y) {
    constexpr double kMaxProducts = 1024;
    const bool isWhole = y == std::floor(y);
    if (isWhole && std::fabs(y) <= kMaxProducts) {
        const auto times = static_cast<unsigned>(std::fabs(y));
        const double all = wholePower(x, times);
        if (y >= 0) return all;
        // Products that are too large or small for all digits have inverses that are not.
        return std::isnormal(all) ? 1 / all : wholePower(1 / x, times);
    }
    if (y == 0.5) return x < 0 ? kNoNumber : std::sqrt(x);
    if (std::isnan(x) || std::isnan(y) || (x < 0 && !isWhole)) return kNoNumber;
    if (x == 0) return y > 0 ? 0 : kInfinity;
    const double size = elementary::pow(std::fabs(x), y);
    return x < 0 && std::fmod(std::fabs(y), 2) == 1 ? -size : size;
}

/// The first of all; NaN where one is.
template <typename Before>
double endOf(std::span<const double> values, Before isBefore) {
    double end = values.front();
    for (const double value : values)
        if (std::isnan(value) || isBefore(value, end)) end = value;
    return end;
}

double truth(bool is) {
    return is ? 1 : 0;
}

/// A condition on two others: of which one that is `deciding` decides; else it is NaN where one is.
double both(double x, double y, bool deciding) {
    const auto decides = [&](double value) { return !std::isnan(value) && (value != 0) == deciding; };
    if (decides(x) || decides(y)) return truth(deciding);
    return std::isnan(x) || std::isnan(y) ? kNoNumber : truth(!deciding);
}

/// An operator or a function: how many arguments it takes, and what it makes of them.
struct FunctionRow {
    std::string_view id;
    std::size_t min = 1, max = 1;
    double (*of)(std::span<const double> arguments) = nullptr;
};

using Arguments = std::span<const double>;
constexpr std::size_t kManyArguments = 64;

constexpr FunctionRow kFunctions[] = {
    // The operators, which are not called by name.
    {"+", 2, 2, [](Arguments a) { return a[0] + a[1]; }},
    {"-", 2, 2, [](Arguments a) { return a[0] - a[1]; }},
    {"*", 2, 2, [](Arguments a) { return a[0] * a[1]; }},
    {"/", 2, 2, [](Arguments a) { return a[0] / a[1]; }},
    {"^", 2, 2, [](Arguments a) { return power(a[0], a[1]); }},
    {"<", 2, 2, [](Arguments a) { return truth(a[0] < a[1]); }},
    {"<=", 2, 2, [](Arguments a) { return truth(a[0] <= a[1]); }},
    {">", 2, 2, [](Arguments a) { return truth(a[0] > a[1]); }},
    {">=", 2, 2, [](Arguments a) { return truth(a[0] >= a[1]); }},
    {"==", 2, 2, [](Arguments a) { return truth(a[0] == a[1]); }},
    {"!=", 2, 2, [](Arguments a) { return truth(a[0] != a[1]); }},
    {"&&", 2, 2, [](Arguments a) { return both(a[0], a[1], false); }},
    {"||", 2, 2, [](Arguments a) { return both(a[0], a[1], true); }},
    {"negative", 1, 1, [](Arguments a) { return -a[0]; }},
    {"!", 1, 1, [](Arguments a) { return std::isnan(a[0]) ? a[0] : truth(a[0] == 0); }},
    // The functions.
    {"min", 2, kManyArguments, [](Arguments a) { return endOf(a, [](double x, double y) { return x < y; }); }},
    {"max", 2, kManyArguments, [](Arguments a) { return endOf(a, [](double x, double y) { return x > y; }); }},
    {"sqrt", 1, 1, [](Arguments a) { return std::sqrt(a[0]); }},
    {"exp", 1, 1, [](Arguments a) { return elementary::exp(a[0]); }},
    {"log", 1, 1, [](Arguments a) { return elementary::log(a[0]); }},
    {"log2", 1, 1, [](Arguments a) { return binaryLog(a[0]); }},
    {"log10", 1, 1, [](Arguments a) { return decimalLog(a[0]); }},
    {"pow", 2, 2, [](Arguments a) { return power(a[0], a[1]); }},
    {"abs", 1, 1, [](Arguments a) { return std::fabs(a[0]); }},
    {"round", 1, 1, [](Arguments a) { return std::round(a[0]); }},
    {"floor", 1, 1, [](Arguments a) { return std::floor(a[0]); }},
    {"ceil", 1, 1, [](Arguments a) { return std::ceil(a[0]); }},
};
constexpr std::size_t kFirstFunction = 15;
static_assert(kFunctions[kFirstFunction].id == "min");

/// The row of an operator or a function; the number of rows where there is none.
std::size_t functionRow(std::string_view id) {
    const FunctionRow* const found = findRow(kFunctions, id);
    return found == nullptr ? std::size(kFunctions) : static_cast<std::size_t>(found - std::begin(kFunctions));
}

/// A word of an expression with the bytes before it.
struct Token {
    enum class Kind : std::uint8_t { number, name, sign, end } kind = Kind::end;
    std::string_view text;
    std::size_t offset = 0;
    double number = 0;

    bool is(std::string_view sign) const { return kind == Kind::sign && text == sign; }
};

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

bool isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// Reads by precedence; each level makes the steps of what it has read.
class ExpressionReader {
public:
    ExpressionReader(std::string_view text, const std::vector<std::string>& names, const Place& place)
        : text_(text), names_(names), place_(place) {
        if (text.size() > Expression::kMaxLength)
            refuse(Expression::kMaxLength, fmt::format("{} bytes", text.size()),
                   fmt::format("an expression of at most {}", Expression::kMaxLength));
        advance();
        readChoice();
        if (token_.kind != Token::Kind::end) refuseToken("an operator or the end");
    }

    std::vector<Expression::Step> steps;
    std::vector<std::size_t> uses;
    std::size_t max = 0;  ///< values on the stack

private:
    /// Counts how deep parts lie within each other while one is read.
    class Level {
    public:
        explicit Level(ExpressionReader& reader) : reader_(reader) {
            if (++reader_.level_ > Expression::kMaxDepth)
                reader_.refuse(reader_.token_.offset,
                               fmt::format("more than {} parts within each other", Expression::kMaxDepth),
                               "fewer, or names for some of them");
        }
        Level(const Level&) = delete;
        Level& operator=(const Level&) = delete;
        ~Level() { --reader_.level_; }

    private:
        ExpressionReader& reader_;
    };

    [[noreturn]] void refuse(std::size_t offset, std::string found, std::string expected) const {
        // Columns count characters, as editors do.
        std::size_t column = 1;
        for (const char c : text_.substr(0, offset)) column += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
        Place place = place_;
        place.where +=
            fmt::format("{}expression {}, column {}", place.where.empty() ? "" : ", ", inQuotes(text_), column);
        throw DataError(std::move(place), std::move(found), std::move(expected));
    }
    [[noreturn]] void refuseToken(std::string expected) const {
        refuse(token_.offset, token_.kind == Token::Kind::end ? "the end" : inQuotes(token_.text), std::move(expected));
    }

    void advance() {
        while (next_ < text_.size() && (text_[next_] == ' ' || text_[next_] == '\t')) ++next_;
        token_ = {.kind = Token::Kind::end, .text = {}, .offset = next_};
        if (next_ == text_.size()) return;
        const char c = text_[next_];
        const bool beginsNumber = isDigit(c) || (c == '.' && next_ + 1 < text_.size() && isDigit(text_[next_ + 1]));
        const std::size_t length = beginsNumber ? numberLength() : isLetter(c) ? nameLength() : signLength();
        token_.text = text_.substr(next_, length);
        token_.kind = beginsNumber ? Token::Kind::number : isLetter(c) ? Token::Kind::name : Token::Kind::sign;
        next_ += length;
    }
    std::size_t numberLength() {
        const char* const begin = text_.data() + next_;
        const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), token_.number);
        const auto length = static_cast<std::size_t>(end - begin);
        if (error == std::errc::result_out_of_range)
            refuse(next_, inQuotes(text_.substr(next_, length)), "a number between 1e-307 and 1e308");
        if (next_ + length < text_.size() && (isLetter(*end) || *end == '.'))
            refuse(next_ + length, inQuotes(text_.substr(next_ + length, 1)), "an operator after the number");
        return length;
    }
    /// Letters, digits and dots, and indices in brackets.
    std::size_t nameLength() const {
        std::size_t end = next_;
        while (end < text_.size()) {
            if (isLetter(text_[end]) || isDigit(text_[end]) || text_[end] == '.') {
                ++end;
                continue;
            }
            std::size_t close = end + 1;
            while (close < text_.size() && isDigit(text_[close])) ++close;
            if (text_[end] != '[' || close == end + 1 || close == text_.size() || text_[close] != ']') break;
            end = close + 1;
        }
        return end - next_;
    }
    std::size_t signLength() const {
        const std::string_view two = text_.substr(next_, 2);
        for (const std::string_view sign : {"<=", ">=", "==", "!=", "&&", "||"})
            if (two == sign) return 2;
        const auto first = static_cast<unsigned char>(text_[next_]);
        return first < 0x80 ? 1 : std::max<std::size_t>(1, firstCharacter(text_.substr(next_)).length);
    }

    void push(Expression::Step step) {
        const std::size_t taken = step.kind == Expression::Step::Kind::function ? step.arguments
                                  : step.kind == Expression::Step::Kind::choice ? 3
                                                                                : 0;
        stack_ = stack_ - taken + 1;
        max = std::max(max, stack_);
        steps.push_back(step);
    }
    void call(std::size_t row, std::size_t arguments) {
        push({.kind = Expression::Step::Kind::function, .which = row, .arguments = arguments});
    }

    void readChoice() {
        readBinary(0);
        if (!token_.is("?")) return;
        const Level level(*this);
        advance();
        readChoice();
        if (!token_.is(":")) refuseToken("':' and what else it is");
        advance();
        readChoice();
        push({.kind = Expression::Step::Kind::choice});
    }

    /// Operators from the weakest on; those of a row bind alike.
    void readBinary(std::size_t strength) {
        static const std::vector<std::vector<std::string_view>> kOperators = {
            {"||"}, {"&&"}, {"<", "<=", ">", ">=", "==", "!="}, {"+", "-"}, {"*", "/"}};
        if (strength == kOperators.size()) {
            readUnary();
            return;
        }
        readBinary(strength + 1);
        for (bool isFirst = true;; isFirst = false) {
            const auto& row = kOperators[strength];
            if (token_.kind != Token::Kind::sign || std::find(row.begin(), row.end(), token_.text) == row.end()) return;
            if (strength == 2 && !isFirst) refuseToken("brackets around one of two comparisons");
            const std::size_t function = functionRow(token_.text);
            advance();
            readBinary(strength + 1);
            call(function, 2);
        }
    }

    void readUnary() {
        const Level level(*this);
        if (token_.is("-") || token_.is("!")) {
            const std::size_t function = functionRow(token_.is("-") ? "negative" : "!");
            advance();
            readUnary();
            call(function, 1);
        } else if (token_.is("+")) {
            advance();
            readUnary();
        } else
            readPower();
    }

    void readPower() {
        readPrimary();
        if (!token_.is("^")) return;
        advance();
        readUnary();
        call(functionRow("^"), 2);
    }

    void readPrimary() {
        if (token_.kind == Token::Kind::number) {
            push({.kind = Expression::Step::Kind::number, .number = token_.number});
            advance();
        } else if (token_.kind == Token::Kind::name) {
            readName();
        } else if (token_.is("(")) {
            advance();
            readChoice();
            if (!token_.is(")")) refuseToken("an operator or ')'");
            advance();
        } else
            refuseToken("a number, a name, a function or '('");
    }

    void readName() {
        const Token name = token_;
        advance();
        if (token_.is("(")) {
            readCall(name);
            return;
        }
        const auto found = std::find(names_.begin(), names_.end(), name.text);
        if (found == names_.end()) {
            const std::string known =
                names_.empty() ? "no name, since there is none" : "one of " + joined(names_, ", ");
            refuse(name.offset, "the name " + inQuotes(name.text), withClosest("{}", name.text, names_, known));
        }
        const auto which = static_cast<std::size_t>(found - names_.begin());
        if (std::find(uses.begin(), uses.end(), which) == uses.end()) uses.push_back(which);
        push({.kind = Expression::Step::Kind::name, .which = which});
    }

    void readCall(const Token& name) {
        const std::size_t row = functionRow(name.text);
        if (row < kFirstFunction || row == std::size(kFunctions)) {
            const std::vector<std::string> known = functionNames();
            refuse(name.offset, "the function " + inQuotes(name.text),
                   withClosest("{}", name.text, known, "one of " + joined(known, ", ")));
        }
        const FunctionRow& function = kFunctions[row];
        advance();
        std::size_t arguments = 0;
        if (!token_.is(")")) {
            for (;;) {
                readChoice();
                ++arguments;
                if (!token_.is(",")) break;
                if (arguments == function.max)
                    refuseToken(function.max == function.min
                                    ? numberOfArguments(function)
                                    : fmt::format("at most {} values for {}", function.max, function.id));
                advance();
            }
            if (!token_.is(")")) refuseToken("an operator, ',' or ')'");
        }
        if (arguments < function.min) refuseToken(numberOfArguments(function));
        advance();
        call(row, arguments);
    }
    static std::string numberOfArguments(const FunctionRow& function) {
        const bool isOne = function.max == 1;
        return fmt::format("{}{} value{} for {}", function.max == function.min ? "" : "at least ",
                           isOne ? "one" : "two", isOne ? "" : "s", function.id);
    }

    std::string_view text_;
    const std::vector<std::string>& names_;
    const Place& place_;
    Token token_;
    std::size_t next_ = 0, stack_ = 0;
    int level_ = 0;
};

}  // namespace

Expression::Expression(std::string_view text, const std::vector<std::string>& names, const Place& place) : text_(text) {
    ExpressionReader reader(text_, names, place);
    steps_ = std::move(reader.steps);
    uses_ = std::move(reader.uses);
    std::sort(uses_.begin(), uses_.end());
    depth_ = reader.max;
}

double Expression::at(std::span<const double> values) const {
    std::vector<double> stack;
    stack.reserve(depth_);
    for (const Step& step : steps_) {
        switch (step.kind) {
            case Step::Kind::number:
                stack.push_back(step.number);
                break;
            case Step::Kind::name:
                stack.push_back(values[step.which]);
                break;
            case Step::Kind::function: {
                const std::size_t first = stack.size() - step.arguments;
                const double value = kFunctions[step.which].of(std::span<const double>(stack).subspan(first));
                stack.resize(first);
                stack.push_back(value);
                break;
            }
            case Step::Kind::choice: {
                const double other = stack.back(), one = stack[stack.size() - 2], condition = stack[stack.size() - 3];
                stack.resize(stack.size() - 3);
                stack.push_back(std::isnan(condition) ? condition : condition != 0 ? one : other);
                break;
            }
        }
    }
    return stack.back();
}

std::vector<std::string> functionNames() {
    std::vector<std::string> names;
    for (std::size_t i = kFirstFunction; i < std::size(kFunctions); ++i) names.emplace_back(kFunctions[i].id);
    return names;
}

}  // namespace tessera::explore
