#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/study/result.h"

namespace tessera::study {

/// Explanation of a number: formula, its inputs with units and their own sources, and the paper behind it.
struct Explanation {
    struct Term {
        std::string name;       ///< "network rate of one v3"
        std::string value;      ///< "16 Gb/s"
        std::string whereFrom;  ///< "fleet accpar-heterogeneous, datasheet: …", "result", "parameter batch"
    };
    std::string title;    ///< "Step time of accpar"
    std::string value;    ///< "36.2 ms"
    std::string exact;    ///< full precision, in the base unit: "0.036199999 s"
    std::string formula;  ///< one line, readable: "max over accelerators of (transfers on its path + its compute)"
    std::vector<Term> terms;
    std::string source;              ///< "AccPar (HPCA 2020), section 4.3, Table 6"
    std::vector<std::string> notes;  ///< assumptions that this number rests on
};

/// Explains the number at a path: every `Metric::name`, and what else the engine explains, such as inside a plan
/// "STRATEGY/levels[L]/ratio|objective_s|lower_bound_s", "STRATEGY/levels[L]/layers[K]/compute_s|intra_s|inter_s|type",
/// "STRATEGY/per_accelerator[K]/compute_s|communication_s|memory_bytes". Empty where there is no such number.
std::optional<Explanation> explain(const Result& result, const std::string& path);

}  // namespace tessera::study
