#pragma once

#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/draw/pdf_attachments.h"
#include "core/partition/partition.h"
#include "core/study/comparison.h"
#include "core/study/result.h"

/// A report of chosen runs and sections: one document, written as HTML, Markdown or pages (PDF).
namespace tessera::report {

/// A run of a report. The result is not owned.
struct ReportRun {
    std::string title;  ///< as the history names it; empty = what the study says
    const study::Result* result = nullptr;
};

/// Sections of a report, and what its first page says. Question, answer and caveats are always there.
struct ReportOptions {
    bool comparison = true;  ///< where there are two runs or more: differences in inputs and metrics
    bool pictures = true;
    bool tables = true;
    bool assumptions = true;
    bool provenance = true;     ///< inputs with their hashes
    bool studies = false;       ///< every run's study as a file, attached
    std::string date = {};      ///< when the report was made, said below its title; empty = not said
    std::string author = {};    ///< likewise by whom
    std::string question = {};  ///< that the report answers; empty = that of the runs' engines
    std::size_t baseline = 0;   ///< the run that others are compared with
};

/// One HTML file that stands alone: no network, light or dark as the reader's system is set.
std::string htmlReport(const std::string& title, const std::vector<ReportRun>& runs, const ReportOptions& options);
/// The part of a report that is of one run, as an element to stand in another page, with styles of its own.
std::string htmlPart(const ReportRun& run, const ReportOptions& options);
/// Markdown with tables; pictures cannot stand in it, so their place is taken by the numbers.
std::string markdownReport(const std::string& title, const std::vector<ReportRun>& runs, const ReportOptions& options);
/// The report on A4 pages, each an SVG of its own, in the light theme. Pages of tables that are too wide lie on their
/// side.
std::vector<std::string> reportPages(const std::string& title, const std::vector<ReportRun>& runs,
                                     const ReportOptions& options);
/// The files that go with a report: every run's study, where the options ask for them.
std::vector<AttachedFile> reportAttachments(const std::vector<ReportRun>& runs, const ReportOptions& options);
/// Writes the report's pages as one PDF with its attachments. Throws what toPdf does (core/draw/raster.h).
std::string pdfReport(const std::string& title, const std::vector<ReportRun>& runs, const ReportOptions& options,
                      const std::stop_token& stop = {});

/// Sentences, one for each kind of accelerator that a plan does not fit on, with what would fit: "v2 would hold 41.3 GB
/// and has 16 GB. hypar fits. With this split, a batch of about 128 would fit." Activations grow with the batch,
/// weights and optimizer state do not.
std::vector<std::string> memoryAdvice(const study::Result& result, const partition::Plan& plan);

}  // namespace tessera::report
