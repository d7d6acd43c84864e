#include "core/report/heat_map_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/base/units.h"

namespace tessera::report {

namespace {

constexpr int kCaption = 11;
constexpr double kTitleHeight = 32;
constexpr double kLine = 16;
constexpr double kGap = 8;
constexpr double kRowHeight = 22;
constexpr double kWidestCell = 44;
constexpr double kPrintedFrom = 14;  ///< marks are printed in cells larger than this
constexpr double kUpright = 13;      ///< a line of text turned by 90°
constexpr double kNameHeight = 84;
constexpr double kWidestName = 168;

class Builder {
public:
    Builder(const HeatMap& map, const HeatMapView& view, Size size, const TextWidth& measure)
        : map_(map), view_(view), size_(size), measure_(measure) {}

    HeatMapLayout build() {
        out_.drawing.width = size_.width;
        out_.drawing.height = size_.height;
        out_.drawing.title = map_.title;
        text({0, 18}, fitted(map_.title, size_.width, 16, true, measure_), "text", Anchor::start, 16, true);
        if (rowsOf(map_) == 0 || columnsOf(map_) == 0) return nothing();
        place();
        rowTexts();
        out_.drawing.shapes.push_back(Clip{out_.plot});
        cells();
        out_.drawing.shapes.push_back(Clip{});
        columnTexts();
        pins();
        legend();
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
        double y = view_.fill ? size_.height / 2 : kTitleHeight + 16;
        for (const std::string& line : wrapped(map_.empty.empty() ? "There is nothing to show yet." : map_.empty,
                                               size_.width * 0.9, 13, measure_)) {
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
        const double names = std::min(widest(map_.rows), std::min(kWidestName, size_.width * 0.3));
        const double notes = std::min(widest(map_.rowNotes), std::min(kWidestName, size_.width * 0.2));
        Rect& plot = out_.plot;
        plot.x = names + (names > 0 ? kGap : 0);
        plot.y = kTitleHeight + kLine + (view_.pinned.empty() ? 0 : 6);
        const double room = std::max(20.0, size_.width - plot.x - (notes > 0 ? notes + kGap : 0));
        out_.cellWidth = std::min(room / columns_, view_.fill ? room : kWidestCell);
        if (view_.fill) out_.cellWidth = std::min(out_.cellWidth, 2 * kWidestCell);
        plot.width = out_.cellWidth * columns_;
        out_.perColumn = static_cast<std::size_t>(std::max(1.0, std::ceil(view_.leastCell / out_.cellWidth - 1e-9)));
        named_ = out_.perColumn == 1 && !map_.columns.empty();
        nameHeight_ = map_.columns.empty() ? 0 : std::min(widestColumn(), kNameHeight) + kGap;
        legendHeight_ = kLine * (1 + static_cast<double>(legendRows())) + 4;
        const double below = nameHeight_ + legendHeight_;
        out_.cellHeight = kRowHeight;
        if (view_.fill) {
            const double high = std::max(20.0, size_.height - plot.y - below);
            out_.cellHeight = std::min(high / rows_, 2 * kWidestCell);
        } else if (rows_ > 64) {
            out_.cellHeight = 64 * kRowHeight / rows_;
        }
        out_.perRow = static_cast<std::size_t>(
            std::max(1.0, std::ceil((view_.fill ? 1 : kRowHeight / 2) / out_.cellHeight - 1e-9)));
        plot.height = out_.cellHeight * rows_;
        if (!view_.fill) out_.drawing.height = plot.bottom() + below;
    }

    double widest(const std::vector<std::string>& names) const {
        double most = 0;
        const std::size_t step = std::max<std::size_t>(1, names.size() / 256);
        for (std::size_t i = 0; i < names.size(); i += step) most = std::max(most, width(escaped(names[i])));
        return most > 0 ? most + 2 : 0;
    }
    /// The widest name of the columns in sight, by a sample where there are many.
    double widestColumn() const {
        const auto from =
            static_cast<std::size_t>(std::clamp(out_.firstColumn, 0.0, static_cast<double>(map_.columns.size())));
        const auto to = std::min(map_.columns.size(), from + static_cast<std::size_t>(std::ceil(columns_)) + 1);
        double most = 0;
        const std::size_t step = std::max<std::size_t>(1, (to - from) / 200);
        for (std::size_t i = from; i < to; i += step) most = std::max(most, width(escaped(map_.columns[i])));
        return most + 2;
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
        text({plot.x, plot.y - 6 - (view_.pinned.empty() ? 0 : 8)},
             fitted(map_.columnTitle, plot.width, kCaption, false, measure_));
        text({0, plot.y - 6 - (view_.pinned.empty() ? 0 : 8)},
             fitted(map_.rowTitle, plot.x - kGap, kCaption, false, measure_));
        const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil(kUpright / out_.cellHeight)));
        for (std::size_t row = firstRow(); row < lastRow(); row += every) {
            const Rect cell = out_.cell(static_cast<double>(row), 0);
            const double y = cell.y + cell.height / 2 + 4;
            if (y < plot.y + 6 || y > plot.bottom() + 2) continue;
            if (row < map_.rows.size())
                out_.drawing.shapes.push_back(
                    Label{.at = {plot.x - kGap, y},
                          .text = fittedInTheMiddle(map_.rows[row], plot.x - kGap, kCaption, false, measure_),
                          .anchor = Anchor::end,
                          .full = escaped(map_.rows[row])});
            if (row < map_.rowNotes.size())
                text({plot.right() + kGap, y},
                     fitted(map_.rowNotes[row], size_.width - plot.right() - kGap, kCaption, false, measure_));
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
        const auto most = std::max_element(counts_.begin(), counts_.end());
        return most == counts_.end() || *most == 0 ? -1 : static_cast<int>(most - counts_.begin());
    }

    void cells() {
        const bool marked = out_.perColumn == 1 && out_.cellWidth > kPrintedFrom && out_.cellHeight > kPrintedFrom;
        const std::size_t rowFrom = firstRow() / out_.perRow * out_.perRow;
        const std::size_t columnFrom = firstColumn() / out_.perColumn * out_.perColumn;
        for (std::size_t row = rowFrom; row < lastRow(); row += out_.perRow)
            for (std::size_t column = columnFrom; column < lastColumn(); column += out_.perColumn)
                cell(row, column, marked);
    }

    void cell(std::size_t row, std::size_t column, bool marked) {
        const int category = frequent(row, column);
        if (category < 0) return;
        Rect area = out_.cell(static_cast<double>(row), static_cast<double>(column));
        area.width *= static_cast<double>(std::min(out_.perColumn, columnsOf(map_) - column));
        area.height *= static_cast<double>(std::min(out_.perRow, rowsOf(map_) - row));
        if (area.width > 3) area.width -= 1;
        if (area.height > 3) area.height -= 1;
        const HeatMap::Category& look = map_.categories[static_cast<std::size_t>(category)];
        out_.drawing.shapes.push_back(Box{.area = area,
                                          .fill = look.colour,
                                          .radius = area.width > 8 && area.height > 8 ? 2.0 : 0.0,
                                          .print = category,
                                          .tip = view_.tips ? tip(row, column, look) : ""});
        if (marked)
            text({area.x + area.width / 2, area.y + area.height / 2 + 4}, escaped(look.mark), lettersOn(look.colour),
                 Anchor::middle, kCaption, true);
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
        const Rect& plot = out_.plot;
        const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil(kUpright / out_.cellWidth)));
        const std::size_t from = (firstColumn() + every - 1) / every * every;
        for (std::size_t column = from; column < lastColumn() && column < map_.columns.size(); column += every) {
            const Rect cell = out_.cell(0, static_cast<double>(column));
            const double x = cell.x + cell.width / 2 - 4;
            if (x < plot.x - 6 || x > plot.right() - 6) continue;
            out_.drawing.shapes.push_back(
                Label{.at = {x, plot.bottom() + 5},
                      .text = fittedInTheMiddle(map_.columns[column], nameHeight_ - kGap, kCaption, false, measure_),
                      .angle = 90,
                      .full = escaped(map_.columns[column])});
        }
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

    /// Runs over the legend's entries; places them where `draw`. Returns its rows.
    template <typename Draw>
    std::size_t eachEntry(Draw draw) const {
        double x = 0;
        std::size_t row = 0;
        for (const HeatMap::Category& category : map_.categories) {
            const std::string name = fitted(category.name, size_.width / 2, kCaption, false, measure_);
            const double needed = 18 + width(name) + 16;
            if (x > 0 && x + needed > size_.width) {
                x = 0;
                ++row;
            }
            draw(category, name, x, row);
            x += needed;
        }
        return row + 1;
    }
    std::size_t legendRows() const {
        return eachEntry([](const HeatMap::Category&, const std::string&, double, std::size_t) {});
    }

    void legend() {
        const double top = out_.plot.bottom() + nameHeight_ + 14;
        int index = 0;
        const std::size_t rows =
            eachEntry([&](const HeatMap::Category& category, const std::string& name, double x, std::size_t row) {
                const double y = top + kLine * static_cast<double>(row);
                out_.drawing.shapes.push_back(
                    Box{.area = {x, y - 10, 12, 12}, .fill = category.colour, .radius = 2, .print = index++});
                text({x + 18, y}, name);
            });
        const std::string note = foldNote();
        if (!note.empty()) text({0, top + kLine * static_cast<double>(rows)}, note);
    }

    std::string foldNote() const {
        std::string note;
        if (out_.perColumn > 1)
            note = fmt::format("A cell is {} {} and shows the most frequent category. ",
                               formatCount(static_cast<double>(out_.perColumn)),
                               map_.columnTitle.empty() ? "columns" : lowered(escaped(map_.columnTitle)));
        if (out_.perRow > 1)
            note += fmt::format("Each row stands for {}.", formatCount(static_cast<double>(out_.perRow)));
        return std::string(trimmed(note));
    }

    const HeatMap& map_;
    const HeatMapView& view_;
    Size size_;
    const TextWidth& measure_;
    HeatMapLayout out_;
    double columns_ = 0, rows_ = 0, nameHeight_ = 0, legendHeight_ = 0;
    bool named_ = false;
    std::vector<std::size_t> counts_;
};

}  // namespace

Rect HeatMapLayout::cell(double row, double column) const {
    return {plot.x + (column - firstColumn) * cellWidth, plot.y + (row - firstRow) * cellHeight, cellWidth, cellHeight};
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
    return Builder(map, view, size, measure).build();
}

}  // namespace tessera::report
