#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/timeline.h"
#include "core/draw/drawing.h"
#include "core/draw/picture.h"
#include "core/draw/table.h"
#include "core/study/result.h"
#include "core/study/study.h"

/// The catalogue of what can be shown of a result: each picture and table is one row, which `tessera export`, reports
/// and the window share. The rows of an engine stand in its own file, such as mapping_catalogue.cpp.
namespace tessera::report {

using Picture = std::variant<Chart, HeatMap, Timeline, Drawing>;

/// Selected part of a result, where a picture or table is not of the whole.
struct Selection {
    std::string choice = {};    ///< a strategy, algorithm, model or prediction ("bow@8")
    std::size_t split = 0;      ///< of the choice's array of accelerators, as an index of the plan's levels
    std::size_t level = 0;      ///< of the choice's memory, as an index of its levels
    std::size_t colouring = 0;  ///< of those that a picture has, such as the jobs of a schedule by kind or by model
    bool operator==(const Selection&) const = default;
};

/// Input of a picture or table. The references are not owned. A picture for which the study is solved again uses the
/// context, and throws like study::run.
struct View {
    const study::Result& result;
    const Selection& at;
    const study::RunContext& context;
};

/// Part of a result that a picture or table is of.
enum class Scope : std::uint8_t {
    result,   ///< the whole
    choice,   ///< the best strategy, algorithm or prediction, unless another is chosen
    model,    ///< a model; a report shows those of all models
    devices,  ///< all accelerators at the number of devices of the chosen prediction
    split,    ///< a split of the chosen strategy
    level,    ///< a level of memory of the chosen prediction; a report shows those of all levels in use
};

/// Outputs that a row appears in besides `tessera export`, which has all.
enum Where : unsigned {
    kWindow = 1,          ///< in the window: a tab of its run's page, and in the list of exports
    kReport = 2,          ///< in reports, in the order of the rows
    kSolvedAnew = 4,      ///< solves studies again: the window offers it only once its own view has done so
    kWithoutNumbers = 8,  ///< a drawing that has no table of its own: cannot be written as CSV
    kTimeline = 16        ///< a Timeline: can be written as a Chrome trace
};

/// Metadata of a picture or table: id, title, scope, outputs.
struct Row {
    std::string_view id;     ///< "step-time": names it on the command line and in files; never changes
    std::string_view title;  ///< "Step time": names it in tabs, menus and above tables of a report
    std::string_view about;  ///< "Step time by strategy, with its bound", as the command's help says it
    Scope scope = Scope::result;
    unsigned where = kWindow;
    std::function<bool(const View&)> applies = {};  ///< whether the result has what is shown; empty = always
};
struct PictureRow : Row {
    std::function<Picture(const View&)> make;
};
struct TableRow : Row {
    std::function<Table(const View&)> make;        ///< for people
    std::function<Table(const View&)> exact = {};  ///< full precision for spreadsheets; empty = as for people
};
/// A file that other commands or programs read, and those that it names: paths and bytes, in the order in which they
/// are to be written. `out` is the file's own path. One that is an input of another study is a hand-over (handover.h).
struct FileRow : Row {
    std::string_view suffix;  ///< ".json"
    std::function<std::vector<std::pair<std::filesystem::path, std::string>>(const View& view,
                                                                             const std::filesystem::path& out)>
        make;
    /// What it is to other studies: their `hardwareKind` ("fleet"), "accelerator", or "study" as a whole; empty =
    /// nothing.
    std::string_view makes = {};
    /// Part of the result that it is made of: "architecture", as the window's pages call what is selected; empty = the
    /// whole.
    std::string_view of = {};
    /// Names of these parts, the default first; null = those of the catalogue.
    std::vector<std::string> (*choices)(const study::Result& result) = nullptr;
};

/// Pictures and tables of one engine's results.
struct Catalogue {
    std::string_view engine;
    std::vector<PictureRow> pictures;  ///< the first is what `export --what chart` writes
    std::vector<TableRow> tables;
    std::string_view firstTable;                          ///< what `export` writes
    std::string_view preposition;                         ///< between a title and its choice: "Splits under accpar"
    std::string (*subject)(const study::Result& result);  ///< "resnet50": begins the names of files
    /// Every strategy, algorithm, model or prediction, the one that headlines are about first.
    std::vector<std::string> (*choices)(const study::Result& result);
    std::vector<std::string> (*sentences)(const study::Result& result);  ///< what a report says below the headline
    std::string (*part)(const View& view, Scope scope) = nullptr;        ///< "on 8 devices"; null = there are no parts
    /// What a report's first page answers, in two sentences: what came out, and how certain that is. Empty where
    /// nothing came out; null = the headline as a sentence.
    std::string (*answer)(const study::Result& result) = nullptr;
    /// Text that the command line prints; null = headline, the tables of reports and the assumptions.
    std::string (*text)(const study::Result& result) = nullptr;
    std::vector<std::size_t> (*levels)(const View& view) = nullptr;  ///< of memory, the largest first
    std::vector<FileRow> files = {};                                 ///< the first is what `export --what file` writes
};

/// Catalogues of all engines.
const std::vector<Catalogue>& catalogues();
/// Throws UsageError where there is no such engine.
const Catalogue& catalogueOf(std::string_view engine);
/// Adds the catalogue of an engine that a program brings itself. Before anything is looked up.
void addCatalogue(Catalogue catalogue);
/// Adds a picture to those of an engine, for programs that bring their own. Before anything is looked up.
void addPicture(std::string_view engine, PictureRow row);
/// The same of a file, such as a hand-over to other studies.
void addFile(std::string_view engine, FileRow row);

/// Name of a picture or table in `tessera export --name` of older versions, still accepted.
struct OlderName {
    std::string_view engine, older, id;
};
const std::vector<OlderName>& olderNames();

/// The row of an id, or of an older name where no row has that id. Throws UsageError, naming those that there are.
const PictureRow& pictureNamed(std::string_view engine, std::string_view id);
const TableRow& tableNamed(std::string_view engine, std::string_view id);
const FileRow& fileNamed(std::string_view engine, std::string_view id);

/// Completes a selection from a choice's name; no name = the best. Throws UsageError where the result has no such
/// strategy, algorithm, model or prediction.
Selection selectionOf(const study::Result& result, const std::string& choice);
/// The same of what a file is made of.
Selection selectionOf(const FileRow& row, const study::Result& result, const std::string& choice);
/// The selections that a list of everything has for a row: one per level of memory for those of a level, else `at`.
/// Empty where the row does not apply.
std::vector<Selection> selectionsOf(const Row& row, const study::Result& result, const Selection& at);
/// "Memory of bow@8 · HBM": a row's title with what it is of.
std::string titleOf(const Row& row, const study::Result& result, const Selection& at);
/// "resnet50-bow@8-batch-memory-HBM": a name for its file, without suffix, as yet with any letters.
std::string fileNameOf(const Row& row, const study::Result& result, const Selection& at);

/// The answer of a result in two sentences or so.
std::string answerText(const study::Result& result);
/// The result as text with tables, as the command line prints it.
std::string toText(const study::Result& result);

std::string toSvg(const Picture& picture, const Theme& theme);
/// Throws UsageError for a drawing, which has no numbers.
std::string toCsv(const Picture& picture);

}  // namespace tessera::report
