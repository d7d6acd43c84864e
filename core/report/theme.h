#pragma once

#include <array>
#include <string>
#include <string_view>

namespace tessera::report {

/// A colour of the interface by its role.
struct Token {
    std::string_view name;  ///< "grid-line"; in a report the CSS variable `--grid-line`
    std::string_view light;
    std::string_view dark;
};

/// All colours that charts and reports may use besides those of data.
inline constexpr std::array kTokens{
    Token{"window", "#F6F7F9", "#16181D"},    Token{"surface", "#FFFFFF", "#1E2128"},
    Token{"raised", "#FFFFFF", "#262A33"},    Token{"border", "#D9DDE3", "#343A46"},
    Token{"grid-line", "#E8EBEF", "#2B303A"}, Token{"text", "#1B1F27", "#E8EBF0"},
    Token{"secondary", "#5A6372", "#A3ACBA"}, Token{"disabled", "#9AA3B0", "#667080"},
    Token{"accent", "#2F6FDE", "#6EA0FF"},    Token{"good", "#1E8E5A", "#4FC38A"},
    Token{"warning", "#B7791F", "#E0B050"},   Token{"bad", "#C53A3A", "#F07A7A"},
};

/// Categories in their fixed order, safe for colour-blind readers.
inline constexpr std::array<std::string_view, 8> kCategories{"#2F6FDE", "#E08A1E", "#1E9E77", "#C8507F",
                                                             "#7A5AC8", "#7F8A99", "#B59B00", "#3AA6C9"};
/// Partition types I, II, III, and joins.
inline constexpr std::array<std::string_view, 3> kPartitionTypes{"#2F6FDE", "#E08A1E", "#1E9E77"};

enum class ThemeKind { light, dark, css };

/// Resolves tokens to colours: fixed ones for a chart that stands alone, CSS variables inside a report that follows
/// the reader's light or dark setting.
class Theme {
public:
    explicit Theme(ThemeKind kind) : kind_(kind) {}
    std::string operator()(std::string_view token) const;

private:
    ThemeKind kind_;
};

/// The colour of a strategy or algorithm: the same everywhere. Ours is blue, baselines are grey and after.
std::string_view strategyColour(std::string_view id);

/// WCAG 2.1 contrast ratio of two "#RRGGBB" colours.
double contrast(std::string_view one, std::string_view other);

}  // namespace tessera::report
