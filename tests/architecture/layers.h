#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tessera::test {

/// One broken rule: "core/cost/roofline.cpp includes core/mapping; core/cost may use only: core/base;core/model".
using Problems = std::vector<std::string>;

/// The modules that each module names in its CMakeLists.txt: folder ("core/cost") to folders, direct arrows only.
/// Reads `tessera_module(NAME ... DEPENDS ...)` of core/ and ui/, and `target_link_libraries(tessera ...)` of app/.
using Arrows = std::map<std::string, std::set<std::string>>;
Arrows arrowsOf(const std::filesystem::path& tree);

/// The folders of core/ by layer, lowest first, as core/CMakeLists.txt lists them; above them ui and app/studio.
using Layers = std::vector<std::vector<std::string>>;
Layers layersOf(const std::filesystem::path& tree);

/// Arrows that go upwards or stay within a layer; app/cli and app/python sit on study, store and report.
Problems problemsOfArrows(const Layers& layers, const Arrows& arrows);

/// Folders of the layers that a README's map does not name.
Problems problemsOfMap(const Layers& layers, const std::string& readme);

/// Includes that go against the arrows, that are not spelled from the repository root, or that bring Qt, the console
/// or the tests into core/; headers without `#pragma once` as their first directive.
Problems problemsOfIncludes(const std::filesystem::path& tree, const Arrows& arrows);

/// Entries of the top level that the architecture does not name.
Problems problemsOfTopLevel(const std::vector<std::string>& files);

/// Files that mention a place of one machine.
Problems problemsOfMachinePaths(const std::filesystem::path& tree, const std::vector<std::string>& files);

/// The files that belong to the project, relative to its root: what git tracks or, without git, what is there apart
/// from build folders.
std::vector<std::string> filesOf(const std::filesystem::path& tree);

}  // namespace tessera::test
