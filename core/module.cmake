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
  endif()
  set_property(GLOBAL APPEND PROPERTY TESSERA_MODULES tessera_${name})
endfunction()
