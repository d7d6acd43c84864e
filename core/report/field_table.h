#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "core/draw/table.h"
#include "core/study/field.h"

namespace tessera::report {

/// A title as the heading of a column: "step time" of "Step time", "MACs" as it is.
inline std::string columnHead(std::string title) {
    const bool isWord = title.size() < 2 || std::islower(static_cast<unsigned char>(title[1])) != 0;
    if (isWord && !title.empty())
        title.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(title.front())));
    return title;
}

/// The fields that a table of rows has, with their columns.
template <typename Row>
class FieldColumns {
public:
    FieldColumns(const std::vector<study::Field<Row>>& fields, const std::vector<Row>& rows, study::FieldUse use)
        : exact_(use == study::kExactTable) {
        for (const study::Field<Row>& field : fields) {
            if ((field.uses & use) == 0) continue;
            const auto isEmpty = [&](const Row& row) { return exactOf(field, row).empty(); };
            if (!exact_ && (field.uses & study::kOptional) != 0 && std::all_of(rows.begin(), rows.end(), isEmpty))
                continue;
            head_.columns.push_back({exact_ ? std::string(field.id) : columnHead(std::string(headOf(field))),
                                     (field.uses & study::kWords) == 0});
            fields_.push_back(&field);
        }
    }

    /// The table without its rows.
    const Table& head() const { return head_; }
    std::vector<std::string> cells(const Row& row) const {
        std::vector<std::string> cells;
        cells.reserve(fields_.size());
        for (const study::Field<Row>* field : fields_)
            cells.push_back(exact_ ? exactOf(*field, row) : textOf(*field, row));
        return cells;
    }

private:
    bool exact_;
    Table head_;
    std::vector<const study::Field<Row>*> fields_;
};

/// Rows as a table by their fields: for people (`study::kText`, `study::kParts`), or for spreadsheets in full precision
/// (`study::kExactTable`).
template <typename Row>
Table tableOf(const std::vector<study::Field<Row>>& fields, const std::vector<Row>& rows, study::FieldUse use) {
    const FieldColumns<Row> columns(fields, rows, use);
    Table table = columns.head();
    table.rows.reserve(rows.size());
    for (const Row& row : rows) table.rows.push_back(columns.cells(row));
    return table;
}

}  // namespace tessera::report
