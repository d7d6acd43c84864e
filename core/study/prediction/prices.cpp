#include "core/study/prediction/prices.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/predict/predict.h"
#include "core/study/prediction/outcome.h"

namespace tessera::study {

namespace {

constexpr const char* kPricePath = "price_per_hour_usd";
constexpr const char* kPricesParameter = "prices";
constexpr double kHighestPrice = 1e6;
constexpr double kSecondsInHour = 3600;

/// The number as the user's own, with what the file said of it.
hardware::Provenance ownPrice(const hardware::ProvenanceMap& sources, const std::optional<double>& before) {
    hardware::Provenance own{.source = "set in the study", .reliability = hardware::kOwnNumber};
    const auto found = sources.find(kPricePath);
    if (found == sources.end() || !before) return own;
    // Of one's own number that replaced one, the first one is named.
    if (found->second.was)
        own.was = found->second.was;
    else
        own.was = hardware::Former{.value = *before,
                                   .source = found->second.source,
                                   .reliability = found->second.reliability,
                                   .alternatives = found->second.alternatives};
    return own;
}

}  // namespace

Prices pricesIn(const std::string& text) {
    Prices prices;
    for (const std::string_view part : split(text, ',')) {
        const std::string pair(trimmed(part));
        if (pair.empty()) continue;
        const std::size_t at = pair.rfind('=');
        const std::string name(trimmed(pair.substr(0, std::min(at, pair.size()))));
        std::string amount(at == std::string::npos ? "" : trimmed(pair.substr(at + 1)));
        if (amount.starts_with('$')) amount.erase(0, 1);
        const std::optional<double> price = parseQuantity(amount, Measure::count);
        if (name.empty() || !price || !(*price > 0) || *price > kHighestPrice)
            throw UsageError(
                fmt::format("option '--prices' is {}; expected ACCELERATOR=DOLLARS pairs such as "
                            "'h100=2.99,a100=1.79'",
                            inQuotes(text)));
        prices[name] = *price;
    }
    return prices;
}

std::string textOf(const Prices& prices) {
    std::vector<std::string> pairs;
    for (const auto& [name, price] : prices) pairs.push_back(fmt::format("{}={}", name, exactNumber(price)));
    return joined(pairs, ",");
}

std::optional<double> devicePrice(const predict::Prediction& prediction) {
    if (!prediction.pricePerHourUsd) return std::nullopt;
    return *prediction.pricePerHourUsd / static_cast<double>(prediction.devices);
}

void setPrice(predict::Machine& machine, const Prices& prices) {
    const auto found = prices.find(machine.id());
    if (found == prices.end()) return;
    machine.accelerator.provenance[kPricePath] =
        ownPrice(machine.accelerator.provenance, machine.accelerator.pricePerHourUsd);
    machine.accelerator.pricePerHourUsd = found->second;
}

Result repriced(const Result& result, const Prices& prices) {
    Result repriced = result;
    const auto parameter = result.study.parameters->find(kPricesParameter);
    const bool has = parameter != result.study.parameters->end() && parameter->is_string();
    Prices all = pricesIn(has ? parameter->get<std::string>() : "");
    for (const auto& [name, price] : prices) all[name] = price;
    Json parameters = *result.study.parameters;
    parameters[kPricesParameter] = textOf(all);
    repriced.study.parameters = std::move(parameters);
    auto outcome = result.outcome.get<PredictionOutcome>();
    for (predict::Prediction& one : outcome.predictions) {
        const auto price = prices.find(one.accelerator);
        if (price == prices.end()) continue;
        one.sources[kPricePath] = ownPrice(one.sources, devicePrice(one));
        if (one.infeasible) continue;
        one.pricePerHourUsd = price->second * static_cast<double>(one.devices);
        one.samplesPerUsd = one.throughput * kSecondsInHour / *one.pricePerHourUsd;
        if (one.trainingTime) one.trainingCostUsd = *one.pricePerHourUsd * one.trainingTime->value / kSecondsInHour;
    }
    outcome.ranking = predict::rankingsOf(outcome.predictions, result.study.seed.value_or(1));
    repriced.outcome = std::move(outcome);
    return repriced;
}

}  // namespace tessera::study
