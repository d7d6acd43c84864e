#include <fmt/format.h>

#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/base64.h"
#include "core/base/escape.h"
#include "core/base/text.h"
#include "core/draw/theme.h"
#include "core/report/report_blocks.h"
#include "core/report/report_document.h"

namespace tessera::report {

namespace {

/// Of a page of its own.
constexpr std::string_view kPage = R"(
body{margin:0;background:var(--window);color:var(--text);font:13px/1.5 system-ui,sans-serif}
main{max-width:984px;margin:0 auto;padding:24px 12px})";
constexpr std::string_view kPrintedPage =
    "@page{size:A4;margin:14mm}\n"
    "@media print{body{background:none}main{padding:0;max-width:none}nav{display:none}"
    "section{border:0;padding:0;break-before:page}table{white-space:normal;font-size:9px}"
    "svg,tr{break-inside:avoid}h3{break-after:avoid}}\n";

/// Of a report's elements, one rule a line.
constexpr std::string_view kLayout = R"(
h1{font-size:20px;font-weight:600;margin:0 0 4px}
h2{font-size:16px;font-weight:600;margin:0 0 4px}
h3{font-size:13px;font-weight:600;margin:20px 0 4px}
p{margin:4px 0}
.secondary{color:var(--secondary)}
.question{font-size:16px;color:var(--secondary);margin:16px 0 4px}
.headline{font-size:16px;font-weight:600;margin:8px 0 12px}
nav{margin:16px 0}
nav a{margin-right:16px}
a{color:var(--accent)}
section{background:var(--surface);border:1px solid var(--border);border-radius:6px;padding:12px;margin:16px 0}
svg{max-width:100%;height:auto;display:block;margin:12px 0}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;white-space:nowrap}
th{font-weight:600;text-align:left;color:var(--secondary)}
th,td{padding:4px 12px 4px 0;border-bottom:1px solid var(--grid-line)}
.number{text-align:right}
)";

/// The class of a part of a report that stands in another page.
constexpr std::string_view kPart = ".tessera-report";

/// The theme's colours as variables of an element, light or dark as the reader's system is set.
std::string colours(std::string_view element) {
    std::string light;
    std::string dark;
    for (const Token& token : kTokens) {
        light += fmt::format("--{}:{};", token.name, token.light);
        dark += fmt::format("--{}:{};", token.name, token.dark);
    }
    return fmt::format("{0}{{color-scheme:light dark;{1}}}\n@media(prefers-color-scheme:dark){{{0}{{{2}}}}}", element,
                       light, dark);
}

std::string styles() {
    return fmt::format("<style>\n{}{}{}{}</style>\n", colours(":root"), kPage, kLayout, kPrintedPage);
}

/// The same for a part, with nothing that concerns the page around it.
std::string stylesOfPart() {
    std::string text =
        fmt::format("<style>\n{}\n{}{{background:var(--window);color:var(--text);", colours(kPart), kPart);
    text += "font:13px/1.5 system-ui,sans-serif;padding:1px 12px}\n";
    for (const std::string_view rule : split(kLayout, '\n')) {
        if (rule.empty()) continue;
        const std::size_t brace = rule.find('{');
        std::vector<std::string> selectors;
        for (const std::string_view selector : split(rule.substr(0, brace), ','))
            selectors.push_back(fmt::format("{} {}", kPart, selector));
        text += fmt::format("{}{}\n", joined(selectors, ","), rule.substr(brace));
    }
    return text + "</style>\n";
}

/// Writes blocks; every heading of level 2 opens a section, and before the first of several stand links to all.
class HtmlWriter {
public:
    explicit HtmlWriter(std::vector<std::string> sections = {}) : sections_(std::move(sections)) {}

    void operator()(const Heading& heading) {
        if (heading.level == 2) {
            endSection();
            if (section_ == 0 && sections_.size() > 1) links();
            text_ += sections_.empty() ? "<section>\n" : fmt::format("<section id=\"section-{}\">\n", section_);
            ++section_;
            open_ = true;
        }
        text_ += fmt::format("<h{0}>{1}</h{0}>\n", heading.level, htmlEscaped(heading.text));
    }
    void operator()(const Question& question) {
        text_ += fmt::format("<p class=\"question\">{}</p>\n", htmlEscaped(question.text));
    }
    void operator()(const HeadlineText& headline) {
        text_ += fmt::format("<p class=\"headline\">{}</p>\n", htmlEscaped(headline.text));
    }
    void operator()(const Paragraph& paragraph) {
        text_ += fmt::format("<p{}>{}</p>\n", paragraph.secondary ? " class=\"secondary\"" : "",
                             htmlEscaped(paragraph.text));
    }
    void operator()(const Sentences& sentences) {
        text_ += "<ul>\n";
        for (const std::string& sentence : sentences.list) text_ += fmt::format("<li>{}</li>\n", htmlEscaped(sentence));
        text_ += "</ul>\n";
    }
    void operator()(const Table& table) { text_ += "<div class=\"scroll\">" + toHtml(table) + "</div>\n"; }
    void operator()(const Picture& picture) { text_ += toSvg(picture, theme_); }
    void operator()(const Attachments& attachments) {
        text_ += "<ul>\n";
        for (const AttachedFile& file : attachments.files)
            text_ += fmt::format("<li><a download=\"{}\" href=\"data:{};base64,{}\">{}</a></li>\n",
                                 htmlEscaped(file.name), file.type, toBase64(file.bytes), htmlEscaped(file.title));
        text_ += "</ul>\n";
    }
    std::string finish() {
        endSection();
        return std::move(text_);
    }

private:
    void links() {
        text_ += "<nav>\n";
        for (std::size_t i = 0; i < sections_.size(); ++i)
            text_ += fmt::format("<a href=\"#section-{}\">{}</a>\n", i, htmlEscaped(sections_[i]));
        text_ += "</nav>\n";
    }
    void endSection() {
        if (open_) text_ += "</section>\n";
        open_ = false;
    }
    Theme theme_{ThemeKind::css};
    std::vector<std::string> sections_;
    std::size_t section_ = 0;
    std::string text_;
    bool open_ = false;
};

}  // namespace

std::string htmlReport(const std::string& title, const std::vector<ReportRun>& runs, const ReportOptions& options) {
    std::string html = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
    html += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
    html += fmt::format("<title>{}</title>\n{}</head>\n<body>\n<main>\n", htmlEscaped(title), styles());
    const std::vector<Block> blocks = reportBlocks(title, runs, options);
    std::vector<std::string> sections;
    for (const Block& block : blocks)
        if (const auto* heading = std::get_if<Heading>(&block); heading != nullptr && heading->level == 2)
            sections.push_back(heading->text);
    HtmlWriter writer(std::move(sections));
    for (const Block& block : blocks) std::visit(writer, block);
    return html + writer.finish() + "</main>\n</body>\n</html>\n";
}

std::string htmlPart(const ReportRun& run, const ReportOptions& options) {
    HtmlWriter writer;
    for (const Block& block : runBlocks(run, options)) std::visit(writer, block);
    return fmt::format("<div class=\"{}\">\n{}{}</div>\n", kPart.substr(1), stylesOfPart(), writer.finish());
}

}  // namespace tessera::report
