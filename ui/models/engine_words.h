#pragma once

#include <QString>
#include <QVector>
#include <string_view>
#include <utility>

#include "core/study/study.h"

/// Engines as the window names them, from their rows.
namespace tessera::ui {

QString idOf(const study::Engine& engine);
/// "Co-design".
QString titleOf(const study::Engine& engine);
/// Icon of resources/icons with the engine's name; that of studies where there is none.
QString iconOf(const study::Engine& engine);
/// "New co-design study": of menus, as an action's text.
QString newStudyText(const study::Engine& engine);
/// "new-codesign-study": of the action.
QString newStudyAction(const study::Engine& engine);
/// The studies that begin with hardware of a kind, and what their actions say: "New study on this fleet".
QVector<std::pair<const study::Engine*, QString>> studiesOn(const QString& hardwareKind);
/// The studies that take the layers of a model as jobs, and what their actions say: "New mapping study of its layers".
QVector<std::pair<const study::Engine*, QString>> studiesOfJobs();
/// The first engine that a kind of hardware ("accelerator") is for. Throws UsageError where there is none.
const study::Engine& engineOn(std::string_view hardwareKind);
/// True if a study of it begins with a model.
inline bool acceptsModels(const study::Engine& engine) {
    return engine.models != study::InputArity::none;
}

}  // namespace tessera::ui
