#include "ui/models/engine_words.h"

#include <QCoreApplication>
#include <QFile>

#include "core/base/error.h"
#include "core/base/text.h"
#include "ui/models/table_columns.h"
#include "ui/models/text.h"

namespace tessera::ui {

QString idOf(const study::Engine& engine) {
    return toQt(engine.id);
}

QString titleOf(const study::Engine& engine) {
    return toQt(engine.title);
}

QString iconOf(const study::Engine& engine) {
    const QString own = idOf(engine);
    return QFile::exists(QStringLiteral(":/tessera/icons/%1.svg").arg(own)) ? own : QStringLiteral("study");
}

QString newStudyText(const study::Engine& engine) {
    return QCoreApplication::translate("Engines", "New %1 study").arg(titleOf(engine).toLower());
}

QString newStudyAction(const study::Engine& engine) {
    return QStringLiteral("new-%1-study").arg(idOf(engine));
}

QVector<std::pair<const study::Engine*, QString>> studiesOn(const QString& hardwareKind) {
    QVector<std::pair<const study::Engine*, QString>> all;
    for (const study::Engine& engine : study::engines())
        if (!hardwareKind.isEmpty() && toQt(engine.hardwareKind) == hardwareKind)
            all.append(
                {&engine,
                 QCoreApplication::translate("Engines", "%1 on this %2").arg(newStudyText(engine), hardwareKind)});
    if (all.size() == 1)
        all.front().second = QCoreApplication::translate("Engines", "New study on this %1").arg(hardwareKind);
    return all;
}

const study::Engine& engineOn(std::string_view hardwareKind) {
    for (const study::Engine& engine : study::engines())
        if (engine.hardwareKind == hardwareKind) return engine;
    throw UsageError("no engine is for hardware of the kind " + inQuotes(hardwareKind));
}

}  // namespace tessera::ui
