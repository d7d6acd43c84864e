#include <array>

#include "core/physical/kernel_forms.h"

namespace tessera::physical {

// Results of fitTransferred (tests/core/physical/refit.h) on data/measured/kernels (class fitted): coefficients of the
// rows of all accelerators; the errors are those of each accelerator's rows by the coefficients of the others and the
// products of the least unlike of them. V100 alone has convolutions and recurrent layers: their errors are those of a
// data type left out.
const TransferredTerms& transferredTerms(KernelFamily family) {
    static constexpr std::array<TransferredTerms, 6> kTransferred{{
        {KernelFamily::product, {1}, 0.486, 0.189, 32188},
        {KernelFamily::attention, {15.9, 1.05, 0.6807, 2.09, 3.32}, 0.674, 0.336, 6627},
        {KernelFamily::elementwise, {0, 1.22, 0.8594}, 0.190, 0.156, 2774},
        {KernelFamily::normalization, {6.355, 1.717, 1.916}, 0.458, 0.236, 820},
        {KernelFamily::convolution, {17.03, 0.2537, 0.5135, 0.6578, 0.5308}, 1.035, 0.602, 520},
        {KernelFamily::recurrent, {32.99, 0.7044, 0.1553, 0, 79.95}, 0.473, 0.272, 212},
    }};
    return kTransferred[static_cast<std::size_t>(family)];
}

}  // namespace tessera::physical
