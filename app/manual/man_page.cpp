#include "app/manual/man_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include "core/base/text.h"

namespace tessera::cli {

namespace {

/// A text as troff shows it: hyphens that can be copied, backslashes and quotation marks as they are.
std::string troffOf(std::string_view text) {
    std::string shown;
    for (const char c : text) switch (c) {
            case '\\':
                shown += "\\e";
                break;
            case '-':
                shown += "\\-";
                break;
            case '\'':
                shown += "\\(aq";
                break;
            case '`':
                shown += "\\(ga";
                break;
            case '^':
                shown += "\\(ha";
                break;
            case '~':
                shown += "\\(ti";
                break;
            default:
                shown += c;
        }
    return shown;
}

/// A line of text, which a '.' at its beginning would make a request.
std::string lineOf(std::string_view text) {
    return (text.starts_with('.') ? "\\&" : "") + troffOf(text) + "\n";
}

std::string withStop(const std::string& text) {
    return text.empty() || text.ends_with('.') ? text : text + ".";
}

std::string inCapitals(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return text;
}

std::string bold(std::string_view text) {
    return "\\fB" + troffOf(text) + "\\fR";
}

std::string italic(std::string_view text) {
    return "\\fI" + troffOf(text) + "\\fR";
}

/// "-o, --out FILE"
std::string namesOf(const CLI::Option& option) {
    if (option.get_positional()) return italic(option.get_name());
    std::vector<std::string> names;
    for (const std::string& name : option.get_snames()) names.push_back(bold("-" + name));
    for (const std::string& name : option.get_lnames()) names.push_back(bold("--" + name));
    std::string text = joined(names, ", ");
    if (option.get_items_expected_max() > 0) text += " " + italic(option.get_type_name());
    return text;
}

std::string entryOf(const std::string& head, const std::string& text) {
    return ".TP\n" + head + "\n" + lineOf(text);
}

/// An option group's entries; arguments stand in the group without a name.
std::string optionsOf(const std::vector<const CLI::Option*>& options) {
    std::string text;
    for (const CLI::Option* option : options)
        text += entryOf(namesOf(*option),
                        withStop(option->get_description()) + (option->get_required() ? " Required." : ""));
    return text;
}

std::vector<const CLI::Option*> chosen(const CLI::App& command, bool positional, const std::string& group) {
    return command.get_options([&](const CLI::Option* option) {
        return option->get_positional() == positional && (positional || option->get_group() == group);
    });
}

/// Groups in the order of their first options; hidden ones have no name.
std::vector<std::string> groupsOf(const CLI::App& command) {
    std::vector<std::string> groups;
    for (const CLI::Option* option : command.get_options())
        if (const std::string& group = option->get_group();
            !group.empty() && std::find(groups.begin(), groups.end(), group) == groups.end())
            groups.push_back(group);
    return groups;
}

std::string synopsisOf(const CLI::App& command, const std::string& path) {
    std::string text = bold(path);
    if (!command.get_subcommands([](const CLI::App*) { return true; }).empty()) text += " " + italic("COMMAND");
    text += " [" + italic("OPTIONS") + "]";
    for (const CLI::Option* option : command.get_options()) {
        if (option->get_positional()) {
            const std::string name = option->get_name() + (option->get_items_expected_max() > 1 ? "..." : "");
            text += option->get_required() ? " " + italic(name) : " [" + italic(name) + "]";
        } else if (option->get_required()) {
            text += " " + bold("--" + option->get_lnames().front()) + " " + italic(option->get_type_name());
        }
    }
    return text + "\n";
}

/// A help's footer: lines that end with ':' are headings, what follows is shown as it stands.
std::string blocksOf(const std::string& footer) {
    std::string text, block;
    const auto close = [&] {
        while (block.ends_with("\n\n")) block.pop_back();
        if (!block.empty()) text += ".RS 4\n.nf\n" + block + ".fi\n.RE\n";
        block.clear();
    };
    for (const std::string_view line : split(footer, '\n')) {
        if (!line.empty() && line.front() != ' ' && line.back() == ':') {
            close();
            text += ".SH \"" + troffOf(inCapitals(std::string(line.substr(0, line.size() - 1)))) + "\"\n";
        } else if (line.starts_with("  ")) {
            block += lineOf(line.substr(2));
        } else if (!line.empty()) {
            close();
            text += (text.empty() ? "" : ".PP\n") + lineOf(line);
        }
    }
    close();
    return text;
}

std::string seeAlso(const CLI::App& command, const std::string& path, std::vector<std::string> names) {
    if (const std::size_t space = path.rfind(' '); space != std::string::npos) names.push_back(path.substr(0, space));
    for (const CLI::App* each : command.get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(path + " " + each->get_name());
    std::string text = ".SH \"SEE ALSO\"\n";
    for (std::size_t i = 0; i < names.size(); ++i)
        text += fmt::format(".BR {} (1){}\n", troffOf(manName(names[i])), i + 1 < names.size() ? "," : "");
    return text;
}

}  // namespace

std::string manName(const std::string& path) {
    std::string name = path;
    std::replace(name.begin(), name.end(), ' ', '-');
    return name;
}

std::string footerOf(const Conventions& conventions) {
    std::string text = "\nEnvironment:\n";
    for (const Variable& each : conventions.variables) text += fmt::format("  {:<18}{}\n", each.name, each.meaning);
    text += "\nExit status:\n";
    for (const Exit& each : conventions.exits)
        text += fmt::format("  {}  {}\n", static_cast<int>(each.code), each.meaning);
    return text;
}

std::string manPage(const CLI::App& command, const std::string& path, const Conventions& conventions,
                    const std::vector<std::string>& related) {
    const std::string name = manName(path);
    std::string summary = command.get_description();
    if (summary.ends_with('.')) summary.pop_back();
    std::string page = fmt::format(".TH \"{}\" 1 \"\" \"tessera {}\" \"Tessera\"\n.nh\n.ad l\n",
                                   troffOf(inCapitals(name)), TESSERA_VERSION);
    page += ".SH NAME\n" + troffOf(name) + " \\- " + troffOf(summary) + "\n";
    page += ".SH SYNOPSIS\n" + synopsisOf(command, path);
    const auto commands = command.get_subcommands([](const CLI::App*) { return true; });
    if (!commands.empty()) {
        page += ".SH COMMANDS\n";
        for (const CLI::App* each : commands)
            page += entryOf(bold(each->get_name()), withStop(each->get_description()));
    }
    if (const auto arguments = chosen(command, true, ""); !arguments.empty())
        page += ".SH ARGUMENTS\n" + optionsOf(arguments);
    for (const std::string& group : groupsOf(command)) {
        const auto options = chosen(command, false, group);
        if (options.empty()) continue;
        page += ".SH \"" + troffOf(inCapitals(group)) + "\"\n" + optionsOf(options);
    }
    page += blocksOf(command.get_footer());
    // The page of the whole program has them from its help.
    if (path.find(' ') == std::string::npos) return page + seeAlso(command, path, related);
    page += ".SH \"EXIT STATUS\"\n";
    for (const Exit& each : conventions.exits)
        page += entryOf(fmt::format("\\fB{}\\fR", static_cast<int>(each.code)), withStop(std::string(each.meaning)));
    page += ".SH ENVIRONMENT\n";
    for (const Variable& each : conventions.variables)
        page += entryOf(bold(each.name), withStop(std::string(each.meaning)));
    return page + seeAlso(command, path, related);
}

}  // namespace tessera::cli
