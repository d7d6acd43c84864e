#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/explain/explain.h"
#include "ui/views/runs/run_view.h"

class QHBoxLayout;
class QVBoxLayout;

namespace tessera::ui {

class ChoiceBar;
class HeadlineBar;
class LazyTabs;
class MessageBar;

/// What views of runs have in common: headline numbers, a note, what is looked at, and tabs below.
class RunFrame : public RunView {
    Q_OBJECT

protected:
    explicit RunFrame(QWidget* parent = nullptr);
    HeadlineBar* headline() const { return headline_; }
    MessageBar* note() const { return note_; }
    /// A bar of choices behind those that are there.
    ChoiceBar* addChoices(const QString& name, int least = 2);
    /// Below everything else; what troubles them is said in the window.
    void setTabs(LazyTabs* tabs);
    /// "Explain this number" of a metric in a dialog.
    void explain(const study::Result& result, const QString& path);

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
