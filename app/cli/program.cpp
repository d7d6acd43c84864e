#include "app/cli/program.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <vector>

#include "app/cli/command.h"
#include "app/cli/completion.h"
#include "app/cli/console.h"
#include "app/manual/conventions.h"
#include "app/manual/man_page.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/hardware/field.h"
#include "core/ranks/conductor.h"
#include "core/report/handover.h"
#include "core/store/store.h"

namespace tessera::cli {

namespace {

constexpr std::size_t kLongestMessage = 4096;
constexpr std::int64_t kMaxThreads = 1024;

struct Group {
    std::string_view name;
    std::string_view summary;
};

/// Commands whose path has two words stand in a group.
constexpr std::array kGroups{
    Group{"model", "Models: the zoo, counts, conversion."},
    Group{"hardware", "Accelerators and fleets, bundled and your own."},
    Group{"history", "The runs so far: list, search, compare, keep."},
};

/// The options of every command, at every level.
void addCommon(CLI::App& app, CommonOptions& common) {
    app.set_help_flag("-h,--help", "show this help");
    const std::string group = "Common options";
    app.add_flag("--json", common.json, "print one JSON document and nothing else")->group(group);
    app.add_flag("-q,--quiet", common.quiet, "suppress progress and warnings, except that a run could not be stored")
        ->group(group);
    app.add_flag("-v,--verbose", common.verbose, "show warnings as they come up, also before an error")->group(group);
    app.add_flag("--no-progress", common.noProgress, "no progress bar")->group(group);
    addText(app, "-j,--threads", common.threads, "N",
            "threads (default TESSERA_THREADS, else all cores); never changes a result")
        ->group(group);
    app.add_flag("--no-store", common.noStore, "keep the run out of the history")->group(group);
    addFile(app, "--store", common.store, "FILE", "history file (default TESSERA_STORE, else your own)")->group(group);
}

/// What nobody said is what the environment says.
void fillFromEnvironment(CommonOptions& common) {
    if (common.store.empty()) common.store = store::nameInEnvironment();
}

unsigned threadsOf(const CommonOptions& common) {
    if (!common.threads.empty()) return static_cast<unsigned>(wholeOf("--threads", common.threads, 0, kMaxThreads));
    constexpr const char* kThreads = "TESSERA_THREADS";
    const char* const given = std::getenv(kThreads);
    if (given == nullptr || *given == '\0') return 0;
    return static_cast<unsigned>(wholeIn(fmt::format("the environment's {}", kThreads), given, 0, kMaxThreads));
}

/// The footer of the whole program's help.
std::string generalFooter() {
    return "Example:\n  tessera tour --out tour\n" + footerOf({}) +
           "\nSee 'tessera COMMAND --help' for a command's options.";
}

/// The parser, with the action of each command.
class Parser {
public:
    Parser(const std::vector<Command>& table, CommonOptions& common)
        : app_("Explore accelerator choice, placement and model partitioning", "tessera") {
        prepare(app_, common);
        app_.add_flag("-V,--version", version_, "print the version");
        app_.footer(generalFooter());
        for (const Command& command : table) addCommand(command, common);
        CLI::App& help = addWord("help", "Show the help of a command.", "tessera help history list", common);
        help.add_option("COMMAND", helpOf_, "the command, such as 'history list'")->type_name("");
        help.add_flag("--man", isMan_, "as a page of the manual, for 'man -l -'");
        addFile(help, "--man-pages", manFolder_, "DIR", "writes the page of every command into a folder");
        addWord("version", "Print the version.", "tessera version", common);
        CLI::App& completion = addWord("completion", "Print the script by which a shell completes command lines.",
                                       "tessera completion bash", common);
        offer(
            addText(completion, "SHELL", shell_, "", fmt::format("{}", fmt::join(completedShells(), ", ")))->required(),
            completedShells());
        addOut(completion, completionOut_, "writes it to a file");
    }

    /// Answers a shell that asks for words; false = this is another call.
    bool completes(int count, char** arguments, const Console& console) {
        if (count < 2 || arguments[1] != kAsksForWords) return false;
        const std::vector<std::string> words(arguments + 2, arguments + count);
        console.print(offersText(offersFor(app_, words)));
        return true;
    }

    /// Empty where help or the version was printed. Throws UsageError.
    Action parse(int count, char** arguments, const Console& console) {
        if (count <= 1) {
            console.print(app_.help());
            return {};
        }
        try {
            app_.parse(count, arguments);
        } catch (const CLI::CallForHelp&) {
            console.print(app_.help());
            return {};
        } catch (const CLI::RequiredError& error) {
            refuseLeftovers();
            // CLI11 says "NAME is required".
            const std::string text = error.what();
            const std::string name = text.substr(0, text.find(' '));
            fail(fmt::format("{} {} is missing", name.starts_with("-") ? "option" : "argument", name));
        } catch (const CLI::ArgumentMismatch& error) {
            const std::string text = error.what();
            fail(fmt::format("option {} needs a value", text.substr(0, text.find(':'))));
        } catch (const CLI::ParseError& error) {
            refuseLeftovers();
            fail(firstLine(error.what()));
        }
        refuseLeftovers();
        const CLI::App& chosen = deepest();
        if (version_ || chosen.get_name() == "version") {
            console.print(fmt::format("tessera {}\n", TESSERA_VERSION));
            return {};
        }
        if (chosen.get_name() == "help") {
            showHelp(console);
            return {};
        }
        if (chosen.get_name() == "completion") {
            writeCompletion(console);
            return {};
        }
        const auto found = actions_.find(&chosen);
        if (found == actions_.end()) fail("a command is missing; there are " + joined(subcommandNames(chosen), ", "));
        return found->second;
    }

    /// "tessera partition", as far as the arguments named a command.
    std::string path() const {
        std::string text = "tessera";
        for (const CLI::App* app = &app_; !app->get_subcommands().empty();) {
            app = app->get_subcommands().front();
            text += " " + app->get_name();
        }
        return text;
    }

private:
    static void prepare(CLI::App& app, CommonOptions& common) {
        app.require_subcommand(0, 1);
        addCommon(app, common);
        app.get_formatter()->column_width(34);
    }

    CLI::App& groupNamed(std::string_view name, CommonOptions& common) {
        for (CLI::App* app : app_.get_subcommands({}))
            if (app->get_name() == name) return *app;
        for (const Group& group : kGroups) {
            if (group.name != name) continue;
            CLI::App& app = *app_.add_subcommand(std::string(name), std::string(group.summary));
            prepare(app, common);
            app.footer("");
            return app;
        }
        throw std::logic_error("a command's group is missing from the table");
    }

    void addCommand(const Command& command, CommonOptions& common) {
        const std::size_t space = command.path.find(' ');
        CLI::App* parent = &app_;
        std::string_view name = command.path;
        if (space != std::string_view::npos) {
            parent = &groupNamed(command.path.substr(0, space), common);
            name = command.path.substr(space + 1);
            if (parent->get_footer().empty()) parent->footer(fmt::format("Example:\n  {}", command.example));
        }
        CLI::App& app = *parent->add_subcommand(std::string(name), std::string(command.summary));
        const Action action = command.add(app);
        actions_[&app] = command.shares ? action : refusedBySeveral(std::string(command.path), action);
        prepare(app, common);
        const std::string lists = app.get_footer();
        app.footer(fmt::format("Example:\n  {}{}{}", command.example, lists.empty() ? "" : "\n", lists));
    }

    /// Of several processes each would do the whole.
    static Action refusedBySeveral(std::string path, Action action) {
        return [path = std::move(path), action = std::move(action)](Context& context) {
            if (context.ranks)
                throw UsageError(fmt::format(
                    "'tessera {}' is one process, and this was started as one of {}; explorations and sweeps "
                    "are what several share",
                    path, context.ranks->size()));
            action(context);
        };
    }

    /// A word of the command line that is no row of the table: it is about the parser itself.
    CLI::App& addWord(const std::string& name, const std::string& summary, const std::string& example,
                      CommonOptions& common) {
        CLI::App& app = *app_.add_subcommand(name, summary);
        prepare(app, common);
        app.footer("Example:\n  " + example);
        return app;
    }

    /// What `tessera help` was asked for.
    void showHelp(const Console& console) const {
        if (!manFolder_.empty()) return writeManPages(app_, app_.get_name());
        console.print(helpOf());
    }

    void writeManPages(const CLI::App& app, const std::string& path) const {
        writeFile(std::filesystem::path(manFolder_) / (manName(path) + ".1"), manPage(app, path, {}));
        for (const CLI::App* each : app.get_subcommands([](const CLI::App*) { return true; }))
            writeManPages(*each, path + " " + each->get_name());
    }

    void writeCompletion(const Console& console) const {
        const std::string script(completionScript(shell_));
        if (completionOut_.empty() || completionOut_ == kStandardStream)
            console.print(script);
        else
            writeFile(completionOut_, script);
    }

    /// The help of the command that `tessera help` names.
    std::string helpOf() const {
        const CLI::App* app = &app_;
        std::string path = app_.get_name();
        for (const std::string& word : helpOf_) {
            const std::vector<std::string> known = subcommandNames(*app);
            if (std::find(known.begin(), known.end(), word) == known.end())
                fail("unknown command " + inQuotes(word) + withClosest(", did you mean {}?", word, known));
            app = app->get_subcommand(word);
            path += " " + word;
        }
        if (isMan_) return manPage(*app, path, {});
        // `help()` of the whole parser would show the command that was chosen, which is this one.
        return app->get_formatter()->make_help(app, path, CLI::AppFormatMode::Normal);
    }

    const CLI::App& deepest() const {
        const CLI::App* app = &app_;
        while (!app->get_subcommands().empty()) app = app->get_subcommands().front();
        return *app;
    }

    static std::vector<std::string> subcommandNames(const CLI::App& app) {
        std::vector<std::string> names;
        for (const CLI::App* child : app.get_subcommands([](const CLI::App*) { return true; }))
            names.push_back(child->get_name());
        return names;
    }

    /// Arguments that nothing took: an unknown option or command, or one argument too many.
    void refuseLeftovers() const {
        const std::vector<std::string> left = app_.remaining(true);
        if (left.empty()) return;
        std::string culprit = left.front();
        for (const std::string& text : left)
            if (text.starts_with("-")) {
                culprit = text;
                break;
            }
        const CLI::App& app = deepest();
        const std::vector<std::string> names = subcommandNames(app);
        const bool option = culprit.starts_with("-");
        std::vector<std::string> known = names;
        if (option) {
            known.clear();
            for (const CLI::Option* each : app.get_options())
                for (const std::string& name : each->get_lnames()) known.push_back("--" + name);
        }
        const std::string kind = option ? "option" : names.empty() ? "argument" : "command";
        fail(fmt::format("unknown {} {}{}", kind, inQuotes(culprit),
                         withClosest(", did you mean {}?", culprit.substr(0, culprit.find('=')), known)));
    }

    static std::string firstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

    [[noreturn]] void fail(const std::string& sentence) const { throw UsageError(sentence); }

    CLI::App app_;
    bool version_ = false;
    std::vector<std::string> helpOf_;
    bool isMan_ = false;
    std::string manFolder_, shell_, completionOut_;
    std::map<const CLI::App*, Action> actions_;
};

int report(ExitCode code, const std::string& sentence) {
    toStandardError(escaped(sentence, kLongestMessage) + "\n");
    return code;
}

/// The one place that turns failures into a sentence and an exit code.
template <typename Work>
int guarded(Console& console, const Parser& parser, const Work& work) {
    try {
        work();
        console.endProgress();
        return kSuccess;
    } catch (const OutputClosed&) {
        return kSuccess;
    } catch (const UsageError& error) {
        console.endProgress();
        const std::string text = error.what();
        const char* separator = text.ends_with('?') ? " " : "; ";
        return report(kUsage, fmt::format("tessera: {}{}see '{} --help'", text, separator, parser.path()));
    } catch (const hardware::Faults& faults) {
        console.endProgress();
        for (const DataError& fault : faults.all) report(kInput, fault.what());
        return kInput;
    } catch (const DataError& error) {
        console.endProgress();
        return report(kInput, error.what());
    } catch (const InfeasibleError& error) {
        console.endProgress();
        return report(kInfeasible, error.what());
    } catch (const InterruptedError& error) {
        console.endProgress();
        const std::string text = error.what();
        const bool saysHow = text.find("tessera resume") != std::string::npos;
        return report(kInterrupted,
                      saysHow ? text : fmt::format("{}; run '{}' again with the same arguments", text, parser.path()));
    } catch (const FileError& error) {
        console.endProgress();
        return report(kFile, error.what());
    } catch (const std::bad_alloc&) {
        console.endProgress();
        return report(kInput, "the input needs more memory than this process may use; expected a smaller one");
    } catch (const std::exception& error) {
        console.endProgress();
        return report(kInternal, fmt::format("internal error: {}", error.what()));
    }
}

}  // namespace

int run(int argumentCount, char** arguments, const std::stop_token& stop, const std::vector<Command>& table,
        std::shared_ptr<ranks::Conductor> others) {
    CommonOptions common;
    Console console(common);
    Parser parser(table, common);
    if (others) others->warnBy([&console](const std::string& sentence) { console.notify(sentence); });
    const int code = guarded(console, parser, [&] {
        if (parser.completes(argumentCount, arguments, console)) return;
        const Action action = parser.parse(argumentCount, arguments, console);
        if (!action) return;
        fillFromEnvironment(common);
        report::serveRunInputs([store = common.store] { return store::openNamed(store, store::OpenMode::readOnly); });
        Context context{common, console, stop};
        context.ranks = others;
        context.threads = threadsOf(common);
        action(context);
    });
    others.reset();  // while there is a console that it could warn by
    return code;
}

}  // namespace tessera::cli
