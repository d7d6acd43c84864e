#include "core/study/shared_validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/input_files.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/ranks/message.h"
#include "core/study/shared_work.h"

namespace tessera::study {

namespace {

using physical::OpenTable;
using physical::ValidationRow;

constexpr const char* kSetupOfRows = "the setup of measured rows";
constexpr const char* kAnswerOfRows = "a worker's answer";
constexpr std::size_t kMostOfTables = 8'000'000;

/// As few as there is work for each of so many processes, since each begins with what its whole table is for; the
/// largest first.
std::vector<RowBlock> blocksOf(const std::vector<OpenTable>& tables, std::size_t processes) {
    std::size_t all = 0;
    for (const OpenTable& table : tables) all += table.rows.size();
    const std::size_t max = all / processes + 1;
    std::vector<RowBlock> blocks;
    for (std::size_t t = 0; t < tables.size(); ++t)
        for (std::size_t first = 0; first < tables[t].rows.size(); first += max)
            blocks.push_back({t, first, std::min(max, tables[t].rows.size() - first)});
    std::ranges::stable_sort(blocks, std::greater(), &RowBlock::rows);
    return blocks;
}

/// The rows of a block, predicted on this thread.
std::vector<ValidationRow> predicted(const OpenTable& table, const RowBlock& block, const RunControl& control) {
    const auto first = table.rows.begin() + static_cast<std::ptrdiff_t>(block.first);
    std::vector<ValidationRow> rows(first, first + static_cast<std::ptrdiff_t>(block.rows));
    table.predictor->predict(table.judged->table, rows, control);
    return rows;
}

void packTexts(ranks::Packer& packed, const std::vector<std::string>& texts) {
    packed.whole(texts.size());
    for (const std::string& text : texts) packed.text(text);
}

std::vector<std::string> textsIn(ranks::Unpacker& contents) {
    std::vector<std::string> texts;
    for (std::uint64_t left = contents.whole(kMostOfTables); left > 0; --left) texts.push_back(contents.text());
    return texts;
}

void packTable(ranks::Packer& packed, const physical::MeasuredTable& table) {
    packed.text(table.file);
    packTexts(packed, table.columns);
    packed.whole(table.rows.size());
    for (const physical::MeasuredRow& row : table.rows) {
        packTexts(packed, row.cells);
        packed.text(row.source).whole(static_cast<std::uint64_t>(row.line));
    }
}

physical::MeasuredTable tableIn(ranks::Unpacker& contents) {
    physical::MeasuredTable table{.file = contents.text(), .columns = textsIn(contents), .rows = {}};
    for (std::uint64_t left = contents.whole(kMostOfTables); left > 0; --left) {
        physical::MeasuredRow row{.cells = textsIn(contents)};
        row.source = contents.text();
        row.line = static_cast<std::int64_t>(contents.whole());
        if (row.cells.size() != table.columns.size())
            throw DataError({.where = kSetupOfRows}, "a row of another width", "a cell for each column");
        table.rows.push_back(std::move(row));
    }
    return table;
}

void packReal(ranks::Packer& packed, const std::optional<double>& number) {
    packed.whole(number ? 1 : 0).real(number.value_or(0));
}

std::optional<double> realIn(ranks::Unpacker& contents) {
    const bool isThere = contents.whole(1) == 1;
    const double number = contents.real();
    return isThere ? std::optional(number) : std::nullopt;
}

/// "from row 1,025 of kernels/a100.csv".
std::string nameOf(const std::vector<OpenTable>& tables, const RowBlock& block) {
    return fmt::format("from row {} of {}", formatCount(block.first + 1),
                       escaped(tables[block.table].judged->table.file, 200));
}

/// What predicting sets of rows.
std::string answerOf(const std::vector<ValidationRow>& rows) {
    ranks::Packer packed;
    for (const ValidationRow& row : rows) {
        const std::optional<physical::Estimate>& estimate = row.prediction.estimate;
        packed.whole(estimate ? 1 : 0);
        if (estimate) packed.real(estimate->value).real(estimate->low).real(estimate->high);
        packed.text(row.prediction.refused);
        packReal(packed, row.measuredShare);
        packReal(packed, row.predictedShare);
    }
    return packed.bytes();
}

class RowsDoer : public ranks::TaskDoer {
public:
    explicit RowsDoer(const std::string& setup) {
        ranks::Unpacker contents(setup, kSetupOfRows);
        files_ = unpackedInputs(contents);
        const std::vector<std::string> sets = textsIn(contents);
        for (std::uint64_t left = contents.whole(kMostOfTables); left > 0; --left) {
            physical::MeasuredTable table = tableIn(contents);
            tables_.push_back({.table = std::move(table), .sets = textsIn(contents)});
        }
        contents.end();
        const InputScope inputs(files_);
        open_ = physical::openTables(tables_, sets);
    }

    std::optional<std::string> answer(const std::string& question, const RunControl& control) override {
        ranks::Unpacker contents(question, "a task");
        RowBlock block{.table = contents.whole(kMostOfTables)};
        block.first = contents.whole(kMostOfTables);
        block.rows = contents.whole(kMostOfTables);
        contents.end();
        if (block.table >= open_.size() || block.rows > open_[block.table].rows.size() ||
            block.first > open_[block.table].rows.size() - block.rows)
            throw DataError({.where = "a task"}, "rows that no table has", "those of a block");
        const InputScope inputs(files_);
        return answerOf(predicted(open_[block.table], block, control.ofOnePart()));
    }

private:
    std::shared_ptr<InputFiles> files_;
    std::vector<physical::JudgedTable> tables_;
    std::vector<OpenTable> open_;
};

}  // namespace

std::string questionOf(const RowBlock& block) {
    return ranks::Packer().whole(block.table).whole(block.first).whole(block.rows).bytes();
}

void readRows(const std::string& answer, std::vector<OpenTable>& tables, const RowBlock& block) {
    ranks::Unpacker contents(answer, kAnswerOfRows);
    for (std::size_t i = block.first; i < block.first + block.rows; ++i) {
        ValidationRow& row = tables[block.table].rows[i];
        row.prediction = {};
        if (contents.whole(1) == 1) {
            physical::Estimate estimate{.value = contents.real()};
            estimate.low = contents.real();
            estimate.high = contents.real();
            row.prediction.estimate = estimate;
        }
        row.prediction.refused = contents.text();
        row.measuredShare = realIn(contents);
        row.predictedShare = realIn(contents);
    }
    contents.end();
}

std::shared_ptr<const ranks::Setup> sharedRows(const std::vector<OpenTable>& tables,
                                               const std::vector<std::string>& sets, unsigned threads) {
    ranks::Packer packed;
    packInputs(packed, InputFiles());
    packTexts(packed, sets);
    packed.whole(tables.size());
    for (const OpenTable& table : tables) {
        packTable(packed, table.judged->table);
        packTexts(packed, table.judged->sets);
    }
    return std::make_shared<const ranks::Setup>(
        ranks::Setup{kRowsOfMeasuredTables, packed.bytes(), threads == 0 ? 0 : threadCount(threads)});
}

std::unique_ptr<ranks::TaskDoer> sharedRowsDoer(const std::string& setup) {
    return std::make_unique<RowsDoer>(setup);
}

physical::PredictTables sharedPredictions(std::shared_ptr<ranks::Conductor> others, std::vector<std::string> sets) {
    return [others = std::move(others), sets = std::move(sets)](std::vector<OpenTable>& tables,
                                                                const RunControl& control) {
        const std::vector<RowBlock> blocks = blocksOf(tables, static_cast<std::size_t>(others->size()));
        std::size_t all = 0;
        for (const RowBlock& block : blocks) all += block.rows;
        std::atomic<std::size_t> done = 0;
        const auto noteDone = [&](const RowBlock& block) {
            control.reportProgress("predicting measured rows", static_cast<double>(done += block.rows),
                                   static_cast<double>(all));
        };
        others->run(sharedRows(tables, sets, control.threads),
                    {.count = blocks.size(),
                     .question = [&](std::size_t i) { return questionOf(blocks[i]); },
                     .here =
                         [&](std::size_t i) {
                             const RowBlock& block = blocks[i];
                             OpenTable& table = tables[block.table];
                             std::vector<ValidationRow> rows = predicted(table, block, control.ofOnePart());
                             std::ranges::move(rows, table.rows.begin() + static_cast<std::ptrdiff_t>(block.first));
                             noteDone(block);
                         },
                     .answered =
                         [&](std::size_t i, const std::string& answer) {
                             readRows(answer, tables, blocks[i]);
                             noteDone(blocks[i]);
                         },
                     .stop = control.cancel,
                     .threads = others->threadsHere(control.threads),
                     .one = "block of rows",
                     .many = "blocks of rows",
                     .name = [&](std::size_t i) { return nameOf(tables, blocks[i]); }});
        control.throwIfCancelled("the validation");
    };
}

}  // namespace tessera::study
