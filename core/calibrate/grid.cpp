#include "core/calibrate/grid.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace tessera::calibrate {

namespace {

using Sizes = predict::KernelTable::Sizes;

/// A kernel and the sizes along each of its axes, every combination of which is measured. A quick calibration takes
/// the `quick` first of each.
struct Block {
    std::vector<std::string_view> kernels;
    std::vector<std::vector<double>> axes;
    std::size_t quick = 2;
};

const std::vector<Block>& blocks() {
    static const std::vector<Block> kBlocks{
        {{"gemm"}, {{128, 1024, 512}, {256, 1024, 512}, {256, 1024, 512}}, 2},
        {{"batched_gemm"}, {{12, 96}, {64, 128}, {64}, {64, 128}}, 1},
        {{"conv", "conv_input_gradient", "conv_weight_gradient"},
         {{2, 8}, {64, 256}, {30, 58}, {30, 58}, {64}, {3}, {3}, {1}, {1}},
         1},
        {{"conv", "conv_input_gradient", "conv_weight_gradient"},
         {{2, 8}, {64, 256}, {28, 56}, {28, 56}, {64, 256}, {1}, {1}, {1}, {1}},
         1},
        {{"relu", "relu_gradient", "gelu", "gelu_gradient", "tanh", "tanh_gradient", "sigmoid", "sigmoid_gradient"},
         {{65536, 4194304, 1024, 1048576, 16777216}},
         2},
        {{"add", "mul", "sum", "sub", "div"}, {{65536, 4194304, 1024, 1048576, 16777216}}, 2},
        {{"softmax", "softmax_gradient"}, {{1024, 16384}, {64, 512}}, 1},
        {{"layernormalization", "layernormalization_gradient"}, {{512, 8192}, {768, 1024}}, 1},
        {{"batchnormalization", "batchnormalization_gradient"}, {{2, 16}, {64, 256}, {196, 3136}}, 1},
        {{"maxpool", "maxpool_gradient", "averagepool", "averagepool_gradient"},
         {{128, 1024}, {56, 112}, {56, 112}, {2, 3}, {2}},
         1},
        {{"globalaveragepool", "globalaveragepool_gradient"}, {{2048, 32768}, {49}}, 1},
        {{"reducesum"}, {{512, 8192}, {768, 1024}, {1}}, 1},
        {{"transpose"}, {{8, 64}, {64, 512}, {12}, {64}}, 1},
        {{"concat", "split", "gather", "gather_gradient", "where"}, {{65536, 4194304, 16777216}}, 2},
        {{"sgdupdate", "momentumupdate", "adamupdate"}, {{1024, 1048576, 50331648, 65536, 16777216}}, 3},
        {{"lstm", "lstm_gradient"}, {{32}, {16, 64}, {256}, {256, 1024}}, 1},
        {{"attention"}, {{12, 96}, {64, 256}, {64}}, 1},
    };
    return kBlocks;
}

/// Every combination of the sizes along the axes.
std::vector<Sizes> combinations(const std::vector<std::vector<double>>& axes) {
    std::vector<Sizes> made{{}};
    for (const std::vector<double>& axis : axes) {
        std::vector<Sizes> longer;
        for (const Sizes& start : made)
            for (const double size : axis) {
                longer.push_back(start);
                longer.back().push_back(size);
            }
        made = std::move(longer);
    }
    return made;
}

/// Height and width of an image are varied together.
bool isSquare(std::string_view kernel, const Sizes& sizes) {
    if (kernel.starts_with("conv")) return sizes[2] == sizes[3];
    if (sizes.size() == 5) return sizes[1] == sizes[2];
    return true;
}

}  // namespace

std::vector<Request> standardGrid(bool quick) {
    std::vector<Request> requests;
    for (const Block& block : blocks()) {
        std::vector<std::vector<double>> axes = block.axes;
        for (std::vector<double>& axis : axes)
            if (quick && axis.size() > block.quick) axis.resize(block.quick);
        for (const std::string_view kernel : block.kernels)
            for (const Sizes& sizes : combinations(axes))
                if (isSquare(kernel, sizes)) requests.push_back({.kernel = std::string(kernel), .sizes = sizes});
    }
    return requests;
}

std::vector<Request> requestsOf(const predict::Workload& workload, const std::vector<std::int64_t>& batches) {
    std::map<std::pair<std::string, Sizes>, double> bytes;
    for (const std::int64_t batch : batches)
        for (const predict::StepOperator& op : workload.operators) {
            if (op.free || op.kernel->kernel.empty()) continue;
            Sizes sizes;
            for (const predict::Affine& size : op.kernel->sizes) sizes.push_back(size.at(static_cast<double>(batch)));
            bytes[{op.kernel->kernel, std::move(sizes)}] += op.bytes.at(static_cast<double>(batch));
        }
    std::vector<std::pair<double, Request>> weighted;
    for (const auto& [key, moved] : bytes) weighted.push_back({moved, {.kernel = key.first, .sizes = key.second}});
    std::stable_sort(weighted.begin(), weighted.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<Request> requests;
    for (const auto& [moved, request] : weighted) requests.push_back(request);
    return requests;
}

std::vector<Request> requestsOf(const model::Model& model, model::Optimizer optimizer,
                                const std::vector<std::int64_t>& batches) {
    return requestsOf(predict::workloadOf(model, predict::precisionOf("fp32"), optimizer), batches);
}

double operationsOf(const Request& request) {
    const Sizes& s = request.sizes;
    if (request.kernel.starts_with("conv") && s.size() == 9) {
        const double pixels = ((s[2] - s[5]) / s[7] + 1) * ((s[3] - s[6]) / s[7] + 1);
        return 2 * s[0] * pixels * s[4] * s[1] / s[8] * s[5] * s[6];
    }
    if (!request.kernel.ends_with("gemm")) return 0;
    double product = 2;
    for (const double size : s) product *= size;
    return product;
}

void addRequests(std::vector<Request>& to, const std::vector<Request>& more) {
    std::set<std::tuple<std::string, std::string, Sizes>> known;
    for (const Request& request : to) known.insert({request.kernel, request.dtype, request.sizes});
    for (const Request& request : more)
        if (known.insert({request.kernel, request.dtype, request.sizes}).second) to.push_back(request);
}

std::vector<Request> inType(std::vector<Request> requests, const std::string& dtype) {
    for (Request& request : requests) request.dtype = dtype;
    return requests;
}

}  // namespace tessera::calibrate
