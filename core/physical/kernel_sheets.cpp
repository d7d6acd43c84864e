#include <algorithm>
#include <array>

#include "core/physical/kernel.h"

namespace tessera::physical {
namespace {

constexpr double kTera = 1e12, kGiga = 1e9, kMebi = 1024.0 * 1024;

constexpr std::string_view kAmpereSource =
    "NVIDIA A100 Tensor Core GPU datasheet (2021); GA100 whitepaper, table 1: SMs, L2";
constexpr std::string_view kVoltaSource = "NVIDIA V100 datasheet (2020); GV100 whitepaper, table 1: SMs, L2";

/// Peaks: fp32, tf32, fp16, bf16, fp8, int8.
constexpr std::array<KernelSheet, 7> kKernelSheets{{
    {"a100", 19.5 * kTera, 156 * kTera, 312 * kTera, 312 * kTera, 0, 624 * kTera, 2039 * kGiga, 40 * kMebi, 108,
     kAmpereSource},
    {"a100-pcie-40gb", 19.5 * kTera, 156 * kTera, 312 * kTera, 312 * kTera, 0, 624 * kTera, 1555 * kGiga, 40 * kMebi,
     108, kAmpereSource},
    {"h100", 66.9 * kTera, 494.7 * kTera, 989.4 * kTera, 989.4 * kTera, 1978.9 * kTera, 1978.9 * kTera, 3352 * kGiga,
     50 * kMebi, 132, "NVIDIA H100 Tensor Core GPU Architecture whitepaper, table 2: H100 SXM5"},
    {"p100", 9.3 * kTera, 0, 18.7 * kTera, 0, 0, 0, 732 * kGiga, 4 * kMebi, 56,
     "NVIDIA P100 PCIe datasheet (2016), 16 GB; GP100 whitepaper, table 1: SMs, L2"},
    {"t4", 8.1 * kTera, 0, 65 * kTera, 0, 0, 130 * kTera, 320 * kGiga, 4 * kMebi, 40,
     "NVIDIA T4 datasheet (2019); Turing whitepaper, appendix B: SMs, L2"},
    {"v100", 15.7 * kTera, 0, 125 * kTera, 0, 0, 0, 900 * kGiga, 6 * kMebi, 80, kVoltaSource},
    {"v100-pcie", 14 * kTera, 0, 112 * kTera, 0, 0, 0, 900 * kGiga, 6 * kMebi, 80, kVoltaSource},
}};

struct KernelWord {
    std::string_view dtype;
    double bytes;
    double KernelSheet::*peak;
};
constexpr std::array<KernelWord, 6> kKernelWords{{{"fp32", 4, &KernelSheet::fp32},
                                                  {"tf32", 4, &KernelSheet::tf32},
                                                  {"fp16", 2, &KernelSheet::fp16},
                                                  {"bf16", 2, &KernelSheet::bf16},
                                                  {"fp8", 1, &KernelSheet::fp8},
                                                  {"int8", 1, &KernelSheet::int8}}};

const KernelWord* kernelWord(std::string_view dtype) {
    const auto* found = std::find_if(kKernelWords.begin(), kKernelWords.end(),
                                     [&](const KernelWord& word) { return word.dtype == dtype; });
    return found == kKernelWords.end() ? nullptr : &*found;
}

}  // namespace

std::span<const KernelSheet> kernelSheets() {
    return kKernelSheets;
}

const KernelSheet* kernelSheet(std::string_view name) {
    const auto* found = std::find_if(kKernelSheets.begin(), kKernelSheets.end(),
                                     [&](const KernelSheet& sheet) { return sheet.name == name; });
    return found == kKernelSheets.end() ? nullptr : &*found;
}

double peakOf(const KernelSheet& sheet, std::string_view dtype) {
    const KernelWord* word = kernelWord(dtype);
    if (word == nullptr) return 0;
    if (sheet.*word->peak > 0) return sheet.*word->peak;
    return word->bytes == 1 && sheet.fp16 > 0 ? sheet.fp16 : sheet.fp32;
}

double bytesOf(std::string_view dtype) {
    const KernelWord* word = kernelWord(dtype);
    return word == nullptr ? 0 : word->bytes;
}

}  // namespace tessera::physical
