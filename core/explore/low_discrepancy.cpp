// Samples that fill the space evenly.
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
    session.evaluateGroups(design.size(),
                           [&](std::size_t i) { return std::vector<Point>{pointAt(problem.variables, design[i])}; });
}

void runSobol(const MethodProblem& problem, const EvaluatePoints& evaluate) {
    Session session(problem, evaluate);
    session.begin();
    SobolSequence sequence(problem.variables.size(), problem.seed);
    session.evaluateGroups(static_cast<std::size_t>(session.left()), [&](std::size_t) {
        return std::vector<Point>{pointAt(problem.variables, sequence.next())};
    });
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
