#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

/// What programs keep to besides their options: as `--help` and the manual pages say it.
namespace tessera::cli {

/// A variable of the environment that a program reads.
struct Variable {
    std::string_view name;
    std::string_view meaning;
};
inline constexpr std::array kVariables{
    // of `tessera`
    Variable{"TESSERA_STORE", "history file where --store names none; also of the studio and of Python"},
    Variable{"TESSERA_THREADS", "number of threads where --threads says none"},
    Variable{"TESSERA_DATA", "folder of your own hardware, software stacks and workloads, which are found by name"},
    Variable{"XDG_DATA_HOME", "where the history and your own files are (default ~/.local/share)"},
    Variable{"XDG_CACHE_HOME", "where searches of papers' figures are kept (default ~/.cache)"},
    Variable{"NO_COLOR", "not empty: no escape sequences, as for TERM=dumb"},
    Variable{"TMPDIR", "where files of a moment are (default /tmp)"},
};

enum ExitCode { kSuccess = 0, kInternal = 1, kUsage = 2, kInput = 3, kInfeasible = 4, kInterrupted = 5, kFile = 6 };

/// The words of an exit code.
struct Exit {
    ExitCode code;
    std::string_view meaning;
};
inline constexpr std::array kExits{
    // of `tessera`
    Exit{kSuccess, "success"},
    Exit{kInternal, "internal error"},
    Exit{kUsage, "wrong usage"},
    Exit{kInput, "invalid input: standard error says where, what was found and what was expected"},
    Exit{kInfeasible, "no feasible solution"},
    Exit{kInterrupted, "interrupted"},
    Exit{kFile, "a file or the history cannot be read or written"},
};

/// The variables and exit codes of a program. Those of a constant are not owned.
struct Conventions {
    std::span<const Variable> variables = kVariables;
    std::span<const Exit> exits = kExits;
};

/// Both as the end of a program's help: two lists below a heading each.
std::string footerOf(const Conventions& conventions);

}  // namespace tessera::cli
