# One static library per folder of core/ and ui/, made of the folder's .cpp files. The arrows between folders are
# written here (DEPENDS) and nowhere else; tests/architecture checks that the includes agree with them.
#
#   tessera_module(cost DEPENDS hardware PRIVATE_DEPENDS fmt::fmt)
#
# DEPENDS names other modules (PUBLIC); PUBLIC_LIBRARIES and PRIVATE_DEPENDS name imported targets. READS_FILES says that
# the module reads what others wrote: a build for fuzzing counts what of it an input reaches, which costs time elsewhere.

add_library(tessera_options INTERFACE)
target_include_directories(tessera_options INTERFACE ${PROJECT_SOURCE_DIR})
# Results are the same bytes on any x86-64 machine: no contraction to fused multiply-add, baseline instruction set. What is
# compiled for a shared library is no slower for it, since nothing else may stand in for its functions.
target_compile_options(tessera_options INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -ffp-contract=off -fno-semantic-interposition)
# g++ 12 warns falsely on std::string concatenation (GCC bug 105651), the more so where headers are precompiled, and, at
# -O3, on the comparison of vectors of bytes;
# it does not see that a std::optional was tested or which alternative a std::variant holds (GCC bug 80635);
# it takes a source that is compiled together with others for a header, whose classes may hold nothing unnamed.
target_compile_options(tessera_options INTERFACE
                       $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread -Wno-maybe-uninitialized -Wno-subobject-linkage>)
if(TESSERA_WERROR)
  target_compile_options(tessera_options INTERFACE -Werror)
endif()
if(TESSERA_SANITIZE)
  target_compile_options(tessera_options INTERFACE -fsanitize=${TESSERA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(tessera_options INTERFACE -fsanitize=${TESSERA_SANITIZE})
endif()

# tessera_unite(TARGET SOURCE...): compiles the sources of a folder some at a time, as one: most of the time to compile
# them one by one goes into the headers that they share. Names within a file's unnamed namespace must then be one meaning
# each in the folder. What has options of its own stays alone. The united files name the others as includes do, so that
# ccache finds them from any checkout. Twelve sources of core/report take 0.7 GB at -O2; more than sixteen together would
# leave a folder as large as core/mapping to one of two cores.
set(TESSERA_UNITE 16 CACHE STRING "How many sources of a folder are compiled as one; 1 = each by itself, as changing few of them wants")
function(tessera_unite target)
  if(TESSERA_UNITE LESS 2)
    return()
  endif()
  set(folders)
  foreach(source IN LISTS ARGN)
    get_source_file_property(own_options ${source} COMPILE_OPTIONS)
    get_source_file_property(own_includes ${source} INCLUDE_DIRECTORIES)
    get_source_file_property(own_definitions ${source} COMPILE_DEFINITIONS)
    if(own_options OR own_includes)
      set_source_files_properties(${source} PROPERTIES SKIP_PRECOMPILE_HEADERS TRUE)
      continue()
    elseif(own_definitions)
      continue()
    endif()
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE path)
    cmake_path(GET path PARENT_PATH folder)
    list(APPEND folders ${folder})
    list(APPEND "sources_of_${folder}" ${path})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    set(paths ${sources_of_${folder}})
    list(LENGTH paths count)
    math(EXPR parts "(${count} + ${TESSERA_UNITE} - 1) / ${TESSERA_UNITE}")
    string(REPLACE "/" "_" name ${folder})
    foreach(part RANGE 1 ${parts})
      math(EXPR first "(${part} - 1) * ${count} / ${parts}")
      math(EXPR size "${part} * ${count} / ${parts} - ${first}")
      list(SUBLIST paths ${first} ${size} together)
      if(size LESS 2)
        continue()
      endif()
      list(TRANSFORM together REPLACE "(.+)" "#include \"\\1\"" OUTPUT_VARIABLE lines)
      list(JOIN lines "\n" text)
      set(united ${CMAKE_CURRENT_BINARY_DIR}/united/${name}_${part}.cpp)
      file(CONFIGURE OUTPUT ${united} CONTENT "${text}\n")
      list(TRANSFORM together PREPEND ${PROJECT_SOURCE_DIR}/)
      set_source_files_properties(${together} PROPERTIES HEADER_FILE_ONLY TRUE)
      set_source_files_properties(${united} PROPERTIES SKIP_AUTOGEN TRUE)
      target_sources(${target} PRIVATE ${united})
    endforeach()
  endforeach()
endfunction()

# tessera_optimise_less(TARGET): for code that no loop of a search or a drawing is in, as files of hardware, studies, the
# history, dialogs, commands and tests. A third of the time to compile it would go into optimising what then runs once;
# half of it where clang is to optimise the checks of addresses, too. (Those of threads are too slow without.)
function(tessera_optimise_less target)
  if(TESSERA_SANITIZE MATCHES address)
    target_compile_options(${target} PRIVATE -O0)
  else()
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Og>)
  endif()
endfunction()

# tessera_precompile(TARGET LIBRARY... HEADERS HEADER...): has the compiler read the headers of other projects, the standard
# library's among them, once for all targets that are compiled alike. Each source still includes what it uses: those that
# are compiled by themselves (TESSERA_UNITE=1) get nothing from here. Only for g++, whose precompiled headers ccache keeps.
# Libraries are those whose headers are meant, and Qt where a target is linked with it, which then is compiled otherwise.
set(TESSERA_COMMON_HEADERS
    <algorithm> <array> <atomic> <bit> <charconv> <chrono> <cmath> <condition_variable> <cstdint> <cstring> <deque> <exception>
    <filesystem> <fstream> <functional> <iterator> <limits> <map> <memory> <mutex> <numeric> <optional> <queue> <random> <set>
    <span> <sstream> <stdexcept> <stop_token> <string> <string_view> <system_error> <thread> <tuple> <type_traits>
    <unordered_map> <utility> <variant> <vector> <fmt/format.h> <nlohmann/json.hpp>)
set(TESSERA_QT_HEADERS
    <QAction> <QApplication> <QComboBox> <QDialog> <QDir> <QFile> <QFileInfo> <QFrame> <QHBoxLayout> <QJsonArray> <QJsonDocument>
    <QJsonObject> <QKeyEvent> <QLabel> <QLineEdit> <QMenu> <QObject> <QPainter> <QPointer> <QPushButton> <QScrollArea> <QScrollBar>
    <QSettings> <QStackedWidget> <QString> <QStringList> <QTableView> <QTimer> <QToolButton> <QUndoStack> <QVBoxLayout> <QVector> <QWidget>)
function(tessera_precompile target)
  if(TESSERA_UNITE LESS 2 OR NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    return()
  endif()
  cmake_parse_arguments(PRECOMPILE "" "" HEADERS ${ARGN})
  get_target_property(options ${target} COMPILE_OPTIONS)
  get_target_property(independent ${target} POSITION_INDEPENDENT_CODE)
  if(NOT options)
    set(options)
  endif()
  # Targets of the same options share what is precompiled; the compiler refuses it where they differ after all.
  string(MD5 alike "${options};${independent};${ARGN}")
  get_property(shared GLOBAL PROPERTY "TESSERA_HEADERS_${alike}")
  if(NOT shared)
    set(shared ${target}_headers)
    set_property(GLOBAL PROPERTY "TESSERA_HEADERS_${alike}" ${shared})
    set(nothing ${PROJECT_BINARY_DIR}/headers/${shared}.cpp)
    file(CONFIGURE OUTPUT ${nothing} CONTENT "// Nothing but what is precompiled.\n")
    add_library(${shared} OBJECT ${nothing})
    target_link_libraries(${shared} PRIVATE tessera_options fmt::fmt nlohmann_json::nlohmann_json ${PRECOMPILE_UNPARSED_ARGUMENTS})
    target_compile_options(${shared} PRIVATE ${options})
    set_target_properties(${shared} PROPERTIES AUTOMOC OFF AUTOUIC OFF AUTORCC OFF POSITION_INDEPENDENT_CODE ${independent})
    target_precompile_headers(${shared} PRIVATE ${TESSERA_COMMON_HEADERS} ${PRECOMPILE_HEADERS})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${shared})
endfunction()

function(tessera_module name)
  cmake_parse_arguments(MODULE "READS_FILES" "" "DEPENDS;PUBLIC_LIBRARIES;PRIVATE_DEPENDS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_library(tessera_${name} STATIC ${sources})
  list(TRANSFORM MODULE_DEPENDS PREPEND tessera_)
  target_link_libraries(tessera_${name} PUBLIC tessera_options ${MODULE_DEPENDS} ${MODULE_PUBLIC_LIBRARIES}
                                        PRIVATE ${MODULE_PRIVATE_DEPENDS})
  if(TESSERA_FUZZ AND MODULE_READS_FILES)
    target_compile_options(tessera_${name} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
  # Qt's meta-objects are made for the folders of ui/ only. The core is also part of the Python module, a shared library:
  # it is compiled once, so that it fits both.
  if(name MATCHES "^ui_")
    set_target_properties(tessera_${name} PROPERTIES AUTOMOC ON)
    set(precompiled Qt6::Widgets HEADERS ${TESSERA_QT_HEADERS})
  else()
    set(precompiled)
    set_target_properties(tessera_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endif()
  # Options of the module and of its sources come first.
  cmake_language(EVAL CODE "cmake_language(DEFER CALL tessera_unite tessera_${name} ${sources})")
  if(NOT MODULE_PUBLIC_LIBRARIES STREQUAL Qt6::Core)  # one folder without widgets
    cmake_language(EVAL CODE "cmake_language(DEFER CALL tessera_precompile tessera_${name} ${precompiled})")
  endif()
  set_property(GLOBAL APPEND PROPERTY TESSERA_MODULES tessera_${name})
endfunction()
