#include "ui/views/workbench/point_selection.h"

#include <QUndoCommand>
#include <algorithm>
#include <utility>

#include "ui/models/text.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

bool haveSameColumns(const explore::PointTable& one, const explore::PointTable& other) {
    return std::equal(one.columns.begin(), one.columns.end(), other.columns.begin(), other.columns.end(),
                      [](const auto& a, const auto& b) { return a.id == b.id; });
}

/// The points of `before` at their places in `now`, and maybe more.
bool isContinued(const explore::PointTable& before, const explore::PointTable& now) {
    if (before.size() > now.size() || before.size() == 0 || !haveSameColumns(before, now)) return false;
    if (!std::equal(before.names.begin(), before.names.end(), now.names.begin(),
                    now.names.begin() + static_cast<std::ptrdiff_t>(std::min(before.names.size(), now.names.size()))))
        return false;
    for (std::size_t column = 0; column < before.columns.size(); ++column) {
        const std::vector<double>&then = before.columns[column].values, &values = now.columns[column].values;
        // The last one tells whether it is the same run.
        if (!then.empty() &&
            (values.size() < then.size() || (then.back() == then.back() && then.back() != values[then.size() - 1])))
            return false;
    }
    return true;
}

}  // namespace

/// Keeping and excluding, undone as one.
class KeepStep : public QUndoCommand {
public:
    KeepStep(PointSelection* selection, const QString& title, PointSelection::Kept before, PointSelection::Kept after)
        : QUndoCommand(title), selection_(selection), before_(std::move(before)), after_(std::move(after)) {}
    void undo() override {
        if (selection_ != nullptr) selection_->apply(before_);
    }
    void redo() override {
        if (selection_ != nullptr) selection_->apply(after_);
    }

private:
    QPointer<PointSelection> selection_;
    PointSelection::Kept before_, after_;
};

PointSelection::PointSelection(QObject* parent)
    : QObject(parent), table_(std::make_shared<const explore::PointTable>()), undo_(new QUndoStack(this)) {
    connect(undo_, &QUndoStack::indexChanged, this, &PointSelection::stepsChanged);
}

void PointSelection::setUndoStack(QUndoStack* stack) {
    if (stack == nullptr || stack == undo_) return;
    disconnect(undo_, nullptr, this, nullptr);
    undo_ = stack;
    connect(stack, &QUndoStack::indexChanged, this, &PointSelection::stepsChanged);
}

void PointSelection::setTable(Table table) {
    const Table before = std::exchange(table_, std::move(table));
    const bool continued = isContinued(*before, *table_);
    if (!continued) {
        if (!haveSameColumns(*before, *table_)) {
            ranges_.clear();
            colour_.reset();
            std::tie(x_, y_) = report::firstValues(*table_);
        }
        flags_.clear();
        keptBy_.clear();
        ++step_;
        undo_->clear();  // what was excluded is no longer here
        chosen_ = hovered_ = a_ = b_ = -1;
    } else if (!flags_.empty()) {
        flags_.resize(size(), 1);
    }
    refilter();
    emit tableChanged();
    emit filtered();
}

void PointSelection::setRange(std::size_t column, std::optional<Range> range) {
    std::map<std::size_t, Range> ranges = ranges_;
    if (range && range->low <= range->high)
        ranges[column] = *range;
    else
        ranges.erase(column);
    setRanges(ranges);
}

std::optional<PointSelection::Range> PointSelection::range(std::size_t column) const {
    const auto found = ranges_.find(column);
    return found == ranges_.end() ? std::nullopt : std::optional(found->second);
}

void PointSelection::setRanges(const std::map<std::size_t, Range>& ranges) {
    const auto same = [](const auto& a, const auto& b) {
        return a.first == b.first && a.second.low == b.second.low && a.second.high == b.second.high;
    };
    if (std::equal(ranges.begin(), ranges.end(), ranges_.begin(), ranges_.end(), same)) return;
    ranges_ = ranges;
    std::erase_if(ranges_, [this](const auto& each) { return each.first >= table_->columns.size(); });
    refilter();
    emit filtered();
}

void PointSelection::push(const QString& title, Kept after) {
    undo_->push(new KeepStep(this, title, {flags_, ranges_, keptBy_}, std::move(after)));
}

std::map<std::size_t, PointSelection::Range> PointSelection::askedRanges() const {
    std::map<std::size_t, Range> asked = keptBy_;
    for (const auto& [column, range] : ranges_) {
        const auto [its, fresh] = asked.try_emplace(column, range);
        if (!fresh) its->second = {std::max(its->second.low, range.low), std::min(its->second.high, range.high)};
    }
    return asked;
}

void PointSelection::keep() {
    if (shown_ == kept_) return;
    std::vector<std::uint8_t> flags(size());
    for (std::size_t i = 0; i < flags.size(); ++i) flags[i] = isShown(i) ? 1 : 0;
    push(u"Keep %1"_s.arg(counted(shown_, "point", "points")), {.flags = std::move(flags), .keptBy = askedRanges()});
}

void PointSelection::exclude() {
    if (shown_ == 0) return;
    std::vector<std::uint8_t> flags(size());
    for (std::size_t i = 0; i < flags.size(); ++i)
        flags[i] = report::stateOf(states_, i) == report::PointState::filtered ? 1 : 0;
    // No range says what is left.
    push(u"Exclude %1"_s.arg(counted(shown_, "point", "points")), {.flags = std::move(flags), .keptBy = keptBy_});
}

void PointSelection::showAll() {
    if (isReduced())
        push(u"Show all points"_s, {});
    else
        clearRanges();
}

void PointSelection::apply(const Kept& kept) {
    if (!kept.flags.empty() && kept.flags.size() > size()) return;  // of a run that is no longer here
    flags_ = kept.flags;
    if (!flags_.empty()) flags_.resize(size(), 1);
    ranges_ = kept.ranges;
    keptBy_ = kept.keptBy;
    ++step_;
    refilter();
    emit reduced();
    emit filtered();
}

void PointSelection::refilter() {
    using report::PointState;
    states_.assign(flags_.empty() && ranges_.empty() ? 0 : size(), PointState::shown);
    if (!flags_.empty())
        for (std::size_t i = 0; i < states_.size(); ++i)
            if (flags_[i] == 0) states_[i] = PointState::excluded;
    for (const auto& [column, range] : ranges_) {
        const std::vector<double>& values = table_->columns[column].values;
        for (std::size_t i = 0; i < states_.size(); ++i)
            if (states_[i] == PointState::shown &&
                !(i < values.size() && values[i] >= range.low && values[i] <= range.high))
                states_[i] = PointState::filtered;
    }
    kept_ = shown_ = size();
    if (states_.empty()) return;
    kept_ -= static_cast<std::size_t>(std::count(states_.begin(), states_.end(), PointState::excluded));
    shown_ = static_cast<std::size_t>(std::count(states_.begin(), states_.end(), PointState::shown));
}

std::vector<int> PointSelection::shownPoints() const {
    std::vector<int> points;
    points.reserve(shown_);
    for (std::size_t i = 0; i < size(); ++i)
        if (isShown(i)) points.push_back(static_cast<int>(i));
    return points;
}

void PointSelection::choose(int point) {
    const int wanted = isValid(point) ? point : -1;
    if (std::exchange(chosen_, wanted) != wanted) emit chosenChanged(wanted);
}

void PointSelection::hover(int point) {
    const int wanted = isValid(point) ? point : -1;
    if (std::exchange(hovered_, wanted) != wanted) emit hoveredChanged(wanted);
}

void PointSelection::setPin(Pin pin, int point) {
    const int wanted = isValid(point) ? point : -1;
    if (std::exchange(pin == Pin::a ? a_ : b_, wanted) != wanted) emit pinsChanged();
}

void PointSelection::setColour(std::optional<std::size_t> column) {
    if (column && *column >= table_->columns.size()) column.reset();
    if (std::exchange(colour_, column) != column) emit colourChanged();
}

void PointSelection::setAxes(std::size_t x, std::size_t y) {
    const std::size_t columns = table_->columns.size();
    if (x >= columns || y >= columns || (x == x_ && y == y_)) return;
    x_ = x;
    y_ = y;
    emit axesChanged();
}

QStringList PointSelection::cardOf(int point) const {
    if (!isValid(point)) return {};
    constexpr int kMaxLines = 10;
    const auto index = static_cast<std::size_t>(point);
    QStringList lines{toQt(report::nameOf(*table_, index))};
    if (!table_->isFeasible(index)) lines << u"No solution: %1"_s.arg(shownText(table_->reasons[index], 120));
    for (const std::size_t column : {y_, x_}) {
        if (column >= table_->columns.size()) continue;
        const explore::PointColumn& its = table_->columns[column];
        lines << u"%1: %2"_s.arg(toQt(its.title), toQt(report::textOf(its, report::valueOf(its, index))));
    }
    for (std::size_t column = 0; column < table_->columns.size() && lines.size() < kMaxLines; ++column) {
        const explore::PointColumn& its = table_->columns[column];
        const double value = report::valueOf(its, index);
        if (column == x_ || column == y_ || value != value) continue;
        lines << u"%1: %2"_s.arg(toQt(its.title), toQt(report::textOf(its, value)));
    }
    return lines;
}

}  // namespace tessera::ui
