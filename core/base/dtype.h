#pragma once

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <vector>

namespace tessera {

/// A data type of tensors as studies and hardware files name it ("peak_flops").
struct Dtype {
    std::string_view id;
    double bytes = 0;             ///< of an element, without the scales of blocks
    std::string_view wider = {};  ///< what a device computes in that has no units for it; empty: no other type is tried
    bool isFloat = true;          ///< networks can be trained in it
    bool isBlockScaled = false;   ///< each block of elements has a scale of its own
    bool isStudied = true;        ///< predictions and partitions take it; plans alone know the others
    bool isPriced = true;         ///< the physical model has times of kernels in it
};

/// Every data type; the default of studies first.
inline constexpr std::array kDtypes{
    Dtype{.id = "bf16", .bytes = 2, .wider = "fp16"},
    Dtype{.id = "fp16", .bytes = 2, .wider = "tf32"},
    Dtype{.id = "fp32", .bytes = 4},
    Dtype{.id = "tf32", .bytes = 4, .wider = "fp32"},
    Dtype{.id = "fp64", .bytes = 8, .isPriced = false},
    Dtype{.id = "fp8", .bytes = 1, .wider = "bf16"},
    Dtype{.id = "mxfp8", .bytes = 1, .wider = "fp8", .isBlockScaled = true, .isStudied = false},
    Dtype{.id = "nvfp4", .bytes = 0.5, .wider = "mxfp8", .isBlockScaled = true, .isStudied = false},
    Dtype{.id = "int8", .bytes = 1, .wider = "bf16", .isFloat = false},
};

/// Those that predictions and partitions take, the default first.
inline const std::vector<Dtype>& studiedDtypes() {
    static const std::vector<Dtype> kStudied = [] {
        std::vector<Dtype> studied;
        std::copy_if(kDtypes.begin(), kDtypes.end(), std::back_inserter(studied),
                     [](const Dtype& row) { return row.isStudied; });
        return studied;
    }();
    return kStudied;
}

}  // namespace tessera
