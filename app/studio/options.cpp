#include "app/studio/options.h"

#include <array>

#include "app/manual/conventions.h"
#include "app/manual/man_page.h"

namespace tessera::studio {

namespace {

using cli::Exit;
using cli::ExitCode;
using cli::Variable;

constexpr std::array kStudioVariables{
    Variable{"TESSERA_STORE", "history file where --store names none"},
    Variable{"TESSERA_DATA", "folder of your own hardware, software stacks and workloads"},
    Variable{"XDG_DATA_HOME", "where the history and your own files are (default ~/.local/share)"},
    Variable{"XDG_CONFIG_HOME", "where the settings and the session are (default ~/.config)"},
    Variable{"DISPLAY", "the display to open on; WAYLAND_DISPLAY likewise"},
    Variable{"QT_QPA_PLATFORM", "how Qt draws, such as xcb, wayland or offscreen"},
    Variable{"QT_SCALE_FACTOR", "how much larger everything is, such as 1.5"},
    Variable{"TMPDIR", "where files of a moment are (default /tmp)"},
};

constexpr std::array kStudioExits{
    Exit{ExitCode::kSuccess, "success"},
    Exit{ExitCode::kUsage, "wrong usage"},
    Exit{ExitCode::kFile, "no display, or a file that cannot be read, drawn or written"},
};

constexpr cli::Conventions kConventions{.variables = kStudioVariables, .exits = kStudioExits};

}  // namespace

void describe(CLI::App& options, Request& request) {
    options.name("tessera-studio");
    options.description("Tessera's window: explore accelerator choice, placement and model partitioning");
    options.set_help_flag("-h,--help", "show this help");
    options.set_version_flag("-V,--version", std::string("tessera-studio ") + TESSERA_VERSION, "print the version");
    auto* store = options
                      .add_option("--store", request.store,
                                  "history to use instead of the one that TESSERA_STORE names, or that was used last")
                      ->type_name("FILE");
    options.add_flag("--no-store", request.noStore, "keep nothing of what is run")->excludes(store);
    options.add_option("--run", request.studies, "runs a study, bundled or a file; may be repeated")
        ->type_name("STUDY")
        ->allow_extra_args(false);
    auto* convert = options
                        .add_option("--convert", request.convert,
                                    "png or pdf: writes pictures, SVG files or standard input, to standard output in "
                                    "this format, and opens no window; each is a page of a PDF")
                        ->type_name("FORMAT")
                        ->check([](const std::string& format) {
                            return format == "png" || format == "pdf" ? "" : "expected png or pdf";
                        });
    options.add_option("--zoom", request.zoom, "how much larger the picture of --convert png is (default 1)")
        ->type_name("N")
        ->needs(convert);
    options.add_flag("--man", request.man, "print this as a page of the manual, for 'man -l -'");
    options.add_flag("--quit-when-ready", request.quitWhenReady)->group("");  // for tests of the start
    options.add_option("FILES", request.files, "models, hardware, studies or exported runs to open")->type_name("");
    options.footer("Example:\n  tessera-studio --run resnet50-mixed-tpus\n" + cli::footerOf(kConventions) +
                   "\nHelp:\n  F1 in the window opens the guide at what has the focus.");
}

std::string manualPage(const CLI::App& options) {
    return cli::manPage(options, "tessera-studio", kConventions, {"tessera"});
}

}  // namespace tessera::studio
