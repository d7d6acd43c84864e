#include "core/draw/heat_map_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/draw/measures.h"

namespace tessera::report {

namespace {

constexpr double kWidestRowName = 168;  ///< beyond which it is cut
constexpr int kTitle = 16;
constexpr double kTitleLine = 15;   ///< base line of the title
constexpr double kSecondLine = 31;  ///< of what stands above rows, columns and notes
constexpr double kHeadHeight = 38;
constexpr double kRowHeight = 22;
constexpr double kWidestCell = 44;
constexpr double kWidestFilling = 4 * kWidestCell;  ///< a few columns fill a window, too
constexpr double kPrintedFrom = 14;                 ///< marks are printed in cells larger than this
constexpr double kUpright = 14;                     ///< a line of text turned by 90°
constexpr double kRowPitch = 14;                    ///< from the base line of one row's name to the next
constexpr double kNamesHeight = 70;                 ///< of everything below the cells in a low window
constexpr double kNamesShare = 0.2;                 ///< of a high one
constexpr double kMaxNamesHeight = 130;
constexpr double kNamedRow = 12;      ///< below this height rows need the room of the names
constexpr double kLowestMarked = 11;  ///< rows from this height on have room for a mark
constexpr double kHeadsHeight = 17;   ///< of the line of what neighbouring columns share
constexpr double kGroupGap = 4;
constexpr double kMaxGroupedRows = 64;
constexpr double kSharpCell = 4;            ///< cells from this size on stand one pixel apart
constexpr std::size_t kMaxSpelled = 5'000;  ///< columns in sight whose shared names are looked for

/// Neighbouring columns whose names begin alike: "layer1" of "layer1.0.conv1" and "layer1.0.conv2".
struct Span {
    std::size_t from = 0, to = 0;  ///< columns [from, to)
    std::string_view head;         ///< empty where the name has no parts
    bool shown = false;            ///< once below the columns, and left out of their names
};

bool isSeparator(char letter) {
    return letter == '.' || letter == '/';
}

/// The length of what all names begin with, up to and including a separator; 0 for a single name.
std::size_t commonPrefix(const std::vector<std::string>& names) {
    if (names.size() < 2) return 0;
    std::size_t length = names[0].size();
    for (const std::string& name : names) {
        const auto end = std::mismatch(names[0].begin(), names[0].begin() + static_cast<std::ptrdiff_t>(length),
                                       name.begin(), name.end());
        length = static_cast<std::size_t>(end.first - names[0].begin());
        if (length == 0) return 0;
    }
    while (length > 0 && !isSeparator(names[0][length - 1])) --length;
    return length;
}

class HeatMapBuilder {
public:
    HeatMapBuilder(const HeatMap& map, const HeatMapView& view, Size size, const TextWidth& measure)
        : map_(map), view_(view), size_(size), measure_(measure) {}

    HeatMapLayout build() {
        out_.drawing.width = size_.width;
        out_.drawing.height = size_.height;
        out_.drawing.title = map_.title;
        text({0, kTitleLine}, fitted(map_.title, size_.width, kTitle, true, measure_), "text", Anchor::start, kTitle,
             true);
        if (rowsOf(map_) == 0 || columnsOf(map_) == 0) return nothing();
        place();
        rowTexts();
        out_.drawing.shapes.push_back(Clip{out_.plot});
        cells();
        out_.drawing.shapes.push_back(Clip{});
        columnTexts();
        pins();
        legend();
        note();
        return std::move(out_);
    }

private:
    double width(const std::string& line, bool strong = false) const { return measure_(line, kCaption, strong); }
    void text(Point at, std::string line, const std::string& colour = "secondary", Anchor anchor = Anchor::start,
              int size = kCaption, bool strong = false) {
        out_.drawing.shapes.push_back(Label{
            .at = at, .text = std::move(line), .colour = colour, .anchor = anchor, .size = size, .strong = strong});
    }

    HeatMapLayout nothing() {
        out_.empty = true;
        double y = view_.fill ? size_.height / 2 : kHeadHeight + 16;
        for (const std::string& line : wrapped(map_.empty, size_.width * 0.9, 13, measure_)) {
            text({view_.fill ? size_.width / 2 : 0, y}, line, "secondary", view_.fill ? Anchor::middle : Anchor::start,
                 13);
            y += 18;
        }
        out_.drawing.height = std::max(view_.fill ? size_.height : 0, y);
        return std::move(out_);
    }

    void place() {
        columns_ = view_.columns > 0 ? view_.columns : static_cast<double>(columnsOf(map_));
        rows_ = view_.rows > 0 ? view_.rows : static_cast<double>(rowsOf(map_));
        out_.firstColumn = view_.columns > 0 ? view_.firstColumn : 0;
        out_.firstRow = view_.rows > 0 ? view_.firstRow : 0;
        const double names =
            std::min(std::max(widest(map_.rows), width(map_.rowTitle)), std::min(kWidestRowName, size_.width * 0.3));
        const double notes = map_.rowNotes.empty() ? 0
                                                   : std::min(std::max(widest(map_.rowNotes), width(map_.rowNoteTitle)),
                                                              std::min(kWidestRowName, size_.width * 0.2));
        Rect& plot = out_.plot;
        plot.x = names + (names > 0 ? kGap : 0);
        const double room = std::max(20.0, size_.width - plot.x - (notes > 0 ? notes + kGap : 0));
        out_.cellWidth = std::min(room / columns_, view_.fill ? kWidestFilling : kWidestCell);
        plot.width = out_.cellWidth * columns_;
        out_.perColumn = static_cast<std::size_t>(std::max(1.0, std::ceil(view_.minCell / out_.cellWidth - 1e-9)));
        placeLegend();
        plot.y = kHeadHeight + kLine * static_cast<double>(legendRows_ - 1) + (view_.pinned.empty() ? 0 : 6);
        findSpans();
        placeRows();
    }

    /// How high rows are and how much room is left for the names of columns.
    void placeRows() {
        groupRows();
        const double folded = out_.perColumn > 1 ? kLine : 0;
        chooseNames(true);
        fillHeight(folded);
        if (view_.fill && out_.cellHeight < kNamedRow && nameHeight_ > 0) {  // rows need it more
            chooseNames(false);
            fillHeight(folded);
        }
        const double min = view_.fill ? 1 : kRowHeight / 2;
        out_.perRow = static_cast<std::size_t>(std::max(1.0, std::ceil(min / out_.cellHeight - 1e-9)));
        if (out_.perRow > 1) out_.gaps.clear();
        out_.plot.height = out_.cellHeight * rows_ + out_.gap * static_cast<double>(out_.gaps.size());
        const double below = nameHeight_ + folded + (out_.perRow > 1 && folded == 0 ? kLine : 0);
        if (!view_.fill) out_.drawing.height = out_.plot.bottom() + below + 2;
    }

    void fillHeight(double folded) {
        out_.cellHeight = rows_ > kMaxGroupedRows ? kMaxGroupedRows * kRowHeight / rows_ : kRowHeight;
        if (!view_.fill) return;
        const double between = out_.gap * static_cast<double>(out_.gaps.size());
        const double high = std::max(20.0, size_.height - out_.plot.y - nameHeight_ - folded - between);
        out_.cellHeight = std::min(high / rows_, 2 * kWidestCell);
    }

    void groupRows() {
        if (rows_ > kMaxGroupedRows || view_.rows > 0) return;
        out_.gap = kGroupGap;
        for (std::size_t row = 1; row < std::min(map_.rowGroups.size(), rowsOf(map_)); ++row)
            if (map_.rowGroups[row] != map_.rowGroups[row - 1]) out_.gaps.push_back(row);
    }

    /// The names of columns in sight, in spans that begin alike; a span is shown where its head has room.
    void findSpans() {
        if (map_.columns.empty()) return;
        skipped_ = commonPrefix(map_.columns);
        const std::size_t to = std::min(lastColumn(), map_.columns.size());
        if (to - std::min(to, firstColumn()) > kMaxSpelled) return;
        for (std::size_t column = firstColumn(); column < to; ++column) {
            const std::string_view name = std::string_view(map_.columns[column]).substr(skipped_);
            const auto* const end = std::find_if(name.begin(), name.end(), isSeparator);
            const std::string_view head =
                end == name.end() ? std::string_view() : name.substr(0, static_cast<std::size_t>(end - name.begin()));
            if (!spans_.empty() && !head.empty() && spans_.back().head == head) {
                ++spans_.back().to;
            } else {
                spans_.push_back({column, column + 1, head});
            }
        }
        for (Span& span : spans_) {
            const double pixels = out_.cellWidth * static_cast<double>(span.to - span.from);
            span.shown = span.to - span.from > 1 && width(escaped(span.head)) + 4 <= pixels;
            hasHeads_ = hasHeads_ || span.shown;
        }
    }

    /// With `all`, names stand below the columns; else only what neighbours share, or less of the names.
    void chooseNames(bool all) {
        nameHeight_ = nameRoom_ = 0;
        if (map_.columns.empty()) return;
        const double heads = hasHeads_ ? kHeadsHeight : 0;
        const double high =
            view_.fill ? std::clamp(kNamesShare * size_.height, kNamesHeight, kMaxNamesHeight) : 1.5 * kNamesHeight;
        const double max = all         ? high
                           : hasHeads_ ? heads * (view_.fill ? 1 : 1.5)
                                       : kNamesHeight / 2 * (view_.fill ? 1 : 1.5);
        nameRoom_ = std::max(0.0, std::min(widestName() + 2, max - heads - 5));
        if (nameRoom_ < kUpright) nameRoom_ = 0;
        nameHeight_ = (nameRoom_ > 0 ? nameRoom_ + 5 : 0) + heads + 2;
    }

    /// What stands below a column: its name without what all or its neighbours share.
    std::string_view shortName(std::size_t column, const Span* span) const {
        const std::string_view name = std::string_view(map_.columns[column]).substr(skipped_);
        return span != nullptr && span->shown ? name.substr(span->head.size() + 1) : name;
    }

    /// The widest short name, by a sample where there are many.
    double widestName() const {
        double max = 0;
        if (spans_.empty()) {
            const std::size_t to = std::min(lastColumn(), map_.columns.size());
            const std::size_t step = std::max<std::size_t>(1, (to - std::min(to, firstColumn())) / 200);
            for (std::size_t i = firstColumn(); i < to; i += step)
                max = std::max(max, width(escaped(shortName(i, nullptr))));
        }
        for (const Span& span : spans_) {
            const std::size_t step = std::max<std::size_t>(1, (span.to - span.from) / 50);
            for (std::size_t i = span.from; i < span.to; i += step)
                max = std::max(max, width(escaped(shortName(i, &span))));
        }
        return max;
    }

    double widest(const std::vector<std::string>& names) const {
        double max = 0;
        const std::size_t step = std::max<std::size_t>(1, names.size() / 256);
        for (std::size_t i = 0; i < names.size(); i += step) max = std::max(max, width(escaped(names[i])));
        return max > 0 ? max + 2 : 0;
    }
    std::size_t firstRow() const { return static_cast<std::size_t>(std::max(0.0, std::floor(out_.firstRow))); }
    std::size_t lastRow() const {
        return std::min(rowsOf(map_), static_cast<std::size_t>(std::ceil(out_.firstRow + rows_)));
    }
    std::size_t firstColumn() const { return static_cast<std::size_t>(std::max(0.0, std::floor(out_.firstColumn))); }
    std::size_t lastColumn() const {
        return std::min(columnsOf(map_), static_cast<std::size_t>(std::ceil(out_.firstColumn + columns_)));
    }

    void rowTexts() {
        const Rect& plot = out_.plot;
        const double line = kSecondLine + kLine * static_cast<double>(legendRows_ - 1);
        if (legendInTitle_) text({plot.x, line}, fitted(map_.columnTitle, plot.width, kCaption, false, measure_));
        text({plot.x - kGap, line}, fitted(map_.rowTitle, plot.x - kGap, kCaption, false, measure_), "secondary",
             Anchor::end);
        const double right = size_.width - plot.right() - kGap;
        if (!map_.rowNotes.empty())
            text({plot.right() + kGap, line}, fitted(map_.rowNoteTitle, right, kCaption, false, measure_));
        const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil(kRowPitch / out_.cellHeight - 1e-9)));
        for (std::size_t row = firstRow(); row < lastRow(); row += every) {
            const Rect cell = out_.cell(static_cast<double>(row), 0);
            const double y = cell.y + cell.height / 2 + 4;
            if (y < plot.y + 4 || y > plot.bottom() + 2) continue;
            if (row < map_.rows.size())
                out_.drawing.shapes.push_back(Label{.at = {plot.x - kGap, y},
                                                    .text = fittedApart(map_.rows[row], others(map_.rows, row, every),
                                                                        plot.x - kGap, kCaption, measure_),
                                                    .anchor = Anchor::end,
                                                    .full = escaped(map_.rows[row])});
            if (row < map_.rowNotes.size())
                text({plot.right() + kGap, y}, fitted(map_.rowNotes[row], right, kCaption, false, measure_));
        }
    }

    /// The most frequent category of a block of cells, the lower one on a tie.
    int frequent(std::size_t row, std::size_t column) {
        if (out_.perColumn == 1 && out_.perRow == 1) return categoryAt(map_, row, column);
        counts_.assign(map_.categories.size(), 0);
        for (std::size_t r = row; r < std::min(row + out_.perRow, rowsOf(map_)); ++r)
            for (std::size_t c = column; c < std::min(column + out_.perColumn, columnsOf(map_)); ++c)
                if (const int category = categoryAt(map_, r, c); category >= 0)
                    ++counts_[static_cast<std::size_t>(category)];
        const auto max = std::max_element(counts_.begin(), counts_.end());
        return max == counts_.end() || *max == 0 ? -1 : static_cast<int>(max - counts_.begin());
    }

    void cells() {
        const bool high = out_.cellHeight >= kLowestMarked;
        const bool marked = out_.perColumn == 1 && out_.cellWidth > kPrintedFrom && high;
        const std::size_t rowFrom = firstRow() / out_.perRow * out_.perRow;
        const std::size_t columnFrom = firstColumn() / out_.perColumn * out_.perColumn;
        for (std::size_t row = rowFrom; row < lastRow(); row += out_.perRow)
            for (std::size_t column = columnFrom; column < lastColumn(); column += out_.perColumn)
                cell(row, column, marked);
        if (high && !marked)
            for (std::size_t row = rowFrom; row < lastRow(); row += out_.perRow) markRuns(row, columnFrom);
    }

    /// Where cells are too narrow for a mark, neighbours of one category have one together.
    void markRuns(std::size_t row, std::size_t columnFrom) {
        for (std::size_t from = columnFrom, to = from; from < lastColumn(); from = to) {
            const int category = frequent(row, from);
            for (to = from + out_.perColumn; to < lastColumn() && frequent(row, to) == category;) to += out_.perColumn;
            if (category < 0) continue;
            const Rect first = out_.cell(static_cast<double>(row), static_cast<double>(from));
            const double left = std::max(first.x, out_.plot.x);
            const double right = std::min(first.x + out_.cellWidth * static_cast<double>(to - from), out_.plot.right());
            const HeatMap::Category& look = map_.categories[static_cast<std::size_t>(category)];
            const std::string mark = escaped(look.mark);
            if (mark.empty() || right - left < std::max(kPrintedFrom, width(mark, true) + 2)) continue;
            text({(left + right) / 2, first.y + out_.cellHeight * static_cast<double>(out_.perRow) / 2 + 4}, mark,
                 lettersOn(look.colour), Anchor::middle, kCaption, true);
        }
    }

    void cell(std::size_t row, std::size_t column, bool marked) {
        const int category = frequent(row, column);
        if (category < 0) return;
        Rect area = out_.cell(static_cast<double>(row), static_cast<double>(column));
        area.width *= static_cast<double>(std::min(out_.perColumn, columnsOf(map_) - column));
        area.height *= static_cast<double>(std::min(out_.perRow, rowsOf(map_) - row));
        sharpen(area.x, area.width);
        sharpen(area.y, area.height);
        const HeatMap::Category& look = map_.categories[static_cast<std::size_t>(category)];
        out_.drawing.shapes.push_back(Box{.area = area,
                                          .fill = look.colour,
                                          .radius = area.width > 8 && area.height > 8 ? 2.0 : 0.0,
                                          .print = category,
                                          .tip = view_.tips ? tip(row, column, look) : ""});
        const std::size_t index = row * columnsOf(map_) + column;
        const bool own = index < map_.texts.size() && out_.perRow == 1;
        const std::string mark = escaped(own ? map_.texts[index] : look.mark);
        if (marked && width(mark, true) <= area.width)
            text({area.x + area.width / 2, area.y + area.height / 2 + 4}, mark, lettersOn(look.colour), Anchor::middle,
                 kCaption, true);
    }

    /// Cells end at whole pixels, where neighbours do not shine through; those that are large enough stand one apart.
    static void sharpen(double& from, double& size) {
        const double end = std::round(from + size);
        from = std::round(from);
        size = end - from - (size < kSharpCell ? 0 : 1);
    }

    std::string tip(std::size_t row, std::size_t column, const HeatMap::Category& look) const {
        const std::size_t index = row * columnsOf(map_) + column;
        if (index < map_.details.size() && out_.perColumn == 1 && out_.perRow == 1) return escaped(map_.details[index]);
        return (column < map_.columns.size() ? escaped(map_.columns[column]) : "") +
               (out_.perColumn > 1 ? " and the next ones: " : ": ") +
               (look.mark.empty() ? escaped(look.name) : escaped(look.mark));
    }

    void columnTexts() {
        if (map_.columns.empty()) return;
        if (nameRoom_ > 0) {
            const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil(kUpright / out_.cellWidth)));
            const std::size_t from = (firstColumn() + every - 1) / every * every;
            auto span = spans_.begin();
            for (std::size_t column = from; column < lastColumn() && column < map_.columns.size(); column += every) {
                while (span != spans_.end() && span->to <= column) ++span;
                columnText(column, every, span == spans_.end() ? nullptr : &*span);
            }
        }
        for (const Span& span : spans_)
            if (span.shown) head(span);
    }

    /// The names written before and after one.
    static std::vector<std::string_view> others(const std::vector<std::string>& names, std::size_t at,
                                                std::size_t every) {
        std::vector<std::string_view> found;
        if (at >= every) found.emplace_back(names[at - every]);
        if (at + every < names.size()) found.emplace_back(names[at + every]);
        return found;
    }

    void columnText(std::size_t column, std::size_t every, const Span* span) {
        const Rect& plot = out_.plot;
        const Rect cell = out_.cell(0, static_cast<double>(column));
        const double x = cell.x + cell.width / 2 - 4;
        if (x < plot.x - 6 || x > plot.right() - 6) return;
        const std::string_view name = shortName(column, span);
        std::vector<std::string_view> neighbours = others(map_.columns, column, every);
        for (std::string_view& other : neighbours)  // what is left out of the name is left out of theirs
            other = other.substr(std::min(other.size(), map_.columns[column].size() - name.size()));
        out_.drawing.shapes.push_back(Label{.at = {x, plot.bottom() + 5},
                                            .text = fittedApart(name, neighbours, nameRoom_, kCaption, measure_),
                                            .angle = 90,
                                            .full = escaped(map_.columns[column])});
    }

    /// What neighbouring columns share, below a line along them.
    void head(const Span& span) {
        const Rect& plot = out_.plot;
        const double left = std::max(plot.x, out_.cell(0, static_cast<double>(span.from)).x);
        const double right = std::min(plot.right(), out_.cell(0, static_cast<double>(span.to)).x) - 1;
        const std::string name = escaped(span.head);
        if (right - left < width(name)) return;
        const double y = plot.bottom() + (nameRoom_ > 0 ? nameRoom_ + 5 : 0) + 3.5;
        out_.drawing.shapes.push_back(Path{.points = {{left, y}, {right, y}}, .stroke = "border"});
        text({(left + right) / 2, y + 11}, name, "secondary", Anchor::middle);
    }

    void pins() {
        const Rect& plot = out_.plot;
        for (const int column : view_.pinned) {
            const Rect cell = out_.cell(0, column);
            const double x = cell.x + cell.width / 2;
            if (x < plot.x || x > plot.right()) continue;
            out_.drawing.shapes.push_back(Marker{.at = {x, plot.y - 8}, .radius = 3, .fill = "accent"});
            out_.drawing.shapes.push_back(Path{.points = {{x, plot.y - 6}, {x, plot.y - 1}}, .stroke = "accent"});
        }
    }

    /// Runs over the legend's entries, in lines of at most `room` pixels; places them where `draw`. Returns its lines.
    template <typename Draw>
    std::size_t eachEntry(double room, Draw draw) const {
        double x = 0;
        std::size_t row = 0;
        for (const HeatMap::Category& category : map_.categories) {
            const std::string name = fitted(category.name, room - 18, kCaption, false, measure_);
            const double needed = 18 + width(name);
            if (x > 0 && x + needed > room) {
                x = 0;
                ++row;
            }
            draw(category, name, x, row);
            x += needed + 16;
        }
        return row + 1;
    }

    /// The legend stands at the right end of the title's line where both have room, else between title and cells.
    void placeLegend() {
        double all = -16;
        for (const HeatMap::Category& category : map_.categories) all += 18 + width(escaped(category.name)) + 16;
        legendInTitle_ = measure_(escaped(map_.title), kTitle, true) + 3 * kGap + all <= size_.width;
        legendLeft_ = legendInTitle_ ? size_.width - all : out_.plot.x;
        // Above the notes stands their title.
        const double below = map_.rowNotes.empty() ? size_.width - out_.plot.x : out_.plot.width;
        legendRoom_ = legendInTitle_ ? all + 1 : below;
        legendRows_ = eachEntry(legendRoom_, [](const HeatMap::Category&, const std::string&, double, std::size_t) {});
    }

    void legend() {
        const double top = legendInTitle_ ? kTitleLine : kSecondLine;
        int index = 0;
        eachEntry(
            legendRoom_, [&](const HeatMap::Category& category, const std::string& name, double x, std::size_t row) {
                const double y = top + kLine * static_cast<double>(row);
                out_.drawing.shapes.push_back(Box{
                    .area = {legendLeft_ + x, y - 10, 12, 12}, .fill = category.colour, .radius = 2, .print = index++});
                text({legendLeft_ + x + 18, y}, name);
            });
    }

    void note() {
        const std::string line = foldNote();
        if (!line.empty()) text({0, out_.plot.bottom() + nameHeight_ + 12}, line);
    }

    std::string foldNote() const {
        std::string note;
        if (out_.perColumn > 1)
            note = fmt::format("A cell is {} {} and shows the most frequent category. ", formatCount(out_.perColumn),
                               map_.columnTitle.empty() ? "columns" : lowered(escaped(map_.columnTitle)));
        if (out_.perRow > 1) note += fmt::format("Each row stands for {}.", formatCount(out_.perRow));
        return std::string(trimmed(note));
    }

    const HeatMap& map_;
    const HeatMapView& view_;
    Size size_;
    const TextWidth& measure_;
    HeatMapLayout out_;
    double columns_ = 0, rows_ = 0;
    double nameHeight_ = 0, nameRoom_ = 0;  ///< below the cells: altogether, and of the turned names
    double legendLeft_ = 0, legendRoom_ = 0;
    std::size_t legendRows_ = 1;
    bool legendInTitle_ = false, hasHeads_ = false;
    std::size_t skipped_ = 0;  ///< letters that all names of columns begin with
    std::vector<Span> spans_;
    std::vector<std::size_t> counts_;
};

}  // namespace

Rect HeatMapLayout::cell(double row, double column) const {
    const auto before = std::upper_bound(gaps.begin(), gaps.end(), row, [](double place, std::size_t start) {
        return place < static_cast<double>(start);
    });
    return {plot.x + (column - firstColumn) * cellWidth,
            plot.y + (row - firstRow) * cellHeight + gap * static_cast<double>(before - gaps.begin()), cellWidth,
            cellHeight};
}

double HeatMapLayout::rowAt(double y) const {
    double from = 0;
    double top = plot.y - firstRow * cellHeight;
    for (const std::size_t start : gaps) {
        const double end = top + (static_cast<double>(start) - from) * cellHeight;
        if (y < end) break;
        if (y < end + gap) return static_cast<double>(start) - 1e-9;
        from = static_cast<double>(start);
        top = end + gap;
    }
    return from + (y - top) / cellHeight;
}

/// Rows and columns that the cells really fill; names may be missing.
std::size_t columnsOf(const HeatMap& map) {
    if (!map.columns.empty()) return map.columns.size();
    return map.rows.empty() ? map.cells.size() : map.cells.size() / map.rows.size();
}
std::size_t rowsOf(const HeatMap& map) {
    const std::size_t columns = columnsOf(map);
    return columns == 0 ? 0 : std::max(map.rows.size(), map.cells.size() / columns);
}

int categoryAt(const HeatMap& map, std::size_t row, std::size_t column) {
    const std::size_t index = row * columnsOf(map) + column;
    if (index >= map.cells.size()) return -1;
    const int category = map.cells[index];
    return category < static_cast<int>(map.categories.size()) ? std::max(category, -1) : -1;
}

HeatMapLayout layOut(const HeatMap& map, const HeatMapView& view, Size size, const TextWidth& measure) {
    return HeatMapBuilder(map, view, size, measure).build();
}

}  // namespace tessera::report
