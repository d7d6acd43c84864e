#include <QFileInfo>
#include <system_error>

#include "core/calibrate/calibrate.h"
#include "core/hardware/library.h"
#include "core/study/calibrate/study.h"
#include "ui/editors/edited_file.h"
#include "ui/editors/name_dialog.h"
#include "ui/models/background.h"
#include "ui/models/document_keys.h"
#include "ui/models/engine_words.h"
#include "ui/models/text.h"
#include "ui/views/document.h"
#include "ui/workspace/library_watcher.h"
#include "ui/workspace/window/main_window_parts.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

namespace fs = std::filesystem;

constexpr const char* kFolder = "accelerators";
constexpr const char* kDtype = "fp32";  ///< that kernels are measured in on every machine

/// The name by which studies know an accelerator: in the library, or its path.
QString acceleratorName(const fs::path& file) {
    const std::string stem = file.stem().string();
    std::error_code ignored;
    return toQt(fs::equivalent(findInLibrary(kFolder, stem), file, ignored) ? stem : file.string());
}

/// Writes what was measured under a name of the library, or to a path; returns the accelerator's file.
fs::path writeTo(const std::string& name, calibrate::Calibration made) {
    const bool isPath = fs::path(name).is_absolute();
    const calibrate::Files files = isPath ? calibrate::filesAt(name) : calibrate::filesInLibrary(name);
    if (files.accelerator.stem() != calibrate::kName) made.accelerator.name = files.accelerator.stem().string();
    calibrate::write(made, files);
    return files.accelerator;
}

}  // namespace

/// Asks for a name for what a run measured.
void MainWindow::Implementation::saveAccelerator(const RunState& state) {
    auto* dialog = new NameDialog(u"Save accelerator"_s, QLatin1String(calibrate::kName),
                                  hardware::ownDataFolder().value_or(fs::path()) / kFolder, &window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    QObject::connect(dialog, &QDialog::accepted, context.get(), [this, dialog, state] {
        writeAccelerator(state, dialog->otherPlace().isEmpty() ? dialog->name() : dialog->otherPlace());
    });
    dialog->open();
}

void MainWindow::Implementation::writeAccelerator(const RunState& state, const QString& name) {
    inBackground(
        context.get(),
        [result = state.result, name = name.toStdString()] {
            return writeTo(name, result->outcome.get<study::CalibrationOutcome>().made);
        },
        [this, model = QString::fromStdString(state.study.models.empty() ? "" : state.study.models.front())](
            const fs::path& file) { offerAccelerator(file, model); },
        [this, state](const QString& problem) {
            const QString sentence = u"The accelerator is not saved. %1"_s.arg(shownText(problem.toStdString()));
            say(MessagesPanel::Tone::error, sentence);
            notifyOfFile(new NoticeBar(NoticeBar::Tone::warning, sentence,
                                       {{u"Save it elsewhere…"_s, [this, state] { saveAccelerator(state); }}}));
        });
}

/// Says where an accelerator was written, and leads on. One that is looked at already is read again.
void MainWindow::Implementation::offerAccelerator(const fs::path& file, const QString& model) {
    watcher->refresh();
    const QString kind = u"hardware"_s;
    const QString name = acceleratorName(file);
    const QString key = QFileInfo(name).isAbsolute() ? name : u"accelerator/"_s + name;
    const QString sentence = u"This machine is an accelerator now: %1."_s.arg(toQt(file.string()));
    say(MessagesPanel::Tone::information, sentence, kind, key);
    const auto show = [this, kind, key] {
        if (Document* present = area->find(kind, key); present != nullptr && !present->isModified())
            area->close(present);
        open(kind, key);
    };
    const auto predict = [this, model, name] {
        open(u"study"_s,
             newStudyKey(idOf(engineOn("accelerator")), model, name, {{u"dtype"_s, QLatin1String(kDtype)}}));
    };
    notifyOfFile(new NoticeBar(NoticeBar::Tone::information, sentence,
                               {{u"Open accelerator"_s, show}, {u"Predict with it…"_s, predict}}));
}

}  // namespace tessera::ui
