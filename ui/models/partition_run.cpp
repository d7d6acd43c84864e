#include "ui/models/partition_run.h"

#include <fmt/format.h>

#include <QDir>
#include <QStandardPaths>
#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <variant>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/hardware/library.h"
#include "core/partition/array.h"
#include "core/report/partition_report.h"
#include "core/report/report_document.h"
#include "core/study/metric.h"
#include "core/study/partition/outcome.h"
#include "ui/models/text.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

const partition::Plan& PartitionRun::plan(int index) const {
    return outcome().result.plans.at(static_cast<std::size_t>(index));
}

int PartitionRun::planCount() const {
    if (isEmpty() || result().outcome.as<study::PartitionOutcome>() == nullptr) return 0;
    return static_cast<int>(outcome().result.plans.size());
}

int PartitionRun::bestPlan() const {
    return static_cast<int>(&report::bestPlan(outcome()) - outcome().result.plans.data());
}

int PartitionRun::planNamed(const QString& strategy) const {
    for (int index = 0; index < planCount(); ++index)
        if (this->strategy(index) == strategy) return index;
    return -1;
}

QString PartitionRun::strategy(int plan) const {
    return shownText(this->plan(plan).strategy);
}

QString PartitionRun::layerName(std::int32_t layer) const {
    const std::vector<std::string>& names = outcome().result.names;
    const auto index = static_cast<std::size_t>(layer);
    return index < names.size() ? shownText(names[index]) : QString();
}

QString PartitionRun::splitTitle(int plan, int split) const {
    const partition::LevelPlan& level = this->plan(plan).levels.at(static_cast<std::size_t>(split));
    QString title = u"Level %1 · %2 · %3 accelerators"_s.arg(level.level)
                        .arg(shownText(level.group), countText(level.accelerators));
    if (level.occurrences > 1) title += u" · same for %1 subgroups"_s.arg(countText(level.occurrences));
    return title;
}

PartitionPins pinsOf(const study::Study& study) {
    PartitionPins pins;
    const Json none = Json::object();
    const auto given = [&](const char* name) -> const Json& {
        return study.parameters->contains(name) ? study.parameters->at(name) : none;
    };
    for (const auto& [layer, type] : given("pin").items())
        for (const partition::Type each : {partition::Type::I, partition::Type::II, partition::Type::III})
            if (type == partition::nameOf(each)) pins.types[layer] = each;
    for (const auto& [text, ratio] : given("pin_ratio").items()) {
        int level = 0;
        std::from_chars(text.data(), text.data() + text.size(), level);
        if (ratio.is_number()) pins.ratios[level] = ratio.get<double>();
    }
    return pins;
}

study::Study withPins(study::Study study, const PartitionPins& pins) {
    Json types = Json::object();
    for (const auto& [layer, type] : pins.types) types[layer] = partition::nameOf(type);
    Json ratios = Json::object();
    for (const auto& [level, ratio] : pins.ratios) ratios[std::to_string(level)] = ratio;
    study.parameters["pin"] = std::move(types);
    study.parameters["pin_ratio"] = std::move(ratios);
    return study;
}

QString studyWithAllGroups(study::Study study) {
    const QDir folder(QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) + u"/tessera"_s);
    folder.mkpath(u"studies"_s);
    const QString file = folder.filePath(u"studies/%1-%2-all-groups.json"_s.arg(fileStem(toQt(study.models.at(0))),
                                                                                fileStem(toQt(study.hardware.at(0)))));
    study.name.clear();
    study.parameters["groups"] = "all";
    // Pinned ratios speak of splits that are gone.
    study.parameters["pin_ratio"] = Json::object();
    writeFile(file.toStdString(), toText(study::toJson(study)));
    return file;
}

QString typeTitle(partition::Type type) {
    switch (type) {
        case partition::Type::I:
            return u"Type I: batch"_s;
        case partition::Type::II:
            return u"Type II: input channels"_s;
        case partition::Type::III:
            return u"Type III: output channels"_s;
    }
    return {};
}

QStringList memorySentences(const PartitionRun& run, int plan) {
    QStringList sentences;
    for (const std::string& sentence : report::memoryAdvice(run.result(), run.plan(plan))) sentences << toQt(sentence);
    return sentences;
}

}  // namespace tessera::ui
