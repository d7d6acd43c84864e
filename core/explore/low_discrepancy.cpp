// Samples that fill the space evenly.
#include <algorithm>
#include <utility>

#include "core/explore/latin_hypercube.h"
#include "core/explore/method_rows.h"
#include "core/explore/session.h"
#include "core/explore/sobol_sequence.h"

namespace tessera::explore {

namespace {

void runLatinHypercube(const MethodProblem& problem, const EvaluatePoints& evaluate) {
    Session session(problem, evaluate);
    session.begin();
    if (session.isOver()) return;
    const std::vector<std::vector<double>> design =
        spreadHypercube(static_cast<std::size_t>(session.left()), problem.variables, problem.seed);
    for (std::size_t i = 0; i < design.size() && !session.isOver(); i += kBlock) {
        std::vector<Point> block;
        for (std::size_t k = i; k < std::min(design.size(), i + kBlock); ++k)
            block.push_back(pointAt(problem.variables, design[k]));
        session.evaluate(std::move(block));
    }
}

void runSobol(const MethodProblem& problem, const EvaluatePoints& evaluate) {
    Session session(problem, evaluate);
    session.begin();
    SobolSequence sequence(problem.variables.size(), problem.seed);
    while (!session.isOver()) {
        std::vector<Point> block;
        const auto size = static_cast<std::size_t>(std::min(session.left(), static_cast<std::int64_t>(kBlock)));
        while (block.size() < size) block.push_back(pointAt(problem.variables, sequence.next()));
        session.evaluate(std::move(block));
    }
}

}  // namespace

Method latinHypercubeMethod() {
    return {.id = "latin-hypercube",
            .title = "Latin hypercube",
            .help = "A sample with one point in each of as many equal parts of every variable",
            .kind = Method::Kind::sample,
            .run = runLatinHypercube,
            .count = countAll};
}

Method sobolMethod() {
    return {.id = "sobol",
            .title = "Sobol sequence",
            .help = "A sample that fills the space evenly, best with 64, 128, 256, … points",
            .kind = Method::Kind::sample,
            .run = runSobol,
            .count = countAll};
}

}  // namespace tessera::explore
