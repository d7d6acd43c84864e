#include "ui/workspace/equivalents.h"

#include <QDialog>
#include <QDialogButtonBox>
#include <QVBoxLayout>
#include <string>

#include "ui/models/engine_words.h"
#include "ui/models/table_columns.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/table_view.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr std::string_view kSeen = "moves what is seen";
constexpr std::string_view kEdits = "edits are those of a file, which any editor changes";

QString withoutMnemonics(QString text) {
    text.replace(u"&&"_s, u"\x01"_s);
    text.remove(QLatin1Char('&'));
    return text.replace(QLatin1Char('\x01'), QLatin1Char('&'));
}

bool matches(const QString& pattern, const QString& text) {
    const qsizetype star = pattern.indexOf(QLatin1Char('*'));
    if (star < 0) return pattern == text;
    return text.size() >= pattern.size() - 1 && text.startsWith(pattern.left(star)) &&
           text.endsWith(pattern.mid(star + 1));
}

QString commandText(const Equivalent& row) {
    const QString remark = toQt(row.remark);
    if (row.command.empty()) return u"– (%1)"_s.arg(remark);
    const QString command = u"tessera %1"_s.arg(toQt(row.command));
    return remark.isEmpty() || row.action.empty() ? command : u"%1 %2"_s.arg(command, remark);
}

QString actionText(const Equivalent& row, const std::function<QString(const QString& id)>& titleOf) {
    if (row.action.empty()) return u"– (%1)"_s.arg(toQt(row.remark));
    const QString title = row.place == "window" ? withoutMnemonics(titleOf(toQt(row.action))) : QString();
    return title.isEmpty() ? toQt(row.action).replace(QLatin1Char('*'), QChar(0x2026)) : title;
}

/// "Page: run".
QString placeText(const Equivalent& row) {
    if (row.place.empty()) return QString(QChar(0x2013));
    if (row.place == "window") return u"Menus of the window"_s;
    return u"Page: %1"_s.arg(toQt(row.place));
}

/// Rows below those of new studies, which each engine has.
std::vector<Equivalent> belowNewStudies(const std::vector<Equivalent>& others) {
    std::vector<Equivalent> rows;
    const auto add = [&](std::string_view place, const QString& action, const study::Engine& engine,
                         std::string_view remark) {
        rows.push_back({place, action.toStdString(), study::commandOf(engine), remark});
    };
    for (const study::Engine& engine : study::engines()) {
        add("window", newStudyAction(engine), engine, "");
        if (acceptsModels(engine))
            add("model", u"%1 with this model"_s.arg(newStudyText(engine)), engine,
                engine.measures ? "--for MODEL" : "--model MODEL");
    }
    for (const auto& [engine, action] : studiesOfJobs()) add("model", action, *engine, "--jobs MODEL");
    rows.insert(rows.end(), others.begin(), others.end());
    return rows;
}

}  // namespace

const std::vector<Equivalent>& equivalents() {
    static const std::vector<Equivalent> kRows = belowNewStudies({
        // Studies.
        {"window", "calibrate", "calibrate", ""},
        {"window", "validation", "validate", ""},
        {"window", "run", "run", "STUDY"},
        {"window", "pause", "", "a shell stops and continues any program"},
        {"window", "stop", "", "Ctrl+C ends 'explore' with the best so far"},
        {"window", "cancel", "", "Ctrl+C"},
        {"study", "Run the study", "run", "STUDY"},
        {"study", "Save study as…", "", "a study's file is text, which 'run' takes"},
        {"study", "Explore this study…", "explore", "STUDY --vary NAME=VALUES"},
        {"", "", "sweep", "an exploration with the method grid"},
        // Hardware and workloads.
        {"window", "new-fleet", "hardware copy", "NAME FILE"},
        {"window", "new-accelerator", "hardware copy", "NAME FILE"},
        {"window", "new-platform", "hardware copy", "NAME FILE"},
        {"window", "new-template", "hardware copy", "NAME FILE"},
        {"window", "new-workload", "", "a workload's file is text, which 'map --workload' takes"},
        {"hardware", "Save a copy…", "hardware copy", "NAME FILE"},
        {"hardware", "Duplicate…", "hardware copy", "NAME FILE"},
        {"hardware", "Export JSON…", "hardware copy", "NAME FILE"},
        {"hardware", "Import JSON…", "", "commands take files by their names"},
        {"hardware", "Compare with another…", "", "'diff' compares two files"},
        {"", "", "hardware list", "the library lists them"},
        {"", "", "hardware show", "its page shows it"},
        {"", "", "hardware validate", "its page says beside each field what is wrong"},
        {"", "", "fit", "tables of measurements are made by programs, which call the command"},
        // Models.
        {"", "", "model list", "the library lists them"},
        {"", "", "model inspect", "its page shows it"},
        {"", "", "model convert", "Export of its page"},
        {"model", "Colour by *", "", kSeen},
        {"model", "Fit", "", kSeen},
        {"model", "Zoom *", "", kSeen},
        {"model", "Open all groups", "", kSeen},
        {"model", "Fold all groups", "", kSeen},
        {"model", "Back", "", kSeen},
        {"model", "Forward", "", kSeen},
        {"model", "Find in the graph", "", kSeen},
        {"model", "From left to right", "", kSeen},
        // Runs.
        {"run", "Run again", "run", "STUDY"},
        {"run", "Open its study", "history show", "RUN"},
        {"run", "Search on from here…", "map", "--warm-start RUN"},
        {"run", "Explore its study…", "explore", "STUDY --vary NAME=VALUES"},
        {"run", "Compare with…", "history compare", "RUN RUN"},
        {"run", "Report", "report", "RUN"},
        {"run", "Export result…", "history show", "RUN --result"},
        {"run", "Export Chrome trace…", "export", "RUN --what timeline"},
        {"run", "Use as: *", "export", "RUN --what file --name NAME --select PART, or the input run:RUN/NAME/PART"},
        {"run", "Show on the model", "", kSeen},
        {"run", "Re-solve *", "partition", "--pin LAYER=TYPE"},
        {"run", "Discard changed pins", "", "pins that are given are those that count"},
        {"report", "Export HTML…", "report", "RUN --out FILE.html"},
        {"report", "Export PDF…", "report", "RUN --out FILE.pdf"},
        {"report", "Export Markdown…", "report", "RUN --out FILE.md"},
        {"validation", "Validate a table of your own…", "validate", "FILE"},
        {"validation", "Predict again", "validate", ""},
        // The history.
        {"window", "history", "history list", ""},
        {"window", "choose-history", "", "--store FILE of every command"},
        {"history", "Open", "history show", "RUN"},
        {"history", "Compare", "history compare", "RUN RUN"},
        {"history", "Show as points", "", "moves what is seen; tables of 'export' have the numbers"},
        {"history", "Report", "report", "RUN"},
        {"history", "Run again", "run", "STUDY"},
        {"history", "Resume", "resume", "RUN"},
        {"history", "Open its study", "history show", "RUN"},
        {"history", "Star or unstar", "history star", "RUN"},
        {"history", "Rename", "", "a run is called as its study; no command changes that later"},
        {"history", "Edit tags", "history tag", "RUN TAG"},
        {"history", "Edit the note", "history note", "RUN TEXT"},
        {"history", "Delete", "history delete", "RUN"},
        {"history", "Export the selected runs…", "history export", "RUN --out FILE"},
        {"history", "Import runs…", "history import", "FILE"},
        {"history", "Choose columns…", "", kSeen},
        {"", "", "history search", "the field above the table"},
        {"", "", "history merge", "importing the file adds its runs"},
        {"", "", "history backup", "upkeep of the file"},
        {"", "", "history vacuum", "upkeep of the file"},
        {"", "", "history verify", "upkeep of the file; the window checks what it opens"},
        {"", "", "schema", "for programs that write or read documents; forms check what they are given"},
        {"", "", "reproduce", "the papers' figures are for who doubts the program"},
        {"window", "welcome", "tour", ""},
        // Files and edits.
        {"window", "open", "", "commands take files by their names"},
        {"window", "save", "", kEdits},
        {"window", "undo", "", kEdits},
        {"window", "redo", "", kEdits},
        // What is of the window alone.
        {"window", "close-tab", "", kSeen},
        {"window", "quit", "", kSeen},
        {"window", "palette", "", kSeen},
        {"window", "split-right", "", kSeen},
        {"window", "split-down", "", kSeen},
        {"window", "other-side", "", kSeen},
        {"window", "next-tab", "", kSeen},
        {"window", "previous-tab", "", kSeen},
        {"window", "next-pane", "", kSeen},
        {"window", "previous-pane", "", kSeen},
        {"window", "filter-library", "", kSeen},
        {"window", "alone", "", kSeen},
        {"window", "details", "", kSeen},
        {"window", "full-screen", "", kSeen},
        {"window", "reset-layout", "", kSeen},
        {"window", "theme-system", "", "moves what is seen; --theme of 'export' is that of pictures"},
        {"window", "theme-light", "", "moves what is seen; --theme of 'export' is that of pictures"},
        {"window", "theme-dark", "", "moves what is seen; --theme of 'export' is that of pictures"},
        {"window", "shortcuts", "", "--help of every command"},
        {"window", "equivalents", "", "--help of every command"},
        {"window", "help", "", "'help COMMAND', and '--help' of every command"},
        {"window", "guide", "", "'help COMMAND'; the same pages are installed beside the program"},
        {"window", "about", "", "'version'"},
    });
    return kRows;
}

bool isOf(const Equivalent& row, std::string_view place, const QString& id, const QString& text) {
    if (row.place != place || row.action.empty()) return false;
    const QString pattern = toQt(row.action);
    return (!id.isEmpty() && matches(pattern, id)) || matches(pattern, withoutMnemonics(text));
}

QDialog* newEquivalentsDialog(QWidget* parent, const std::function<QString(const QString& id)>& titleOf) {
    auto* dialog = new QDialog(parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setObjectName(u"equivalents"_s);
    dialog->setWindowTitle(u"Window and command line"_s);
    const auto row = [](int number) -> const Equivalent& { return equivalents()[static_cast<std::size_t>(number)]; };
    auto* model = new TableModel(
        {columns::words(u"Where"_s, [row](int at) { return placeText(row(at)); }),
         columns::words(u"In the window"_s, [row, titleOf](int at) { return actionText(row(at), titleOf); }),
         columns::words(u"On the command line"_s, [row](int at) { return commandText(row(at)); })},
        dialog);
    model->setRowCount(static_cast<int>(equivalents().size()));
    auto* table = new TableView(model, u"Window and command line"_s, dialog);
    table->setFilterVisible(true);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
    QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::close);
    auto* column = new QVBoxLayout(dialog);
    column->addWidget(table, 1);
    column->addWidget(buttons);
    constexpr int kWidth = 980, kHeight = 620;
    dialog->resize(kWidth, kHeight);
    return dialog;
}

}  // namespace tessera::ui
