#include "tests/architecture/layers.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>
#include <regex>
#include <sstream>

namespace tessera::test {

namespace fs = std::filesystem;

namespace {

/// Programs that call the core, not the window, and what they sit on.
const std::map<std::string, std::set<std::string>> kProgramsSitOn = {
    {"app/cli", {"app/manual", "core/calibrate", "core/study", "core/store", "core/report"}},
    {"app/python", {"core/study", "core/store", "core/report"}}};

const std::set<std::string> kTopLevel = {"app",
                                         "core",
                                         "ui",
                                         "resources",
                                         "data",
                                         "tests",
                                         ".ci",
                                         "CMakeLists.txt",
                                         "README.md",
                                         "CHANGELOG.md",
                                         "LICENSE",
                                         ".clang-format",
                                         ".clang-tidy",
                                         ".gitignore",
                                         ".gitattributes",
                                         "CMakePresets.json"};

std::string contents(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> words(const std::string& text) {
    std::istringstream in(text);
    return {std::istream_iterator<std::string>(in), {}};
}

std::string withoutComments(const std::string& cmake) {
    static const std::regex kComment("#[^\n]*");
    return std::regex_replace(cmake, kComment, "");
}

/// "cost" -> "core/cost", "manual" -> "app/manual"; "ui" and folders below it are one layer of their own.
std::string folderOfModule(const fs::path& tree, const std::string& name) {
    for (const char* top : {"core", "app"})
        if (fs::exists(tree / top / name)) return std::string(top) + "/" + name;
    return "ui";
}

/// "core/cost/roofline.h" -> "core/cost", "ui/views/x.h" -> "ui", "tests/..." -> "tests".
std::string moduleOf(const std::string& file) {
    const auto first = file.find('/');
    const std::string top = file.substr(0, first);
    if (top != "core" && top != "app") return top;
    return file.substr(0, file.find('/', first + 1));
}

std::optional<std::size_t> layerOf(const Layers& layers, const std::string& module) {
    for (std::size_t i = 0; i < layers.size(); ++i)
        if (std::find(layers[i].begin(), layers[i].end(), module) != layers[i].end()) return i;
    return std::nullopt;
}

std::set<std::string> reachable(const Arrows& arrows, const std::string& from) {
    std::set<std::string> seen;
    std::vector<std::string> open = {from};
    while (!open.empty()) {
        const std::string module = open.back();
        open.pop_back();
        const auto found = arrows.find(module);
        if (found == arrows.end()) continue;
        for (const auto& next : found->second)
            if (seen.insert(next).second) open.push_back(next);
    }
    return seen;
}

std::string joined(const std::set<std::string>& parts) {
    std::string text;
    for (const auto& part : parts) text += (text.empty() ? "" : ";") + part;
    return text;
}

/// The words after DEPENDS up to the next keyword, of `tessera_module(NAME ...)`.
void readModules(const fs::path& tree, const std::string& cmake, Arrows& arrows) {
    static const std::regex kModule(R"(tessera_module\s*\(([^)]*)\))");
    for (std::sregex_iterator it(cmake.begin(), cmake.end(), kModule), end; it != end; ++it) {
        const auto parts = words((*it)[1]);
        if (parts.empty()) continue;
        auto& targets = arrows[folderOfModule(tree, parts.front())];
        bool reading = false;
        for (const auto& part : parts) {
            if (part == "DEPENDS" || part == "PUBLIC_LIBRARIES" || part == "PRIVATE_DEPENDS" || part == "SOURCES")
                reading = part == "DEPENDS";
            else if (reading)
                targets.insert(folderOfModule(tree, part));
        }
    }
}

/// A program's folder names its modules as targets: tessera_study is core/study.
void readProgram(const fs::path& tree, const std::string& folder, const std::string& cmake, Arrows& arrows) {
    static const std::regex kModuleTarget(R"(\btessera_(\w+))");
    static const std::regex kLink(R"(target_link_libraries\s*\(([^)]*)\))");
    auto& targets = arrows[folder];
    for (std::sregex_iterator it(cmake.begin(), cmake.end(), kLink), end; it != end; ++it) {
        const std::string link = (*it)[1];
        for (std::sregex_iterator part(link.begin(), link.end(), kModuleTarget); part != end; ++part)
            if (const std::string name = (*part)[1]; name != "options") targets.insert(folderOfModule(tree, name));
    }
}

bool isSource(const fs::path& file) {
    return file.extension() == ".cpp" || file.extension() == ".h";
}

std::vector<std::string> sourcesOf(const fs::path& tree) {
    std::vector<std::string> files;
    for (const char* top : {"core", "app", "ui"}) {
        if (!fs::exists(tree / top)) continue;
        for (const auto& entry : fs::recursive_directory_iterator(tree / top))
            if (entry.is_regular_file() && isSource(entry.path()))
                files.push_back(fs::relative(entry.path(), tree).generic_string());
    }
    std::sort(files.begin(), files.end());
    return files;
}

/// What is wrong with one `#include` of a file, or nothing.
std::optional<std::string> problemOfInclude(const fs::path& tree, const std::string& module, const std::string& bracket,
                                            const std::string& name, const std::set<std::string>& allowed) {
    static const std::regex kQt(R"(Q[A-Z]\w*|Qt\w*/.*|q[a-z]+\.h)");
    static const std::set<std::string> kConsole = {"iostream", "spdlog/spdlog.h", "fmt/color.h"};
    const bool inCore = module.starts_with("core/");
    if (bracket == "<") {
        if (inCore && std::regex_match(name, kQt)) return "includes <" + name + ">; core never includes Qt";
        if (inCore && kConsole.count(name) > 0) return "includes <" + name + ">; nothing in core prints";
        if (fs::exists(tree / name)) return "includes <" + name + ">; the project's own headers stand in quotes";
        return std::nullopt;
    }
    if (!fs::exists(tree / name) || name.find("..") != std::string::npos)
        return "includes \"" + name + "\", which is not spelled from the repository root";
    const std::string target = moduleOf(name);
    if (target == module || allowed.count(target) > 0) return std::nullopt;
    return "includes " + target + "; " + module + " may use only: " + joined(allowed);
}

bool startsWithPragmaOnce(const std::string& text) {
    static const std::regex kFirstDirective(R"(^(?:\s|//[^\n]*\n)*#pragma once\s)");
    return std::regex_search(text, kFirstDirective, std::regex_constants::match_continuous);
}

}  // namespace

Arrows arrowsOf(const fs::path& tree) {
    Arrows arrows;
    for (const char* top : {"core", "ui", "app"}) {
        if (!fs::exists(tree / top)) continue;
        for (const auto& entry : fs::recursive_directory_iterator(tree / top)) {
            if (entry.path().filename() != "CMakeLists.txt") continue;
            const std::string cmake = withoutComments(contents(entry.path()));
            readModules(tree, cmake, arrows);
            const std::string folder = fs::relative(entry.path().parent_path(), tree).generic_string();
            if (folder.starts_with("app/")) readProgram(tree, folder, cmake, arrows);
        }
    }
    return arrows;
}

Layers layersOf(const fs::path& tree) {
    static const std::regex kList(R"(set\(core_layers([^)]*)\))"), kLayer(R"re("([^"]*)")re");
    const std::string cmake = withoutComments(contents(tree / "core" / "CMakeLists.txt"));
    Layers layers;
    if (std::smatch list; std::regex_search(cmake, list, kList)) {
        const std::string text = list[1];
        for (std::sregex_iterator it(text.begin(), text.end(), kLayer), end; it != end; ++it) {
            layers.emplace_back();
            for (const std::string& folder : words((*it)[1])) layers.back().push_back("core/" + folder);
        }
    }
    layers.insert(layers.end(), {{"ui", "app/manual"}, {"app/studio"}});
    return layers;
}

Problems problemsOfMap(const Layers& layers, const std::string& readme) {
    Problems problems;
    for (const std::vector<std::string>& layer : layers)
        for (const std::string& module : layer) {
            const std::string folder = module.substr(module.rfind('/') + 1) + "/";
            if (!std::regex_search(readme, std::regex("\n *" + folder + " +[^ ]")))
                problems.push_back("the README's map does not say what " + module + " is");
        }
    return problems;
}

Problems problemsOfArrows(const Layers& layers, const Arrows& arrows) {
    Problems problems;
    for (const auto& [from, targets] : arrows) {
        for (const auto& to : targets) {
            if (const auto program = kProgramsSitOn.find(from); program != kProgramsSitOn.end()) {
                if (program->second.count(to) == 0)
                    problems.push_back(from + " depends on " + to + "; it sits on " + joined(program->second));
                continue;
            }
            const auto low = layerOf(layers, to);
            const auto high = layerOf(layers, from);
            if (!low || !high)
                problems.push_back(from + " depends on " + to + "; the architecture does not know " +
                                   (high ? to : from));
            else if (from != to && *low >= *high)
                problems.push_back(from + " depends on " + to + ", which is not below it");
        }
    }
    return problems;
}

Problems problemsOfIncludes(const fs::path& tree, const Arrows& arrows) {
    static const std::regex kInclude(R"(^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"])", std::regex::multiline);
    Problems problems;
    for (const auto& file : sourcesOf(tree)) {
        const std::string text = contents(tree / file);
        const std::string module = moduleOf(file);
        const auto allowed = reachable(arrows, module);
        for (std::sregex_iterator it(text.begin(), text.end(), kInclude), end; it != end; ++it)
            if (const auto problem = problemOfInclude(tree, module, (*it)[1], (*it)[2], allowed))
                problems.push_back(file + " " + *problem);
        if (file.ends_with(".h") && !startsWithPragmaOnce(text))
            problems.push_back(file + " does not start with #pragma once");
    }
    return problems;
}

Problems problemsOfTopLevel(const std::vector<std::string>& files) {
    std::set<std::string> unknown;
    for (const auto& file : files)
        if (const std::string top = file.substr(0, file.find('/')); kTopLevel.count(top) == 0) unknown.insert(top);
    Problems problems;
    for (const auto& top : unknown) problems.push_back(top + " is not part of the top level");
    return problems;
}

Problems problemsOfMachinePaths(const fs::path& tree, const std::vector<std::string>& files) {
    // Absolute paths only ("build/home/x" is none), and not the home of `somebody`, whom examples may name. The first
    // letters stand in brackets, or this line would be found.
    static const std::regex kPlace(R"((?:^|[^\w.}$])(/(?:[w]ork|[h]ome|[r]oot|[U]sers|[t]mp/build)/)(?!somebody))",
                                   std::regex::multiline);
    Problems problems;
    for (const auto& file : files) {
        const std::string text = contents(tree / file);
        std::smatch found;
        if (std::regex_search(text, found, kPlace)) problems.push_back(file + " mentions " + found[1].str());
    }
    return problems;
}

std::vector<std::string> filesOf(const fs::path& tree) {
    std::string listing;
    const std::string command = "git -c safe.directory='*' -C '" + tree.string() + "' ls-files -z 2>/dev/null";
    if (FILE* pipe = fs::exists(tree / ".git") ? popen(command.c_str(), "r") : nullptr) {
        std::array<char, 4096> buffer{};
        while (const auto count = fread(buffer.data(), 1, buffer.size(), pipe)) listing.append(buffer.data(), count);
        pclose(pipe);
    }
    std::vector<std::string> files;
    std::istringstream in(listing);
    for (std::string file; std::getline(in, file, '\0');)
        if (fs::exists(tree / file)) files.push_back(file);  // a deleted file stays listed until the commit
    if (!files.empty()) return files;
    for (auto it = fs::recursive_directory_iterator(tree); it != fs::recursive_directory_iterator(); ++it) {
        const std::string name = it->path().filename().string();
        if (it.depth() == 0 && (name == ".git" || name.starts_with("build")))
            it.disable_recursion_pending();
        else if (it->is_regular_file())
            files.push_back(fs::relative(it->path(), tree).generic_string());
    }
    return files;
}

}  // namespace tessera::test
