#include "ui/models/prediction_run.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "core/base/number.h"
#include "core/base/units.h"
#include "core/study/prediction/study.h"
#include "ui/models/partition_run.h"
#include "ui/models/text.h"

namespace tessera::ui {

PredictionRun::PredictionRun(std::shared_ptr<const study::Result> result)
    : EngineRun(std::move(result)),
      derived_(std::make_shared<const Derived>(
          Derived{report::acceleratorsOf(outcome()), report::deviceCountsOf(outcome())})) {}

const report::PredictedAccelerator& PredictionRun::accelerator(int index) const {
    return derived_->accelerators.at(toIndex(index));
}

int PredictionRun::acceleratorNamed(const QString& id) const {
    for (int index = 0; index < accelerators(); ++index)
        if (toQt(accelerator(index).id) == id) return index;
    return -1;
}

std::int64_t PredictionRun::devices(int count) const {
    return derived_->counts.at(toIndex(count));
}

int PredictionRun::countOf(std::int64_t devices) const {
    for (int count = 0; count < counts(); ++count)
        if (this->devices(count) == devices) return count;
    return -1;
}

const predict::Prediction& PredictionRun::prediction(int index) const {
    return outcome().predictions.at(toIndex(index));
}

int PredictionRun::predictionOf(int accelerator, int count) const {
    if (accelerator < 0 || accelerator >= accelerators() || count < 0 || count >= counts()) return -1;
    const predict::Prediction* found =
        report::predictionOf(outcome(), this->accelerator(accelerator).id, devices(count));
    return found == nullptr ? -1 : static_cast<int>(found - outcome().predictions.data());
}

QString PredictionRun::name(int prediction) const {
    return toQt(study::nameOf(this->prediction(prediction)));
}

QString PredictionRun::acceleratorName(int index) const {
    return shownText(accelerator(index).id);
}

QString PredictionRun::devicesText(int count) const {
    return counted(devices(count), "device", "devices");
}

const std::vector<predict::AlikeOperators>& PredictionRun::operators(int prediction) const {
    return study::operatorsOf(outcome(), this->prediction(prediction));
}

}  // namespace tessera::ui
