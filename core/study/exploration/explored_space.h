#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/input_files.h"
#include "core/base/units.h"
#include "core/explore/space.h"
#include "core/study/exploration/definition.h"
#include "core/study/exploration/hardware_fields.h"
#include "core/study/parameter.h"
#include "core/study/study.h"

/// The variables of an exploration, bound to the study that they vary.
namespace tessera::study {

/// A variable with what the study's engine and its hardware say of it.
struct ExploredVariable {
    std::string name;
    std::string title;  ///< "NVLink bandwidth"
    std::string help = {};
    VariableTarget target = VariableTarget::none;
    std::string of = {};  ///< what it sets: a parameter, list of inputs, dimension, the shortest path of a field
    Measure measure = Measure::count;
    std::string formula = {};             ///< where it is computed from others; else it is chosen
    explore::Variable range = {};         ///< where it is chosen
    std::vector<std::string> words = {};  ///< of categories, whose values are numbers into them

    bool isChosen() const { return formula.empty(); }
    bool isCategory() const { return range.isCategory; }
};

/// What a field of hardware may be, as words that follow "expected": "a number above 0 B/s".
std::string expectationOf(const hardware::Field& row);

/// "4.8 TB/s", "ring", of a variable's value.
std::string textOf(const ExploredVariable& variable, double value);
/// The same for files: digits that read back as the number, or the word.
std::string exactOf(const ExploredVariable& variable, double value);

/// A study that differs from the one that is explored, and the files that it is to be run with.
struct PointStudy {
    Study study;
    std::shared_ptr<InputFiles> files;
};

/// A hardware file of a point.
struct PointFile {
    const HardwareFile* file;
    InputFiles::Bytes bytes;  ///< with the point's values
    bool isChanged = false;
};

/// Turns points into studies.
class ExploredSpace {
public:
    /// Looks up what the variables set, and holds their values to what that may be. Reads hardware as this thread's
    /// InputFiles say. Throws UsageError, DataError, FileError.
    ExploredSpace(const Study& base, const std::vector<VariableDefinition>& variables);
    ~ExploredSpace();
    ExploredSpace(ExploredSpace&&) noexcept;

    const std::vector<ExploredVariable>& variables() const { return variables_; }
    /// Those that are chosen, in order: what points have values of.
    std::vector<explore::Variable> chosen() const;
    /// The values of all variables at a point, computed ones too; NaN where a formula has none.
    std::vector<double> valuesAt(const explore::Point& point) const;
    /// Throws UsageError where the formula of a variable has no value among these.
    void checkComputed(const std::vector<double>& values) const;
    /// The value that a table or file gives a variable, by its number: a number, a text with a unit, or a word. Throws
    /// UsageError for what the variable's target cannot be, and for what lies between two of its steps.
    double valueGiven(std::size_t number, const Json& given) const;
    /// The values that the study itself has, also by default; NaN of what it leaves open or what has several.
    std::vector<double> ownValues() const;
    /// The study with these values of all variables, whose other files are those given. Throws UsageError for what a
    /// computed value cannot be.
    PointStudy studyAt(const std::vector<double>& values, const std::shared_ptr<InputFiles>& files) const;
    /// The hardware files of the study, with these values.
    std::vector<PointFile> filesAt(const std::vector<double>& values) const;

    /// The study with each choice of inputs that the variables make.
    const std::vector<Study>& inner() const;

private:
    struct Data;
    std::vector<ExploredVariable> variables_;
    std::unique_ptr<Data> data_;
};

/// The base study, then one study for each input that a variable sets and for each file that it gives a parameter, with
/// that one replaced: together they have all inputs that points may use.
std::vector<Study> innerStudies(const Study& base, const std::vector<VariableDefinition>& variables);

}  // namespace tessera::study
