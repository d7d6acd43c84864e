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
    /// Rows of layers that follow one another.
    struct Run {
        std::size_t first = 0;    ///< row
        std::int32_t offset = 0;  ///< of the layer from the row
    };

public:
    using value_type = Row;

    /// Makes a list row by row.
    class Maker {
    public:
        void add(Row row) {
            const std::int32_t offset = row.layer - signedIndex(rows_.size());
            if (runs_.empty() || runs_.back().offset != offset)
                runs_.push_back({.first = rows_.size(), .offset = offset});
            row.layer = 0;
            rows_.add(row);
        }
        PlanRows rows() && {
            PlanRows made;
            made.rows_ = std::move(rows_).list();
            made.runs_ = std::move(runs_);
            return made;
        }

    private:
        typename Repeated<Row>::Maker rows_;
        std::vector<Run> runs_;
    };

    PlanRows() = default;
    PlanRows(const std::vector<Row>& rows) {  // NOLINT(google-explicit-constructor): it is that list
        Maker maker;
        for (const Row& row : rows) maker.add(row);
        *this = std::move(maker).rows();
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
    Repeated<Row> rows_;  ///< with 0 for the layer
    std::vector<Run> runs_;
};

}  // namespace tessera::partition
