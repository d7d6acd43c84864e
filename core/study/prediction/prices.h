#pragma once

#include <map>
#include <string>

#include "core/predict/machine.h"
#include "core/study/result.h"

/// Hourly prices that a study gives itself, in place of those of the accelerators' files.
namespace tessera::study {

/// US dollars for an hour of one device, by accelerator.
using Prices = std::map<std::string, double>;

/// Reads "h100=2.99,a100=1.79", the parameter `prices`; empty = none. Throws UsageError, naming the option.
Prices pricesIn(const std::string& text);
/// Writes them so, by name.
std::string textOf(const Prices& prices);

/// The price of a device that a prediction rests on; empty where there is none.
std::optional<double> devicePrice(const predict::Prediction& prediction);

/// Sets the price of an accelerator that has one in `prices`, as a number of the user's own that replaced the file's.
void setPrice(predict::Machine& machine, const Prices& prices);

/// A prediction's result as its study would give it with these prices besides its own: prices, samples per dollar, cost
/// to train, and the rankings, without predicting again.
Result repriced(const Result& result, const Prices& prices);

}  // namespace tessera::study
