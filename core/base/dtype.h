#pragma once

#include <array>
#include <string_view>

namespace tessera {

/// A data type of tensors as studies and hardware files name it ("peak_flops").
struct Dtype {
    std::string_view id;
    double bytes = 0;
    bool isFloat = true;  ///< networks can be trained in it
};

/// The default first.
inline constexpr std::array kDtypes{Dtype{"bf16", 2}, Dtype{"fp16", 2}, Dtype{"fp32", 4},       Dtype{"tf32", 4},
                                    Dtype{"fp64", 8}, Dtype{"fp8", 1},  Dtype{"int8", 1, false}};

}  // namespace tessera
