#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/predict/predict.h"
#include "core/study/prediction/outcome.h"
#include "core/study/result.h"
#include "core/study/study.h"

namespace tessera::test {

/// Operators of a small step: most of its time is matrix work.
inline std::vector<predict::AlikeOperators> handMadeOperators(double pace) {
    using model::OperatorClass;
    using model::Phase;
    using predict::Way;
    const auto op = [&](const char* name, const char* type, Phase phase, OperatorClass group, std::int64_t count,
                        const char* bound, double flops, double bytes, double seconds) {
        return predict::AlikeOperators{.name = name,
                                       .type = type,
                                       .phase = phase,
                                       .group = group,
                                       .count = count,
                                       .way = std::string(bound) == "gemm" ? Way::measured : Way::roofline,
                                       .bound = bound,
                                       .flops = Flops{flops},
                                       .bytes = Bytes{bytes},
                                       .time = Seconds{seconds / pace}};
    };
    return {op("conv1", "Conv", Phase::forward, OperatorClass::matrix, 1, "compute", 4e12, 1e9, 0.04),
            op("block/conv", "Conv", Phase::forward, OperatorClass::matrix, 16, "gemm", 2e12, 4e8, 0.02),
            op("block/relu", "Relu", Phase::forward, OperatorClass::vector, 17, "HBM", 4e8, 2e9, 0.002),
            op("pool/copy", "Reshape", Phase::forward, OperatorClass::memory, 2, "HBM", 0, 1e9, 0.001),
            op("block/conv", "Conv", Phase::backward, OperatorClass::matrix, 16, "compute", 4e12, 8e8, 0.03),
            op("weights", "Momentum", Phase::update, OperatorClass::vector, 1, "HBM", 1e8, 4e8, 0.0008)};
}

/// `pace` = how many times as fast as the slowest.
inline predict::Prediction handMadePrediction(const std::string& accelerator, std::int64_t devices, double pace,
                                              std::optional<double> price, const std::string& reliability) {
    predict::Prediction one;
    one.accelerator = accelerator;
    one.name = "The " + accelerator;
    one.devices = devices;
    one.batch = 256;
    one.dtype = "bf16";
    one.peak = FlopsPerSecond{200e12 * pace};
    one.policy = "off-chip";
    const predict::CategoryBytes bytes{20e9, 1e9, 3e9, 2e9, 0.5e9};
    one.memory = {.bytes = bytes,
                  .levels = {{.level = "L2",
                              .onChip = true,
                              .capacity = Bytes{40e6},
                              .bandwidth = BytesPerSecond{5e12 * pace},
                              .bytes = {}},
                             {.level = "HBM",
                              .onChip = false,
                              .capacity = Bytes{40e9},
                              .bandwidth = BytesPerSecond{1.5e12 * pace},
                              .bytes = bytes}},
                  .at = "block/conv"};
    for (const std::int64_t batch : {64, 128, 256, 512}) {
        const double share = static_cast<double>(batch) / 256;
        one.batches.push_back(
            {.batch = batch, .fits = batch < 512, .levels = {{}, {20e9 * share, 1e9, 3e9, 2e9, 0.5e9}}});
    }
    one.operators.alike = handMadeOperators(pace);
    for (const predict::AlikeOperators& op : one.operators.alike) {
        one.operators.operators += op.count;
        one.operators.time += op.time * static_cast<double>(op.count);
        if (op.way != predict::Way::measured) continue;
        one.operators.measured += op.count;
        one.operators.measuredTime += op.time * static_cast<double>(op.count);
    }
    one.compute = one.operators.time;
    one.communication = Seconds{devices > 1 ? 0.1 : 0};
    one.load = Seconds{0.3};
    one.step = Seconds{std::max(one.load.value, one.compute.value + one.communication.value)};
    one.overlap = one.load + one.compute + one.communication - one.step;
    if (devices > 1) one.collective = "ring";
    one.throughput = 256 * static_cast<double>(devices) / one.step.value;
    // A larger batch keeps the accelerator busier.
    for (predict::BatchMemory& tried : one.batches) {
        const auto batch = static_cast<double>(tried.batch);
        if (tried.fits) tried.throughput = one.throughput * batch / (batch + 64) * (256 + 64) / 256;
    }
    if (price) {
        one.pricePerHourUsd = *price * static_cast<double>(devices);
        one.samplesPerUsd = one.throughput * 3600 / *one.pricePerHourUsd;
        one.trainingCostUsd = 1e9 / *one.samplesPerUsd;
    }
    one.trainingTime = Seconds{1e9 / one.throughput};
    one.error = predict::errorOf(reliability);
    one.baselines = {{.id = "roofline", .throughput = one.throughput * 1.8},
                     {.id = "utilization", .throughput = one.throughput * 0.7},
                     {.id = "similarity", .throughput = std::nullopt, .missing = "a measured model"}};
    one.sources = {{"peak_flops.bf16", {.source = "datasheet of " + accelerator, .reliability = "datasheet"}},
                   {"price_per_hour_usd", {.source = "price list", .reliability = "measured"}}};
    return one;
}

/// Three accelerators on 1 and 8 devices; "small" does not fit, "free" has no price.
inline study::PredictionOutcome handMadePredictions() {
    study::PredictionOutcome outcome;
    outcome.model = "resnet50";
    outcome.dtype = "bf16";
    outcome.dataset = "imagenet";
    outcome.parameters = 25.6e6;
    outcome.flopsPerSample = 24e9;
    for (const std::int64_t devices : {1, 8}) {
        outcome.predictions.push_back(handMadePrediction("swift", devices, 2, 4.0, "measured"));
        outcome.predictions.push_back(handMadePrediction("cheap", devices, 1, 1.0, "datasheet"));
        outcome.predictions.push_back(handMadePrediction("free", devices, 1.5, std::nullopt, "assumed"));
        predict::Prediction small = handMadePrediction("small", devices, 1, 0.5, "datasheet");
        small.infeasible = "batch 64 needs 2 GB more than the 8 GB of The small's HBM";
        small.batch = 0;
        small.operators = {};
        small.throughput = 0;
        small.batches.resize(1);
        small.batches.front().fits = false;
        small.memory.levels.back().capacity = Bytes{8e9};
        outcome.predictions.push_back(small);
        // As results keep them: once for an accelerator and batch.
        if (devices > 1)
            for (std::size_t i = outcome.predictions.size() - 4; i < outcome.predictions.size(); ++i)
                outcome.predictions[i].operators.alike.clear();
    }
    outcome.ranking = predict::rankingsOf(outcome.predictions, 1);
    return outcome;
}

/// The same as a whole result.
inline study::Result wholePrediction(study::PredictionOutcome outcome = handMadePredictions()) {
    study::Result result;
    result.study = study::newStudy("predict");
    result.study.models = {"zoo:resnet50"};
    result.study.hardware = {"swift", "cheap", "free", "small"};
    result.study.seed = 1;
    result.inputs = {{.name = "zoo:resnet50", .sha256 = std::string(64, 'a')}};
    result.assumptions = {"Libraries take no workspace of their own."};
    result.outcome = std::move(outcome);
    return result;
}

}  // namespace tessera::test
