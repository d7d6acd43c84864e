#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/run_control.h"
#include "core/reproduce/reproduce.h"

/// The papers whose figures are recomputed; each file has one paper's.
namespace tessera::study {

std::vector<Figure> accparFigures();
std::vector<Figure> magmaFigures();
std::vector<Figure> centimaniFigures();
std::vector<Figure> phazeFigures();

using Recompute = Reproduction(const Figure& figure, const ReproductionOptions& options, const RunControl& control);

/// A figure on its way: gathers the document.
class Recomputation {
public:
    explicit Recomputation(const Figure& figure);

    void row(std::string item, std::string_view metric, double ours, std::optional<double> paper = {});
    void mean(std::string metric, double ours, std::optional<double> paper = {});
    void note(std::string sentence);
    /// "The paper: …. Here that holds / does not appear." `where` says more about "Here" where the paper's claim is
    /// held against something that the paper does not have.
    void verdict(std::string_view claim, bool holds, std::string_view ours = {}, std::string_view where = "Here");
    /// Adds inputs and assumptions of the numbers, each once.
    void restOn(const std::vector<Input>& inputs, const std::vector<std::string>& assumptions);
    Reproduction finish() &&;

private:
    Reproduction result_;
};

double geometricMean(const std::vector<double>& values);
/// A share in words: "3.2 %", "less than 0.01 %".
std::string percent(double share);

/// Reports the number of finished parts; called from several threads.
class PartCounter {
public:
    PartCounter(const RunControl& control, std::string task, std::size_t total)
        : control_(control), task_(std::move(task)), total_(total) {}
    void finishOne() { control_.reportProgress(task_, static_cast<double>(++done_), static_cast<double>(total_)); }

private:
    const RunControl& control_;
    std::string task_;
    std::size_t total_;
    std::atomic<std::size_t> done_ = 0;
};

}  // namespace tessera::study
