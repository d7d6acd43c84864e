#include "core/study/exploration/shared_points.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/ranks/message.h"
#include "core/study/exploration/definition.h"
#include "core/study/exploration/settings.h"
#include "core/study/exploration/study.h"
#include "core/study/shared_work.h"

namespace tessera::study {

namespace {

constexpr const char* kAnswerOfWorker = "a worker's answer";
constexpr std::size_t kMostOfFiles = 1'000'000;

class PointsDoer : public ranks::TaskDoer {
public:
    explicit PointsDoer(const std::string& setup) {
        ranks::Unpacker contents(setup, "the setup of an exploration");
        const std::string study = contents.text();
        files_ = unpackedInputs(contents);
        contents.end();
        files_->keepMade(kMostMadeOfInputs);
        const InputScope inputs(files_);
        definition_ = definitionOf(readStudy(JsonDocument::parse(study, "the study of rank 0").root()));
        space_.emplace(definition_.base, definition_.variables);
        evaluator_.emplace(definition_, *space_, files_);
    }

    std::optional<std::string> answer(const std::string& question, const RunControl& control) override {
        ranks::Unpacker contents(question, "a task");
        const bool keepsWhole = contents.whole(1) == 1;
        explore::Point point(contents.whole(kMostOfFiles));
        for (double& value : point) value = contents.real();
        contents.end();
        const EvaluatedPoint found = evaluator_->evaluate(point, control, keepsWhole);
        // What cannot be evaluated here is for the process to say whose errors and files count.
        if (found.fault == PointFault::broken) return std::nullopt;
        KeptState state;
        state.add(point, found);
        const Json json = state.json();
        return ranks::Packer()
            .text(json.at("metrics").dump())
            .text(json.at("points").get_ref<const std::string&>())
            .text(found.document ? (*found.document)->dump() : "")
            .bytes();
    }

private:
    std::shared_ptr<InputFiles> files_;
    ExplorationDefinition definition_;
    std::optional<ExploredSpace> space_;
    std::optional<PointEvaluator> evaluator_;
};

}  // namespace

std::shared_ptr<const ranks::Setup> sharedSetup(const Study& exploration, const InputFiles& files, unsigned threads) {
    ranks::Packer packed;
    packed.text(toJson(exploration).dump());
    packInputs(packed, files);
    return std::make_shared<const ranks::Setup>(
        ranks::Setup{kPointsOfExploration, packed.bytes(), threads == 0 ? 0 : threadCount(threads)});
}

std::unique_ptr<ranks::TaskDoer> sharedPointsDoer(const std::string& setup) {
    return std::make_unique<PointsDoer>(setup);
}

std::string questionOf(const explore::Point& point, bool keepsWhole) {
    ranks::Packer packed;
    packed.whole(keepsWhole ? 1 : 0).whole(point.size());
    for (const double value : point) packed.real(value);
    return packed.bytes();
}

EvaluatedPoint SharedAnswers::read(const explore::Point& point, const std::string& answer) {
    ranks::Unpacker contents(answer, kAnswerOfWorker);
    std::string metrics = contents.text();
    const std::string points = contents.text(), document = contents.text();
    contents.end();
    if (metrics != known_ || known_.empty()) {
        places_ = readKeptMetrics(JsonDocument::parse(metrics, kAnswerOfWorker).root(), metrics_);
        known_ = std::move(metrics);
    }
    KeptPoints kept = readKeptPoints(points, kAnswerOfWorker, places_, space_, objectives_);
    if (kept.size() != 1 || kept.front().first != point)
        throw DataError({.where = kAnswerOfWorker}, "another point", "the one that it was asked for");
    EvaluatedPoint found = std::move(kept.front().second);
    if (!document.empty())
        found.document = std::make_shared<HeldJson>(JsonDocument::parse(document, kAnswerOfWorker).json());
    return found;
}

}  // namespace tessera::study
