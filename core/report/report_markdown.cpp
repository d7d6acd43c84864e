#include <fmt/format.h>

#include <string_view>
#include <variant>

#include "core/base/escape.h"
#include "core/base/text.h"
#include "core/report/report_blocks.h"

namespace tessera::report {

namespace {

class MarkdownWriter {
public:
    void operator()(const Heading& heading) {
        line(std::string(static_cast<std::size_t>(heading.level), '#') + " " + markdownEscaped(heading.text));
    }
    void operator()(const Question& question) { line("*" + markdownEscaped(question.text) + "*"); }
    void operator()(const HeadlineText& headline) { line("**" + markdownEscaped(headline.text) + "**"); }
    void operator()(const Paragraph& paragraph) { line(markdownEscaped(paragraph.text)); }
    void operator()(const Sentences& sentences) {
        for (const std::string& sentence : sentences.list) text_ += "- " + markdownEscaped(sentence) + "\n";
        text_ += "\n";
    }
    void operator()(const Table& table) {
        std::string head = "|";
        std::string rule = "|";
        for (const Table::Column& column : table.columns) {
            head += " " + markdownEscaped(column.title) + " |";
            rule += column.number ? " ---: |" : " --- |";
        }
        text_ += head + "\n" + rule + "\n";
        for (const std::vector<std::string>& row : table.rows) {
            text_ += "|";
            for (const std::string& cell : row) text_ += " " + markdownEscaped(cell) + " |";
            text_ += "\n";
        }
        text_ += "\n";
    }
    void operator()(const Picture& /*picture*/) {}
    /// Markdown carries no files: they stand in it, at its end.
    void operator()(const Attachments& attachments) {
        for (const AttachedFile& file : attachments.files) {
            text_ += "- " + markdownEscaped(file.title) + "\n";
            files_ += markdownEscaped(file.title) + "\n\n";
            for (const std::string_view row : split(file.bytes, '\n')) files_ += "    " + escaped(row, 4096) + "\n";
            files_ += "\n";
        }
        text_ += "\n";
    }
    std::string finish() { return std::move(text_) + files_; }

private:
    void line(const std::string& text) { text_ += text + "\n\n"; }
    std::string text_, files_;
};

}  // namespace

std::string markdownReport(const std::string& title, const std::vector<ReportRun>& runs, const ReportOptions& options) {
    MarkdownWriter writer;
    for (const Block& block : reportBlocks(title, runs, options)) std::visit(writer, block);
    return writer.finish();
}

}  // namespace tessera::report
