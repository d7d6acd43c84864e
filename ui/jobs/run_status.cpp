#include "ui/jobs/run_status.h"

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
    StatusRow{RunStatus::queued, "Waiting", "Waiting for its turn", "queued", "secondary", true},
    StatusRow{RunStatus::running, "Running", "Working", "run", "accent", true},
    StatusRow{RunStatus::paused, "Paused", "Paused", "pause", "warning", true},
    StatusRow{RunStatus::interrupted, "Interrupted", "Interrupted before it was done", "interrupted", "warning", false},
    StatusRow{RunStatus::done, "Done", "Done; its result is being read", "done", "good", false},
    StatusRow{RunStatus::failed, "Failed", "Failed", "failed", "bad", false},
    StatusRow{RunStatus::cancelled, "Cancelled", "Cancelled", "cancel", "secondary", false},
};

const StatusRow& rowOf(RunStatus status) {
    for (const StatusRow& row : kStatuses)
        if (row.status == status) return row;
    return kStatuses.front();
}

QString translated(const char* text) {
    return QString::fromUtf8(text);
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
