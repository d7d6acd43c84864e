#include "app/cli/completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <span>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/hardware/library.h"
#include "core/model/zoo/zoo.h"
#include "core/physical/software.h"
#include "core/report/catalogue.h"
#include "core/reproduce/reproduce.h"
#include "core/store/store.h"
#include "core/study/engine.h"
#include "core/study/study.h"

namespace tessera::cli {

namespace {

constexpr const char* kOffered = "offered words";
constexpr std::int64_t kOfferedRuns = 50;

using Found = std::vector<Offered>;

// Sources of words
// -----------------------------------------------------------------------------------------------------

Found models() {
    Found found;
    for (const model::ZooEntry& entry : model::zooEntries()) found.push_back({"zoo:" + entry.id, entry.title});
    return found;
}

/// Of one kind, or of all where `kind` is empty.
Found hardwareOf(std::string_view kind) {
    Found found;
    for (const hardware::LibraryEntry& entry : hardware::libraryEntries())
        if (entry.problem.empty() && (kind.empty() ? entry.kind != "workload" : entry.kind == kind))
            found.push_back({entry.id, entry.name});
    return found;
}

Found filesOf(std::string_view folder) {
    Found found;
    for (const auto& [id, path] : hardware::libraryFiles(folder, "")) found.push_back({id, ""});
    return found;
}

Found studies() {
    Found found;
    for (const auto& [name, title] : study::bundledStudies()) found.push_back({name, title});
    return found;
}

store::Store historyFor(const std::string& named) {
    return store::openNamed(named, store::OpenMode::readOnly);
}

Found runs(const std::string& history) {
    Found found{{"last", "the newest run"}};
    for (const store::RunRow& row : historyFor(history).query({}, kOfferedRuns))
        found.push_back({std::to_string(row.id), row.name});
    return found;
}

Found tags(const std::string& history) {
    Found found;
    for (const auto& [tag, count] : historyFor(history).tags())
        found.push_back({tag, formatCounted(static_cast<double>(count), "run", "runs")});
    return found;
}

Found figures() {
    Found found{{"list", "names all figures"}};
    for (const study::Figure& figure : study::figures())
        found.push_back({std::string(figure.name), std::string(figure.title)});
    return found;
}

Found stacks() {
    Found found;
    for (const char* profile : {"eager", "fused", "tuned"}) found.push_back({profile, "a profile"});
    for (const physical::SoftwareStack& stack : physical::softwareStacks()) found.push_back({stack.id, stack.does});
    return found;
}

/// Rows of all catalogues, each id once.
Found exported() {
    Found found;
    const auto add = [&](const auto& rows) {
        for (const report::Row& row : rows)
            if (std::none_of(found.begin(), found.end(), [&](const Offered& each) { return each.word == row.id; }))
                found.push_back({std::string(row.id), std::string(row.about)});
    };
    for (const report::Catalogue& each : report::catalogues()) {
        add(each.pictures);
        add(each.tables);
        add(each.files);
    }
    return found;
}

Found engines() {
    Found found;
    for (const study::Engine& engine : study::engines()) found.push_back({std::string(engine.id), ""});
    return found;
}

struct SourceRow {
    std::string_view name;
    Found (*words)(const std::string& history);
};
/// `history` is the file that the command line names.
constexpr std::array kSources{
    SourceRow{"@models", [](const std::string&) { return models(); }},
    SourceRow{"@hardware", [](const std::string&) { return hardwareOf(""); }},
    SourceRow{"@accelerators", [](const std::string&) { return hardwareOf("accelerator"); }},
    SourceRow{"@fleets", [](const std::string&) { return hardwareOf("fleet"); }},
    SourceRow{"@platforms", [](const std::string&) { return hardwareOf("platform"); }},
    SourceRow{"@templates", [](const std::string&) { return hardwareOf("template"); }},
    SourceRow{"@workloads", [](const std::string&) { return filesOf("workloads"); }},
    SourceRow{"@placements", [](const std::string&) { return filesOf("placements"); }},
    SourceRow{"@operators", [](const std::string&) { return filesOf("operators"); }},
    SourceRow{"@datasets", [](const std::string&) { return filesOf("datasets"); }},
    SourceRow{"@studies", [](const std::string&) { return studies(); }},
    SourceRow{"@runs", runs},
    SourceRow{"@tags", tags},
    SourceRow{"@figures", [](const std::string&) { return figures(); }},
    SourceRow{"@stacks", [](const std::string&) { return stacks(); }},
    SourceRow{"@exports", [](const std::string&) { return exported(); }},
    SourceRow{"@engines", [](const std::string&) { return engines(); }},
};

/// What the name of a value says of it, such as FLEET in `--fleet FLEET`.
struct ValueRow {
    std::string_view value;
    std::string_view source = {};
    Offers::Paths paths = Offers::Paths::none;
};
constexpr std::array kValues{
    ValueRow{"MODEL", "@models", Offers::Paths::files},
    ValueRow{"FLEET", "@fleets", Offers::Paths::files},
    ValueRow{"A", "@accelerators", Offers::Paths::files},
    ValueRow{"ACCELERATOR", "@accelerators", Offers::Paths::files},
    ValueRow{"PLATFORM", "@platforms", Offers::Paths::files},
    ValueRow{"TEMPLATE", "@templates", Offers::Paths::files},
    ValueRow{"WORKLOAD", "@workloads", Offers::Paths::files},
    ValueRow{"STUDY", "@studies", Offers::Paths::files},
    ValueRow{"STACK", "@stacks"},
    ValueRow{"RUN", "@runs"},
    ValueRow{"TAG", "@tags"},
    ValueRow{"FILE", {}, Offers::Paths::files},
    ValueRow{"DIR", {}, Offers::Paths::folders},
};

void addSource(Found& found, std::string_view name, const std::string& history) {
    for (const SourceRow& row : kSources) {
        if (row.name != name) continue;
        try {
            const Found words = row.words(history);
            found.insert(found.end(), words.begin(), words.end());
        } catch (const std::exception&) {
            return;  // someone is typing: this is no place for a sentence
        }
    }
}

/// What `offer` was told.
std::vector<std::string> offeredFor(CLI::Option& option) {
    try {
        CLI::Validator kept = *option.get_validator(kOffered);
        kept.active(true);
        const std::string text = kept.get_description();
        std::vector<std::string> words;
        for (const std::string_view word : split(text, '\n')) words.emplace_back(word);
        return words;
    } catch (const CLI::OptionNotFound&) {
        return {};
    }
}

/// "A" of "A[,A...]", "RUN" and "FILE" of "RUN|FILE".
std::vector<std::string> valuesNamedBy(const CLI::Option& option) {
    std::string name = option.get_type_name();
    if (name.empty() && option.get_positional()) name = option.get_name();
    name = name.substr(0, name.find_first_of("[,<=:"));
    std::vector<std::string> names;
    for (const std::string_view part : split(name, '|')) names.emplace_back(part);
    return names;
}

bool takesValue(const CLI::Option& option) {
    return option.get_items_expected_max() > 0;
}

/// Words for the value of an option that begins with `begun`; of a list, for its last entry.
void addValues(Offers& offers, CLI::Option& option, const std::string& begun, const std::string& history) {
    Found found;
    for (const std::string& word : offeredFor(option))
        if (word.starts_with('@'))
            addSource(found, word, history);
        else
            found.push_back({word, ""});
    for (const std::string& name : valuesNamedBy(option))
        for (const ValueRow& row : kValues)
            if (row.value == name) {
                addSource(found, row.source, history);
                if (row.paths != Offers::Paths::none) offers.paths = row.paths;
            }
    const std::size_t comma = begun.rfind(',');
    const std::string before = comma == std::string::npos ? "" : begun.substr(0, comma + 1);
    for (Offered& each : found)
        if ((before + each.word).starts_with(begun)) offers.words.push_back({before + each.word, each.about});
}

void addOptions(Offers& offers, const CLI::App& app, const std::string& begun) {
    for (const CLI::Option* option : app.get_options())
        if (!option->get_group().empty())
            for (const std::string& name : option->get_lnames())
                if (const std::string word = "--" + name; word.starts_with(begun))
                    offers.words.push_back({word, option->get_description()});
}

void addCommands(Offers& offers, const CLI::App& app, const std::string& begun) {
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        if (command->get_name().starts_with(begun))
            offers.words.push_back({command->get_name(), command->get_description()});
}

/// The command line as far as it is complete.
struct Reading {
    CLI::App* app;
    std::size_t arguments = 0;    ///< that are no options
    CLI::Option* asks = nullptr;  ///< whose value the next word is
    std::string history = {};     ///< value of --store

    void take(const std::string& word) {
        if (asks != nullptr) {
            if (asks->check_lname("store")) history = word;
            asks = nullptr;
            return;
        }
        if (word.starts_with("-") && word.size() > 1) {
            CLI::Option* option = app->get_option_no_throw(word);
            if (option != nullptr && takesValue(*option)) asks = option;
            return;
        }
        CLI::App* command = arguments > 0 ? nullptr : commandNamed(word);
        if (command != nullptr)
            app = command;
        else
            ++arguments;
    }

    CLI::App* commandNamed(const std::string& name) const {
        for (CLI::App* command : app->get_subcommands([](CLI::App*) { return true; }))
            if (command->get_name() == name) return command;
        return nullptr;
    }

    /// The argument that the next word is; the last one may take several.
    CLI::Option* argument() const {
        std::vector<CLI::Option*> all = app->get_options([](CLI::Option* each) { return each->get_positional(); });
        if (all.empty() || (arguments >= all.size() && all.back()->get_items_expected_max() == 1)) return nullptr;
        return all[std::min(arguments, all.size() - 1)];
    }
};

/// Commands whose argument names a command: `tessera help history list`.
Offers offersOfHelp(CLI::App& program, const std::vector<std::string>& words) {
    Reading reading{&program};
    for (std::size_t i = 0; i + 1 < words.size(); ++i) reading.take(words[i]);
    Offers offers;
    addCommands(offers, *reading.app, words.back());
    return offers;
}

constexpr std::string_view kBash =
    R"(# Completion of tessera for bash, made by 'tessera completion bash'. All words come from the program itself.
_tessera() {
    local line=${COMP_LINE:0:COMP_POINT} current kept part before word about
    local -a words found
    read -ra words <<< "$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    current=${words[-1]}
    # Where bash takes ':' and '=' for ends of words it replaces only what follows them.
    kept=""
    [[ $current == *:* && $COMP_WORDBREAKS == *:* ]] && kept=${current%"${current##*:}"}
    [[ ${current#"$kept"} == *=* && $COMP_WORDBREAKS == *=* ]] && kept=${current%"${current##*=}"}
    COMPREPLY=()
    while IFS=$'\t' read -r word about; do
        case $word in
            :files | :folders)
                part=${current##*[=,]}
                before=${current%"$part"}
                mapfile -t found < <(if [[ $word == :files ]]; then compgen -f -- "$part"; else compgen -d -- "$part"; fi)
                for word in "${found[@]}"; do
                    word=$before$word
                    COMPREPLY+=("${word#"$kept"}")
                done
                compopt -o filenames 2> /dev/null
                ;;
            *) COMPREPLY+=("${word#"$kept"}") ;;
        esac
    done < <("${words[0]/#\~/$HOME}" __complete "${words[@]:1}" 2> /dev/null)
}
complete -F _tessera tessera
)";

constexpr std::string_view kZsh = R"(#compdef tessera
# Completion of tessera for zsh, made by 'tessera completion zsh'. All words come from the program itself.
_tessera() {
    local word about paths
    local -a offered shown
    while IFS=$'\t' read -r word about; do
        case $word in
            :files | :folders) paths=$word ;;
            *)
                offered+=("$word")
                shown+=("$word${about:+  -- $about}")
                ;;
        esac
    done < <("${(Q)words[1]}" __complete "${(@Q)words[2,CURRENT]}" 2> /dev/null)
    (( $#offered )) && compadd -l -d shown -a offered
    [[ $paths == :files ]] && _files
    [[ $paths == :folders ]] && _files -/
    return 0
}
if [[ ${funcstack[1]} == _tessera ]]; then
    _tessera "$@"
else
    compdef _tessera tessera
fi
)";

constexpr std::string_view kFish =
    R"(# Completion of tessera for fish, made by 'tessera completion fish'. All words come from the program itself.
function __tessera_offers
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in ($words[1] __complete $words[2..-1] "$current" 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path "$current"
            case :folders
                __fish_complete_directories "$current"
            case '*'
                echo $line
        end
    end
end
complete -c tessera -f -a '(__tessera_offers)'
)";

struct ShellRow {
    std::string_view name;
    std::string_view script;
};
constexpr std::array kShells{ShellRow{"bash", kBash}, ShellRow{"zsh", kZsh}, ShellRow{"fish", kFish}};

}  // namespace

CLI::Option* offer(CLI::Option* option, const std::vector<std::string>& words) {
    if (words.empty()) return option;
    // An option keeps nothing else that could hold them; a validator that is not active checks and shows nothing.
    CLI::Validator held(joined(words, "\n"));
    held.name(kOffered);
    held.active(false);
    return option->check(held);
}

Offers offersFor(CLI::App& program, const std::vector<std::string>& words) {
    Reading reading{&program};
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        reading.take(words[i]);
        if (reading.app != &program && reading.app->get_name() == "help")
            return offersOfHelp(program, {words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end()});
    }
    const std::string begun = words.empty() ? "" : words.back();
    Offers offers;
    const std::size_t equals = begun.find('=');
    if (reading.asks != nullptr) {
        addValues(offers, *reading.asks, begun, reading.history);
    } else if (begun.starts_with("--") && equals != std::string::npos) {
        const std::string before = begun.substr(0, equals + 1);
        if (CLI::Option* option = reading.app->get_option_no_throw(begun.substr(0, equals)); option != nullptr)
            addValues(offers, *option, begun.substr(equals + 1), reading.history);
        for (Offered& each : offers.words) each.word = before + each.word;
    } else if (begun.starts_with("-")) {
        addOptions(offers, *reading.app, begun);
    } else {
        if (reading.arguments == 0) addCommands(offers, *reading.app, begun);
        if (CLI::Option* argument = reading.argument(); argument != nullptr)
            addValues(offers, *argument, begun, reading.history);
    }
    return offers;
}

std::string offersText(const Offers& offers) {
    std::string text;
    for (const Offered& each : offers.words) {
        text += escaped(each.word, 1024);
        if (!each.about.empty()) text += "\t" + escaped(each.about, 1024);
        text += "\n";
    }
    if (offers.paths == Offers::Paths::files) text += ":files\n";
    if (offers.paths == Offers::Paths::folders) text += ":folders\n";
    return text;
}

std::vector<std::string_view> completedShells() {
    std::vector<std::string_view> names;
    for (const ShellRow& row : kShells) names.push_back(row.name);
    return names;
}

std::string_view completionScript(std::string_view shell) {
    for (const ShellRow& row : kShells)
        if (row.name == shell) return row.script;
    throw UsageError(fmt::format("there is no completion for the shell {}; expected one of {}",
                                 inQuotes(std::string(shell)), fmt::join(completedShells(), ", ")));
}

}  // namespace tessera::cli
