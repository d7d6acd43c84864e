#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/physical/kernel.h"
#include "core/physical/readers/readers.h"

/// What the readers of measurements share.
namespace tessera::physical {

/// Collects the kernels of a file; what is none that the model knows is counted.
class KernelTableMaker {
public:
    /// `unit` is what rows are numbered in: "line", "event".
    KernelTableMaker(std::string_view format, const std::string& file, std::string_view unit = "line");

    /// A kernel that took so many seconds; left out with a sentence where it is none.
    void add(const KernelRequest& request, double seconds, std::int64_t line);
    /// A measurement that cannot be one.
    void skip(std::int64_t line, std::string_view why);
    ReadMeasurements done() { return std::move(read_); }

private:
    ReadMeasurements read_;
    std::string_view unit_;
};

/// The first line that says something and is no comment, without what a file of millions of bytes without a line end
/// has beyond.
std::string_view headerLine(std::string_view bytes);
/// The names in a header of CSV.
std::vector<std::string> headerNames(std::string_view bytes);
bool hasNames(const std::vector<std::string>& names, std::initializer_list<std::string_view> wanted);

/// Words between blanks.
std::vector<std::string_view> wordsOf(std::string_view line);
/// The lines of a text, without their ends.
std::vector<std::string_view> linesOf(std::string_view bytes);

/// The data type that other tools call so ("bfloat16", "half", "float"); else their word.
std::string dtypeOf(std::string_view word);

// The readers.
bool knowsAiconfigurator(std::string_view bytes);
ReadMeasurements readAiconfigurator(std::string_view bytes, const std::string& file);
bool knowsNeusight(std::string_view bytes);
ReadMeasurements readNeusight(std::string_view bytes, const std::string& file);
bool knowsDeepbench(std::string_view bytes);
ReadMeasurements readDeepbench(std::string_view bytes, const std::string& file);
bool knowsNcclTests(std::string_view bytes);
ReadMeasurements readNcclTests(std::string_view bytes, const std::string& file);
bool knowsTrace(std::string_view bytes);
ReadMeasurements readTrace(std::string_view bytes, const std::string& file);

}  // namespace tessera::physical
