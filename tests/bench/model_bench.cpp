// How long a large ONNX model takes to load and GPT-3 to expand to its training, and what memory.
#include <benchmark/benchmark.h>
#include <onnx/onnx_pb.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <vector>

#include "core/model/model.h"
#include "core/model/training.h"
#include "core/model/zoo/zoo.h"
#include "tests/bench/target.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kBlocks = 80, kWidth = 8192, kKeyWidth = 1024, kInner = 28672, kWords = 32000, kPositions = 2048;
constexpr std::int64_t kParameters =
    2 * kWords * kWidth + kWidth +
    kBlocks * (2 * kWidth * kWidth + 2 * kWidth * kKeyWidth + 3 * kWidth * kInner + 2 * kWidth);

/// A decoder of Llama 2's 70-billion-parameter shape (Touvron et al. 2023, arXiv:2307.09288), as an exporter writes it,
/// its weights declared and their data left out.
class Decoder {
public:
    Decoder() {
        model_.set_ir_version(8);
        model_.add_opset_import()->set_version(17);
        graph().set_name("decoder-70b");
        auto& input = *graph().add_input();
        input.set_name("tokens");
        auto& type = *input.mutable_type()->mutable_tensor_type();
        type.set_elem_type(onnx::TensorProto::INT64);
        type.mutable_shape()->add_dim()->set_dim_param("N");
        type.mutable_shape()->add_dim()->set_dim_value(kPositions);
        shape("heads", {0, 0, 8, 8, 128});
        shape("key-heads", {0, 0, 8, 1, 128});
        shape("joined", {0, 0, kWidth});
        scalar("two", 2.0F);
        scalar("epsilon", 1e-5F);
        scalar("scale", 0.0883883F);
    }

    std::string bytes() {
        std::string stream = node("Gather", {weight("embedding", {kWords, kWidth}), "tokens"});
        for (std::int64_t block = 0; block < kBlocks; ++block)
            stream = addBlock(stream, "b" + std::to_string(block) + ".");
        const std::string words = node("MatMul", {norm(stream, "last."), weight("words", {kWidth, kWords})});
        graph().add_output()->set_name(words);
        return model_.SerializeAsString();
    }

private:
    onnx::GraphProto& graph() { return *model_.mutable_graph(); }

    std::string weight(const std::string& name, std::initializer_list<std::int64_t> dimensions) {
        auto& tensor = *graph().add_initializer();
        tensor.set_name(name);
        tensor.set_data_type(onnx::TensorProto::FLOAT16);
        for (const auto size : dimensions) tensor.add_dims(size);
        tensor.set_data_location(onnx::TensorProto::EXTERNAL);
        auto& location = *tensor.add_external_data();
        location.set_key("location");
        location.set_value("weights.bin");
        return name;
    }

    void shape(const std::string& name, const std::vector<std::int64_t>& sizes) {
        auto& tensor = *graph().add_initializer();
        tensor.set_name(name);
        tensor.set_data_type(onnx::TensorProto::INT64);
        tensor.add_dims(static_cast<std::int64_t>(sizes.size()));
        for (const auto size : sizes) tensor.add_int64_data(size);
    }

    /// A Constant node, as exporters write numbers.
    void scalar(const std::string& name, float value) {
        auto& node = *graph().add_node();
        node.set_op_type("Constant");
        node.add_output(name);
        auto& attribute = *node.add_attribute();
        attribute.set_name("value_float");
        attribute.set_type(onnx::AttributeProto::FLOAT);
        attribute.set_f(value);
    }

    std::string node(const std::string& type, const std::vector<std::string>& inputs, const std::string& list = "",
                     const std::vector<std::int64_t>& values = {}) {
        auto& node = *graph().add_node();
        const std::string output = "t" + std::to_string(++tensors_);
        node.set_op_type(type);
        node.set_name("/" + type + "_" + output);
        for (const auto& input : inputs) node.add_input(input);
        node.add_output(output);
        if (list.empty()) return output;
        auto& attribute = *node.add_attribute();
        attribute.set_name(list);
        attribute.set_type(onnx::AttributeProto::INTS);
        for (const auto value : values) attribute.add_ints(value);
        return output;
    }

    std::string norm(const std::string& input, const std::string& name) {
        const std::string mean = node("ReduceMean", {node("Pow", {input, "two"})}, "axes", {-1});
        const std::string root = node("Sqrt", {node("Add", {mean, "epsilon"})});
        return node("Mul", {node("Div", {input, root}), weight(name + "norm", {kWidth})});
    }

    std::string addBlock(const std::string& input, const std::string& block) {
        const std::string x = norm(input, block + "1.");
        const auto projected = [&](const char* name, std::int64_t width, const char* heads,
                                   const std::vector<std::int64_t>& order) {
            const std::string flat = node("MatMul", {x, weight(block + name, {kWidth, width})});
            return node("Transpose", {node("Reshape", {flat, heads})}, "perm", order);
        };
        const std::string query = projected("q", kWidth, "heads", {0, 2, 3, 1, 4});
        const std::string key = projected("k", kKeyWidth, "key-heads", {0, 2, 3, 4, 1});
        const std::string value = projected("v", kKeyWidth, "key-heads", {0, 2, 3, 1, 4});
        const std::string scores = node("Softmax", {node("Mul", {node("MatMul", {query, key}), "scale"})});
        const std::string seen = node("Transpose", {node("MatMul", {scores, value})}, "perm", {0, 3, 1, 2, 4});
        const std::string joined = node("Reshape", {seen, "joined"});
        const std::string middle =
            node("Add", {input, node("MatMul", {joined, weight(block + "o", {kWidth, kWidth})})});

        const std::string y = norm(middle, block + "2.");
        const std::string gate = node("MatMul", {y, weight(block + "gate", {kWidth, kInner})});
        const std::string up = node("MatMul", {y, weight(block + "up", {kWidth, kInner})});
        const std::string inner = node("Mul", {node("Mul", {gate, node("Sigmoid", {gate})}), up});
        return node("Add", {middle, node("MatMul", {inner, weight(block + "down", {kInner, kWidth})})});
    }

    onnx::ModelProto model_;
    int tensors_ = 0;
};

double peakMegabytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;
}

void loadsAModelOf70BillionParameters(benchmark::State& state) {
    const fs::path file = fs::temp_directory_path() / "tessera_bench_decoder_70b.onnx";
    std::ofstream(file, std::ios::binary) << Decoder().bytes();
    double longest = 0;
    for (auto _ : state) {
        const auto start = std::chrono::steady_clock::now();
        const model::Model loaded = model::loadModel(file.string());
        longest = std::max(longest, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        if (loaded.graph() == nullptr || model::summarise(*loaded.graph()).parameters != kParameters)
            state.SkipWithError("the model's parameters are not those that were written");
    }
    fs::remove(file);
    state.counters["longest_s"] = longest;
    state.counters["peak_mb"] = peakMegabytes();
    bench::hold(state, {.what = "Loading an ONNX model of 70 billion parameters", .bound = 1}, longest);
    bench::hold(state, {.what = "The program that loads 70 billion parameters", .bound = 300, .unit = "MB"},
                peakMegabytes());
}
BENCHMARK(loadsAModelOf70BillionParameters)->Unit(benchmark::kMillisecond);

/// A step of training of GPT-3: 2,700 operators of the forward pass, 4,000 of the backward pass.
void expandsGpt3ToItsTraining(benchmark::State& state) {
    const model::Graph forward = model::buildZooModel("gpt3-175b");
    double longest = 0;
    for (auto _ : state) {
        const auto start = std::chrono::steady_clock::now();
        const model::TrainingGraph training = model::trainingOf(forward);
        longest = std::max(longest, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        if (training.updates.size() != 1156 || !training.warnings.empty())
            state.SkipWithError("the parameters that are trained are not those of the model");
    }
    bench::hold(state, {.what = "The training graph of GPT-3", .bound = 0.05}, longest);
}
BENCHMARK(expandsGpt3ToItsTraining)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tessera
