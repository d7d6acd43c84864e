#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/base/text.h"
#include "core/physical/readers/table_maker.h"

namespace tessera::physical {
namespace {

constexpr double kMilliseconds = 1e-3;

/// Numbers of the cells of a row; nothing where one is none.
std::optional<std::vector<double>> numbersOf(const MeasuredTable& table, const MeasuredRow& row,
                                             std::initializer_list<std::string_view> columns) {
    std::vector<double> numbers;
    for (const std::string_view column : columns) {
        const std::optional<double> number = measuredNumber(table.text(row, column));
        if (!number) return std::nullopt;
        numbers.push_back(*number);
    }
    return numbers;
}

/// The request of a row of aiconfigurator, or why there is none.
std::optional<KernelRequest> aiconfiguratorRequest(const MeasuredTable& table, const MeasuredRow& row,
                                                   std::string& why) {
    const std::string operation = lowered(table.text(row, "op_name"));
    if (table.has("gemm_dtype")) {
        const auto sizes = numbersOf(table, row, {"m", "n", "k"});
        if (sizes) return KernelRequest{"gemm", *sizes, dtypeOf(table.text(row, "gemm_dtype"))};
    } else if (table.has("isl") && operation.find("generation") == std::string::npos && table.has("attn_dtype")) {
        auto sizes = numbersOf(table, row, {"batch_size", "num_heads", "num_key_value_heads", "isl", "head_dim"});
        const bool isWhole = table.text(row, "step").empty() || measuredNumber(table.text(row, "step")) == 0.0;
        if (!isWhole) {
            why = "attention begins behind the start of its prompt";
            return std::nullopt;
        }
        if (sizes) {
            if ((*sizes)[2] == 0) (*sizes)[2] = (*sizes)[1];  // each head has its own keys and values
            return KernelRequest{"attention", *sizes, dtypeOf(table.text(row, "attn_dtype"))};
        }
    } else {
        why = fmt::format("the operation {} is no kernel that is known", inQuotes(operation));
        return std::nullopt;
    }
    why = "a size is no number";
    return std::nullopt;
}

/// The request of a row of NeuSight, or nothing.
std::optional<KernelRequest> neusightRequest(const MeasuredTable& table, const MeasuredRow& row,
                                             const std::string& operation) {
    const std::string dtype = table.has("dtype") ? dtypeOf(table.text(row, "dtype")) : "fp32";
    const auto request = [&](std::string kernel, std::optional<std::vector<double>> sizes) {
        return sizes ? std::optional<KernelRequest>({std::move(kernel), std::move(*sizes), dtype}) : std::nullopt;
    };
    if (operation == "linear") return request("gemm", numbersOf(table, row, {"M", "N", "K"}));
    if (operation == "bmm") return request("batched_gemm", numbersOf(table, row, {"B", "M", "N", "K"}));
    const auto sizes = numbersOf(table, row, {"B", "H"});
    if (!sizes) return std::nullopt;
    if (operation == "softmax") return request("softmax", sizes);
    if (operation == "ln" || operation == "layernorm") return request("layernormalization", sizes);
    // "addu" is "add" with a number.
    std::string kernel = operation;
    std::vector<double> elements{(*sizes)[0] * (*sizes)[1]};
    if (kernel.size() == 4 && kernel.back() == 'u' && kernel != "relu" && kernel != "gelu") {
        kernel.pop_back();
        elements.push_back(1);
    }
    return request(kernel, elements);
}

}  // namespace

bool knowsAiconfigurator(std::string_view bytes) {
    const std::vector<std::string> names = headerNames(bytes);
    const bool isTyped = std::any_of(names.begin(), names.end(), [](const std::string& name) {
        return name.ends_with("_dtype") && name != "kv_cache_dtype";
    });
    return hasNames(names, {"latency"}) && (hasNames(names, {"framework", "op_name"}) || isTyped);
}

ReadMeasurements readAiconfigurator(std::string_view bytes, const std::string& file) {
    const MeasuredTable table = readMeasuredTable(bytes, file);
    KernelTableMaker maker("aiconfigurator", file);
    for (const MeasuredRow& row : table.rows) {
        std::string why;
        const std::optional<KernelRequest> request = aiconfiguratorRequest(table, row, why);
        const std::optional<double> latency = measuredNumber(table.text(row, "latency"));
        if (!request)
            maker.skip(row.line, why);
        else
            maker.add(*request, latency.value_or(0) * kMilliseconds, row.line);
    }
    return maker.done();
}

bool knowsNeusight(std::string_view bytes) {
    return hasNames(headerNames(bytes), {"OPName", "Latency"});
}

ReadMeasurements readNeusight(std::string_view bytes, const std::string& file) {
    // The first column of a table that pandas writes has no name.
    std::string named(bytes);
    if (const std::size_t at = named.find_first_of(",\n"); at != std::string::npos && headerLine(bytes).front() == ',')
        named.insert(at, "row");
    const MeasuredTable table = readMeasuredTable(named, file);
    KernelTableMaker maker("neusight", file);
    for (const MeasuredRow& row : table.rows) {
        const std::string operation = lowered(table.text(row, "OPName"));
        const std::optional<KernelRequest> request = neusightRequest(table, row, operation);
        const std::optional<double> latency = measuredNumber(table.text(row, "Latency"));
        if (!request)
            maker.skip(row.line, "a size is no number");
        else
            maker.add(*request, latency.value_or(0) * kMilliseconds, row.line);
    }
    return maker.done();
}

}  // namespace tessera::physical
