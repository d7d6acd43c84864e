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

#include "core/base/text.h"
#include "ui/theme/theme.h"
#include "ui/workspace/window/main_window.h"

using namespace Qt::StringLiterals;

namespace {

constexpr int kWrongUsage = 2;
constexpr int kNoDisplay = 6;  // as for a file that cannot be opened

struct Request {
    std::string store;
    bool noStore = false;
    std::vector<std::string> files;
    std::vector<std::string> studies;  ///< to run at once
    bool quitWhenReady = false;
};

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

void describe(CLI::App& options, Request& request) {
    options.name("tessera-studio");
    options.description("Tessera's window: explore accelerator choice, placement and model partitioning");
    options.set_version_flag("--version", std::string("tessera-studio ") + TESSERA_VERSION);
    auto* store = options.add_option(
        "--store", request.store, "history to use instead of the one that TESSERA_STORE names, or that was used last");
    options.add_flag("--no-store", request.noStore, "keep nothing of what is run")->excludes(store);
    options.add_option("--run", request.studies, "runs a study, bundled or a file; may be repeated")
        ->type_name("STUDY")
        ->allow_extra_args(false);
    options.add_flag("--quit-when-ready", request.quitWhenReady)->group("");  // for tests of the start
    options.add_option("FILES", request.files, "models, hardware, studies or exported runs to open");
}

/// Empty where the window is to open, else the exit code. Help and version need no display.
int parse(CLI::App& options, int argumentCount, char** arguments) {
    try {
        options.parse(argumentCount, arguments);
        return -1;
    } catch (const CLI::Success& success) {
        return options.exit(success);
    } catch (const CLI::ParseError& error) {
        fmt::print(stderr, "{}\n", error.what());
        return kWrongUsage;
    }
}

bool asksForText(int argumentCount, char** arguments) {
    for (int i = 1; i < argumentCount; ++i)
        for (const char* word : {"--help", "-h", "--version"})
            if (std::string_view(arguments[i]) == word) return true;
    return false;
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
    describe(options, request);
    if (asksForText(argumentCount, arguments)) return parse(options, argumentCount, arguments);
    if (!hasDisplay(argumentCount, arguments)) {
        fmt::print(stderr, "tessera-studio needs a display; `tessera` does the same without one\n");
        return kNoDisplay;
    }
    // Qt takes its own options ("-platform") out first. Fractional scales stay fractional: 125 % and 150 % are crisp.
    QGuiApplication::setHighDpiScaleFactorRoundingPolicy(Qt::HighDpiScaleFactorRoundingPolicy::PassThrough);
    Application application(argumentCount, arguments);
    if (const int code = parse(options, argumentCount, arguments); code >= 0) return code;
    return show(application, request);
}
