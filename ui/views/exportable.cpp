#include "ui/views/exportable.h"

#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QFileDialog>
#include <QImage>
#include <QMenu>
#include <QMessageBox>
#include <QPointer>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "ui/models/background.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/svg_pages.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

/// A format of a file: its suffix, and what makes its text from an Exportable ("" = drawn from the SVG).
struct Format {
    QString suffix;
    QString title;
    bool picture;
    std::function<std::string()> Exportable::*text;
};

/// All that there are of it.
std::vector<Format> formatsOf(const Exportable& what) {
    std::vector<Format> formats;
    if (what.svg)
        for (const auto& [suffix, title] : {std::pair(u"png"_s, u"PNG"_s), {u"svg"_s, u"SVG"_s}, {u"pdf"_s, u"PDF"_s}})
            formats.push_back({suffix, title, true, nullptr});
    if (what.csv) formats.push_back({u"csv"_s, u"CSV"_s, false, &Exportable::csv});
    if (what.json)
        formats.push_back({u"json"_s, what.jsonTitle.isEmpty() ? u"JSON"_s : what.jsonTitle, false, &Exportable::json});
    if (what.dot) formats.push_back({u"dot"_s, u"DOT"_s, false, &Exportable::dot});
    if (what.file) formats.push_back({what.fileSuffix, what.fileTitle, false, &Exportable::file});
    return formats;
}

/// Takes the text of a format now, on the thread that owns the data; the work that may take long is returned.
std::function<std::string()> conversion(const Exportable& what, const Format& format, double scale,
                                        report::ThemeKind kind) {
    if (!format.picture) return [text = (what.*format.text)()] { return text; };
    const std::string svg = what.svg(report::Theme(kind));
    if (format.suffix == u"png") return [svg, scale] { return pngOf(svg, scale); };
    if (format.suffix == u"pdf") return [svg] { return pdfOf({svg}); };
    return [svg] { return svg; };
}

void showFailure(QWidget& owner, const QString& title, const QString& sentence) {
    auto* box = new QMessageBox(QMessageBox::Warning, title, sentence, QMessageBox::Ok, &owner);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setTextFormat(Qt::PlainText);
    box->setIconPixmap(theme().icon(u"warning"_s, "warning").pixmap(QSize(32, 32)));
    box->open();
}

/// Where the last export of this session went.
QString& lastFolder() {
    static QString folder = QDir::homePath();
    return folder;
}

void saveInBackground(QWidget& owner, std::function<std::string()> convert, const QString& path) {
    const QPointer<QWidget> guard(&owner);
    inBackground(
        &owner,
        [convert = std::move(convert), file = path.toStdString()] {
            writeFile(file, convert());
            return true;
        },
        [](bool /*saved*/) {}, [guard](const QString& problem) { showFailure(*guard, u"Export failed"_s, problem); });
}

void askAndSave(QWidget& owner, const Exportable& what, const Format& format, double scale) {
    std::function<std::string()> convert;
    try {
        // Pictures on paper are light, whatever the window is.
        convert = conversion(what, format, scale, report::ThemeKind::light);
    } catch (const std::exception& error) {
        showFailure(owner, u"Export failed"_s, QString::fromUtf8(error.what()));
        return;
    }
    auto* dialog = new QFileDialog(&owner, u"Export %1"_s.arg(format.title), lastFolder(),
                                   u"%1 (*.%2)"_s.arg(format.title, format.suffix));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(format.suffix);
    dialog->setOption(QFileDialog::DontUseNativeDialog, QGuiApplication::platformName() == QLatin1String("offscreen"));
    dialog->selectFile(fileStem(what.name) + QLatin1Char('.') + format.suffix);
    QObject::connect(dialog, &QFileDialog::fileSelected, &owner, [&owner, convert](const QString& path) {
        lastFolder() = QFileInfo(path).absolutePath();
        saveInBackground(owner, convert, path);
    });
    dialog->open();
}

void copyImage(QWidget& owner, const Exportable& what) {
    const QPointer<QWidget> guard(&owner);
    const auto failed = [guard](const QString& problem) { showFailure(*guard, u"Copy failed"_s, problem); };
    try {
        inBackground(
            &owner, conversion(what, {u"png"_s, u"PNG"_s, true, nullptr}, 2.0, theme().kind()),
            [](const std::string& png) {
                QGuiApplication::clipboard()->setImage(QImage::fromData(QByteArray::fromStdString(png), "PNG"));
            },
            failed);
    } catch (const std::exception& error) {
        failed(QString::fromUtf8(error.what()));
    }
}

void addFormat(QMenu& menu, QWidget& owner, const std::function<Exportable()>& what, const Format& format) {
    if (format.suffix == u"png") {
        QMenu* scales = menu.addMenu(format.title);
        for (const int scale : {1, 2, 3, 4})
            scales->addAction(u"%1× size…"_s.arg(scale), &owner,
                              [&owner, what, format, scale] { askAndSave(owner, what(), format, scale); });
        return;
    }
    menu.addAction(u"%1…"_s.arg(format.title), &owner,
                   [&owner, what, format] { askAndSave(owner, what(), format, 1.0); });
}

}  // namespace

void addExportActions(QMenu& menu, QWidget& owner, const std::function<Exportable()>& what) {
    const Exportable now = what();
    if (now.svg) {
        menu.addAction(theme().icon(u"image"_s), u"Copy as image"_s, &owner,
                       [&owner, what] { copyImage(owner, what()); });
        menu.addSeparator();
    }
    for (const Format& format : formatsOf(now)) addFormat(menu, owner, what, format);
}

void askAndExport(QWidget& owner, const Exportable& what, const QString& format) {
    for (const Format& known : formatsOf(what))
        if (format == known.suffix) return askAndSave(owner, what, known, 1.0);
}

void exportTo(const Exportable& what, const QString& format, const QString& path, double scale) {
    for (const Format& known : formatsOf(what))
        if (format == known.suffix) {
            writeFile(path.toStdString(), conversion(what, known, scale, report::ThemeKind::light)());
            return;
        }
    throw UsageError("'" + what.name.toStdString() + "' cannot be written as '" + format.toStdString() + "'");
}

}  // namespace tessera::ui
