#include "core/physical/readers/readers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "core/base/error.h"
#include "core/base/poll.h"
#include "core/base/text.h"
#include "core/physical/readers/table_maker.h"

namespace tessera::physical {
namespace {

constexpr std::size_t kLongestHeader = 8192;

bool knowsAll(std::string_view) {
    return true;
}

ReadMeasurements readOwnTable(std::string_view bytes, const std::string& file) {
    return {.table = readMeasuredTable(bytes, file), .format = "tessera"};
}

/// "1024x768": sizes without a loss of digits.
std::string shapeText(const std::vector<double>& shape) {
    std::string text;
    for (const double size : shape) text += fmt::format("{}{}", text.empty() ? "" : "x", size);
    return text;
}

std::vector<MeasurementReader>& allMeasurementReaders() {
    static std::vector<MeasurementReader> readers{
        {"pytorch", "PyTorch (Kineto) trace, JSON", knowsTrace, readTrace},
        {"nccl-tests", "nccl-tests, text", knowsNcclTests, readNcclTests},
        {"deepbench", "DeepBench, text", knowsDeepbench, readDeepbench},
        {"aiconfigurator", "aiconfigurator, CSV", knowsAiconfigurator, readAiconfigurator},
        {"neusight", "NeuSight, CSV", knowsNeusight, readNeusight},
        {"tessera", "table of measurements, CSV", knowsAll, readOwnTable}};
    return readers;
}

}  // namespace

const std::vector<MeasurementReader>& measurementReaders() {
    return allMeasurementReaders();
}

void addMeasurementReader(const MeasurementReader& reader) {
    allMeasurementReaders().insert(allMeasurementReaders().begin(), reader);
}

const std::vector<std::string_view>& measurementSuffixes() {
    static const std::vector<std::string_view> suffixes{".csv", ".txt", ".log", ".json"};
    return suffixes;
}

ReadMeasurements readMeasurements(std::string_view bytes, const std::string& file) {
    if (bytes.size() > kLargestMeasuredTable) throw DataError({.file = file}, "more", "at most 64 MiB");
    const auto& readers = measurementReaders();
    const auto reader = std::find_if(readers.begin(), std::prev(readers.end()),
                                     [&](const MeasurementReader& each) { return each.knows(bytes); });
    return reader->read(bytes, file);
}

std::string skippedText(const ReadMeasurements& read) {
    if (read.skipped == 0) return {};
    const std::size_t all = read.skipped + read.table.rows.size();
    return fmt::format("{}: {} of {} measurements are left out: {}{}.", escaped(read.table.file), read.skipped, all,
                       read.firstSkipped, read.skipped > 1 ? ", and others" : "");
}

KernelTableMaker::KernelTableMaker(std::string_view format, const std::string& file, std::string_view unit)
    : unit_(unit) {
    read_.format = format;
    read_.table = {.file = file, .columns = {"kernel", "shape", "dtype", "seconds"}, .rows = {}};
}

void KernelTableMaker::add(const KernelRequest& request, double seconds, std::int64_t line) {
    poll();
    if (const std::string fault = kernelFault(request); !fault.empty()) return skip(line, fault);
    if (!(seconds > 0 && seconds <= 1e9)) return skip(line, "its time is not above 0");
    read_.table.rows.push_back({{request.kernel, shapeText(request.shape), request.dtype, fmt::format("{}", seconds)},
                                std::string(read_.format),
                                line});
}

void KernelTableMaker::skip(std::int64_t line, std::string_view why) {
    if (read_.skipped++ == 0) read_.firstSkipped = fmt::format("in {} {} {}", unit_, line, why);
}

std::string_view headerLine(std::string_view bytes) {
    constexpr std::string_view kMark = "\xEF\xBB\xBF";
    if (bytes.starts_with(kMark)) bytes.remove_prefix(kMark.size());
    bytes = bytes.substr(0, kLongestHeader);
    while (!bytes.empty()) {
        const std::string_view line = bytes.substr(0, bytes.find('\n'));
        if (!trimmed(line).empty() && trimmed(line).front() != '#') return trimmed(line);
        bytes.remove_prefix(std::min(bytes.size(), line.size() + 1));
    }
    return {};
}

std::vector<std::string> headerNames(std::string_view bytes) {
    std::vector<std::string> names;
    for (std::string_view name : split(headerLine(bytes), ',')) {
        name = trimmed(name);
        if (name.size() >= 2 && name.front() == '"' && name.back() == '"') name = name.substr(1, name.size() - 2);
        names.emplace_back(name);
    }
    return names;
}

bool hasNames(const std::vector<std::string>& names, std::initializer_list<std::string_view> wanted) {
    return std::all_of(wanted.begin(), wanted.end(), [&](std::string_view name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    });
}

std::vector<std::string_view> wordsOf(std::string_view line) {
    constexpr std::string_view kBlanks = " \t\r";
    std::vector<std::string_view> words;
    for (std::size_t at = line.find_first_not_of(kBlanks); at != std::string_view::npos;) {
        const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
        words.push_back(line.substr(at, end - at));
        at = line.find_first_not_of(kBlanks, end);
    }
    return words;
}

std::vector<std::string_view> linesOf(std::string_view bytes) {
    return split(bytes, '\n');
}

std::string dtypeOf(std::string_view word) {
    struct ForeignType {
        std::string_view word, dtype;
    };
    static constexpr std::array<ForeignType, 15> kForeignTypes{{{"bfloat16", "bf16"},
                                                                {"c10::bfloat16", "bf16"},
                                                                {"float16", "fp16"},
                                                                {"half", "fp16"},
                                                                {"c10::half", "fp16"},
                                                                {"float32", "fp32"},
                                                                {"float", "fp32"},
                                                                {"tfloat32", "tf32"},
                                                                {"fp8_static", "fp8"},
                                                                {"float8_e4m3fn", "fp8"},
                                                                {"c10::float8_e4m3fn", "fp8"},
                                                                {"sq", "int8"},
                                                                {"int8_sq", "int8"},
                                                                {"signed char", "int8"},
                                                                {"c10::qint8", "int8"}}};
    const std::string wanted = lowered(word);
    for (const ForeignType& known : kForeignTypes)
        if (known.word == wanted) return std::string(known.dtype);
    return wanted;
}

}  // namespace tessera::physical
