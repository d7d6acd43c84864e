#include "core/reproduce/shared_figures.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/parallel.h"
#include "core/ranks/message.h"
#include "core/study/shared_work.h"

namespace tessera::study {

namespace {

constexpr const char* kFiguresOfPapers = "figures of papers";
constexpr const char* kFigureOfWorker = "a worker's figure";
constexpr std::uint64_t kNoCostModel = 255;

class FiguresDoer : public ranks::TaskDoer {
public:
    explicit FiguresDoer(const std::string& setup) {
        ranks::Unpacker contents(setup, "the setup of figures");
        if (const std::uint64_t model = contents.whole(kNoCostModel); model != kNoCostModel)
            options_.costModel = static_cast<partition::CostModel>(model);
        options_.budget = contents.real();
        options_.cache = contents.text();
        contents.end();
    }

    std::optional<std::string> answer(const std::string& question, const RunControl& control) override {
        const Reproduction figure = reproduce(question, options_, control.ofOnePart());
        control.throwIfCancelled("the recomputation");
        return toJson(figure).dump();
    }

private:
    ReproductionOptions options_;
};

}  // namespace

ranks::WorkKinds allSharedWork() {
    ranks::WorkKinds kinds = sharedWork();
    kinds.emplace(kFiguresOfPapers, sharedFiguresDoer);
    return kinds;
}

std::shared_ptr<const ranks::Setup> sharedFigures(const ReproductionOptions& options, unsigned threads) {
    ranks::Packer packed;
    packed.whole(options.costModel ? static_cast<std::uint64_t>(*options.costModel) : kNoCostModel)
        .real(options.budget)
        .text(options.cache.string());
    return std::make_shared<const ranks::Setup>(
        ranks::Setup{kFiguresOfPapers, packed.bytes(), threads == 0 ? 0 : threadCount(threads)});
}

std::unique_ptr<ranks::TaskDoer> sharedFiguresDoer(const std::string& setup) {
    return std::make_unique<FiguresDoer>(setup);
}

Reproduction figureIn(const std::string& answer, std::string_view name) {
    Reproduction figure = readReproduction(JsonDocument::parse(answer, kFigureOfWorker).root());
    if (figure.name != name) throw DataError({.where = kFigureOfWorker}, figure.name, std::string(name));
    return figure;
}

}  // namespace tessera::study
