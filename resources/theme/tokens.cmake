# Turns tokens.txt into the header <tessera/tokens.h>: the kinds become constexpr tables. Also sets, for other CMake
# files, TESSERA_COLOURS (names) and TESSERA_COLOUR_light_NAME / TESSERA_COLOUR_dark_NAME.

function(tessera_make_tokens tokens header)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${tokens})
  file(STRINGS ${tokens} lines REGEX "^[a-z]")
  set(names)
  foreach(kind colour category partition operator quantity difference size font)
    set(rows_${kind} "")
  endforeach()
  foreach(line IN LISTS lines)
    string(REGEX REPLACE " +" ";" words "${line}")
    list(LENGTH words count)
    list(GET words 0 kind)
    if(NOT DEFINED rows_${kind} OR (kind STREQUAL colour AND NOT count EQUAL 4) OR (NOT kind STREQUAL colour AND NOT count EQUAL 3))
      message(FATAL_ERROR "${tokens}: cannot read '${line}'")
    endif()
    list(GET words 1 name)
    list(GET words 2 value)
    if(kind STREQUAL colour)
      list(GET words 3 dark)
      string(APPEND rows_colour "    Token{\"${name}\", \"${value}\", \"${dark}\"},\n")
      list(APPEND names ${name})
      set(TESSERA_COLOUR_light_${name} ${value} PARENT_SCOPE)
      set(TESSERA_COLOUR_dark_${name} ${dark} PARENT_SCOPE)
    elseif(kind MATCHES "^(size|font)$")
      string(APPEND rows_${kind} "    Length{\"${name}\", ${value}},\n")
    elseif(kind STREQUAL operator)
      string(APPEND rows_${kind} "    NamedColour{\"${name}\", \"${value}\"},\n")
    else()
      string(APPEND rows_${kind} "    std::string_view(\"${value}\"),\n")
    endif()
  endforeach()
  set(TESSERA_COLOURS ${names} PARENT_SCOPE)
  file(CONFIGURE OUTPUT ${header} @ONLY CONTENT [[// Made from resources/theme/tokens.txt.
#pragma once

#include <array>
#include <string_view>

namespace tessera::report {

/// A colour of the interface by its role.
struct Token {
    std::string_view name;  ///< "grid-line"; in a report the CSS variable `--grid-line`
    std::string_view light;
    std::string_view dark;
};
struct NamedColour {
    std::string_view name;
    std::string_view colour;
};
/// Pixels at 100 %.
struct Length {
    std::string_view name;
    int pixels;
};

inline constexpr std::array kTokens{
@rows_colour@};
inline constexpr std::array kCategories{
@rows_category@};
inline constexpr std::array kPartitionTypes{
@rows_partition@};
inline constexpr std::array kOperatorColours{
@rows_operator@};
inline constexpr std::array kQuantityRamp{
@rows_quantity@};
inline constexpr std::array kDifferenceRamp{
@rows_difference@};
inline constexpr std::array kSizes{
@rows_size@};
inline constexpr std::array kFontSizes{
@rows_font@};

}  // namespace tessera::report
]])
endfunction()
