# Debian packages: every install component is one. Included once all components are known; `app/run --package` makes them.
set(TESSERA_MAINTAINER "Tessera maintainers <tessera@users.noreply.github.com>" CACHE STRING "Who answers for the packages")
set(TESSERA_PACKAGE_RELEASE 1 CACHE STRING "Number of the packages of one version, from 1")

# tessera_package(NAME SECTION WORD SYNOPSIS LINE DESCRIPTION TEXT [ARCHITECTURE all]
#                 [ON PACKAGES OF THIS BUILD…] [DEPENDS|RECOMMENDS|SUGGESTS "other packages"] [SCRIPTS FILES…])
# A row. Libraries that its programs load are added to what it depends on.
function(tessera_package name)
  cmake_parse_arguments(PACKAGE "" "SECTION;SYNOPSIS;DESCRIPTION;ARCHITECTURE;DEPENDS;RECOMMENDS;SUGGESTS" "ON;SCRIPTS" ${ARGN})
  string(TOUPPER ${name} upper)
  list(TRANSFORM PACKAGE_SCRIPTS PREPEND ${PROJECT_SOURCE_DIR}/app/package/)
  foreach(setting IN ITEMS
      "CPACK_DEBIAN_${upper}_PACKAGE_NAME=${name}"
      "CPACK_DEBIAN_${upper}_PACKAGE_SECTION=${PACKAGE_SECTION}"
      "CPACK_DEBIAN_${upper}_DESCRIPTION=${PACKAGE_SYNOPSIS}\n${PACKAGE_DESCRIPTION}"
      "CPACK_DEBIAN_${upper}_PACKAGE_ARCHITECTURE=${PACKAGE_ARCHITECTURE}"
      "CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS=${PACKAGE_DEPENDS}"
      "CPACK_DEBIAN_${upper}_PACKAGE_RECOMMENDS=${PACKAGE_RECOMMENDS}"
      "CPACK_DEBIAN_${upper}_PACKAGE_SUGGESTS=${PACKAGE_SUGGESTS}"
      "CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA=${PACKAGE_SCRIPTS}"
      "CPACK_COMPONENT_${upper}_DEPENDS=${PACKAGE_ON}")
    string(REGEX MATCH "^([^=]+)=(.*)$" _ "${setting}")
    if(NOT CMAKE_MATCH_2 STREQUAL "")
      set(${CMAKE_MATCH_1} "${CMAKE_MATCH_2}" PARENT_SCOPE)
    endif()
  endforeach()
  set(TESSERA_PACKAGES ${TESSERA_PACKAGES} ${name} PARENT_SCOPE)
endfunction()

tessera_package(tessera SECTION science
  RECOMMENDS "coinor-cbc, graphviz, librsvg2-bin"
  SUGGESTS "tessera-doc, tessera-mpi, tessera-studio"
  SYNOPSIS "explorer of accelerators for deep learning, command line"
  DESCRIPTION "Tessera answers which accelerators, arranged how, should run which split of a
deep learning model. It reads models (ONNX, layer tables, transformer
configurations) and descriptions of hardware, and searches the ways to divide
the work: partitions of layers over mixed fleets, mappings of jobs to cores,
accelerators that could be built, parallel configurations of training jobs on
clusters, and the trade-offs between any of their parameters.

Heuristics stand beside proven bounds, every number of the bundled hardware
names its source, and every run is kept in a history in which it can be
searched, compared and repeated.

This package holds the command line and the bundled models, hardware, studies
and measurements. Operator schedules by integer linear programming want
coinor-cbc, pictures of graphs graphviz, and PNG and PDF files librsvg2-bin (or
tessera-studio, which makes them without hatches).")

tessera_package(tessera-studio SECTION science ON tessera
  RECOMMENDS "graphviz, librsvg2-bin, qt6-wayland"
  SUGGESTS "tessera-doc"
  SYNOPSIS "explorer of accelerators for deep learning, desktop application"
  DESCRIPTION "Tessera answers which accelerators, arranged how, should run which split of a
deep learning model.

This package holds its desktop application: models as graphs, editors of
hardware and studies, searches that are watched while they run, results with
the explanation of every number, comparisons, one workbench for the points of
explorations, and the history of all runs. It opens the files that Tessera
writes, and ONNX models.")

tessera_package(tessera-mpi SECTION science ON tessera
  DEPENDS "openmpi-bin"
  SYNOPSIS "explorer of accelerators for deep learning, several machines"
  DESCRIPTION "Tessera answers which accelerators, arranged how, should run which split of a
deep learning model.

This package holds the module by which mpirun and srun start explorations of
the command line as several processes, on one machine or many, to the same
bytes as in one process.")

if(TESSERA_PYTHON)
  # A module of C++ is of one version.
  list(GET TESSERA_PYTHON_VERSION 0 major)
  list(GET TESSERA_PYTHON_VERSION 1 minor)
  math(EXPR next "${minor} + 1")
  set(python "python3 (>= ${major}.${minor}~), python3 (<< ${major}.${next})")
endif()
tessera_package(python3-tessera SECTION python ON tessera
  DEPENDS "${python}"
  SUGGESTS "python3-pandas, tessera-doc"
  SCRIPTS postinst prerm
  SYNOPSIS "explorer of accelerators for deep learning, for Python 3"
  DESCRIPTION "Tessera answers which accelerators, arranged how, should run which split of a
deep learning model.

This package holds its engines as a module of Python 3: studies with progress
and cancellation, models and hardware as objects, metrics and tables (of pandas
where it is installed), pictures and reports in notebooks, the history, and
objectives for other optimisers.")

tessera_package(tessera-doc SECTION doc ARCHITECTURE all
  SYNOPSIS "explorer of accelerators for deep learning, documentation"
  DESCRIPTION "Tessera answers which accelerators, arranged how, should run which split of a
deep learning model.

This package holds what there is to read about it: first sessions in the window
and on the command line, file formats, an example notebook, and the changes of
each version.")

get_cmake_property(CPACK_COMPONENTS_ALL COMPONENTS)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  if(NOT component IN_LIST TESSERA_PACKAGES)
    message(FATAL_ERROR "files are installed with COMPONENT '${component}'; expected one of the packages of "
                        "app/package/packages.cmake: ${TESSERA_PACKAGES}")
  endif()
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_VERBATIM_VARIABLES TRUE)
set(CPACK_PACKAGE_NAME tessera)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each has its own
set(CPACK_PACKAGE_CONTACT "${TESSERA_MAINTAINER}")
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL TRUE)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS TRUE)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS TRUE)
set(CPACK_DEBIAN_PACKAGE_SOURCE tessera)
set(CPACK_DEBIAN_PACKAGE_RELEASE ${TESSERA_PACKAGE_RELEASE})
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION TRUE)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_STRIP_FILES TRUE)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/app/package/debian.cmake)
set(CPACK_TESSERA_SOURCE ${PROJECT_SOURCE_DIR})
include(CPack)
