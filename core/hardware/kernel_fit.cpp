#include "core/hardware/kernel_fit.h"

#include <array>

namespace tessera::hardware {

namespace {

constexpr std::array<KernelParameter, 7> kProductParameters{
    {{"launch_s", "s", "of a kernel that does nothing"},
     {"wave_s", "s", "start and end of a wave of tiles"},
     {"efficiency", "", "share of the peak of an endless tile"},
     {"half_tile", "", "rows and columns of a tile at which that share halves"},
     {"bandwidth_share", "", "share of the bandwidth of memory"},
     {"cache_factor", "", "bandwidth of the cache in units of that of memory"},
     {"fill", "", "tiles per unit that fill the memory"}}};
constexpr std::array<KernelParameter, 5> kAttentionParameters{
    {{"launch_us", "us", "of a kernel that does nothing"},
     {"flop", "", "times the operations at peak"},
     {"short_flop", "", "times those of a sequence of 128"},
     {"narrow_flop", "", "times those of a head size of 64"},
     {"bytes", "", "times the bytes at the bandwidth of memory"}}};
constexpr std::array<KernelParameter, 3> kElementwiseParameters{
    {{"launch_us", "us", "of a kernel that does nothing"},
     {"memory_bytes", "", "times the bytes from memory at its bandwidth"},
     {"cache_bytes", "", "times the bytes from the cache at the bandwidth of memory"}}};
constexpr std::array<KernelParameter, 4> kNormalizationParameters{
    {{"launch_us", "us", "of a kernel that does nothing"},
     {"memory_bytes", "", "times the bytes from memory at its bandwidth"},
     {"cache_bytes", "", "times the bytes from the cache at the bandwidth of memory"},
     {"row_10ns", "10 ns", "of a row on a unit"}}};
constexpr std::array<KernelParameter, 5> kConvolutionParameters{
    {{"launch_us", "us", "of a kernel that does nothing"},
     {"product_3x3", "", "times the product of windows of 3 x 3 with stride 1"},
     {"product", "", "times the product of other windows"},
     {"bytes", "", "times the bytes at the bandwidth of memory"},
     {"flop", "", "times the operations at peak"}}};
constexpr std::array<KernelParameter, 5> kRecurrentParameters{
    {{"word_us", "us", "of a word"},
     {"product", "", "times the product of a word"},
     {"flop", "", "times the operations at peak"},
     {"weight_bytes", "", "times the weights, read once a word, at the bandwidth of memory"},
     {"launch_us", "us", "of a kernel that does nothing"}}};

}  // namespace

std::span<const KernelParameter> kernelParameters(KernelFamily family) {
    switch (family) {
        case KernelFamily::product:
            return kProductParameters;
        case KernelFamily::attention:
            return kAttentionParameters;
        case KernelFamily::elementwise:
            return kElementwiseParameters;
        case KernelFamily::normalization:
            return kNormalizationParameters;
        case KernelFamily::convolution:
            return kConvolutionParameters;
        case KernelFamily::recurrent:
            return kRecurrentParameters;
    }
    return {};
}

}  // namespace tessera::hardware
