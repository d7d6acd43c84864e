#pragma once

#include <QString>
#include <memory>
#include <vector>

#include "core/report/catalogue.h"
#include "core/report/prediction_pictures.h"
#include "core/study/prediction/study.h"
#include "ui/models/engine_run.h"

namespace tessera::ui {

/// Finished predictions, at least one.
class PredictionRun : public EngineRun<study::PredictionOutcome> {
public:
    PredictionRun() = default;
    explicit PredictionRun(std::shared_ptr<const study::Result> result);

    int accelerators() const { return isEmpty() ? 0 : static_cast<int>(derived_->accelerators.size()); }
    const report::PredictedAccelerator& accelerator(int index) const;
    int acceleratorNamed(const QString& id) const;  ///< -1 = none
    int counts() const { return isEmpty() ? 0 : static_cast<int>(derived_->counts.size()); }
    std::int64_t devices(int count) const;    ///< the device counts, rising
    int countOf(std::int64_t devices) const;  ///< -1 = none

    int predictions() const { return isEmpty() ? 0 : static_cast<int>(outcome().predictions.size()); }
    const predict::Prediction& prediction(int index) const;
    int predictionOf(int accelerator, int count) const;  ///< -1 = none
    /// "gaudi2@8": how metrics name a prediction.
    QString name(int prediction) const;
    QString acceleratorName(int index) const;
    QString devicesText(int count) const;  ///< "8 devices"
    /// See study::operatorsOf.
    const std::vector<predict::AlikeOperators>& operators(int prediction) const;

private:
    struct Derived {
        std::vector<report::PredictedAccelerator> accelerators;
        std::vector<std::int64_t> counts;
    };
    std::shared_ptr<const Derived> derived_;
};

/// Choice shared by the parts of a prediction view, so that one choice moves all.
struct PredictionChoice {
    PredictionRun run;
    int accelerator = 0;
    int count = 0;                            ///< which number of devices
    int op = -1;                              ///< of the operators; -1 = none
    std::vector<std::size_t> operators = {};  ///< of the chosen prediction, by falling time

    int prediction() const { return run.predictionOf(accelerator, count); }
    const predict::Prediction& chosen() const { return run.prediction(prediction()); }
    std::int64_t devices() const { return run.devices(count); }
    /// Selection for the catalogue of pictures.
    report::Selection selection() const {
        return {.choice = prediction() < 0 ? std::string() : study::nameOf(chosen())};
    }
};

using SharedPredictionChoice = std::shared_ptr<PredictionChoice>;

}  // namespace tessera::ui
