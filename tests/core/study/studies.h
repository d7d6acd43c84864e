#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "core/study/study.h"

namespace tessera::test {

/// A small study whose result the tests look at from all sides.
struct Sample {
    std::string name;
    std::string model;
    std::string fleet;
    std::vector<std::pair<std::string, std::string>> parameters = {};
};

inline std::vector<Sample> samples() {
    return {
        {"mixedChain", "zoo:alexnet", "accpar-heterogeneous"},
        {"mixedResidual", "zoo:resnet18", "accpar-heterogeneous", {{"overlap", "comm"}}},
        {"equal", "zoo:vgg11", "accpar-homogeneous", {{"levels", "4"}}},
        {"oneLevel", "zoo:resnet18", "accpar-heterogeneous", {{"levels", "1"}, {"strategies", "accpar,dp"}}},
        {"twoLevels",
         "zoo:alexnet",
         "h100-h200-cluster",
         {{"cost_model", "paper"}, {"levels", "2"}, {"overlap", "comm"}}},
        {"unevenCounts", "zoo:lenet5", "a100-h100-mixed", {{"cost_model", "paper"}}},
        {"paper", "zoo:alexnet", "accpar-heterogeneous", {{"strategies", "accpar-paper,owt"}}},
        {"pinned",
         "zoo:resnet18",
         "v100-a100-upgrade",
         {{"cost_model", "paper"}, {"dtype", "fp16"}, {"pin_ratio", "0=0.2"}, {"strategies", "accpar"}}},
        {"physical", "zoo:bert-base", "dgx-a100x16", {{"batch", "64"}}},
        {"physicalNode", "zoo:alexnet", "dgx-h100x8", {{"strategies", "joint,owt"}}},
        {"physicalGroups", "zoo:alexnet", "h100-h200-cluster", {{"groups", "best"}, {"strategies", "joint,dp"}}},
        {"physicalTooLarge", "zoo:vgg11", "dgx-v100x8", {{"batch", "16384"}, {"strategies", "joint,dp"}}},
        {"single", "zoo:lenet5", "accpar-homogeneous", {{"computation", ""}, {"strategies", "dp,owt"}}},
    };
}

inline study::Study studyOf(const Sample& sample) {
    study::Study study = study::newStudy("partition");
    study.models = {sample.model};
    study.hardware = {sample.fleet};
    for (const auto& [name, text] : sample.parameters) study::setParameter(study, name, {text});
    return study;
}

inline void PrintTo(const Sample& sample, std::ostream* out) {
    *out << sample.name;
}

inline std::string nameOf(const testing::TestParamInfo<Sample>& tested) {
    return tested.param.name;
}

}  // namespace tessera::test
