#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <vector>

#include "core/base/number.h"
#include "core/base/repeated.h"

namespace tessera::partition {

/// Rows of the layers or joins of a split, in their order. In a network of many layers most rows say the same of
/// another layer: what they say is kept once.
template <typename Row>
class PlanRows {
public:
    using value_type = Row;

    PlanRows() = default;
    PlanRows(std::vector<Row> rows) {  // NOLINT(google-explicit-constructor): it is that list
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::int32_t offset = rows[i].layer - signedIndex(i);
            if (runs_.empty() || runs_.back().offset != offset) runs_.push_back({.first = i, .offset = offset});
            rows[i].layer = 0;
        }
        rows_ = rows;
    }
    PlanRows(std::initializer_list<Row> rows) : PlanRows(std::vector<Row>(rows)) {}

    std::size_t size() const { return rows_.size(); }
    bool empty() const { return rows_.empty(); }
    Row operator[](std::size_t index) const {
        Row row = rows_[index];
        const auto next = std::upper_bound(runs_.begin(), runs_.end(), index,
                                           [](std::size_t at, const Run& run) { return at < run.first; });
        row.layer = signedIndex(index) + std::prev(next)->offset;
        return row;
    }
    Row at(std::size_t index) const {
        rows_.at(index);
        return (*this)[index];
    }
    EntryIterator<PlanRows> begin() const { return {*this, 0}; }
    EntryIterator<PlanRows> end() const { return {*this, size()}; }
    std::vector<Row> all() const { return {begin(), end()}; }
    void clear() { *this = {}; }
    /// Changes a row by `change(row)`; takes as long as making the list.
    template <typename Change>
    void change(std::size_t index, const Change& change) {
        std::vector<Row> rows = all();
        change(rows.at(index));
        *this = std::move(rows);
    }

private:
    /// Rows of layers that follow one another.
    struct Run {
        std::size_t first = 0;    ///< row
        std::int32_t offset = 0;  ///< of the layer from the row
    };

    Repeated<Row> rows_;  ///< with 0 for the layer
    std::vector<Run> runs_;
};

}  // namespace tessera::partition
