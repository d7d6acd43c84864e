#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/study/explanation.h"
#include "ui/views/runs/run_view.h"

class QHBoxLayout;
class QVBoxLayout;

namespace tessera::ui {

class ChoiceBar;
class HeadlineBar;
class MessageBar;
class RunPages;

/// The page of a run of any engine: a line of headline numbers, a note, what is looked at, the picture, and details in
/// a drawer. Views hand it their headline, pictures and details.
class RunFrame : public RunView {
    Q_OBJECT

protected:
    explicit RunFrame(QWidget* parent = nullptr);
    HeadlineBar* headline() const { return headline_; }
    MessageBar* note() const { return note_; }
    /// A bar of choices behind those that are there.
    ChoiceBar* addChoices(const QString& name, int min = 2);
    /// A control at the right end of the line of choices.
    void addTool(QWidget* tool);
    /// Pictures and details; what troubles them is said in the window, and their numbers are explained.
    void setPages(RunPages* pages);
    /// The result that is shown, whose numbers can be explained.
    virtual std::shared_ptr<const study::Result> shownResult() const = 0;
    /// "Explain this number" of a metric in a dialog.
    void explain(const QString& path);

private:
    QVBoxLayout* column_;
    QHBoxLayout* bar_;
    HeadlineBar* headline_;
    MessageBar* note_;
};

/// "Explain this number" of a metric, when it is asked for.
std::function<std::optional<study::Explanation>()> explained(std::shared_ptr<const study::Result> result,
                                                             std::string path);

}  // namespace tessera::ui
