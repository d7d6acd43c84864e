#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/report/catalogue.h"
#include "core/store/store.h"

/// Hand-overs: what of an engine's result is an input of another study. Each is a file of the engine's catalogue that
/// says what it makes, which `tessera export --what file` writes, a study names as an input (`run:12/fleet/h100@8`),
/// and the window opens from the menu of what is selected.
namespace tessera::report {

/// Begins the names of inputs that are made of runs of the history.
inline constexpr std::string_view kRunInput = "run:";

/// The files of an engine's catalogue that other studies take, in its order.
std::vector<const FileRow*> handoversOf(std::string_view engine);

/// Engines that take hardware of a kind ("fleet"), in the order of the table; none of a kind that is no hardware.
std::vector<const study::Engine*> takersOf(std::string_view kind);

/// "run:12/fleet/h100@8": the name by which a study has a hand-over of a run as its input, made of a part of the
/// result, or of the default one where `choice` is empty.
std::string nameOfInput(store::RunId run, const FileRow& row, const std::string& choice);

/// Lets studies name inputs that are made of runs: files whose names begin with `run:` are then made of the result of
/// that run and of the inputs that it was kept with, in the history that `open` opens, and kept as long as the process
/// lives. Calling it again asks another history from then on.
void serveRunInputs(std::function<store::Store()> open);

}  // namespace tessera::report
