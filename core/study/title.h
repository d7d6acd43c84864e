#pragma once

#include <string>
#include <vector>

#include "core/study/result.h"

namespace tessera::study {

/// What people call a study: its own name, else its inputs and its batch, "resnet50 on accpar-heterogeneous, batch
/// 512"; without inputs, its engine's title. Inputs are told by the names of their files, without folders and
/// extensions. May hold any characters.
std::string titleOf(const Study& study);

/// What people call a result: its study's name, else what it is of, "mix on S2", "bert-large, gpt2-xl on PHAZE".
std::string titleOf(const Result& result);

/// Names of inputs without folders and extensions: "resnet50, vgg16".
std::string shortNames(const std::vector<std::string>& inputs);

/// "bert-large" of "zoo:bert-large", the file's stem of a path; escaped.
std::string modelTitle(const std::string& model);

/// What people call the model of an input that a study names: of an ONNX file its name, because exporters call every
/// graph alike ("torch_jit", "main_graph"); else what the model calls itself.
std::string modelName(const std::string& input, const std::string& own);

}  // namespace tessera::study
