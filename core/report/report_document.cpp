#include "core/report/report_document.h"

#include <fmt/format.h>

#include <cmath>
#include <variant>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/partition/array.h"
#include "core/study/partition/study.h"

namespace tessera::report {

namespace {

/// The largest batch of which the plan's memory would fit; 0 = none. Weights, gradients and optimizer state are
/// `parameters` times what one takes; the rest of `memory` are activations, which grow with the batch.
double batchThatFits(const partition::AcceleratorShare& share, double batch, double bytesPerActivation) {
    const double activations = share.activations * bytesPerActivation;
    const double room = share.capacity->value - (share.memory.value - activations);
    return activations > 0 && room > 0 ? std::floor(batch * room / activations) : 0;
}

std::vector<std::string> strategiesThatFit(const study::PartitionOutcome& outcome) {
    std::vector<std::string> names;
    for (const partition::Plan& plan : outcome.result.plans)
        if (plan.fits) names.push_back(plan.strategy);
    return names;
}

std::string memorySentence(const study::PartitionOutcome& outcome, const partition::AcceleratorShare& share,
                           double bytesPerActivation) {
    std::string sentence = fmt::format("An accelerator of {} would hold {}; it has {}.", escaped(share.kind),
                                       formatQuantity(share.memory.value, Measure::bytes),
                                       formatQuantity(share.capacity->value, Measure::bytes));
    const std::vector<std::string> others = strategiesThatFit(outcome);
    if (!others.empty()) sentence += fmt::format(" {} fits.", joined(others, " or "));
    const double batch = batchThatFits(share, outcome.result.batch, bytesPerActivation);
    if (batch >= 1) return sentence + fmt::format(" With this split, batch {} would fit.", formatCount(batch));
    return sentence + " No batch would: weights, gradients and optimizer state alone are too large.";
}

}  // namespace

std::vector<std::string> memoryAdvice(const study::Result& result, const partition::Plan& plan) {
    const auto* outcome = result.outcome.as<study::PartitionOutcome>();
    std::vector<std::string> sentences;
    if (outcome == nullptr) return sentences;
    const std::string dtype = study::partitionOptions(result.study).dtype;
    const double width = partition::bytesOfDtype(dtype).value_or(2);
    for (const partition::AcceleratorShare& share : plan.shares)
        if (!share.fits && share.capacity) sentences.push_back(memorySentence(*outcome, share, width));
    return sentences;
}

}  // namespace tessera::report
