#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/descriptor.h"

/// How processes that were started together find each other.
namespace tessera::ranks {

/// What a process knows of the others.
struct Introduction {
    int rank = 0;
    int size = 1;
    std::string token = {};  ///< that only these processes know
    std::vector<std::string> addresses =
        {};                   ///< of rank 0: "10.0.0.1:4711", "[fe80::1]:4711", in the order to try them
    int socket = -1;          ///< of rank 0, which listens; -1 elsewhere
    unsigned neighbours = 1;  ///< processes on this machine, this one too; 0 = it is a helper of one thread
};

/// A socket that listens on every interface, at a port of the system's choice.
struct Listening {
    FileDescriptor socket;
    std::vector<std::string> addresses;  ///< of all interfaces, this machine's own first
};
/// Throws FileError.
Listening listenAnywhere();

/// The environment's variable by which a process is introduced. Its texts are `name=value` with commas between them:
/// `rank`, `size`, `token`, `at` (addresses with `+` between them), `socket` (of rank 0, inherited), `neighbours`; or
/// `meet`, a file that rank 0 writes token and addresses to, and the others read.
inline constexpr const char* kVariable = "TESSERA_RANKS";

/// Reads the environment; nothing where this process is alone. Rank 0 listens then. With `meet` a worker waits for the
/// file. Throws UsageError for what the variable cannot mean, FileError.
std::optional<Introduction> introduced();
/// The text of the variable.
std::string textOf(const Introduction& introduction);

/// Threads that a process takes: as many as are wanted; for 0 the cores that it may use, or its part of them where its
/// neighbours may use the same.
unsigned threadsOf(const Introduction& introduction, unsigned wanted);

/// This machine's name, as sentences say it.
std::string hostName();

}  // namespace tessera::ranks
