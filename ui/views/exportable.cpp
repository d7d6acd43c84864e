#include "ui/views/exportable.h"

#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QFileDialog>
#include <QImage>
#include <QMenu>
#include <QMessageBox>
#include <QPointer>
#include <array>
#include <optional>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/draw/raster.h"
#include "ui/models/background.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

/// A format of a file: its suffix, and what makes its text from an Exportable ("" = drawn from the SVG).
struct Format {
    const char* suffix;
    const char* title;
    bool picture;
    std::function<std::string()> Exportable::*text;
};

const std::array<Format, 6> kFormats{{
    {"png", "PNG", true, nullptr},
    {"svg", "SVG", true, nullptr},
    {"pdf", "PDF", true, nullptr},
    {"csv", "CSV", false, &Exportable::csv},
    {"json", "JSON", false, &Exportable::json},
    {"dot", "DOT", false, &Exportable::dot},
}};

bool has(const Exportable& what, const Format& format) {
    return format.picture ? static_cast<bool>(what.svg) : static_cast<bool>(what.*format.text);
}

/// Takes the text of a format now, on the thread that owns the data; the work that may take long is returned.
std::function<std::string()> conversion(const Exportable& what, const Format& format, double scale,
                                        report::ThemeKind kind) {
    if (!format.picture) return [text = (what.*format.text)()] { return text; };
    const std::string svg = what.svg(report::Theme(kind));
    const std::string_view suffix = format.suffix;
    if (suffix == "png") return [svg, scale] { return report::toPng(svg, scale); };
    if (suffix == "pdf") return [svg] { return report::toPdf(svg); };
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
    const QString suffix = QLatin1String(format.suffix);
    auto* dialog = new QFileDialog(&owner, u"Export %1"_s.arg(QString::fromUtf8(format.title)), lastFolder(),
                                   u"%1 (*.%2)"_s.arg(QString::fromUtf8(format.title), suffix));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(suffix);
    dialog->setOption(QFileDialog::DontUseNativeDialog, QGuiApplication::platformName() == QLatin1String("offscreen"));
    dialog->selectFile(fileStem(what.name) + QLatin1Char('.') + suffix);
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
            &owner, conversion(what, kFormats[0], 2.0, theme().kind()),
            [](const std::string& png) {
                QGuiApplication::clipboard()->setImage(QImage::fromData(QByteArray::fromStdString(png), "PNG"));
            },
            failed);
    } catch (const std::exception& error) {
        failed(QString::fromUtf8(error.what()));
    }
}

void addFormat(QMenu& menu, QWidget& owner, const std::function<Exportable()>& what, const Format& format,
               const QString& title) {
    if (std::string_view(format.suffix) == "png") {
        QMenu* scales = menu.addMenu(title);
        for (const int scale : {1, 2, 3, 4})
            scales->addAction(u"%1× size…"_s.arg(scale), &owner,
                              [&owner, what, &format, scale] { askAndSave(owner, what(), format, scale); });
        return;
    }
    menu.addAction(u"%1…"_s.arg(title), &owner, [&owner, what, &format] { askAndSave(owner, what(), format, 1.0); });
}

}  // namespace

void addExportActions(QMenu& menu, QWidget& owner, const std::function<Exportable()>& what) {
    const Exportable now = what();
    if (now.svg) {
        menu.addAction(theme().icon(u"image"_s), u"Copy as image"_s, &owner,
                       [&owner, what] { copyImage(owner, what()); });
        menu.addSeparator();
    }
    for (const Format& format : kFormats) {
        if (!has(now, format)) continue;
        const bool named = std::string_view(format.suffix) == "json" && !now.jsonTitle.isEmpty();
        addFormat(menu, owner, what, format, named ? now.jsonTitle : QString::fromUtf8(format.title));
    }
}

void exportTo(const Exportable& what, const QString& format, const QString& path, double scale) {
    for (const Format& known : kFormats)
        if (format == QLatin1String(known.suffix) && has(what, known)) {
            writeFile(path.toStdString(), conversion(what, known, scale, report::ThemeKind::light)());
            return;
        }
    throw UsageError("'" + what.name.toStdString() + "' cannot be written as '" + format.toStdString() + "'");
}

}  // namespace tessera::ui
