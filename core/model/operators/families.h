#pragma once

#include <vector>

#include "core/model/operators/operator_table.h"

/// The families of operators that make up the table, in the table's order.
namespace tessera::model {

std::vector<OperatorKind> elementwiseKinds();
std::vector<OperatorKind> matrixKinds();
std::vector<OperatorKind> poolingKinds();
std::vector<OperatorKind> normalisationKinds();
std::vector<OperatorKind> reductionKinds();
std::vector<OperatorKind> shapingKinds();
std::vector<OperatorKind> indexingKinds();
std::vector<OperatorKind> generatorKinds();
std::vector<OperatorKind> gradientKinds();

}  // namespace tessera::model
