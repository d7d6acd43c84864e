#include "ui/models/engine_words.h"

#include <QFile>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/report/handover.h"
#include "ui/models/table_columns.h"
#include "ui/models/text.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

QString idOf(const study::Engine& engine) {
    return toQt(engine.id);
}

QString titleOf(const study::Engine& engine) {
    return toQt(engine.title);
}

QString iconOf(const study::Engine& engine) {
    const QString own = idOf(engine);
    return QFile::exists(u":/tessera/icons/%1.svg"_s.arg(own)) ? own : u"study"_s;
}

QString newStudyText(const study::Engine& engine) {
    return u"New %1 study"_s.arg(titleOf(engine).toLower());
}

QString newStudyAction(const study::Engine& engine) {
    return u"new-%1-study"_s.arg(idOf(engine));
}

QVector<std::pair<const study::Engine*, QString>> studiesOn(const QString& hardwareKind) {
    QVector<std::pair<const study::Engine*, QString>> all;
    for (const study::Engine* const engine : report::takersOf(hardwareKind.toStdString()))
        all.append({engine, u"%1 on this %2"_s.arg(newStudyText(*engine), hardwareKind)});
    if (all.size() == 1) all.front().second = u"New study on this %1"_s.arg(hardwareKind);
    return all;
}

QVector<std::pair<const study::Engine*, QString>> studiesOfJobs() {
    QVector<std::pair<const study::Engine*, QString>> all;
    for (const study::Engine& engine : study::engines())
        if (engine.workloads != study::InputArity::none && engine.workloadKind == study::Engine().workloadKind)
            all.append({&engine, u"%1 of its layers"_s.arg(newStudyText(engine))});
    return all;
}

const study::Engine& engineOn(std::string_view hardwareKind) {
    for (const study::Engine& engine : study::engines())
        if (engine.hardwareKind == hardwareKind) return engine;
    throw UsageError("no engine is for hardware of the kind " + inQuotes(hardwareKind));
}

}  // namespace tessera::ui
