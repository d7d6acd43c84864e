#pragma once

#include <string>
#include <variant>
#include <vector>

#include "core/draw/pdf_attachments.h"
#include "core/draw/table.h"
#include "core/report/catalogue.h"
#include "core/report/report_document.h"

/// Content of a report, before it is written as HTML, Markdown or pages.
namespace tessera::report {

struct Heading {
    int level = 2;  ///< 1 = the report's title, 2 = a section, which begins a page, 3 = a part of it
    std::string text;
};

/// The question that a report answers.
struct Question {
    std::string text;
};

/// What came out, in a sentence or two.
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

/// Files that go with the report.
struct Attachments {
    std::vector<AttachedFile> files;
};

using Block = std::variant<Heading, Question, HeadlineText, Paragraph, Sentences, Table, Picture, Attachments>;

/// The part of a report that is of one run.
std::vector<Block> runBlocks(const ReportRun& run, const ReportOptions& options);
/// The whole report in reading order: a first page with question, answer, picture and caveats; comparisons of runs that
/// have numbers in common; then run after run.
std::vector<Block> reportBlocks(const std::string& title, const std::vector<ReportRun>& runs,
                                const ReportOptions& options);

}  // namespace tessera::report
