#pragma once

#include "core/explore/method.h"

/// The rows of the table of methods, each made where its method is.
namespace tessera::explore {

Method gridMethod();
Method listMethod();
Method randomMethod();
Method latinHypercubeMethod();
Method sobolMethod();
Method nsga2Method();
Method moeadMethod();
Method differentialMethod();
Method cmaesMethod();
Method bayesMethod();
Method morrisMethod();
Method sobolIndicesMethod();

/// Number of points of a method that spends its whole budget.
std::int64_t countAll(const MethodProblem& problem);
/// The same, of a method that asks for no point twice.
std::int64_t countDifferent(const MethodProblem& problem);

}  // namespace tessera::explore
