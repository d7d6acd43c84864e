#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace tessera::explore {

/// A small arithmetic expression over named values, as `base + 12 * hbm_stacks`: for variables that follow from others.
///
/// Numbers as 12, 0.5 and 1e9; names of letters, digits, `_`, dots and indices (`memory[1].capacity`); `+ - * /`, `^`
/// for powers (from the right: 2^3^2 is 2^9, and -2^2 is -4), comparisons `< <= > >= == !=` that are 1 or 0, `! && ||`,
/// and `condition ? one : other`; the functions that `functionNames` lists. What has no value, as a division by 0, is
/// infinite or NaN; a condition that is NaN gives NaN, unless the other one of `&&` or `||` decides. The same bits on
/// every machine.
class Expression {
public:
    /// Reads an expression in which `names` may stand. Throws DataError, whose place names the text and the column
    /// after what `place` says, for what is none, for more than `kMaxLength` bytes, and for more than `kMaxDepth` parts
    /// within each other.
    Expression(std::string_view text, const std::vector<std::string>& names, const Place& place = {});

    static constexpr std::size_t kMaxLength = 4096;
    static constexpr int kMaxDepth = 100;

    /// The value for values of the names, in their order.
    double at(std::span<const double> values) const;

    const std::string& text() const { return text_; }
    /// Numbers of the names that stand in it, rising.
    const std::vector<std::size_t>& uses() const { return uses_; }

    struct Step {
        enum class Kind : std::uint8_t { number, name, function, choice } kind = Kind::number;
        double number = 0;          ///< of a number
        std::size_t which = 0;      ///< name, or row of the functions
        std::size_t arguments = 0;  ///< of a function, taken from the stack
    };

private:
    std::string text_;
    std::vector<std::size_t> uses_;
    std::vector<Step> steps_;  ///< in the order in which a stack takes them
    std::size_t depth_ = 0;    ///< of the stack
};

/// "min", "max", "sqrt" and so on.
std::vector<std::string> functionNames();

}  // namespace tessera::explore
