#include "ui/editors/input_choices.h"

#include <QSettings>
#include <QStringList>

#include "core/hardware/library.h"
#include "core/model/zoo/zoo.h"
#include "core/study/study.h"
#include "ui/editors/edited_file.h"
#include "ui/editors/study_form.h"
#include "ui/models/recent_files.h"
#include "ui/models/text.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr int kMaxRecent = 8;
constexpr const char* kRecentSetting = "editors/recentModels";

QVector<ReferencePicker::Choice> modelChoices() {
    QVector<ReferencePicker::Choice> choices;
    const QStringList used = QSettings().value(QLatin1String(kRecentSetting)).toStringList();
    for (const QString& recent : used) choices.push_back({recent, {}, u"Used last"_s});
    for (const RecentFiles::Entry& file : RecentFiles().entries(u"model"_s))
        if (!used.contains(file.path)) choices.push_back({file.path, {}, u"Opened last"_s});
    for (const model::ZooEntry& entry : model::zooEntries()) {
        QString family = toQt(entry.family);
        if (!family.isEmpty()) family[0] = family[0].toUpper();
        choices.push_back({u"zoo:"_s + toQt(entry.id), toQt(entry.title), family});
    }
    return choices;
}

QVector<ReferencePicker::Choice> hardwareChoices(const std::string& kind) {
    QVector<ReferencePicker::Choice> own, bundled;
    for (const hardware::LibraryEntry& entry : hardware::libraryEntries()) {
        if (entry.kind != kind || !entry.problem.empty()) continue;
        const bool mine = isOwnFile(entry.path);
        (mine ? own : bundled).push_back({toQt(entry.id), toQt(entry.name), mine ? u"Mine"_s : u"Bundled"_s});
    }
    return own + bundled;
}

QVector<ReferencePicker::Choice> fileChoices(const std::string& folder) {
    QVector<ReferencePicker::Choice> own, bundled;
    for (const auto& [name, path] : libraryFiles(folder)) {
        const bool mine = isOwnFile(path);
        (mine ? own : bundled).push_back({toQt(name), {}, mine ? u"Mine"_s : u"Bundled"_s});
    }
    return own + bundled;
}

}  // namespace

QVector<ReferencePicker::Choice> choicesOf(const std::string& list, const std::string& engine) {
    if (list == "models") return modelChoices();
    for (const InputSlot& slot : inputSlots(engine))
        if (slot.list == list && !slot.folder.empty()) return fileChoices(slot.folder);
    if (list != "hardware") return {};
    return hardwareChoices(std::string(study::engineNamed(engine).hardwareKind));
}

void rememberModel(const QString& model) {
    if (model.isEmpty()) return;
    QSettings settings;
    QStringList recent = settings.value(QLatin1String(kRecentSetting)).toStringList();
    recent.removeAll(model);
    recent.prepend(model);
    settings.setValue(QLatin1String(kRecentSetting), QStringList(recent.mid(0, kMaxRecent)));
}

}  // namespace tessera::ui
