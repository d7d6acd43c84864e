#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/poll.h"
#include "core/base/text.h"
#include "core/physical/readers/table_maker.h"

namespace tessera::physical {
namespace {

constexpr std::size_t kTraceHead = 65536;  // bytes by which a trace is known
constexpr double kTraceUnit = 1e-6;        // of "dur"

/// What an operator of a trace was given: sizes of its tensors, their types, and its other arguments as texts.
struct TraceInputs {
    std::vector<std::vector<double>> dims = {};
    std::vector<std::string> types = {}, values = {};

    /// The sizes of an input; nothing where it is no tensor of so many axes.
    const std::vector<double>* tensor(std::size_t input, std::size_t axes = 0) const {
        if (input >= dims.size() || dims[input].empty()) return nullptr;
        return axes == 0 || dims[input].size() == axes ? &dims[input] : nullptr;
    }
    std::string dtype(std::size_t input) const { return input < types.size() ? dtypeOf(types[input]) : ""; }
};

using TraceRequest = std::optional<KernelRequest>;

double productOfSizes(const std::vector<double>& sizes, std::size_t count) {
    double product = 1;
    for (std::size_t i = 0; i < count; ++i) product *= sizes[i];
    return product;
}

/// Whole numbers of "[2, 2]"; empty where the text is none.
std::vector<double> traceList(const TraceInputs& inputs, std::size_t input) {
    if (input >= inputs.values.size()) return {};
    std::string_view text = inputs.values[input];
    if (text.size() < 2 || text.front() != '[' || text.back() != ']') return {};
    std::vector<double> numbers;
    for (const std::string_view part : split(text.substr(1, text.size() - 2), ','))
        if (const std::optional<double> number = measuredNumber(trimmed(part))) numbers.push_back(*number);
    return numbers;
}

/// A product whose operands are the inputs `first` and `first` + 1.
template <std::size_t first>
TraceRequest traceProduct(const TraceInputs& inputs, std::string_view kernel) {
    const auto* left = inputs.tensor(first, 2);
    const auto* right = inputs.tensor(first + 1, 2);
    if (left == nullptr || right == nullptr) return std::nullopt;
    return KernelRequest{std::string(kernel), {(*left)[0], (*right)[1], (*left)[1]}, inputs.dtype(first)};
}

TraceRequest traceLinear(const TraceInputs& inputs, std::string_view kernel) {
    const auto* left = inputs.tensor(0);
    const auto* weights = inputs.tensor(1, 2);
    if (left == nullptr || weights == nullptr) return std::nullopt;
    return KernelRequest{
        std::string(kernel), {productOfSizes(*left, left->size() - 1), (*weights)[0], left->back()}, inputs.dtype(0)};
}

template <std::size_t first>
TraceRequest traceBatched(const TraceInputs& inputs, std::string_view kernel) {
    const auto* left = inputs.tensor(first, 3);
    const auto* right = inputs.tensor(first + 1, 3);
    if (left == nullptr || right == nullptr) return std::nullopt;
    return KernelRequest{std::string(kernel), {(*left)[0], (*left)[1], (*right)[2], (*left)[2]}, inputs.dtype(first)};
}

/// A convolution whose padding, stride and groups are these inputs.
template <std::size_t padding, std::size_t stride, std::size_t groups>
TraceRequest traceConv(const TraceInputs& inputs, std::string_view kernel) {
    const auto* samples = inputs.tensor(0, 4);
    const auto* filters = inputs.tensor(1, 4);
    const std::vector<double> pads = traceList(inputs, padding), strides = traceList(inputs, stride);
    const std::optional<double> group =
        groups < inputs.values.size() ? measuredNumber(inputs.values[groups]) : std::optional<double>();
    if (samples == nullptr || filters == nullptr || pads.size() != 2 || strides.size() != 2 || !group)
        return std::nullopt;
    if (strides[0] != strides[1]) return std::nullopt;
    return KernelRequest{std::string(kernel),
                         {(*samples)[0], (*samples)[1], (*samples)[2] + 2 * pads[0], (*samples)[3] + 2 * pads[1],
                          (*filters)[0], (*filters)[2], (*filters)[3], strides[0], *group},
                         inputs.dtype(0)};
}
/// Of the inputs input, weight, bias, stride, padding, dilation, transposed, output padding, groups.
TraceRequest traceConvolution(const TraceInputs& inputs, std::string_view kernel) {
    const bool isTransposed = inputs.values.size() > 6 && lowered(inputs.values[6]) == "true";
    return isTransposed ? std::nullopt : traceConv<4, 3, 8>(inputs, kernel);
}

TraceRequest traceUnary(const TraceInputs& inputs, std::string_view kernel) {
    const auto* tensor = inputs.tensor(0);
    if (tensor == nullptr) return std::nullopt;
    return KernelRequest{std::string(kernel), {productOfSizes(*tensor, tensor->size())}, inputs.dtype(0)};
}

/// Of two tensors of the same sizes, or of one and a number.
TraceRequest traceBinary(const TraceInputs& inputs, std::string_view kernel) {
    TraceRequest request = traceUnary(inputs, kernel);
    if (!request) return std::nullopt;
    const auto* second = inputs.tensor(1);
    if (second == nullptr)
        request->shape.push_back(1);
    else if (*second != inputs.dims[0])
        return std::nullopt;
    return request;
}

/// Along the last axis.
TraceRequest traceRows(const TraceInputs& inputs, std::string_view kernel) {
    const auto* tensor = inputs.tensor(0);
    if (tensor == nullptr) return std::nullopt;
    return KernelRequest{
        std::string(kernel), {productOfSizes(*tensor, tensor->size() - 1), tensor->back()}, inputs.dtype(0)};
}

/// Causal attention of a whole prompt: query, key, value, share of dropout, whether causal.
TraceRequest traceAttention(const TraceInputs& inputs, std::string_view kernel) {
    const auto* query = inputs.tensor(0, 4);
    const auto* key = inputs.tensor(1, 4);
    const bool isCausal = inputs.values.size() > 4 && lowered(inputs.values[4]) == "true";
    if (query == nullptr || key == nullptr || !isCausal || (*query)[2] != (*key)[2]) return std::nullopt;
    return KernelRequest{
        std::string(kernel), {(*query)[0], (*query)[1], (*key)[1], (*query)[2], (*query)[3]}, inputs.dtype(0)};
}

/// An operator of PyTorch and the kernel that it is.
struct TraceOperator {
    std::string_view name, kernel;
    TraceRequest (*request)(const TraceInputs& inputs, std::string_view kernel);
};
constexpr std::array<TraceOperator, 26> kTraceOperators{
    {{"aten::mm", "gemm", traceProduct<0>},
     {"aten::addmm", "gemm", traceProduct<1>},
     {"aten::linear", "gemm", traceLinear},
     {"aten::bmm", "batched_gemm", traceBatched<0>},
     {"aten::baddbmm", "batched_gemm", traceBatched<1>},
     {"aten::convolution", "conv", traceConvolution},
     {"aten::_convolution", "conv", traceConvolution},
     {"aten::conv2d", "conv", traceConv<4, 3, 6>},
     {"aten::cudnn_convolution", "conv", traceConv<2, 3, 5>},
     {"aten::relu", "relu", traceUnary},
     {"aten::relu_", "relu", traceUnary},
     {"aten::tanh", "tanh", traceUnary},
     {"aten::gelu", "gelu", traceUnary},
     {"aten::add", "add", traceBinary},
     {"aten::add_", "add", traceBinary},
     {"aten::mul", "mul", traceBinary},
     {"aten::mul_", "mul", traceBinary},
     {"aten::div", "div", traceBinary},
     {"aten::div_", "div", traceBinary},
     {"aten::pow", "pow", traceBinary},
     {"aten::softmax", "softmax", traceRows},
     {"aten::_softmax", "softmax", traceRows},
     {"aten::layer_norm", "layernormalization", traceRows},
     {"aten::native_layer_norm", "layernormalization", traceRows},
     {"aten::_scaled_dot_product_flash_attention", "attention", traceAttention},
     {"aten::scaled_dot_product_attention", "attention", traceAttention}}};

/// Text of a member, empty where there is none.
std::string traceText(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// A number that links events, -1 where there is none.
std::int64_t traceLink(const Json& arguments, const char* key) {
    const auto found = arguments.find(key);
    if (found == arguments.end() || !found->is_number()) return -1;
    const double number = found->get<double>();
    return number >= 0 && number < 9e15 ? static_cast<std::int64_t>(number) : -1;
}

/// Sizes, types and values that an operator's event lists.
TraceInputs traceInputs(const Json& arguments) {
    TraceInputs inputs;
    if (const auto dims = arguments.find("Input Dims"); dims != arguments.end() && dims->is_array())
        for (const Json& each : *dims) {
            std::vector<double>& sizes = inputs.dims.emplace_back();
            if (!each.is_array()) continue;
            for (const Json& size : each)
                if (size.is_number()) sizes.push_back(size.get<double>());
        }
    for (const char* key : {"Input type", "Input Types"})
        if (const auto types = arguments.find(key); types != arguments.end() && types->is_array())
            for (const Json& each : *types) inputs.types.push_back(each.is_string() ? each.get<std::string>() : "");
    if (const auto values = arguments.find("Concrete Inputs"); values != arguments.end() && values->is_array())
        for (const Json& each : *values) inputs.values.push_back(each.is_string() ? each.get<std::string>() : "");
    return inputs;
}

/// An operator that ran on the host, and how long the kernels that it launched took.
struct TraceLaunch {
    std::string name;
    const Json* arguments;
    std::int64_t event = 0;  ///< 1-based
    double seconds = 0;
};

class TraceText {
public:
    TraceText(const Json& events, KernelTableMaker& maker) : maker_(maker) {
        std::int64_t number = 0;
        for (const Json& event : events) seeHost(event, ++number);
        number = 0;
        for (const Json& event : events) seeKernel(event, ++number);
        for (const auto& [link, launch] : launches_)
            if (launch.seconds > 0) add(launch);
    }

private:
    void seeHost(const Json& event, std::int64_t number) {
        poll();
        const auto arguments = event.is_object() ? event.find("args") : event.end();
        if (!event.is_object() || arguments == event.end() || !arguments->is_object()) return;
        const std::string category = traceText(event, "cat");
        const std::int64_t link = traceLink(*arguments, "External id");
        if (category == "cpu_op" && link >= 0)
            launches_.try_emplace(link, TraceLaunch{traceText(event, "name"), &*arguments, number});
        if (category == "cuda_runtime" || category == "cuda_driver" || category == "hip_runtime")
            if (const std::int64_t call = traceLink(*arguments, "correlation"); call >= 0 && link >= 0)
                calls_.try_emplace(call, link);
    }

    void seeKernel(const Json& event, std::int64_t number) {
        poll();
        if (!event.is_object() || traceText(event, "cat") != "kernel") return;
        const auto duration = event.find("dur");
        const double took = duration != event.end() && duration->is_number() ? duration->get<double>() : 0;
        if (!(took > 0)) return maker_.skip(number, "a kernel has no duration above 0");
        TraceLaunch* launch = launchOf(event);
        if (launch == nullptr)
            return maker_.skip(number, fmt::format("the kernel {} has no operator that says its sizes",
                                                   inQuotes(traceText(event, "name"))));
        launch->seconds += took * kTraceUnit;
    }

    /// The operator of a kernel: by the call that launched it, else by the kernel's own link.
    TraceLaunch* launchOf(const Json& event) {
        const auto arguments = event.find("args");
        if (arguments == event.end() || !arguments->is_object()) return nullptr;
        const auto call = calls_.find(traceLink(*arguments, "correlation"));
        const std::int64_t link = call != calls_.end() ? call->second : traceLink(*arguments, "External id");
        const auto found = launches_.find(link);
        return found == launches_.end() ? nullptr : &found->second;
    }

    void add(const TraceLaunch& launch) {
        const auto* known = std::find_if(kTraceOperators.begin(), kTraceOperators.end(),
                                         [&](const TraceOperator& each) { return each.name == launch.name; });
        if (known == kTraceOperators.end())
            return maker_.skip(launch.event,
                               fmt::format("the operator {} is no kernel that is known", inQuotes(launch.name)));
        const TraceRequest request = known->request(traceInputs(*launch.arguments), known->kernel);
        if (!request)
            return maker_.skip(launch.event,
                               fmt::format("the inputs of {} do not say its sizes", inQuotes(launch.name)));
        maker_.add(*request, launch.seconds, launch.event);
    }

    KernelTableMaker& maker_;
    std::map<std::int64_t, TraceLaunch> launches_;  ///< by External id
    std::map<std::int64_t, std::int64_t> calls_;    ///< External id by correlation
};

}  // namespace

bool knowsTrace(std::string_view bytes) {
    const std::string_view head = trimmed(bytes.substr(0, kTraceHead));
    return head.starts_with('{') || head.starts_with('[');
}

ReadMeasurements readTrace(std::string_view bytes, const std::string& file) {
    const JsonDocument document = JsonDocument::parse(std::string(bytes), file);
    const JsonNode root = document.root();
    const JsonNode events = root.isArray() ? root : root.at("traceEvents");
    if (!events.isArray()) events.fail("a list of events");
    KernelTableMaker maker("pytorch", file, "event");
    (void)TraceText(events.json(), maker);
    return maker.done();
}

}  // namespace tessera::physical
