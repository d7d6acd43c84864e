#include "ui/workspace/library_data.h"

#include <QMap>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/cost/workload.h"
#include "core/hardware/library.h"
#include "core/hardware/platform.h"
#include "core/model/zoo/zoo.h"
#include "core/report/codesign_pictures.h"
#include "core/study/study.h"
#include "ui/editors/edited_file.h"
#include "ui/models/text.h"
#include "ui/workspace/words.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

/// "128 v2 + 128 v3".
QString groupsText(const hardware::Fleet& fleet) {
    QStringList parts;
    for (const hardware::Group& group : fleet.groups)
        parts.append(countText(group.count) + QLatin1Char(' ') + shown(group.name));
    return parts.mid(0, 8).join(u" + "_s);
}

/// "3 HB + 1 LB".
QString coresText(const hardware::Platform& platform) {
    QStringList parts;
    for (const hardware::SubAccelerator& core : platform.subAccelerators)
        parts.append(countText(core.count) + QLatin1Char(' ') + shown(core.name));
    return parts.mid(0, 8).join(u" + "_s);
}

/// An entry of which no more is known than what its file is called.
LibraryContents::Entry fileEntry(const hardware::LibraryEntry& row) {
    return {.key = shown(row.kind + "/" + row.id),
            .title = row.name.empty() ? shown(row.id) : shown(row.name),
            .aside = {},
            .help = {},
            .problem = shown(row.problem),
            .own = isOwnFile(row.path)};
}

LibraryContents::Entry workloadEntry(const hardware::LibraryEntry& row) {
    LibraryContents::Entry entry = fileEntry(row);
    if (!row.problem.empty()) return entry;
    try {
        const cost::Workload workload = cost::loadWorkload(row.path.string());
        entry.aside = countText(workload.sources.size());
        entry.help = shown(workload.description.empty() ? workload.name : workload.description);
    } catch (const std::exception& error) {
        entry.problem = shown(error.what());
    }
    return entry;
}

LibraryContents::Entry hardwareEntry(const hardware::LibraryEntry& row) {
    LibraryContents::Entry entry = fileEntry(row);
    if (!row.problem.empty()) return entry;
    try {
        if (row.kind == "platform") {
            const hardware::Platform platform = hardware::loadPlatform(row.path.string());
            entry.aside = countText(hardware::coreCount(platform));
            entry.help = coresText(platform);
        } else if (row.kind == "template") {
            const hardware::Template space = hardware::loadTemplate(row.path.string());
            entry.aside = countText(hardware::architectureCount(space));
            entry.help = u"%1 accelerators, the largest of %2"_s.arg(
                entry.aside, toQt(formatQuantity(hardware::areaBound(space).value, Measure::area)));
        } else if (row.kind == "fleet") {
            const hardware::Fleet fleet = hardware::loadFleet(row.path.string());
            entry.aside = countText(hardware::acceleratorCount(fleet));
            entry.help = groupsText(fleet);
        } else {
            const hardware::Accelerator accelerator = hardware::loadAccelerator(row.path.string());
            entry.aside = shown(accelerator.vendor);
            entry.help = shown(accelerator.name);
        }
    } catch (const std::exception& error) {
        entry.problem = shown(error.what());
    }
    return entry;
}

LibraryContents::Entry studyEntry(const std::string& name, const std::string& path) {
    LibraryContents::Entry entry{.key = toQt(name),
                                 .title = shown(name),
                                 .aside = {},
                                 .help = shown(name),
                                 .problem = {},
                                 .own = isOwnFile(path)};
    try {
        const study::Study study = study::loadStudy(path);
        if (!study.name.empty()) entry.title = shown(study.name);
        entry.group = engineText(study.engine);
    } catch (const std::exception& error) {
        entry.problem = shown(error.what());
    }
    return entry;
}

/// The accelerator's name without its vendor: "A100 SXM4 80 GB".
QString kindOf(const hardware::Accelerator& accelerator) {
    const std::string vendor = accelerator.vendor + " ";
    const bool named = !accelerator.vendor.empty() && accelerator.name.starts_with(vendor);
    return shown(named ? accelerator.name.substr(vendor.size()) : accelerator.name);
}

/// What a study is about: its models, else its workload.
QString subjectOf(const study::Study& study) {
    if (study.models.empty() && !study.workloads.empty()) return shown(study.workloads.front());
    QStringList models;
    for (const std::string& model : study.models) models.append(shown(report::modelTitle(model)));
    return models.join(u", "_s);
}

/// What is asked of a fleet that a model is to be trained on.
void describePlan(StudyCard& card, const study::Study& study, const QString& subject) {
    card.detail = u"How is %1 trained fastest, in batches of %2? Every parallel configuration is compared."_s.arg(
        subject, countText(study.parameters->value("global_batch", 0.0)));
}

/// Groups of a fleet, and how many ways there are to split a model over it.
void describeFleet(StudyCard& card, const study::Study& study, const QString& subject) {
    for (const hardware::Group& group : hardware::loadFleet(study.hardware.at(0)).groups)
        card.groups.append(
            {.name = shown(group.name), .kind = kindOf(group.accelerator), .count = static_cast<double>(group.count)});
    if (!study.parameters->contains("strategies")) return describePlan(card, study, subject);
    card.detail = u"Batch %1 in %2, %3 ways to split it"_s.arg(countText(study.parameters->value("batch", 0.0)),
                                                               shown(study.parameters->value("dtype", std::string())),
                                                               countText(study.parameters->at("strategies").size()));
}

/// The cores of a platform, and the algorithms that are run on them.
void describePlatform(StudyCard& card, const study::Study& study, const QString& subject) {
    for (const hardware::SubAccelerator& core : hardware::loadPlatform(study.hardware.at(0)).subAccelerators)
        card.groups.append({.name = shown(core.name),
                            .kind = u"%1 × %2 %3"_s.arg(core.height).arg(core.width).arg(shown(core.dataflow.name)),
                            .count = static_cast<double>(core.count)});
    QStringList algorithms;
    for (const Json& algorithm : study.parameters->at("algorithms"))
        algorithms.append(shown(algorithm.get<std::string>()));
    card.detail = u"%1 on jobs of '%2', %3 samples each"_s.arg(firstNames(algorithms, 3), subject,
                                                               countText(study.parameters->value("samples", 0.0)));
}

/// The accelerator that those of a template may not be larger than.
void describeTemplate(StudyCard& card, const study::Study& study, const QString& subject) {
    const hardware::Template space = hardware::loadTemplate(study.hardware.at(0));
    if (space.reference) {
        card.groups.append({.name = u"tensor cores"_s,
                            .kind = u"%1 × %2 tensor core"_s.arg(space.reference->width).arg(space.reference->height),
                            .count = static_cast<double>(space.reference->tensorCores)});
        card.groups.append({.name = u"vector cores"_s,
                            .kind = u"%1-lane vector core"_s.arg(space.reference->width),
                            .count = static_cast<double>(space.reference->vectorCores)});
    }
    card.detail = u"Which accelerator of %1 trains %2 best, and how is it placed on %3 of them?"_s.arg(
        shown(space.name), subject, countText(study.parameters->value("accelerators", 0.0)));
}

/// The accelerators that are compared.
void describeAccelerators(StudyCard& card, const study::Study& study, const QString& subject) {
    for (const std::string& name : study.hardware)
        card.groups.append({.name = shown(name), .kind = kindOf(hardware::loadAccelerator(name)), .count = 1});
    card.detail = u"Which of %1 accelerators trains %2 fastest, which cheapest, and with what probability?"_s.arg(
        countText(study.hardware.size()), subject);
}

/// What the card of a study draws and says, by what its hardware is.
struct CardRow {
    std::string_view hardwareKind;
    void (*describe)(StudyCard& card, const study::Study& study, const QString& subject);
};
constexpr CardRow kCards[] = {{"fleet", describeFleet},
                              {"platform", describePlatform},
                              {"template", describeTemplate},
                              {"accelerator", describeAccelerators}};

std::optional<StudyCard> cardOf(const std::string& name) {
    try {
        const study::Study study = study::loadStudy(name);
        const study::Engine& engine = study::engineNamed(study.engine);
        StudyCard card;
        card.key = toQt(name);
        card.title = shown(study.name.empty() ? name : study.name);
        card.studyJson = toQt(toText(study::toJson(study)));
        card.detail = toQt(engine.description);
        for (const CardRow& row : kCards)
            if (row.hardwareKind == engine.hardwareKind && !study.hardware.empty())
                row.describe(card, study, subjectOf(study));
        return card;
    } catch (const std::exception&) {
        // A study that cannot be read is listed, with the reason, in the library; the page shows those that work.
        return std::nullopt;
    }
}

/// The user's own come first, and no two are called the same: where a name is taken, the file's is beside it.
void arrange(QVector<LibraryContents::Entry>& entries) {
    std::stable_partition(entries.begin(), entries.end(), [](const LibraryContents::Entry& each) { return each.own; });
    QMap<QString, int> called;
    for (const LibraryContents::Entry& each : entries) ++called[each.title];
    for (LibraryContents::Entry& each : entries)
        if (called[each.title] > 1 && each.own) each.title = u"%1 (%2)"_s.arg(each.title, each.name());
}

}  // namespace

LibraryContents readLibrary() {
    LibraryContents contents;
    for (const model::ZooEntry& entry : model::zooEntries())
        contents.models.append({.key = toQt("zoo:" + entry.id),
                                .title = toQt(entry.title),
                                .aside = {},
                                .help = toQt(entry.description),
                                .problem = {},
                                .group = toQt(entry.family)});
    for (const hardware::LibraryEntry& row : hardware::libraryEntries()) {
        if (row.kind == "fleet") contents.fleets.append(hardwareEntry(row));
        if (row.kind == "accelerator") contents.accelerators.append(hardwareEntry(row));
        if (row.kind == "platform") contents.platforms.append(hardwareEntry(row));
        if (row.kind == "template") contents.templates.append(hardwareEntry(row));
    }
    for (const hardware::LibraryEntry& row : cost::workloadEntries()) contents.workloads.append(workloadEntry(row));
    for (const auto& [name, path] : libraryFiles("studies")) contents.studies.append(studyEntry(name, path.string()));
    for (QVector<LibraryContents::Entry>* section : {&contents.fleets, &contents.accelerators, &contents.platforms,
                                                     &contents.templates, &contents.workloads, &contents.studies})
        arrange(*section);
    return contents;
}

QVector<StudyCard> readStudyCards(int max) {
    QVector<StudyCard> cards;
    // The first of this order are the questions that people come with; others follow by name.
    std::vector<std::string> names{"llama3.1-405b-512-h100", "resnet50-mixed-tpus",   "mixed-jobs-race",
                                   "bert-large-accelerator", "resnet50-accelerators", "vgg19-mixed-gpus",
                                   "resnet18-gpu-upgrade",   "alexnet-equal-tpus"};
    for (const std::string& name : names)
        if (std::optional<StudyCard> card = cardOf(name); card && cards.size() < max) cards.append(*card);
    return cards;
}

}  // namespace tessera::ui
