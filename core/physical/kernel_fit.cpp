#include "core/physical/kernel_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <utility>

#include "core/base/elementary.h"
#include "core/base/parallel.h"
#include "core/base/statistics.h"
#include "core/base/text.h"
#include "core/physical/estimate.h"

namespace tessera::physical {
namespace {

constexpr std::size_t kFittedProducts = 2000;
/// From which all fits of products start, as those of gemm_fits.cpp.
constexpr GemmParameters kGemmStart{5e-6, 0.5e-6, 1.1, 60, 0.75, 1.5, 0.9};

/// Shapes of the kernels of a family and data type, each with its rows' seconds.
struct KernelGroup {
    KernelFamily family = KernelFamily::product;
    std::string dtype = {};
    std::map<std::pair<const KernelKind*, std::vector<double>>, std::vector<double>> shapes = {};
    std::vector<std::string> sources = {};
    std::size_t rows = 0;
};

/// A number with six digits.
double sixDigits(double value) {
    const std::string text = fmt::format("{:.6g}", value);
    double rounded = value;
    std::from_chars(text.data(), text.data() + text.size(), rounded);
    return rounded;
}

std::vector<KernelGroup> kernelGroups(const std::vector<KernelRow>& rows, KernelFittings& fittings) {
    std::map<std::pair<KernelFamily, std::string>, KernelGroup> groups;
    for (const KernelRow& row : rows) {
        std::string fault = kernelFault(row.request);
        if (fault.empty() && !(row.seconds > 0 && row.seconds <= 1e9))
            fault = fmt::format("a time of {} s is not above 0 and up to 1e9 s", row.seconds);
        if (!fault.empty()) {
            if (fittings.skipped++ == 0) fittings.firstSkipped = std::move(fault);
            continue;
        }
        const KernelKind* kind = kernelKind(row.request.kernel);
        KernelGroup& group = groups[{kind->family, row.request.dtype}];
        group.family = kind->family;
        group.dtype = row.request.dtype;
        ++group.rows;
        group.shapes[{kind, row.request.shape}].push_back(row.seconds);
        if (std::find(group.sources.begin(), group.sources.end(), row.source) == group.sources.end())
            group.sources.push_back(row.source);
    }
    std::vector<KernelGroup> all;
    for (auto& [key, group] : groups) all.push_back(std::move(group));
    return all;
}

KernelPlace fittedPlace(const Device& device, const std::string& dtype, std::string_view kernel) {
    return {machineOf(device, dtype), bytesOf(dtype),
            productParametersOf(device, dtype, {.kernel = kernel}).parameters};
}

void fitProducts(const Device& device, const KernelGroup& group, FittedForm& form) {
    std::vector<MeasuredProduct> all, few;
    for (const auto& [shape, seconds] : group.shapes)
        all.push_back({productOf(shape.second, bytesOf(group.dtype)), medianOf(seconds)});
    const std::size_t count = std::min(kFittedProducts, all.size());
    for (std::size_t i = 0; i < count; ++i) few.push_back(all[i * all.size() / count]);
    form.products = fitGemm(few, machineOf(device, group.dtype), kGemmStart);
    form.coefficients = {1};
    for (const auto member : kGemmMembers) form.products.*member = sixDigits(form.products.*member);
}

void fitCoefficients(const Device& device, const KernelGroup& group, FittedForm& form) {
    std::vector<MeasuredTerms> terms;
    for (const auto& [shape, seconds] : group.shapes)
        terms.push_back({kernelTerms(*shape.first, shape.second, fittedPlace(device, group.dtype, shape.first->name)),
                         medianOf(seconds)});
    form.coefficients = fitTerms(terms);
    for (double& coefficient : form.coefficients) coefficient = sixDigits(coefficient);
}

/// The seconds of the form for every shape of a group.
std::vector<double> formSeconds(const Device& device, const KernelGroup& group, const FittedForm& form) {
    std::vector<double> seconds;
    for (const auto& [shape, measured] : group.shapes) {
        KernelPlace place = fittedPlace(device, group.dtype, shape.first->name);
        if (group.family == KernelFamily::product) place.gemm = form.products;
        seconds.push_back(secondsOf(kernelTerms(*shape.first, shape.second, place), form.coefficients));
    }
    return seconds;
}

/// Too few shapes to tell all parameters: those of other accelerators, all seconds times one factor.
void scaleTransferred(const Device& device, const KernelGroup& group, FittedForm& form) {
    const bool isProduct = group.family == KernelFamily::product;
    form.coefficients = transferredTerms(group.family).coefficients;
    if (isProduct) form.products = productParametersOf(device, group.dtype).parameters;
    const std::vector<double> seconds = formSeconds(device, group, form);
    std::vector<double> factors;
    for (std::size_t i = 0; const auto& [shape, measured] : group.shapes)
        factors.push_back(medianOf(measured) / seconds[i++]);
    const double factor = medianOf(std::move(factors));
    if (!isProduct) {
        for (double& coefficient : form.coefficients) coefficient = sixDigits(coefficient * factor);
        return;
    }
    for (const auto slower : {&GemmParameters::launch, &GemmParameters::wave}) form.products.*slower *= factor;
    for (const auto faster : {&GemmParameters::efficiency, &GemmParameters::bandwidth}) form.products.*faster /= factor;
    for (const auto member : kGemmMembers) form.products.*member = sixDigits(form.products.*member);
}

KernelFitting fittingOf(const Device& device, const KernelGroup& group) {
    KernelFitting fitting{
        .form = {.family = group.family, .dtype = group.dtype}, .rows = group.rows, .sources = group.sources};
    FittedForm& form = fitting.form;
    const std::size_t parameters = hardware::kernelParameters(group.family).size(), shapes = group.shapes.size();
    const bool isFew = shapes < 2 * parameters;
    if (isFew)
        scaleTransferred(device, group, form);
    else if (group.family == KernelFamily::product)
        fitProducts(device, group, form);
    else
        fitCoefficients(device, group, form);
    const std::vector<double> seconds = formSeconds(device, group, form);
    std::vector<double> errors, residuals;
    for (std::size_t i = 0; const auto& [shape, measured] : group.shapes) {
        for (const double each : measured) {
            errors.push_back(std::fabs(seconds[i] / each - 1));
            residuals.push_back(std::fabs(elementary::log(seconds[i] / each)));
        }
        ++i;
    }
    fitting.medianError = sixDigits(medianOf(errors));
    // Rows that parameters were fitted to are nearer than others.
    const auto count = static_cast<double>(shapes), free = static_cast<double>(shapes - (isFew ? 0 : parameters));
    double spread = conformalSpread(std::move(residuals)) * std::sqrt(count / free);
    if (isFew) spread = std::max(spread, transferredTerms(group.family).spread);
    form.spread = sixDigits(spread);
    return fitting;
}

}  // namespace

KernelFittings fitKernels(const Device& device, const std::vector<KernelRow>& rows, const RunControl& control) {
    KernelFittings fittings;
    const std::vector<KernelGroup> groups = kernelGroups(rows, fittings);
    fittings.fits.resize(groups.size());
    Device fitted = device;
    fitted.fits.clear();
    // What is made of products takes the parameters of those.
    for (const bool products : {true, false}) {
        const Device known = fitted;
        parallelFor(groups.size(), control.threads, [&](std::size_t i) {
            control.throwIfCancelled("the fit");
            if ((groups[i].family == KernelFamily::product) == products) fittings.fits[i] = fittingOf(known, groups[i]);
        });
        if (!products) break;
        for (std::size_t i = 0; i < groups.size(); ++i)
            if (groups[i].family == KernelFamily::product) fitted.fits.push_back(fittings.fits[i].form);
    }
    return fittings;
}

hardware::KernelFit kernelFitOf(const KernelFitting& fitting) {
    constexpr std::size_t kLongest = 256;
    std::string sources = joined(fitting.sources, ", ");
    if (sources.size() > kLongest || trimmed(sources).empty())
        sources = fmt::format("{} sources", fitting.sources.size());
    return {.family = fitting.form.family,
            .dtype = fitting.form.dtype,
            .rows = static_cast<std::int64_t>(fitting.rows),
            .sources = std::move(sources),
            .parameters = parametersOf(fitting.form),
            .spread = fitting.form.spread};
}

}  // namespace tessera::physical
