#pragma once

#include <array>
#include <string_view>

/// What every command keeps to besides its options: as `--help` and the manual pages say it.
namespace tessera::cli {

/// A variable of the environment that commands read.
struct Variable {
    std::string_view name;
    std::string_view meaning;
};
inline constexpr std::array kVariables{
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
    Exit{kSuccess, "success"},
    Exit{kInternal, "internal error"},
    Exit{kUsage, "wrong usage"},
    Exit{kInput, "invalid input: standard error says where, what was found and what was expected"},
    Exit{kInfeasible, "no feasible solution"},
    Exit{kInterrupted, "interrupted"},
    Exit{kFile, "a file or the history cannot be read or written"},
};

}  // namespace tessera::cli
