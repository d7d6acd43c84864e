#include "ui/editors/recovery.h"
#include "ui/models/background.h"
#include "ui/workspace/notice_bar.h"
#include "ui/workspace/window/main_window_parts.h"
#include "ui/workspace/words.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype kMaxNamed = 3;

QString namesOf(const QVector<Recovery>& edits) {
    QStringList names;
    for (const Recovery& each : edits)
        names << (each.title.trimmed().isEmpty() ? u"a document without a name"_s : each.title);
    return firstNames(names, kMaxNamed);
}

}  // namespace

/// Documents that a restored session shows bring their edits back by themselves; the others are asked about here.
void MainWindow::Implementation::offerLostEdits() {
    inBackground(context.get(), lostEdits, [this](QVector<Recovery> edits) {
        edits.removeIf([this](const Recovery& each) { return area->find(each.kind, keyOf(each)) != nullptr; });
        if (edits.isEmpty()) return;
        notify(new NoticeBar(NoticeBar::Tone::information,
                             u"Tessera ended before these edits were saved: %1."_s.arg(namesOf(edits)),
                             {{u"Bring them back"_s,
                               [this, edits] {
                                   for (const Recovery& each : edits) open(each.kind, keyOf(each));
                               }},
                              {u"Discard them"_s, [edits] {
                                   for (const Recovery& each : edits) dropRecovery(each.id);
                               }}}));
    });
}

}  // namespace tessera::ui
