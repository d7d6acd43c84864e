#pragma once

#include <string>
#include <vector>

#include "core/study/result.h"

namespace tessera::study {

/// Display name of a study: its own name, else its inputs and its batch, "resnet50 on accpar-heterogeneous, batch 512";
/// without inputs, its engine's title. Inputs are identified by the names of their files, without folders and
/// extensions. May hold any characters.
std::string titleOf(const Study& study);

/// Display name of a result: its study's name, else its inputs, "mix on S2", "bert-large, gpt2-xl on PHAZE".
std::string titleOf(const Result& result);

/// Names of inputs without folders and extensions: "resnet50, vgg16".
std::string shortNames(const std::vector<std::string>& inputs);

/// "bert-large" of "zoo:bert-large", the file's stem of a path; escaped.
std::string modelTitle(const std::string& model);

/// Display name of the model of an input: of an ONNX file its name, because exporters call every graph alike
/// ("torch_jit", "main_graph"); else what the model calls itself.
std::string modelName(const std::string& input, const std::string& own);

}  // namespace tessera::study
