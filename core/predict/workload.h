#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/shared.h"
#include "core/model/model.h"
#include "core/model/operators/operator_table.h"
#include "core/model/training.h"
#include "core/physical/network_operators.h"
#include "core/physical/training_run.h"
#include "core/predict/prediction.h"

namespace tessera::predict {

/// A quantity of one step as a function of the batch: what carries the batch grows with it, the rest stays.
struct Affine {
    double fixed = 0;
    double perSample = 0;
    double at(double batch) const { return fixed + perSample * batch; }
    bool operator==(const Affine&) const = default;
    Affine& operator+=(const Affine& other) {
        fixed += other.fixed;
        perSample += other.perSample;
        return *this;
    }
};

/// The name and sizes under which tables of measured kernels know an operator. Without a name no kernel is like it.
struct KernelShape {
    std::string kernel;  ///< "gemm", "conv", "relu_gradient", …
    std::vector<Affine> sizes;

    bool operator==(const KernelShape&) const = default;
};

struct StepOperator {
    std::string name;
    SharedText type;
    model::Phase phase = model::Phase::forward;
    model::OperatorClass group = model::OperatorClass::vector;
    std::int32_t source = -1;  ///< the forward operator that it is of; -1 where none
    Affine matrixFlops, vectorFlops;
    Affine bytes;                                     ///< read and written
    Shared<std::array<Affine, kCategories>> traffic;  ///< the same by Category
    bool free = false;                                ///< relabels its input: takes no time and no memory
    Shared<KernelShape> kernel;
};

/// A tensor with storage of its own, from the operator that makes it to the last one that reads it.
struct StepTensor {
    Category category = Category::inputOutput;
    Affine bytes;
    std::int32_t birth = 0;  ///< positions in the schedule, both included
    std::int32_t death = 0;
    std::int32_t source = -1;  ///< the forward operator by whose stage it lies
    bool isScore = false;      ///< of attention: fused kernels make it again instead of storing it
};

/// Number formats of training.
struct Precision {
    std::string dtype = "fp16";
    double bytes = 2;    ///< of one stored float
    bool master = true;  ///< a float32 copy of every parameter (mixed precision)
};
/// Bytes of one number of the optimizer's state and of a master copy, which are float32 whatever the parameters are: in
/// memory as in what an update reads and writes.
inline constexpr double kStateBytes = 4;
/// Throws UsageError for a data type of unknown width. Master copies belong to types narrower than 4
/// bytes.
Precision precisionOf(std::string_view dtype);

/// One step of training of a model, reduced to what time and memory depend on.
struct Workload {
    std::string name;
    Precision precision;
    model::Optimizer optimizer = model::Optimizer::adam;
    std::vector<StepOperator> operators;  ///< forward, backward, update: the order of the schedule
    std::vector<StepTensor> tensors;
    physical::NetworkWork kernels;  ///< of the same operators, for the physical model
    /// The model and dimensions of a transformer that the physical model knows as a whole; else it goes by `kernels`.
    std::optional<physical::TrainingRun> transformer = {};
    double parameters = 0;
    double gradientBytes = 0;  ///< what data parallelism sums
    /// Bytes of the activations of one sample that operators after each forward operator read, which is what goes to
    /// the next device where the model is cut there.
    std::vector<double> crossing;
    double layerInput = 0;    ///< elements of all inputs, one sample
    double layerOutput = 0;   ///< elements that operators of the forward pass make, one sample
    double largestLayer = 0;  ///< elements that one of them reads and makes, one sample
    std::vector<std::string> warnings;
    std::vector<std::string> assumptions;

    double flops(double batch) const;
};

/// Throws DataError where the model is no operator graph or a shape that counts is unknown.
Workload workloadOf(const model::Model& model, const Precision& precision, model::Optimizer optimizer);

}  // namespace tessera::predict
