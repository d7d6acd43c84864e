# One static library per folder of core/ and ui/, made of the folder's .cpp files. The arrows between folders are
# written here (DEPENDS) and nowhere else; tests/architecture checks that the includes agree with them.
#
#   tessera_module(cost DEPENDS hardware PRIVATE_DEPENDS fmt::fmt)
#
# DEPENDS names other modules (PUBLIC); PUBLIC_LIBRARIES and PRIVATE_DEPENDS name imported targets.

add_library(tessera_options INTERFACE)
target_include_directories(tessera_options INTERFACE ${PROJECT_SOURCE_DIR})
# Results are the same bytes on any x86-64 machine: no contraction to fused multiply-add, baseline instruction set.
target_compile_options(tessera_options INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -ffp-contract=off)
# g++ 12 warns falsely on std::string concatenation (GCC bug 105651) and, at -O3, on the comparison of vectors of bytes.
target_compile_options(tessera_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict -Wno-stringop-overread>)
if(TESSERA_PCH)
  # Precompiled headers lose the marks that keep g++ 12 quiet about system headers.
  target_compile_options(tessera_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow -Wno-array-bounds>)
  # Without the time in them, the cache of compilers knows them again.
  target_compile_options(tessera_options INTERFACE $<$<CXX_COMPILER_ID:Clang>:-Xclang -fno-pch-timestamp>)
endif()
if(TESSERA_WERROR)
  target_compile_options(tessera_options INTERFACE -Werror)
endif()
if(TESSERA_SANITIZE)
  target_compile_options(tessera_options INTERFACE -fsanitize=${TESSERA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(tessera_options INTERFACE -fsanitize=${TESSERA_SANITIZE})
  # Between the sanitizers' checks g++ 12 no longer sees that a std::optional was tested (GCC bug 80635).
  target_compile_options(tessera_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
endif()
if(TESSERA_FUZZ)
  target_compile_options(tessera_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# tessera_precompile(TARGET KIND): with TESSERA_PCH, the headers of libraries that nearly every file parses. All targets
# of a kind share one set, built with no more definitions than each of them has: g++ refuses it otherwise.
set(tessera_pch_plain <algorithm> <array> <chrono> <cmath> <cstdint> <filesystem> <functional> <map> <memory> <mutex> <optional>
                      <set> <span> <string> <string_view> <thread> <unordered_map> <variant> <vector>
                      <fmt/format.h> <nlohmann/json.hpp>)
set(tessera_pch_window ${tessera_pch_plain} <QtWidgets/QtWidgets>)
set(tessera_pch_test ${tessera_pch_plain} <gmock/gmock.h> <gtest/gtest.h>)
set(tessera_pch_window_test ${tessera_pch_window} <gmock/gmock.h> <gtest/gtest.h> <QtTest/QtTest>)
set(tessera_pch_libraries_plain nlohmann_json::nlohmann_json fmt::fmt Threads::Threads)
set(tessera_pch_libraries_window ${tessera_pch_libraries_plain} Qt6::Widgets)
set(tessera_pch_libraries_test ${tessera_pch_libraries_plain} GTest::gmock)
set(tessera_pch_libraries_window_test ${tessera_pch_libraries_window} GTest::gmock Qt6::Test)
function(tessera_precompile target kind)
  if(NOT TESSERA_PCH)
    return()
  endif()
  if(NOT TARGET tessera_pch_${kind})
    file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/pch_${kind}.cpp CONTENT "\n")
    add_library(tessera_pch_${kind} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/pch_${kind}.cpp)
    target_link_libraries(tessera_pch_${kind} PRIVATE tessera_options ${tessera_pch_libraries_${kind}})
    target_precompile_headers(tessera_pch_${kind} PRIVATE ${tessera_pch_${kind}})
  endif()
  target_precompile_headers(${target} REUSE_FROM tessera_pch_${kind})
endfunction()

function(tessera_module name)
  cmake_parse_arguments(MODULE "" "" "DEPENDS;PUBLIC_LIBRARIES;PRIVATE_DEPENDS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_library(tessera_${name} STATIC ${sources})
  list(TRANSFORM MODULE_DEPENDS PREPEND tessera_)
  target_link_libraries(tessera_${name} PUBLIC tessera_options ${MODULE_DEPENDS} ${MODULE_PUBLIC_LIBRARIES}
                                        PRIVATE ${MODULE_PRIVATE_DEPENDS})
  # Qt's meta-objects are made for the folders of ui/ only.
  if(name MATCHES "^ui_")
    set_target_properties(tessera_${name} PROPERTIES AUTOMOC ON)
    tessera_precompile(tessera_${name} window)
  else()
    tessera_precompile(tessera_${name} plain)
  endif()
  set_property(GLOBAL APPEND PROPERTY TESSERA_MODULES tessera_${name})
endfunction()
