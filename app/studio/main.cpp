#include <fmt/format.h>
#include <malloc.h>

#include <CLI/CLI.hpp>
#include <QApplication>
#include <QSettings>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "app/studio/options.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "ui/theme/theme.h"
#include "ui/views/svg_pages.h"
#include "ui/workspace/window/main_window.h"

using namespace Qt::StringLiterals;

namespace {

using tessera::studio::Request;

/// One fault while the window handles an event is a sentence, not the end of the program and of what is unsaved.
class Application : public QApplication {
public:
    using QApplication::QApplication;
    void setWindow(tessera::ui::MainWindow* window) { window_ = window; }

    bool notify(QObject* receiver, QEvent* event) override {
        try {
            return QApplication::notify(receiver, event);
        } catch (const std::exception& error) {
            const QString text = QString::fromStdString(tessera::escaped(error.what(), 2000));
            if (window_ != nullptr) window_->showMessage(u"Something went wrong in the window: %1"_s.arg(text));
            return false;
        }
    }

private:
    tessera::ui::MainWindow* window_ = nullptr;
};

/// -1 where there is more to do, else the exit code.
int parse(CLI::App& options, int argumentCount, char** arguments) {
    try {
        options.parse(argumentCount, arguments);
        return -1;
    } catch (const CLI::Success& success) {
        return options.exit(success);
    } catch (const CLI::ParseError& error) {
        fmt::print(stderr, "{}\n", error.what());
        return tessera::studio::kUsage;
    }
}

/// Whether the window is not asked for: help, version, the manual's page and conversions need no display.
bool opensNoWindow(int argumentCount, char** arguments) {
    for (int i = 1; i < argumentCount; ++i)
        for (const std::string_view word : {"--help", "-h", "--version", "-V", "--man", "--convert"}) {
            const std::string_view given(arguments[i]);
            if (given == word || (word == "--convert" && given.starts_with("--convert="))) return true;
        }
    return false;
}

/// Turns pictures into one file on standard output. Throws FileError.
void convert(const Request& request) {
    std::vector<std::string> pictures;
    for (const std::string& file : request.files) pictures.push_back(tessera::readFile(file));
    if (pictures.empty()) pictures.push_back(tessera::readFile(tessera::kStandardStream));
    const std::string bytes = request.convert == "pdf" ? tessera::ui::pdfByQt(pictures)
                                                       : tessera::ui::pngByQt(pictures.front(), request.zoom);
    if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size() || std::fflush(stdout) != 0)
        throw tessera::FileError("standard output cannot be written");
}

/// What needs no window. Returns the exit code.
int withoutWindow(CLI::App& options, const Request& request, int argumentCount, char** arguments) {
    if (const int code = parse(options, argumentCount, arguments); code >= 0) return code;
    if (request.man) {
        fmt::print("{}", tessera::studio::manualPage(options));
        return 0;
    }
    if (request.convert == "png" && request.files.size() > 1) {
        fmt::print(stderr, "a PNG holds one picture; expected one file\n");
        return tessera::studio::kUsage;
    }
    qputenv("QT_QPA_PLATFORM", "offscreen");  // letters are drawn, a display is not needed
    const QGuiApplication application(argumentCount, arguments);
    try {
        convert(request);
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", tessera::escaped(error.what(), 2000));
        return tessera::studio::kNoFile;
    }
}

/// Qt ends a program that finds no display; a sentence is kinder.
bool hasDisplay(int argumentCount, char** arguments) {
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
        if (const char* value = std::getenv(name); value != nullptr && *value != '\0') return true;
    for (int i = 1; i < argumentCount; ++i)
        if (std::string_view(arguments[i]).find("-platform") != std::string_view::npos) return true;
    return false;
}

int show(Application& application, const Request& request) {
    QApplication::setOrganizationName(u"tessera"_s);
    QApplication::setApplicationName(u"tessera-studio"_s);
    QApplication::setApplicationVersion(QStringLiteral(TESSERA_VERSION));
    QApplication::setDesktopFileName(u"tessera-studio"_s);
    const QString mode = QSettings().value(u"theme/mode"_s).toString();
    using tessera::ui::ThemeMode;
    tessera::ui::theme().apply(mode == QLatin1String("dark")    ? ThemeMode::dark
                               : mode == QLatin1String("light") ? ThemeMode::light
                                                                : ThemeMode::system);
    tessera::ui::MainWindow window(
        {.history = request.store, .restoreSession = true, .recordHistory = !request.noStore});
    application.setWindow(&window);
    if (request.quitWhenReady)
        QObject::connect(&window, &tessera::ui::MainWindow::ready, &window, [] { QCoreApplication::exit(0); });
    window.show();
    for (const std::string& file : request.files) window.importFile(QString::fromStdString(file));
    for (const std::string& study : request.studies) window.runStudyNamed(QString::fromStdString(study));
    const int code = QApplication::exec();
    application.setWindow(nullptr);
    return code;
}

}  // namespace

int main(int argumentCount, char** arguments) {
    // Address space may be limited where this runs beside others: few arenas.
    mallopt(M_ARENA_MAX, 4);
    CLI::App options;
    Request request;
    tessera::studio::describe(options, request);
    if (opensNoWindow(argumentCount, arguments)) return withoutWindow(options, request, argumentCount, arguments);
    if (!hasDisplay(argumentCount, arguments)) {
        fmt::print(stderr, "tessera-studio needs a display; `tessera` does the same without one\n");
        return tessera::studio::kNoFile;
    }
    // Qt takes its own options ("-platform") out first. Fractional scales stay fractional: 125 % and 150 % are crisp.
    QGuiApplication::setHighDpiScaleFactorRoundingPolicy(Qt::HighDpiScaleFactorRoundingPolicy::PassThrough);
    Application application(argumentCount, arguments);
    if (const int code = parse(options, argumentCount, arguments); code >= 0) return code;
    return show(application, request);
}
