#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <variant>

#include "core/base/error.h"
#include "core/base/escape.h"
#include "core/base/file.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "core/draw/drawing.h"
#include "core/report/report_blocks.h"

namespace tessera::report {

namespace {

// A4 at 96 dots per inch.
constexpr double kPageWidth = 794, kPageHeight = 1123;
constexpr double kPageMargin = 56;
constexpr double kWidth = kPageWidth - 2 * kPageMargin;
constexpr double kBottom = kPageHeight - kPageMargin;
constexpr double kRow = 18;
constexpr double kBlockGap = 12;
constexpr double kMinColumn = 28;
constexpr double kRounding = 0.1;  ///< what a text may be wider than the room that was made for it

struct TextStyle {
    int size = 13;
    bool strong = false;
    const char* colour = "text";
    double above = 4;  ///< pixels before the first line
};

constexpr TextStyle kTitle{.size = 20, .strong = true, .above = 0};
constexpr TextStyle kRun{.size = 16, .strong = true, .above = 24};
constexpr TextStyle kPart{.size = 13, .strong = true, .above = 16};
constexpr TextStyle kHeadline{.size = 16, .strong = true, .above = 8};
constexpr TextStyle kPlain{};
constexpr TextStyle kSecondary{.colour = "secondary"};
constexpr TextStyle kCode{.size = 10, .colour = "secondary", .above = 0};

/// The number in an attribute of an SVG's first tag.
double attributeOf(std::string_view svg, std::string_view name) {
    const std::string_view tag = svg.substr(0, svg.find('>'));
    const std::string wanted = fmt::format(" {}=\"", name);
    const std::size_t at = tag.find(wanted);
    double value = 0;
    if (at != std::string_view::npos) std::from_chars(tag.data() + at + wanted.size(), tag.data() + tag.size(), value);
    return value;
}

/// Fills pages from top to bottom.
class PageWriter {
public:
    explicit PageWriter(std::string title) : title_(std::move(title)) {}

    void operator()(const Heading& heading) {
        const TextStyle& style = heading.level == 1 ? kTitle : (heading.level == 2 ? kRun : kPart);
        constexpr double kCompany = 80;  // a heading does not stand alone at the end of a page
        keep(style.above + style.size + kCompany);
        write(heading.text, style);
    }
    void operator()(const HeadlineText& headline) { write(headline.text, kHeadline); }
    void operator()(const Paragraph& paragraph) { write(paragraph.text, paragraph.secondary ? kSecondary : kPlain); }
    void operator()(const Sentences& sentences) {
        for (const std::string& sentence : sentences.list) write("– " + sentence, kPlain);
    }
    void operator()(const Table& table) {
        const Columns columns = columnsOf(table);
        keep(3 * kRow);
        y_ += 4;
        header(table, columns);
        for (const std::vector<std::string>& row : table.rows) {
            if (y_ + kRow > kBottom) {
                nextPage();
                header(table, columns);
            }
            cells(table, columns, row, false);
        }
        y_ += 4;
    }
    void operator()(const Picture& picture) {
        const std::string svg = toSvg(picture, theme_);
        const double width = attributeOf(svg, "width");
        const double height = attributeOf(svg, "height");
        if (width <= 0 || height <= 0) return;
        const double scale = std::min({1.0, kWidth / width, (kBottom - kPageMargin) / height});
        keep(height * scale + kBlockGap);
        y_ += kBlockGap;
        page_ +=
            fmt::format(R"(<svg x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" viewBox="0 0 {} {}"{})",
                        kPageMargin, y_, width * scale, height * scale, width, height, svg.substr(svg.find(" role=")));
        y_ += height * scale;
    }
    void operator()(const Listing& listing) {
        write(listing.title, kPart);
        for (const std::string_view line : split(listing.text, '\n')) {
            const std::size_t indent = std::min<std::size_t>(line.find_first_not_of(' '), 40);
            if (!trimmed(line).empty()) write(std::string(trimmed(line)), kCode, static_cast<double>(indent) * 4);
        }
    }
    std::vector<std::string> finish() {
        nextPage();
        return std::move(pages_);
    }

private:
    void keep(double height) {
        if (y_ + height > kBottom && y_ > kPageMargin) nextPage();
    }

    void nextPage() {
        text(kPageMargin, kPageHeight - kPageMargin / 2, title_, {.size = 10, .colour = "secondary"}, false);
        text(kPageWidth - kPageMargin, kPageHeight - kPageMargin / 2, std::to_string(pages_.size() + 1),
             {.size = 10, .colour = "secondary"}, true);
        pages_.push_back(
            fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"210mm\" height=\"297mm\" viewBox=\"0 0 {0} "
                        "{1}\" font-family=\"system-ui, sans-serif\">\n<rect width=\"{0}\" height=\"{1}\" "
                        "fill=\"{2}\"/>\n{3}</svg>\n",
                        kPageWidth, kPageHeight, theme_("surface"), page_));
        page_.clear();
        y_ = kPageMargin;
    }

    void text(double x, double y, std::string_view content, const TextStyle& style, bool end) {
        page_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{}\" fill=\"{}\"{}{}>{}</text>\n", x, y,
                             style.size, theme_(style.colour), style.strong ? " font-weight=\"600\"" : "",
                             end ? " text-anchor=\"end\"" : "", htmlEscaped(content));
    }

    void write(const std::string& content, const TextStyle& style, double indent = 0) {
        const double lineHeight = style.size * 1.4;
        y_ += y_ > kPageMargin ? style.above : 0;
        for (const std::string& line : wrapped(content, kWidth - indent, style.size, estimatedWidth)) {
            if (y_ + lineHeight > kBottom) nextPage();
            y_ += lineHeight;
            text(kPageMargin + indent, y_ - style.size * 0.3, line, style, false);
        }
    }

    struct Columns {
        std::vector<double> widths;
        int size = 11;  ///< of letters
    };

    /// The minimum width of a column: the longest word of its title, and of numbers all.
    static double minWidth(const Table& table, std::size_t column, int size) {
        double min = kMinColumn;
        for (const std::string_view word : split(table.columns[column].title, ' '))
            min = std::max(min, estimatedWidth(word, size, true));
        if (table.columns[column].number)
            for (const auto& row : table.rows) min = std::max(min, estimatedWidth(row[column], size, false));
        return min + kBlockGap;
    }

    /// Titles and numbers are never cut: words of text columns are, and letters get smaller where that is not enough.
    static Columns columnsOf(const Table& table) {
        constexpr int kSmallest = 7;
        Columns columns;
        std::vector<double> min;
        for (;; --columns.size) {
            double sum = 0;
            min.clear();
            for (std::size_t column = 0; column < table.columns.size(); ++column) {
                min.push_back(minWidth(table, column, columns.size));
                sum += min.back();
            }
            if (sum <= kWidth || columns.size == kSmallest) break;
        }
        double sum = 0;
        for (std::size_t column = 0; column < table.columns.size(); ++column) {
            double max = estimatedWidth(table.columns[column].title, columns.size, true);
            for (const auto& row : table.rows)
                max = std::max(max, estimatedWidth(row[column].substr(0, 200), columns.size, false));
            columns.widths.push_back(std::max(min[column], std::min(max, kWidth) + kBlockGap));
            sum += columns.widths.back();
        }
        // What is too wide is taken from the columns that have most to give.
        while (sum > kWidth) {
            std::size_t richest = 0;
            for (std::size_t column = 1; column < min.size(); ++column)
                if (columns.widths[column] - min[column] > columns.widths[richest] - min[richest]) richest = column;
            double& width = columns.widths[richest];
            const double less = std::max({min[richest], width * 0.9, width - (sum - kWidth)});
            if (less >= width) break;
            sum -= width - less;
            width = less;
        }
        return columns;
    }

    void header(const Table& table, const Columns& columns) {
        std::vector<std::vector<std::string>> titles;
        std::size_t lines = 1;
        for (std::size_t column = 0; column < columns.widths.size(); ++column) {
            titles.push_back(
                wrapped(table.columns[column].title, columns.widths[column] - kBlockGap, columns.size,
                        [](std::string_view text, int size, bool) { return estimatedWidth(text, size, true); }));
            lines = std::max(lines, titles.back().size());
        }
        for (std::size_t line = 0; line < lines; ++line) {
            std::vector<std::string> row;
            for (const std::vector<std::string>& title : titles)  // the last line of each stands on the rule
                row.push_back(line + title.size() < lines ? "" : title[line + title.size() - lines]);
            cells(table, columns, row, true, line + 1 == lines);
        }
    }

    void cells(const Table& table, const Columns& columns, const std::vector<std::string>& row, bool head,
               bool ruled = true) {
        const TextStyle style{.size = columns.size, .strong = head, .colour = head ? "secondary" : "text"};
        double x = kPageMargin;
        for (std::size_t column = 0; column < columns.widths.size(); ++column) {
            const double room = columns.widths[column] - kBlockGap;
            const std::string cell = fitted(row[column], room + kRounding, style.size, head, estimatedWidth);
            const bool end = table.columns[column].number;
            text(end ? x + room : x, y_ + kRow - 6, cell, style, end);
            x += columns.widths[column];
        }
        y_ += ruled ? kRow : kRow - 4;
        if (!ruled) return;
        page_ += fmt::format("<path d=\"M{0} {1:.1f}H{2:.1f}\" stroke=\"{3}\"/>\n", kPageMargin, y_ - 1,
                             std::min(x, kPageWidth - kPageMargin), theme_("grid-line"));
    }

    Theme theme_{ThemeKind::light};
    std::string title_;
    std::string page_;
    std::vector<std::string> pages_;
    double y_ = kPageMargin;
};

}  // namespace

std::vector<std::string> reportPages(const std::string& title, const std::vector<ReportRun>& runs,
                                     const ReportOptions& options) {
    PageWriter writer(title);
    for (const Block& block : reportBlocks(title, runs, options)) std::visit(writer, block);
    return writer.finish();
}

std::string pdfReport(const std::string& title, const std::vector<ReportRun>& runs, const ReportOptions& options,
                      const std::stop_token& stop) {
    const TemporaryFolder folder;
    std::vector<std::string> command{"rsvg-convert", "--format=pdf"};
    for (const std::string& page : reportPages(title, runs, options)) {
        const std::filesystem::path file = folder.path() / fmt::format("{:05}.svg", command.size());
        writeFile(file.string(), asPrinted(page));
        command.push_back(file.string());
    }
    const ProcessResult result = runProcess(command, "", {}, stop);
    if (result.exitCode != 0)
        throw FileError(fmt::format("rsvg-convert could not write the report: {}",
                                    result.errors.substr(0, result.errors.find('\n'))));
    return result.output;
}

}  // namespace tessera::report
