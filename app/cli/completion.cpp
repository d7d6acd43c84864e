#include "app/cli/completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>

#include "core/base/error.h"
#include "core/base/text.h"

namespace tessera::cli {

namespace {

constexpr const char* kOffered = "offered words";

using Found = std::vector<Offered>;

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
    ValueRow{"NAME=N", "@dimensions"},
    ValueRow{"METRIC=N", "@metric-bounds"},
    ValueRow{"RUN", "@runs"},
    ValueRow{"TAG", "@tags"},
    ValueRow{"FILE", {}, Offers::Paths::files},
    ValueRow{"DIR", {}, Offers::Paths::folders},
};

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
    if (std::any_of(kValues.begin(), kValues.end(), [&](const ValueRow& row) { return row.value == name; }))
        return {name};
    name = name.substr(0, name.find_first_of("[,<=:"));
    std::vector<std::string> names;
    for (const std::string_view part : split(name, '|')) names.emplace_back(part);
    return names;
}

bool takesValue(const CLI::Option& option) {
    return option.get_items_expected_max() > 0;
}

/// Words of a source that fit for the value that is being typed; of a list, for its last entry.
void addSource(Offers& offers, std::string_view name, const TypedLine& line) {
    const WordSource* source = findWordSource(name);
    if (source == nullptr) return;
    Found found;
    try {
        found = source->words(line);
    } catch (const std::exception&) {
        return;  // someone is typing: this is no place for a sentence
    }
    const std::size_t comma = source->whole ? std::string::npos : line.begun.rfind(',');
    const std::string before = comma == std::string::npos ? "" : line.begun.substr(0, comma + 1);
    for (const Offered& each : found)
        if ((before + each.word).starts_with(line.begun)) offers.words.push_back({before + each.word, each.about});
}

/// Words for the value of an option that is being typed.
void addValues(Offers& offers, CLI::Option& option, const TypedLine& line) {
    const std::size_t comma = line.begun.rfind(',');
    const std::string before = comma == std::string::npos ? "" : line.begun.substr(0, comma + 1);
    for (const std::string& word : offeredFor(option))
        if (word.starts_with('@'))
            addSource(offers, word, line);
        else if ((before + word).starts_with(line.begun))
            offers.words.push_back({before + word});
    for (const std::string& name : valuesNamedBy(option))
        for (const ValueRow& row : kValues)
            if (row.value == name) {
                addSource(offers, row.source, line);
                if (row.paths != Offers::Paths::none) offers.paths = row.paths;
            }
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
    TypedLine line = {};

    void take(const std::string& word) {
        if (asks != nullptr) {
            note(*asks, word);
            asks = nullptr;
            return;
        }
        if (word.starts_with("-") && word.size() > 1) {
            const std::size_t equals = word.starts_with("--") ? word.find('=') : std::string::npos;
            CLI::Option* option = app->get_option_no_throw(word.substr(0, equals));
            if (option == nullptr || !takesValue(*option)) return;
            if (equals == std::string::npos)
                asks = option;
            else
                note(*option, word.substr(equals + 1));
            return;
        }
        if (CLI::App* command = arguments > 0 ? nullptr : commandNamed(word)) {
            app = command;
            return;
        }
        if (const CLI::Option* option = argument()) note(*option, word);
        ++arguments;
    }

    void note(const CLI::Option& option, const std::string& value) {
        if (option.check_lname("store")) line.history = value;
        for (const std::string& name : valuesNamedBy(option)) line.values[name] = value;
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
            *)
                word=${word#"$kept"}
                [[ $word == *[=:] ]] && compopt -o nospace 2> /dev/null
                [[ $word == *[\<\>]* ]] && printf -v word %q "$word"
                COMPREPLY+=("$word")
                ;;
        esac
    done < <("${words[0]/#\~/$HOME}" __complete "${words[@]:1}" 2> /dev/null)
}
complete -F _tessera tessera
)";

constexpr std::string_view kZsh = R"(#compdef tessera
# Completion of tessera for zsh, made by 'tessera completion zsh'. All words come from the program itself.
_tessera() {
    local word about paths
    local -a offered shown begun begunShown
    while IFS=$'\t' read -r word about; do
        case $word in
            :files | :folders) paths=$word ;;
            *[=:\<\>]) # a value follows
                begun+=("$word")
                begunShown+=("$word${about:+  -- $about}")
                ;;
            *)
                offered+=("$word")
                shown+=("$word${about:+  -- $about}")
                ;;
        esac
    done < <("${(Q)words[1]}" __complete "${(@Q)words[2,CURRENT]}" 2> /dev/null)
    (( $#offered )) && compadd -l -d shown -a offered
    (( $#begun )) && compadd -S '' -l -d begunShown -a begun
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
    const auto add = [&](CLI::Option& option, const std::string& value) {
        reading.line.begun = value;
        addValues(offers, option, reading.line);
    };
    if (reading.asks != nullptr) {
        add(*reading.asks, begun);
    } else if (begun.starts_with("--") && equals != std::string::npos) {
        const std::string before = begun.substr(0, equals + 1);
        if (CLI::Option* option = reading.app->get_option_no_throw(begun.substr(0, equals)); option != nullptr)
            add(*option, begun.substr(equals + 1));
        for (Offered& each : offers.words) each.word = before + each.word;
    } else if (begun.starts_with("-")) {
        addOptions(offers, *reading.app, begun);
    } else {
        if (reading.arguments == 0) addCommands(offers, *reading.app, begun);
        if (CLI::Option* argument = reading.argument(); argument != nullptr) add(*argument, begun);
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
