#pragma once

#include <string>

namespace tessera::monkey {

/// Notes what is done next; the last of these are printed where the program fails. Also says that the program is alive.
void note(const std::string& action);
/// Says that the program is alive, to whoever watches.
void alive();
/// Prints "monkey: SENTENCE", the seed and the last actions, and ends the program with 1.
[[noreturn]] void fail(const std::string& sentence);
/// Has signals that end a program, exceptions that nobody caught, and a main thread that is not alive for so many
/// seconds print the same; `replay` is the command that draws the same actions again.
void watch(const std::string& replay, double seconds);
/// Ends the watch: what follows takes the time it takes.
void unwatch();

}  // namespace tessera::monkey
