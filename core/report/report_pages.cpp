#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "core/base/error.h"
#include "core/base/escape.h"
#include "core/base/text.h"
#include "core/draw/drawing.h"
#include "core/draw/raster.h"
#include "core/draw/table_columns.h"
#include "core/report/report_blocks.h"

namespace tessera::report {

namespace {

// A4 at 96 dots per inch.
constexpr double kPageWidth = 794, kPageHeight = 1123;
constexpr double kPageMargin = 56;
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
constexpr TextStyle kQuestion{.size = 16, .colour = "secondary", .above = 16};

/// The number in an attribute of an SVG's first tag.
double attributeOf(std::string_view svg, std::string_view name) {
    const std::string_view tag = svg.substr(0, svg.find('>'));
    const std::string wanted = fmt::format(" {}=\"", name);
    const std::size_t at = tag.find(wanted);
    double value = 0;
    if (at != std::string_view::npos) std::from_chars(tag.data() + at + wanted.size(), tag.data() + tag.size(), value);
    return value;
}

/// A table as it stands on a page: parts of its columns, each as wide as the page or less.
struct TableLayout {
    struct Part {
        Table table;
        std::vector<double> widths;
    };
    bool turned = false;  ///< the page lies on its side
    int size = 11;        ///< of letters
    std::vector<Part> parts;
};

constexpr double kWordRoom = 110;  ///< pixels up to which a word of a text column keeps it from being narrower

/// The minimum width of a column: the longest word of its title, of numbers all, of texts a word.
double minWidthOf(const Table& table, std::size_t column, int size) {
    double min = kMinColumn;
    for (const std::string_view word : split(table.columns[column].title, ' '))
        min = std::max(min, estimatedWidth(word, size, true));
    for (const std::vector<std::string>& row : table.rows) {
        if (table.columns[column].number) {
            min = std::max(min, estimatedWidth(row[column], size, false));
            continue;
        }
        for (const std::string_view word : split(row[column], ' '))
            min = std::max(min, std::min(kWordRoom, estimatedWidth(word, size, false)));
    }
    return min + kBlockGap;
}

std::vector<double> minWidthsOf(const Table& table, int size) {
    std::vector<double> min;
    for (std::size_t column = 0; column < table.columns.size(); ++column)
        min.push_back(minWidthOf(table, column, size));
    return min;
}

/// Widths of columns that fit into `room`, where the minima do: as wide as their cells, else less for those that have
/// most to give.
std::vector<double> widthsOf(const Table& table, int size, double room) {
    constexpr std::size_t kMeasured = 200;  // bytes of a cell
    const std::vector<double> min = minWidthsOf(table, size);
    std::vector<double> widths;
    double sum = 0;
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
        double max = estimatedWidth(table.columns[column].title, size, true);
        for (const auto& row : table.rows)
            max = std::max(max, estimatedWidth(std::string_view(row[column]).substr(0, kMeasured), size, false));
        widths.push_back(std::max(min[column], std::min(max, room) + kBlockGap));
        sum += widths.back();
    }
    while (sum > room) {
        std::size_t richest = 0;
        for (std::size_t column = 1; column < min.size(); ++column)
            if (widths[column] - min[column] > widths[richest] - min[richest]) richest = column;
        double& width = widths[richest];
        const double less = std::max({min[richest], width * 0.9, width - (sum - room)});
        if (less >= width) break;
        sum -= width - less;
        width = less;
    }
    return widths;
}

/// Fits a table onto pages: letters get smaller, then the page is turned, then columns go below each other. Titles and
/// numbers are never cut.
TableLayout layoutOf(const Table& table) {
    constexpr int kSmallest = 8;
    TableLayout layout;
    for (const bool turned : {false, true}) {
        const double room = (turned ? kPageHeight : kPageWidth) - 2 * kPageMargin;
        for (int size = 11; size >= kSmallest; --size) {
            const std::vector<double> min = minWidthsOf(table, size);
            if (std::accumulate(min.begin(), min.end(), 0.0) > room) continue;
            layout.turned = turned;
            layout.size = size;
            layout.parts.push_back({table, widthsOf(table, size, room)});
            return layout;
        }
    }
    layout.turned = true;
    layout.size = kSmallest + 1;
    const double room = kPageHeight - 2 * kPageMargin;
    const std::size_t keys = !table.columns.empty() && table.columns.front().title.empty() ? 2 : 1;
    for (const std::vector<std::size_t>& columns : columnParts(table, minWidthsOf(table, layout.size), keys, room)) {
        Table part = onlyColumns(table, columns);
        std::vector<double> widths = widthsOf(part, layout.size, room);
        layout.parts.push_back({std::move(part), std::move(widths)});
    }
    return layout;
}

/// Fills pages from top to bottom.
class PageWriter {
public:
    explicit PageWriter(std::string title) : title_(std::move(title)) {}

    /// Writes blocks in order. A heading stands on the page of its table, turned as that wants it.
    void write(const std::vector<Block>& blocks) {
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            const auto* table = std::get_if<Table>(&blocks[i]);
            const auto* heading = std::get_if<Heading>(&blocks[i]);
            const auto* next = i + 1 < blocks.size() ? std::get_if<Table>(&blocks[i + 1]) : nullptr;
            if (heading != nullptr && heading->level == 3 && next != nullptr) {
                ahead_ = layoutOf(*next);
                turn(ahead_->turned);
            } else if (table != nullptr) {
                if (!ahead_) ahead_ = layoutOf(*table);
                turn(ahead_->turned);
            } else if (!isNote(blocks[i])) {
                turn(false);
            }
            std::visit(*this, blocks[i]);
        }
    }

    void operator()(const Heading& heading) {
        if (heading.level == 2 && !page_.empty()) nextPage();
        const TextStyle& style = heading.level == 1 ? kTitle : (heading.level == 2 ? kRun : kPart);
        constexpr double kCompany = 80;  // a heading does not stand alone at the end of a page
        keep(style.above + style.size + kCompany);
        write(heading.text, style);
    }
    void operator()(const Question& question) { write(question.text, kQuestion); }
    void operator()(const HeadlineText& headline) { write(headline.text, kHeadline); }
    void operator()(const Paragraph& paragraph) { write(paragraph.text, paragraph.secondary ? kSecondary : kPlain); }
    void operator()(const Sentences& sentences) {
        for (const std::string& sentence : sentences.list) write("– " + sentence, kPlain);
    }
    void operator()(const Attachments& attachments) {
        for (const AttachedFile& file : attachments.files) write("– " + file.title + ": " + file.name, kPlain);
    }
    void operator()(const Table& table) {
        const TableLayout layout = ahead_ ? *std::exchange(ahead_, std::nullopt) : layoutOf(table);
        for (const TableLayout::Part& part : layout.parts) {
            keep(3 * kRow);
            y_ += 4;
            header(part, layout.size);
            for (const std::vector<std::string>& row : part.table.rows) {
                const Lines lines = linesOf(part, row, layout.size);
                if (y_ + heightOf(lines, layout.size) > bottom()) {
                    nextPage();
                    header(part, layout.size);
                }
                cells(part, lines, layout.size, false);
            }
            y_ += 4;
            if (&part != &layout.parts.back()) y_ += kRow;
        }
    }
    void operator()(const Picture& picture) {
        const std::string svg = toSvg(picture, theme_);
        const double width = attributeOf(svg, "width");
        const double height = attributeOf(svg, "height");
        if (width <= 0 || height <= 0) return;
        const double scale = std::min({1.0, room() / width, (bottom() - kPageMargin) / height});
        keep(height * scale + kBlockGap);
        y_ += kBlockGap;
        page_ +=
            fmt::format(R"(<svg x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" viewBox="0 0 {} {}"{})",
                        kPageMargin, y_, width * scale, height * scale, width, height, svg.substr(svg.find(" role=")));
        y_ += height * scale;
    }
    std::vector<std::string> finish() {
        nextPage();
        return std::move(pages_);
    }

private:
    /// What is said of a table stays with it.
    static bool isNote(const Block& block) {
        const auto* paragraph = std::get_if<Paragraph>(&block);
        return paragraph != nullptr && paragraph->secondary;
    }

    using Lines = std::vector<std::vector<std::string>>;  ///< of the cells of a row

    double pageWidth() const { return turned_ ? kPageHeight : kPageWidth; }
    double pageHeight() const { return turned_ ? kPageWidth : kPageHeight; }
    double room() const { return pageWidth() - 2 * kPageMargin; }
    double bottom() const { return pageHeight() - kPageMargin; }

    void turn(bool turned) {
        if (turned == turned_) return;
        if (!page_.empty()) nextPage();
        turned_ = turned;
    }

    void keep(double height) {
        if (y_ + height > bottom() && y_ > kPageMargin) nextPage();
    }

    void nextPage() {
        const double foot = pageHeight() - kPageMargin / 2;
        text(kPageMargin, foot, title_, {.size = 10, .colour = "secondary"}, false);
        text(pageWidth() - kPageMargin, foot, std::to_string(pages_.size() + 1), {.size = 10, .colour = "secondary"},
             true);
        pages_.push_back(
            fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}mm\" height=\"{}mm\" viewBox=\"0 0 {} "
                        "{}\" font-family=\"system-ui, sans-serif\">\n<rect width=\"{}\" height=\"{}\" "
                        "fill=\"{}\"/>\n{}</svg>\n",
                        turned_ ? 297 : 210, turned_ ? 210 : 297, pageWidth(), pageHeight(), pageWidth(), pageHeight(),
                        theme_("surface"), page_));
        page_.clear();
        y_ = kPageMargin;
    }

    void text(double x, double y, std::string_view content, const TextStyle& style, bool end) {
        page_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{}\" fill=\"{}\"{}{}>{}</text>\n", x, y,
                             style.size, theme_(style.colour), style.strong ? " font-weight=\"600\"" : "",
                             end ? " text-anchor=\"end\"" : "", htmlEscaped(content));
    }

    void write(const std::string& content, const TextStyle& style) {
        const double lineHeight = style.size * 1.4;
        y_ += y_ > kPageMargin ? style.above : 0;
        const TextWidth measure = [&](std::string_view part, int size, bool) {
            return estimatedWidth(part, size, style.strong);
        };
        for (const std::string& line : wrapped(content, room(), style.size, measure)) {
            if (y_ + lineHeight > bottom()) nextPage();
            y_ += lineHeight;
            text(kPageMargin, y_ - style.size * 0.3, line, style, false);
        }
    }

    void header(const TableLayout::Part& part, int size) {
        Lines titles;
        std::size_t lines = 1;
        for (std::size_t column = 0; column < part.widths.size(); ++column) {
            titles.push_back(
                wrapped(part.table.columns[column].title, part.widths[column] - kBlockGap + kRounding, size,
                        [](std::string_view words, int its, bool) { return estimatedWidth(words, its, true); }));
            lines = std::max(lines, titles.back().size());
        }
        for (std::vector<std::string>& title : titles)  // the last line of each stands on the rule
            title.insert(title.begin(), lines - std::min(lines, title.size()), std::string());
        cells(part, titles, size, true);
    }

    /// The cells of a row in lines: numbers in one, texts in as many as they take, up to some.
    static Lines linesOf(const TableLayout::Part& part, const std::vector<std::string>& row, int size) {
        constexpr std::size_t kMostLines = 4;
        Lines lines;
        for (std::size_t column = 0; column < row.size(); ++column) {
            const double room = part.widths[column] - kBlockGap + kRounding;
            if (part.table.columns[column].number) {
                lines.push_back({fitted(row[column], room, size, false, estimatedWidth)});
                continue;
            }
            std::vector<std::string> its = wrapped(row[column], room, size, estimatedWidth);
            if (its.size() > kMostLines) {
                its.resize(kMostLines);
                its.back() += " …";
            }
            for (std::string& line : its) line = fitted(line, room, size, false, estimatedWidth);
            lines.push_back(std::move(its));
        }
        return lines;
    }

    static double heightOf(const Lines& cells, int size) {
        std::size_t max = 1;
        for (const std::vector<std::string>& lines : cells) max = std::max(max, lines.size());
        return kRow + static_cast<double>(max - 1) * (size + 3);
    }

    void cells(const TableLayout::Part& part, const Lines& lines, int size, bool head) {
        const TextStyle style{.size = size, .strong = head, .colour = head ? "secondary" : "text"};
        double x = kPageMargin;
        for (std::size_t column = 0; column < part.widths.size(); ++column) {
            const bool end = part.table.columns[column].number;
            for (std::size_t line = 0; line < lines[column].size(); ++line)
                if (!lines[column][line].empty())
                    text(end ? x + part.widths[column] - kBlockGap : x,
                         y_ + kRow - 6 + static_cast<double>(line) * (size + 3), lines[column][line], style, end);
            x += part.widths[column];
        }
        y_ += heightOf(lines, size);
        page_ += fmt::format("<path d=\"M{0} {1:.1f}H{2:.1f}\" stroke=\"{3}\"/>\n", kPageMargin, y_ - 1,
                             std::min(x, pageWidth() - kPageMargin), theme_("grid-line"));
    }

    Theme theme_{ThemeKind::light};
    std::string title_;
    std::string page_;
    std::vector<std::string> pages_;
    std::optional<TableLayout> ahead_;  ///< of the table that comes next
    bool turned_ = false;
    double y_ = kPageMargin;
};

}  // namespace

std::vector<std::string> reportPages(const std::string& title, const std::vector<ReportRun>& runs,
                                     const ReportOptions& options) {
    PageWriter writer(title);
    writer.write(reportBlocks(title, runs, options));
    return writer.finish();
}

std::string pdfReport(const std::string& title, const std::vector<ReportRun>& runs, const ReportOptions& options,
                      const std::stop_token& stop) {
    return withAttachments(toPdf(reportPages(title, runs, options), stop), title, options.author,
                           reportAttachments(runs, options));
}

}  // namespace tessera::report
