#include "ui/editors/recovery.h"
#include "ui/models/background.h"
#include "ui/workspace/notice_bar.h"
#include "ui/workspace/window/main_window_parts.h"
#include "ui/workspace/words.h"

namespace tessera::ui {

namespace {

constexpr qsizetype kMaxNamed = 3;

QString namesOf(const QVector<Recovery>& edits) {
    QStringList names;
    for (const Recovery& each : edits)
        names << (each.title.trimmed().isEmpty() ? MainWindow::tr("a document without a name") : each.title);
    return firstNames(names, kMaxNamed);
}

}  // namespace

/// Documents that a restored session shows bring their edits back by themselves; the others are asked about here.
void MainWindow::Implementation::offerLostEdits() {
    inBackground(context.get(), lostEdits, [this](QVector<Recovery> edits) {
        edits.removeIf([this](const Recovery& each) { return area->find(each.kind, keyOf(each)) != nullptr; });
        if (edits.isEmpty()) return;
        notify(new NoticeBar(NoticeBar::Tone::information,
                             tr("Tessera ended before these edits were saved: %1.").arg(namesOf(edits)),
                             {{tr("Bring them back"),
                               [this, edits] {
                                   for (const Recovery& each : edits) open(each.kind, keyOf(each));
                               }},
                              {tr("Discard them"), [edits] {
                                   for (const Recovery& each : edits) dropRecovery(each.id);
                               }}}));
    });
}

}  // namespace tessera::ui
