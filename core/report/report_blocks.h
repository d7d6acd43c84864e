#pragma once

#include <string>
#include <variant>
#include <vector>

#include "core/draw/table.h"
#include "core/report/catalogue.h"
#include "core/report/report_document.h"

/// Content of a report, before it is written as HTML, Markdown or pages.
namespace tessera::report {

struct Heading {
    int level = 2;  ///< 1 = the report's title, 2 = a run, 3 = a part of it
    std::string text;
};

/// One line that says what came out.
struct HeadlineText {
    std::string text;
};

struct Paragraph {
    std::string text;
    bool secondary = false;
};

struct Sentences {
    std::vector<std::string> list;
};

/// Lines of a file, as they are.
struct Listing {
    std::string title;
    std::string text;
};

using Block = std::variant<Heading, HeadlineText, Paragraph, Sentences, Table, Picture, Listing>;

/// The part of a report that is of one run.
std::vector<Block> runBlocks(const ReportRun& run, const ReportOptions& options);
/// The whole report in reading order: title, comparison, then run after run, each beginning with its headline.
std::vector<Block> reportBlocks(const std::string& title, const std::vector<ReportRun>& runs,
                                const ReportOptions& options);

}  // namespace tessera::report
