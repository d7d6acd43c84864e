#include "ui/jobs/run_status.h"

#include <QCoreApplication>
#include <array>

namespace tessera::ui {

namespace {

using store::RunStatus;

struct StatusRow {
    RunStatus status;
    const char* text;
    const char* title;
    const char* icon;
    const char* token;
    bool working;
};

constexpr std::array kStatuses{
    StatusRow{RunStatus::queued, QT_TRANSLATE_NOOP("status", "Waiting"),
              QT_TRANSLATE_NOOP("status", "Waiting for its turn"), "queued", "secondary", true},
    StatusRow{RunStatus::running, QT_TRANSLATE_NOOP("status", "Running"), QT_TRANSLATE_NOOP("status", "Working"), "run",
              "accent", true},
    StatusRow{RunStatus::paused, QT_TRANSLATE_NOOP("status", "Paused"), QT_TRANSLATE_NOOP("status", "Paused"), "pause",
              "warning", true},
    StatusRow{RunStatus::interrupted, QT_TRANSLATE_NOOP("status", "Interrupted"),
              QT_TRANSLATE_NOOP("status", "Interrupted before it was done"), "interrupted", "warning", false},
    StatusRow{RunStatus::done, QT_TRANSLATE_NOOP("status", "Done"),
              QT_TRANSLATE_NOOP("status", "Done; its result is being read"), "done", "good", false},
    StatusRow{RunStatus::failed, QT_TRANSLATE_NOOP("status", "Failed"), QT_TRANSLATE_NOOP("status", "Failed"), "failed",
              "bad", false},
    StatusRow{RunStatus::cancelled, QT_TRANSLATE_NOOP("status", "Cancelled"), QT_TRANSLATE_NOOP("status", "Cancelled"),
              "cancel", "secondary", false},
};

const StatusRow& rowOf(RunStatus status) {
    for (const StatusRow& row : kStatuses)
        if (row.status == status) return row;
    return kStatuses.front();
}

QString translated(const char* text) {
    return QCoreApplication::translate("status", text);
}

}  // namespace

QString statusText(RunStatus status) {
    return translated(rowOf(status).text);
}

QString statusTitle(RunStatus status) {
    return translated(rowOf(status).title);
}

QString statusIcon(RunStatus status) {
    return QLatin1String(rowOf(status).icon);
}

std::string_view statusToken(RunStatus status) {
    return rowOf(status).token;
}

bool isWorking(RunStatus status) {
    return rowOf(status).working;
}

bool canResume(RunStatus status) {
    return status == RunStatus::interrupted;
}

bool endedInVain(RunStatus status) {
    return !isWorking(status) && status != RunStatus::done;
}

}  // namespace tessera::ui
