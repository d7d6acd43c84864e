#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace tessera::model {

/// Optimizer of a network's weights.
enum class Optimizer : std::uint8_t { sgd, momentum, adam, mixedAdam, adamw, lamb, lars, rmsprop, adadelta };

/// One optimizer: a row of the table.
struct OptimizerKind {
    Optimizer optimizer = Optimizer::adam;
    std::string_view id;              ///< "adam": in studies and in tables of measured runs
    std::string_view title = {};      ///< "Adam"
    std::string_view update = {};     ///< type of the operator that updates one parameter; empty: graphs have none
    std::string_view published = {};  ///< in the files of the published placement program; empty: not there
    std::size_t states = 0;           ///< tensors as large as the parameter that are kept between steps
    double words = 0;    ///< of 4 bytes moved for a parameter where one kernel does all; 0: no run is timed with it
    double kernels = 0;  ///< for a tensor where each operation is one; each moves 3 words
};

/// All optimizers, in the order of the enum.
inline constexpr std::array<OptimizerKind, 9> kOptimizers{{
    {Optimizer::sgd, "sgd", "Gradient descent", "SgdUpdate", "SGD", 0, 5, 3},
    {Optimizer::momentum, "momentum", "Gradient descent with momentum", "MomentumUpdate", "Momentum", 1, 5, 3},
    {Optimizer::adam, "adam", "Adam", "AdamUpdate", "Adam", 2, 7, 9},
    {.optimizer = Optimizer::mixedAdam, .id = "mixed-adam", .published = "MixedPrecisionAdam", .states = 2},
    {.optimizer = Optimizer::adamw, .id = "adamw", .states = 2, .words = 7, .kernels = 10},
    {.optimizer = Optimizer::lamb, .id = "lamb", .states = 2, .words = 9, .kernels = 14},
    {.optimizer = Optimizer::lars, .id = "lars", .states = 1, .words = 7, .kernels = 8},
    {.optimizer = Optimizer::rmsprop, .id = "rmsprop", .states = 1, .words = 7, .kernels = 8},
    {.optimizer = Optimizer::adadelta, .id = "adadelta", .states = 2, .words = 7, .kernels = 9},
}};

constexpr const OptimizerKind& optimizerKind(Optimizer optimizer) {
    return kOptimizers.at(static_cast<std::size_t>(optimizer));
}

/// Those that training graphs update with: of the studies of models.
constexpr std::span<const OptimizerKind> optimizerKinds() {
    return std::span(kOptimizers).first(3);
}

}  // namespace tessera::model
